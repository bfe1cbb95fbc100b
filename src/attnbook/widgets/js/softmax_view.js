// Weights of one query by vector size and temperature, with their entropy and derivative.

import { button, checkbox, listed, POWERS, slider } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { softmax } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const BARS = { left: 44, right: 628, top: 34, bottom: 140 };
const PLOT = { left: 44, right: 628, top: 184, bottom: 312 };
const [COLD, HOT, POINTS] = [Math.log(0.05), Math.log(20), 121];
const GRID = range(POINTS).map((i) => COLD + (i / (POINTS - 1)) * (HOT - COLD));
const CURVES = /** @type {const} */ (["entropy", "derivative"]);
const STYLE = `
.softmax .axis { stroke: var(--ink); stroke-opacity: 0.5; }
.softmax .bar { fill: var(--weight); }
.softmax .entropy { fill: none; stroke: var(--value); stroke-width: 2.5; }
.softmax .derivative { fill: none; stroke: var(--query); stroke-width: 2.5; stroke-dasharray: 7 4; }
.softmax .here { stroke: var(--ink); stroke-width: 1.5; }
.softmax .name-entropy { fill: var(--value); }
.softmax .name-derivative { fill: var(--query); }
.softmax .dot-entropy { fill: var(--value); }
.softmax .dot-derivative { fill: var(--query); }
`;

/**
 * Entropy in nats, and the Frobenius norm of diag(w) - w w^T. The diagonal is w (1 - w), where 1 - w is computed as
 * the sum of the other weights to avoid cancellation.
 *
 * @param {number[]} weights
 */
export function measures(weights) {
  const rest = weights.map((_, i) => sum(weights.filter((_, k) => k !== i)));
  const derivative = weights.flatMap((a, i) => weights.map((b, j) => a * (i === j ? rest[i] : b)));
  return {
    entropy: -sum(weights.map((w) => (w > 0 ? w * Math.log(w) : 0))),
    derivative: Math.hypot(...derivative),
  };
}

const x = (/** @type {number} */ logarithm) =>
  PLOT.left + ((logarithm - COLD) / (HOT - COLD)) * (PLOT.right - PLOT.left);
const y = (/** @type {number} */ share) => PLOT.bottom - share * (PLOT.bottom - PLOT.top);

/** Draws axes and labels and creates the moving parts. @param {SVGSVGElement} picture @param {number} count of keys */
function parts(picture, count) {
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "middle") =>
    svg("text", { x, y, "text-anchor": anchor, text: words });
  // Under the axis, even where the letters are larger than usual because the picture is small.
  const below = (/** @type {number} */ x, /** @type {string} */ words) =>
    set(text(x, PLOT.bottom + 5, words), { dy: "1em" });
  for (const box of [BARS, PLOT])
    picture.append(
      svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
      text(box.left - 6, box.top + 8, "1", "end"),
      text(box.left - 6, box.bottom, "0", "end"),
    );
  const step = (BARS.right - BARS.left) / count;
  const made = {
    bars: range(count).map((i) => svg("rect", { class: "bar", x: BARS.left + (i + 0.2) * step, width: 0.6 * step })),
    lines: { entropy: svg("path", { class: "entropy" }), derivative: svg("path", { class: "derivative" }) },
    here: svg("line", { class: "here", y1: PLOT.top, y2: PLOT.bottom }),
    dots: {
      entropy: svg("circle", { class: "dot-entropy", r: 6 }),
      derivative: svg("circle", { class: "dot-derivative", r: 6 }),
    },
  };
  picture.append(
    text(BARS.left, 22, "weights of the keys", "start"),
    svg(
      "text",
      { x: PLOT.left, y: 172 },
      svg("tspan", { class: "name-entropy", text: "entropy" }),
      ", ",
      svg("tspan", { class: "name-derivative", text: "derivative (dashed)" }),
      "; maximum: 1",
    ),
    ...[0.1, 1, 10].map((tick) => below(x(Math.log(tick)), String(tick))),
    below(x(Math.log(10) / 2), "temperature"),
    ...made.bars,
    ...CURVES.map((name) => made.lines[name]),
    made.here,
    ...CURVES.map((name) => made.dots[name]),
  );
  return made;
}

