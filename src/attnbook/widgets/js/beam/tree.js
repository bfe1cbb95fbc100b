// The tree of a beam search: its words after some steps, and the ranking of finished hypotheses.

/** @typedef {{parent: number, piece: string, score: number, fate: "live" | "ended" | "dropped"}} Continuation */
/** @typedef {Continuation[][]} Run the continuations of every step, best first */

/**
 * A word on the tree.
 * @typedef {object} Word
 * @property {string} piece @property {number} score @property {boolean} ended
 * @property {Word | null} before @property {number} step counted from 1 @property {number} place rank among those kept
 * @property {boolean} kept whether a hypothesis at the shown step contains it
 */

/** The words of the tree after some steps; `live` are the unfinished hypotheses. @param {Run} run @param {number} steps */
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

/** The words up to this one, without <eos>. @param {Word | null} word @returns {string[]} */
export function text(word) {
  if (!word) return [];
  return word.ended ? text(word.before) : [...text(word.before), word.piece];
}

/** Length-penalized score: log-probability / ((5 + length) / 6) ** penalty. @param {Word} word @param {number} penalty */
export const worth = ({ score, step }, penalty) => score / ((5 + step) / 6) ** penalty;

/** Finished hypotheses, best first. @param {Word[]} words @param {number} penalty */
export const ranked = (words, penalty) =>
  words.filter(({ ended }) => ended).sort((a, b) => worth(b, penalty) - worth(a, penalty));
