// Name, description and tensor shapes of each box of the map.

/** @typedef {{ d_model: number, num_heads: number, d_ff: number, num_layers: number, vocab_size: number }} Sizes */
/** @typedef {{ sizes: Sizes, source: number, target: number }} Given model sizes and token counts */
/** @typedef {{ name: string, does: string, shapes: (given: Given) => [string, string][] }} Box */

const by = (/** @type {number[]} */ ...sizes) => sizes.join(" × ");

/**
 * Shapes of an attention module.
 * @param {Sizes} sizes @param {number} queries @param {number} keys @returns {[string, string][]}
 */
const attention = ({ d_model, num_heads }, queries, keys) => [
  ["queries", by(num_heads, queries, d_model / num_heads)],
  ["keys, values", by(num_heads, keys, d_model / num_heads)],
  ["weights", by(num_heads, queries, keys)],
  ["out", by(queries, d_model)],
];

/** @param {Sizes} sizes @param {number} rows @returns {[string, string][]} */
const forward = ({ d_model, d_ff }, rows) => [
  ["in", by(rows, d_model)],
  ["hidden", by(rows, d_ff)],
  ["out", by(rows, d_model)],
];

/** @type {Record<string, Box>} */
export const BOXES = {
  embedding: {
    name: "Embedding",
    does: "Looks up one row of a table for each token. The model cannot run without it, so it has no switch.",
    shapes: ({ sizes, source, target }) => [
      ["source", by(source, sizes.d_model)],
      ["target", by(target, sizes.d_model)],
    ],
  },
  positions: {
    name: "Positions",
    does: "Adds an encoding of each token's position.",
    shapes: ({ sizes, source, target }) => [
      ["source", by(source, sizes.d_model)],
      ["target", by(target, sizes.d_model)],
    ],
  },
  "encoder.self_attention": {
    name: "Encoder's self-attention",
    does: "Every source token attends to every source token.",
    shapes: ({ sizes, source }) => attention(sizes, source, source),
  },
  "encoder.feed_forward": {
    name: "Encoder's feed-forward",
    does: "Two linear layers, applied to each source token separately.",
    shapes: ({ sizes, source }) => forward(sizes, source),
  },
  "decoder.self_attention": {
    name: "Masked self-attention",
    does: "Every target token attends to itself and the target tokens before it.",
    shapes: ({ sizes, target }) => attention(sizes, target, target),
  },
  "decoder.cross_attention": {
    name: "Cross-attention",
    does: "Every target token attends to the encoder's output, the only path from source to target.",
    shapes: ({ sizes, source, target }) => attention(sizes, target, source),
  },
  "decoder.feed_forward": {
    name: "Decoder's feed-forward",
    does: "Two linear layers, applied to each target token separately.",
    shapes: ({ sizes, target }) => forward(sizes, target),
  },
  add_norm: {
    name: "Add & norm",
    does: "Adds a sublayer's input to its output (the residual), then normalizes each row (the norm).",
    shapes: ({ sizes, source, target }) => [
      ["encoder", by(source, sizes.d_model)],
      ["decoder", by(target, sizes.d_model)],
    ],
  },
  head: {
    name: "Linear, softmax",
    does: "Scores every word of the vocabulary. The model cannot write without it, so it has no switch.",
    shapes: ({ sizes, target }) => [
      ["in", by(target, sizes.d_model)],
      ["scores", by(target, sizes.vocab_size)],
    ],
  },
};

/** Labels of the switches. @type {Record<string, string>} */
export const SWITCHES = {
  positions: "positions",
  "encoder.self_attention": "encoder self-attention",
  "encoder.feed_forward": "encoder feed-forward",
  "decoder.self_attention": "masked self-attention",
  "decoder.cross_attention": "cross-attention",
  "decoder.feed_forward": "decoder feed-forward",
  residual: "residual (add)",
  norm: "norm",
};

/** The box that a part belongs to. @param {string} part */
export const boxOf = (part) => (part === "residual" || part === "norm" ? "add_norm" : part);
