// The frames that are kept of a training run, and the second net of a comparison.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnedAt, withFrame } from "../../src/attnbook/widgets/js/train/film.js";
import { rivalOf } from "../../src/attnbook/widgets/js/train/rival.js";

test("a film keeps the first and the last frame, and drops every other one when it is too long", () => {
  /** @type {{step: number, look: string}[]} */
  let frames = [];
  for (let step = 0; step <= 50; step++) frames = withFrame(frames, { step, look: `look ${step}` }, 8);
  assert.ok(frames.length <= 8);
  assert.equal(frames[0].step, 0);
  assert.deepEqual(frames.at(-1), { step: 50, look: "look 50" });
  assert.deepEqual(
    frames.map(({ step }) => step),
    [...frames.map(({ step }) => step)].sort((a, b) => a - b),
  );
  const again = withFrame(frames, { step: 50, look: "newer" }, 8);
  assert.deepEqual([again.length, again.at(-1)?.look], [frames.length, "newer"]);
});

test("a net has learned when the mean over the last steps is high enough", () => {
  assert.equal(learnedAt([0, 0, 1, 1, 1, 0], 3, 0.97), 5);
  assert.equal(learnedAt([1, 1], 3, 0.97), null);
  assert.equal(learnedAt([0, 1, 0, 1, 0, 1], 2, 0.97), null);
});

test("the second net differs in one setting", () => {
  const settings = { task: "recall", layers: 1, heads: 1, rate: 0.001, seed: 1, positions: true, attention: true };
  assert.equal(rivalOf(settings, "none"), null);
  assert.deepEqual(rivalOf(settings, "attention"), { ...settings, attention: false });
  assert.deepEqual(rivalOf(settings, "faster"), { ...settings, rate: 0.003 });
  assert.deepEqual(rivalOf({ ...settings, rate: 0.1 }, "faster"), { ...settings, rate: 0.1 });
});
