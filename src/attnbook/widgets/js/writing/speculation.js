// Speculative decoding: a draft guesses, and one pass of the large model checks. Leviathan et al. 2023, algorithm 1.

import { sum } from "../shared/numbers.js";
import { draw } from "./sampling.js";

/** A guessed token and the draft's distribution that it was drawn from. @typedef {{token: number, q: ArrayLike<number>}} Guess */
/**
 * @typedef {object} Checked
 * @property {number} token
 * @property {number} q its probability by the draft
 * @property {number} p its probability by the large model
 * @property {number} ratio min(1, p / q), the probability with which it is kept
 * @property {number} coin
 * @property {boolean} kept
 */
/**
 * @typedef {object} Outcome
 * @property {Checked[]} checked the guesses up to the first that was rejected
 * @property {{token: number, from: "residual" | "bonus"} | null} added the token that the large model adds: drawn anew
 *   instead of a rejected guess, or the one after the last guess; null if a kept guess ends the text
 * @property {number[]} written the tokens of this pass
 */

/**
 * Draws up to `count` guesses, fewer if one of them ends the text.
 * @param {number} count @param {(guessed: number[]) => ArrayLike<number>} draft the distribution after the text and these tokens
 * @param {() => number} random @param {number} end id of the token that ends a text @returns {Guess[]}
 */
export function guess(count, draft, random, end) {
  /** @type {Guess[]} */
  const guesses = [];
  while (guesses.length < count && guesses.at(-1)?.token !== end) {
    const q = draft(guesses.map(({ token }) => token));
    guesses.push({ token: draw(q, random()), q });
  }
  return guesses;
}

/** What the draft gave too little, max(0, p - q); not divided by its sum. @param {ArrayLike<number>} p @param {ArrayLike<number>} q */
export const residual = (p, q) => Array.from(p, (value, id) => Math.max(0, value - q[id]));

/**
 * Keeps each guess with probability min(1, p / q), up to the first that is rejected, and adds one token.
 * @param {Guess[]} guesses @param {ArrayLike<number>[]} large the large model's distributions at the place of each guess,
 *   and at the place after the last one
 * @param {() => number} random @param {number} end id of the token that ends a text @returns {Outcome}
 */
export function check(guesses, large, random, end) {
  /** @type {Checked[]} */
  const checked = [];
  const written = () => checked.filter(({ kept }) => kept).map(({ token }) => token);
  for (const [i, { token, q }] of guesses.entries()) {
    const p = large[i];
    const ratio = Math.min(1, p[token] / q[token]);
    const coin = random();
    checked.push({ token, q: q[token], p: p[token], ratio, coin, kept: coin < ratio });
    if (coin < ratio) continue;
    const rest = residual(p, q);
    const added = draw(sum(rest) > 0 ? rest : p, random()); // the sums of equal distributions were rounded
    return { checked, added: { token: added, from: "residual" }, written: [...written(), added] };
  }
  if (guesses.at(-1)?.token === end) return { checked, added: null, written: written() };
  const added = draw(large[guesses.length], random());
  return { checked, added: { token: added, from: "bonus" }, written: [...written(), added] };
}

/**
 * What many passes amount to. A guess after a rejected one was never checked, and does not count.
 * @param {Outcome[]} outcomes
 */
export function tally(outcomes) {
  const checked = outcomes.flatMap((outcome) => outcome.checked);
  const kept = checked.filter((one) => one.kept).length;
  const tokens = outcomes.reduce((total, { written }) => total + written.length, 0);
  return {
    checked: checked.length,
    kept,
    tokens,
    passes: outcomes.length,
    rate: checked.length ? kept / checked.length : 0,
    perPass: outcomes.length ? tokens / outcomes.length : 0,
  };
}
