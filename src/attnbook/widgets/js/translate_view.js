// Translates typed sentences in the page with a trained model, and lets the user change its attention.
import { join } from "./engine/text.js";
import program from "./engine/worker.js?text";
import { choice, slider } from "./shared/controls.js";
import { element } from "./shared/dom.js";
import { Address } from "./shared/url_fragment.js";
import { WidgetCard } from "./shared/widget_card.js";
import { attentionPicture, PICTURE_STYLE } from "./translate/attention_picture.js";
import { COMPARE_STYLE, compareLines } from "./translate/compare.js";
import { changedWords, formatProbability, fromText, isChanged, newExperiment, toText } from "./translate/experiment.js";
import { exportButtons } from "./translate/export_buttons.js";
import { alternatives, changePanel, PANEL_STYLE, tabs } from "./translate/panels.js";
import { describeChoice, exportedData, leastConfident, weightsOf } from "./translate/rows.js";
import { Runner } from "./translate/runner.js";
import { SENTENCE_STYLE, sentenceField } from "./translate/sentence.js";
import { Translator } from "./translate/translator.js";

/** @typedef {import("./engine/session.js").Outcome} Outcome */
/** @typedef {import("./translate/experiment.js").Experiment} Experiment */
/** @typedef {import("@anywidget/types").RenderProps} RenderProps */

const STYLE = `
.translate { max-width: 56rem; }
.columns { display: grid; gap: 4px 18px; grid-template-columns: minmax(0, 1fr); }
@container (min-width: 620px) { .columns { grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); } }
.bar { display: flex; gap: 16px; align-items: end; margin: 2px 0 6px; }
.bar .field { flex: 1; max-width: 24rem; }
.translate .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.translate .controls { margin: 0; }
${SENTENCE_STYLE}${PICTURE_STYLE}${PANEL_STYLE}${COMPARE_STYLE}`;

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
    this.touched = false; // whether the user has selected a row
    this.picture = attentionPicture((row, column) => {
      this.touched = true;
      this.chosen = { row, column };
      const one = this.runner.rows[row]; // may not be decoded again yet
      this.card.say(this.draw() || (one ? `“${one.piece}” with probability ${formatProbability(one.p)}` : ""));
    });
    this.alternatives = alternatives((id) => this.take(id));
    this.changes = changePanel({ modules: this.modules, config: model.get("config") }, this.changers());
    this.compare = compareLines(model.get("target"));
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
    }
  }

  /** Builds the card. */
  lay() {
    const panel = tabs([
      { id: "words", name: "Words", content: this.alternatives.element },
      { id: "change", name: "Change", content: this.changes.element },
      {
        id: "keep",
        name: "Save",
        content: element("div", {}, element("div", { class: "changes" }, ...this.saves())),
      },
    ]);
    this.card.figure.append(
      this.field.element,
      element("div", { class: "bar" }, ...this.bar()),
      element("div", { class: "columns" }, this.picture.element, element("div", {}, this.compare.element, panel)),
    );
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.picture.element);
  }

  /** Controls of the training step, the head and the kind of picture. */
  bar() {
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
    const several = this.modules.some(({ heads }) => heads > 1);
    return [
      ...(this.steps.length > 1 ? [this.stages.element] : []),
      ...(several ? [this.changes.looks.element] : []),
      ...(this.cross.length ? [kinds.element] : []),
    ];
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
      swap: () => this.set({ ...this.experiment, swap: this.experiment.swap === null ? this.chosen.column : null }),
    };
  }

  /** Runs another experiment. @param {Experiment} experiment */
  async set(experiment) {
    this.touched &&= experiment.sentence === this.experiment.sentence;
    const known = experiment.sentence === this.experiment.sentence && experiment.stage === this.experiment.stage;
    this.experiment = experiment;
    this.address.write(this.sendable());
    this.field.show(experiment.sentence);
    try {
      await this.runner.translate(experiment, known);
    } catch (error) {
      this.fail(error);
    }
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
    try {
      const { words } = await this.translator.open(this.experiment.stage);
      this.field.knows(words);
      this.note(words.length);
    } catch (error) {
      this.fail(error);
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
    const others = this.experiment.cells.filter(
      (cell) => !(cell.column === column && (all || cell.row === row) && modules.includes(cell.module)),
    );
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
    if (news === "end") this.chosen.row = Math.max(0, Math.min(this.chosen.row, rows.length - 1));
    if (!this.touched) this.chosen.row = news === "word" ? rows.length - 1 : leastConfident(rows);
    if (news === "end") {
      this.note();
      const [was, is] = [before && this.text(before), now && this.text(now)];
      this.card.say(is ? `Before: “${was}”. Now: “${is}”.` : was ? `Translation: “${was}”.` : "");
    }
    this.draw();
  }

  /** Updates the note below the input field. @param {number} [known] */
  note(known) {
    const { tokens, before } = this.runner;
    if (known !== undefined) this.vocabularySize = known;
    const unknown = before && tokens.length ? new Set(tokens.filter((_, i) => before.unknown[i])) : new Set();
    if (unknown.size) {
      const words = [...unknown].map((word) => `“${word}”`).join(", ");
      this.field.say(`Unknown to this model and read as <unk>: ${words}.`, true);
    } else if (this.vocabularySize === undefined) this.field.say("Type a sentence: it is translated as you type.");
    else if (this.vocabularySize === 0)
      this.field.say("This model reads any word, split into pieces, and translates as you type.");
    else
      this.field.say(`This model knows ${this.vocabularySize.toLocaleString("en")} words; matches appear as you type.`);
  }

  /** @param {Outcome} outcome */
  text(outcome) {
    const [target, capitals, corpus] = ["target", "capitals", "corpus"].map((name) => this.model.get(name));
    return join(outcome.target, target, capitals, corpus);
  }

  draw() {
    const { experiment, chosen, runner, view } = this;
    const { rows, source, before, now } = runner;
    const weights = weightsOf(rows, view);
    const pieces = rows.map(({ piece }) => piece);
    const old = isChanged(experiment) && before ? runner.trained.map(({ piece }) => piece) : pieces;
    const cells = experiment.cells.filter(
      ({ module, head }) => module === view.name && (head === null || head === view.head),
    );
    this.picture.draw({
      columns: source,
      unknown: source.map((piece) => piece === "<unk>"),
      rows,
      weights,
      changed: changedWords(old, pieces),
      mark(row, column) {
        const cell = cells.filter((one) => one.column === column && (one.row ?? row) === row).pop();
        return cell ? (cell.weight === null ? "forbidden" : "forced") : null;
      },
      chosen,
      kind: this.kind,
    });
    const row = rows[chosen.row];
    if (row || !rows.length) this.alternatives.show(row); // the selected word may not be decoded yet
    const word = chosen.column === null ? null : (source[chosen.column] ?? null);
    const about = describeChoice(rows, source, weights, chosen);
    this.changes.show({ about, sourceWord: word, last: chosen.column === source.length - 1, view, experiment });
    this.stages.show(experiment.stage);
    const written = (/** @type {Outcome | null} */ one) =>
      one && { text: this.text(one), words: one.target, p: Math.exp(one.logP) };
    this.compare.show(written(before), written(now), now?.judged == null ? null : Math.exp(now.judged));
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
