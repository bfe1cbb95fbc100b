// The Transformer: post-norm or pre-norm; sinusoidal, learned or rotary positions.

import { matrix, row } from "../shared/linear_algebra.js";
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
  const numbers = Array.from({ length: options.num_layers }, (_, l) => l);
  const encoder = numbers.map((l) => encoderLayer(weights, `encoder.${l}`, options));
  const decoder = numbers.map((l) => decoderLayer(weights, `decoder.${l}`, options));
  const [embedSource, embedTarget] = ["source", "target"].map((side) => embedding(weights, side, options));
  const [encoderNorm, decoderNorm] = ["encoder_norm", "decoder_norm"].map((name) =>
    options.pre_norm ? normLayer(weights, name) : (/** @type {Matrix} */ x) => x,
  );
  const head = linearLayer(weights, "head");
  return {
    encode(ids, intervention) {
      /** @type {import("./recurrent.js").Attention} */
      const attention = {};
      let x = embedSource(ids, 0, intervention);
      for (const layer of encoder) x = layer(x, attention, intervention);
      const memory = encoderNorm(x);
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
      return {
        logits: head(decoderNorm(x)).data,
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
    const mixed = first(x, (y) => {
      const looked = selfAttention.attend(y, selfAttention.project(y, 0, intervention), 0, intervention);
      attention[selfAttention.name] = looked.weights;
      return looked.pooled;
    });
    return second(mixed, forward);
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
      const looked = first(x, (y) => {
        const now = selfAttention.project(y, position, intervention);
        seen = { keys: [...past.keys, ...now.keys], values: [...past.values, ...now.values] };
        const { pooled, weights: back } = selfAttention.attend(y, seen, position, intervention, true);
        attention[selfAttention.name] = back;
        return pooled;
      });
      const read = second(looked, (y) => {
        const { pooled, weights: across } = crossAttention.attend(y, source, position, intervention);
        attention[crossAttention.name] = across;
        return pooled;
      });
      return { output: third(read, forward), seen };
    },
  };
}

/**
 * @typedef {object} DecoderLayer
 * @property {import("./multihead.js").MultiHead} crossAttention
 * @property {(x: Matrix, source: KeyValue, past: KeyValue, attention: import("./recurrent.js").Attention,
 *   intervention: Intervention) => {output: Matrix, seen: KeyValue}} step
 */

/** Scaled embeddings plus position encodings. @type {(weights: Weights, side: string, options: TransformerOptions) => (ids: number[], offset: number, intervention: Intervention) => Matrix} */
function embedding(weights, side, { d_model, positions }) {
  const lookUp = embeddingLayer(weights, `${side}_embedding`);
  const learned = positions === "learned" ? weightOf(weights, `${side}_positions.embedding.weight`) : null;
  /** @type {(position: number) => Float32Array} */
  const positionAt = (position) => (learned ? row(learned, position) : sinusoidal(position, d_model));
  return (ids, offset, intervention) => {
    const words = lookUp(ids);
    const out = matrix(words.rows, d_model);
    const added = positions !== "rotary" && intervention.positions;
    for (let i = 0; i < out.rows; i++) {
      const place = added ? positionAt(offset + i) : null;
      for (let k = 0; k < d_model; k++)
        row(out, i)[k] = words.data[i * d_model + k] * Math.sqrt(d_model) + (place ? place[k] : 0);
    }
    return out;
  };
}
