// What a reader has chosen, and what follows from it: which matrices are shown, and what is said of them.
import { clamp } from "../shared/numbers.js";
import { cleaned } from "./clean.js";
import { SQUARES } from "./plan.js";
import { largest } from "./scale.js";
import { visible, weightText } from "./text.js";

/** @typedef {import("./plan.js").Head} Head */
/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./log.js").Log} Log */
/** @typedef {{ axis: "row" | "column", index: number }} Token */
/** @typedef {{ row: number, column: number }} Cell */
/**
 * @typedef {object} State
 * @property {number} at which frame
 * @property {boolean} follow the newest frame
 * @property {number} kind
 * @property {number} sentence
 * @property {number} layer
 * @property {Head} head
 * @property {"map" | "lines" | "heads" | "table"} view
 * @property {boolean} gold
 * @property {boolean} stretch colours to the largest weight
 * @property {Token | null} pin the token whose row or column alone is shown
 * @property {Token | null} aim the token pointed at
 * @property {Cell | null} hover the cell pointed at
 * @property {number} over on which of two heatmaps
 * @property {"" | "step" | "head"} compare
 * @property {number} otherAt the other frame
 * @property {string} other layer and head of the other panel
 * @property {string} curve
 * @property {import("./clean.js").Hide} hide
 * @property {number} least weight that is shown
 * @property {import("./overview.js").Order} order of all heads
 */
/**
 * @typedef {object} Panel one matrix in sight
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {Float32Array} weights
 * @property {Set<number>} gold
 * @property {string} caption
 */

/** @param {Plan} plan @returns {State} */
export function firstState(plan) {
  return {
    ...{ at: 0, follow: false, kind: 0, sentence: 0, ...plan.first(0), view: "map", gold: true },
    stretch: plan.columns(0, 0).length > 24, // among many tokens every weight is small
    ...{ pin: null, aim: null, hover: null, over: 0, compare: "", otherAt: 0, other: "0 0", curve: "loss" },
    ...{ hide: /** @type {const} */ (""), least: 0, order: /** @type {const} */ ("") },
  };
}

/** Reads frames by what is chosen. */
export class Reader {
  /** @param {Plan} plan */
  constructor(plan) {
    this.plan = plan;
    /** Matrices by frame: pointing at a cell computes nothing anew. @type {Map<string, { frame: object, weights: Float32Array }>} */
    this.known = new Map();
  }

  /** @param {import("./log.js").Frame} frame @param {State} state what of it is chosen, and how it is shown */
  matrix(frame, { kind, sentence, layer, head, hide, least }) {
    const key = [frame.step, kind, sentence, layer, head, hide, least].join(" ");
    const known = this.known.get(key);
    if (known?.frame === frame) return known.weights;
    if (this.known.size > 8) this.known.clear();
    const whole = this.plan.matrix(frame, { kind, sentence, layer, head });
    const weights = cleaned(whole, this.plan.columns(kind, sentence), { hide, least });
    this.known.set(key, { frame, weights });
    return weights;
  }

  /** @param {Log} log @param {State} state @param {number} at @param {number} layer @param {Head} head @returns {Panel} */
  panel(log, state, at, layer, head) {
    const { kind, sentence } = state;
    const read = () => this.matrix(log.frames[at], { ...state, layer, head });
    return {
      rows: this.plan.rows(kind, sentence),
      columns: this.plan.columns(kind, sentence),
      get weights() {
        return read(); // only once somebody asks
      },
      gold: state.gold ? this.plan.gold(state) : new Set(),
      caption: this.caption(log, state, at, layer, head),
    };
  }

  /** The one or two matrices in sight. @param {Log} log @param {State} state */
  panels(log, state) {
    const own = this.panel(log, state, state.at, state.layer, state.head);
    if (state.compare === "step") {
      const at = clamp(state.otherAt, 0, log.frames.length - 1);
      return [this.panel(log, state, at, state.layer, state.head), own];
    }
    if (state.compare === "head") {
      const [layer, head] = state.other.split(" ").map(Number);
      return [own, this.panel(log, state, state.at, layer, head)];
    }
    return [own];
  }

  /** @param {Log} log @param {State} state @param {number} at @param {number} layer @param {Head} head */
  caption(log, state, at, layer, head) {
    const kind = this.plan.kinds[state.kind];
    const parts = [];
    if (log.frames.length > 1) parts.push(`step ${log.frames[at].step}`);
    if (kind.layers.length > 1) parts.push(`layer ${layer + 1}`);
    if (kind.heads > 1) parts.push(typeof head === "number" ? `head ${head + 1}` : `${head} over heads`);
    return parts.join(" · ");
  }

  /** The weight that has the last colour of the scale. @param {Log} log @param {State} state @param {Panel[]} panels */
  top(log, state, panels) {
    if (!state.stretch) return 1;
    if (state.view !== "heads") return Math.max(...panels.map(({ weights }) => largest(weights))) || 1;
    return SQUARES[largest(this.plan.allCodes(log.frames[state.at], state.kind, state.sentence))] || 1;
  }
}

/** @param {Cell} cell @param {Panel} panel */
export function sentence({ row, column }, { rows, columns, weights, gold, caption }) {
  const cell = row * columns.length + column;
  const [from, to] = [rows[row], columns[column]].map((token) => visible(token).slice(0, 80));
  const known = gold.has(cell) ? ", a gold link" : "";
  const which = caption ? ` (${caption})` : "";
  return `“${from}” attends to “${to}” with weight ${weightText(weights[cell])}${known}${which}`;
}

/** Whether a cell belongs to a token; every cell does where there is no token. @param {Token | null} token @param {number} row @param {number} column */
export const belongs = (token, row, column) => !token || (token.axis === "row" ? row : column) === token.index;
