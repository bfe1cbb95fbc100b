// What the card says of a training: how far it is, that it has learned, or why it cannot.
import { TASKS } from "./tasks.js";

/** @typedef {import("./trainer.js").Settings} Settings */
/** @typedef {{steps: number, right: number, guess: number}} Standing shares in the last steps */

const LEARNED = 0.97;
const ENOUGH = 300; // steps after which it is said that it does not learn, and why
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)} %`;

const ONE_ANSWER = (/** @type {number} */ guess) =>
  "Without positions all slots are the same vector: they ask one question and get one answer. " +
  `The list's most frequent answer is right in ${percent(guess)}, and more cannot be had.`;
const MEAN =
  "With attention off every weight is the same: a slot gets the mean of the list, which hardly says what belongs to what.";
const TOO_FAST = "Each step is so long that it overshoots: try a smaller rate.";
const TOO_SLOW = "The steps are short: it needs more of them, or a larger rate.";

/** Why it cannot learn; null where nothing is known against it. @param {Settings} settings @param {number} guess */
function obstacle({ task, positions, attention, rate }, guess) {
  if (!positions && task !== "recall") return ONE_ANSWER(guess);
  if (!attention) return MEAN;
  return rate >= 0.03 ? TOO_FAST : rate <= 0.0003 ? TOO_SLOW : null;
}

/** @param {Settings} settings @param {Standing} standing */
export function statusText(settings, { steps, right, guess }) {
  const { label } = TASKS[settings.task];
  if (steps === 0) return `Task: ${label}. Nothing is learned yet, and the answers are chance: press Start.`;
  if (right >= LEARNED) return `Learned: ${label}. ${percent(right)} are right, of lists that it has never seen.`;
  const why = steps >= ENOUGH ? obstacle(settings, guess) : null;
  if (why) return `${percent(right)} are right. ${why}`;
  return "It is being trained. Dots in the curve: what always naming the list's most frequent answer would give.";
}

/** The longest that is said, so that there is room for it. */
export const LONGEST = `100 % are right. ${ONE_ANSWER(1)}`;
