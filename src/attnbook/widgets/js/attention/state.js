// The state of the attention view, the matrices it selects, and their descriptions.

import { largest } from "./color_scale.js";
import { comparedState, differencePanel } from "./compare.js";
import { filterTokens } from "./filter_tokens.js";
import { formatter, short, visible, weightText } from "./format.js";
import { SQUARES } from "./frame_layout.js";
import { nearest } from "./frames.js";

/** @typedef {import("./frame_layout.js").Head} Head */
/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {import("./frames.js").FrameLog} FrameLog */
/** @typedef {{ axis: "row" | "column", index: number }} Token */
/** @typedef {{ row: number, column: number }} Cell */
/**
 * @typedef {object} State
 * @property {number} at index of the frame
 * @property {boolean} follow the latest frame
 * @property {number} kind
 * @property {number} sentence
 * @property {number} layer
 * @property {Head} head
 * @property {"map" | "lines" | "text" | "heads" | "table"} view
 * @property {boolean} gold
 * @property {boolean} stretch scale colors to the largest weight
 * @property {Token | null} pin the only token whose row or column is shown
 * @property {Token | null} aim the hovered token
 * @property {Cell | null} hover the hovered cell
 * @property {number} over index of the hovered heatmap
 * @property {import("./compare.js").Compare} compare
 * @property {number} otherStep of the other panel
 * @property {string} other the second panel's layer and head, sentence or kind
 * @property {boolean} difference one panel instead of two
 * @property {string} curve
 * @property {import("./filter_tokens.js").Hide} hide
 * @property {number} least smallest weight shown
 * @property {import("./head_overview.js").Order} order of all heads
 */
/**
 * @typedef {object} Panel one visible matrix
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {Float32Array} weights
 * @property {Set<number>} gold
 * @property {string} caption
 * @property {null | { own: Panel, other: Panel, names: [string, string] }} of the two panels of a difference
 */

/** @param {FrameLayout} frameLayout @returns {State} */
export function firstState(frameLayout) {
  return {
    ...{ at: 0, follow: false, kind: 0, sentence: 0, ...frameLayout.first(0), view: "map", gold: true },
    stretch: frameLayout.columns(0, 0).length > 24, // with many tokens every weight is small
    ...{ pin: null, aim: null, hover: null, over: 0, curve: "loss" },
    ...{ compare: /** @type {const} */ (""), otherStep: 0, other: "", difference: false },
    ...{ hide: /** @type {const} */ (""), least: 0, order: /** @type {const} */ ("") },
  };
}

/** @type {Float32Array} */
const NONE = new Float32Array();

/** Reads the matrices selected by a state. */
export class Reader {
  /** @param {FrameLayout} frameLayout */
  constructor(frameLayout) {
    this.frameLayout = frameLayout;
    /** Cached matrices, so that hovering computes nothing. @type {Map<string, { frame: object, weights: Float32Array }>} */
    this.known = new Map();
    /** The last difference, also cached. */
    this.last = { a: NONE, b: NONE, least: 0, weights: NONE };
  }

  /** @param {import("./frames.js").Frame} frame @param {State} state the selection and filters */
  matrix(frame, { kind, sentence, layer, head, hide, least }) {
    const key = [frame.step, kind, sentence, layer, head, hide, least].join(" ");
    const known = this.known.get(key);
    if (known?.frame === frame) return known.weights;
    if (this.known.size > 8) this.known.clear();
    const whole = this.frameLayout.matrix(frame, { kind, sentence, layer, head });
    const weights = filterTokens(whole, this.frameLayout.columns(kind, sentence), { hide, least });
    this.known.set(key, { frame, weights });
    return weights;
  }

  /** @param {FrameLog} log @param {State} state @returns {Panel} */
  panel(log, state) {
    const { kind, sentence } = state;
    const read = () => this.matrix(log.frames[state.at], state);
    return {
      rows: this.frameLayout.rows(kind, sentence),
      columns: this.frameLayout.columns(kind, sentence),
      get weights() {
        return read(); // computed on first use
      },
      gold: state.gold ? this.frameLayout.gold(state) : new Set(),
      caption: this.words(log, state).filter(Boolean).join(" · "),
      of: null,
    };
  }