/** @param {{ size: number, temperature: number, scaled: boolean, shown: number }} now @param {number[]} weights */
function summary({ size, temperature, scaled }, weights) {
  const { entropy, derivative } = measures(weights);
  return (
    `Size ${size}, temperature ${temperature.toFixed(2)}, ${scaled ? "divided" : "not divided"} by √d: ` +
    `the largest weight is ${Math.max(...weights).toFixed(3)}, the entropy is that of ${Math.exp(entropy).toFixed(2)} equal weights; ` +
    `the derivative has norm ${derivative < 0.001 ? derivative.toExponential(1) : derivative.toFixed(3)}.`
  );
}

/** @param {ReturnType<typeof parts>} made @param {(temperature: number) => number[]} at @param {number} temperature */
function draw({ bars, lines, here, dots }, at, temperature) {
  const weights = at(temperature);
  weights.forEach((weight, i) => {
    const height = weight * (BARS.bottom - BARS.top);
    set(bars[i], { y: (BARS.bottom - height).toFixed(2), height: height.toFixed(2) });
  });
  // Both curves relative to their maximum: log m for the entropy, 1/2 for the norm of the derivative.
  const shares = (/** @type {number[]} */ weights) => {
    const { entropy, derivative } = measures(weights);
    return { entropy: entropy / Math.log(weights.length), derivative: 2 * derivative };
  };
  const curve = GRID.map((logarithm) => shares(at(Math.exp(logarithm))));
  const now = shares(weights);
  const place = x(Math.log(temperature));
  set(here, { x1: place, x2: place });
  for (const name of CURVES) {
    const points = curve.map((share, i) => `${x(GRID[i]).toFixed(1)} ${y(share[name]).toFixed(1)}`);
    set(lines[name], { d: `M${points.join("L")}` });
    set(dots[name], { cx: place, cy: y(now[name]) });
  }
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const products = model.get("products");
  const sizes = /** @type {number[]} */ (model.get("sizes"));
  const view = new WidgetCard(place, {
    name: "softmax",
    title: "Size, temperature and the softmax",
    tip: "choose the largest size, then divide by √d. What happens to the derivative?",
    style: STYLE,
    names: ["size", "temperature", "scaled", "shown"],
  });
  const made = parts(view.picture(640, 356, { wide: 600 }), products[0][0].length);
  const sizeInput = slider("Size d", { min: 0, max: sizes.length - 1, scale: listed(sizes) }, (size) =>
    view.change({ size }),
  );
  // Powers of 2 include 1 and, for the usual sizes, √d. The ends are just beyond 0.05 and 20.
  const heat = { min: -4.34, max: 4.34, step: 0.02, scale: POWERS, says: (/** @type {number} */ t) => t.toFixed(2) };
  const heatInput = slider("Temperature", heat, (t) => view.change({ temperature: clamp(t, 0.05, 20) }));
  const scaledInput = checkbox("Divide by √d", (scaled) => view.change({ scaled }));
  const again = button("Another query", () => view.change({ shown: (model.get("shown") + 1) % products.length }));
  view.controls.append(sizeInput.element, heatInput.element, scaledInput.element, again);

  const sharp = softmax(made.bars.map((_, i) => (i ? 0 : 30)));
  view.reserve([summary({ size: Math.max(...sizes), temperature: 20, scaled: false, shown: 0 }, sharp)]);
  return view.start(() => {
    const [size, temperature, scaled, shown] = ["size", "temperature", "scaled", "shown"].map((name) =>
      model.get(name),
    );
    const scores = products[shown][sizes.indexOf(size)].map(
      (/** @type {number} */ score) => score / (scaled ? Math.sqrt(size) : 1),
    );
    const at = (/** @type {number} */ heat) => softmax(scores.map((/** @type {number} */ score) => score / heat));
    draw(made, at, temperature);
    sizeInput.show(size);
    heatInput.show(temperature);
    scaledInput.show(scaled);
    view.say(summary({ size, temperature, scaled, shown }, at(temperature)));
  });
}

export default { render };
