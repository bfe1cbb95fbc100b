// Hides columns of special tokens and punctuation, and weights below a threshold.

const NO_WORD = /^(<[^<>]*>|\[[^[\]]*\]|[^\p{L}\p{N}]+)$/u;

/** @typedef {"" | "blank" | "share"} Hide nothing, or special tokens and punctuation; `share`: renormalize the remaining weights */

/**
 * @param {Float32Array} weights @param {string[]} columns
 * @param {{ hide: Hide, least: number }} how `least`: smaller weights are set to zero
 */
export function filterTokens(weights, columns, { hide, least }) {
  const shown = columns.map((token) => hide === "" || !NO_WORD.test(token));
  if (least === 0 && shown.every(Boolean)) return weights;
  const found = weights.map((weight, i) => (shown[i % columns.length] ? weight : 0));
  for (let start = 0; start < found.length; start += columns.length) {
    const row = found.subarray(start, start + columns.length);
    const rest = row.reduce((total, weight) => total + weight, 0);
    const scale = hide === "share" && rest > 0 ? 1 / rest : 1;
    row.forEach((weight, j) => {
      row[j] = weight * scale >= least ? weight * scale : 0;
    });
  }
  return found;
}
