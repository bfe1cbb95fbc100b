// Linear algebra for the widgets, the translation engine and the training in the page: pure functions of vectors and
// row-major matrices. Sums are accumulated in double precision and rounded once, when they are stored.

/** @typedef {Float32Array | Float64Array} Numbers */
/**
 * Rows one after another. A vector is a matrix with one row.
 * @template {Numbers} [Data=Float32Array]
 * @typedef {{rows: number, cols: number, data: Data}} Matrix
 */

export const LAYER_NORM_EPSILON = 1e-5;

// -- making and reshaping matrices

/**
 * A matrix around `data`; zeros in single precision by default.
 * @template {Numbers} [Data=Float32Array]
 * @param {number} rows @param {number} cols @param {Data} [data] @returns {Matrix<Data>}
 */
export const matrix = (rows, cols, data) => ({
  rows,
  cols,
  data: data ?? /** @type {Data} */ (new Float32Array(rows * cols)),
});

/** Zeros in the precision of `x`. @template {Numbers} Data @param {Matrix<Data>} x @param {number} rows @param {number} cols @returns {Matrix<Data>} */
function zerosLike(x, rows, cols) {
  const size = rows * cols;
  const data = x.data instanceof Float64Array ? new Float64Array(size) : new Float32Array(size);
  return { rows, cols, data: /** @type {Data} */ (data) };
}

/** Nested lists as a double-precision matrix. @param {number[][]} lists @returns {Matrix<Float64Array>} */
export const fromRows = (lists) => ({
  rows: lists.length,
  cols: lists[0].length,
  data: Float64Array.from(lists.flat()),
});

/** A matrix as nested lists. @param {Matrix<Numbers>} x @returns {number[][]} */
export const toRows = (x) => Array.from({ length: x.rows }, (_, i) => [...row(x, i)]);

/** Row `i` as a view, not a copy. @template {Numbers} Data @param {Matrix<Data>} x @param {number} i @returns {Data} */
export const row = (x, i) => /** @type {Data} */ (x.data.subarray(i * x.cols, (i + 1) * x.cols));

/** Row `i` as a matrix with one row. @type {(x: Matrix, i: number) => Matrix} */
export const rowMatrix = (x, i) => matrix(1, x.cols, row(x, i));

/** Vectors of equal length as the rows of a matrix. @type {(rows: Float32Array[]) => Matrix} */
export function stackRows(rows) {
  const all = matrix(rows.length, rows[0].length);
  for (const [i, values] of rows.entries()) all.data.set(values, i * all.cols);
  return all;
}

/**
 * Concatenates matrices with the same number of rows along their columns.
 * @template {Numbers} Data @param {...Matrix<Data>} parts
 */
export function concatColumns(...parts) {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const all = zerosLike(parts[0], parts[0].rows, cols);
  let left = 0;
  for (const part of parts) {
    for (let i = 0; i < part.rows; i++) all.data.set(row(part, i), i * cols + left);
    left += part.cols;
  }
  return all;
}

/** Writes x^T into `out`. @template {Numbers} Data @param {Data} x @param {Data} out @param {number} rows @param {number} cols */
export function transposeInto(x, out, rows, cols) {
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) out[c * rows + r] = x[r * cols + c];
  return out;
}

/** @template {Numbers} Data @param {Matrix<Data>} x */
export function transpose(x) {
  const out = zerosLike(x, x.cols, x.rows);
  transposeInto(x.data, out.data, x.rows, x.cols);
  return out;
}

// -- elementwise

