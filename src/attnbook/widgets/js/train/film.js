// The frames of a training run, from the first to the last step, in bounded memory.

const MOST = 400;

/** What the net answered after a number of steps. @template Look @typedef {{step: number, look: Look}} Frame */

/**
 * Adds a frame; of too many, every other one is dropped.
 *
 * @template Look
 * @param {Frame<Look>[]} frames @param {Frame<Look>} next @param {number} [most]
 * @returns {Frame<Look>[]}
 */
export function withFrame(frames, next, most = MOST) {
  const all = frames.at(-1)?.step === next.step ? [...frames.slice(0, -1), next] : [...frames, next];
  return all.length <= most ? all : all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The first step after which the mean accuracy of the last `recent` steps is `enough`; null if there is none. @type {(right: number[], recent: number, enough: number) => number | null} */
export function learnedAt(right, recent, enough) {
  let total = 0;
  for (let i = 0; i < right.length; i++) {
    total += right[i] - (i >= recent ? right[i - recent] : 0);
    if (i + 1 >= recent && total / recent >= enough) return i + 1;
  }
  return null;
}
