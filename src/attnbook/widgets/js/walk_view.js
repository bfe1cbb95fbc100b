// A walk through a trained Transformer: the map, and the real arrays of each of its boxes for a sentence of the reader.
import { join } from "./engine/text.js";
import { EOS } from "./engine/vocabulary.js";
import { button, choice, greyOut } from "./shared/controls.js";
import { element, set } from "./shared/dom.js";
import { TOKEN_BUTTONS_STYLE, tokenButtons } from "./shared/token_buttons.js";
import { WidgetCard } from "./shared/widget_card.js";
import { LONGEST, SENTENCE_STYLE, sentenceField } from "./translate/sentence.js";
import { arraysOf, boxesOf, PARTS } from "./walk/boxes.js";
import { drawMap, HEIGHT, MAP_STYLE, WIDTH } from "./walk/map.js";
import { PANEL_STYLE, Panel } from "./walk/panel.js";
import { Runner } from "./walk/runner.js";
import { stopAt, stopsOf } from "./walk/stops.js";

/** @typedef {import("./walk/panel.js").Open & {sentence: string, box: string, position: number}} At what is open */

const NEAR = "800px"; // from the edge of the screen, where the model is loaded
const BEGINNING = 30; // characters of an output without an end that are quoted

const STYLE = `
${TOKEN_BUTTONS_STYLE.replaceAll(".written", ".walk .written")}
.walk { max-width: 56rem; }
.walk .asked { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 8px; }
.walk .asked > :first-child { display: contents; }
.walk .asked select { width: 6.4rem; min-height: max(38px, var(--touch)); }
.walk .asked .words { display: none; }
.walk .note { grid-column: 1 / -1; order: 1; height: 4.35em; overflow: auto; }
.walk .next { display: flex; gap: 6px; align-items: center; margin-bottom: 4px; }
.walk .next button { flex: none; }
.walk .written { position: relative; flex: 1; margin: 0; overflow: auto hidden; scrollbar-width: none; }
.walk .written p { display: flex; }
.walk .written button:focus-visible { outline-offset: -2px; }
.walk .far { display: none; }
@media (forced-colors: active) { .walk .written button[aria-pressed=true] { background: Highlight; } }
.walk .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.walk .both { display: grid; grid-template-columns: minmax(0, 1fr); height: calc(412px + var(--touch)); }
.walk .both > * { grid-area: 1 / 1; min-width: 0; min-height: 0; }
.walk .map { height: 100%; }
.walk .both.opened .map, .walk .both:not(.opened) .panel { visibility: hidden; }
@container (min-width: 620px) {
  .walk .asked select { width: 13rem; }
  .walk .note { height: 2.9em; }
  .walk .far { display: initial; }
  .walk .both { grid-template-columns: 300px minmax(0, 1fr); gap: 16px; height: calc(392px + var(--touch)); }
  .walk .both > .panel { grid-column: 2; }
  .walk .both.opened .map, .walk .both:not(.opened) .panel { visibility: visible; }
  .walk .to-map { display: none; }
}
${SENTENCE_STYLE}${MAP_STYLE}${PANEL_STYLE}`;

/** A label for a piece of a word. @param {string} piece */
const label = (piece) => piece.replace(/^▁/, "") || piece;

/** What a change of the written word or of the sentence puts back. */
const LATEST = {
  rows: { source: 0, target: null, words: 0 },
  columns: { features: 0, source: 0, target: null, words: 0 },
};

class WalkView {
  /** @type {Promise<void> | null} */
  loading = null;

