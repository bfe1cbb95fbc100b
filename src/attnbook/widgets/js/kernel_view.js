// Interactive kernel regression: drag the query, the points and the width.
import { STYLE as CURVE, errorCurve, path, SIZE } from "./kernel/curve.js";
import { attentionWeights, errors, KERNELS, predict } from "./kernel/regression.js";
import { choice, LOGARITHM, slider } from "./shared/controls.js";
import { element, set, svg } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { dot } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./kernel/regression.js").Data} Data */
/** @typedef {import("./kernel/regression.js").Kernel} Kernel */

/** @type {[string, string][]} */
const KERNEL_NAMES = [
  ["gaussian", "Gaussian"],
  ["boxcar", "boxcar"],
  ["epanechnikov", "Epanechnikov"],
];
const LEAST_WIDTH = 0.02;
const WIDTH = 450;
const PLOT = { left: 28, right: 442, top: 8, bottom: 210 };
const BARS = { top: 222, bottom: 262 };
const STYLE = `
.kernel .figure { display: flex; flex-wrap: wrap; justify-content: center; gap: 4px 8px; }
.kernel .figure .plot { flex: 1 1 300px; touch-action: pan-y; cursor: ew-resize; }
.kernel .figure .errors { flex: 0 1 250px; min-width: 0; touch-action: pan-y; cursor: ew-resize; }
.kernel .controls { grid-template-columns: repeat(auto-fit, minmax(max(8rem, 30%), 1fr)); }
.kernel details { align-self: end; font-size: 13px; }
.kernel details[open] { grid-column: 1 / -1; }
.kernel summary { min-height: 28px; line-height: 28px; cursor: pointer; }
.kernel .axis { stroke: var(--ink); stroke-opacity: 0.45; }
.kernel .truth { fill: none; stroke: var(--ink); stroke-opacity: 0.6; stroke-dasharray: 5 4; stroke-width: 1.5; }
.kernel .fit { fill: none; stroke: var(--value); stroke-width: 2.5; pointer-events: none; }
.kernel .point { fill: var(--weight); stroke: var(--ink); stroke-opacity: 0.55; pointer-events: none; }
.kernel .chosen { stroke: var(--ink); stroke-opacity: 1; stroke-width: 2.5; }
.kernel .area { fill: transparent; cursor: grab; touch-action: none; }
.kernel .bar { stroke: var(--weight); stroke-width: 3; }
.kernel .query { stroke: var(--query); stroke-width: 2; pointer-events: none; }
.kernel .band { fill: var(--query); fill-opacity: 0.1; }
.kernel .grip { fill: var(--query); cursor: col-resize; touch-action: none; }
.kernel .mark { fill: var(--value); stroke: var(--ink); pointer-events: none; }
@keyframes grip { 50% { r: 15px; } }
@media (prefers-reduced-motion: no-preference) { .kernel .grip { animation: grip 1s 3; } }
${CURVE}`;

/** Scales of the plot, with a margin for dragging points. @param {Data} data */
function scales({ key, value, grid, truth }) {
  const [low, high] = [Math.min(...grid, ...key), Math.max(...grid, ...key)];
  const heights = [...value, ...truth];
  const margin = 0.1 * (Math.max(...heights) - Math.min(...heights));
  const [bottom, top] = [Math.min(...heights) - margin, Math.max(...heights) + margin];
  const [wide, deep] = [PLOT.right - PLOT.left, PLOT.bottom - PLOT.top];
  return {
    low,
    high,
    bottom,
    top,
    x: (/** @type {number} */ at) => PLOT.left + ((at - low) / (high - low || 1)) * wide,
    y: (/** @type {number} */ at) => PLOT.bottom - ((at - bottom) / (top - bottom || 1)) * deep,
    fromX: (/** @type {number} */ pixel) => clamp(low + ((pixel - PLOT.left) / wide) * (high - low), low, high),
    fromY: (/** @type {number} */ pixel) =>
      clamp(bottom + ((PLOT.bottom - pixel) / deep) * (top - bottom), bottom, top),
  };
}

/** @typedef {ReturnType<typeof scales>} Scales */

