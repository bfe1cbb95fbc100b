// One strip per head over the training steps, sorted by a measure at the last step.
import { element, set, write } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { largest, paint } from "./color_scale.js";
import { SQUARES } from "./frame_layout.js";

/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {import("./frame_layout.js").Selection} Selection */
/** @typedef {import("./frames.js").Frame} Frame */
/** @typedef {"" | "entropy" | "error" | "diagonality" | "distance"} Order */

/** @type {[Order, string][]} */
export const ORDERS = [
  ["", "as in the model"],
  ["entropy", "by entropy, over the steps"],
  ["error", "by alignment error, over the steps"],
  ["diagonality", "by diagonality, over the steps"],
  ["distance", "by distance, over the steps"],
];

/**
 * A measure of one head in one frame. Distance is the mean of |i - j| under the weights, in tokens. Diagonality is 1 minus
 * the mean of |i / rows - j / columns| between cell centers, so it is 1 on the diagonal.
 *
 * @param {FrameLayout} frameLayout @param {Frame} frame @param {Order} order @param {Selection & { head: number }} one
 */
export function measured(frameLayout, frame, order, one) {
  if (order === "entropy" || order === "error") return frameLayout.measure(frame, order, one);
  const [rows, columns] = [
    frameLayout.rows(one.kind, one.sentence).length,
    frameLayout.columns(one.kind, one.sentence).length,
  ];
  const codes = frameLayout.codes(frame, one, one.head);
  let total = 0;
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const apart = order === "distance" ? Math.abs(i - j) : Math.abs((i + 0.5) / rows - (j + 0.5) / columns);
      total += SQUARES[codes[i * columns + j]] * apart;
    }
  return order === "distance" ? total / rows : 1 - total / rows;
}

export class HeadOverview {
  /** @type {{ layer: number, head: number, button: HTMLElement, canvas: HTMLCanvasElement, note: HTMLElement }[]} */
  strips = [];
  made = "";
  /** @type {WeakMap<Frame, Map<string, number>>} */
  known = new WeakMap();

  /** @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element = element("div", { class: "overview" });
  }

  /** @param {FrameLayout} frameLayout @param {number} kind */
  make(frameLayout, kind) {
    if (this.made === String(kind)) return;
    this.made = String(kind);
    const { layers, heads } = frameLayout.kinds[kind];
    this.strips = layers.flatMap((_, layer) =>
      range(heads).map((head) => {
        const canvas = element("canvas", { "aria-hidden": "true" });
        const name = `${layers.length > 1 ? `layer ${layer + 1}, ` : ""}head ${head + 1}`;
        const note = element("span", { class: "weight" });
        const now = element("span", { class: "now" });
        const strip = element("span", { class: "strip" }, canvas, now);
        const button = element("button", { type: "button" }, element("span", { text: name }), strip, note);
        button.addEventListener("click", () => this.choose({ layer, head }));
        return { layer, head, button, canvas, note };
      }),
    );
  }

  /** @param {Frame} frame @param {FrameLayout} frameLayout @param {Order} order @param {Selection & { head: number }} one */
  value(frame, frameLayout, order, one) {
    const values = this.known.get(frame) ?? new Map();
    this.known.set(frame, values);
    const key = [order, one.kind, one.sentence, one.layer, one.head].join(" ");
    if (!values.has(key)) values.set(key, measured(frameLayout, frame, order, one));
    return values.get(key);
  }

  /** @param {FrameLayout} frameLayout @param {Frame[]} frames @param {import("./state.js").State} state @param {import("./color_scale.js").Table} table */
  draw(frameLayout, frames, state, table) {
    this.make(frameLayout, state.kind);
    const rows = this.strips.map((strip) => {
      const one = { ...state, layer: strip.layer, head: strip.head };
      return { strip, values: Float32Array.from(frames, (frame) => this.value(frame, frameLayout, state.order, one)) };
    });
    const top = Math.max(...rows.map(({ values }) => largest(values))) || 1;
    const direction = state.order === "diagonality" ? -1 : 1;
    rows.sort((a, b) => direction * (a.values[frames.length - 1] - b.values[frames.length - 1]));
    for (const { strip, values } of rows) {
      paint(strip.canvas, values, frames.length, { table, low: 0, top });
      write(strip.note, values[state.at].toFixed(2));
    }
    set(this.element, { style: `--now:${((state.at + 0.5) / frames.length) * 100}%` });
    const sorted = rows.map(({ strip }) => strip.button);
    if (sorted.every((button, i) => button === this.element.children[i])) return;
    const focused = sorted.find((button) => button.matches(":focus"));
    this.element.replaceChildren(...sorted);
    focused?.focus({ preventScroll: true }); // running training re-sorts the strips
  }
}
