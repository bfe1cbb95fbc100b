// Translates typed sentences in the page with a trained model, and lets the user change its attention.
import { join } from "./engine/text.js";
import program from "./engine/worker.js?text";
import { choice, slider } from "./shared/controls.js";
import { element } from "./shared/dom.js";
import { Address } from "./shared/url_fragment.js";
import { WidgetCard } from "./shared/widget_card.js";
import { attentionPicture, PICTURE_STYLE } from "./translate/attention_picture.js";
import { COMPARE_STYLE, compareLines } from "./translate/compare.js";
import {
  changedWords,
  formatProbability,
  fromText,
  isChanged,
  newExperiment,
  swapped,
  toText,
} from "./translate/experiment.js";
import { exportButtons } from "./translate/export_buttons.js";
import { alternatives, changePanel, PANEL_STYLE, tabs } from "./translate/panels.js";
import { PRESETS_STYLE, presetButtons } from "./translate/preset_buttons.js";
import { isPressed, presets } from "./translate/presets.js";
import { describeChoice, exportedData, leastConfident, weightsOf } from "./translate/rows.js";
import { Runner } from "./translate/runner.js";
import { LONGEST, SENTENCE_STYLE, sentenceField } from "./translate/sentence.js";
import { Translator } from "./translate/translator.js";
import {
  areSubwords,
  lostNames,
  namesIn,
  shownPiece,
  UNSURE,
  unfamiliarLetters,
  unsureWords,
  wordOfPiece,
} from "./translate/words.js";

/** @typedef {import("./engine/session.js").Outcome} Outcome */
/** @typedef {import("./engine/session.js").Row} Row */
/** @typedef {import("./translate/experiment.js").Experiment} Experiment */
/** @typedef {import("@anywidget/types").RenderProps} RenderProps */

const LEARNED = "It learned short sentences that end with a period or a question mark.";

const STYLE = `
.translate { max-width: 56rem; }
.bar { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 22rem); gap: 16px; align-items: end; margin: 4px 0; }
.bar:empty { display: none; }
.bar .field:has(select) { flex-direction: row; align-items: center; gap: 8px; }
.bar select { flex: 1; min-width: 0; }
@container (max-width: 619px) { .bar > :not(:only-child):has(select) .words { position: absolute; clip-path: inset(50%); } }
.translate .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.translate .controls { margin: 0; }
${SENTENCE_STYLE}${COMPARE_STYLE}${PRESETS_STYLE}${PANEL_STYLE}${PICTURE_STYLE}`;

class TranslateView {
  /** @param {RenderProps} place */
  constructor(place) {
    const { model, el } = place;
    this.model = model;
    this.address = new Address(el, model.get("name"));
    this.steps = /** @type {number[]} */ (model.get("steps"));
    this.first = newExperiment(model.get("sentence"), this.steps.length - 1);
    const sent = fromText(this.address.read(), this.first, this.steps);
    this.experiment = sent ?? this.first;
    this.modules = /** @type {{name: string, heads: number}[]} */ (model.get("modules"));
    this.cross = this.modules.map(({ name }) => name).filter((name) => name.endsWith("cross_attention"));
    this.view = { name: this.cross[this.cross.length - 1] ?? "", head: /** @type {number | null} */ (null) };
    this.chosen = { row: 0, column: /** @type {number | null} */ (null) };
    this.kind = /** @type {"cells" | "lines"} */ ("lines");
    this.translator = new Translator(program, model.get("weights"));
    this.runner = new Runner(this.translator, this.cross, model.get("corpus"), (news) => this.hear(news));
    this.field = sentenceField({
      typed: (sentence) => this.set(newExperiment(sentence, this.experiment.stage)),
      asked: () => void this.open(),
    });
    /** Unset until the model is open; 0 for subwords. @type {number | undefined} */
    this.vocabularySize = undefined;
    /** The presets of a translation. @type {{trained: Row[], list: import("./translate/presets.js").Preset[]} | null} */
    this.offered = null;
    this.translated = this.first.sentence; // the sentence whose translation is shown
    this.opened = -1; // the stage whose model has translated
    this.touched = false; // whether the user has selected a row
    this.picture = attentionPicture((row, column) => {
      this.touched = true;
      this.chosen = { row, column };
      const one = this.runner.rows[row]; // may not be decoded again yet
      const word = one ? `“${this.shown(one.piece)}” with probability ${formatProbability(one.p)}` : "";
      this.card.say(this.draw() || word);
    });
    this.alternatives = alternatives((id) => this.take(id));
    this.changes = changePanel({ modules: this.modules, config: model.get("config") }, this.changers());
    this.compare = compareLines(model.get("target"));
    this.presets = presetButtons({
      press: (preset, on) =>
        this.set({ ...newExperiment(this.experiment.sentence, this.experiment.stage), ...(on ? preset.change : {}) }),
      undo: () => this.changers().undo(),
    });
    this.stages = slider(
      "Training step",
      { min: 0, max: this.steps.length - 1, says: (stage) => this.steps[stage].toLocaleString("en") },
      (stage) => this.set({ ...newExperiment(this.experiment.sentence, stage) }),
    );
    const options = { name: "translate", title: model.get("title"), tip: model.get("tip"), style: STYLE };
    this.card = new WidgetCard(place, { ...options, names: ["sentence"] });
    this.lay();
    if (sent) {
      this.set(sent);
      this.address.show();
    } else {
      this.field.show(this.first.sentence);
      this.runner.arrive(model.get("recorded"), matchMedia("(prefers-reduced-motion: reduce)").matches);
      this.note();
    }
  }