/** Draws the static parts: axes, tick labels and the true curve. @param {SVGSVGElement} picture @param {Data} data @param {Scales} scale */
function drawFrame(picture, data, scale) {
  const { low, high, bottom, top, x, y } = scale;
  const ticks = (/** @type {number} */ from, /** @type {number} */ to) =>
    range(Math.floor(to) - Math.ceil(from) + 1).map((i) => Math.ceil(from) + i);
  for (const at of [PLOT.bottom, BARS.bottom])
    picture.append(svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: at, y2: at }));
  picture.append(
    svg("path", { class: "truth", d: path(data.grid, data.truth, x, y) }),
    svg("text", { x: PLOT.left + 4, y: PLOT.top + 12, text: "value" }),
    svg("text", { x: PLOT.left + 4, y: BARS.top + 8, text: "weight" }),
    svg("text", { x: PLOT.right, y: PLOT.bottom - 8, "text-anchor": "end", text: "x" }),
    ...ticks(low, high).map((tick) => svg("text", { x: x(tick), y: 278, "text-anchor": "middle", text: tick })),
    ...ticks(bottom, top).map((tick) =>
      svg("text", { x: PLOT.left - 6, y: y(tick) + 4, "text-anchor": "end", text: tick }),
    ),
  );
}

/** Creates the moving parts. @param {SVGSVGElement} picture @param {number} count of measurements */
function parts(picture, count) {
  const each = (/** @type {() => SVGElement} */ make) => range(count).map(make);
  const made = {
    band: svg("rect", { class: "band", y: PLOT.top, height: PLOT.bottom - PLOT.top }),
    fit: svg("path", { class: "fit" }),
    queryLine: svg("line", { class: "query", y1: PLOT.top, y2: BARS.bottom }),
    points: each(() => svg("circle", { class: "point" })),
    areas: each(() => svg("circle", { class: "area", r: 11 })),
    bars: each(() => svg("line", { class: "bar", y1: BARS.bottom })),
    mark: svg("circle", { class: "mark", r: 6 }),
    grip: svg("circle", { class: "grip", r: 11, cy: PLOT.bottom }),
  };
  const { band, fit, queryLine, points, areas, bars, mark, grip } = made;
  picture.append(band, fit, queryLine, ...points, ...areas, ...bars, mark, grip);
  return made;
}

/**
 * @param {number} query @param {number} width @param {number[] | null} weights @param {number[]} values
 * @param {number | null} out the leave-one-out error
 */
function summary(query, width, weights, values, out) {
  const at = `At x = ${query.toFixed(2)} with h = ${width.toFixed(2)}`;
  const missed = `Leave-one-out error: ${out === null ? "undefined, as a point is alone" : out.toFixed(3)}.`;
  if (!weights) return `${at} no point is within the width, so there is no prediction. ${missed}`;
  const effective = 1 / sum(weights.map((share) => share * share));
  return (
    `${at} the prediction is ${dot(weights, values).toFixed(2)}, the largest weight ` +
    `${(100 * Math.max(...weights)).toFixed(0)} %, and the effective number of measurements ${effective.toFixed(1)}. ${missed}`
  );
}

