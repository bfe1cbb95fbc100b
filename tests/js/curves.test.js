import assert from "node:assert/strict";
import test from "node:test";
import { decimals, extent, lead, rank, spreadOut } from "../../src/attnbook/widgets/js/curves/ranking.js";

const task = {
  steps: [25, 100, 400],
  budgets: { "1/4": 0, 1: 1, 4: 2 },
  curves: [
    {
      name: "fast",
      values: [
        [29, 31],
        [60, 62],
        [61, 63],
      ],
      rates: [0.01, 0.01, 0.01],
    },
    {
      name: "slow",
      values: [
        [9, 11],
        [50, 58],
        [79, 81],
      ],
      rates: [0.01, 0.003, 0.001],
    },
    { name: "wild", values: [[19, 21], null, null], rates: [0.01, null, null] },
  ],
};

test("rank sorts by the mean, best first, and lists diverged contestants apart", () => {
  const names = (/** @type {number} */ point, higher = true) =>
    rank(task, point, higher).ranked.map(({ curve }) => curve.name);
  assert.deepEqual(names(0), ["fast", "wild", "slow"]);
  assert.deepEqual(names(0, false), ["slow", "wild", "fast"]);
  assert.deepEqual(names(2), ["slow", "fast"]);
  assert.deepEqual(
    rank(task, 2, true).missing.map(({ name }) => name),
    ["wild"],
  );
  const [first] = rank(task, 1, true).ranked;
  assert.deepEqual([first.mean, first.low, first.high], [61, 60, 62]);
});

test("lead pairs the seeds, in the direction that is better", () => {
  assert.deepEqual(lead([3, 5, 7], [1, 6, 4], true), { apart: 4 / 3, ahead: 2, seeds: 3 });
  assert.deepEqual(lead([3, 5, 7], [1, 6, 4], false), { apart: -4 / 3, ahead: 1, seeds: 3 });
});

test("extent spans all seeds of all contestants", () => {
  assert.deepEqual(extent(task), [9, 81]);
});

test("decimals tell figures of a range apart", () => {
  assert.deepEqual(
    [
      [0, 100],
      [0, 20],
      [0.4, 0.9],
      [0.41, 0.42],
      [5, 5],
    ].map(([low, high]) => decimals(low, high)),
    [0, 1, 3, 4, 2],
  );
});

test("spreadOut keeps labels apart, in order and inside", () => {
  assert.deepEqual(spreadOut([50, 51, 10], 10, 0, 100), [50, 60, 10]);
  assert.deepEqual(spreadOut([98, 99, 100], 10, 0, 100), [80, 90, 100]);
  assert.deepEqual(spreadOut([3, 1], 10, 0, 100), [11, 1]);
});
