// Kernel regression to touch: drag the query and the width, see the weights and the prediction follow.
import { Card } from "./shared/card.js";
import { choice, LOGARITHM, slider } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { clamp, dot, range, sum } from "./shared/numbers.js";

/** @typedef {"gaussian" | "boxcar" | "epanechnikov"} Kernel */

/** @type {Record<Kernel, (u: number) => number>} */
const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (Math.abs(u) <= 1 ? 1 : 0),
  epanechnikov: (u) => Math.max(0, 1 - u * u),
};
/** @type {[string, string][]} */
const KERNEL_NAMES = [
  ["gaussian", "Gaussian"],
  ["boxcar", "boxcar"],
  ["epanechnikov", "Epanechnikov"],
];
const LEAST_WIDTH = 0.02;
const WIDTH = 640;
const PLOT = { left: 40, right: 628, top: 12, bottom: 250 };
const BARS = { top: 268, bottom: 330 };
const STYLE = `
.kernel svg { touch-action: pan-y; cursor: ew-resize; }
.kernel .axis { stroke: var(--ink); stroke-opacity: 0.45; }
.kernel .truth { fill: none; stroke: var(--ink); stroke-opacity: 0.6; stroke-dasharray: 5 4; stroke-width: 1.5; }
.kernel .fit { fill: none; stroke: var(--value); stroke-width: 2.5; }
.kernel .point { fill: var(--weight); stroke: var(--ink); stroke-opacity: 0.55; pointer-events: none; }
.kernel .bar { stroke: var(--weight); stroke-width: 3; }
.kernel .query { stroke: var(--query); stroke-width: 2; }
.kernel .band { fill: var(--query); fill-opacity: 0.1; }
.kernel .grip { fill: var(--query); cursor: col-resize; }
.kernel .mark { fill: var(--value); stroke: var(--ink); pointer-events: none; }
`;

/**
 * The weight of every key, or null where no key lies within the kernel's width.
 *
 * @param {number[]} keys @param {number} query @param {number} width @param {Kernel} kernel
 */
export function attentionWeights(keys, query, width, kernel) {
  const distances = keys.map((key) => (key - query) / width);
  // The Gaussian's nearest key is subtracted in the exponent, as softmax does, so that no sum vanishes.
  const nearest = kernel === "gaussian" ? Math.min(...distances.map((u) => u * u)) : 0;
  const similar = distances.map((u) => (kernel === "gaussian" ? Math.exp((nearest - u * u) / 2) : KERNELS[kernel](u)));
  const total = sum(similar);
  return total > 0 ? similar.map((value) => value / total) : null;
}

/** @typedef {{ key: number[], value: number[], grid: number[], truth: number[] }} Data */

/** Where the data lie in the picture. @param {Data} data */
function scales({ key, value, grid, truth }) {
  const [low, high] = [Math.min(...grid, ...key), Math.max(...grid, ...key)];
  const heights = [...value, ...truth];
  const margin = 0.04 * (Math.max(...heights) - Math.min(...heights));
  const [bottom, top] = [Math.min(...heights) - margin, Math.max(...heights) + margin];
  const wide = PLOT.right - PLOT.left;
  return {
    low,
    high,
    bottom,
    top,
    x: (/** @type {number} */ at) => PLOT.left + ((at - low) / (high - low || 1)) * wide,
    y: (/** @type {number} */ at) => PLOT.bottom - ((at - bottom) / (top - bottom || 1)) * (PLOT.bottom - PLOT.top),
    fromX: (/** @type {number} */ pixel) => low + ((pixel - PLOT.left) / wide) * (high - low),
  };
}

/** @typedef {ReturnType<typeof scales>} Scales */

/**
 * A curve over the grid; broken where there is no value.
 *
 * @param {number[]} grid @param {(number | null)[]} heights @param {Scales} scale
 */
function path(grid, heights, { x, y }) {
  let pen = "M";
  const parts = [];
  for (const [i, height] of heights.entries()) {
    if (height !== null) parts.push(`${pen}${x(grid[i]).toFixed(1)} ${y(height).toFixed(1)}`);
    pen = height === null ? "M" : "L";
  }
  return parts.join("");
}

/** What stays as it is: axes, their numbers, the truth. @param {SVGSVGElement} picture @param {Data} data @param {Scales} scale */
function drawFrame(picture, data, scale) {
  const { low, high, bottom, top, x, y } = scale;
  const ticks = (/** @type {number} */ from, /** @type {number} */ to) =>
    range(Math.floor(to) - Math.ceil(from) + 1).map((i) => Math.ceil(from) + i);
  for (const at of [PLOT.bottom, BARS.bottom])
    picture.append(svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: at, y2: at }));
  picture.append(
    svg("path", { class: "truth", d: path(data.grid, data.truth, scale) }),
    svg("text", { x: PLOT.left + 4, y: PLOT.top + 10, text: "value" }),
    svg("text", { x: PLOT.left + 4, y: BARS.top + 6, text: "weight" }),
    svg("text", { x: PLOT.right, y: PLOT.bottom - 8, "text-anchor": "end", text: "x" }),
    ...ticks(low, high).map((tick) => svg("text", { x: x(tick), y: 344, "text-anchor": "middle", text: tick })),
    ...ticks(bottom, top).map((tick) =>
      svg("text", { x: PLOT.left - 8, y: y(tick) + 4, "text-anchor": "end", text: tick }),
    ),
  );
}

