// An array on a canvas: vectors as rows of bars, scores and weights as cells, words as labeled bars.
import { COLORS } from "../shared/colors.js";
import { element, set } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { FONT } from "../shared/style.js";

/** @typedef {{i: number, j: number}} Cell */
/**
 * @typedef {object} Picture
 * @property {import("./values.js").Shown} shown
 * @property {string} role color of the numbers
 * @property {"bars" | "cells" | "words"} kind
 * @property {Cell} chosen
 */

const HEAD = 16; // height of the column names
const LOWEST = 13; // height of a row; if there are more rows, they scroll
const HIGHEST = 26;
const NAMES = 74; // width of the row names
const WORDS = 110;
const NUMBERS = 33; // least width of a cell with its number

export const ARRAY_STYLE = `
.array { position: relative; min-height: 0; touch-action: pan-y; cursor: crosshair; border-radius: 4px; overflow: hidden; }
.array canvas, .strips canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.strips { position: relative; }
`;

/** Where the cells of an array are, in pixels. @param {Picture} picture @param {number} width @param {number} height */
export function layout({ shown, kind, chosen }, width, height) {
  const top = shown.columnNames && kind === "cells" ? HEAD : 2;
  const rows = Math.max(1, Math.min(shown.rows.length, Math.floor((height - top) / LOWEST)));
  const left = kind === "words" ? WORDS : NAMES;
  return {
    ...{ top, left, rows },
    first: clamp(chosen.i - Math.floor(rows / 2), 0, Math.max(0, shown.rows.length - rows)),
    high: Math.min(HIGHEST, (height - top) / rows),
    wide: (width - left - 2) / Math.max(1, shown.rows[0]?.length ?? 1),
  };
}

/** The cell at a place. @param {Picture} picture @param {number} x @param {number} y @param {number} width @param {number} height @returns {Cell} */
export function cellAt(picture, x, y, width, height) {
  const { top, left, rows, first, high, wide } = layout(picture, width, height);
  const [many, columns] = [picture.shown.rows.length, picture.shown.rows[0]?.length ?? 1];
  return {
    i: clamp(first + clamp(Math.floor((y - top) / high), 0, rows - 1), 0, Math.max(0, many - 1)),
    j: clamp(Math.floor((x - left) / wide), 0, columns - 1),
  };
}

/** The cell that a key leads to, or null. @param {string} key @param {Cell} from @param {number} rows @param {number} columns @returns {Cell | null} */
export function cellAfter(key, { i, j }, rows, columns) {
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key] ?? [0, 0];
  if (key === "Home") return { i, j: 0 };
  if (key === "End") return { i, j: columns - 1 };
  if (key === "PageUp") return { i: 0, j };
  if (key === "PageDown") return { i: rows - 1, j };
  if (!down && !right) return null;
  return { i: clamp(i + down, 0, rows - 1), j: clamp(j + right, 0, columns - 1) };
}

/** Text cut to a width. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} width */
function fitted(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let cut = text;
  while (cut && pen.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return cut ? `${cut}…` : "";
}

/** A canvas as large as its element, cleared. @param {HTMLCanvasElement} canvas @param {import("../shared/theme.js").Theme} theme */
function prepared(canvas, theme) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (!pen || !width || !height) return null;
  pen.scale(scale, scale);
  pen.fillStyle = COLORS[theme].paper;
  pen.fillRect(0, 0, width, height);
  pen.textBaseline = "middle";
  return { pen, width, height, colors: /** @type {Record<string, string>} */ (COLORS[theme]) };
}

/** @typedef {NonNullable<ReturnType<typeof prepared>>} Sheet */

/** The largest number in size, and whether some are negative. A loop, because a call takes only about 120,000 arguments. @param {number[]} values */
export function rangeOf(values) {
  let [most, signed] = [1e-9, false];
  for (const value of values) {
    most = Math.max(most, Math.abs(value));
    signed ||= value < 0;
  }
  return { most, signed };
}

