// Two draggable vectors, and contour lines of the score between the query and a key at each point.

import { choice, slider } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { dot } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";
import { contour, joined, levels } from "./vectors/contours.js";

const REACH = 2.5;
const SIZE = 400;
const CELLS = 100; // grid resolution of the contour lines
const LINES = 5; // on each side of zero, at most
const ASIDE = 1.3; // distance between the query's line and the labels of the contour lines
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
.vectors .shadow { stroke: var(--value); stroke-width: 9; stroke-opacity: 0.4; stroke-linecap: butt; pointer-events: none; }
.vectors .fall { stroke: var(--value); stroke-width: 1.5; stroke-dasharray: 3 3; pointer-events: none; }
.vectors .found { fill: var(--value); }
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

/** A number with two digits, and without the sign of a zero. @param {number} number */
const told = (number) => number.toFixed(2).replace(/^-(?=0\.00$)/, "");

/** Describes the score. @param {Now} now @param {Parameters} parameters */
function summary({ query, key, score }, parameters) {
  const found = scoreOf(score, query, key, parameters);
  const lengths = [Math.hypot(...query), Math.hypot(...key)];
  const flat = lengths[0] * lengths[1];
  const head = `The score is ${told(found)}. `;
  if (score === "general") {
    const [a, b] = multiply(parameters.W, key).map(told);
    return `${head}W maps the key to (${a}, ${b}), the dashed arrow; the score is its dot product with the query.`;
  }
  if (score === "additive") {
    const most = sum(parameters.w_v.map(Math.abs)).toFixed(0);
    return `${head}It stays between -${most} and ${most}, however long the vectors are.`;
  }
  if (!flat) return `${head}A vector of length 0 has no direction, so there is no angle.`;
  const cosine = clamp(dot(query, key) / flat, -1, 1);
  const angle = ((180 / Math.PI) * Math.acos(cosine)).toFixed(0);
  const divided = score === "scaled" ? ", divided by √2" : "";
  const shadow = told(lengths[1] * cosine);
  const against = shadow.startsWith("-") ? ", against the query's direction" : "";
  return `${head}Lengths times cosine: ${lengths.map(told).join(" × ")} × cos ${angle}°${divided}. The key's shadow on the query has the length ${shadow.replace("-", "")}${against}.`;
}

/** @param {SVGSVGElement} picture */
function parts(picture) {
  const made = {
    contours: svg("g"),
    warped: svg("path", { class: "warped" }),
    moved: svg("line", { class: "arrow moved line-key", x1: x(0), y1: y(0) }),
    shadow: svg("line", { class: "shadow", x1: x(0), y1: y(0) }),
    fall: svg("line", { class: "fall" }),
    found: svg("text", { class: "found", "text-anchor": "middle" }),
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
    made.shadow,
    made.fall,
    made.moved,
    ...made.arrows,
    ...made.tips,
    ...made.reaches,
    made.found,
    ...made.names,
  );
  return made;
}

/** The foot of a vector on the line of the query: its shadow ends there. @param {number[]} vector @param {number[]} query */
export function foot(vector, query) {
  const square = dot(query, query);
  return square > 0 ? query.map((number) => (number * dot(vector, query)) / square) : [0, 0];
}

/**
 * How unsuitable a place is for a contour line's label: far from a line parallel to the query, on the side without the
 * key, near the edge, or near an arrow's tip and name.
 *
 * @param {number[]} place @param {Now} now
 */
export function unsuitable([a, b], { query, key }) {
  const length = Math.hypot(...query) || 1;
  const side = query[0] * key[1] - query[1] * key[0] > 0 ? -ASIDE : ASIDE;
  const aside = Math.abs((query[0] * b - query[1] * a) / length - side);
  const outside = Math.max(Math.abs(a), Math.abs(b)) > 0.93 * REACH ? 3 * REACH : 0;
  const hidden = [query, key].some(([c, d]) => Math.abs(b - d) < 0.3 && a > c - 0.3 && a < c + 0.8);
  return aside + outside + (hidden ? REACH : 0);
}

/**
 * One contour line with its label.
 *
 * @param {import("./vectors/contours.js").Piece[]} pieces @param {number} level @param {Now} now
 */
function line(pieces, level, now) {
  const place = (/** @type {number} */ cell) => (cell / CELLS) * SIZE;
  const way = joined(pieces).map(
    (points) => `M${points.map((point) => point.map((at) => place(at).toFixed(1)).join(" ")).join("L")}`,
  );
  const cost = ([[column, row]] = pieces[0]) => unsuitable([back(place(column)), -back(place(row))], now);
  const costs = pieces.map(cost);
  const [[column, row]] = pieces[costs.indexOf(Math.min(...costs))];
  const side = level > 0 ? "high" : level < 0 ? "low" : "zero";
  const inside = (/** @type {number} */ cell) => clamp(place(cell), 14, SIZE - 14); // not cut at the edge
  return [
    svg("path", { class: `contour ${side}`, d: way.join(""), "data-level": level }),
    svg("text", { class: "height", x: inside(column), y: inside(row) + 4, text: String(level) }),
  ];
}

/** Draws the contour lines. @param {SVGElement} contours @param {Now} now @param {Parameters} parameters */
function survey(contours, now, parameters) {
  const { query, score } = now;
  const at = (/** @type {number} */ cell) => (cell / CELLS - 0.5) * 2 * REACH;
  const corners = range(CELLS + 1);
  const heights = corners.map((row) =>
    corners.map((column) => scoreOf(score, query, [at(column), -at(row)], parameters)),
  );
  const found = levels(heights, LINES).map((level) => ({ level, pieces: contour(heights, level) }));
  const lines = found.filter(({ pieces }) => pieces.length).map(({ level, pieces }) => line(pieces, level, now));
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
  const visibility = now.score === "additive" ? "hidden" : "visible"; // that score has no shadow
  const from = general ? [a, b] : now.key;
  const [c, d] = foot(from, now.query);
  set(made.shadow, { x2: x(c), y2: y(d), visibility });
  set(made.fall, { x1: x(from[0]), y1: y(from[1]), x2: x(c), y2: y(d), visibility });
  const below = from[1] > d ? 20 : -12; // away from the falling line
  const text = told(scoreOf(now.score, now.query, now.key, parameters));
  set(made.found, { x: clamp(x(c), 22, SIZE - 22), y: clamp(y(d) + below, 16, SIZE - 8), text, visibility });
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
  const sliders = ["query", "key"].flatMap((name) =>
    [0, 1].map((axis) => ({
      name,
      axis,
      ...slider(`${name} ${"xy"[axis]}`, { min: -REACH, max: REACH, step: 0.05, says: told }, (number) =>
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
    summary({ query: [-2, -1], key: [2.5, 2.5], score: "scaled" }, parameters), // an obtuse angle has the longest text
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
