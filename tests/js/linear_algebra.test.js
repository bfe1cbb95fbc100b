// Linear algebra against formulas written out in the tests.
import assert from "node:assert/strict";
import test from "node:test";
import {
  add,
  addMatmulTransposed,
  argmax,
  concatColumns,
  dot,
  fromRows,
  layerNorm,
  linear,
  logSoftmax,
  maskedSoftmax,
  matmul,
  matrix,
  moments,
  softmax,
  softmaxInPlace,
  topIndices,
  toRows,
  transpose,
  weightedSum,
} from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { randomFrom } from "../../src/attnbook/widgets/js/train/random.js";

const close = (/** @type {ArrayLike<number>} */ found, /** @type {ArrayLike<number>} */ wanted, tolerance = 1e-12) => {
  assert.equal(found.length, wanted.length);
  for (let i = 0; i < wanted.length; i++)
    assert.ok(Math.abs(found[i] - wanted[i]) < tolerance, `${i}: ${found[i]}, ${wanted[i]}`);
};
const random = randomFrom(7);
const rows = (/** @type {number} */ m, /** @type {number} */ n) =>
  Array.from({ length: m }, () => Array.from({ length: n }, () => random() - 0.5));
const A = rows(5, 7);
const B = rows(6, 7);
const PRODUCTS = A.map((a) => B.map((b) => a.reduce((total, value, i) => total + value * b[i], 0)));

test("dot sums products of any length", () => {
  for (const n of [0, 1, 3, 4, 5, 7])
    assert.ok(Math.abs(dot(A[0].slice(0, n), A[1]) - A[0].slice(0, n).reduce((s, v, i) => s + v * A[1][i], 0)) < 1e-15);
});

test("linear, matmul and addMatmulTransposed compute the same products", () => {
  const out = new Float64Array(30).fill(1);
  addMatmulTransposed(fromRows(A).data, fromRows(B).data, out, 5, 7, 6);
  close(
    out,
    PRODUCTS.flat().map((value) => value + 1),
  );
  close(linear(fromRows(A), fromRows(B)).data, PRODUCTS.flat());
  close(matmul(fromRows(A), transpose(fromRows(B))).data, PRODUCTS.flat());
});

test("linear adds the bias and keeps the precision of its input", () => {
  const single = linear(
    matrix(1, 2, Float32Array.of(1, 2)),
    matrix(1, 2, Float32Array.of(3, 4)),
    matrix(1, 1, Float32Array.of(0.1)),
  );
  assert.ok(single.data instanceof Float32Array);
  assert.equal(single.data[0], Math.fround(11.1));
  assert.throws(() => linear(fromRows(A), fromRows([[1]])), /x must have 1 columns, got 7/);
});

test("columns are concatenated", () => {
  const x = fromRows(A);
  const columns = (/** @type {number} */ start, /** @type {number} */ end) =>
    fromRows(A.map((row) => row.slice(start, end)));
  assert.deepEqual(toRows(concatColumns(columns(0, 3), columns(3, 7))), A);
  assert.deepEqual(toRows(transpose(transpose(x))), A);
  close(
    add(x, x).data,
    A.flat().map((value) => 2 * value),
  );
});

test("layerNorm gives rows of mean 0 and variance 1 before gain and bias", () => {
  const normed = layerNorm(fromRows(A), Array(7).fill(2), Array(7).fill(3));
  for (const row of toRows(normed)) {
    const { mean, variance } = moments(row);
    assert.ok(Math.abs(mean - 3) < 1e-12 && Math.abs(variance - 4) < 1e-2);
  }
  assert.deepEqual(moments([9, 1, 3, 9], 1, 2), { mean: 2, variance: 1 });
});

test("softmax divides scores by the temperature and works on a range in place", () => {
  close(softmax([0, Math.log(9)], 2), [0.25, 0.75]);
  const scores = [5, 0, 0, 7];
  softmaxInPlace(scores, 1, 2);
  assert.deepEqual(scores, [5, 0.5, 0.5, 7]);
  close(logSoftmax(Float32Array.of(0, Math.log(3))), [Math.log(0.25), Math.log(0.75)], 1e-6);
});

test("maskedSoftmax ignores masked scores and returns zeros if all are masked", () => {
  close(
    maskedSoftmax([0, 1000, Math.log(3)], (i) => i !== 1),
    [0.25, 0, 0.75],
  );
  assert.deepEqual([...maskedSoftmax([1, 2], () => false)], [0, 0]);
});

test("weightedSum restricts rows to a range of columns", () => {
  close(weightedSum([0.5, 0, 2], [Float32Array.of(1, 2), Float32Array.of(NaN, NaN), Float32Array.of(3, 4)], 1, 2), [9]);
});

test("argmax and topIndices prefer the earlier of equal values", () => {
  assert.equal(argmax([1, 3, 3]), 1);
  assert.deepEqual(topIndices(Float32Array.of(2, 5, 5, 1), 3), [1, 2, 0]);
});
