// Less common options: comparisons, filters, curves and exports.
import { button, checkbox, choice, slider } from "../shared/controls.js";
import { element, set, write } from "../shared/dom.js";
import { comparisonKinds, comparisonOptions } from "./compare.js";
import { label, progressText } from "./format.js";
import { nearest } from "./frames.js";
import { ORDERS } from "./head_overview.js";
import { named, offer } from "./pickers.js";
import { firstState } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./frames.js").FrameLog} FrameLog */
/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {import("./pickers.js").Change} Change */
/** @typedef {Record<"svg" | "png" | "latex" | "json" | "link" | "full", () => void>} ExportActions */

/** Tokens in angle or square brackets, and those without a letter or a digit. @type {[State["hide"], string][]} */
const HIDES = [
  ["", "nothing"],
  ["blank", "special tokens and punctuation"],
  ["share", "the same, then renormalize"],
];
/** @type {[keyof ExportActions, string][]} */
const FILES = [
  ["svg", "Save SVG"],
  ["png", "Save PNG"],
  ["latex", "Save LaTeX"],
  ["json", "Save data as JSON"],
  ["link", "Copy link"],
  ["full", "Full screen"],
];

export class OptionsPanel {
  filled = "";
  speed = element("p", { class: "speed" });
  /** Steps of the frames. */
  steps = [0];

  /** @param {FrameLayout} frameLayout @param {Change} change @param {ExportActions} saves @param {boolean} onPage whether the view may use the page's URL */
  constructor(frameLayout, change, saves, onPage) {
    this.frameLayout = frameLayout;
    this.controls = { ...this.comparing(change), ...this.filtering(change) };
    for (const [name, control] of Object.entries(this.controls)) named(name, control);
    const there = { link: onPage, full: document.fullscreenEnabled }; // iframes and phones may not allow full screen
    const offers = FILES.filter(([name]) => !(name in there) || there[/** @type {"link" | "full"} */ (name)]);
    const files = offers.map(([name, text]) => set(button(text, saves[name]), { "data-control": name }));
    this.element = element(
      "details",
      { class: "more" },
      element("summary", { text: "More", title: "compare, filter, save" }),
      this.speed,
      element("div", { class: "controls" }, ...Object.values(this.controls).map((control) => control.element)),
      element("div", { class: "pickers", role: "group", "aria-label": "Save" }, ...files),
    );
  }

  /** Controls of the second panel. @param {Change} change */
  comparing(change) {
    const orders = (/** @type {string} */ value) => change({ order: /** @type {State["order"]} */ (value) });
    const compares = (/** @type {string} */ value) => change({ compare: /** @type {State["compare"]} */ (value) });
    const says = (/** @type {number} */ at) => `step ${this.steps[at]}`;
    const subtracts = (/** @type {boolean} */ difference) =>
      change({ difference, stretch: difference || firstState(this.frameLayout).stretch }); // most differences are small
    return {
      order: choice("sort heads", [], orders),
      compare: choice("compare with", [], compares),
      other: choice("second panel", [], (other) => change({ other })),
      "other-step": slider("second step", { min: 0, max: 0, says }, (at) => change({ otherStep: this.steps[at] })),
      difference: checkbox("show difference", subtracts),
    };
  }

  /** Controls of filters, curve and colors. @param {Change} change */
  filtering(change) {
    const pins = (/** @type {string} */ value) => {
      const [axis, index] = value.split(" ");
      change({ pin: axis === "row" || axis === "column" ? { axis, index: Number(index) } : null });
    };
    const says = (/** @type {number} */ weight) => `${Math.round(100 * weight)} %`;
    return {
      pin: choice("show only", [], pins),
      curve: choice("curve", [], (curve) => change({ curve })),
      hide: choice("hide", HIDES, (value) => change({ hide: /** @type {State["hide"]} */ (value) })),
      least: slider("minimum weight", { min: 0, max: 0.5, step: 0.01, says }, (least) => change({ least })),
      stretch: checkbox("scale colors to the largest weight", (stretch) => change({ stretch })),
    };
  }

  /** @param {FrameLog} log @param {State} state */
  fill(log, state) {
    const { kind, sentence, compare } = state;
    const names = Object.keys(log.series);
    const several = log.frames.length > 1;
    const filled = [kind, sentence, compare, several, ...names].join();
    if (filled === this.filled) return;
    this.filled = filled;
    const { frameLayout, controls } = this;
    offer(controls.compare, comparisonKinds(frameLayout, state, several));
    controls.other.offer(comparisonOptions(frameLayout, state));
    offer(
      controls.order,
      ORDERS.filter(([order]) => order !== "error" || frameLayout.header.measured_gold[kind]),
    );
    offer(
      controls.curve,
      names.map((name) => [name, name]),
    );
    const tokens = (/** @type {string} */ axis, /** @type {string[]} */ list) =>
      list.map((text, i) => /** @type {[string, string]} */ ([`${axis} ${i}`, `${axis}: ${label(text)}`]));
    const [rows, columns] = [frameLayout.rows(kind, sentence), frameLayout.columns(kind, sentence)];
    controls.pin.offer([["", "all tokens"], ...tokens("row", rows), ...tokens("column", columns)]);
  }

  /** How long the model learned, and how fast. @param {import("./frames.js").Progress} progress */
  showSpeed(progress) {
    const { done, tokens_per_second: speed } = progress;
    const parts = [...(done ? [progressText(progress, false)] : [])];
    if (speed) parts.push(`${Math.round(speed).toLocaleString("en")} tokens per second`);
    write(this.speed, parts.join(" · "));
  }

  /** @param {FrameLog} log @param {State} state */
  show(log, state) {
    this.fill(log, state);
    const { controls } = this;
    this.steps = log.frames.map(({ step }) => step);
    set(controls["other-step"].input, { max: log.frames.length - 1 });
    controls["other-step"].show(nearest(log.frames, state.otherStep));
    const { compare, view } = state;
    if (compare !== "" && compare !== "step") controls.other.show(state.other);
    controls.compare.show(compare);
    controls.difference.show(state.difference);
    controls.pin.show(state.pin ? `${state.pin.axis} ${state.pin.index}` : "");
    if (Object.keys(log.series).length) controls.curve.show(state.curve);
    controls.stretch.show(state.stretch);
    controls.hide.show(state.hide);
    controls.least.show(state.least);
    controls.order.show(state.order);
    const hidden = {
      ...{ other: compare === "" || compare === "step", "other-step": compare !== "step", difference: compare === "" },
      ...{ order: view !== "heads", hide: view === "heads", least: view === "heads" },
    };
    for (const [name, away] of Object.entries(hidden))
      controls[/** @type {keyof typeof hidden} */ (name)].element.hidden = away;
  }
}
