// What the attention view compares, and how it subtracts, without a page.
import assert from "node:assert/strict";
import test from "node:test";
import { cssColor, shades } from "../../src/attnbook/widgets/js/attention/color_scale.js";
import {
  comparedState,
  comparisonKinds,
  comparisonOptions,
  validComparison,
} from "../../src/attnbook/widgets/js/attention/compare.js";
import { FrameLayout } from "../../src/attnbook/widgets/js/attention/frame_layout.js";
import { FrameLog } from "../../src/attnbook/widgets/js/attention/frames.js";
import { describeCell, firstState, Reader } from "../../src/attnbook/widgets/js/attention/state.js";
import { channels } from "../../src/attnbook/widgets/js/shared/colors.js";

const SENTENCES = [
  ["le", "chat"],
  ["le", "chien"],
  ["un", "chat", "dort"],
];

/** Self-attention of two layers with two heads, a measure of one head, and two steps of codes 0 to 255. */
function example() {
  const kind = { query: "tokens", key: "tokens", layers: ["a", "b"], gold: false };
  const frameLayout = new FrameLayout({
    ...{ id: "x", title: "Example", views: ["mean", "max"], measured_gold: [false, false] },
    kinds: [
      { ...kind, label: "self-attention", heads: 2 },
      { ...kind, label: "rollout", heads: 1 },
    ],
    sentences: SENTENCES.map((tokens) => ({ label: tokens.join(" "), axes: { tokens }, gold: null, picture: null })),
  });
  const log = new FrameLog();
  const size = 3 * 2 * (4 + 4 + 9);
  log.frames = [0, 40].map((step) => ({
    step,
    codes: Uint8Array.from({ length: size }, (_, i) => Math.imul(i + step, 0x9e3779b1) >>> 24),
    measures: new Float32Array(),
  }));
  return {
    frameLayout,
    log,
    reader: new Reader(frameLayout),
    state: { ...firstState(frameLayout), layer: 0, head: 0, at: 1 },
  };
}

test("there is something to compare with what has the same shape, and nothing else", () => {
  const { frameLayout, state } = example();
  const names = (/** @type {boolean} */ steps, /** @type {object} */ changes) =>
    comparisonKinds(frameLayout, { ...state, ...changes }, steps).map(([name]) => name);
  assert.deepEqual(names(true, {}), ["", "step", "head", "sentence", "kind"]);
  assert.deepEqual(names(false, { sentence: 2 }), ["", "head", "kind"]); // no other has three tokens
  assert.deepEqual(comparisonOptions(frameLayout, { ...state, compare: "sentence" }), [["1", "le chien"]]);
  assert.deepEqual(
    comparisonOptions(frameLayout, { ...state, kind: 1, compare: "head" }).map(([, text]) => text),
    ["layer 1, head 1", "layer 2, head 1"],
  );
});

test("a comparison that is not there is put right", () => {
  const { frameLayout, state } = example();
  assert.equal(validComparison(frameLayout, { ...state, compare: "head", other: "7 9" }).other, "0 0");
  assert.equal(validComparison(frameLayout, { ...state, compare: "head", other: "1 1" }).other, "1 1");
  assert.equal(validComparison(frameLayout, { ...state, sentence: 2, compare: "sentence", other: "1" }).compare, "");
});

for (const [compare, other, named] of /** @type {const} */ ([
  ["step", "", ["step 40", "step 0"]],
  ["head", "1 1", ["layer 1, head 1", "layer 2, head 2"]],
  ["sentence", "1", ["le chat", "le chien"]],
  ["kind", "1", ["self-attention, head 1", "rollout"]],
]))
  test(`the difference to another ${compare} is one matrix less the other`, () => {
    const { frameLayout, log, reader, state } = example();
    const chosen = { ...state, compare, other, difference: true };
    const [panel, ...more] = reader.panels(log, chosen);
    const [own, there] = [state, { ...state, ...comparedState(frameLayout, chosen, () => 0) }].map((each) => {
      const { kind, layer, at } = each;
      return frameLayout.matrix(log.frames[at], { kind, sentence: each.sentence, layer, head: each.head });
    });
    assert.equal(more.length, 0);
    const wanted = own.map((weight, i) => weight - there[i]);
    assert.ok(wanted.some((value) => value !== 0));
    assert.deepEqual(panel.weights, wanted);
    assert.equal(reader.panels(log, chosen)[0].weights, panel.weights, "it is computed once");
    assert.deepEqual(panel.of?.names, named);
    const said = describeCell({ row: 0, column: 1 }, panel);
    assert.match(said, new RegExp(`by [+−]?\\d\\.\\d\\d: .* \\(${named[0]}\\) against .* \\(${named[1]}\\)`));
  });

test("tokens that differ are both named, and small differences left out", () => {
  const { log, reader, state } = example();
  /** @type {import("../../src/attnbook/widgets/js/attention/state.js").State} */
  const chosen = { ...state, compare: "sentence", other: "1", difference: true, least: 0.3 };
  const [panel] = reader.panels(log, chosen);
  assert.deepEqual(panel.rows, ["le", "chat − chien"]);
  const [whole] = reader.panels(log, { ...chosen, least: 0 });
  assert.deepEqual(
    panel.weights,
    whole.weights.map((value) => (Math.abs(value) < 0.3 ? 0 : value)),
  );
});

/** CIE 1976 lightness of a color. @param {number[]} rgb */
function lightness(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 116 * (0.2126 * r + 0.7152 * g + 0.0722 * b) ** (1 / 3) - 16;
}

for (const theme of /** @type {const} */ (["light", "dark"]))
  test(`the ${theme} scale of differences is as the paper at zero, and about as far from it on both sides`, () => {
    const scale = { table: shades(theme, true), low: -0.4, top: 0.4 };
    const color = (/** @type {number} */ value) => (cssColor(value, scale).match(/\d+/g) ?? []).map(Number);
    const paper = lightness(channels(theme === "light" ? "#ffffff" : "#14161a"));
    const away = [0, 0.1, 0.2, 0.3, 0.4].map((size) =>
      [size, -size].map((value) => Math.abs(lightness(color(value)) - paper)),
    );
    assert.ok(Math.max(...away[0]) < 0.5);
    for (const [i, [more, less]] of away.entries()) {
      assert.ok(Math.abs(more - less) < 6, `${more} and ${less}`);
      assert.ok(i === 0 || (more > away[i - 1][0] && less > away[i - 1][1]));
    }
    assert.notDeepEqual(color(0.4), color(-0.4));
    assert.deepEqual(color(0.7), color(0.4), "what is beyond the end has the last color");
  });