/** What follows the query, the width and the kernel. @param {SVGSVGElement} picture @param {Data} data @param {Scales} scale */
function parts(picture, { key, value }, { x, y }) {
  const made = {
    band: svg("rect", { class: "band", y: PLOT.top, height: PLOT.bottom - PLOT.top }),
    fit: svg("path", { class: "fit" }),
    queryLine: svg("line", { class: "query", y1: PLOT.top, y2: BARS.bottom }),
    points: value.map((height, i) => svg("circle", { class: "point", cx: x(key[i]), cy: y(height) })),
    bars: key.map((at) => svg("line", { class: "bar", x1: x(at), x2: x(at), y1: BARS.bottom })),
    mark: svg("circle", { class: "mark", r: 6 }),
    grip: svg("circle", { class: "grip", r: 9, cy: PLOT.bottom }),
  };
  picture.append(made.band, made.fit, made.queryLine, ...made.points, ...made.bars, made.mark, made.grip);
  return made;
}

/** @param {number} query @param {number} width @param {number[] | null} weights @param {number[]} values */
function sentence(query, width, weights, values) {
  const at = `At x = ${query.toFixed(2)} with width ${width.toFixed(2)}`;
  if (!weights) return `${at} no measurement lies within the width: there is nothing to average.`;
  const effective = 1 / sum(weights.map((share) => share * share));
  return (
    `${at} the prediction is ${dot(weights, values).toFixed(2)}. The measurement with the largest weight has ` +
    `${(100 * Math.max(...weights)).toFixed(0)} % of it; the weights are spread as over ${effective.toFixed(1)} equal ones.`
  );
}

/** Some of all that can be said, to know how long it becomes. @param {Data} data @param {number} widest */
function sentences({ key, value, grid }, widest) {
  const kernels = /** @type {Kernel[]} */ (Object.keys(KERNELS));
  return kernels.flatMap((kernel) =>
    [LEAST_WIDTH, 0.1 * widest, widest].flatMap((width) =>
      grid.map((query) => sentence(query, width, attentionWeights(key, query, width, kernel), value)),
    ),
  );
}

/** @param {ReturnType<typeof parts>} made @param {Scales} scale @param {number} query @param {number} width */
function drawQuery({ band, queryLine, grip, mark }, { x, high }, query, width) {
  const [from, to] = [query - width, query + width].map((edge) => clamp(x(edge), PLOT.left, PLOT.right));
  set(queryLine, { x1: x(query), x2: x(query) });
  set(band, { x: from, width: to - from });
  set(grip, { cx: query + width <= high ? to : from });
  set(mark, { cx: x(query) });
}

/** @param {ReturnType<typeof parts>} made @param {number[] | null} weights */
function drawWeights({ points, bars }, weights) {
  const most = Math.max(...(weights ?? [1]));
  points.forEach((point, i) => {
    const share = (weights?.[i] ?? 0) / most;
    const seen = Math.sqrt(share);
    set(point, { r: (2.5 + 5.5 * seen).toFixed(2), "fill-opacity": (0.08 + 0.92 * seen).toFixed(3) });
    set(bars[i], { y2: (BARS.bottom - share * (BARS.bottom - BARS.top)).toFixed(1) });
  });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const data = /** @type {Data} */ ({
    key: model.get("key"),
    value: model.get("value"),
    grid: model.get("grid"),
    truth: model.get("truth"),
  });
  const scale = scales(data);
  const { low, high } = scale;
  const view = new Card(place, {
    name: "kernel",
    title: "Kernel regression",
    tip: "drag the query through the picture, and the round grip to change the width. When does the curve follow every point?",
    style: STYLE,
    names: ["query", "width", "kernel"],
  });
  const picture = view.picture(WIDTH, 346);
  drawFrame(picture, data, scale);
  const made = parts(picture, data, scale);
  const says = (/** @type {number} */ value) => value.toFixed(2);
  const queryInput = slider("Query x", { min: low, max: high, step: 0.01, says }, (query) => view.change({ query }));
  const widths = { min: Math.log(LEAST_WIDTH), max: Math.log(high - low), step: 0.01, scale: LOGARITHM, says };
  const widthInput = slider("Width h", widths, (width) => view.change({ width }));
  const kernelInput = choice("Kernel", KERNEL_NAMES, (kernel) => view.change({ kernel }));
  view.controls.append(queryInput.element, widthInput.element, kernelInput.element);
  drag(picture, ({ target }) =>
    target === made.grip
      ? ({ x }) => view.change({ width: clamp(Math.abs(scale.fromX(x) - model.get("query")), LEAST_WIDTH, high - low) })
      : ({ x }) => view.change({ query: clamp(scale.fromX(x), low, high) }),
  );

  view.reserve(sentences(data, high - low));
  return view.start(() => {
    const [query, width, kernel] = ["query", "width", "kernel"].map((name) => model.get(name));
    const predict = (/** @type {number[] | null} */ weights) => weights && dot(weights, data.value);
    const weights = attentionWeights(data.key, query, width, kernel);
    const curve = data.grid.map((at) => predict(attentionWeights(data.key, at, width, kernel)));
    set(made.fit, { d: path(data.grid, curve, scale) });
    drawWeights(made, weights);
    drawQuery(made, scale, query, width);
    set(made.mark, { cy: scale.y(predict(weights) ?? 0), visibility: weights ? "visible" : "hidden" });
    queryInput.show(query);
    widthInput.show(width);
    kernelInput.show(kernel);
    view.say(sentence(query, width, weights, data.value));
  });
}

export default { render };
