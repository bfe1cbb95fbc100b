// The controls of what is shown, and how.
import { button, checkbox, choice, slider } from "../shared/controls.js";
import { element, set } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { ORDERS } from "./overview.js";
import { label, short } from "./text.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./log.js").Log} Log */
/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {(changes: Partial<State>) => void} Change */

/** @type {[State["view"], string][]} */
const VIEWS = [
  ["map", "Heatmap"],
  ["lines", "Lines"],
  ["heads", "All heads"],
  ["table", "Table"],
];

/** Tokens in angle or square brackets, and those without a letter or a digit. @type {[State["hide"], string][]} */
const HIDES = [
  ["", "nothing"],
  ["blank", "<…>, [...] and punctuation"],
  ["share", "these, and share out the rest"],
];

/** @template {{ input: HTMLElement }} Control @param {string} name @param {Control} control */
function named(name, control) {
  control.input.dataset.control = name;
  return control;
}

/** A list of options; it is hidden where there is nothing to choose. @param {ReturnType<typeof choice>} control @param {[string | number, string][]} list */
function offer(control, list) {
  control.offer(list);
  control.element.hidden = list.length < 2;
}

const numbered = (/** @type {number} */ count) =>
  range(count).map((i) => /** @type {[number, string]} */ ([i, String(i + 1)]));

/** Sentence, kind, layer, head, and the kind of picture. */
export class Pickers {
  filled = -1;

  /** @param {Plan} plan @param {Change} change */
  constructor(plan, change) {
    this.plan = plan;
    const away = { pin: null, hover: null };
    this.sentence = named(
      "sentence",
      choice("sentence", [], (value) => change({ sentence: Number(value), ...away })),
    );
    this.kind = named(
      "kind",
      choice("attention", [], (value) =>
        change({ kind: Number(value), ...plan.first(Number(value)), other: "0 0", order: "", ...away }),
      ),
    );
    this.layer = named(
      "layer",
      choice("layer", [], (value) => change({ layer: Number(value) })),
    );
    this.head = named(
      "head",
      choice("head", [], (value) => change({ head: value === "mean" || value === "max" ? value : Number(value) })),
    );
    this.views = VIEWS.map(([view, text]) => {
      const node = set(
        button(text, () => change({ view })),
        { "data-control": `view-${view}` },
      );
      return { view, node };
    });
    const views = { class: "views", role: "group", "aria-label": "Shown as" };
    this.element = element(
      "div",
      { class: "pickers" },
      ...[this.sentence, this.kind, this.layer, this.head].map((control) => control.element),
      element("div", views, ...this.views.map(({ node }) => node)),
    );
    offer(
      this.sentence,
      plan.sentences.map(({ label: text }, i) => [i, short(text, 60)]),
    );
    offer(
      this.kind,
      plan.kinds.map(({ label: text }, i) => [i, text]),
    );
  }

  /** @param {State} state */
  show({ kind, sentence, layer, head, view }) {
    const { heads, layers } = this.plan.kinds[kind];
    if (this.filled !== kind) {
      this.filled = kind;
      offer(this.layer, numbered(layers.length));
      const whole = this.plan.views.map((name) => /** @type {[string, string]} */ ([name, `${name} over heads`]));
      offer(this.head, heads > 1 ? [...whole, ...numbered(heads)] : [[0, "1"]]);
    }
    this.sentence.show(sentence);
    this.kind.show(kind);
    this.layer.show(layer);
    this.head.show(head);
    for (const { view: own, node } of this.views) {
      set(node, { "aria-pressed": String(own === view) });
      node.hidden = own === "heads" && heads * layers.length < 2;
    }
  }
}

/** What is needed seldom: comparing, single tokens, another curve, files. */
export class More {
  filled = "";

