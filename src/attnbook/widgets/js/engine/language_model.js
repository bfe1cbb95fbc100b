// A decoder-only language model with a key-value cache; attnbook.models.language_model.LanguageModel is its counterpart.

import { add, linear, matrix, row } from "../shared/linear_algebra.js";
import { NONE } from "./intervention.js";
import { embeddingLayer, feedForward, normLayer, rmsLayer, swiGLU, weightOf } from "./layers.js";
import { multiHead } from "./multihead.js";
import { sinusoidal } from "./positional.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./multihead.js").KeyValue} KeyValue */
/** @typedef {import("./intervention.js").Intervention} Intervention */
/**
 * @typedef {{d_model: number, num_layers: number, num_heads: number, num_groups: number, rotary: boolean,
 *   norm: "layer" | "rms", feed_forward: "relu" | "swiglu", sinusoidal: boolean}} LanguageModelOptions
 */

/** The cache: keys and values of the tokens so far, by layer. Never modified in place. @typedef {KeyValue[]} Cache */

/**
 * What a pass returns: the logits of the next token after each token that went in, the cache that includes them, and the
 * weights by module and head, one row per token that went in.
 * @typedef {{logits: Float32Array[], cache: Cache, attention: import("./recurrent.js").Attention}} Pass
 */

export class LanguageModel {
  /** @param {Weights} weights @param {LanguageModelOptions} options */
  constructor(weights, options) {
    this.options = options;
    this.table = weightOf(weights, "embedding.weight");
    this.embedding = embeddingLayer(weights, "embedding");
    this.blocks = Array.from({ length: options.num_layers }, (_, l) => block(weights, `blocks.${l}`, options));
    this.norm = norms[options.norm](weights, "norm");
    /** Attention modules with their numbers of heads. */
    this.modules = this.blocks.map(({ attention }) => ({ name: attention.name, heads: options.num_heads }));
  }

  /** The cache of an empty text. @returns {Cache} */
  start() {
    return this.blocks.map(() => ({ keys: [], values: [] }));
  }

  /**
   * One pass for one or more tokens that follow the tokens in the cache.
   * @param {number[]} ids @param {Cache} [cache] @param {Intervention} [intervention] @returns {Pass}
   */
  extend(ids, cache = this.start(), intervention = NONE) {
    const position = cache[0].keys.length;
    /** @type {import("./recurrent.js").Attention} */
    const attention = {};
    let x = this.#embed(ids, position, intervention);
    const extended = this.blocks.map((block, l) => {
      const { output, seen } = block.step(x, cache[l], attention, intervention);
      x = output;
      return seen;
    });
    const logits = linear(this.norm(x), this.table);
    return { logits: ids.map((_, i) => row(logits, i)), cache: extended, attention };
  }

  /** Scaled embeddings, plus position encodings if the model has them. @type {(ids: number[], offset: number, intervention: Intervention) => Matrix} */
  #embed(ids, offset, { positions }) {
    const { d_model } = this.options;
    const words = this.embedding(ids);
    const out = matrix(words.rows, d_model);
    for (let i = 0; i < out.rows; i++) {
      const place = this.options.sinusoidal && positions ? sinusoidal(offset + i, d_model) : null;
      for (let k = 0; k < d_model; k++)
        row(out, i)[k] = words.data[i * d_model + k] * Math.sqrt(d_model) + (place ? place[k] : 0);
    }
    return out;
  }
}

const norms = { layer: normLayer, rms: rmsLayer };
const feedForwards = { relu: feedForward, swiglu: swiGLU };

/** The cache of the first `count` tokens. @param {Cache} cache @param {number} count @returns {Cache} */
export const cutCache = (cache, count) =>
  cache.map(({ keys, values }) => ({ keys: keys.slice(0, count), values: values.slice(0, count) }));

/** One pre-norm layer. @param {Weights} weights @param {string} name @param {LanguageModelOptions} options */
function block(weights, name, { num_heads, num_groups, rotary, norm, feed_forward }) {
  const attention = multiHead(weights, `${name}.attention`, num_heads, rotary, num_groups);
  const [first, second] = [1, 2].map((i) => norms[norm](weights, `${name}.norm_${i}`));
  const forward = feedForwards[feed_forward](weights, `${name}.feed_forward`);
  return {
    attention,
    /** @type {(x: Matrix, past: KeyValue, attended: import("./recurrent.js").Attention, intervention: Intervention) => {output: Matrix, seen: KeyValue}} */
    step(x, past, attended, intervention) {
      const position = past.keys.length;
      const y = first(x);
      const now = attention.project(y, position, intervention);
      const seen = { keys: [...past.keys, ...now.keys], values: [...past.values, ...now.values] };
      const { pooled, weights: looked } = attention.attend(y, seen, position, intervention, true);
      attended[attention.name] = looked;
      const mixed = add(x, pooled);
      return { output: add(mixed, forward(second(mixed), intervention)), seen };
    },
  };
}
