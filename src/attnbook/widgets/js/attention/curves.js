// Curves over training steps: a scalar, and below it the alignment error and entropy of the selected head.
import { set, svg, write } from "../shared/dom.js";
import { drag } from "../shared/drag.js";
import { clamp } from "../shared/numbers.js";
import { number, ticks } from "./format.js";
import { nearest } from "./frames.js";

/** @typedef {import("./frames.js").FrameLog} FrameLog */
/** @typedef {import("./frames.js").Frame} Frame */
/**
 * @typedef {object} Band one curve
 * @property {string} name
 * @property {string} style CSS class
 * @property {number} height
 * @property {[number, number][]} points step and value
 * @property {[number, number]} range
 * @property {string} unit
 * @property {(step: number, at: number) => number} value at the step of frame `at`
 */
/** @typedef {Band & { y: (value: number) => number, dot: SVGCircleElement, text: SVGTextElement }} Drawn */

const MARGIN = { left: 34, right: 10 };

/** The sentences over which error and entropy are averaged. @param {import("./frame_layout.js").FrameLayout} frameLayout @param {Band[]} bands */
export function measuredOver({ sentences }, bands) {
  const counted = (/** @type {number} */ count) => (count === 1 ? "1 sentence" : `${count} sentences`);
  const golden = sentences.filter(({ gold }) => gold?.length).length;
  const [error, entropy] = ["error", "entropy"].map((style) => bands.some((band) => band.style === style));
  if (error && golden < sentences.length) return `error: mean of ${counted(golden)} with gold`;
  if (error || entropy) return `${error ? "error, entropy" : "entropy"}: mean of ${counted(sentences.length)}`;
  return "";
}

/** @param {import("./frame_layout.js").FrameLayout} frameLayout @param {FrameLog} log @param {import("./state.js").State} state @returns {Band[]} */
export function curveBands(frameLayout, log, state) {
  /** @type {Band[]} */
  const found = [];
  if (log.points.length) {
    const points = log.points.map(
      (step, i) => /** @type {[number, number]} */ ([step, log.series[state.curve]?.[i] ?? Number.NaN]),
    );
    const values = points.map(([, value]) => value).filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const last = (/** @type {number} */ step) =>
      points.findLast(([known, value]) => known <= step && Number.isFinite(value))?.[1] ?? Number.NaN;
    /** @type {[number, number]} */
    const range = [low > 0 && low < 0.6 * high ? 0 : low, high];
    found.push({ name: state.curve, style: "scalar", height: 54, points, range, unit: "", value: last });
  }
  const measured = (
    /** @type {"error" | "entropy"} */ style,
    /** @type {string} */ name,
    /** @type {string} */ unit,
  ) => {
    const points = log.frames.map(
      (frame) => /** @type {[number, number]} */ ([frame.step, frameLayout.measure(frame, style, state)]),
    );
    const known = points.map(([, value]) => value).filter(Number.isFinite);
    const value = (/** @type {number} */ _, /** @type {number} */ at) => points[at][1];
    /** @type {[number, number]} */
    const range = [0, style === "error" ? 1 : Math.max(1, ...known)];
    if (known.length) found.push({ name, style, height: 22, points, range, unit, value });
  };
  measured("error", "alignment error", "");
  measured("entropy", "entropy", " bits");
  return found;
}

export class Curves {
  /** @type {Drawn[]} */
  bands = [];
  /** @type {Frame[]} */
  frames = [];
  low = 0;
  high = 1;
  plot = 1;

  /** @param {(at: number) => void} pick called with the index of the selected frame */
  constructor(pick) {
    this.element = svg("svg", { "aria-hidden": "true", class: "curves" });
    this.line = svg("line", { class: "playhead", y1: 0 });
    drag(
      this.element,
      () =>
        ({ x }) =>
          pick(nearest(this.frames, this.low + ((x - MARGIN.left) / this.plot) * (this.high - this.low))),
    );
  }

  /**
   * Draws the curves.
   *
   * @param {Frame[]} frames @param {Band[]} bands
   * @param {{ last: number, width: number, over: string }} how the last step, the available width and the note on averages
   */
  draw(frames, bands, { last, width, over }) {
    const low = frames[0].step;
    Object.assign(this, { frames, low, high: Math.max(last, low + 1), plot: width - MARGIN.left - MARGIN.right });
    let bottom = 0;
    /** @type {SVGElement[]} */
    const parts = [];
    this.bands = bands.map((band) => {
      const top = bottom + 18;
      bottom = top + band.height;
      return this.band(band, top, width, parts);
    });
    const height = bottom + 12;
    const note = svg("text", { class: "over", x: 2, y: height + 10, text: over });
    const marks = frames.map(({ step }) => `M${this.x(step).toFixed(1)} ${height - 8}v4`).join("");
    set(this.line, { y2: height - 8 });
    const above = this.bands.flatMap(({ dot, text }) => [dot, text]);
    this.element.replaceChildren(...parts, svg("path", { class: "ticks", d: marks }), this.line, ...above, note);
    const whole = height + (over ? 14 : 0);
    set(this.element, { viewBox: `0 0 ${width} ${whole}`, height: whole });
  }

  /** @param {Band} band @param {number} top @param {number} width @param {SVGElement[]} parts @returns {Drawn} */
  band(band, top, width, parts) {
    const [from, to] = band.range;
    const y = (/** @type {number} */ value) =>
      top + band.height * (1 - (clamp(value, from, to) - from) / (to - from || 1));
    for (const tick of band.height > 50 ? ticks(from, to, 3) : [from, to]) {
      const text = `${+tick.toPrecision(2)}`;
      parts.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }));
      parts.push(svg("text", { class: "tick", x: MARGIN.left - 6, y: y(tick) + 3.5, "text-anchor": "end", text }));
    }
    const points = band.points.filter(([, value]) => Number.isFinite(value));
    const path = points.map(([step, value]) => `${this.x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    parts.push(svg("path", { class: `curve ${band.style}`, d: path && `M${path}` }));
    const dot = svg("circle", { class: `dot ${band.style}`, r: 3.5 });
    const text = svg("text", { class: `name ${band.style}`, x: MARGIN.left, y: top - 6 });
    return { ...band, y, dot, text };
  }

  /** @param {number} step */
  x(step) {
    return MARGIN.left + ((step - this.low) / (this.high - this.low)) * this.plot;
  }

  /** Moves the playhead. @param {number} at @returns {string} the values there as text */
  show(at) {
    const { step } = this.frames[at];
    const x = this.x(step);
    set(this.line, { x1: x, x2: x });
    for (const { name, unit, value, y, dot, text } of this.bands) {
      const now = value(step, at);
      const known = Number.isFinite(now);
      set(dot, { visibility: known ? "visible" : "hidden", cx: x, cy: known ? y(now) : 0 });
      write(text, `${name} ${number(now)}${known ? unit : ""}`);
    }
    return this.bands.map(({ text }) => text.textContent).join(", ");
  }
}
