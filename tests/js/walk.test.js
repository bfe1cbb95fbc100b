// The walk through a Transformer: where cells are, how one number is explained, and the order of the arrays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAfter, cellAt, layout, rangeOf } from "../../src/attnbook/widgets/js/walk/array_picture.js";
import { arraysOf, boxesOf } from "../../src/attnbook/widgets/js/walk/boxes.js";
import { explain, largestTerms, number, twins } from "../../src/attnbook/widgets/js/walk/explain.js";
import { stopAt, stopsOf } from "../../src/attnbook/widgets/js/walk/stops.js";
import { bestWords, headColumns, probability, rowsOf, shownOf } from "../../src/attnbook/widgets/js/walk/values.js";

/** @typedef {import("../../src/attnbook/widgets/js/walk/values.js").Scene} Scene */
/** @typedef {import("../../src/attnbook/widgets/js/walk/boxes.js").ArraySpec} ArraySpec */

const CONFIG = { d_model: 4, num_heads: 2, d_ff: 6, num_layers: 2, pre_norm: false, positions: "sinusoidal" };
const rows = (/** @type {number[][]} */ lines) => lines.map((line) => Float32Array.from(line));

/** @param {Partial<Scene>} [changes] @returns {Scene} */
function scene(changes = {}) {
  return {
    arrays: new Map([
      [
        "x",
        rows([
          [1, 2, 3, 4],
          [0, -1, 0, 2],
          [1, 2, 3, 4],
        ]),
      ],
      [
        "q",
        rows([
          [1, 0, 2, 0],
          [0, 3, 0, 1],
        ]),
      ],
      [
        "k",
        rows([
          [2, 1, 1, 0],
          [4, 1, 0, 5],
        ]),
      ],
      ["s.0", rows([[Math.SQRT2], [3 / Math.SQRT2, 3 / Math.SQRT2]])],
      ["w.0", rows([[1], [0.5, 0.5]])],
      [
        "head.logits",
        rows([
          [0, Math.log(3), -9],
          [0, 0, 0],
        ]),
      ],
    ]),
    weights: new Map([
      ["W.weight", { rows: 2, cols: 4, data: Float32Array.of(1, 0, 0, 0, 1, 1, 1, -1) }],
      ["W.bias", { rows: 1, cols: 2, data: Float32Array.of(0, 0.5) }],
    ]),
    config: CONFIG,
    off: [],
    head: 0,
    position: 1,
    tokens: { source: ["the", "cat", "the"], target: ["<bos>", "le"] },
    ids: { source: [5, 6, 5], target: [1, 7] },
    word: (/** @type {number} */ id) => ["a", "b", "c"][id],
    ...changes,
  };
}

/** @param {Partial<ArraySpec>} spec @returns {ArraySpec} */
const array = (spec) => ({ id: "x", tab: "x", title: "", says: "", name: "x", how: "add", rows: "source", ...spec });

test("number keeps three decimals, uses a real minus, and rounds large and tiny numbers", () => {
  assert.deepEqual([1.23456, -0.5, 123.456, -0, 0.00001].map(number), [
    "1.235",
    "−0.500",
    "123.5",
    "0.000",
    "0.000010",
  ]);
});

test("largestTerms writes out the two largest products and counts the others", () => {
  assert.equal(largestTerms([1, -2, 3], [1, 4, 1]), "(−2.000) × 4.000 + 3.000 × 1.000 + 1 more");
  assert.equal(largestTerms([2], [3]), "2.000 × 3.000");
});

test("explain gives the product of a row and a weight's row with its bias", () => {
  const { formula, strips } = explain(scene(), array({ how: "linear", input: "x", module: "W" }), 0, 1);
  assert.match(formula, /^x · row 2 of W = .* \+ bias 0\.500 = 2\.500$/);
  assert.deepEqual(Array.from(strips[2].values), [1, 2, 3, -4], "products, whose sum and the bias is the number");
});

test("explain divides a score by the root of the head's size, and says where the mask hides it", () => {
  const spec = array({ how: "score", name: "s", rows: "target", columns: "target", input: "q", other: "k" });
  const last = explain(scene(), spec, 1, 0).formula;
  assert.match(last, /= 3\.000; over √2: 2\.121$/);
  assert.match(explain(scene(), spec, 0, 1).formula, /= 4\.000; over √2: 2\.828, but the mask makes it −∞$/);
});

test("explain shows that a softmax divides by the sum of exponentials, and by what a mask changes", () => {
  const spec = array({ how: "weight", name: "w", input: "s", rows: "target", columns: "target" });
  assert.match(explain(scene(), spec, 1, 0).formula, /^exp\(2\.121\) \/ sum of exp = .* = 0\.500$/);
  assert.match(explain(scene(), spec, 0, 1).formula, /The mask makes this score −∞/);
});

test("explain gives the probability of a word over the whole vocabulary", () => {
  const { formula } = explain(scene({ position: 0 }), array({ how: "probability", rows: "words", name: "head" }), 0, 0);
  assert.match(formula, /sum over 3 words = 3\.000 \/ 4\.000 = 0\.750$/);
});

