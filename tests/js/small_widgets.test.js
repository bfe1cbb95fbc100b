// Pure functions of the small widgets, against values computed by hand.
import assert from "node:assert/strict";
import test from "node:test";
import { grow, ranked, text, worth } from "../../src/attnbook/widgets/js/beam/tree.js";
import { bleu, closest, examples, judged, tokens } from "../../src/attnbook/widgets/js/bleu/score.js";
import { cacheBytes, divisors, formatBytes, powersOfTwo } from "../../src/attnbook/widgets/js/cache_view.js";
import { frames, standardTraffic } from "../../src/attnbook/widgets/js/flash/online_softmax.js";
import { summary } from "../../src/attnbook/widgets/js/flash_view.js";
import { path } from "../../src/attnbook/widgets/js/kernel/curve.js";
import { attentionWeights, errors, KERNELS, predict } from "../../src/attnbook/widgets/js/kernel/regression.js";
import { filledWeights, formatScore } from "../../src/attnbook/widgets/js/mask_view.js";
import { outputs } from "../../src/attnbook/widgets/js/order_view.js";
import { encoding } from "../../src/attnbook/widgets/js/position_view.js";
import { agreement, sorted } from "../../src/attnbook/widgets/js/ranking_view.js";
import { pairs, scores, speeds } from "../../src/attnbook/widgets/js/rotary_view.js";
import { saliency, sceneWeights } from "../../src/attnbook/widgets/js/scene_view.js";
import { dot, softmax } from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { ticks } from "../../src/attnbook/widgets/js/shared/ticks.js";
import { measures } from "../../src/attnbook/widgets/js/softmax_view.js";
import { contour, joined, levels } from "../../src/attnbook/widgets/js/vectors/contours.js";
import { foot, scoreOf, unsuitable } from "../../src/attnbook/widgets/js/vectors_view.js";
import { probability } from "../../src/attnbook/widgets/js/weights_view.js";
import { gaussian, localWeights } from "../../src/attnbook/widgets/js/window_view.js";
import { other, reachedFrom, there } from "../../src/attnbook/widgets/js/wiring_view.js";

const near = (/** @type {number} */ found, /** @type {number} */ wanted) =>
  assert.ok(Math.abs(found - wanted) < 1e-9, `${found}, wanted ${wanted}`);

test("beam: the tree keeps live and finished words, and ranks finished ones by penalized score", () => {
  /** @type {import("../../src/attnbook/widgets/js/beam/tree.js").Run} */
  const run = [
    [
      { parent: 0, piece: "a", score: -1, fate: "live" },
      { parent: 0, piece: "b", score: -2, fate: "live" },
      { parent: 0, piece: "c", score: -3, fate: "dropped" },
    ],
    [
      { parent: 1, piece: "<eos>", score: -2.5, fate: "ended" },
      { parent: 0, piece: "d", score: -2.6, fate: "live" },
    ],
    [{ parent: 0, piece: "<eos>", score: -2.7, fate: "ended" }],
  ];
  const { words, live } = grow(run, 2);
  assert.deepEqual(
    words.map(({ piece }) => piece),
    ["a", "b", "<eos>", "d"],
  );
  assert.deepEqual(live.map(text), [["a", "d"]]);
  const all = grow(run, 3).words;
  assert.deepEqual(ranked(all, 0).map(text), [["b"], ["a", "d"]]);
  assert.deepEqual(ranked(all, 1).map(text), [["a", "d"], ["b"]]);
  near(worth(all[2], 1), -2.5 / (7 / 6));
});

test("bleu: clipped counts, brevity penalty and smoothing", () => {
  assert.deepEqual(tokens("  the  cat "), ["the", "cat"]);
  assert.deepEqual(
    judged(tokens("the the dog"), [tokens("the cat")], 1).map(({ fate }) => fate),
    ["found", "spent", "absent"],
  );
  assert.equal(closest(5, [3, 7, 9]), 3);
  const perfect = bleu(tokens("a b c d e"), [tokens("a b c d e")]);
  near(perfect.score, 100);
  const short = bleu(tokens("a b c d"), [tokens("a b c d e f g h")]);
  near(short.score, 100 * Math.exp(-1));
  assert.equal(bleu([], [["a"]]).score, 0);
  const offered = examples([tokens("a b c"), tokens("d e")]).map(([, output]) => output);
  assert.deepEqual(offered, ["d e", "a b", "a a a"]);
});

