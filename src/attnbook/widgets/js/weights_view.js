// Shuffle the attention weights of a classified sentence: does the prediction change?

import { button, choice } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const ROW = 27;
const BAR = { left: 170, width: 300 };
const STYLE = `
.weights .bar { fill: var(--weight); }
.weights .learned { fill: none; stroke: var(--muted); stroke-dasharray: 3 3; }
.weights .buttons { display: flex; flex-wrap: wrap; gap: 6px; }
@container (max-width: 480px) { .weights .controls { grid-template-columns: minmax(0, 1fr); } .weights .buttons button { flex: 1; } }
`;

/** @typedef {{ name: string, tokens: string[], weights: number[], pieces: number[] }} Weighed */

/** @param {number[]} shares @param {number[]} pieces @param {number} bias */
export function probability(shares, pieces, bias) {
  return 1 / (1 + Math.exp(-bias - sum(shares.map((share, i) => share * pieces[i]))));
}

/** A uniformly random permutation. @param {number[]} shares */
function shuffled(shares) {
  const order = [...shares];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

const percent = (/** @type {number} */ p) => `${(100 * p).toFixed(1)} %`;

/** @param {SVGSVGElement} picture @param {number} count of rows */
function rows(picture, count) {
  picture.append(
    svg("text", { x: BAR.left, y: 18, text: "weight (dashed: learned)" }),
    svg("text", { x: 632, y: 18, "text-anchor": "end", text: "says" }),
  );
  return range(count).map((i) => {
    const y = 30 + i * ROW;
    const box = { x: BAR.left, y: y + 4, height: ROW - 9 };
    const made = {
      word: svg("text", { x: BAR.left - 10, y: y + 18, "text-anchor": "end" }),
      bar: svg("rect", { class: "bar", ...box }),
      learned: svg("rect", { class: "learned", ...box }),
      piece: svg("text", { x: 632, y: y + 18, "text-anchor": "end" }),
    };
    picture.append(made.bar, made.learned, made.word, made.piece);
    return made;
  });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "weights",
    title: "Shuffle these weights",
    tip: "shuffle a negated sentence ten times, then one that is not negated. Which prediction depends on its weights?",
    style: STYLE,
    names: ["chosen", "shares"],
  });
  /** @type {Weighed[]} */
  const sentences = model.get("sentences");
  const most = Math.max(...sentences.map(({ tokens }) => tokens.length));
  const drawn = rows(view.picture(640, 36 + most * ROW), most);
  const sentence = choice(
    "Sentence",
    sentences.map(({ name }, i) => [i, name]),
    (value) => view.change({ chosen: Number(value), shares: sentences[Number(value)].weights }),
  );
  const current = () => sentences[model.get("chosen")];
  const press = (/** @type {string} */ name, /** @type {() => number[]} */ shares) =>
    button(name, () => view.change({ shares: shares() }));
  view.controls.append(
    sentence.element,
    element(
      "div",
      { class: "buttons" },
      press("Shuffle", () => shuffled(model.get("shares"))),
      press("Make even", () => current().tokens.map((_, __, all) => 1 / all.length)),
      press("As learned", () => current().weights),
    ),
  );
  const say = (/** @type {number} */ now, /** @type {number} */ before) =>
    `${model.get("question")} ${percent(now)} with these weights, ${percent(before)} with the learned ones.`;
  view.reserve([say(1, 1)]);
  return view.start(() => {
    const { tokens, weights, pieces } = current();
    const own = model.get("shares");
    const shares = own.length === weights.length ? own : weights; // the sentence is updated before its weights
    const bias = model.get("bias");
    sentence.show(model.get("chosen"));
    drawn.forEach(({ word, bar, learned, piece }, i) => {
      const there = i < tokens.length;
      write(word, there ? tokens[i] : "");
      write(piece, there ? `${pieces[i] > 0 ? "+" : "−"}${Math.abs(pieces[i]).toFixed(1)}` : "");
      set(bar, { width: there ? (shares[i] * BAR.width).toFixed(1) : 0 });
      set(learned, { width: there ? (weights[i] * BAR.width).toFixed(1) : 0 });
    });
    view.say(say(probability(shares, pieces, bias), probability(weights, pieces, bias)));
  });
}

export default { render };
