// A heatmap with labels. The canvas draws the cells; a grid with one movable cell represents it to screen readers.
import { element, set, svg, write } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { paint } from "./color_scale.js";
import { formatter, label, widest } from "./format.js";
import { drawOverlays } from "./overlays.js";

/** @typedef {import("./state.js").Cell} Cell */
/** @typedef {import("./state.js").Token} Token */
/** @typedef {import("./state.js").Panel} Panel */
/**
 * @typedef {object} Handlers event handlers of the heatmap
 * @property {(cell: Cell | null, map: Heatmap) => void} hover
 * @property {(token: Token | null) => void} pin
 * @property {(token: Token | null) => void} aim
 */

export const SLANT = 0.82; // rotation of long column labels in radians
const SMALLEST = 7; // pixels of a cell
const LONGEST = 110; // length of a slanted label in pixels

/**
 * Computes the layout of labels and cells.
 *
 * @param {string[]} rows @param {string[]} columns @param {number} width @param {number} height available
 */
export function measure(rows, columns, width, height) {
  const labelWidth = Math.min(Math.ceil(widest(rows, 13)) + 14, Math.max(90, width * 0.34));
  const slanted = Math.min(widest(columns, 13), LONGEST);
  const tail = Math.ceil(slanted * Math.cos(SLANT));
  const slantedHeight = Math.ceil(slanted * Math.sin(SLANT)) + 18;
  const room = width - labelWidth - 4;
  const fitting = (/** @type {number} */ across, /** @type {number} */ down) =>
    Math.floor(Math.min((room - across) / columns.length, (height - down) / rows.length));
  const upright = clamp(fitting(0, 26), SMALLEST, 48);
  const flat = widest(columns, 13) + 8 <= upright;
  const size = flat ? upright : clamp(fitting(tail, slantedHeight), SMALLEST, 44);
  return {
    labelWidth,
    labelHeight: flat ? 26 : slantedHeight,
    tail: flat ? 0 : tail,
    flat,
    size,
    font: size < 14 ? 11 : 13,
  };
}

export class Heatmap {
  /** @type {string[]} */
  rows = [];
  /** @type {string[]} */
  columns = [];
  /** The cell with the keyboard focus. @type {Cell} */
  at = { row: 0, column: 0 };
  layout = measure([""], [""], 100, 100);
  fitted = "";
  /** @type {unknown[]} */
  painted = [];

  /** @param {Handlers} on */
  constructor(on) {
    this.on = on;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.marks = svg("svg", { "aria-hidden": "true", class: "marks" });
    this.rowAxis = element("span", { class: "query" });
    this.columnAxis = element("span", { class: "key" });
    this.top = element("div", { class: "columns", "aria-hidden": "true" });
    this.left = element("div", { class: "rows", "aria-hidden": "true" });
    this.cell = element("div", { role: "gridcell", id: "cell" });
    this.row = element("div", { role: "row" }, this.cell);
    const grid = { role: "grid", tabindex: 0, class: "cells", "aria-activedescendant": "cell" };
    this.grid = element("div", grid, this.canvas, this.marks, this.row);
    this.caption = element("div", { class: "caption" });
    const axes = element("div", { class: "axes", "aria-hidden": "true" }, this.rowAxis, this.columnAxis);
    const corner = element("div", { class: "corner" });
    this.scroller = element("div", { class: "scroller" }, corner, this.top, this.left, this.grid);
    this.element = element("figure", { class: "heatmap" }, this.caption, axes, this.scroller);
    this.listen();
  }

