// Attention of each output word, as lines between words or as cells. A word under the pointer shows its own lines with their
// weights; the user can select an output word and a source word.
import { element, set, svg } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { formatProbability } from "./experiment.js";

/**
 * @typedef {object} Scene
 * @property {string[]} columns source words
 * @property {boolean[]} unknown whether the model does not know them
 * @property {string[]} rows output words
 * @property {ArrayLike<number>[]} weights by row, one per column; empty without attention
 * @property {boolean[]} changed whether each row differs from the original translation
 * @property {(row: number, column: number) => "forbidden" | "forced" | null} mark
 * @property {{row: number, column: number | null}} chosen
 * @property {"cells" | "lines"} kind
 */

/** The words whose lines stand out: a row, a column or both. @typedef {{row: number | null, column: number | null}} Focus */

export const PICTURE_STYLE = `
.picture { height: 100%; overflow: auto; touch-action: pan-x pan-y; }
.picture, .text-page { /* a shade at an edge below which there is more */
  background: linear-gradient(var(--paper), var(--paper)) bottom / 100% 14px no-repeat local, linear-gradient(transparent, var(--line)) bottom / 100% 14px no-repeat; }
.picture:focus-visible { outline-offset: -2px; }
.picture svg { width: auto; height: auto; }
.picture text { font-size: 14px; }
.picture .row { fill: var(--query); }
.picture .column { fill: var(--key); }
.picture .changed { text-decoration: underline; text-underline-offset: 3px; }
.picture .unknown { text-decoration: underline dashed; }
.picture .row, .picture .column { cursor: pointer; }
.picture .strong { font-weight: 700; }
.picture .number { font-size: 12px; fill: var(--weight); font-variant-numeric: tabular-nums; pointer-events: none; }
.picture .field { fill: var(--fill); }
.picture .weight { fill: var(--weight); pointer-events: none; }
.picture .hit { fill: transparent; cursor: pointer; }
.picture .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.picture .band { fill: var(--fill); pointer-events: none; }
.picture .mark { stroke: var(--ink); stroke-width: 2.5; fill: none; pointer-events: none; }
.picture .line { fill: none; stroke: var(--weight); pointer-events: none; }
`;

const STEP = 24; // row height in pixels, also the minimum touch target
const SPACE = 8;
const LEAST = 0.04; // weaker lines are hidden
const label = (/** @type {string} */ text, most = 12) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param {(row: number, column: number | null) => void} choose */
export function attentionPicture(choose) {
  // role=application: screen readers pass on the arrow keys.
  const about = { role: "application", "aria-roledescription": "attention" };
  const box = element("div", { class: "picture", tabindex: 0, ...about });
  /** @type {Scene} */
  let scene;
  /** @type {Focus | null} */
  let aim = null;
  const placeOf = (/** @type {Event} */ { target }) => ({ .../** @type {SVGElement} */ (target).dataset });
  let pressed = "";
  box.addEventListener("pointerdown", (event) => {
    pressed = event.button === 0 ? JSON.stringify(placeOf(event)) : "";
  });
  const take = (/** @type {Event} */ event) => {
    const { row, column } = placeOf(event);
    if (row !== undefined || column !== undefined)
      choose(row === undefined ? scene.chosen.row : Number(row), column === undefined ? null : Number(column));
  };
  const point = (/** @type {Focus | null} */ next) => {
    if (JSON.stringify(next) === JSON.stringify(aim) || !scene) return;
    aim = next;
    redraw();
  };
  box.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return; // a tap selects
    const { row, column } = placeOf(event);
    const number = (/** @type {string | undefined} */ text) => (text === undefined ? null : Number(text));
    point(row === undefined && column === undefined ? null : { row: number(row), column: number(column) });
  });
  box.addEventListener("pointerleave", () => point(null));
  box.addEventListener("click", take);
  box.addEventListener("pointerup", (event) => {
    if (JSON.stringify(placeOf(event)) === pressed) take(event); // no click event if a new word redrew the picture
  });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move || !scene.rows.length) return;
    event.preventDefault();
    const { row, column } = scene.chosen;
    const next = column === null ? (move[1] ? 0 : null) : clamp(column + move[1], 0, scene.columns.length - 1);
    choose(clamp(row + move[0], 0, scene.rows.length - 1), next);
    const [first, last = first] = box.querySelectorAll(".chosen, .band"); // in the lines view: the output word, then the source word
    (move[1] ? last : first).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  function redraw() {
    if (!box.clientWidth) return; // under another tab
    const shown = { ...scene, aim };
    box.replaceChildren(scene.kind === "cells" ? cells(shown, box.clientWidth) : lines(shown, box.clientWidth));
  }
  return {
    element: box,
    /** @param {Scene} now */
    draw(now) {
      scene = now;
      if (aim && ((aim.row ?? 0) >= now.rows.length || (aim.column ?? 0) >= now.columns.length)) aim = null;
      set(box, { "aria-label": describeScene(now) });
      redraw();
    },
  };
}