test("cache: bytes, divisors and units", () => {
  const llama = { layers: 32, groups: 32, head_dim: 128, length: 4096, batch: 1, bytes_per_number: 2 };
  assert.equal(formatBytes(cacheBytes(llama)), "2.00 GiB");
  assert.equal(formatBytes(cacheBytes({ ...llama, groups: 8 })), "512.0 MiB");
  assert.equal(formatBytes(1023), "1023 bytes");
  assert.deepEqual(divisors(12), [1, 2, 3, 4, 6, 12]);
  assert.deepEqual(powersOfTwo(16, 100), [16, 32, 64]);
});

/** Six tokens in a head of size 1. */
const attended = {
  query: [1.8, 0.5, -0.3, -1, 30, 0],
  key: [0.1, -0.1, 2.6, -0.4, 25, -2],
  value: [1.5, 0.5, 0.2, 1.7, 0.7, -3],
};

test("flash: every state equals plain softmax attention over the keys seen so far", () => {
  const { query, key, value } = attended;
  for (const size of [1, 2, 3, 6]) {
    const all = frames(attended, size);
    for (const { phase, rows, columns, running } of all.filter((frame) => frame.phase === "add"))
      for (const i of rows) {
        const seen = columns[columns.length - 1] + 1;
        const weights = softmax(key.slice(0, seen).map((other) => query[i] * other));
        const state = running[i];
        if (seen === key.length) assert.equal(state, null, `${phase}: the running numbers leave the fast memory`);
        else if (state) {
          near(state.m, Math.max(...key.slice(0, seen).map((other) => query[i] * other)));
          near(state.l, 1 / Math.max(...weights));
          near(state.o / state.l, dot(weights, value));
        } else assert.fail(`query ${i} has no running numbers`);
      }
    for (const [i, output] of all[all.length - 1].outputs.entries())
      near(Number(output), dot(softmax(key.map((other) => query[i] * other)), value));
  }
});

test("flash: a tile has the scores, then their exponentials, then nothing", () => {
  const [, load, score, rescale, add] = frames(attended, 2);
  assert.deepEqual([load.tile, add.tile], [[], []]);
  near(score.tile[1][0], 0.05);
  near(rescale.tile[1][1], Math.exp(-0.05 - 0.05));
  assert.deepEqual([load.rows, load.columns, load.moved], [[0, 1], [0, 1], 6]);
});

test("flash: larger blocks move fewer numbers, and all move fewer than standard attention", () => {
  const moved = [1, 2, 3, 6].map((size) => frames(attended, size).at(-1)?.moved);
  assert.deepEqual(moved, [84, 48, 36, 24]); // queries and outputs once, keys and values once per block of queries
  assert.equal(standardTraffic(6), 168);
});

test("flash: the status says what a phase does", () => {
  const all = frames(attended, 2);
  const said = (/** @type {number} */ step) => summary(all[Math.max(0, step - 1)], all[step], attended);
  assert.match(said(2), /1\.8 × 0\.1 = 0\.18/);
  assert.match(said(7), /m rises from 0\.18 to 4\.68, so ℓ and o shrink by the factor 0\.011/);
  const [found, whole] = said(12).match(/\d\.\d{3}/g) ?? [];
  assert.equal(found, whole);
});

test("kernel: weights, predictions and leave-one-out error", () => {
  const data = { key: [0, 1, 2], value: [0, 10, 20], grid: [1], truth: [10] };
  assert.deepEqual(attentionWeights(data.key, 0.5, 0.6, "boxcar"), [0.5, 0.5, 0]);
  assert.equal(attentionWeights(data.key, 9, 1, "epanechnikov"), null);
  near(Number(predict(data, 1, 0.5, "gaussian")), 10);
  const far = attentionWeights(data.key, 1000, 0.1, "gaussian"); // must not underflow to 0/0
  near(Number(far?.[2]), 1);
  near(KERNELS.epanechnikov(0.5), 0.75);
  assert.deepEqual(errors(data, 1, "boxcar"), { itself: (25 + 0 + 25) / 3, out: (100 + 0 + 100) / 3, truth: 0 });
  assert.equal(errors(data, 0.5, "boxcar").out, null);
  const same = (/** @type {number} */ at) => at;
  assert.equal(path([0, 1, 2, 3], [1, null, 3, 4], same, same), "M0.0 1.0M2.0 3.0L3.0 4.0");
});

test("mask: fill values, overflow in half precision and the product with the mask", () => {
  const float16 = { lowest: -65504, overflow: 65520 };
  const now = { scores: [1, 2], allowed: [true, false], fill: "-1e9", precision: float16, after: false };
  assert.deepEqual(filledWeights(now), { filled: [1, -Infinity], weights: [1, 0] });
  const none = { ...now, allowed: [false, false] };
  assert.ok(filledWeights(none).weights.every(Number.isNaN));
  assert.deepEqual(filledWeights({ ...none, fill: "lowest" }).weights, [0.5, 0.5]);
  assert.deepEqual(filledWeights({ ...none, fill: "lowest", after: true }).weights, [0, 0]);
  assert.deepEqual([-65504, -1e6, -3.4028234663852886e38, NaN, -Infinity].map(formatScore), [
    "-65504",
    "-1e6",
    "-3.4e38",
    "NaN",
    "-∞",
  ]);
});

