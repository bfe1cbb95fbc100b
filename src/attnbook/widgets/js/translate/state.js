// What a reader has set up: a sentence, what is changed in the model, and what is looked at. It is plain data, so that it
// can be put into an address and sent to somebody.

/** @typedef {import("../engine/intervention.js").Cell} Cell */
/** @typedef {import("../engine/intervention.js").Changes} Changes */

/**
 * @typedef {object} Experiment
 * @property {string} sentence
 * @property {number} stage index of the training step
 * @property {number[]} begin ids that the translation begins with, because the reader chose one of them
 * @property {Cell[]} cells
 * @property {{module: string, head: number}[]} heads that are off
 * @property {number} temperature of every cross-attention
 * @property {boolean} positions false: taken away
 * @property {number | null} swap this word of the source changes places with the next
 */

/** @type {(sentence: string, stage: number) => Experiment} */
export const fresh = (sentence, stage) => ({
  sentence,
  stage,
  begin: [],
  cells: [],
  heads: [],
  temperature: 1,
  positions: true,
  swap: null,
});

/** Whether the model is another than the trained one, or reads or continues something else. @type {(experiment: Experiment) => boolean} */
export const isChanged = ({ begin, cells, heads, temperature, positions, swap }) =>
  begin.length + cells.length + heads.length > 0 || temperature !== 1 || !positions || swap !== null;

/** What the engine is told. @type {(experiment: Experiment, modules: string[]) => Changes} */
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

/** @type {(name: string, experiment: Experiment) => string} */
export const toAddress = (name, experiment) => `#${name}=${encodeURIComponent(JSON.stringify(experiment))}`;

/** An experiment in an address, as far as it is one; null where there is none. @type {(name: string, hash: string, first: Experiment, stages: number) => Experiment | null} */
export function fromAddress(name, hash, first, stages) {
  if (!hash.startsWith(`#${name}=`)) return null;
  try {
    const found = JSON.parse(decodeURIComponent(hash.slice(name.length + 2)));
    const whole = (/** @type {unknown} */ n) => Number.isInteger(n) && Number(n) >= 0;
    const cell = (/** @type {any} */ c) =>
      typeof c?.module === "string" &&
      [c.head, c.row].every((n) => n === null || whole(n)) &&
      whole(c.column) &&
      (c.weight === null || (c.weight >= 0 && c.weight <= 1));
    return {
      sentence: typeof found.sentence === "string" ? found.sentence.slice(0, 300) : first.sentence,
      stage: whole(found.stage) && found.stage < stages ? found.stage : first.stage,
      begin: Array.isArray(found.begin) ? found.begin.filter(whole).slice(0, 30) : [],
      cells: Array.isArray(found.cells) ? found.cells.filter(cell).slice(0, 100) : [],
      heads: Array.isArray(found.heads)
        ? found.heads.filter((/** @type {any} */ h) => typeof h?.module === "string" && whole(h.head))
        : [],
      temperature: found.temperature >= 0.1 && found.temperature <= 10 ? found.temperature : 1,
      positions: found.positions !== false,
      swap: whole(found.swap) ? found.swap : null,
    };
  } catch {
    return null;
  }
}

/** Which of `now` are not, in their order, in `before`: what a reader sees as changed. @type {(before: string[], now: string[]) => boolean[]} */
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

/** A probability in few characters. @type {(p: number) => string} */
export const inWords = (p) =>
  p >= 0.0995 ? p.toFixed(2) : p >= 0.00095 ? p.toFixed(3) : p > 0 ? p.toExponential(0) : "0";
