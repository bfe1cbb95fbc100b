// Reorder words by dragging, and see how their self-attention outputs change.

import { encoding } from "./position_view.js";
import { COLORS, channels } from "./shared/colors.js";
import { button, checkbox, choice } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { add, fromRows, linear, matmul, softmax, toRows } from "./shared/linear_algebra.js";
import { clamp, range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const WIDTH = 640;
const TILE = { top: 6, height: 60 };
const CELLS = { top: 108, height: 28 };
const STYLE = `
.order svg { touch-action: pan-y; }
.order .tile { fill: var(--fill); stroke: var(--muted); stroke-width: 1.5; cursor: grab; }
.order .chosen { stroke: var(--query); stroke-width: 3; }
.order svg text { pointer-events: none; }
.order .cell { stroke: var(--line); stroke-width: 0.5; pointer-events: none; }
.order .moved { fill: var(--query); }
`;

/**
 * Single-head self-attention; one output row per word in the given order.
 *
 * @param {number[][]} vectors @param {number[][][]} matrices W_q, W_k, W_v @param {number[]} order @param {boolean} positions
 */
export function outputs(vectors, matrices, order, positions) {
  const size = vectors[0].length;
  const embedded = fromRows(order.map((word) => vectors[word]));
  const x = positions ? add(embedded, fromRows(order.map((_, i) => encoding(i, size, 10000)))) : embedded;
  const [q, k, v] = matrices.map((matrix) => linear(x, fromRows(matrix)));
  const scores = toRows(linear(q, k));
  const weights = fromRows(scores.map((row) => softmax(row.map((score) => score / Math.sqrt(size)))));
  return toRows(matmul(weights, v));
}

/** @param {number[][]} vectors @param {number[][][]} matrices @param {number[]} order @param {boolean} positions */
function changes(vectors, matrices, order, positions) {
  const first = outputs(vectors, matrices, range(order.length), positions);
  const now = outputs(vectors, matrices, order, positions);
  return { now, changed: order.map((word, i) => Math.max(...now[i].map((y, e) => Math.abs(y - first[word][e])))) };
}

/** @param {number} value from -1 to 1 @param {import("./shared/theme.js").Theme} theme */
function paint(value, theme) {
  const { query, paper, weight } = COLORS[theme];
  const [end, zero] = [channels(value < 0 ? weight : query), channels(paper)];
  const mixed = zero.map((c, i) => Math.round(c + Math.min(1, Math.abs(value)) * (end[i] - c)));
  return `rgb(${mixed.join(" ")})`;
}

/** @param {SVGSVGElement} picture @param {string[]} words @param {number} size */
function parts(picture, words, size) {
  const middle = { "text-anchor": "middle", "dominant-baseline": "central" };
  const columns = words.map((word) => {
    const made = {
      tile: svg("rect", { class: "tile", y: TILE.top, height: TILE.height, rx: 8 }),
      word: svg("text", { ...middle, y: TILE.top + TILE.height / 2, text: word }),
      cells: range(size).map((e) =>
        svg("rect", { class: "cell", y: CELLS.top + e * CELLS.height, height: CELLS.height }),
      ),
      change: svg("text", { ...middle, y: CELLS.top + size * CELLS.height + 20 }),
    };
    picture.append(made.tile, made.word, ...made.cells, made.change);
    return made;
  });
  picture.append(svg("text", { x: 4, y: 96, text: "output for each word" }));
  return columns;
}

/** @param {string[]} words in the current order @param {boolean} on whether positions are added @param {number} change largest change of an output */
function summary(words, on, change) {
  const largest = change.toFixed(2);
  const verdict = Number(largest) ? `the largest change of an output is ${largest}` : "no word's output has changed";
  return `“${words.join(" ")}”, positions ${on ? "added" : "off"}: compared with the initial order, ${verdict}.`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "order",
    title: "The same words in another order",
    tip: "drag a word to another place. Do the colors below it change? Then add positions, and drag again.",
    style: STYLE,
    names: ["order", "word", "positions"],
  });
  const words = /** @type {string[]} */ (model.get("words"));
  const vectors = /** @type {number[][]} */ (model.get("vectors"));
  const matrices = /** @type {number[][][]} */ (model.get("matrices"));
  const size = vectors[0].length;
  const wide = WIDTH / words.length;
  const picture = view.picture(WIDTH, CELLS.top + size * CELLS.height + 40, { size: 15 });
  const columns = parts(picture, words, size);
  const most = Math.max(
    ...[true, false].flatMap((on) => outputs(vectors, matrices, range(words.length), on).flat().map(Math.abs)),
  );

  /** @param {number} word @param {number} to new index */
  function put(word, to) {
    const others = model.get("order").filter((/** @type {number} */ other) => other !== word);
    others.splice(clamp(to, 0, words.length - 1), 0, word);
    view.change({ order: others, word });
  }
  drag(picture, ({ target }) => {
    const word = columns.findIndex(({ tile }) => tile === target);
    return word < 0 ? null : ({ x }) => put(word, Math.floor(x / wide));
  });
  const step = (/** @type {number} */ by) => () => {
    const word = model.get("word");
    put(word, model.get("order").indexOf(word) + by);
  };
  const names = words.map((word, i) => /** @type {[number, string]} */ ([i, `${i + 1}: ${word}`]));
  const chooser = choice("Word", names, (word) => view.change({ word: Number(word) }));
  const positions = checkbox("Add positions", (on) => view.change({ positions: on }));
  view.controls.append(
    chooser.element,
    button("Move left", step(-1)),
    button("Move right", step(1)),
    positions.element,
  );

  view.reserve([summary(words, true, 2 * most)]);
  return view.start((theme) => {
    const [order, word, on] = ["order", "word", "positions"].map((name) => model.get(name));
    const { now, changed } = changes(vectors, matrices, order, on);
    order.forEach((/** @type {number} */ which, /** @type {number} */ i) => {
      const { tile, word: label, cells, change } = columns[which];
      set(tile, { x: i * wide + 5, width: wide - 10, class: which === word ? "tile chosen" : "tile" });
      set(label, { x: (i + 0.5) * wide });
      for (const [e, cell] of cells.entries())
        set(cell, { x: i * wide + 5, width: wide - 10, fill: paint(now[i][e] / most, theme) });
      set(change, { x: (i + 0.5) * wide, class: changed[i] > 1e-6 ? "moved" : "" });
      write(change, `±${changed[i].toFixed(2)}`);
    });
    chooser.show(word);
    positions.show(on);
    const ordered = order.map((/** @type {number} */ which) => words[which]);
    view.say(summary(ordered, on, Math.max(...changed)));
  });
}

export default { render };
