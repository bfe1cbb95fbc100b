// The Transformer: post-norm or pre-norm; sinusoidal, learned or rotary positions.

import { add, map, matrix, row } from "../shared/linear_algebra.js";
import { range } from "../shared/numbers.js";
import { addNorm, embeddingLayer, feedForward, linearLayer, normLayer, weightOf } from "./layers.js";
import { multiHead } from "./multihead.js";
import { sinusoidal } from "./positional.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./multihead.js").KeyValue} KeyValue */
/** @typedef {import("./intervention.js").Intervention} Intervention */
/**
 * @typedef {{d_model: number, num_heads: number, num_layers: number, pre_norm: boolean,
 *   positions: "sinusoidal" | "learned" | "rotary"}} TransformerOptions
 */

/**
 * The state of the decoder between two tokens. Never modified in place.
 * @typedef {object} TransformerState
 * @property {number} position number of decoded target tokens
 * @property {KeyValue[]} source keys and values of the source by layer
 * @property {KeyValue[]} target keys and values of the target so far by layer
 */

/**
 * @param {Weights} weights @param {TransformerOptions} options
 * @returns {import("./model.js").Network<TransformerState>}
 */
export function transformerNetwork(weights, options) {
  const numbers = range(options.num_layers);
  const encoder = numbers.map((l) => encoderLayer(weights, `encoder.${l}`, options));
  const decoder = numbers.map((l) => decoderLayer(weights, `decoder.${l}`, options));
  const [embedSource, embedTarget] = ["source", "target"].map((side) => embedding(weights, side, options));
  const [encoderNorm, decoderNorm] = ["encoder_norm", "decoder_norm"].map((name) =>
    options.pre_norm ? lastNorm(weights, name) : (/** @type {Matrix} */ x) => x,
  );
  const head = linearLayer(weights, "head");
  return {
    encode(ids, intervention) {
      /** @type {import("./recurrent.js").Attention} */
      const attention = {};
      let x = embedSource(ids, 0, intervention);
      for (const layer of encoder) x = layer(x, attention, intervention);
      const memory = encoderNorm(x, intervention);
      const source = decoder.map(({ crossAttention }) => crossAttention.project(memory, 0, intervention));
      return { state: { position: 0, source, target: numbers.map(() => ({ keys: [], values: [] })) }, attention };
    },
    decode(id, state, intervention) {
      /** @type {import("./recurrent.js").Attention} */
      const attention = {};
      let x = embedTarget([id], state.position, intervention);
      const target = decoder.map((layer, l) => {
        const { output, seen } = layer.step(x, state.source[l], state.target[l], attention, intervention);
        x = output;
        return seen;
      });
      const features = decoderNorm(x, intervention);
      const logits = head(features);
      intervention.record("head.input", features);
      intervention.record("head.logits", logits);
      return {
        logits: logits.data,
        state: { ...state, position: state.position + 1, target },
        attention,
      };
    },
  };
}

/** @type {(weights: Weights, name: string, options: TransformerOptions) => (x: Matrix, attention: import("./recurrent.js").Attention, intervention: Intervention) => Matrix} */
function encoderLayer(weights, name, { num_heads, pre_norm, positions }) {
  const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");
  const forward = feedForward(weights, `${name}.feed_forward`);
  const [first, second] = [1, 2].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));
  return (x, attention, intervention) => {
    const attend = (/** @type {Matrix} */ y) => {
      const looked = selfAttention.attend(y, selfAttention.project(y, 0, intervention), 0, intervention);
      attention[selfAttention.name] = looked.weights;
      return looked.pooled;
    };
    return second(first(x, attend, intervention), (y) => forward(y, intervention), intervention);
  };
}

/** @type {(weights: Weights, name: string, options: TransformerOptions) => DecoderLayer} */
function decoderLayer(weights, name, { num_heads, pre_norm, positions }) {
  const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");
  const crossAttention = multiHead(weights, `${name}.cross_attention`, num_heads);
  const forward = feedForward(weights, `${name}.feed_forward`);
  const [first, second, third] = [1, 2, 3].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));
  return {
    crossAttention,
    step(x, source, past, attention, intervention) {
      const position = past.keys.length;
      let seen = past;
      const lookBack = (/** @type {Matrix} */ y) => {
        const now = selfAttention.project(y, position, intervention);
        seen = { keys: [...past.keys, ...now.keys], values: [...past.values, ...now.values] };
        const { pooled, weights: back } = selfAttention.attend(y, seen, position, intervention, true);
        attention[selfAttention.name] = back;
        return pooled;
      };
      const lookAcross = (/** @type {Matrix} */ y) => {
        const { pooled, weights: across } = crossAttention.attend(y, source, position, intervention);
        attention[crossAttention.name] = across;
        return pooled;
      };
      const read = second(first(x, lookBack, intervention), lookAcross, intervention);
      return { output: third(read, (y) => forward(y, intervention), intervention), seen };
    },
  };
}

/**
 * @typedef {object} DecoderLayer
 * @property {import("./multihead.js").MultiHead} crossAttention
 * @property {(x: Matrix, source: KeyValue, past: KeyValue, attention: import("./recurrent.js").Attention,
 *   intervention: Intervention) => {output: Matrix, seen: KeyValue}} step
 */

/** The norm after a pre-norm stack; it has no switch in attnbook.observe.ablation. @type {(weights: Weights, name: string) => (x: Matrix, intervention: Intervention) => Matrix} */
function lastNorm(weights, name) {
  const norm = normLayer(weights, name);
  return (x, intervention) => {
    const normalized = norm(x);
    intervention.record(`${name}.input`, x);
    intervention.record(`${name}.normalized`, normalized);
    return normalized;
  };
}

/** Scaled embeddings plus position encodings. @type {(weights: Weights, side: string, options: TransformerOptions) => (ids: number[], offset: number, intervention: Intervention) => Matrix} */
function embedding(weights, side, { d_model, positions }) {
  const lookUp = embeddingLayer(weights, `${side}_embedding`);
  const learned = positions === "learned" ? weightOf(weights, `${side}_positions.embedding.weight`) : null;
  /** @type {(position: number) => Float32Array} */
  const positionAt = (position) => (learned ? row(learned, position) : sinusoidal(position, d_model));
  return (ids, offset, intervention) => {
    const words = lookUp(ids);
    const scaled = map(words, (value) => value * Math.sqrt(d_model));
    const places = matrix(words.rows, d_model);
    if (positions !== "rotary" && intervention.positions)
      for (let i = 0; i < ids.length; i++) row(places, i).set(positionAt(offset + i));
    const sum = add(scaled, places);
    const arrays = { embedding: words, scaled, position: places, sum };
    for (const [part, values] of Object.entries(arrays)) intervention.record(`${side}.${part}`, values);
    return sum;
  };
}
