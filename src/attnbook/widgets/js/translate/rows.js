// Output rows as attention weights, descriptions and plain data.

import { formatProbability } from "./experiment.js";

/** @typedef {import("../engine/session.js").Row} Row */

/** Weights of each row, for one head or the mean over heads. @param {Row[]} rows @param {{name: string, head: number | null}} view */
export const weightsOf = (rows, { name, head }) =>
  rows.map(({ attention }) => {
    const heads = attention[name] ?? [];
    if (head !== null) return heads[head] ?? [];
    return Array.from(heads[0] ?? [], (_, j) => heads.reduce((sum, one) => sum + one[j], 0) / heads.length);
  });

/**
 * Describes how much the selected output word attends to the selected source word; empty without a selection.
 * @param {string[]} rows output words @param {string[]} source @param {ArrayLike<number>[]} weights @param {{row: number, column: number | null}} chosen
 */
export function describeChoice(rows, source, weights, { row, column }) {
  if (column === null || !rows[row] || !source[column]) return "";
  return `“${rows[row]}” attends to “${source[column]}” with weight ${formatProbability(weights[row]?.[column] ?? 0)}`;
}

/** The row with the lowest probability. @type {(rows: {p: number}[]) => number} */
export const leastConfident = (rows) => rows.reduce((least, { p }, i) => (p < rows[least].p ? i : least), 0);

/**
 * The exported data: settings, training step if there are several, and output.
 * @param {import("./experiment.js").Experiment} experiment @param {number[]} steps @param {import("./runner.js").Runner} runner
 */
export function exportedData(experiment, steps, { rows, source }) {
  const step = steps.length > 1 ? { step: steps[experiment.stage] } : {};
  return { experiment, ...step, source, written: plain(rows) };
}

/** @param {Row[]} rows */
const plain = (rows) =>
  rows.map(({ attention, ...row }) => {
    const weights = Object.entries(attention).map(([name, heads]) => [name, heads.map((head) => [...head])]);
    return { ...row, attention: Object.fromEntries(weights) };
  });
