// The model: the places of a list and the slots after it are embedded and pass through one or two pre-norm Transformer
// layers, in which every row attends to the places of its list. The final row of each slot predicts its answer.
import { attention } from "./attention.js";
import { crossEntropy, layerNormLayer, linearLayer, reluLayer } from "./layers.js";
import { normal } from "./random.js";

/** @typedef {import("./layers.js").Parameter} Parameter */
/** @typedef {import("./tasks.js").Example} Example */
/** @typedef {import("./tasks.js").Task} Task */
/** Parameters by name, as in a state_dict. @typedef {Record<string, Parameter>} Parameters */

/**
 * @typedef {object} Choices
 * @property {number} heads
 * @property {number} layers
 * @property {boolean} positions false: no position embeddings for places and slots
 * @property {boolean} attention false: uniform weights
 */

export const WIDTH = 32;
export const INNER = 64; // width of the feed-forward network

/** Initial parameters: normal embeddings, Glorot-uniform matrices. @param {Task} task @param {number} layers @param {import("./random.js").Random} random @returns {Parameters} */
export function firstParameters(task, layers, random) {
  /** @type {Parameters} */
  const made = {};
  const add = (/** @type {string} */ name, /** @type {number} */ size, /** @type {() => number} */ first) => {
    made[name] = { value: Float64Array.from({ length: size }, first), gradient: new Float64Array(size) };
  };
  const matrix = (/** @type {string} */ name, /** @type {number} */ outs, /** @type {number} */ ins) => {
    const most = Math.sqrt(6 / (ins + outs));
    add(`${name}.weight`, outs * ins, () => most * (2 * random() - 1));
  };
  const bias = (/** @type {string} */ name, /** @type {number} */ size) => add(`${name}.bias`, size, () => 0);
  const norm = (/** @type {string} */ name) => {
    add(`${name}.weight`, WIDTH, () => 1);
    bias(name, WIDTH);
  };
  add("symbols.weight", task.symbols.length * WIDTH, () => normal(random));
  add("positions.weight", (task.places + task.count) * WIDTH, () => normal(random));
  for (let l = 0; l < layers; l++) {
    norm(`layers.${l}.norm_1`);
    for (const name of ["W_q", "W_k", "W_v", "W_o"]) matrix(`layers.${l}.${name}`, WIDTH, WIDTH);
    norm(`layers.${l}.norm_2`);
    matrix(`layers.${l}.W_1`, INNER, WIDTH);
    bias(`layers.${l}.W_1`, INNER);
    matrix(`layers.${l}.W_2`, WIDTH, INNER);
    bias(`layers.${l}.W_2`, WIDTH);
  }
  norm("norm");
  matrix("head", task.symbols.length, WIDTH);
  bias("head", task.symbols.length);
  return made;
}

/** Builds layers from parameters by name. @param {Parameters} parameters @param {string} [prefix] */
function partsOf(parameters, prefix = "") {
  const of = (/** @type {string} */ name) => parameters[prefix + name];
  return {
    /** @param {string} name @param {number} rows @param {number} ins @param {number} outs */
    linear: (name, rows, ins, outs) =>
      linearLayer({ weight: of(`${name}.weight`), bias: of(`${name}.bias`) }, rows, ins, outs),
    /** @param {string} name @param {number} rows */
    norm: (name, rows) => layerNormLayer({ gain: of(`${name}.weight`), shift: of(`${name}.bias`) }, rows, WIDTH),
  };
}

/**
 * A layer: x + attention(norm(x)), then x + feed-forward(norm(x)). Keys and values come from the places, the first
 * rows. The last layer computes queries and outputs for the slots only.
 *
 * @param {Parameters} parameters @param {string} prefix
 * @param {{lists: Int32Array, places: number, batch: number, last: boolean}} shape `lists`: list index of each row
 * @param {Choices} choices
 */
