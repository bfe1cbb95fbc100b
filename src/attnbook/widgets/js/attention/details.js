// The same numbers in words: as a table, and as bars of one row or column.
import { element } from "../shared/dom.js";
import { label, weightText } from "./text.js";

/** @typedef {import("./state.js").Panel} Panel */

const LARGE = 2500; // cells; of a larger matrix the table has the five largest of each row
export const BARS = 7;

/** @param {Panel} panel */
export function drawTable({ rows, columns, weights, gold, caption }) {
  const weight = (/** @type {number} */ row, /** @type {number} */ column) => weights[row * columns.length + column];
  const header = (/** @type {string} */ scope, /** @type {string} */ text) =>
    element("th", { scope }, element("bdi", { text: label(text) }));
  const mark = (/** @type {number} */ row, /** @type {number} */ column) =>
    gold.has(row * columns.length + column) ? " ◆" : "";
  const largest = (/** @type {number} */ row) =>
    [...columns.keys()].sort((a, b) => weight(row, b) - weight(row, a)).slice(0, 5);
  const small = weights.length <= LARGE;
  const head = small ? columns.map((text) => header("col", text)) : [header("col", "largest weights")];
  const cells = (/** @type {number} */ row) => {
    if (small) return columns.map((_, j) => element("td", { text: weightText(weight(row, j)) + mark(row, j) }));
    const text = largest(row).map((j) => `${label(columns[j])} ${weightText(weight(row, j))}`);
    return [element("td", {}, element("bdi", { text: text.join(", ") }))];
  };
  const lines = rows.map((text, row) => element("tr", {}, header("row", text), ...cells(row)));
  const title = element("caption", { text: gold.size ? `${caption}; ◆ gold alignment` : caption });
  const table = element("table", {}, title, element("thead", {}, element("tr", {}, element("td"), ...head)));
  table.append(element("tbody", {}, ...lines));
  return element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Table of weights" }, table);
}

/** One row or column as bars, the largest weights first. @param {Panel} panel @param {import("./state.js").Token} token */
export function drawDetails({ rows, columns, weights, gold }, { axis, index }) {
  const [own, others] = axis === "row" ? [rows, columns] : [columns, rows];
  const cell = (/** @type {number} */ other) =>
    axis === "row" ? index * columns.length + other : other * columns.length + index;
  const order = [...others.keys()].sort((a, b) => weights[cell(b)] - weights[cell(a)]).slice(0, BARS);
  const seen = order.filter((other, i) => i === 0 || weights[cell(other)] >= 0.005);
  const subject = element("bdi", { class: "subject", text: label(own[index]) });
  return [
    element("p", {}, subject, axis === "row" ? " attends to" : " is attended to by"),
    ...seen.map((other) => {
      const fill = element("span", { class: "fill", style: `width:${(100 * weights[cell(other)]).toFixed(1)}%` });
      return element(
        "div",
        { class: "bar" },
        element("bdi", { text: label(others[other], 16) }),
        element("span", { class: "track" }, fill),
        element("span", { class: "weight", text: weightText(weights[cell(other)]) }),
        element("span", { class: "golden", text: gold.has(cell(other)) ? "◆" : "", title: "gold alignment" }),
      );
    }),
  ];
}