/** @type {(scene: Scene) => string} */
function describeScene({ columns, rows, weights }) {
  const looks = rows.map((word, i) => {
    const row = weights[i] ? Array.from(weights[i]) : [];
    const most = row.indexOf(Math.max(...row));
    return row.length ? `${word} to ${columns[most]}, ${row[most].toFixed(2)}` : word;
  });
  return `Largest attention weight of each word: ${looks.join("; ")}. Use the arrow keys to select an output word and a source word.`;
}

/** What stands out: the word under the pointer, or the selected ones. @type {(scene: Scene & {aim: Focus | null}) => Focus} */
const focusOf = ({ aim, chosen }) => aim ?? chosen;

/** @type {(scene: Scene & {aim: Focus | null}, width: number) => SVGSVGElement} */
function cells(scene, width) {
  const { columns, unknown, rows, weights, changed, mark, chosen } = scene;
  const focus = focusOf(scene);
  const [left, top] = [100, 66];
  const size = Math.min(46, Math.max(STEP, (width - left - 22) / Math.max(1, columns.length)));
  const [across, down] = [left + columns.length * size + 22, top + rows.length * STEP + 4];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  columns.forEach((word, j) => {
    const [x, y] = [left + (j + 0.5) * size, top - 6];
    const name = `column${unknown[j] ? " unknown" : ""}${j === focus.column ? " strong" : ""}`;
    const text = label(word, 11);
    drawing.append(svg("text", { class: name, x, y, transform: `rotate(-50 ${x} ${y})`, "data-column": j, text }));
  });
  rows.forEach((word, i) => {
    const y = top + i * STEP;
    const name = `row${changed[i] ? " changed" : ""}${i === focus.row ? " strong" : ""}`;
    const at = { x: left - SPACE, y: y + 16, "text-anchor": "end" };
    drawing.append(svg("text", { class: name, ...at, "data-row": i, text: label(word) }));
    columns.forEach((_, j) => {
      const x = left + j * size;
      const at = { x: x + 1, y: y + 1, width: size - 2, height: STEP - 2, rx: 2 };
      const weight = weights[i]?.[j] ?? 0;
      drawing.append(
        svg("rect", { class: "field", ...at }),
        svg("rect", { class: "weight", ...at, "fill-opacity": Math.sqrt(weight).toFixed(3) }),
        svg("rect", { class: "hit", x, y, width: size, height: STEP, "data-row": i, "data-column": j }),
        ...marks(mark(i, j), x, y, size),
      );
    });
  });
  if (chosen.row < rows.length) {
    const wide =
      chosen.column === null
        ? { x: left, width: columns.length * size }
        : { x: left + chosen.column * size, width: size };
    drawing.append(svg("rect", { class: "chosen", ...wide, y: top + chosen.row * STEP, height: STEP, rx: 3 }));
  }
  return drawing;
}

/** @type {(mark: "forbidden" | "forced" | null, x: number, y: number, size: number) => SVGElement[]} */
function marks(mark, x, y, size) {
  const [middle, center] = [x + size / 2, y + STEP / 2];
  if (mark === "forbidden")
    return [svg("path", { class: "mark", d: `M${middle - 5} ${center - 5}l10 10m0 -10l-10 10` })];
  if (mark === "forced") return [svg("circle", { class: "mark", cx: middle, cy: center, r: 6 })];
  return [];
}

