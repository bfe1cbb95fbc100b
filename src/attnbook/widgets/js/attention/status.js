// One sentence that says what the visible weights show.
import { formatter, visible } from "./format.js";

/** @typedef {import("./state.js").Panel} Panel */

/** The cell with the largest weight, in size, of each row. @param {Panel} panel */
function largestOfRows({ rows, columns, weights }) {
  return rows.map((_, row) => {
    let best = row * columns.length;
    for (let cell = best; cell < (row + 1) * columns.length; cell++)
      if (Math.abs(weights[cell]) > Math.abs(weights[best])) best = cell;
    return best;
  });
}

/**
 * How many tokens attend most to a token that they are aligned with, or, without an alignment, the strongest link.
 *
 * @param {Panel} panel @param {string} when "" or the step, such as "Step 40: "
 */
export function describePanel(panel, when) {
  const { rows, columns, weights, gold, of } = panel;
  const width = columns.length;
  const best = largestOfRows(panel);
  const strongest = (/** @type {number[]} */ cells) =>
    cells.reduce((most, cell) => (Math.abs(weights[cell]) > Math.abs(weights[most]) ? cell : most));
  const pair = (/** @type {number} */ cell) =>
    [rows[Math.floor(cell / width)], columns[cell % width]].map((token) => `“${visible(token).slice(0, 24)}”`);
  const value = (/** @type {number} */ cell) => formatter(panel)(weights[cell]);
  if (of) {
    const cell = strongest(best);
    return `${when}the largest difference is ${value(cell)}, from ${pair(cell).join(" to ")}.`;
  }
  const aligned = best.filter((_, row) => columns.some((_, column) => gold.has(row * width + column)));
  const right = aligned.filter((cell) => gold.has(cell));
  if (aligned.length) {
    const cell = strongest(right.length ? right : aligned);
    const [from, to] = pair(cell);
    const count = `${right.length || "none"} of ${aligned.length} tokens`;
    const verb = right.length > 1 ? "attend" : "attends";
    const example = right.length ? `such as ${from} to ${to}` : `${from} attends most to ${to}`;
    return `${when}${count} ${verb} most to an aligned token, ${example} (${value(cell)}).`;
  }
  const open = best.filter((cell, row) => row > 0 || value(cell) !== "1.00"); // a first token often has no choice
  const cell = strongest(open.length ? open : best);
  const [from, to] = pair(cell);
  return `${when}the strongest link is from ${from} to ${to} (${value(cell)}).`;
}

/** The longest of these sentences that a panel may have, to reserve space. @param {Panel} panel @param {string} when */
export function longestDescription({ rows, columns, gold, of }, when) {
  const longest = (/** @type {string[]} */ tokens) =>
    tokens.reduce((most, token) => (visible(token).length > most.length ? visible(token) : most), "").slice(0, 24);
  const pair = `“${longest(rows)}” to “${longest(columns)}”`;
  if (of || !gold.size) return `${when}the largest difference is +0.00, from ${pair}.`;
  return `${when}none of ${rows.length} tokens attends most to an aligned token, ${pair} attends most to (0.00).`;
}
