// The common interface of all models in the page: encode a source, then decode a target token by token.

import { range } from "../shared/numbers.js";
import { bahdanauDecoder } from "./bahdanau.js";
import { NONE } from "./intervention.js";
import { luongDecoder } from "./luong.js";
import { recurrentNetwork, seq2seqDecoder } from "./recurrent.js";
import { transformerNetwork } from "./transformer.js";

/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./recurrent.js").Attention} Attention */
/** @typedef {import("./intervention.js").Intervention} Intervention */

/**
 * @template State
 * @typedef {object} Network
 * @property {(ids: number[], intervention: Intervention) => {state: State, attention: Attention}} encode
 * @property {(id: number, state: State, intervention: Intervention)
 *   => {logits: Float32Array, state: State, attention: Attention}} decode one token
 */

/** Class name, constructor arguments and weights of a model. @typedef {{kind: string, config: any, weights: Weights}} Parts */

/** @type {Record<string, (weights: Weights, config: any) => Network<any>>} */
const FAMILIES = {
  Seq2Seq: (weights, config) => recurrentNetwork(weights, config, seq2seqDecoder(weights, config)),
  Bahdanau: (weights, config) => recurrentNetwork(weights, config, bahdanauDecoder(weights, config)),
  Luong: (weights, config) => recurrentNetwork(weights, config, luongDecoder(weights, config)),
  Transformer: transformerNetwork,
};

export class Model {
  /** @param {Parts} parts */
  constructor({ kind, config, weights }) {
    if (!Object.hasOwn(FAMILIES, kind))
      throw new Error(`model must be one of ${Object.keys(FAMILIES).join(", ")}, got ${kind}`);
    this.kind = kind;
    this.config = config;
    this.weights = weights;
    /** @type {number} maximum sequence length */
    this.maxLength = config.positions === "learned" ? config.max_length : Infinity;
    /** @type {Network<any>} */
    this.network = FAMILIES[kind](weights, config);
    this.modules = attentionModules(kind, config);
  }

  /** Encodes a sentence of at least one id. @param {number[]} ids @param {Intervention} [intervention] */
  encode(ids, intervention = NONE) {
    if (!ids.length || ids.length > this.maxLength)
      throw new Error(`ids must have length 1 to ${this.maxLength}, got ${ids.length}`);
    return this.network.encode(ids, intervention);
  }

  /**
   * Decodes one step: logits of the next token, the new state, and the weights of every attention module.
   * @param {number} id @param {any} state from `encode` or `decode`, not modified
   * @param {Intervention} [intervention]
   */
  decode(id, state, intervention = NONE) {
    if (state.position >= this.maxLength)
      throw new Error(`target length must be <= ${this.maxLength}, got ${state.position + 1}`);
    return this.network.decode(id, state, intervention);
  }
}

/**
 * Attention modules in the package's order, with their names there and their numbers of heads.
 * @type {(kind: string, config: any) => {name: string, heads: number}[]}
 */
function attentionModules(kind, config) {
  if (kind === "Seq2Seq") return [];
  if (kind !== "Transformer") return [{ name: "decoder.cross_attention", heads: 1 }];
  const layers = range(config.num_layers);
  const names = [
    ...layers.map((l) => `encoder.${l}.self_attention`),
    ...layers.flatMap((l) => [`decoder.${l}.self_attention`, `decoder.${l}.cross_attention`]),
  ];
  return names.map((name) => ({ name, heads: config.num_heads }));
}
