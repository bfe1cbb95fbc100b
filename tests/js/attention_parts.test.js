// Pure parts of the attention view and of training: formatting, curves, frames, descriptions.
import assert from "node:assert/strict";
import test from "node:test";
import { shades } from "../../src/attnbook/widgets/js/attention/color_scale.js";
import { curveBands, measuredOver } from "../../src/attnbook/widgets/js/attention/curves.js";
import { latex } from "../../src/attnbook/widgets/js/attention/exports.js";
import {
  duration,
  number,
  progressText,
  short,
  ticks,
  visible,
  weightText,
} from "../../src/attnbook/widgets/js/attention/format.js";
import { FrameLayout } from "../../src/attnbook/widgets/js/attention/frame_layout.js";
import { FrameLog, nearest } from "../../src/attnbook/widgets/js/attention/frames.js";
import { measured } from "../../src/attnbook/widgets/js/attention/head_overview.js";
import { describeCell, firstState } from "../../src/attnbook/widgets/js/attention/state.js";
import { describePanel, longestDescription } from "../../src/attnbook/widgets/js/attention/status.js";
import { describeToken, longestTokenDescription } from "../../src/attnbook/widgets/js/attention/text_view.js";
import { sinusoidal } from "../../src/attnbook/widgets/js/engine/positional.js";
import { LOGARITHM, listed, POWERS } from "../../src/attnbook/widgets/js/shared/controls.js";
import { binned } from "../../src/attnbook/widgets/js/train/curve.js";
import { weightsOf } from "../../src/attnbook/widgets/js/train/heatmap.js";
import { crossEntropy } from "../../src/attnbook/widgets/js/train/layers.js";
import { different, randomFrom } from "../../src/attnbook/widgets/js/train/random.js";
import { viewsOf } from "../../src/attnbook/widgets/js/translate/panels.js";
import {
  describeChoice,
  leastConfident,
  weightsOf as rowWeights,
} from "../../src/attnbook/widgets/js/translate/rows.js";

const panel = {
  rows: ["le", "chat"],
  columns: ["the", "cat"],
  weights: Float32Array.of(0.75, 0.25, 0.001, 0.999),
  gold: new Set([3]),
  caption: "head 1",
  of: null,
};

const kind = { label: "self", query: "tokens", key: "tokens", layers: ["a"], heads: 2, gold: false };
const frameLayout = new FrameLayout({
  ...{ id: "x", title: "Example", views: ["mean"], measured_gold: [false], kinds: [kind] },
  sentences: [{ label: "a b", axes: { tokens: ["a", "b"] }, gold: null, picture: null }],
});
const frame = {
  step: 10,
  codes: Uint8Array.of(255, 0, 0, 255, 0, 255, 255, 0),
  measures: Float32Array.of(0.5, 0.1, 0.9),
};

test("numbers and durations are formatted compactly", () => {
  assert.deepEqual([0.00012, 0.0123, 0.5, 12.34, 123.4, 1234, 2e6, NaN].map(number), [
    "1.2e-4",
    "0.012",
    "0.50",
    "12.3",
    "123",
    "1234",
    "2.0e+6",
    "–",
  ]);
  assert.deepEqual([0, 0.004, 0.005, 1].map(weightText), ["0.00", "<0.01", "0.01", "1.00"]);
  assert.deepEqual([30, 600, 7200].map(duration), ["30 s", "10 min", "2.0 h"]);
  assert.deepEqual(ticks(0, 1, 3), [0, 0.5, 1]);
  assert.deepEqual(ticks(-0.4, 2.1, 3), [0, 1, 2]);
  assert.ok(ticks(0.001, 0.0010000000000000002, 3).length < 9); // a range as small as the rounding
  assert.equal(short("abcdef", 4), "abc…");
  assert.deepEqual([" ", "", "a"].map(visible), ["␣", "∅", "a"]);
});

test("progress names step, speed and remaining time, or the total of a finished run", () => {
  assert.equal(progressText({ step: 5, total: 10, seconds_left: 95 }, true), "step 5 of 10 · 2 min left");
  assert.equal(progressText({ step: 5, total: 10 }, false), "stopped at step 5 of 10");
  assert.equal(progressText({ step: 10, total: 10, seconds: 61, done: true }, false), "10 steps in 61 s");
});

