// Matrices of single-precision numbers, and the few operations that the models are made of.
// Sums are taken in double precision and rounded once, when they are stored.

/**
 * Numbers in rows, one after another. A vector is a matrix of one row.
 * @typedef {{rows: number, cols: number, data: Float32Array}} Matrix
 */

/** @type {(rows: number, cols: number, data?: Float32Array) => Matrix} */
export const matrix = (rows, cols, data = new Float32Array(rows * cols)) => ({ rows, cols, data });

/** Row `i`, not a copy. @type {(x: Matrix, i: number) => Float32Array} */
export const row = (x, i) => x.data.subarray(i * x.cols, (i + 1) * x.cols);

/** Row `i` as a matrix. @type {(x: Matrix, i: number) => Matrix} */
export const rowMatrix = (x, i) => matrix(1, x.cols, row(x, i));

/** Rows of equal length below each other. @type {(rows: Float32Array[]) => Matrix} */
export function stackRows(rows) {
  const all = matrix(rows.length, rows[0].length);
  for (const [i, values] of rows.entries()) all.data.set(values, i * all.cols);
  return all;
}

/** Matrices with as many rows beside each other. @type {(...parts: Matrix[]) => Matrix} */
export function concatColumns(...parts) {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const all = matrix(parts[0].rows, cols);
  let left = 0;
  for (const part of parts) {
    for (let i = 0; i < part.rows; i++) all.data.set(row(part, i), i * cols + left);
    left += part.cols;
  }
  return all;
}

/**
 * The dot product of `n` numbers of `a` from place `i` and of `b` from place `j`. Four sums at once: each of them waits
 * for its own last addition only.
 * @param {Float32Array} a @param {number} i @param {Float32Array} b @param {number} j @param {number} n
 */
export function dot(a, i, b, j, n) {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = n - (n % 4);
  for (let k = 0; k < whole; k += 4) {
    s0 += a[i + k] * b[j + k];
    s1 += a[i + k + 1] * b[j + k + 1];
    s2 += a[i + k + 2] * b[j + k + 2];
    s3 += a[i + k + 3] * b[j + k + 3];
  }
  for (let k = whole; k < n; k++) s0 += a[i + k] * b[j + k];
  return s0 + s1 + (s2 + s3);
}

/**
 * x W^T + b, as torch.nn.Linear: `weight` has a row for each output. Every weight is read once, for all rows of `x`.
 * @param {Matrix} x @param {Matrix} weight @param {Matrix} [bias]
 */
export function linear(x, weight, bias) {
  if (x.cols !== weight.cols) throw new Error(`x has ${x.cols} columns: wanted ${weight.cols}, as the weight`);
  const out = matrix(x.rows, weight.rows);
  for (let o = 0; o < weight.rows; o++) {
    const added = bias ? bias.data[o] : 0;
    for (let i = 0; i < x.rows; i++)
      out.data[i * out.cols + o] = dot(x.data, i * x.cols, weight.data, o * weight.cols, x.cols) + added;
  }
  return out;
}

/** @type {(x: Matrix, change: (value: number) => number) => Matrix} */
export const map = (x, change) => matrix(x.rows, x.cols, x.data.map(change));

/** @type {(x: Matrix) => Matrix} */
export const tanh = (x) => map(x, Math.tanh);

/** @type {(x: number) => number} */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** @type {(x: Matrix, y: Matrix) => Matrix} */
export function add(x, y) {
  const out = matrix(x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[i] + y.data[i];
  return out;
}

/** The weighted sum of rows, in the columns from `left` to `right`. @type {(weights: Float32Array, rows: Float32Array[], left: number, right: number) => Float32Array} */
export function weightedSum(weights, rows, left, right) {
  const sums = new Float64Array(right - left);
  rows.forEach((values, j) => {
    const weight = weights[j];
    if (weight !== 0) for (let k = left; k < right; k++) sums[k - left] += weight * values[k];
  });
  return Float32Array.from(sums);
}

/** log softmax in nats. @type {(scores: Float32Array) => Float32Array} */
export function logSoftmax(scores) {
  let most = -Infinity;
  for (const score of scores) most = Math.max(most, score);
  let total = 0;
  for (const score of scores) total += Math.exp(score - most);
  const shift = most + Math.log(total);
  return scores.map((score) => score - shift);
}

/** The first place of the largest number. @type {(values: Float32Array) => number} */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * Places of the `count` largest numbers, the largest first; of equal ones the earlier place.
 * @param {Float32Array} values @param {number} count
 */
export function topIndices(values, count) {
  /** @type {number[]} */
  const best = [];
  for (let i = 0; i < values.length; i++) {
    if (best.length === count && !(values[i] > values[best[count - 1]])) continue;
    let at = best.length;
    while (at > 0 && values[i] > values[best[at - 1]]) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}
