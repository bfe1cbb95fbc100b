// Layers shared by the models, each built from the state_dict entries under its name.

import { add, dotRange, layerNorm, linear, map, matrix, row, sigmoid } from "../shared/linear_algebra.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** Weights by name. @typedef {Map<string, Matrix>} Weights */
/** @typedef {import("./intervention.js").Intervention} Intervention */

/** @type {(weights: Weights, name: string) => Matrix} */
export function weightOf(weights, name) {
  const found = weights.get(name);
  if (!found) throw new Error(`the model must have a weight ${name}`);
  return found;
}

/** torch.nn.Linear. @type {(weights: Weights, name: string) => (x: Matrix) => Matrix} */
export function linearLayer(weights, name) {
  const weight = weightOf(weights, `${name}.weight`);
  const bias = weights.get(`${name}.bias`);
  return (x) => linear(x, weight, bias);
}

/** torch.nn.Embedding: one row per id. @type {(weights: Weights, name: string) => (ids: number[]) => Matrix} */
export function embeddingLayer(weights, name) {
  const table = weightOf(weights, `${name}.weight`);
  return (ids) => {
    const out = matrix(ids.length, table.cols);
    ids.forEach((id, i) => {
      if (!(Number.isInteger(id) && id >= 0 && id < table.rows))
        throw new Error(`ids must be >= 0 and < ${table.rows}, got ${id}`);
      out.data.set(row(table, id), i * table.cols);
    });
    return out;
  };
}

/** torch.nn.LayerNorm. @type {(weights: Weights, name: string) => (x: Matrix) => Matrix} */
export function normLayer(weights, name) {
  const gain = weightOf(weights, `${name}.weight`).data;
  const bias = weightOf(weights, `${name}.bias`).data;
  return (x) => layerNorm(x, gain, bias);
}

const RMS_EPSILON = 2 ** -23; // torch.nn.RMSNorm's default, the machine epsilon of single precision

/** torch.nn.RMSNorm over each group of as many columns as there are gains. @type {(weights: Weights, name: string) => (x: Matrix) => Matrix} */
export function rmsLayer(weights, name) {
  const gain = weightOf(weights, `${name}.weight`).data;
  return (x) => {
    const out = matrix(x.rows, x.cols);
    for (let at = 0; at < x.data.length; at += gain.length) {
      const scale = 1 / Math.sqrt(dotRange(x.data, at, x.data, at, gain.length) / gain.length + RMS_EPSILON);
      for (let k = 0; k < gain.length; k++) out.data[at + k] = x.data[at + k] * scale * gain[k];
    }
    return out;
  };
}

/**
 * One step of a gated recurrent unit: (input row, previous state) -> new state.
 * @typedef {(x: Matrix, hidden: Matrix) => Matrix} Cell
 */

/**
 * torch.nn.GRUCell, or one direction of a torch.nn.GRU layer, selected by the `suffix` of its weights.
 * @type {(weights: Weights, name: string, suffix?: string) => Cell}
 */
export function gruCell(weights, name, suffix = "") {
  const [fromInput, fromState, inputBias, stateBias] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map((part) =>
    weightOf(weights, `${name}.${part}${suffix}`),
  );
  return (x, hidden) => {
    const size = hidden.cols;
    const a = linear(x, fromInput, inputBias).data; // reset, update and new gates; same in b
    const b = linear(hidden, fromState, stateBias).data;
    const after = matrix(1, size);
    for (let k = 0; k < size; k++) {
      const reset = sigmoid(a[k] + b[k]);
      const update = sigmoid(a[size + k] + b[size + k]);
      const fresh = Math.tanh(a[2 * size + k] + reset * b[2 * size + k]);
      after.data[k] = (1 - update) * fresh + update * hidden.data[k];
    }
    return after;
  };
}

/** max(0, x W_1 + b_1) W_2 + b_2. @type {(weights: Weights, name: string) => (x: Matrix, intervention: Intervention) => Matrix} */
export function feedForward(weights, name) {
  const [first, second] = ["W_1", "W_2"].map((part) => linearLayer(weights, `${name}.${part}`));
  return (x, intervention) => {
    const hidden = map(first(x), (value) => Math.max(0, value));
    const output = intervention.isOff(name) ? matrix(x.rows, x.cols) : second(hidden);
    intervention.record(`${name}.input`, x);
    intervention.record(`${name}.hidden`, hidden);
    intervention.record(`${name}.output`, output);
    return output;
  };
}

/** W_2 (SiLU(W_1 x) * W_3 x), all without bias. @type {(weights: Weights, name: string) => (x: Matrix) => Matrix} */
export function swiGLU(weights, name) {
  const [gate, output, value] = ["W_1", "W_2", "W_3"].map((part) => linearLayer(weights, `${name}.${part}`));
  return (x) => {
    const hidden = value(x);
    const open = gate(x).data;
    for (let i = 0; i < open.length; i++) hidden.data[i] *= open[i] * sigmoid(open[i]);
    return output(hidden);
  };
}

/**
 * A residual connection around a sublayer, with post-norm or pre-norm.
 * @type {(weights: Weights, name: string, preNorm: boolean)
 *   => (x: Matrix, sublayer: (x: Matrix) => Matrix, intervention: Intervention) => Matrix}
 */
export function addNorm(weights, name, preNorm) {
  const norm = normLayer(weights, `${name}.norm`);
  return (x, sublayer, intervention) => {
    const keep = (/** @type {string} */ part, /** @type {Matrix} */ values) => {
      intervention.record(`${name}.${part}`, values);
      return values;
    };
    const normalize = (/** @type {Matrix} */ y) => keep("normalized", intervention.isOff("norm") ? y : norm(y));
    const join = (/** @type {Matrix} */ change) =>
      keep("sum", intervention.isOff("residual") ? change : add(x, change));
    keep("input", x);
    const change = keep("change", sublayer(preNorm ? normalize(x) : x));
    return preNorm ? join(change) : normalize(join(change));
  };
}