  /** The visible panels: one matrix, two that are compared, or their difference. @param {FrameLog} log @param {State} state */
  panels(log, state) {
    const changes = comparedState(this.frameLayout, state, () => nearest(log.frames, state.otherStep));
    const own = this.panel(log, state);
    if (!changes) return [own];
    const there = { ...state, ...changes };
    const other = this.panel(log, there);
    if (!state.difference) return state.compare === "step" ? [other, own] : [own, other];
    const whole = { ...state, least: 0 }; // apply the threshold to the difference
    const pair = [whole, { ...there, least: 0 }].map((each) => this.panel(log, each));
    const words = [state, there].map((each) => this.words(log, each));
    return [differencePanel(pair, words, (a, b) => this.minus(a, b, state.least))];
  }

  /** The difference of two matrices, cached. @param {Float32Array} a @param {Float32Array} b @param {number} least smaller differences become zero */
  minus(a, b, least) {
    const { last } = this;
    if (last.a !== a || last.b !== b || last.least !== least) {
      const weights = a.map((value, i) => (Math.abs(value - b[i]) < least ? 0 : value - b[i]));
      this.last = { a, b, least, weights };
    }
    return this.last.weights;
  }

  /** Names of step, layer, head and comparison; empty where there is only one. @param {FrameLog} log @param {State} state */
  words(log, { at, kind, sentence, layer, head, compare }) {
    const { label, layers, heads } = this.frameLayout.kinds[kind];
    return [
      log.frames.length > 1 ? `step ${log.frames[at].step}` : "",
      compare === "kind" ? label : "",
      compare === "sentence" ? short(this.frameLayout.sentences[sentence].label, 40) : "",
      layers.length > 1 ? `layer ${layer + 1}` : "",
      heads > 1 ? (typeof head === "number" ? `head ${head + 1}` : `${head} over heads`) : "",
    ];
  }

  /** The range of the color scale. @param {FrameLog} log @param {State} state @param {Panel[]} panels */
  range(log, state, panels) {
    const top = this.top(log, state, panels);
    return { low: state.view !== "heads" && panels[0].of ? -top : 0, top };
  }

  /** The largest weight of the color scale. @param {FrameLog} log @param {State} state @param {Panel[]} panels */
  top(log, state, panels) {
    if (!state.stretch) return 1;
    if (state.view !== "heads") return Math.max(...panels.map(({ weights }) => largest(weights))) || 1;
    return SQUARES[largest(this.frameLayout.allCodes(log.frames[state.at], state.kind, state.sentence))] || 1;
  }
}

/** @param {Cell} cell @param {Panel} panel */
export function describeCell({ row, column }, panel) {
  const { rows, columns, weights, gold, caption, of } = panel;
  const cell = row * columns.length + column;
  const [from, to] = [rows[row], columns[column]].map((token) => visible(token).slice(0, 80));
  const known = gold.has(cell) ? ", a gold link" : "";
  if (of) {
    const [now, then] = [of.own, of.other].map((panel) => weightText(panel.weights[cell]));
    const [own, other] = of.names;
    const by = formatter(panel)(weights[cell]);
    return `“${from}” attends to “${to}” by ${by}: ${now} (${own}) against ${then} (${other})${known}`;
  }
  const which = caption ? ` (${caption})` : "";
  return `“${from}” attends to “${to}” with weight ${weightText(weights[cell])}${known}${which}`;
}

/** The longest cell description of a panel, to reserve space. @param {Panel} panel */
export function longestCellDescription(panel) {
  const index = (/** @type {string[]} */ tokens) =>
    tokens.reduce((best, token, i) => (token.length > tokens[best].length ? i : best), 0);
  const [row, column] = [index(panel.rows), index(panel.columns)];
  const gold = new Set([row * panel.columns.length + column]);
  return describeCell({ row, column }, { ...panel, weights: panel.weights, gold });
}

/** Whether a cell belongs to a token; true without a token. @param {Token | null} token @param {number} row @param {number} column */
export const belongs = (token, row, column) => !token || (token.axis === "row" ? row : column) === token.index;