test("order: outputs follow their words without positions, and change with them", () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [1, 1],
  ];
  const eye = [
    [1, 0],
    [0, 1],
  ];
  const first = outputs(vectors, [eye, eye, eye], [0, 1, 2], false);
  const swapped = outputs(vectors, [eye, eye, eye], [2, 1, 0], false);
  near(first[0][0], swapped[2][0]);
  const placed = outputs(vectors, [eye, eye, eye], [2, 1, 0], true);
  assert.ok(Math.abs(placed[2][0] - outputs(vectors, [eye, eye, eye], [0, 1, 2], true)[0][0]) > 1e-3);
});

test("position: dot products depend only on the distance", () => {
  assert.deepEqual(encoding(0, 4, 10000), [0, 1, 0, 1]);
  const product = (/** @type {number} */ i, /** @type {number} */ j) =>
    encoding(i, 8, 100).reduce((total, value, k) => total + value * encoding(j, 8, 100)[k], 0);
  near(product(3, 8), product(20, 25));
  near(product(5, 5), 4);
});

test("ranking: ticks enclose the values, and models without a measure are left out", () => {
  assert.deepEqual(ticks(31, 48), [30, 35, 40, 45, 50]);
  assert.deepEqual(ticks(5, 5).length, 2);
  const model = (/** @type {string} */ name, /** @type {Record<string, [number, null]>} */ figures) => ({
    name,
    seeds: 1,
    figures,
  });
  const models = [
    model("a", { x: [1, null], y: [5, null] }),
    model("b", { x: [2, null], y: [4, null] }),
    model("c", { x: [3, null] }),
  ];
  assert.deepEqual(
    sorted(models, "x", "y", true).map(({ name }) => name),
    ["a", "b"],
  );
  assert.deepEqual(
    sorted(models, "x", "y", false).map(({ name }) => name),
    ["b", "a"],
  );
});

test("ranking: two measures agree on a pair of models if both put the same one first", () => {
  const model = (/** @type {number} */ bleu, /** @type {number} */ errors) => ({
    name: "",
    seeds: 1,
    figures: {
      bleu: /** @type {[number, null]} */ ([bleu, null]),
      errors: /** @type {[number, null]} */ ([errors, null]),
    },
  });
  const models = [model(1, 9), model(2, 8), model(3, 8.5)];
  assert.deepEqual(agreement(models, "bleu", "errors", { bleu: true, errors: false }), { alike: 2, pairs: 3 });
  assert.deepEqual(agreement(models, "bleu", "bleu", { bleu: true }), { alike: 3, pairs: 3 });
});

test("rotary: scores equal the dot product of rotated vectors", () => {
  const [q, k] = [
    [1, 2, 3, 4],
    [0.5, -1, 2, 1],
  ];
  const rotated = (/** @type {number[]} */ v, /** @type {number} */ position) =>
    speeds(100).flatMap((speed, j) => {
      const [cos, sin] = [Math.cos(position * speed), Math.sin(position * speed)];
      return [v[2 * j] * cos - v[2 * j + 1] * sin, v[2 * j] * sin + v[2 * j + 1] * cos];
    });
  const direct = rotated(q, 9).reduce((total, value, i) => total + value * rotated(k, 4)[i], 0);
  near(
    scores(q, k, 100, 5).reduce((a, b) => a + b),
    direct,
  );
  assert.deepEqual(
    pairs([3, 4, 0, 2]).map(({ length }) => length),
    [5, 2],
  );
});

test("scene: saliency is the distance from the mean of the others, and absent objects get no weight", () => {
  assert.deepEqual(
    saliency([
      [0, 0],
      [3, 4],
    ]),
    [5, 5],
  );
  assert.deepEqual(saliency([[1, 1]]), [0]);
  const weights = sceneWeights(
    [
      [1, 0],
      [0, 1],
      [1, 0],
    ],
    [Math.log(3), 0],
    0,
    [true, true, false],
  );
  near(weights[0], 0.75);
  assert.equal(weights[2], 0);
  assert.deepEqual(sceneWeights([[1], [1]], [1], 1, [false, false]), [0, 0]);
});

