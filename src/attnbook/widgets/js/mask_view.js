// Masked scores: fill value, precision and the resulting softmax weights.

import { checkbox, choice } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { softmax } from "./shared/linear_algebra.js";
import { range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** Lowest finite number of a precision, and the smallest that it rounds to infinity. @typedef {{ lowest: number, overflow: number }} FloatRange */
/** @type {[string, string][]} */
const FILLS = [
  ["-1e6", "-1e6"],
  ["-1e9", "-1e9"],
  ["-inf", "minus infinity"],
  ["lowest", "lowest finite number"],
];
const NAMES = /** @type {const} */ (["scores", "allowed", "fill", "precision", "after"]);
const WIDTH = 480;
const LEFT = 92;
const ROWS = { key: 16, score: 42, filled: 68, bars: [88, 168], weight: 190 };
const STYLE = `
.mask .weight { fill: var(--weight); }
.mask .figure { max-width: 520px; margin: 0 auto; }
.mask .axis { stroke: var(--line); }
@container (min-width: 560px) { .mask .controls { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
.mask .hidden { fill: var(--key); font-weight: 600; }
`;

/** @typedef {{ scores: number[], allowed: boolean[], fill: string, precision: FloatRange, after: boolean }} Now */

/** Overwrites masked scores and applies the softmax. @param {Now} now */
export function filledWeights({ scores, allowed, fill, precision, after }) {
  const { lowest, overflow } = precision;
  const held = (/** @type {number} */ number) => (Math.abs(number) >= overflow ? Math.sign(number) * Infinity : number);
  const over = fill === "lowest" ? lowest : fill === "-inf" ? -Infinity : held(Number(fill));
  const filled = scores.map((score, i) => (allowed[i] ? held(score) : over));
  const weights = softmax(filled).map((weight, i) => weight * (after && !allowed[i] ? 0 : 1));
  return { filled, weights };
}

/** @param {number} number */
export function formatScore(number) {
  if (Number.isNaN(number)) return "NaN";
  if (Math.abs(number) === Infinity) return number < 0 ? "-∞" : "∞";
  if (Math.abs(number) < 1e5) return String(number);
  return number.toExponential(Math.abs(number) > 1e10 ? 1 : undefined).replace("+", "");
}

/** @param {boolean[]} allowed @param {number[]} weights */
function summary(allowed, weights) {
  const list = weights.map((weight) => (Number.isNaN(weight) ? "NaN" : weight.toFixed(2))).join(", ");
  const hidden = sum(weights.filter((_, i) => !allowed[i]));
  const verdict = () => {
    if (weights.some(Number.isNaN)) return "The softmax computed 0/0, and every later layer becomes NaN too.";
    if (!allowed.some(Boolean))
      return hidden > 0
        ? "No key is allowed, and all weights are equal: the output is the mean of the padding values."
        : "No key is allowed, and all weights are 0: the output is 0.";
    if (hidden > 5e-4) return `${(100 * hidden).toFixed(0)} % of the weight is on masked keys.`;
    const kept = sum(weights);
    if (kept < 0.99) return `Masked keys have weight 0, but the other weights sum to only ${kept.toFixed(2)}.`;
    return "Masked keys have weight 0, and the other weights sum to 1.";
  };
  return `Weights ${list}. ${verdict()}`;
}

/** @param {SVGSVGElement} picture */
function parts(picture) {
  const step = (WIDTH - LEFT) / 4;
  const [top, bottom] = ROWS.bars;
  const at = (/** @type {number} */ i) => LEFT + (i + 0.5) * step;
  const row = (/** @type {number} */ y) => range(4).map((i) => svg("text", { x: at(i), y, "text-anchor": "middle" }));
  const made = {
    score: row(ROWS.score),
    filled: row(ROWS.filled),
    weight: row(ROWS.weight),
    bars: range(4).map((i) => svg("rect", { class: "weight", x: at(i) - 18, width: 36 })),
  };
  const names = /** @type {[string, number][]} */ ([
    ["score", ROWS.score],
    ["filled", ROWS.filled],
    ["weight", ROWS.weight],
  ]);
  picture.append(
    ...names.map(([text, y]) => svg("text", { x: 2, y, text })),
    ...range(4).map((i) => svg("text", { x: at(i), y: ROWS.key, "text-anchor": "middle", text: `key ${i + 1}` })),
    svg("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: bottom, y2: bottom }),
    ...[made.score, made.filled, made.weight, made.bars].flat(),
  );
  return {
    /** @param {Now} now */
    draw(now) {
      const { filled, weights } = filledWeights(now);
      for (const i of range(4)) {
        const high = (weights[i] || 0) * (bottom - top);
        write(made.score[i], formatScore(now.scores[i]));
        write(made.filled[i], formatScore(filled[i]));
        set(made.filled[i], { class: now.allowed[i] ? "" : "hidden" });
        write(made.weight[i], Number.isNaN(weights[i]) ? "NaN" : weights[i].toFixed(2));
        set(made.bars[i], { y: bottom - high, height: high });
      }
      return weights;
    },
  };
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "mask",
    title: "Masked scores",
    tip: "mask all four keys. Then find a setting that gives zeros in every precision.",
    style: STYLE,
    names: NAMES,
  });
  const made = parts(view.picture(WIDTH, 198, { wide: WIDTH }));
  const boxes = range(4).map((i) =>
    checkbox(`key ${i + 1} is real`, (on) => view.change({ allowed: model.get("allowed").with(i, on) })),
  );
  const precisions = Object.keys(model.get("precisions")).map((name) => /** @type {[string, string]} */ ([name, name]));
  const kinds = Object.keys(model.get("score_sets")).map((name) => /** @type {[string, string]} */ ([name, name]));
  const fill = choice("Fill value", FILLS, (fill) => view.change({ fill }));
  const precision = choice("Precision", precisions, (precision) => view.change({ precision }));
  const scores = choice("Scores", kinds, (scores) => view.change({ scores }));
  const after = checkbox("multiply by mask after softmax", (after) => view.change({ after }));
  view.controls.append(...[...boxes, fill, precision, scores, after].map((control) => control.element));

  view.reserve([summary([false], [1, NaN, NaN, NaN]), summary([false, false, false, false], Array(4).fill(0.25))]);
  return view.start(() => {
    const chosen = Object.fromEntries(NAMES.map((name) => [name, model.get(name)]));
    const now = /** @type {Now} */ ({
      ...chosen,
      scores: model.get("score_sets")[chosen.scores],
      precision: model.get("precisions")[chosen.precision],
    });
    const weights = made.draw(now);
    boxes.forEach((box, i) => {
      box.show(now.allowed[i]);
    });
    fill.show(now.fill);
    precision.show(chosen.precision);
    scores.show(chosen.scores);
    after.show(now.after);
    view.say(summary(now.allowed, weights));
  });
}

export default { render };
