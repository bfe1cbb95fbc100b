// Runs translations: first with the original model, then, if anything is changed, with the changed one. Notifies the
// view of every word.
import { tokenize } from "../engine/text.js";
import { changesOf, isChanged, swapped } from "./experiment.js";

/** @typedef {import("../engine/session.js").Row} Row */
/** @typedef {import("../engine/session.js").Outcome} Outcome */
/** @typedef {import("./experiment.js").Experiment} Experiment */

const ARRIVAL = 280; // milliseconds per word of the recorded first translation

/** The tokens with a period at the end, unless they have an end: a model of whole sentences never saw one without. @param {string[]} tokens */
export const finished = (tokens) =>
  tokens.length && !/[.!?…]["'”’)]*$/.test(tokens.at(-1) ?? "") ? [...tokens, "."] : tokens;

export class Runner {
  /**
   * @param {import("./translator.js").Translator} translator
   * @param {string[]} modules with a softmax temperature
   * @param {import("../engine/text.js").Corpus} corpus whose tokenizer is used
   * @param {(news: "word" | "end") => void} tell
   */
  constructor(translator, modules, corpus, tell) {
    this.translator = translator;
    this.modules = modules;
    this.corpus = corpus;
    this.tell = tell;
    this.number = 0; // of the latest run; older runs stop
    /** @type {string[]} */
    this.tokens = [];
    this.ended = false; // whether a period was added
    this.clear();
  }

  clear() {
    /** @type {Row[]} */
    this.rows = []; // shown rows
    /** @type {Row[]} */
    this.trained = []; // rows of the original model
    /** @type {string[]} */
    this.source = [];
    /** @type {Outcome | null} */
    this.before = null;
    /** @type {Outcome | null} */
    this.now = null;
  }

  /** Shows the recorded translation at once, and where the model looked word by word, or at once too. @param {{rows: Row[], outcome: Outcome}} recorded @param {boolean} still */
  arrive({ rows, outcome }, still) {
    const own = ++this.number;
    [this.source, this.before, this.trained] = [outcome.sourcePieces, outcome, rows];
    const show = (/** @type {number} */ count) => {
      if (own !== this.number) return;
      this.rows = rows.slice(0, count);
      const ended = count === rows.length;
      if (!ended) setTimeout(show, ARRIVAL, count + 1);
      this.tell(ended ? "end" : "word");
    };
    show(still ? rows.length : 1);
  }

  /** @param {Experiment} experiment @param {boolean} known whether sentence and stage are those of the previous run */
  async translate(experiment, known) {
    const own = ++this.number;
    const typed = tokenize(experiment.sentence, "english", this.corpus);
    this.tokens = this.corpus === "tatoeba" ? finished(typed) : typed;
    this.ended = this.tokens.length > typed.length;
    this.now = null;
    if (!known || !this.tokens.length) this.before = null;
    if (!this.tokens.length) this.clear();
    else {
      await this.translator.open(experiment.stage);
      if (own === this.number) await this.both(experiment, own);
    }
    if (own === this.number) this.tell("end");
  }

  /** @param {Experiment} experiment @param {number} own */
  async both(experiment, own) {
    if (!this.before) {
      const before = await this.write({ source: this.tokens, begin: [], changes: {}, judged: null }, own);
      if (own !== this.number) return; // outdated: another sentence or model was requested
      [this.before, this.trained] = [before, this.rows];
    } else [this.rows, this.source] = [this.trained, this.before.sourcePieces];
    if (!this.before || !isChanged(experiment)) return;
    const changes = changesOf(experiment, this.modules);
    const source = swapped(this.tokens, experiment.swap);
    const now = await this.write({ source, begin: experiment.begin, changes, judged: this.before.ids }, own);
    if (own === this.number) this.now = now;
  }

  /** @param {import("../engine/session.js").Request} request @param {number} own */
  async write(request, own) {
    /** @type {Row[]} */
    const rows = [];
    this.source = request.source;
    const outcome = await this.translator.translate(request, (row) => {
      if (own !== this.number) return;
      rows.push(row);
      this.rows = rows;
      this.tell("word");
    });
    if (outcome && own === this.number) this.source = outcome.sourcePieces;
    return outcome;
  }
}
