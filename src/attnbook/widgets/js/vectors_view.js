// Two draggable vectors, and contour lines of the score between the query and a key at each point.

import { choice, slider } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { dot } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";
import { contour, levels } from "./vectors/contours.js";

const REACH = 2.5;
const SIZE = 400;
const CELLS = 50; // grid resolution of the contour lines
const LINES = 5; // on each side of zero, at most
/** @type {[string, string][]} */
const SCORES = [
  ["dot", "dot"],
  ["scaled", "scaled dot"],
  ["general", "general"],
  ["additive", "additive"],
];
const NAMES = /** @type {const} */ (["query", "key", "score"]);
const STYLE = `
.vectors .figure { max-width: 385px; margin: 0 auto; }
.vectors svg { touch-action: pan-y; cursor: grab; }
.vectors .contour { fill: none; stroke-width: 1.5; }
.vectors .high { stroke: var(--weight); }
.vectors .low { stroke: var(--muted); stroke-dasharray: 4 3; }
.vectors .zero { stroke: var(--ink); }
.vectors text.height { font-weight: 400; text-anchor: middle; }
.vectors .warped { stroke: var(--key); stroke-opacity: 0.7; }
.vectors .axis { stroke: var(--ink); stroke-opacity: 0.4; }
.vectors .arrow { stroke-width: 3; pointer-events: none; }
.vectors .moved { stroke-dasharray: 5 4; }
.vectors .line-query { stroke: var(--query); }
.vectors .line-key { stroke: var(--key); }
.vectors circle { stroke: var(--paper); stroke-width: 1.5; }
.vectors .reach { fill: transparent; stroke: none; touch-action: none; } /* touches elsewhere scroll the page */
.vectors .tip-query { fill: var(--query); }
.vectors .tip-key { fill: var(--key); }
.vectors text { pointer-events: none; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; font-weight: 600; }
`;

/** @typedef {{ W: number[][], W_q: number[][], W_k: number[][], w_v: number[] }} Parameters */
/** @typedef {{ query: number[], key: number[], score: string }} Now */

/** @param {number[][]} matrix @param {number[]} vector */
const multiply = (matrix, vector) => matrix.map((row) => dot(row, vector));

/** @param {string} kind @param {number[]} query @param {number[]} key @param {Parameters} parameters */
export function scoreOf(kind, query, key, { W, W_q, W_k, w_v }) {
  if (kind === "general") return dot(query, multiply(W, key));
  if (kind === "additive") {
    const [q, k] = [multiply(W_q, query), multiply(W_k, key)];
    return dot(
      w_v,
      q.map((number, i) => Math.tanh(number + k[i])),
    );
  }
  return dot(query, key) / (kind === "scaled" ? Math.SQRT2 : 1);
}

const x = (/** @type {number} */ at) => SIZE * (0.5 + at / (2 * REACH));
const y = (/** @type {number} */ at) => SIZE * (0.5 - at / (2 * REACH));
const back = (/** @type {number} */ pixel) => clamp((pixel / SIZE - 0.5) * 2 * REACH, -REACH, REACH);

/** Grid lines of the plane mapped by a matrix. @param {number[][]} W */
function warped(W) {
  const ends = range(5).flatMap((i) => {
    const at = i - 2;
    return [
      [
        [at, -2],
        [at, 2],
      ],
      [
        [-2, at],
        [2, at],
      ],
    ];
  });
  return ends
    .map((line) => line.map((end) => multiply(W, end)))
    .map(([[a, b], [c, d]]) => `M${x(a).toFixed(1)} ${y(b).toFixed(1)}L${x(c).toFixed(1)} ${y(d).toFixed(1)}`)
    .join("");
}

/** Describes the score. @param {Now} now @param {Parameters} parameters */
function summary({ query, key, score }, parameters) {
  const found = scoreOf(score, query, key, parameters);
  const lengths = [Math.hypot(...query), Math.hypot(...key)];
  const flat = lengths[0] * lengths[1];
  const angle = flat > 0 ? (180 / Math.PI) * Math.acos(clamp(dot(query, key) / flat, -1, 1)) : 0;
  const head = `The score is ${found.toFixed(2)}. `;
  const both = lengths.map((length) => length.toFixed(2)).join(" × ");
  if (score === "general") {
    const [a, b] = multiply(parameters.W, key).map((number) => number.toFixed(2));
    return `${head}W maps the key to (${a}, ${b}), the dashed arrow; the score is its dot product with the query.`;
  }
  if (score === "additive") {
    const most = sum(parameters.w_v.map(Math.abs)).toFixed(0);
    return `${head}It stays between -${most} and ${most}, however long the vectors are.`;
  }
  const divided = score === "scaled" ? ", divided by √2" : "";
  return `${head}Lengths times cosine: ${both} × cos ${angle.toFixed(0)}°${divided}.`;
}

