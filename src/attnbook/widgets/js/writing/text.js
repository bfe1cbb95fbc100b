// A text that a language model writes: a cache, logits and attention for each place, so that any place can be revisited.

import { cutCache } from "../engine/language_model.js";
import { BOS, EOS, PAD, UNK } from "../engine/vocabulary.js";
import { row } from "../shared/linear_algebra.js";
import { coinsAt, draw, filtered, without } from "./sampling.js";
import { check, guess } from "./speculation.js";

/** @typedef {import("../engine/language_model.js").LanguageModel} LanguageModel */
/** @typedef {import("../engine/model_file.js").Writer} Writer */
/** @typedef {import("./sampling.js").Filter} Filter */
/** @typedef {import("./speculation.js").Outcome} Outcome */
/** What the model computed at one token. @typedef {{logits: number[], cache: import("../engine/language_model.js").Cache, attention: Record<string, Float32Array[]>}} Place */

/** Tokens that are never drawn. */
const FORBIDDEN = [PAD, BOS, UNK];

export class Text {
  /** @param {LanguageModel} model */
  constructor(model) {
    this.model = model;
    /** @type {number[]} */
    this.ids = [];
    /** @type {Place[]} */
    this.places = [];
  }

  get length() {
    return this.ids.length;
  }

  get ended() {
    return this.ids.at(-1) === EOS;
  }

  /** One pass of the model for one or more tokens. @param {...number} ids */
  push(...ids) {
    const before = this.length;
    const { logits, cache, attention } = this.model.extend(ids, this.places.at(-1)?.cache);
    for (const [i, id] of ids.entries()) {
      const heads = Object.entries(attention).map(([name, all]) => [
        name,
        all.map((weights) => row(weights, i).subarray(0, before + i + 1)),
      ]);
      this.ids.push(id);
      this.places.push({
        logits: without(logits[i], FORBIDDEN),
        cache: cutCache(cache, before + i + 1),
        attention: Object.fromEntries(heads),
      });
    }
  }

  /** Cuts the text to its first `count` tokens. @param {number} count */
  cut(count) {
    this.ids.length = count;
    this.places.length = count;
  }
}

/** A text that begins with these tokens. @param {LanguageModel} model @param {number[]} ids */
export function openText(model, ids) {
  const text = new Text(model);
  text.push(...ids);
  return text;
}

/** Draws the next token by the coin of its place. @param {Text} text @param {Filter} filter @param {number} seed */
export function drawNext(text, filter, seed) {
  const { after, order } = filtered(text.places[text.length - 1].logits, filter);
  return draw(after, coinsAt(seed, text.length)(), order);
}

/** @typedef {"bigram" | "uniform" | "itself"} Draft */
/** @typedef {Filter & {seed: number, ahead: number, draft: Draft}} Speculation */
/** A pass, with the guesses and the distributions of both models at each guess and after the last. @typedef {Outcome & {start: number, guesses: number[], large: number[][], drafts: number[][]}} SpeculativePass */

/**
 * Writes by speculative decoding until the text has `longest` tokens with its prompt, in at most `passes` passes. The token
 * that the last pass adds may be one more.
 * @param {Writer} writer @param {number[]} prompt @param {Speculation} settings @param {number} passes @param {number} [longest]
 * @returns {{ids: number[], passes: SpeculativePass[]}}
 */
export function speculate(writer, prompt, settings, passes, longest = 24) {
  const text = openText(writer.model, prompt);
  const adjusted = (/** @type {number} */ place) => filtered(text.places[place].logits, settings).after;
  /** @type {SpeculativePass[]} */
  const done = [];
  while (done.length < passes && !text.ended && text.length < longest) {
    const start = text.length;
    const random = coinsAt(settings.seed, start);
    const ahead = Math.min(settings.ahead, longest - start);
    const guesses = guess(ahead, draftOf(writer, text, settings), random, EOS);
    text.cut(start);
    text.push(...guesses.map(({ token }) => token)); // the large model's pass
    const large = [...guesses, null].map((_, i) => adjusted(start - 1 + i));
    const outcome = check(guesses, large, random, EOS);
    text.cut(start);
    text.push(...outcome.written);
    done.push({
      ...outcome,
      start,
      guesses: guesses.map(({ token }) => token),
      large,
      drafts: guesses.map(({ q }) => Array.from(q)),
    });
  }
  return { ids: text.ids, passes: done };
}

/** The draft's distribution after the text and some guesses. @param {Writer} writer @param {Text} text @param {Speculation} settings @returns {(guessed: number[]) => number[]} */
function draftOf({ draft }, text, settings) {
  const start = text.length;
  return (guessed) => {
    if (settings.draft === "itself") {
      text.cut(start);
      if (guessed.length) text.push(...guessed);
      return filtered(text.places[text.length - 1].logits, settings).after;
    }
    const last = guessed.at(-1) ?? text.ids[start - 1];
    const logits = text.places[0].logits.map((_, id) =>
      settings.draft === "bigram" && draft ? Math.log(row(draft, last)[id]) : 0,
    );
    return filtered(without(logits, FORBIDDEN), settings).after;
  };
}