test("a frame layout finds each head, aggregate and measure in a frame", () => {
  const at = { kind: 0, sentence: 0, layer: 0 };
  assert.deepEqual([...frameLayout.matrix(frame, { ...at, head: 0 })], [1, 0, 0, 1]);
  assert.deepEqual([...frameLayout.matrix(frame, { ...at, head: 1 })], [0, 1, 1, 0]);
  assert.deepEqual([...frameLayout.matrix(frame, { ...at, head: "mean" })], [0.5, 0.5, 0.5, 0.5]);
  assert.deepEqual([...frameLayout.matrix(frame, { ...at, head: "max" })], [1, 1, 1, 1]);
  assert.equal(frameLayout.measure(frame, "entropy", { ...at, head: "mean" }), 0.5);
  assert.ok(Math.abs(frameLayout.measure(frame, "entropy", { ...at, head: 1 }) - 0.9) < 1e-6);
  assert.ok(Number.isNaN(frameLayout.measure(frame, "error", { ...at, head: 1 })));
});

test("diagonality and distance separate a diagonal head from an off-diagonal one", () => {
  const at = { kind: 0, sentence: 0, layer: 0 };
  assert.deepEqual(
    [0, 1].map((head) => measured(frameLayout, frame, "diagonality", { ...at, head })),
    [1, 0.5],
  );
  assert.deepEqual(
    [0, 1].map((head) => measured(frameLayout, frame, "distance", { ...at, head })),
    [0, 1],
  );
});

test("a frame log ignores repeated steps and fills missing scalars with NaN", () => {
  const log = new FrameLog();
  const buffers = [new DataView(Uint8Array.of(1).buffer), new DataView(Float32Array.of(2).buffer)];
  const message = {
    steps: [3],
    points: /** @type {[number, Record<string, number>][]} */ ([[3, { loss: 1 }]]),
    series: ["loss"],
    progress: {},
  };
  log.hear(message, buffers);
  log.hear(message, buffers);
  assert.equal(log.frames.length, 1);
  log.hear({ ...message, steps: [], points: [[4, { bleu: 9 }]], series: ["bleu"] }, []);
  assert.deepEqual(log.series, { loss: [1, NaN], bleu: [NaN, 9] });
  assert.equal(nearest([{ step: 0 }, { step: 10 }, { step: 20 }], 14), 1);
  const other = new FrameLog();
  other.frames = [frame];
  log.append(other);
  assert.deepEqual(
    log.frames.map(({ step }) => step),
    [3, 10],
  );
});

test("curves exist for the selected scalar and for measures that were recorded", () => {
  const log = new FrameLog();
  Object.assign(log, { frames: [frame], points: [5, 10], series: { loss: [4, 1] } });
  const bands = curveBands(frameLayout, log, firstState(frameLayout));
  assert.deepEqual(
    bands.map(({ name, range }) => [name, range]),
    [
      ["loss", [0, 4]],
      ["entropy", [0, 1]],
    ],
  );
  assert.equal(bands[0].value(7, 0), 4);
  assert.equal(measuredOver(frameLayout, bands), "entropy: mean of 1 sentence");
});

test("a line break in a token or a caption stays inside its cell or comment", () => {
  const broken = { ...panel, rows: ["le\n\nla", "chat"], caption: "le\n\\input{x}" };
  const scale = { table: shades("light"), low: 0, top: 1 };
  const lines = latex([broken], { scale, colors: {} }).split("\n");
  assert.ok(lines.includes("% le \\input{x}"));
  assert.ok(lines.some((line) => line.startsWith("  le la & \\cellcolor")));
});

test("cells and tokens are described with their weights", () => {
  assert.equal(
    describeCell({ row: 1, column: 1 }, panel),
    "“chat” attends to “cat” with weight 1.00, a gold link (head 1)",
  );
  assert.equal(describeToken(panel, { axis: "row", index: 0 }), "“le” attends to “the” 0.75, “cat” 0.25");
  assert.equal(describeToken(panel, { axis: "column", index: 0 }), "“the” is attended to by “le” 0.75, “chat” <0.01");
  assert.ok(longestTokenDescription(panel).length >= describeToken(panel, { axis: "row", index: 1 }).length);
});

test("slider scales invert each other", () => {
  for (const scale of [LOGARITHM, POWERS, listed([3, 8, 20])]) assert.ok(Math.abs(scale.from(scale.to(8)) - 8) < 1e-12);
});