  listen() {
    const { grid, on } = this;
    grid.addEventListener("pointermove", (event) => on.hover(this.place(event), this));
    grid.addEventListener("pointerdown", (event) => {
      this.at = this.place(event) ?? this.at;
      on.hover(this.place(event), this);
    });
    grid.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && on.hover(null, this));
    grid.addEventListener("focus", () => grid.matches(":focus-visible") && this.move(0, 0));
    grid.addEventListener("blur", () => on.hover(null, this));
    grid.addEventListener("keydown", (event) => this.key(event));
    for (const [side, axis] of /** @type {[HTMLElement, "row" | "column"][]} */ ([
      [this.top, "column"],
      [this.left, "row"],
    ])) {
      const token = (/** @type {Event} */ { target }) => {
        const node = /** @type {Element} */ (target).closest(".token");
        return node ? { axis, index: [...side.children].indexOf(node) } : null;
      };
      side.addEventListener("click", (event) => token(event) && on.pin(token(event)));
      side.addEventListener("pointermove", (event) => on.aim(token(event)));
      side.addEventListener("pointerleave", () => on.aim(null));
    }
  }

  /** The cell under a pointer. @param {PointerEvent} event @returns {Cell | null} */
  place(event) {
    const box = this.grid.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.rows.length);
    const column = Math.floor(((event.clientX - box.left) / box.width) * this.columns.length);
    return row in this.rows && column in this.columns ? { row, column } : null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { row, column } = this.at;
    const [lastRow, lastColumn] = [this.rows.length - 1, this.columns.length - 1];
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ...{
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        PageUp: [-5, 0],
        PageDown: [5, 0],
      },
      Home: [event.ctrlKey ? -row : 0, -column],
      End: [event.ctrlKey ? lastRow - row : 0, lastColumn - column],
    };
    if (event.key in moves) this.move(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ")
      this.on.pin(event.shiftKey ? { axis: "column", index: column } : { axis: "row", index: row });
    else if (event.key === "Escape") this.on.pin(null);
    else return;
    event.preventDefault();
  }

  /** Moves the focus to another cell and scrolls to it. @param {number} rows @param {number} columns */
  move(rows, columns) {
    this.at = {
      row: clamp(this.at.row + rows, 0, this.rows.length - 1),
      column: clamp(this.at.column + columns, 0, this.columns.length - 1),
    };
    this.on.hover(this.at, this);
    const { size, labelWidth, labelHeight } = this.layout;
    const { scroller } = this;
    const x = this.at.column * size;
    const y = this.at.row * size;
    scroller.scrollLeft = clamp(scroller.scrollLeft, x + size + labelWidth - scroller.clientWidth, x);
    scroller.scrollTop = clamp(scroller.scrollTop, y + size + labelHeight - scroller.clientHeight, y);
  }

  /**
   * Updates labels and sizes if the tokens or the available space have changed.
   *
   * @param {Panel} panel @param {{ width: number, height: number }} room
   * @param {{ name: string, query: string, key: string }} names of the heatmap and its axes
   */
  fit({ rows, columns }, room, { name, query, key }) {
    set(this.grid, { "aria-label": name });
    write(this.rowAxis, `${query} ↓`);
    write(this.columnAxis, `${key} →`);
    const fitted = JSON.stringify([rows, columns, room]);
    if (fitted === this.fitted) return;
    Object.assign(this, { fitted, rows, columns });
    this.layout = measure(rows, columns, room.width, room.height);
    const { labelWidth, labelHeight, tail, flat, size } = this.layout;
    this.label();
    const [width, height] = [columns.length * size, rows.length * size];
    this.rowAxis.style.minWidth = `${labelWidth - 8}px`;
    this.scroller.style.gridTemplate = `${labelHeight}px ${height}px / ${labelWidth}px ${width + tail}px`;
    this.top.classList.toggle("flat", flat);
    this.grid.style.cssText = `width:${width}px;height:${height}px;--cell:${size >= 12 ? size : 1e5}px`;
    set(this.marks, { viewBox: `0 0 ${width} ${height}` });
    set(this.grid, { "aria-rowcount": rows.length, "aria-colcount": columns.length });
    const { row, column } = this.at;
    this.at = { row: Math.min(row, rows.length - 1), column: Math.min(column, columns.length - 1) };
  }

  label() {
    const { size, font, flat } = this.layout;
    const token = (/** @type {string} */ text, /** @type {string} */ style) =>
      element("span", { class: "token", style }, element("bdi", { text: label(text), title: text.slice(0, 300) }));
    const every = Math.ceil((font + 2) / size); // where labels would overlap, some show only when pointed at
    const thin = (/** @type {HTMLElement} */ node, /** @type {number} */ i) => {
      node.classList.toggle("thin", i % every > 0);
      return node;
    };
    const left = (/** @type {number} */ i) =>
      flat ? `left:${i * size}px;width:${size}px` : `left:${(i + 0.5) * size}px`;
    this.left.replaceChildren(
      ...this.rows.map((text, i) => thin(token(text, `top:${i * size}px;height:${size}px;font-size:${font}px`), i)),
    );
    this.top.replaceChildren(...this.columns.map((text, i) => thin(token(text, `${left(i)};font-size:${font}px`), i)));
  }

  /**
   * @param {Panel} panel
   * @param {{ pin: Token | null, hover: Cell | null, scale: import("./color_scale.js").Scale, caption: string }} how
   */
  draw(panel, { pin, hover, scale, caption }) {
    const { weights, gold } = panel;
    const { size } = this.layout;
    const { rows, columns } = this;
    const painted = [weights, scale.table, scale.low, scale.top];
    if (painted.some((value, i) => value !== this.painted[i])) paint(this.canvas, weights, columns.length, scale);
    this.painted = painted;
    write(this.caption, caption);
    const inside = hover && hover.row in rows && hover.column in columns ? hover : null;
    this.marks.replaceChildren(
      ...drawOverlays({ rows: rows.length, columns: columns.length, size, gold, pin, here: inside }),
    );
    this.light(inside, pin);
    const { row, column } = this.at;
    set(this.row, { "aria-rowindex": row + 1 });
    set(this.cell, { "aria-colindex": column + 1 });
    write(this.cell, formatter(panel)(weights[row * columns.length + column]));
  }

  /** Highlights the labels of the hovered and pinned tokens. @param {Cell | null} hover @param {Token | null} pin */
  light(hover, pin) {
    for (const [side, axis] of /** @type {[HTMLElement, "row" | "column"][]} */ ([
      [this.left, "row"],
      [this.top, "column"],
    ])) {
      const named = { lit: hover?.[axis], pinned: pin?.axis === axis ? pin.index : undefined };
      for (const [name, index] of Object.entries(named)) {
        side.querySelector(`.${name}`)?.classList.remove(name);
        if (index !== undefined) side.children[index]?.classList.add(name);
      }
    }
  }
}