/** A row of bars around its middle, or from its foot if no number is negative. @param {Sheet} sheet @param {ArrayLike<number>} values @param {{x: number, y: number, wide: number, high: number, most: number, signed: boolean}} place @param {string} color */
function drawBars({ pen, colors }, values, { x, y, wide, high, most, signed }, color) {
  const zero = signed ? y + high / 2 : y + high - 1;
  const reach = (signed ? high / 2 : high) - 1.5;
  pen.fillStyle = colors.line;
  pen.fillRect(x, zero - 0.25, wide * values.length, 0.5);
  pen.fillStyle = color;
  const gap = wide > 6 ? 1 : wide > 3 ? 0.5 : 0;
  for (let j = 0; j < values.length; j++) {
    const length = (values[j] / most) * reach;
    pen.fillRect(x + j * wide + gap / 2, Math.min(zero, zero - length), wide - gap, Math.max(0.5, Math.abs(length)));
  }
}

/** @param {Sheet} sheet @param {Picture} picture */
function drawRows(sheet, picture) {
  const { pen, width, height, colors } = sheet;
  const { shown, kind, role, chosen } = picture;
  const { top, left, rows, first, high, wide } = layout(picture, width, height);
  const { most, signed } = rangeOf(shown.rows.flat());
  for (let n = 0; n < rows && first + n < shown.rows.length; n++) {
    const [i, y] = [first + n, top + n * high];
    if (i === chosen.i) {
      pen.fillStyle = colors.fill;
      pen.fillRect(0, y, width, high);
    }
    pen.fillStyle = colors.ink;
    pen.font = `${i === chosen.i ? "600 " : ""}${Math.min(12, high - 1)}px ${FONT}`;
    pen.textAlign = "right";
    pen.fillText(fitted(pen, shown.rowNames[i] ?? "", left - 8), left - 6, y + high / 2);
    const place = { x: left, y, wide, high, most, signed };
    if (kind === "bars") drawBars(sheet, shown.rows[i], place, colors[role]);
    else if (kind === "cells") drawCells(sheet, picture, i, place);
    else drawWord(sheet, shown.rows[i][0], place, colors[role]);
  }
}

/** @param {Sheet} sheet @param {Picture} picture @param {number} i @param {{x: number, y: number, wide: number, high: number, most: number}} place */
function drawCells({ pen, colors }, { shown, role }, i, { x, y, wide, high, most }) {
  for (const [j, value] of shown.rows[i].entries()) {
    const [left, hidden] = [x + j * wide, shown.masked(i, j)];
    if (hidden) hatch(pen, left, y, wide, high, colors.line);
    else {
      pen.globalAlpha = 0.62 * Math.min(1, Math.abs(value) / most);
      pen.fillStyle = value < 0 ? colors.line : colors[role === "ink" ? "weight" : role];
      pen.fillRect(left + 0.5, y + 0.5, wide - 1, high - 1);
      pen.globalAlpha = 1;
    }
    if (wide < NUMBERS || (hidden && role === "weight")) continue;
    pen.fillStyle = hidden ? colors.muted : colors.ink;
    pen.font = `${Math.min(12, high - 1)}px ${FONT}`;
    pen.textAlign = "center";
    pen.fillText(value.toFixed(2).replace("-", "−"), left + wide / 2, y + high / 2);
  }
}

/** Stripes over a cell that the mask hides. @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} wide @param {number} high @param {string} color */
function hatch(pen, x, y, wide, high, color) {
  pen.save();
  pen.beginPath();
  pen.rect(x + 0.5, y + 0.5, wide - 1, high - 1);
  pen.clip();
  pen.strokeStyle = color;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let at = -high; at < wide; at += 6) {
    pen.moveTo(x + at, y + high);
    pen.lineTo(x + at + high, y);
  }
  pen.stroke();
  pen.restore();
}

/** @param {Sheet} sheet @param {number} value @param {{x: number, y: number, wide: number, high: number, most: number}} place @param {string} color */
function drawWord({ pen, colors }, value, { x, y, wide, high, most }, color) {
  const room = wide - 60;
  const length = (Math.max(0, value) / most) * room;
  pen.globalAlpha = color === colors.ink ? 0.35 : 0.75;
  pen.fillStyle = color;
  pen.fillRect(x, y + 2, Math.max(1, length), high - 4);
  pen.globalAlpha = 1;
  pen.fillStyle = colors.ink;
  pen.textAlign = "left";
  pen.fillText(value.toFixed(value < 1 && value > 0 ? 4 : 2).replace("-", "−"), x + length + 6, y + high / 2);
}

