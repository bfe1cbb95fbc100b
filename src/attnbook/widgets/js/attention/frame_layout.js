// Offsets of matrices and measures within a frame; layout.py and head_metrics.py define the order.

/** @typedef {import("./frames.js").Frame} Frame */
/** @typedef {{ label: string, query: string, key: string, layers: string[], heads: number, gold: boolean }} Kind */
/** @typedef {{ label: string, axes: Record<string, string[]>, gold: [number, number][] | null, picture: import("./picture_overlay.js").Picture | null }} Sentence */
/** @typedef {"mean" | "max" | number} Head one head, or an aggregate over heads */
/** @typedef {{ kind: number, sentence: number, layer: number, head: Head }} Selection */
/**
 * @typedef {object} Header
 * @property {string} id
 * @property {string} title
 * @property {Kind[]} kinds
 * @property {Sentence[]} sentences
 * @property {string[]} views aggregates over heads
 * @property {boolean[]} measured_gold by kind
 * @property {string[]} [next] axes of the rows with next tokens, the input axis first
 */

export const BEST = 5; // next tokens per row
const NEXT_BYTES = 4; // per next token

/** Weights by their one-byte code. */
export const SQUARES = Float32Array.from({ length: 256 }, (_, code) => (code / 255) ** 2);

export class FrameLayout {
  /** @param {Header} header */
  constructor(header) {
    this.header = header;
    this.kinds = header.kinds;
    this.sentences = header.sentences;
    this.views = header.views;
    let offset = 0;
    this.offsets = this.kinds.map((kind, k) =>
      this.sentences.map((_, s) => {
        const before = offset;
        offset += kind.layers.length * kind.heads * this.size(k, s);
        return before;
      }),
    );
    this.next = header.next ?? [];
    this.nexts = this.sentences.map(({ axes }) => {
      const before = offset;
      offset += this.next.length ? axes[this.next[0]].length * BEST * NEXT_BYTES : 0;
      return before;
    });
    let measured = 0;
    this.measured = this.kinds.map((kind, k) => {
      const before = measured;
      measured += kind.layers.length * (kind.heads + this.views.length) * (header.measured_gold[k] ? 2 : 1);
      return before;
    });
  }

  /** Tokens of the rows. @param {number} kind @param {number} sentence */
  rows(kind, sentence) {
    return this.sentences[sentence].axes[this.kinds[kind].query];
  }

  /** Tokens of the columns. @param {number} kind @param {number} sentence */
  columns(kind, sentence) {
    return this.sentences[sentence].axes[this.kinds[kind].key];
  }

  /** Weights in a matrix. @param {number} kind @param {number} sentence */
  size(kind, sentence) {
    return this.rows(kind, sentence).length * this.columns(kind, sentence).length;
  }

  /** The mean over heads of the last layer, or its only head. @param {number} kind @returns {{ layer: number, head: Head }} */
  first(kind) {
    const { layers, heads } = this.kinds[kind];
    return { layer: layers.length - 1, head: heads > 1 ? "mean" : 0 };
  }

  /** The same layer and head in another kind, or the nearest that exists. @param {number} kind @param {{ layer: number, head: Head }} here */
  within(kind, { layer, head }) {
    const { layers, heads } = this.kinds[kind];
    const known = typeof head === "number" ? head < heads : heads > 1;
    return { layer: Math.min(layer, layers.length - 1), head: known ? head : this.first(kind).head };
  }

  /** The codes (rows x columns) of one head. @param {Frame} frame @param {Selection} selection @param {number} head */
  codes(frame, { kind, sentence, layer }, head) {
    const size = this.size(kind, sentence);
    const start = this.offsets[kind][sentence] + (layer * this.kinds[kind].heads + head) * size;
    return frame.codes.subarray(start, start + size);
  }

  /** The codes of all heads of all layers. @param {Frame} frame @param {number} kind @param {number} sentence */
  allCodes(frame, kind, sentence) {
    const { layers, heads } = this.kinds[kind];
    const start = this.offsets[kind][sentence];
    return frame.codes.subarray(start, start + layers.length * heads * this.size(kind, sentence));
  }

  /** Weights (rows x columns) of one head, or of the mean or maximum over heads. @param {Frame} frame @param {Selection} selection */
  matrix(frame, selection) {
    const { kind, sentence, head } = selection;
    const { heads } = this.kinds[kind];
    const size = this.size(kind, sentence);
    const weights = new Float32Array(size);
    for (const one of typeof head === "number" ? [head] : Array(heads).keys()) {
      const codes = this.codes(frame, selection, one);
      if (head === "max") for (let i = 0; i < size; i++) weights[i] = Math.max(weights[i], SQUARES[codes[i]]);
      else for (let i = 0; i < size; i++) weights[i] += SQUARES[codes[i]];
    }
    if (head === "mean") for (let i = 0; i < size; i++) weights[i] /= heads;
    return weights;
  }

  /**
   * A measure of one frame, NaN if not recorded.
   *
   * @param {Frame} frame @param {"entropy" | "error"} name @param {Selection} selection
   */
  measure(frame, name, { kind, layer, head }) {
    const { heads, layers } = this.kinds[kind];
    const each = heads + this.views.length;
    if (name === "error" && !this.header.measured_gold[kind]) return Number.NaN;
    const view = typeof head === "number" ? head + this.views.length : this.views.indexOf(head);
    return frame.measures[this.measured[kind] + (name === "error" ? layers.length * each : 0) + layer * each + view];
  }

  /** The most likely next tokens of a row, which next_tokens.py stores after the weights. @param {Frame} frame @param {number} sentence @param {number} row */
  likely(frame, sentence, row) {
    const start = this.nexts[sentence] + row * BEST * NEXT_BYTES;
    return Array.from({ length: BEST }, (_, i) => {
      const [low, middle, high, p] = frame.codes.subarray(start + i * NEXT_BYTES, start + (i + 1) * NEXT_BYTES);
      return { id: low + 256 * middle + 65536 * high, p: SQUARES[p] };
    });
  }

  /** Gold cells as row * columns + column. @param {{ kind: number, sentence: number }} selection */
  gold({ kind, sentence }) {
    const links = this.kinds[kind].gold ? (this.sentences[sentence].gold ?? []) : [];
    const width = this.columns(kind, sentence).length;
    return new Set(links.map(([column, row]) => row * width + column));
  }
}
