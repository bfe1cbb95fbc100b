// Status text of the training widget: progress, success, or the likely reason why it does not learn.
import { TASKS } from "./tasks.js";

/** @typedef {import("./trainer.js").Settings} Settings */
/** Accuracy over the last steps. @typedef {{steps: number, right: number, guess: number, learned?: number | null}} Standing */

export const LEARNED = 0.97;
const ENOUGH = 300; // steps before a reason for not learning is given
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)} %`;

const ONE_ANSWER = (/** @type {number} */ guess) =>
  "Without positions all slots have the same vector, so they all give the same answer. " +
  `At best it is the list's most frequent one, right in ${percent(guess)} of the slots.`;
const MEAN =
  "With attention off all weights are equal: each slot gets the mean of the list, which hardly shows which items belong together.";
const TOO_FAST = "The learning rate is so high that steps overshoot: try a smaller rate.";
const TOO_SLOW = "The learning rate is low: train longer or try a larger rate.";

/** The likely reason why it does not learn, or null. @param {Settings} settings @param {number} guess */
function obstacle({ task, positions, attention, rate }, guess) {
  if (!positions && task !== "recall") return ONE_ANSWER(guess);
  if (!attention) return MEAN;
  return rate >= 0.03 ? TOO_FAST : rate <= 0.0003 ? TOO_SLOW : null;
}

/** @param {Settings} settings @param {Standing} standing @param {boolean} [running] */
export function statusText(settings, { steps, right, guess, learned = null }, running = false) {
  const { label } = TASKS[settings.task];
  if (steps === 0)
    return running
      ? `Task: ${label}. A new net begins.`
      : `Task: ${label}. Not trained yet, so the answers are random. Press Start.`;
  if (right >= LEARNED) {
    const back = learned && !running ? " Move “Step shown” back to see how." : "";
    return `Learned: ${label}${learned ? `, in ${learned.toLocaleString("en")} steps` : ""}. ${percent(right)} correct on lists it has never seen.${back}`;
  }
  const why = steps >= ENOUGH ? obstacle(settings, guess) : null;
  if (why) return `${percent(right)} correct. ${why}`;
  return "Training. Dotted line: accuracy of always giving the list's most frequent answer.";
}

/** The longest status text, to reserve space. */
export const LONGEST = `100 % correct. ${ONE_ANSWER(1)}`;
