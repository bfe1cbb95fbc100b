// An experiment: a sentence, a training step and changes to the model. Plain data that is serialized in the URL.
import { LONGEST } from "./sentence.js";

/** @typedef {import("../engine/intervention.js").Cell} Cell */
/** @typedef {import("../engine/intervention.js").Changes} Changes */

/**
 * @typedef {object} Experiment
 * @property {string} sentence
 * @property {number} stage index of the training checkpoint
 * @property {number[]} begin prefix of the translation in ids, chosen by the user
 * @property {Cell[]} cells
 * @property {{module: string, head: number}[]} heads that are disabled
 * @property {number} temperature of every cross-attention
 * @property {boolean} positions false: removed
 * @property {number | null} swap index of a source word to swap with the next one
 */

/** @type {(sentence: string, stage: number) => Experiment} */
export const newExperiment = (sentence, stage) => ({
  sentence,
  stage,
  begin: [],
  cells: [],
  heads: [],
  temperature: 1,
  positions: true,
  swap: null,
});

/** Whether model, source or prefix are changed. @type {(experiment: Experiment) => boolean} */
export const isChanged = ({ begin, cells, heads, temperature, positions, swap }) =>
  begin.length + cells.length + heads.length > 0 || temperature !== 1 || !positions || swap !== null;

/** The changes in the format of the engine. @type {(experiment: Experiment, modules: string[]) => Changes} */
export const changesOf = ({ cells, heads, temperature, positions }, modules) => ({
  cells,
  heads,
  temperatures: temperature === 1 ? {} : Object.fromEntries(modules.map((name) => [name, temperature])),
  positions,
});

/** @type {<Item>(list: Item[], swap: number | null) => Item[]} */
export function swapped(list, swap) {
  if (swap === null || swap + 1 >= list.length) return list;
  const copy = [...list];
  [copy[swap], copy[swap + 1]] = [list[swap + 1], list[swap]];
  return copy;
}

/** The fields that differ from the initial experiment, for the URL. @type {(experiment: Experiment, first: Experiment, steps: number[]) => Record<string, string>} */
export function toText({ stage, ...experiment }, first, steps) {
  const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : JSON.stringify(value));
  const changed = Object.entries(experiment).flatMap(([key, value]) => {
    const then = first[/** @type {keyof Experiment} */ (key)];
    return text(value) === text(then) ? [] : [[key, text(value)]];
  });
  if (stage !== first.stage) changed.push(["step", String(steps[stage])]);
  return Object.fromEntries(changed);
}

/** Parses an experiment, with defaults for invalid values; null without text. @type {(text: Record<string, string> | null, first: Experiment, steps: number[]) => Experiment | null} */
export function fromText(text, first, steps) {
  if (!text) return null;
  const whole = (/** @type {unknown} */ n) => Number.isInteger(n) && Number(n) >= 0;
  const cell = (/** @type {any} */ c) =>
    typeof c?.module === "string" &&
    [c.head, c.row].every((n) => n === null || whole(n)) &&
    whole(c.column) &&
    (c.weight === null || (c.weight >= 0 && c.weight <= 1));
  const head = (/** @type {any} */ h) => typeof h?.module === "string" && whole(h.head);
  /** @type {(key: string, keep: (item: any) => boolean, most: number) => any[]} */
  const list = (key, keep, most) => {
    const found = parsed(text, key);
    return Array.isArray(found) ? found.filter(keep).slice(0, most) : [];
  };
  const [temperature, swap] = ["temperature", "swap"].map((key) => parsed(text, key));
  const stage = steps.indexOf(Number(text.step));
  return {
    sentence: (text.sentence ?? first.sentence).slice(0, LONGEST),
    stage: stage >= 0 ? stage : first.stage,
    begin: list("begin", whole, 30),
    cells: list("cells", cell, 100),
    heads: list("heads", head, 100),
    temperature: temperature >= 0.1 && temperature <= 10 ? temperature : 1,
    positions: text.positions !== "false",
    swap: whole(swap) ? swap : null,
  };
}

/** Parses JSON; undefined if invalid. @param {Record<string, string>} text @param {string} key @returns {any} */
function parsed(text, key) {
  try {
    return JSON.parse(text[key]);
  } catch {
    return undefined;
  }
}

/** Which words of `now` are not part of its longest common subsequence with `before`. @type {(before: string[], now: string[]) => boolean[]} */
export function changedWords(before, now) {
  const common = Array.from({ length: before.length + 1 }, () => new Array(now.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i][j] = before[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const changed = new Array(now.length).fill(true);
  for (let i = 0, j = 0; i < before.length && j < now.length; ) {
    if (before[i] === now[j]) {
      changed[j] = false;
      i++;
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return changed;
}

/** Formats a probability compactly. @type {(p: number) => string} */
export const formatProbability = (p) =>
  p >= 0.0995 ? p.toFixed(2) : p >= 0.00095 ? p.toFixed(3) : p > 0 ? p.toExponential(0) : "0";