/** @type {(scene: Scene & {aim: Focus | null}, width: number) => SVGSVGElement} */
function lines(scene, width) {
  const { columns, unknown, rows, weights, changed, mark, chosen } = scene;
  const focus = focusOf(scene);
  const across = Math.min(width - 16, 460);
  const down = Math.max(columns.length, rows.length) * STEP + 8;
  const [from, to] = [across * 0.37, across * 0.63];
  const letters = Math.max(6, Math.floor((across * 0.37 - 44) / 7.5)); // a number stands beside them
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  const band = (/** @type {number} */ x, /** @type {number} */ i) =>
    svg("rect", { class: "band", x, y: i * STEP + 2, width: across - to, height: STEP - 2, rx: 4 });
  if (chosen.row < rows.length) drawing.append(band(to, chosen.row));
  if (chosen.column !== null) drawing.append(band(0, chosen.column));
  const weight = (/** @type {number} */ i, /** @type {number} */ j) => weights[i]?.[j] ?? 0;
  const stands = (/** @type {number} */ i, /** @type {number} */ j) => i === focus.row || j === focus.column;
  rows.forEach((_, i) => {
    columns.forEach((_, j) => {
      if (weight(i, j) < LEAST) return;
      const [y0, y1, middle] = [(j + 0.5) * STEP + 1, (i + 0.5) * STEP + 1, (from + to) / 2];
      const d = `M${from + SPACE} ${y0}C${middle} ${y0} ${middle} ${y1} ${to - SPACE} ${y1}`;
      const strong = stands(i, j);
      drawing.append(
        svg("path", {
          class: strong ? "line strong" : "line",
          d,
          "stroke-width": (1 + 5 * weight(i, j)).toFixed(1),
          "stroke-opacity": (strong ? 0.45 + 0.55 * weight(i, j) : 0.08 + 0.25 * weight(i, j)).toFixed(2),
        }),
      );
    });
  });
  const number = (/** @type {number} */ value, /** @type {number} */ x, /** @type {number} */ i, anchor = "start") =>
    value < LEAST
      ? []
      : [svg("text", { class: "number", x, y: i * STEP + 18, "text-anchor": anchor, text: formatProbability(value) })];
  const room = (/** @type {string} */ word) => 12 + 9 * Math.min(word.length, letters); // pixels, next to a word
  const hit = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ size,
    /** @type {object} */ data,
  ) => svg("rect", { class: "hit", x, y: y * STEP + 1, width: size, height: STEP, ...data });
  columns.forEach((word, j) => {
    const strong = j === focus.column || (focus.column === null && focus.row !== null && weight(focus.row, j) >= 0.3);
    const name = `column${unknown[j] ? " unknown" : ""}${strong ? " strong" : ""}`;
    const at = { x: from, y: j * STEP + 18, "text-anchor": "end" };
    drawing.append(
      hit(0, j, from + SPACE, { "data-column": j }),
      svg("text", { class: name, ...at, "data-column": j, text: label(word, letters) }),
      ...(focus.row === null ? [] : number(weight(focus.row, j), Math.max(34, from - room(word)), j, "end")),
      ...marks(mark(focus.row ?? chosen.row, j), from + SPACE - 12, j * STEP + 1, STEP),
    );
  });
  rows.forEach((word, i) => {
    const strong = i === focus.row || (focus.row === null && focus.column !== null && weight(i, focus.column) >= 0.3);
    const name = `row${changed[i] ? " changed" : ""}${strong ? " strong" : ""}`;
    drawing.append(
      hit(to - SPACE, i, across - to + SPACE, { "data-row": i }),
      svg("text", { class: name, x: to, y: i * STEP + 18, "data-row": i, text: label(word, letters) }),
      ...(focus.column === null ? [] : number(weight(i, focus.column), Math.min(across - 34, to + room(word)), i)),
    );
  });
  return drawing;
}