  /** Builds the card: what is written first, then what changes it, then where it looked. */
  lay() {
    const kinds = choice(
      "Attention as",
      [
        ["lines", "lines"],
        ["cells", "cells"],
      ],
      (kind) => {
        this.kind = kind === "cells" ? "cells" : "lines";
        this.draw();
      },
    );
    const more = [...(this.cross.length ? [element("div", { class: "wide" }, kinds.element)] : []), ...this.saves()];
    this.panel = tabs([
      { id: "picture", name: "Lines", content: element("div", {}, this.picture.element) },
      { id: "words", name: "Words", content: this.alternatives.element },
      { id: "change", name: "Change", content: this.changes.element },
      { id: "more", name: "More", content: element("div", {}, element("div", { class: "changes" }, ...more)) },
    ]);
    this.card.figure.append(
      this.field.element,
      this.compare.element,
      this.presets.element,
      element("div", { class: "bar" }, ...this.bar()),
      this.panel.element,
    );
    this.resized = new ResizeObserver(() => {
      this.panel?.fit();
      this.draw();
    });
    this.resized.observe(this.panel.element);
    this.resized.observe(this.picture.element);
  }

  /** Controls of the training step and the head. */
  bar() {
    const several = this.modules.some(({ heads }) => heads > 1);
    return [...(this.steps.length > 1 ? [this.stages.element] : []), ...(several ? [this.changes.looks.element] : [])];
  }

  saves() {
    return exportButtons({
      drawing: () => this.picture.element.querySelector("svg"),
      background: () => getComputedStyle(this.card.root).backgroundColor,
      data: () => exportedData(this.experiment, this.steps, this.runner),
      link: this.address.onPage ? async () => this.field.say(await this.address.copy(this.sendable())) : null,
    });
  }

  /** Actions of the intervention panel. */
  changers() {
    return {
      /** @param {number | null} weight @param {boolean} all */
      cell: (weight, all) => this.changeCell(weight, all),
      undo: () => this.set(newExperiment(this.experiment.sentence, this.experiment.stage)),
      /** @param {string} name @param {number | null} head */
      view: (name, head) => {
        this.view = { name, head };
        this.draw();
      },
      /** @param {Partial<Experiment>} changes */
      change: (changes) => this.set({ ...this.experiment, ...changes }),
      /** @param {boolean} off */
      headOff: (off) => this.turnHead(off),
      swap: () => this.set({ ...this.experiment, swap: this.experiment.swap === null ? this.chosenWord() : null }),
    };
  }

  /** Runs another experiment. @param {Experiment} experiment */
  async set(experiment) {
    this.touched &&= experiment.sentence === this.experiment.sentence;
    const known = experiment.sentence === this.experiment.sentence && experiment.stage === this.experiment.stage;
    this.experiment = experiment;
    this.address.write(this.sendable());
    this.field.show(experiment.sentence);
    this.warn();
    const changed = experiment.sentence !== this.translated || experiment.stage !== this.opened;
    if (changed) this.wait();
    try {
      await this.runner.translate(experiment, known);
    } catch (error) {
      if (experiment === this.experiment) this.fail(error);
    }
  }

  /** Until the first word of a new sentence is there, the old translation is gray; a model takes a moment to open. */
  wait() {
    this.compare.element.classList.add("stale");
    const open = this.vocabularySize !== undefined && this.opened === this.experiment.stage;
    if (!open) this.field.say("Opening the model. The translation follows in a moment.");
  }

