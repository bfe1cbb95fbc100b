// The tree of a beam search: which words stand on it after some steps, and which finished sentence is best.

/** @typedef {{parent: number, piece: string, score: number, fate: "live" | "ended" | "dropped"}} Continuation */
/** @typedef {Continuation[][]} Run the best continuations of every step, best first */

/**
 * A word on the tree.
 * @typedef {object} Word
 * @property {string} piece @property {number} score @property {boolean} ended
 * @property {Word | null} before @property {number} step from 1 @property {number} place among those that were kept
 * @property {boolean} kept something that stands at the shown step goes back to it
 */

/** The words after some steps; those that go on stand last. @param {Run} run @param {number} steps */
export function grow(run, steps) {
  /** @type {Word[]} */
  const words = [];
  /** @type {(Word | null)[]} */
  let live = [null];
  for (const [i, found] of run.slice(0, steps).entries()) {
    const kept = found.filter(({ fate }) => fate !== "dropped");
    const grown = kept.map(({ parent, piece, score, fate }, place) => {
      const ended = fate === "ended";
      return { piece, score, ended, before: live[parent], step: i + 1, place, kept: false };
    });
    words.push(...grown);
    live = grown.filter(({ ended }) => !ended);
  }
  for (const word of [...words.filter(({ ended }) => ended), ...live]) {
    for (let back = word; back && !back.kept; back = back.before) back.kept = true;
  }
  return { words, live: /** @type {Word[]} */ (live.filter(Boolean)) };
}

/** The words from the first to this one, without the end. @param {Word | null} word @returns {string[]} */
export function text(word) {
  if (!word) return [];
  return word.ended ? text(word.before) : [...text(word.before), word.piece];
}

/** Log-probability over ((5 + length) / 6) to the penalty. @param {Word} word @param {number} penalty */
export const worth = ({ score, step }, penalty) => score / ((5 + step) / 6) ** penalty;

/** What has ended, best first. @param {Word[]} words @param {number} penalty */
export const ranked = (words, penalty) =>
  words.filter(({ ended }) => ended).sort((a, b) => worth(b, penalty) - worth(a, penalty));