/** @param {Sheet} sheet @param {Picture} picture */
function drawColumnNames({ pen, width, height, colors }, picture) {
  const { shown, kind, chosen } = picture;
  if (!shown.columnNames || kind !== "cells") return;
  const { left, wide } = layout(picture, width, height);
  pen.font = `11px ${FONT}`;
  pen.fillStyle = colors.ink;
  for (const [j, name] of shown.columnNames.entries()) {
    if (wide < 30 && j !== chosen.j) continue;
    const room = wide < 30 ? 90 : wide - 3;
    const text = fitted(pen, name, room);
    const half = pen.measureText(text).width / 2;
    pen.textAlign = "center";
    pen.fillText(text, clamp(left + (j + 0.5) * wide, left + half, width - half - 1), HEAD / 2);
  }
}

/** @param {Sheet} sheet @param {Picture} picture */
function drawChosen({ pen, width, height, colors }, picture) {
  const { top, left, first, high, wide } = layout(picture, width, height);
  const { i, j } = picture.chosen;
  const least = Math.max(wide, 5);
  const x = left + (j + 0.5) * wide - least / 2;
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 2;
  pen.strokeRect(x, top + (i - first) * high + 1, least, high - 2);
}

/**
 * @param {{choose: (cell: Cell) => void, point: (cell: Cell | null) => void, leave: () => void}} on `point`: the mouse
 *   is over a cell, or over none
 */
export function arrayPicture({ choose, point, leave }) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const node = element("div", { class: "array", tabindex: 0, role: "application" }, canvas);
  /** @type {Picture | null} */
  let now = null;
  const at = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return now && cellAt(now, event.clientX - box.left, event.clientY - box.top, box.width, box.height);
  };
  const hit = (/** @type {PointerEvent} */ event) => {
    const cell = at(event);
    if (cell) choose(cell);
  };
  node.addEventListener("pointerdown", (event) => event.button === 0 && hit(event));
  node.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) hit(event);
    else if (event.pointerType === "mouse") point(at(event));
  });
  node.addEventListener("pointerleave", () => point(null));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return leave();
    const { rows } = now?.shown ?? { rows: [] };
    const cell = now && rows.length ? cellAfter(event.key, now.chosen, rows.length, rows[0].length) : null;
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(cell);
  });
  return {
    element: node,
    /** @param {Picture | null} picture @param {string} label @param {import("../shared/theme.js").Theme} theme */
    draw(picture, label, theme) {
      now = picture;
      set(node, { "aria-label": label });
      const sheet = prepared(canvas, theme);
      if (!sheet || !picture?.shown.rows.length) return;
      drawRows(sheet, picture);
      drawColumnNames(sheet, picture);
      drawChosen(sheet, picture);
    },
  };
}

/** The rows that a number is made of. */
export function stripsPicture() {
  const canvas = element("canvas", { "aria-hidden": "true" });
  return {
    element: element("div", { class: "strips" }, canvas),
    /** @param {import("./explain.js").Strip[]} strips @param {import("../shared/theme.js").Theme} theme */
    draw(strips, theme) {
      const sheet = prepared(canvas, theme);
      if (!sheet) return;
      const { pen, width, height, colors } = sheet;
      const high = height / 3;
      for (const [n, { label, values, role, mark }] of strips.entries()) {
        const list = Array.from(values);
        const wide = (width - NAMES - 2) / list.length;
        const place = { x: NAMES, y: n * high, wide, high: high - 3, ...rangeOf(list) };
        pen.font = `12px ${FONT}`;
        pen.fillStyle = colors.muted;
        pen.textAlign = "right";
        pen.fillText(fitted(pen, label, NAMES - 8), NAMES - 6, place.y + place.high / 2);
        drawBars(sheet, list, place, colors[role]);
        if (mark === undefined) continue;
        pen.strokeStyle = colors.ink;
        pen.lineWidth = 1.5;
        const least = Math.max(place.wide, 5);
        pen.strokeRect(NAMES + (mark + 0.5) * place.wide - least / 2, place.y, least, place.high);
      }
    },
  };
}
