// The main controls: what is shown and how.
import { button, choice } from "../shared/controls.js";
import { element, set } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { short } from "./format.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {(changes: Partial<State>) => void} Change */

/** @type {[State["view"], string][]} */
const VIEWS = [
  ["map", "Heatmap"],
  ["lines", "Lines"],
  ["text", "Text"],
  ["heads", "All heads"],
  ["table", "Table"],
];

/** @template {{ input: HTMLElement }} Control @param {string} name @param {Control} control */
export function named(name, control) {
  control.input.dataset.control = name;
  return control;
}

/** Sets the options and hides the control if there is nothing to choose. @param {ReturnType<typeof choice>} control @param {[string | number, string][]} list */
export function offer(control, list) {
  control.offer(list);
  control.element.hidden = list.length < 2;
}

const numbered = (/** @type {number} */ count) =>
  range(count).map((i) => /** @type {[number, string]} */ ([i, String(i + 1)]));

/** Sentence, attention kind, layer, head and view. */
export class Pickers {
  filled = -1;

  /** @param {FrameLayout} frameLayout @param {Change} change */
  constructor(frameLayout, change) {
    this.frameLayout = frameLayout;
    const away = { pin: null, aim: null, hover: null }; // other tokens
    this.sentence = named(
      "sentence",
      choice("sentence", [], (value) => change({ sentence: Number(value), ...away })),
    );
    this.kind = named(
      "kind",
      choice("attention", [], (value) =>
        change({ kind: Number(value), ...frameLayout.first(Number(value)), order: "", ...away }),
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
    const views = { class: "views", role: "group", "aria-label": "View" };
    this.element = element(
      "div",
      { class: "pickers" },
      ...[this.sentence, this.kind, this.layer, this.head].map((control) => control.element),
      element("div", views, ...this.views.map(({ node }) => node)),
    );
    offer(
      this.sentence,
      frameLayout.sentences.map(({ label: text }, i) => [i, short(text, 60)]),
    );
    offer(
      this.kind,
      frameLayout.kinds.map(({ label: text }, i) => [i, text]),
    );
  }

  /** @param {State} state */
  show({ kind, sentence, layer, head, view }) {
    const { heads, layers } = this.frameLayout.kinds[kind];
    if (this.filled !== kind) {
      this.filled = kind;
      offer(this.layer, numbered(layers.length));
      const whole = this.frameLayout.views.map((name) => /** @type {[string, string]} */ ([name, name]));
      offer(this.head, heads > 1 ? [...whole, ...numbered(heads)] : [[0, "1"]]);
    }
    this.sentence.show(sentence);
    this.kind.show(kind);
    this.layer.show(layer);
    this.head.show(head);
    for (const { view: own, node } of this.views) {
      set(node, { "aria-pressed": String(own === view) });
      const away = { heads: heads * layers.length < 2, text: this.frameLayout.sentences[sentence].picture !== null };
      node.hidden = own in away && away[/** @type {"heads" | "text"} */ (own)];
    }
  }
}
