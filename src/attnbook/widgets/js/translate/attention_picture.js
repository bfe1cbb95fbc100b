// Attention of each output word, as cells or as lines between words. In both views the user can select an output word and
// a source word.
import { element, set, svg } from "../shared/dom.js";

/** @typedef {import("../engine/session.js").Candidate} Candidate */

/**
 * @typedef {object} Scene
 * @property {string[]} columns source words
 * @property {boolean[]} unknown whether the model does not know them
 * @property {Candidate[]} rows output words
 * @property {ArrayLike<number>[]} weights by row, one per column; empty without attention
 * @property {boolean[]} changed whether each row differs from the original translation
 * @property {(row: number, column: number) => "forbidden" | "forced" | null} mark
 * @property {{row: number, column: number | null}} chosen
 * @property {"cells" | "lines"} kind
 */

export const PICTURE_STYLE = `
.picture { height: 174px; overflow: auto; }
@container (min-width: 620px) { .picture { height: 350px; } }
.picture:focus-visible { outline-offset: -2px; }
.picture svg { width: auto; height: auto; }
.picture text { font-size: 13px; }
.picture .row { fill: var(--query); }
.picture .column { fill: var(--key); }
.picture .changed { font-weight: 700; text-decoration: underline; }
.picture .unknown { text-decoration: underline dashed; }
.picture .row, .picture .column { cursor: pointer; }
.picture .field { fill: var(--fill); }
.picture .weight { fill: var(--weight); pointer-events: none; }
.picture .hit { fill: transparent; cursor: pointer; }
.picture .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.picture .band { fill: var(--fill); }
.picture .mark { stroke: var(--ink); stroke-width: 2.5; fill: none; pointer-events: none; }
.picture .line { fill: none; stroke: var(--weight); }
.picture .line.faint { stroke-opacity: 0.25; }
`;

const STEP = 24; // row height in pixels, also the minimum touch target
const SPACE = 8;
const label = (/** @type {string} */ text, most = 12) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** @param {(row: number, column: number | null) => void} choose */
export function attentionPicture(choose) {
  // role=application: screen readers pass on the arrow keys.
  const about = { role: "application", "aria-roledescription": "attention" };
  const box = element("div", { class: "picture", tabindex: 0, ...about });
  /** @type {Scene} */
  let scene;
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
  box.addEventListener("click", take);
  box.addEventListener("pointerup", (event) => {
    if (JSON.stringify(placeOf(event)) === pressed) take(event); // no click event if a new word redrew the picture
  });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move || !scene.rows.length) return;
    event.preventDefault();
    const { row, column } = scene.chosen;
    const within = (/** @type {number} */ place, /** @type {number} */ count) =>
      Math.min(Math.max(place, 0), count - 1);
    const next = column === null ? (move[1] ? 0 : null) : within(column + move[1], scene.columns.length);
    choose(within(row + move[0], scene.rows.length), next);
    const [first, last = first] = box.querySelectorAll(".chosen, .band"); // in the lines view: the output word, then the source word
    (move[1] ? last : first).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  return {
    element: box,
    /** @param {Scene} now */
    draw(now) {
      scene = now;
      const drawing = now.kind === "cells" ? cells(now, box.clientWidth) : lines(now, box.clientWidth);
      set(box, { "aria-label": describeScene(now) });
      box.replaceChildren(drawing);
    },
  };
}

/** @type {(scene: Scene) => string} */
function describeScene({ columns, rows, weights }) {
  const looks = rows.map(({ piece }, i) => {
    const row = weights[i] ? Array.from(weights[i]) : [];
    const most = row.indexOf(Math.max(...row));
    return row.length ? `${piece} to ${columns[most]}, ${row[most].toFixed(2)}` : piece;
  });
  return `Largest attention weight of each word: ${looks.join("; ")}. Use the arrow keys to select an output word and a source word.`;
}

/** @type {(scene: Scene, width: number) => SVGSVGElement} */
function cells({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const [left, top] = [92, 66];
  const size = Math.min(46, Math.max(STEP, (width - left - 22) / Math.max(1, columns.length)));
  const [across, down] = [left + columns.length * size + 22, top + rows.length * STEP + 4];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  columns.forEach((word, j) => {
    const [x, y] = [left + (j + 0.5) * size, top - 6];
    const name = unknown[j] ? "column unknown" : "column";
    const text = label(word, 11);
    drawing.append(svg("text", { class: name, x, y, transform: `rotate(-50 ${x} ${y})`, "data-column": j, text }));
  });
  rows.forEach(({ piece }, i) => {
    const y = top + i * STEP;
    drawing.append(rowLabel(piece, changed[i], { x: left - SPACE, y: y + 16, row: i, anchor: "end" }));
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

/** @type {(piece: string, changed: boolean, at: {x: number, y: number, row: number, anchor: string}) => SVGTextElement} */
const rowLabel = (piece, changed, { x, y, row, anchor }) =>
  svg("text", {
    class: changed ? "row changed" : "row",
    x,
    y,
    "text-anchor": anchor,
    "data-row": row,
    text: label(piece),
  });

/** @type {(scene: Scene, width: number) => SVGSVGElement} */
function lines({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const across = Math.min(width - 16, 420);
  const down = Math.max(columns.length, rows.length) * STEP + 8;
  const [from, to] = [across * 0.34, across * 0.66];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  const band = (/** @type {number} */ x, /** @type {number} */ i) =>
    svg("rect", { class: "band", x, y: i * STEP + 2, width: across - to, height: STEP - 2, rx: 4 });
  if (chosen.row < rows.length) drawing.append(band(to, chosen.row));
  if (chosen.column !== null) drawing.append(band(0, chosen.column));
  rows.forEach((_, i) => {
    columns.forEach((_, j) => {
      const weight = weights[i]?.[j] ?? 0;
      if (weight < 0.04) return;
      const [y0, y1, middle] = [(j + 0.5) * STEP + 1, (i + 0.5) * STEP + 1, (from + to) / 2];
      const d = `M${from + SPACE} ${y0}C${middle} ${y0} ${middle} ${y1} ${to - SPACE} ${y1}`;
      drawing.append(
        svg("path", {
          class: i === chosen.row ? "line" : "line faint",
          d,
          "stroke-width": (1 + 4 * weight).toFixed(1),
        }),
      );
    });
  });
  columns.forEach((word, j) => {
    const name = `column${unknown[j] ? " unknown" : ""}`;
    drawing.append(
      svg("text", {
        class: name,
        x: from,
        y: j * STEP + 18,
        "text-anchor": "end",
        "data-column": j,
        text: label(word),
      }),
    );
    drawing.append(...marks(mark(chosen.row, j), from + SPACE - 12, j * STEP + 1, STEP));
  });
  rows.forEach(({ piece }, i) => {
    drawing.append(rowLabel(piece, changed[i], { x: to, y: i * STEP + 18, row: i, anchor: "start" }));
  });
  return drawing;
}