test("explain names a part that is switched off", () => {
  const spec = array({ how: "position", rows: "source" });
  assert.match(explain(scene({ off: ["positions"] }), spec, 0, 0).formula, /switched off/);
  assert.match(explain(scene(), spec, 2, 1).formula, /cos\(2 \/ 10000\^\(0\/4\)\)/);
});

test("twins compares a word with its other occurrence", () => {
  assert.equal(twins(scene(), array({}), 0), " The other “the” has the same row.");
  assert.equal(twins(scene(), array({}), 1), "");
  const other = scene();
  other.arrays.get("x")?.[2].set([9], 0);
  assert.equal(twins(other, array({}), 2), " The other “the” has a different row.");
});

test("values are those of one head and of the target so far", () => {
  assert.deepEqual(headColumns(scene({ head: 1 })), { size: 2, left: 2 });
  assert.equal(rowsOf(scene({ position: 0 }), "q", "target").length, 1);
  assert.equal(rowsOf(scene({ position: 0 }), "x", "source").length, 3);
  assert.deepEqual(shownOf(scene({ head: 1 }), array({ headed: true })).rows[0], [3, 4]);
  assert.deepEqual(bestWords(scene({ position: 0 })), [1, 0, 2]);
  assert.ok(Math.abs(probability(Float32Array.of(0, Math.log(3)), 1) - 0.75) < 1e-6);
});

const picture = (/** @type {number} */ count, chosen = { i: 0, j: 0 }) => ({
  shown: {
    rows: Array.from({ length: count }, () => [0, 1, 2, 3]),
    rowNames: Array.from({ length: count }, String),
    columnNames: ["a", "b", "c", "d"],
    masked: () => false,
  },
  role: "ink",
  kind: /** @type {const} */ ("cells"),
  chosen,
});

test("layout shares the room, and scrolls to the chosen row where there are more than fit", () => {
  const few = layout(picture(4), 276, 120);
  assert.deepEqual([few.first, few.rows, few.high, few.wide, few.top], [0, 4, 26, 50, 16]);
  const many = layout(picture(100, { i: 60, j: 0 }), 276, 120);
  assert.equal(many.rows, 8);
  assert.equal(many.first, 56);
  assert.equal(layout(picture(100, { i: 99, j: 0 }), 276, 120).first, 92);
});

test("rangeOf finds the largest size in arrays of any length", () => {
  assert.deepEqual(rangeOf([0.5, -2, 1]), { most: 2, signed: true });
  assert.deepEqual(rangeOf([]), { most: 1e-9, signed: false });
  assert.deepEqual(rangeOf(new Array(300_000).fill(3)), { most: 3, signed: false }); // 300 tokens, 1,000 hidden units
});

test("cellAt finds the cell whose middle is pressed, also in a scrolled array, and the nearest one outside", () => {
  for (const [count, chosen] of /** @type {[number, {i: number, j: number}][]} */ ([
    [4, { i: 0, j: 0 }],
    [100, { i: 60, j: 2 }],
  ])) {
    const drawn = picture(count, chosen);
    const { top, left, first, high, wide, rows: seen } = layout(drawn, 276, 120);
    for (let n = 0; n < seen; n++)
      for (let j = 0; j < 4; j++)
        assert.deepEqual(cellAt(drawn, left + (j + 0.5) * wide, top + (n + 0.5) * high, 276, 120), { i: first + n, j });
    assert.deepEqual(cellAt(drawn, -50, -50, 276, 120), { i: first, j: 0 });
    assert.deepEqual(cellAt(drawn, 999, 999, 276, 120), { i: first + seen - 1, j: 3 });
  }
});

test("cellAfter moves by arrows inside the array, and to its ends", () => {
  const from = { i: 1, j: 0 };
  assert.deepEqual(cellAfter("ArrowDown", from, 3, 4), { i: 2, j: 0 });
  assert.deepEqual(cellAfter("ArrowLeft", from, 3, 4), { i: 1, j: 0 });
  assert.deepEqual(cellAfter("End", from, 3, 4), { i: 1, j: 3 });
  assert.deepEqual(cellAfter("PageDown", from, 3, 4), { i: 2, j: 0 });
  assert.equal(cellAfter("x", from, 3, 4), null);
});

test("stopsOf visits every array of every layer once, and stopAt finds what is open", () => {
  const stops = stopsOf(CONFIG);
  const names = stops.map(({ box, layer, array: id }) => `${box} ${layer} ${id}`);
  assert.equal(new Set(names).size, names.length);
  const expected = boxesOf(CONFIG).reduce(
    (total, box) => total + (box.layered ? CONFIG.num_layers : 1) * arraysOf(box, CONFIG, 0).length,
    0,
  );
  assert.equal(stops.length, expected);
  for (const [i, stop] of stops.entries()) assert.equal(stopAt(stops, stop), i);
  assert.equal(stopAt(stops, { ...stops[0], layer: 1 }), 0, "a box outside the layers is the same in each of them");
});