test("softmax: entropy and derivative of uniform and one-hot weights", () => {
  near(measures([0.5, 0.5]).entropy, Math.LN2);
  near(measures([0.5, 0.5]).derivative, 0.5);
  assert.deepEqual(measures([1, 0]), { entropy: -0, derivative: 0 });
});

test("vectors: four scores, and contour lines of a plane", () => {
  const eye = [
    [1, 0],
    [0, 1],
  ];
  const parameters = {
    W: [
      [0, 1],
      [1, 0],
    ],
    W_q: eye,
    W_k: eye,
    w_v: [1, 1],
  };
  const score = (/** @type {string} */ kind) => scoreOf(kind, [1, 2], [3, 4], parameters);
  assert.deepEqual([score("dot"), score("general")], [11, 10]);
  near(score("scaled"), 11 / Math.SQRT2);
  near(score("additive"), Math.tanh(4) + Math.tanh(6));
  const plane = [
    [0, 1, 2],
    [0, 1, 2],
  ];
  for (const [from, to] of contour(plane, 0.5)) assert.deepEqual([from[0], to[0]], [0.5, 0.5]);
  assert.equal(contour(plane, 0.5).length, 2);
  assert.deepEqual(levels([[-1, 1]], 5), [-0.8, -0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8]);
});

test("vectors: pieces of a contour are joined to lines, open and closed", () => {
  /** @type {import("../../src/attnbook/widgets/js/vectors/contours.js").Piece[]} */
  const open = [
    [
      [1, 0],
      [2, 0],
    ],
    [
      [1, 0],
      [0, 0],
    ],
    [
      [3, 0],
      [2, 0],
    ],
  ];
  assert.deepEqual(joined(open), [
    [
      [3, 0],
      [2, 0],
      [1, 0],
      [0, 0],
    ].reverse(),
  ]);
  const hill = Array.from({ length: 9 }, (_, i) => Array.from({ length: 9 }, (_, j) => -Math.hypot(i - 4, j - 4)));
  const [ring, ...others] = joined(contour(hill, -2.5));
  assert.equal(others.length, 0);
  for (const [i, at] of ring[0].entries()) near(ring[ring.length - 1][i], at);
  assert.ok(ring.length > 12);
});

test("vectors: the key's shadow ends where the dot product with the query is the same", () => {
  const [query, key] = [
    [1.5, 1],
    [-0.4, 1.8],
  ];
  const [a, b] = foot(key, query);
  near(a * query[0] + b * query[1], key[0] * query[0] + key[1] * query[1]);
  near(a * query[1] - b * query[0], 0);
  assert.deepEqual(foot(key, [0, 0]), [0, 0]);
});

test("vectors: a label stands neither at the edge, nor on an arrow's name, nor on the key's side", () => {
  const now = { query: [1.5, 1], key: [-0.4, 1.8], score: "dot" };
  const good = unsuitable([0.7, -1.1], now);
  for (const bad of [
    [2.4, -1],
    [1.9, 1],
    [-0.7, 1.1],
  ])
    assert.ok(unsuitable(bad, now) > good + 1, String(bad));
});

test("weights: the probability is a sigmoid of the weighted sum", () => {
  near(probability([0.5, 0.5], [2, -2], 0), 0.5);
  near(probability([1, 0], [Math.log(3), 7], 0), 0.75);
});

test("window: weights are normalized inside the window and shaped by the Gaussian", () => {
  const { inside, weights } = localWeights([0, 0, 0, 99], 1, 1, false);
  assert.deepEqual(inside, [true, true, true, false]);
  for (const [i, weight] of weights.entries()) near(weight, i < 3 ? 1 / 3 : 0);
  near(localWeights([0, 0, 0], 1, 1, true).weights[0], Math.exp(-2) / 3);
  assert.deepEqual(localWeights([1, 2], 9, 1, false).weights, [0, 0]);
  near(gaussian(3, 1, 2), Math.exp(-2));
});

test("wiring: a box reaches what is connected by enabled wires", () => {
  /** @type {import("../../src/attnbook/widgets/js/wiring_view.js").Wire[]} */
  const wires = [
    ["word", "state", "ink", [], { asks: "late" }],
    ["state", "weights", "ink", [], {}],
  ];
  const chosen = { asks: "early", readout: "state", feeding: "no", trace: "word" };
  assert.deepEqual(there(wires, chosen).length, 1);
  assert.deepEqual([...reachedFrom("word", there(wires, chosen))], ["word"]);
  assert.deepEqual([...reachedFrom("word", there(wires, { ...chosen, asks: "late" }))], ["word", "state", "weights"]);
});

test("wiring: a pressed wire changes its switch to the other setting", () => {
  assert.deepEqual([other("asks", "early"), other("asks", "late"), other("feeding", "no")], ["late", "early", "yes"]);
});
