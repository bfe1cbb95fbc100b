// A mask to touch: what is written over masked scores, in which precision, and what the softmax makes of it.

import { checkbox, choice } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { softmax } from "./shared/linear_algebra.js";
import { range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @type {Record<string, number[]>} */
const SCORES = { ordinary: [1, 2, 3, 4], "very low": [-1e6, -2e6, -3e6, -4e6] };
/** The lowest finite number, and the first that is infinite. @type {Record<string, { lowest: number, says: string, infinite: number }>} */
const PRECISIONS = {
  float32: { lowest: -3.4028234663852886e38, says: "-3.4e38", infinite: Infinity },
  bfloat16: { lowest: -3.3895313892515355e38, says: "-3.4e38", infinite: Infinity },
  float16: { lowest: -65504, says: "-65504", infinite: 65520 },
};
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
.mask .hidden { fill: var(--key); font-weight: 600; }
`;

/** @typedef {{ scores: string, allowed: boolean[], fill: string, precision: string, after: boolean }} Now */

/** Scores with the masked ones overwritten, and their softmax. @param {Now} now */
export function filledWeights({ scores, allowed, fill, precision, after }) {
  const { lowest, infinite } = PRECISIONS[precision];
  const held = (/** @type {number} */ number) => (Math.abs(number) >= infinite ? Math.sign(number) * Infinity : number);
  const over = fill === "lowest" ? lowest : fill === "-inf" ? -Infinity : held(Number(fill));
  const filled = SCORES[scores].map((score, i) => (allowed[i] ? held(score) : over));
  const weights = softmax(filled).map((weight, i) => weight * (after && !allowed[i] ? 0 : 1));
  return { filled, weights };
}

/** @param {number} number @param {string} precision */
function told(number, precision) {
  if (Number.isNaN(number)) return "NaN";
  if (Math.abs(number) === Infinity) return number < 0 ? "-∞" : "∞";
  if (number === PRECISIONS[precision].lowest) return PRECISIONS[precision].says;
  return Math.abs(number) < 1e5 ? String(number) : number.toExponential().replace("+", "");
}

/** @param {boolean[]} allowed @param {number[]} weights */
function summary(allowed, weights) {
  const list = weights.map((weight) => (Number.isNaN(weight) ? "NaN" : weight.toFixed(2))).join(", ");
  const hidden = sum(weights.filter((_, i) => !allowed[i]));
  const verdict = () => {
    if (weights.some(Number.isNaN)) return "The softmax computed 0/0, and every layer above becomes NaN as well.";
    if (!allowed.some(Boolean))
      return hidden > 0
        ? "No key is allowed, and all weights are equal: the result is the mean of the padding."
        : "No key is allowed, and all weights are 0: the result is 0.";
    if (hidden > 5e-4) return `${(100 * hidden).toFixed(0)} % of the weight lies on masked keys.`;
    return "Masked keys have weight 0, and the others sum to one.";
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
        write(made.score[i], told(SCORES[now.scores][i], "float32"));
        write(made.filled[i], told(filled[i], now.precision));
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
  const precisions = Object.keys(PRECISIONS).map((name) => /** @type {[string, string]} */ ([name, name]));
  const kinds = Object.keys(SCORES).map((name) => /** @type {[string, string]} */ ([name, name]));
  const fill = choice("Filled with", FILLS, (fill) => view.change({ fill }));
  const precision = choice("Precision", precisions, (precision) => view.change({ precision }));
  const scores = choice("Scores", kinds, (scores) => view.change({ scores }));
  const after = checkbox("times mask afterwards", (after) => view.change({ after }));
  view.controls.append(...[...boxes, fill, precision, scores, after].map((control) => control.element));

  view.reserve([summary([false], [1, NaN, NaN, NaN]), summary([false, false, false, false], Array(4).fill(0.25))]);
  return view.start(() => {
    const now = /** @type {Now} */ (Object.fromEntries(NAMES.map((name) => [name, model.get(name)])));
    const weights = made.draw(now);
    boxes.forEach((box, i) => {
      box.show(now.allowed[i]);
    });
    fill.show(now.fill);
    precision.show(now.precision);
    scores.show(now.scores);
    after.show(now.after);
    view.say(summary(now.allowed, weights));
  });
}

export default { render };