test("training curves are binned, and attention is averaged over heads", () => {
  assert.deepEqual(binned([1, 3]), [
    [1, 1],
    [2, 3],
  ]);
  assert.equal(binned(Array(301).fill(2)).length, 101);
  const look = { weights: Float32Array.of(1, 0, 0, 1), example: { source: [], slots: [], answers: [] }, best: [] };
  const task = { count: 1, places: 2 };
  assert.deepEqual(weightsOf(look, /** @type {any} */ (task), 2, null), [[0.5, 0.5]]);
  assert.deepEqual(weightsOf(look, /** @type {any} */ (task), 2, 1), [[0, 1]]);
});

test("crossEntropy matches a finite difference", () => {
  const logits = Float64Array.of(0.3, -1, 2, 0.5, 0.1, -0.4);
  const { loss, best, gradient } = crossEntropy(logits, [0, 2], 3);
  assert.deepEqual([...best], [2, 0]);
  logits.forEach((_, i) => {
    const moved = logits.slice();
    moved[i] += 1e-6;
    assert.ok(Math.abs((crossEntropy(moved, [0, 2], 3).loss - loss) / 1e-6 - gradient[i]) < 1e-5);
  });
});

test("random draws are reproducible and distinct", () => {
  assert.deepEqual(different(randomFrom(3), 10, 5), different(randomFrom(3), 10, 5));
  assert.equal(new Set(different(randomFrom(4), 10, 10)).size, 10);
});

test("translation rows: head weights, means, descriptions", () => {
  const row = {
    id: 4,
    piece: "chat",
    p: 0.9,
    best: [],
    attention: { m: [Float32Array.of(1, 0), Float32Array.of(0, 1)] },
  };
  assert.deepEqual(rowWeights([row], { name: "m", head: null }), [[0.5, 0.5]]);
  assert.deepEqual([...rowWeights([row], { name: "m", head: 1 })[0]], [0, 1]);
  assert.equal(
    describeChoice(["chat"], ["the", "cat"], [[0.25, 0.75]], { row: 0, column: 1 }),
    "“chat” attends to “cat” with weight 0.75",
  );
  assert.equal(describeChoice(["chat"], ["the"], [[1]], { row: 0, column: null }), "");
  assert.equal(leastConfident([{ p: 0.9 }, { p: 0.2 }, { p: 0.5 }]), 1);
  assert.deepEqual(
    viewsOf([{ name: "m", heads: 2 }]).map(([, label]) => label),
    ["layer 1, mean", "layer 1, head 1", "layer 1, head 2"],
  );
});

test("sinusoidal positions alternate sines and cosines", () => {
  assert.deepEqual([...sinusoidal(0, 4)], [0, 1, 0, 1]);
  assert.ok(Math.abs(sinusoidal(3, 4)[2] - Math.sin(0.03)) < 1e-6);
});

test("attention: the status counts tokens that attend most to an aligned one, or names the strongest link", () => {
  /** @type {import("../../src/attnbook/widgets/js/attention/state.js").Panel} */
  const panel = {
    rows: ["le", "chat", "dort"],
    columns: ["the", "cat"],
    weights: new Float32Array([0.75, 0.25, 0.125, 0.875, 0.5, 0.5]),
    gold: new Set([0, 3]),
    caption: "",
    of: null,
  };
  assert.equal(
    describePanel(panel, "Step 4: "),
    "Step 4: 2 of 2 tokens attend most to an aligned token, such as “chat” to “cat” (0.88).",
  );
  const wrong = { ...panel, gold: new Set([1]) };
  const text = describePanel(wrong, "");
  assert.equal(text, "none of 1 tokens attends most to an aligned token, “le” attends most to “the” (0.75).");
  const plain = { ...panel, gold: new Set(), weights: new Float32Array([1, 0, 0.25, 0.75, 0.5, 0.5]) };
  assert.equal(describePanel(plain, ""), "the strongest link is from “chat” to “cat” (0.75).", "not the forced one");
  const of = { own: panel, other: panel, names: /** @type {[string, string]} */ (["a", "b"]) };
  const difference = { ...plain, of, weights: new Float32Array([0, 0.125, 0, -0.5, 0, 0]) };
  assert.equal(describePanel(difference, ""), "the largest difference is −0.50, from “chat” to “cat”.");
  for (const each of [panel, wrong, plain, difference])
    assert.ok(longestDescription(each, "").length >= describePanel(each, "").length);
});