  /** The experiment for the URL. */
  sendable() {
    return toText(this.experiment, this.first, this.steps);
  }

  /** Called when the URL fragment changes. @param {import("./shared/url_fragment.js").Values} values */
  arrive(values) {
    const sent = fromText(values, this.first, this.steps);
    if (sent) this.set(sent);
    this.address.show();
  }

  async open() {
    const { stage } = this.experiment;
    try {
      const { words } = await this.translator.open(stage);
      if (stage !== this.experiment.stage) return; // another one was chosen since
      this.field.knows(words);
      this.note(words.length);
    } catch (error) {
      if (stage === this.experiment.stage) this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    this.field.say(`Cannot load the model: ${error instanceof Error ? error.message : error}`, true);
  }

  /** Continues from the selected row with another word. @param {number} id */
  take(id) {
    this.touched = true;
    const begin = this.runner.rows.slice(0, this.chosen.row).map((row) => row.id);
    this.set({ ...this.experiment, begin: [...begin, id] });
  }

  /** @param {number | null} weight @param {boolean} all of the rows */
  changeCell(weight, all) {
    const { row, column } = this.chosen;
    if (column === null) return;
    const { name, head } = this.view;
    const modules = head === null ? this.cross : [name];
    const cells = modules.map((module) => ({ module, head, row: all ? null : row, column, weight }));
    const replaced = (/** @type {import("./engine/intervention.js").Cell} */ cell) =>
      cell.column === column &&
      (all || cell.row === row) &&
      modules.includes(cell.module) &&
      (head === null || cell.head === head);
    const others = this.experiment.cells.filter((cell) => !replaced(cell));
    this.set({ ...this.experiment, cells: [...others, ...cells] });
  }

  /** @param {boolean} off */
  turnHead(off) {
    const { name, head } = this.view;
    if (head === null) return;
    const others = this.experiment.heads.filter((other) => other.module !== name || other.head !== head);
    this.set({ ...this.experiment, heads: off ? [...others, { module: name, head }] : others });
  }

  /** @param {"word" | "end"} news */
  hear(news) {
    const { rows, before, now } = this.runner;
    [this.translated, this.opened] = [this.experiment.sentence, this.experiment.stage];
    this.compare.element.classList.remove("stale");
    if (news === "end") this.chosen.row = Math.max(0, Math.min(this.chosen.row, rows.length - 1));
    if (!this.touched) this.chosen.row = news === "word" ? rows.length - 1 : leastConfident(rows);
    if (news === "end") {
      this.note();
      const [was, is] = [before && this.text(before), now && this.text(now)];
      this.card.say(is ? `Now: “${is}”. Before: “${was}”.` : was ? `Translation: “${was}”.` : "");
    }
    this.draw();
  }

  /** Warns of what the model cannot read, before it translates; whether there is something. */
  warn() {
    const letters = unfamiliarLetters(this.experiment.sentence);
    const about = "What it writes for them means nothing.";
    if (letters.length)
      this.field.say(`The model reads English. It never saw ${letters.slice(0, 8).join(" ")}. ${about}`, true);
    return letters.length > 0;
  }

  /** Updates the note below the input field. @param {number} [known] */
  note(known) {
    const { tokens, before, trained } = this.runner;
    if (known !== undefined) this.vocabularySize = known;
    if (this.warn()) return;
    const unknown = before && tokens.length ? new Set(tokens.filter((_, i) => before.unknown[i])) : new Set();
    const unsure = unsureWords(this.runner.now ? this.runner.rows : trained, this.subwords);
    const lost = before ? lostNames(this.experiment.sentence, before.sourcePieces, this.text(before)) : [];
    if (unknown.size) {
      const words = [...unknown].map((word) => `“${word}”`).join(", ");
      this.field.say(`The model does not know ${words}. It reads <unk> there, and guesses.`, true);
    } else if (this.experiment.sentence.length >= LONGEST)
      this.field.say(`Only the first ${LONGEST} characters are read.`, true);
    else if (before && unsure.some(Boolean) && 2 * unsure.filter(Boolean).length >= unsure.length)
      this.field.say(`The model is guessing: it gave the wavy words a probability below ${UNSURE}. ${LEARNED}`, true);
    else if (before && lost.length)
      this.field.say(`The model rarely saw the name “${lost[0]}”. It reads it in pieces, and did not copy it.`, true);
    else if (before && unsure.some(Boolean))
      this.field.say(`Wavy line: the model gave this word a probability below ${UNSURE}.`);
    else if (before && this.runner.ended)
      this.field.say("The model reads your words with a period at the end, because it learned whole sentences.");
    else if (this.vocabularySize === undefined) this.field.say("Type a sentence: it is translated as you type.");
    else if (this.vocabularySize === 0) this.field.say("Type any English sentence: it is translated as you type.");
    else
      this.field.say(`This model knows ${this.vocabularySize.toLocaleString("en")} words; matches appear as you type.`);
  }

  /** Whether the model reads and writes parts of words. */
  get subwords() {
    return areSubwords(this.runner.source);
  }

  /** A piece as readers see it. @param {string} piece */
  shown(piece) {
    return shownPiece(piece, this.subwords);
  }

  /** The source words as readers see them: unknown words as they were typed. */
  columns() {
    const { source, tokens } = this.runner;
    const typed = tokens.length === source.length ? swapped(tokens, this.experiment.swap) : null;
    return source.map((piece, j) => (piece === "<unk>" && typed ? typed[j] : this.shown(piece)));
  }

  /** Index of the selected source word among all words. */
  chosenWord() {
    const { column } = this.chosen;
    return column === null ? null : (wordOfPiece(this.runner.source, this.subwords)[column] ?? null);
  }

  /** @param {Outcome} outcome */
  text(outcome) {
    const [target, capitals, corpus] = ["target", "capitals", "corpus"].map((name) => this.model.get(name));
    return join(outcome.target, target, [...capitals, ...namesIn(this.experiment.sentence)], corpus);
  }

  /** The interventions offered for the translation of the original model. */
  offers() {
    const { before, trained } = this.runner;
    if (!before) return [];
    if (this.offered?.trained !== trained) {
      const weights = weightsOf(trained, { name: this.cross[this.cross.length - 1] ?? "", head: null });
      const shown = { source: before.sourcePieces, rows: trained, weights };
      this.offered = { trained, list: presets(shown, areSubwords(before.sourcePieces), this.cross) };
    }
    return this.offered.list;
  }

  draw() {
    const { experiment, chosen, runner, view } = this;
    const { rows, source, before, now } = runner;
    const weights = weightsOf(rows, view);
    const pieces = rows.map(({ piece }) => piece);
    const changed = isChanged(experiment);
    const old = changed && before ? runner.trained.map(({ piece }) => piece) : pieces;
    const cells = experiment.cells.filter(
      ({ module, head }) => module === view.name && (head === null || head === view.head),
    );
    const columns = this.columns();
    const shown = pieces.map((piece) => this.shown(piece));
    this.picture.draw({
      columns,
      unknown: source.map((piece) => piece === "<unk>"),
      rows: shown,
      weights,
      changed: changedWords(old, pieces),
      mark(row, column) {
        const own = cells.filter((one) => one.column === column && (one.row ?? row) === row);
        if (own.some(({ weight }) => weight === null)) return "forbidden"; // whatever another change forces
        return own.length ? "forced" : null;
      },
      chosen,
      kind: this.kind,
    });
    const row = rows[chosen.row];
    if (row || !rows.length) this.alternatives.show(row, (piece) => this.shown(piece)); // the selected word may not be decoded yet
    const word = chosen.column === null ? null : (columns[chosen.column] ?? null);
    const about = describeChoice(shown, columns, weights, chosen);
    const last = this.chosenWord() === wordOfPiece(source, this.subwords).at(-1);
    this.changes.show({ about, sourceWord: word, last, view, experiment });
    this.stages.show(experiment.stage);
    this.presets.show(this.offers(), (preset) => isPressed(experiment, preset), changed);
    const written = (/** @type {Outcome | null} */ one, /** @type {Row[]} */ of) =>
      one && {
        text: this.text(one),
        words: one.target,
        p: Math.exp(one.logP),
        unsure: unsureWords(of, this.subwords),
      };
    const judged = now?.judged == null ? null : Math.exp(now.judged);
    this.compare.show(written(before, runner.trained), written(now, rows), judged);
    return about;
  }
}

/** @param {RenderProps} place */
function render(place) {
  const view = new TranslateView(place);
  const stop = view.card.start(
    () => view.draw(),
    () => void view.set(view.first),
  );
  const leave = view.address.follow((values) => view.arrive(values));
  return () => {
    leave();
    view.resized?.disconnect();
    void view.translator.close();
    stop();
  };
}

export default { render };
