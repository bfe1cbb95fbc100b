// Recurrent encoder-decoders: the encoder, the parts shared by all decoders, and the decoder without attention.

import { concatColumns, matrix, rowMatrix, stackRows, tanh } from "../shared/linear_algebra.js";
import { embeddingLayer, gruCell, linearLayer } from "./layers.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./layers.js").Weights} Weights */
/** @typedef {import("./layers.js").Cell} Cell */
/** @typedef {import("./intervention.js").Intervention} Intervention */

/** @typedef {{num_layers: number, num_hiddens: number, bidirectional: boolean}} RecurrentOptions */

/**
 * The state of a decoder between two tokens. Never modified in place.
 * @typedef {object} RecurrentState
 * @property {number} position number of decoded target tokens
 * @property {Matrix} memory one row per source token
 * @property {Matrix} key the memory as the attention's keys
 * @property {Matrix[]} hidden one row per layer
 * @property {Matrix} fed output of the last step that is fed into the next input
 */

/** Attention weights by module name and head. @typedef {Record<string, Matrix[]>} Attention */

/**
 * One decoder step from the embedding of the last token: the features for the head, and the new state.
 * @typedef {(word: Matrix, state: RecurrentState, intervention: Intervention)
 *   => {features: Matrix, state: RecurrentState, attention: Attention}} Step
 */

/** @typedef {{start: (state: RecurrentState) => RecurrentState, step: Step}} Decoder */

/**
 * A GRU encoder, a decoder and a linear head.
 * @param {Weights} weights @param {RecurrentOptions} options @param {Decoder} decoder
 * @returns {import("./model.js").Network<RecurrentState>}
 */
export function recurrentNetwork(weights, options, { start, step }) {
  const read = gruEncoder(weights, options);
  const embed = embeddingLayer(weights, "decoder.embedding");
  const head = linearLayer(weights, "head");
  return {
    encode(ids) {
      const { memory, hidden } = read(ids);
      const state = { position: 0, memory, key: memory, hidden, fed: matrix(1, 0) };
      return { state: start(state), attention: {} };
    },
    decode(id, before, intervention) {
      const { features, state, attention } = step(embed([id]), before, intervention);
      return { logits: head(features).data, state: { ...state, position: before.position + 1 }, attention };
    },
  };
}

/**
 * A unidirectional or bidirectional GRU; the decoder starts from its last states, or from a layer on the backward ones.
 * @type {(weights: Weights, options: RecurrentOptions) => (ids: number[]) => {memory: Matrix, hidden: Matrix[]}}
 */
function gruEncoder(weights, { num_layers, num_hiddens, bidirectional }) {
  const embed = embeddingLayer(weights, "encoder.embedding");
  const directions = bidirectional ? ["", "_reverse"] : [""];
  const layers = Array.from({ length: num_layers }, (_, l) => ({
    cells: directions.map((direction) => gruCell(weights, "encoder.rnn", `_l${l}${direction}`)),
    bridge: bidirectional ? linearLayer(weights, `encoder.bridge.${l}`) : null,
  }));
  return (ids) => {
    let memory = embed(ids);
    const hidden = layers.map(({ cells, bridge }) => {
      const ends = cells.map((cell, d) => run(cell, memory, num_hiddens, d === 1));
      memory = concatColumns(...ends.map(({ states }) => states));
      const { last } = ends[ends.length - 1];
      return bridge ? tanh(bridge(last)) : last;
    });
    return { memory, hidden };
  };
}

/** @type {(cell: Cell, x: Matrix, size: number, backward: boolean) => {states: Matrix, last: Matrix}} */
function run(cell, x, size, backward) {
  /** @type {Float32Array[]} */
  const states = [];
  let last = matrix(1, size);
  for (let t = 0; t < x.rows; t++) {
    const place = backward ? x.rows - 1 - t : t;
    last = cell(rowMatrix(x, place), last);
    states[place] = last.data;
  }
  return { states: stackRows(states), last };
}

/** One step of stacked cells. @type {(cells: Cell[]) => (x: Matrix, hidden: Matrix[]) => Matrix[]} */
const cellStack = (cells) => (x, hidden) => {
  let input = x;
  return cells.map((cell, l) => (input = cell(input, hidden[l])));
};

/** The cells of the package's `CellStack`. @type {(weights: Weights, layers: number) => ReturnType<typeof cellStack>} */
export const decoderStack = (weights, layers) =>
  cellStack(Array.from({ length: layers }, (_, l) => gruCell(weights, `decoder.stack.cells.${l}`)));

/** Every step gets the encoder's last state as its context. @type {(weights: Weights, options: RecurrentOptions) => Decoder} */
export function seq2seqDecoder(weights, { num_layers }) {
  const advance = cellStack(Array.from({ length: num_layers }, (_, l) => gruCell(weights, "decoder.rnn", `_l${l}`)));
  return {
    start: (state) => ({ ...state, fed: state.hidden[num_layers - 1] }),
    step(word, state) {
      const hidden = advance(concatColumns(word, state.fed), state.hidden);
      return { features: hidden[num_layers - 1], state: { ...state, hidden }, attention: {} };
    },
  };
}