/** @template {Numbers} Data @param {Matrix<Data>} x @param {(value: number) => number} change */
export function map(x, change) {
  const out = zerosLike(x, x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = change(x.data[i]);
  return out;
}

/** @type {(x: Matrix) => Matrix} */
export const tanh = (x) => map(x, Math.tanh);

/** @type {(x: number) => number} */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** @template {Numbers} Data @param {Matrix<Data>} x @param {Matrix<Data>} y */
export function add(x, y) {
  const out = zerosLike(x, x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[i] + y.data[i];
  return out;
}

// -- products

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => dotRange(a, 0, b, 0, a.length);

/**
 * Dot product of `n` numbers of `a` from index `i` on and of `b` from index `j` on. Four partial sums, so that an
 * addition does not have to wait for the previous one. No default parameters: they cost a third of the speed of `linear`.
 * @param {ArrayLike<number>} a @param {number} i @param {ArrayLike<number>} b @param {number} j @param {number} n
 */
export function dotRange(a, i, b, j, n) {
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
 * x W^T + b, as torch.nn.Linear: `weight` has one row per output. Each weight is read once for all rows of `x`.
 * @template {Numbers} Data @param {Matrix<Data>} x @param {Matrix<Data>} weight @param {Matrix<Data>} [bias]
 */
export function linear(x, weight, bias) {
  if (x.cols !== weight.cols) throw new Error(`x must have ${weight.cols} columns, got ${x.cols}`);
  const out = zerosLike(x, x.rows, weight.rows);
  for (let o = 0; o < weight.rows; o++) {
    const added = bias ? bias.data[o] : 0;
    for (let i = 0; i < x.rows; i++)
      out.data[i * out.cols + o] = dotRange(x.data, i * x.cols, weight.data, o * weight.cols, x.cols) + added;
  }
  return out;
}

/** The matrix product a b. @template {Numbers} Data @param {Matrix<Data>} a @param {Matrix<Data>} b */
export const matmul = (a, b) => linear(a, transpose(b));

/**
 * out += a b^T, where `a` has `rows` rows and `b` has `cols` rows of length `inner`. Blocks of two rows by four columns:
 * six loads for eight products.
 * @param {Float64Array} a @param {Float64Array} b @param {Float64Array} out
 * @param {number} rows @param {number} inner @param {number} cols
 */
export function addMatmulTransposed(a, b, out, rows, inner, cols) {
  const [wholeRows, wholeCols] = [rows - (rows % 2), cols - (cols % 4)];
  for (let r = 0; r < wholeRows; r += 2)
    for (let c = 0; c < wholeCols; c += 4) addBlock(a, r * inner, b, c * inner, out, r * cols + c, inner, cols);
  for (let r = 0; r < rows; r++)
    for (let c = r < wholeRows ? wholeCols : 0; c < cols; c++) {
      let total = 0;
      for (let k = 0; k < inner; k++) total += a[r * inner + k] * b[c * inner + k];
      out[r * cols + c] += total;
    }
}

/**
 * Adds the products of two rows of `a` and four rows of `b`, each of length `inner`.
 * @param {Float64Array} a @param {number} a0 @param {Float64Array} b @param {number} b0
 * @param {Float64Array} out @param {number} at @param {number} inner @param {number} cols of `out`
 */
function addBlock(a, a0, b, b0, out, at, inner, cols) {
  const a1 = a0 + inner;
  const b1 = b0 + inner;
  const b2 = b1 + inner;
  const b3 = b2 + inner;
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s03 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s13 = 0;
  for (let k = 0; k < inner; k++) {
    const x0 = a[a0 + k];
    const x1 = a[a1 + k];
    const y0 = b[b0 + k];
    const y1 = b[b1 + k];
    const y2 = b[b2 + k];
    const y3 = b[b3 + k];
    s00 += x0 * y0;
    s01 += x0 * y1;
    s02 += x0 * y2;
    s03 += x0 * y3;
    s10 += x1 * y0;
    s11 += x1 * y1;
    s12 += x1 * y2;
    s13 += x1 * y3;
  }
  const below = at + cols;
  out[at] += s00;
  out[at + 1] += s01;
  out[at + 2] += s02;
  out[at + 3] += s03;
  out[below] += s10;
  out[below + 1] += s11;
  out[below + 2] += s12;
  out[below + 3] += s13;
}

/** Weighted sum of rows, restricted to the columns from `start` to `end`. @type {(weights: ArrayLike<number>, rows: Float32Array[], start: number, end: number) => Float32Array} */
export function weightedSum(weights, rows, start, end) {
  const sums = new Float64Array(end - start);
  rows.forEach((values, j) => {
    const weight = weights[j];
    if (weight !== 0) for (let k = start; k < end; k++) sums[k - start] += weight * values[k];
  });
  return Float32Array.from(sums);
}

// -- normalization

/**
 * Replaces `count` scores from index `start` on by their softmax.
 * @param {number[] | Numbers} scores @param {number} [start] @param {number} [count] @param {number} [temperature]
 */
export function softmaxInPlace(scores, start = 0, count = scores.length - start, temperature = 1) {
  let largest = -Infinity;
  for (let j = start; j < start + count; j++) largest = Math.max(largest, scores[j]);
  let total = 0;
  for (let j = start; j < start + count; j++) {
    scores[j] = Math.exp((scores[j] - largest) / temperature);
    total += scores[j];
  }
  for (let j = start; j < start + count; j++) scores[j] /= total;
}

/** @param {Iterable<number>} scores @param {number} [temperature] */
export function softmax(scores, temperature = 1) {
  const weights = [...scores];
  softmaxInPlace(weights, 0, weights.length, temperature);
  return weights;
}

/**
 * Softmax over the allowed indices. The other weights are 0; all are 0 if no index is allowed.
 * @param {ArrayLike<number>} scores @param {(index: number) => boolean} allowed @param {number} [temperature]
 */
export function maskedSoftmax(scores, allowed, temperature = 1) {
  const weights = new Float64Array(scores.length);
  let anyAllowed = false;
  for (let i = 0; i < weights.length; i++) {
    const isAllowed = allowed(i);
    weights[i] = isAllowed ? scores[i] : -Infinity;
    anyAllowed ||= isAllowed;
  }
  if (!anyAllowed) return weights.fill(0);
  softmaxInPlace(weights, 0, weights.length, temperature);
  return weights;
}

/** Log-softmax in nats. @type {(scores: Float32Array) => Float32Array} */
export function logSoftmax(scores) {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  let total = 0;
  for (const score of scores) total += Math.exp(score - largest);
  const shift = largest + Math.log(total);
  return scores.map((score) => score - shift);
}

/** Mean and population variance of `count` values from index `start` on. @param {ArrayLike<number>} values @param {number} [start] @param {number} [count] */
export function moments(values, start = 0, count = values.length - start) {
  let [mean, variance] = [0, 0];
  for (let k = start; k < start + count; k++) mean += values[k] / count;
  for (let k = start; k < start + count; k++) variance += (values[k] - mean) ** 2 / count;
  return { mean, variance };
}

/** torch.nn.LayerNorm over each row. @template {Numbers} Data @param {Matrix<Data>} x @param {ArrayLike<number>} gain @param {ArrayLike<number>} bias */
export function layerNorm(x, gain, bias) {
  const out = zerosLike(x, x.rows, x.cols);
  for (let at = 0; at < x.data.length; at += x.cols) {
    const { mean, variance } = moments(x.data, at, x.cols);
    const scale = 1 / Math.sqrt(variance + LAYER_NORM_EPSILON);
    for (let k = 0; k < x.cols; k++) out.data[at + k] = (x.data[at + k] - mean) * scale * gain[k] + bias[k];
  }
  return out;
}

// -- ranking

/** Index of the largest number, the first of equal ones. @param {ArrayLike<number>} values */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * Indices of the `count` largest numbers in descending order; among equal ones the earlier index comes first.
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
