// One encoder layer, every value of it.
import { columns, layerNorm, linear, plus, times, transpose } from "../shared/matrix.js";
import { range, softmax } from "../shared/numbers.js";

/** @typedef {import("../shared/matrix.js").Matrix} Matrix */
/** @typedef {Record<string, any>} Weights by their names in the package */

/**
 * All values of the layer, in the order of the steps.
 *
 * @param {Matrix} embedding not yet scaled
 * @param {Matrix} positions
 * @param {Weights} weights
 * @param {number} numHeads
 */
export function forwardSteps(embedding, positions, weights, numHeads) {
  const apply = (/** @type {Matrix} */ x, /** @type {string} */ name) =>
    linear(x, weights[`${name}.weight`], weights[`${name}.bias`]);
  const norm = (/** @type {Matrix} */ x, /** @type {string} */ name) =>
    layerNorm(x, weights[`${name}.norm.weight`], weights[`${name}.norm.bias`]);
  const size = embedding[0].length;
  const scaled = embedding.map((row) => row.map((v) => v * Math.sqrt(size)));
  const x = plus(scaled, positions);
  const { q, k, v, scores, attention, joined } = attend(x, apply, size / numHeads);
  const attended = apply(joined, "self_attention.W_o");
  const added = plus(x, attended);
  const y = norm(added, "add_norm_1");
  const hidden = apply(y, "feed_forward.W_1").map((row) => row.map((value) => Math.max(0, value)));
  const narrow = apply(hidden, "feed_forward.W_2");
  const again = plus(y, narrow);
  const out = norm(again, "add_norm_2");
  return {
    embedding,
    scaled,
    positions,
    x,
    q,
    k,
    v,
    scores,
    attention,
    joined,
    attended,
    added,
    y,
    hidden,
    narrow,
    again,
    out,
  };
}

/** @typedef {ReturnType<typeof forwardSteps>} Values */

/** @param {Matrix} x @param {(x: Matrix, name: string) => Matrix} apply @param {number} head size of a head */
function attend(x, apply, head) {
  const [q, k, v] = ["q", "k", "v"].map((name) => apply(x, `self_attention.W_${name}`));
  const heads = range(x[0].length / head).map((h) => [q, k, v].map((a) => columns(a, h * head, (h + 1) * head)));
  const scores = heads.map(([hq, hk]) => times(hq, transpose(hk)).map((row) => row.map((s) => s / Math.sqrt(head))));
  const attention = scores.map((rows) => rows.map(softmax));
  const pooled = heads.map(([, , hv], h) => times(attention[h], hv));
  const joined = x.map((_, i) => pooled.flatMap((rows) => rows[i]));
  return { q, k, v, scores, attention, joined };
}
