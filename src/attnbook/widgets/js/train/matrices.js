// Products of matrices whose rows stand one after another, in double precision.

/**
 * out += a b^T: `a` has `rows` rows, `b` has `cols`, all of them `inner` long. Two rows by four columns at once: six
 * numbers are read for eight products.
 * @param {Float64Array} a @param {Float64Array} b @param {Float64Array} out
 * @param {number} rows @param {number} inner @param {number} cols
 */
export function addProduct(a, b, out, rows, inner, cols) {
  const [wholeRows, wholeCols] = [rows - (rows % 2), cols - (cols % 4)];
  for (let r = 0; r < wholeRows; r += 2)
    for (let c = 0; c < wholeCols; c += 4) eight(a, r * inner, b, c * inner, out, r * cols + c, inner, cols);
  for (let r = 0; r < rows; r++)
    for (let c = r < wholeRows ? wholeCols : 0; c < cols; c++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[r * inner + k] * b[c * inner + k];
      out[r * cols + c] += sum;
    }
}

/**
 * Adds the products of two rows of `a` with four rows of `b`, each `inner` long.
 * @param {Float64Array} a @param {number} a0 @param {Float64Array} b @param {number} b0
 * @param {Float64Array} out @param {number} at @param {number} inner @param {number} cols of `out`
 */
function eight(a, a0, b, b0, out, at, inner, cols) {
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

/** out = x^T. @param {Float64Array} x @param {Float64Array} out @param {number} rows @param {number} cols */
export function transpose(x, out, rows, cols) {
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) out[c * rows + r] = x[r * cols + c];
  return out;
}
