// Runs the model on the reader's sentence, whole and without some parts, in slices that leave the page responsive.
import { readModelFile } from "../engine/model_file.js";
import { pause } from "../engine/session.js";
import { tokenize } from "../engine/text.js";
import { trace } from "./trace.js";

/** @typedef {import("./trace.js").Trace} Trace */

const LONGEST = 30; // ids of a translation

export class Runner {
  /** @type {import("../engine/model_file.js").Translator | null} */
  translator = null;
  /** The sentence of `whole`. @type {string | null} */
  sentence = null;
  /** What the model computes with all of its parts; null without a sentence. @type {Trace | null} */
  whole = null;
  /** The same with the parts off that were asked for. @type {Trace | null} */
  trace = null;
  /** @type {string[]} */
  unknown = [];
  key = "";
  number = 0; // of the latest run; older runs stop

  /** @param {import("../engine/text.js").Corpus} corpus @param {() => void} tell called after each run */
  constructor(corpus, tell) {
    this.corpus = corpus;
    this.tell = tell;
  }

  /** @param {DataView} file */
  async open({ buffer, byteOffset, byteLength }) {
    const bytes = /** @type {ArrayBuffer} */ (buffer).slice(byteOffset, byteOffset + byteLength);
    this.translator = await readModelFile(bytes);
  }

  /** Runs unless the same was asked for last. @param {string} sentence @param {string[]} off */
  async run(sentence, off) {
    const key = JSON.stringify([sentence, off]);
    if (!this.translator || key === this.key) return;
    this.key = key;
    const own = ++this.number;
    const { source } = this.translator;
    const tokens = tokenize(sentence, "english", this.corpus);
    const ids = tokens.length ? source.encode(tokens) : [];
    if (sentence !== this.sentence) {
      const whole = await this.traced(ids, [], own);
      if (own !== this.number) return;
      [this.sentence, this.whole] = [sentence, whole];
    }
    const found = off.length ? await this.traced(ids, off, own) : this.whole;
    if (own !== this.number) return;
    this.trace = found;
    this.unknown = [...new Set(tokens.filter((token) => !source.knows(token)))];
    this.tell();
  }

  /** Null without a sentence, or if a newer run began. @param {number[]} ids @param {string[]} off @param {number} own @returns {Promise<Trace | null>} */
  async traced(ids, off, own) {
    const model = this.translator?.model;
    if (!model || !ids.length || ids.length > model.maxLength) return null;
    const steps = trace(model, ids, { off, maxLength: LONGEST });
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      await pause();
      if (own !== this.number) return null;
    }
  }
}