/** Sample texts, to reserve space for the longest. @param {Data} data @param {number} widest */
function sampleSummaries({ key, value, grid }, widest) {
  const kernels = /** @type {Kernel[]} */ (Object.keys(KERNELS));
  return kernels.flatMap((kernel) =>
    [LEAST_WIDTH, 0.1 * widest, widest].flatMap((width) =>
      grid.flatMap((query) =>
        [null, 1].map((out) => summary(query, width, attentionWeights(key, query, width, kernel), value, out)),
      ),
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

/**
 * @param {ReturnType<typeof parts>} made @param {Scales} scale @param {Data} data @param {number[] | null} weights
 * @param {number} chosen index of the measurement moved by the sliders
 */
function drawPoints({ points, areas, bars }, { x, y }, { key, value }, weights, chosen) {
  const most = Math.max(...(weights ?? [1]));
  points.forEach((point, i) => {
    const share = (weights?.[i] ?? 0) / most;
    const seen = Math.sqrt(share);
    const place = { cx: x(key[i]).toFixed(1), cy: y(value[i]).toFixed(1) };
    const filled = (0.08 + 0.92 * seen).toFixed(3);
    set(point, {
      ...place,
      class: i === chosen ? "point chosen" : "point",
      r: (2.5 + 5.5 * seen).toFixed(2),
      "fill-opacity": filled,
    });
    set(areas[i], place);
    set(bars[i], {
      x1: place.cx,
      x2: place.cx,
      y2: (BARS.bottom - share * (BARS.bottom - BARS.top)).toFixed(1),
    });
  });
}

/** Builds the controls; returns a function that updates them. @param {WidgetCard} view @param {Scales} scale @param {number} count */
function controls(view, { low, high, bottom, top }, count) {
  const says = (/** @type {number} */ value) => value.toFixed(2);
  const replaced = (/** @type {"key" | "value"} */ name, /** @type {number} */ number) =>
    view.change({ [name]: view.model.get(name).with(view.model.get("point"), number) });
  const query = slider("Query x", { min: low, max: high, step: 0.01, says }, (query) => view.change({ query }));
  const widths = { min: Math.log(LEAST_WIDTH), max: Math.log(high - low), step: 0.01, scale: LOGARITHM, says };
  const width = slider("Width h", widths, (width) => view.change({ width }));
  const kernel = choice("Kernel", KERNEL_NAMES, (kernel) => view.change({ kernel }));
  const number = { min: 0, max: count - 1, says: (/** @type {number} */ i) => String(i + 1) };
  const point = slider("Measurement no.", number, (point) => view.change({ point }));
  const itsX = slider("its x", { min: low, max: high, step: 0.01, says }, (number) => replaced("key", number));
  const itsY = slider("its y", { min: bottom, max: top, step: 0.01, says }, (number) => replaced("value", number));
  const moved = element("div", { class: "controls" }, ...[point, itsX, itsY].map((control) => control.element));
  const details = element("details", {}, element("summary", { text: "Move a point" }), moved);
  view.controls.append(...[query, width, kernel].map((control) => control.element), details);
  return (/** @type {Record<string, any>} */ now) => {
    query.show(now.query);
    width.show(now.width);
    kernel.show(now.kernel);
    point.show(now.point);
    itsX.show(now.key[now.point]);
    itsY.show(now.value[now.point]);
  };
}

/** @param {WidgetCard} view @param {SVGSVGElement} picture @param {ReturnType<typeof parts>} made @param {Scales} scale */
function listen(view, picture, made, scale) {
  drag(picture, ({ target }) => {
    const point = made.areas.indexOf(/** @type {SVGElement} */ (target));
    if (point >= 0)
      return ({ x, y }) =>
        view.change({
          point,
          key: view.model.get("key").with(point, scale.fromX(x)),
          value: view.model.get("value").with(point, scale.fromY(y)),
        });
    if (target === made.grip)
      return ({ x }) => {
        const width = Math.abs(scale.fromX(x) - view.model.get("query"));
        view.change({ width: clamp(width, LEAST_WIDTH, scale.high - scale.low) });
      };
    return ({ x }) => view.change({ query: scale.fromX(x) });
  });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const names = /** @type {const} */ (["key", "value", "query", "width", "kernel", "point"]);
  const { model } = place;
  const [grid, truth] = [model.get("grid"), model.get("truth")];
  const first = /** @type {Data} */ ({ key: model.get("key"), value: model.get("value"), grid, truth });
  const scale = scales(first);
  const widest = scale.high - scale.low;
  const view = new WidgetCard(place, {
    name: "kernel",
    title: "Kernel regression",
    tip: "drag a dot or the round handle. When does the line pass through all dots?",
    style: STYLE,
    names,
  });
  const picture = set(view.picture(WIDTH, 282, { wide: WIDTH }), { class: "plot" });
  drawFrame(picture, first, scale);
  const made = parts(picture, first.key.length);
  const label = "Three mean squared errors by kernel width.";
  const side = set(view.picture(SIZE.width, SIZE.height, { label, wide: SIZE.width }), { class: "errors" });
  const curve = errorCurve(side, LEAST_WIDTH, widest);
  drag(
    side,
    () =>
      ({ x }) =>
        view.change({ width: curve.widthAt(x) }),
  );
  const show = controls(view, scale, first.key.length);
  listen(view, picture, made, scale);

  let drawn = ""; // the curves only depend on the data and the kernel
  view.reserve(sampleSummaries(first, widest));
  return view.start(() => {
    const now = Object.fromEntries(names.map((name) => [name, model.get(name)]));
    const { query, width, kernel } = now;
    const data = /** @type {Data} */ ({ key: now.key, value: now.value, grid, truth });
    const weights = attentionWeights(data.key, query, width, kernel);
    const heights = grid.map((/** @type {number} */ at) => predict(data, at, width, kernel));
    set(made.fit, { d: path(grid, heights, scale.x, scale.y) || null });
    drawPoints(made, scale, data, weights, now.point);
    drawQuery(made, scale, query, width);
    set(made.mark, {
      cy: scale.y(weights ? dot(weights, data.value) : 0),
      visibility: weights ? "visible" : "hidden",
    });
    const { out } = errors(data, width, kernel);
    const wanted = JSON.stringify([now.key, now.value, kernel]);
    if (drawn !== wanted) curve.draw(data, kernel);
    drawn = wanted;
    curve.show(width, out);
    show(now);
    view.say(summary(query, width, weights, data.value, out));
  });
}

export default { render };
