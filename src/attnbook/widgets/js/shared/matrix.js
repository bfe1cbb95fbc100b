// Matrices as lists of rows.
import { dot, sum } from "./numbers.js";

/** @typedef {number[][]} Matrix */

/** @param {Matrix} a @returns {Matrix} */
export const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export function times(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export const plus = (a, b) => a.map((row, i) => row.map((v, j) => v + b[i][j]));

/** x W^T + b, as torch does it. @param {Matrix} x @param {Matrix} weight @param {number[]} bias @returns {Matrix} */
export const linear = (x, weight, bias) => times(x, transpose(weight)).map((row) => row.map((v, j) => v + bias[j]));

/** @param {Matrix} a @param {number} from @param {number} to @returns {Matrix} */
export const columns = (a, from, to) => a.map((row) => row.slice(from, to));

/** @param {number[]} row */
export function deviation(row) {
  const mean = sum(row) / row.length;
  return Math.sqrt(sum(row.map((v) => (v - mean) ** 2)) / row.length);
}

/** @param {Matrix} x @param {number[]} gain @param {number[]} shift @returns {Matrix} */
export function layerNorm(x, gain, shift) {
  return x.map((row) => {
    const mean = sum(row) / row.length;
    const scale = Math.sqrt(deviation(row) ** 2 + 1e-5);
    return row.map((v, j) => ((v - mean) / scale) * gain[j] + shift[j]);
  });
}