function block(parameters, prefix, { lists, places, batch, last }, { heads, attention: asks }) {
  const [rows, read] = [lists.length, batch * places];
  const begin = last ? read : 0;
  const left = rows - begin;
  const { linear, norm } = partsOf(parameters, prefix);
  const [firstNorm, secondNorm] = [norm("norm_1", rows), norm("norm_2", left)];
  const [asking, mixing] = ["W_q", "W_o"].map((name) => linear(name, left, WIDTH, WIDTH));
  const [keys, values] = ["W_k", "W_v"].map((name) => linear(name, read, WIDTH, WIDTH));
  const looking = attention({ lists: lists.subarray(begin), places, width: WIDTH, heads, asks, batch });
  const [inner, outer] = [linear("W_1", left, WIDTH, INNER), linear("W_2", left, INNER, WIDTH)];
  const bend = reluLayer(left * INNER);
  const [middle, out] = [0, 1].map(() => new Float64Array(left * WIDTH));
  const [forMiddle, forX, forNorm] = [left, rows, rows].map((size) => new Float64Array(size * WIDTH));
  return {
    weights: looking.weights,
    /** @param {Float64Array} x */
    forward(x) {
      const h = firstNorm.forward(x);
      const own = h.subarray(begin * WIDTH);
      const looked = mixing.forward(looking.forward(asking.forward(own), keys.forward(h), values.forward(h)));
      const skipped = x.subarray(begin * WIDTH);
      for (let i = 0; i < middle.length; i++) middle[i] = skipped[i] + looked[i];
      const fed = outer.forward(bend.forward(inner.forward(secondNorm.forward(middle))));
      for (let i = 0; i < out.length; i++) out[i] = middle[i] + fed[i];
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      const fed = secondNorm.backward(inner.backward(bend.backward(outer.backward(g))));
      for (let i = 0; i < g.length; i++) forMiddle[i] = g[i] + fed[i];
      const { forQuery, forKey, forValue } = looking.backward(mixing.backward(forMiddle));
      forNorm.fill(0);
      addAt(forNorm, asking.backward(forQuery), begin * WIDTH);
      addAt(forNorm, keys.backward(forKey), 0);
      addAt(forNorm, values.backward(forValue), 0);
      forX.set(firstNorm.backward(forNorm));
      addAt(forX, forMiddle, begin * WIDTH);
      return forX;
    },
  };
}

/** @param {Float64Array} sums @param {Float64Array} added @param {number} begin */
function addAt(sums, added, begin) {
  for (let i = 0; i < added.length; i++) sums[begin + i] += added[i];
}

/**
 * A model for `batch` lists at once.
 * @param {Parameters} parameters @param {Task} task @param {Choices} choices @param {number} batch
 */
export function network(parameters, task, choices, batch) {
  const [read, asked] = [batch * task.places, batch * task.count];
  const lists = Int32Array.from({ length: read + asked }, (_, r) =>
    Math.floor(r < read ? r / task.places : (r - read) / task.count),
  );
  const embedded = embedding(parameters, task, choices.positions, batch);
  const blocks = Array.from({ length: choices.layers }, (_, l) => {
    const last = l === choices.layers - 1;
    return block(parameters, `layers.${l}.`, { lists, places: task.places, batch, last }, choices);
  });
  const { linear, norm } = partsOf(parameters);
  const [finalNorm, head] = [norm("norm", asked), linear("head", asked, WIDTH, task.symbols.length)];
  return {
    /** Weights of the last layer by list, slot, head and place. */
    weights: blocks[choices.layers - 1].weights,
    /** Returns the loss, the answers, and a backward pass that accumulates gradients. @param {Example[]} examples */
    forward(examples) {
      let x = embedded.forward(examples);
      for (const { forward } of blocks) x = forward(x);
      const logits = head.forward(finalNorm.forward(x));
      const answers = examples.flatMap((example) => example.answers);
      const { loss, best, gradient } = crossEntropy(logits, answers, task.symbols.length);
      return {
        loss,
        best,
        backward() {
          let g = finalNorm.backward(head.backward(gradient));
          for (const { backward } of blocks.toReversed()) g = backward(g);
          embedded.backward(g);
        },
      };
    },
  };
}

/** Each row is the sum of its symbol embeddings and, optionally, its position embedding. @param {Parameters} parameters @param {Task} task @param {boolean} positions @param {number} batch */
function embedding(parameters, task, positions, batch) {
  const [symbols, places] = [parameters["symbols.weight"], parameters["positions.weight"]];
  const out = new Float64Array(batch * (task.places + task.count) * WIDTH);
  /** @type {Example[]} */
  let read = [];
  /** Calls `add` with each row's offset in the input, a parameter, and the offset of the parameter's row. @param {(at: number, parameter: Parameter, row: number) => void} add */
  const each = (add) => {
    let at = 0;
    const one = (/** @type {number[]} */ ids, /** @type {number} */ place) => {
      for (const id of ids) add(at, symbols, id * WIDTH);
      if (positions) add(at, places, place * WIDTH);
      at += WIDTH;
    };
    for (const { source } of read) source.forEach(one);
    for (const { slots } of read) slots.forEach((id, i) => void one([id], task.places + i));
  };
  return {
    /** @param {Example[]} examples */
    forward(examples) {
      read = examples;
      out.fill(0);
      each((at, { value }, row) => {
        for (let k = 0; k < WIDTH; k++) out[at + k] += value[row + k];
      });
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      each((at, { gradient }, row) => {
        for (let k = 0; k < WIDTH; k++) gradient[row + k] += g[at + k];
      });
    },
  };
}