  /** @param {Plan} plan @param {Change} change @param {Record<"svg" | "png" | "json" | "latex" | "full", () => void>} save */
  constructor(plan, change, save) {
    this.plan = plan;
    this.compare = named(
      "compare",
      choice("compare with", [], (value) => change({ compare: /** @type {State["compare"]} */ (value), otherAt: 0 })),
    );
    this.other = named(
      "other",
      choice("other head", [], (value) => change({ other: value })),
    );
    this.steps = [""];
    const says = (/** @type {number} */ at) => this.steps[at];
    this.otherStep = named(
      "other-step",
      slider("other step", { min: 0, max: 0, says }, (at) => change({ otherAt: at })),
    );
    this.pin = named(
      "pin",
      choice("show only", [], (value) => {
        const [axis, index] = value.split(" ");
        change({ pin: axis === "row" || axis === "column" ? { axis, index: Number(index) } : null });
      }),
    );
    this.curve = named(
      "curve",
      choice("curve", [], (value) => change({ curve: value })),
    );
    this.stretch = named(
      "stretch",
      checkbox("stretch colours to the largest weight", (on) => change({ stretch: on })),
    );
    this.hide = named(
      "hide",
      choice("leave out", HIDES, (value) => change({ hide: /** @type {State["hide"]} */ (value) })),
    );
    const percent = (/** @type {number} */ weight) => `${Math.round(100 * weight)} %`;
    this.least = named(
      "least",
      slider("least weight", { min: 0, max: 0.5, step: 0.01, says: percent }, (least) => change({ least })),
    );
    this.order = named(
      "order",
      choice("order of heads", [], (value) => change({ order: /** @type {State["order"]} */ (value) })),
    );
    const chosen = [
      this.order,
      ...[this.compare, this.other, this.otherStep, this.pin, this.curve],
      ...[this.hide, this.least, this.stretch],
    ];
    const files = [
      set(button("Save SVG", save.svg), { "data-control": "svg" }),
      set(button("Save PNG", save.png), { "data-control": "png" }),
      set(button("Save LaTeX", save.latex), { "data-control": "latex" }),
      set(button("Save data as JSON", save.json), { "data-control": "json" }),
      set(button("Full screen", save.full), { "data-control": "full" }),
    ];
    this.element = element(
      "details",
      { class: "more" },
      element("summary", { text: "More: compare, leave out, save" }),
      element("div", { class: "controls" }, ...chosen.map((control) => control.element)),
      element("div", { class: "pickers", role: "group", "aria-label": "Save" }, ...files),
    );
  }

  /** @param {Log} log @param {State} state */
  fill(log, { kind, sentence }) {
    const names = Object.keys(log.series);
    const filled = [kind, sentence, log.frames.length > 1, ...names].join();
    if (filled === this.filled) return;
    this.filled = filled;
    const { heads, layers } = this.plan.kinds[kind];
    const many = heads * layers.length > 1;
    offer(this.compare, [
      ["", "nothing"],
      .../** @type {[string, string][]} */ (log.frames.length > 1 ? [["step", "another step"]] : []),
      .../** @type {[string, string][]} */ (many ? [["head", "another head"]] : []),
    ]);
    const each = layers.flatMap((_, l) =>
      range(heads).map((h) => {
        const text = layers.length > 1 ? `layer ${l + 1}, head ${h + 1}` : `head ${h + 1}`;
        return /** @type {[string, string]} */ ([`${l} ${h}`, text]);
      }),
    );
    this.other.offer(each);
    offer(
      this.order,
      ORDERS.filter(([order]) => order !== "error" || this.plan.header.measured_gold[kind]),
    );
    offer(
      this.curve,
      names.map((name) => [name, name]),
    );
    const tokens = (/** @type {string} */ axis, /** @type {string[]} */ list) =>
      list.map((text, i) => /** @type {[string, string]} */ ([`${axis} ${i}`, `${axis}: ${label(text)}`]));
    const [rows, columns] = [this.plan.rows(kind, sentence), this.plan.columns(kind, sentence)];
    this.pin.offer([["", "all tokens"], ...tokens("row", rows), ...tokens("column", columns)]);
  }

  /** @param {Log} log @param {State} state */
  show(log, state) {
    this.fill(log, state);
    this.steps = log.frames.map(({ step }) => `step ${step}`);
    set(this.otherStep.input, { max: log.frames.length - 1 });
    this.other.element.hidden = state.compare !== "head";
    this.otherStep.element.hidden = state.compare !== "step";
    this.compare.show(state.compare);
    this.other.show(state.other);
    this.otherStep.show(Math.min(state.otherAt, log.frames.length - 1));
    this.pin.show(state.pin ? `${state.pin.axis} ${state.pin.index}` : "");
    if (Object.keys(log.series).length) this.curve.show(state.curve);
    this.stretch.show(state.stretch);
    this.hide.show(state.hide);
    this.least.show(state.least);
    this.order.show(state.order);
    this.order.element.hidden = state.view !== "heads";
    for (const { element: node } of [this.hide, this.least]) node.hidden = state.view === "heads";
  }
}
