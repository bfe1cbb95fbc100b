// Sinusoidal position encodings and rotary position embeddings.

import { matrix } from "../shared/linear_algebra.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */

/** Radians per position of pair `j`. @type {(j: number, size: number) => number} */
const frequency = (j, size) => 10000 ** ((-2 * j) / size);

/** Alternating sines and cosines. @type {(position: number, size: number) => Float32Array} */
export const sinusoidal = (position, size) =>
  Float32Array.from({ length: size }, (_, k) => {
    const angle = position * frequency(k >> 1, size);
    return k % 2 ? Math.cos(angle) : Math.sin(angle);
  });

/**
 * Rotates each pair (2j, 2j + 1) of each head by the position of its row; the first row is at `offset`.
 * @type {(x: Matrix, heads: number, offset: number) => Matrix}
 */
export function rotate(x, heads, offset) {
  const size = x.cols / heads;
  const out = matrix(x.rows, x.cols);
  for (let i = 0; i < x.rows; i++)
    for (let k = 0; k < x.cols; k += 2) {
      const angle = (offset + i) * frequency((k % size) / 2, size);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const [even, odd] = [x.data[i * x.cols + k], x.data[i * x.cols + k + 1]];
      out.data[i * x.cols + k] = even * cos - odd * sin;
      out.data[i * x.cols + k + 1] = even * sin + odd * cos;
    }
  return out;
}
