import assert from "node:assert/strict";
import test from "node:test";
import { dot, softmax } from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { clamp, range, sum } from "../../src/attnbook/widgets/js/shared/numbers.js";

test("clamp keeps a value between its bounds", () => {
  assert.deepEqual(
    [-1, 0.5, 7].map((value) => clamp(value, 0, 2)),
    [0, 0.5, 2],
  );
});

test("sums and products", () => {
  assert.equal(sum(new Float32Array([1, 2, 3.5])), 6.5);
  assert.equal(dot([1, 2, 3], [4, 5, 6]), 32);
  assert.deepEqual(range(3), [0, 1, 2]);
});

test("a softmax sums to one, also of scores that overflow", () => {
  const weights = softmax([1000, 1000 + Math.log(3), -Infinity]);
  assert.ok(Math.abs(weights[0] - 0.25) < 1e-12 && Math.abs(weights[1] - 0.75) < 1e-12 && weights[2] === 0);
});