/** @param {SVGSVGElement} picture */
function parts(picture) {
  const made = {
    contours: svg("g"),
    warped: svg("path", { class: "warped" }),
    moved: svg("line", { class: "arrow moved line-key", x1: x(0), y1: y(0) }),
    arrows: ["query", "key"].map((name) => svg("line", { class: `arrow line-${name}`, x1: x(0), y1: y(0) })),
    tips: ["query", "key"].map((name) => svg("circle", { class: `tip-${name}`, r: 11 })),
    reaches: ["query", "key"].map(() => svg("circle", { class: "reach", r: 30 })),
    names: ["query", "key"].map((text) => svg("text", { text })),
  };
  picture.append(
    svg("line", { class: "axis", x1: 0, x2: SIZE, y1: y(0), y2: y(0) }),
    svg("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: SIZE }),
    made.contours,
    made.warped,
    made.moved,
    ...made.arrows,
    ...made.tips,
    ...made.reaches,
    ...made.names,
  );
  return made;
}

/**
 * One contour line, labeled where it comes closest to the line of the query.
 *
 * @param {import("./vectors/contours.js").Piece[]} pieces @param {number} level @param {number[]} query
 */
function line(pieces, level, query) {
  const place = (/** @type {number} */ cell) => (cell / CELLS) * SIZE;
  const way = pieces.map(
    (piece) => `M${piece.map((point) => point.map((at) => place(at).toFixed(1)).join(" ")).join("L")}`,
  );
  const aside = ([[column, row]] = pieces[0]) =>
    Math.abs((column - CELLS / 2) * query[1] + (row - CELLS / 2) * query[0]) +
    2 * Number(edge(column) || edge(row)) * CELLS;
  const [[column, row]] = pieces.reduce((best, piece) => (aside(piece) < aside(best) ? piece : best));
  const side = level > 0 ? "high" : level < 0 ? "low" : "zero";
  const inside = (/** @type {number} */ cell) => Math.min(Math.max(place(cell), 14), SIZE - 14); // not cut at the edge
  return [
    svg("path", { class: `contour ${side}`, d: way.join(""), "data-level": level }),
    svg("text", { class: "height", x: inside(column), y: inside(row) + 4, text: String(level) }),
  ];
}

/** Whether a point is too close to the edge for a label. @param {number} cell */
const edge = (cell) => cell < 0.05 * CELLS || cell > 0.95 * CELLS;

/** Draws the contour lines. @param {SVGElement} contours @param {Now} now @param {Parameters} parameters */
function survey(contours, { query, score }, parameters) {
  const at = (/** @type {number} */ cell) => (cell / CELLS - 0.5) * 2 * REACH;
  const corners = range(CELLS + 1);
  const heights = corners.map((row) =>
    corners.map((column) => scoreOf(score, query, [at(column), -at(row)], parameters)),
  );
  const found = levels(heights, LINES).map((level) => ({ level, pieces: contour(heights, level) }));
  const lines = found.filter(({ pieces }) => pieces.length).map(({ level, pieces }) => line(pieces, level, query));
  contours.replaceChildren(...lines.map(([path]) => path), ...lines.map(([, height]) => height));
}

/** @param {ReturnType<typeof parts>} made @param {Now} now @param {Parameters} parameters */
function draw(made, now, parameters) {
  survey(made.contours, now, parameters);
  [now.query, now.key].forEach(([a, b], i) => {
    set(made.arrows[i], { x2: x(a), y2: y(b) });
    for (const circle of [made.tips[i], made.reaches[i]]) set(circle, { cx: x(a), cy: y(b) });
    const right = a > 1.6;
    set(made.names[i], { x: x(a) + (right ? -16 : 16), y: y(b) + 4, "text-anchor": right ? "end" : "start" });
  });
  const general = now.score === "general";
  const [a, b] = multiply(parameters.W, now.key);
  set(made.warped, { d: general ? warped(parameters.W) : null });
  set(made.moved, { x2: x(a), y2: y(b), visibility: general ? "visible" : "hidden" });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const parameters = model.get("parameters");
  const view = new WidgetCard(place, {
    name: "vectors",
    title: "A query, a key, a score",
    tip: "make the query twice as long. Then choose the additive score. Where is the best key now, and where with the dot product?",
    style: STYLE,
    names: NAMES,
  });
  const picture = view.picture(SIZE, SIZE, { wide: SIZE });
  const made = parts(picture);
  const score = choice("Score", SCORES, (score) => view.change({ score }));
  const says = (/** @type {number} */ number) => number.toFixed(2);
  const sliders = ["query", "key"].flatMap((name) =>
    [0, 1].map((axis) => ({
      name,
      axis,
      ...slider(`${name} ${"xy"[axis]}`, { min: -REACH, max: REACH, step: 0.05, says }, (number) =>
        view.change({ [name]: model.get(name).with(axis, number) }),
      ),
    })),
  );
  view.controls.append(score.element, ...sliders.map((control) => control.element));
  drag(picture, (pressed) => {
    const far = ["query", "key"].map((name) =>
      Math.hypot(x(model.get(name)[0]) - pressed.x, y(model.get(name)[1]) - pressed.y),
    );
    const name = far[0] < far[1] ? "query" : "key";
    return (moved) => view.change({ [name]: [back(moved.x), -back(moved.y)] });
  });

  view.reserve([
    summary({ query: [-1, -1], key: [2.5, -2.5], score: "general" }, parameters),
    summary({ query: [-2, -1], key: [2.5, 2.5], score: "scaled" }, parameters),
  ]);
  return view.start(() => {
    const now = /** @type {Now} */ (Object.fromEntries(NAMES.map((name) => [name, model.get(name)])));
    draw(made, now, parameters);
    score.show(now.score);
    for (const { name, axis, show } of sliders) show(model.get(name)[axis]);
    view.say(summary(now, parameters));
  });
}

export default { render };
