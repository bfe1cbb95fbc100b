// Changes to a model's computation, as data; attnbook.observe.interventions and ablation are the Python counterparts.
//
// All changes act on the softmax over the keys allowed by the model's own mask: a forbidden cell is masked, a cell with a
// fixed weight gets it and the other weights are rescaled to sum to the rest, a disabled head has zero weights, and a
// temperature divides the scores.
import { maskedSoftmax } from "../shared/linear_algebra.js";

/**
 * One weight of one head or all heads (`head` null), for one query row or all rows (`row` null), on the key at `column`.
 * @typedef {{module: string, head: number | null, row: number | null, column: number, weight: number | null}} Cell
 *   A `weight` of null forbids the cell.
 */

/**
 * @typedef {object} Changes
 * @property {Cell[]} [cells]
 * @property {{module: string, head: number}[]} [heads] that are disabled
 * @property {Record<string, number>} [temperatures] of modules; above 1 softens, below 1 sharpens
 * @property {boolean} [positions] false: without positional encodings or rotations
 * @property {string[]} [off] parts of a Transformer that are switched off in all layers, as in attnbook.observe.ablation
 */

/** Hears of an intermediate array, one row per token, by its name. @typedef {(name: string, values: import("../shared/linear_algebra.js").Matrix) => void} Recorder */

export class Intervention {
  /** @param {Changes} [changes] @param {Recorder} [record] */
  constructor({ cells = [], heads = [], temperatures = {}, positions = true, off = [] } = {}, record = () => {}) {
    for (const [module, value] of Object.entries(temperatures))
      if (!(value > 0 && value < Infinity)) throw new Error(`temperatures[${module}] must be > 0, got ${value}`);
    for (const { weight } of cells)
      if (weight !== null && !(weight >= 0 && weight <= 1))
        throw new Error(`weight must be in [0, 1] or null, got ${weight}`);
    this.cells = cells;
    this.heads = heads;
    this.temperatures = temperatures;
    this.positions = positions && !off.includes("positions");
    this.off = off;
    this.record = record;
  }

  /** Whether a part is switched off. @param {string} name of a module, or "residual" or "norm" */
  isOff(name) {
    return this.off.includes(name.replace(/\.\d+\./, "."));
  }

  /** The cells of one row. @type {(module: string, head: number, row: number) => Cell[]} */
  cellsOf(module, head, row) {
    return this.cells.filter(
      (cell) => cell.module === module && (cell.head ?? head) === head && (cell.row ?? row) === row,
    );
  }

  /**
   * The weights of one row: a masked softmax with the changes applied. All zeros if no key is allowed.
   * @param {string} module @param {number} head @param {number} row
   * @param {Float32Array} scores one per key
   * @param {(key: number) => boolean} [allowed] the model's own mask
   */
  softmax(module, head, row, scores, allowed = () => true) {
    const disabled = this.heads.some((off) => off.module === module && off.head === head);
    if (disabled || this.isOff(module)) return new Float32Array(scores.length);
    const cells = this.cellsOf(module, head, row);
    const forbidden = new Set(cells.filter(({ weight }) => weight === null).map(({ column }) => column));
    const isOpen = (/** @type {number} */ key) => allowed(key) && !forbidden.has(key);
    const weights = Float32Array.from(maskedSoftmax(scores, isOpen, this.temperatures[module] ?? 1));
    /** @type {Map<number, number>} */
    const forced = new Map();
    for (const { column, weight } of cells)
      if (weight !== null && column < scores.length && isOpen(column)) forced.set(column, weight);
    if (forced.size) share(weights, forced);
    return weights;
  }
}

/** Fixes the forced weights and rescales the others to sum to the rest. @type {(weights: Float32Array, forced: Map<number, number>) => void} */
function share(weights, forced) {
  let [left, others] = [1, 0];
  for (const weight of forced.values()) left -= weight;
  for (const [key, weight] of weights.entries()) others += forced.has(key) ? 0 : weight;
  const factor = others > 0 ? Math.max(0, left) / others : 0;
  for (const [key, weight] of weights.entries()) weights[key] = forced.get(key) ?? weight * factor;
}

export const NONE = /* @__PURE__ */ new Intervention(); // pure: the training widget's bundle leaves this module out
