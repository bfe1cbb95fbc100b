// Tasks for the model. It reads a list; each slot after the list has a one-symbol answer.
import { below, different } from "./random.js";

/** @typedef {import("./random.js").Random} Random */

/**
 * One list with its questions. A place has one or two symbol ids; a slot has the id of its question.
 * @typedef {{source: number[][], slots: number[], answers: number[]}} Example
 */

/**
 * @typedef {object} Task
 * @property {string} label
 * @property {string[]} symbols
 * @property {number} places of a list
 * @property {string[]} slots their names; empty if named after their questions
 * @property {number} count of slots
 * @property {(random: Random) => Example} draw
 */

const LENGTH = 8;
const NAMES = "cup key hat box bed pen jar pot map fan bag cap can rug pin toy".split(" ");
const LETTERS = [..."abcdefghij"];
const DIGITS = [..."0123456789"];
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const ASK = "?";
const DATE_SYMBOLS = [ASK, " ", ...DIGITS, ...new Set(MONTHS.join(""))];
const CENTURIES = [19, 20];

/** Names paired with digits; recall the digit of each name. @type {Task} */
const recall = {
  label: "recall by name",
  symbols: [...NAMES, ...DIGITS],
  places: LENGTH,
  slots: [],
  count: LENGTH,
  draw(random) {
    const names = different(random, NAMES.length, LENGTH);
    const numbers = names.map(() => NAMES.length + below(random, DIGITS.length));
    const order = different(random, LENGTH, LENGTH);
    return {
      source: names.map((name, i) => [name, numbers[i]]),
      slots: order.map((i) => names[i]),
      answers: order.map((i) => numbers[i]),
    };
  },
};

/** Letters to output in another order. @param {string} label @param {(letters: number[]) => number[]} order @returns {Task} */
const letters = (label, order) => ({
  label,
  symbols: [ASK, ...LETTERS],
  places: LENGTH,
  slots: Array.from({ length: LENGTH }, (_, i) => `${i + 1}.`),
  count: LENGTH,
  draw(random) {
    const drawn = Array.from({ length: LENGTH }, () => 1 + below(random, LETTERS.length));
    return { source: drawn.map((id) => [id]), slots: drawn.map(() => 0), answers: order(drawn) };
  },
});

/** Rewrites "04 mar 1997", "mar 04 1997" or "1997 mar 04" as 19970304. @type {Task} */
const dates = {
  label: "dates",
  symbols: DATE_SYMBOLS,
  places: 11,
  slots: ["y", "y", "y", "y", "m", "m", "d", "d"],
  count: 8,
  draw(random) {
    const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
    const year = `${CENTURIES[below(random, 2)]}${two(below(random, 100))}`;
    const month = below(random, 12);
    const day = two(1 + below(random, 28));
    const forms = [
      [day, MONTHS[month], year],
      [MONTHS[month], day, year],
      [year, MONTHS[month], day],
    ];
    const ids = (/** @type {string} */ text) => [...text].map((symbol) => DATE_SYMBOLS.indexOf(symbol));
    const answers = ids(year + two(month + 1) + day);
    const written = forms[below(random, forms.length)].join(" ");
    return { source: ids(written).map((id) => [id]), slots: answers.map(() => 0), answers };
  },
};

/** @type {Record<string, Task>} */
export const TASKS = {
  recall,
  copy: letters("copy", (drawn) => drawn),
  reverse: letters("reverse", (drawn) => drawn.toReversed()),
  dates,
};