  /** @param {import("@anywidget/types").RenderProps} place */
  constructor(place) {
    this.model = place.model;
    this.config = this.model.get("config");
    this.boxes = boxesOf(this.config);
    this.runner = new Runner(this.model.get("corpus"), () => this.draw());
    this.card = new WidgetCard(place, {
      ...{ name: "walk", title: this.model.get("title"), tip: this.model.get("tip"), style: STYLE, names: ["at"] },
    });
    this.both = element("div", { class: "both opened" });
    this.field = sentenceField({
      typed: (sentence) => this.change({ ...LATEST, sentence, position: 0 }),
      asked: () => void this.load(),
    });
    this.examples = this.exampleChoice();
    this.words = tokenButtons("Words of the translation", [], (position) => this.go(position));
    this.previous = set(
      button("◀", () => this.go(this.at.position - 1)),
      { "aria-label": "Previous word" },
    );
    this.next = set(
      button("▶", () => this.go(this.at.position + 1)),
      { "aria-label": "Next word" },
    );
    this.next.prepend(element("span", { class: "far", text: "Next word " }));
    this.panel = new Panel(this.config, {
      change: (changes) => this.change(changes),
      step: (by) => this.step(by),
      close: () => this.close(),
      say: (text) => this.card.say(text),
      link: (topic) => this.link(topic),
    });
    this.map = this.lay();
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.panel.element);
    this.seen = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && void this.load(), {
      rootMargin: NEAR,
    });
    this.seen.observe(this.card.root);
  }

  exampleChoice() {
    const sentences = /** @type {string[]} */ (this.model.get("sentences"));
    const named = ["Your own", ...sentences].map((text, i) => /** @type {[number, string]} */ ([i - 1, text]));
    const examples = choice("Examples", named, (i) => {
      if (Number(i) >= 0) this.change({ ...LATEST, sentence: sentences[Number(i)], position: 0 });
    });
    set(examples.input, { "aria-label": "Examples" });
    return examples;
  }

  /** Builds the card; returns the map. */
  lay() {
    const picture = this.card.picture(WIDTH, HEIGHT, { wide: WIDTH, label: "Map of encoder and decoder" });
    set(picture, { role: "group", class: "map" });
    this.both.append(picture, this.panel.element);
    this.card.figure.append(
      element("div", { class: "asked" }, this.field.element, this.examples.element),
      element("div", { class: "next" }, this.previous, this.words.element, this.next),
      this.both,
    );
    return drawMap(picture, this.config, (box) => this.open(box));
  }

  /** @returns {At} */
  get at() {
    return this.model.get("at");
  }

  /** @param {Partial<At>} changes */
  change(changes) {
    this.card.change({ at: { ...this.at, ...changes } });
  }

  /** The address of a section of this page. @param {string} topic @returns {string | null} */
  link(topic) {
    const section = this.model.get("sections")[topic];
    return section && document.getElementById(section) ? `#${section}` : null;
  }

  /** Opens a box and moves the focus into its array. @param {string} id */
  open(id) {
    const box = this.boxes.find((one) => one.id === id) ?? this.boxes[0];
    this.both.classList.add("opened");
    if (id !== this.at.box) this.change({ box: id, array: arraysOf(box, this.config, this.at.layer)[0].id });
    this.panel.focus();
  }

  close() {
    this.both.classList.remove("opened");
    this.map.focus(this.at.box);
  }

  /** Shows how another word of the translation is written. @param {number} position */
  go(position) {
    const last = (this.runner.trace?.written.length ?? 1) - 1;
    if (position < 0 || position > last) return;
    const { rows, columns } = this.at;
    this.change({
      position,
      rows: { ...rows, target: null, words: 0 },
      columns: { ...columns, target: null },
    });
  }

  /** Walks to the array before or after. @param {number} by */
  step(by) {
    const stops = stopsOf(this.config);
    const stop = stops[stopAt(stops, this.at) + by];
    if (stop) this.change(stop);
  }

  /** Loads the model, once. */
  async load() {
    this.loading ??= this.read();
    try {
      await this.loading;
    } catch (error) {
      this.loading = null; // allow a retry
      this.field.say(`Cannot load the model: ${error instanceof Error ? error.message : error}`, true);
    }
  }

  async read() {
    const [source] = this.model.get("weights");
    await this.runner.open(typeof source === "function" ? await source() : source);
    this.field.knows(this.runner.translator?.source.words ?? []);
    this.draw();
  }

  /** The translation as text; only the beginning if it has no end, because it often repeats a word. @param {import("./walk/trace.js").Trace} found */
  text({ written }) {
    const [target, capitals, corpus] = ["target", "capitals", "corpus"].map((name) => this.model.get(name));
    const text = join(this.runner.translator?.target.decode(written) ?? [], target, capitals, corpus);
    if (written[written.length - 1] === EOS) return `“${text}”`;
    return `“${text.length > BEGINNING ? text.slice(0, BEGINNING).replace(/\s+\S*$/, "") : text} …”`;
  }

  /** @returns {import("./walk/values.js").Scene | null} */
  scene() {
    const { translator, trace } = this.runner;
    if (!translator || !trace) return null;
    const { head, off, position } = this.at;
    const [source, target] = [translator.source.pieces(trace.source), translator.target.pieces(trace.read)];
    return {
      ...{ arrays: trace.arrays, weights: translator.model.weights, config: this.config, off, head },
      position: Math.min(position, trace.written.length - 1),
      tokens: { source: source.map(label), target: target.map(label) },
      ids: { source: trace.source, target: trace.read },
      word: (id) => label(translator.target.pieces([id])[0]),
    };
  }

  /** Updates the note below the field. @param {import("./walk/values.js").Scene | null} scene */
  note(scene) {
    const { unknown, whole, trace, translator } = this.runner;
    const { off } = this.at;
    if (!translator) return;
    if (!scene || !trace || !whole) return this.field.say("Type a sentence: the model translates it as you type.");
    if (unknown.length)
      return this.field.say(
        `Unknown to this model and read as <unk>: ${unknown.map((word) => `“${word}”`).join(", ")}.`,
        true,
      );
    if (this.at.sentence.length >= LONGEST)
      return this.field.say(`Only the first ${LONGEST} characters are read.`, true);
    const names = off.map((part) => PARTS[part]).join(", ");
    if (off.length) return this.field.say(`With all parts: ${this.text(whole)} Without ${names}: ${this.text(trace)}`);
    const read = scene.tokens.target.slice(0, scene.position + 1).join(" ");
    this.field.say(`The decoder reads “${read}” and writes “${scene.word(trace.written[scene.position])}”.`);
  }

  /** Scrolls the written words to the chosen one. */
  reveal() {
    const strip = this.words.element;
    const word = /** @type {HTMLElement | null} */ (strip.querySelector("[aria-pressed=true]"));
    if (word) strip.scrollLeft = word.offsetLeft - (strip.clientWidth - word.offsetWidth) / 2;
  }

  draw() {
    const { at, config, runner } = this;
    void runner.run(at.sentence, at.off);
    const scene = this.scene();
    const words = scene && runner.trace ? runner.trace.written.map(scene.word) : this.model.get("recorded");
    const position = Math.min(at.position, words.length - 1);
    this.field.show(at.sentence);
    this.examples.show(this.model.get("sentences").indexOf(at.sentence));
    this.words.show(runner.translator && !scene ? [] : words, position, true);
    this.reveal();
    greyOut(this.previous, position <= 0);
    greyOut(this.next, position >= words.length - 1);
    this.note(scene);
    this.map.mark(at.box, at.off);
    const stops = stopsOf(config);
    const stop = stopAt(stops, at);
    const box = this.boxes.find(({ id }) => id === at.box) ?? this.boxes[0];
    const theme = this.card.root.dataset.theme === "dark" ? "dark" : "light";
    this.panel.draw(box, at, scene, { first: stop <= 0, last: stop === stops.length - 1 }, theme);
  }
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const view = new WalkView(place);
  const stop = view.card.start(() => view.draw());
  return () => {
    view.resized.disconnect();
    view.seen.disconnect();
    stop();
  };
}

export default { render };
