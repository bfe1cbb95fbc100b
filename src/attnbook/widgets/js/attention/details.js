// The weights as a table, and as bars for one row or column.
import { element } from "../shared/dom.js";
import { formatter, label } from "./format.js";

/** @typedef {import("./state.js").Panel} Panel */

const LARGE = 2500; // cells; tables of larger matrices list the five largest weights per row
export const BARS = 5;

/** @param {Panel} panel */
export function drawTable(panel) {
  const { rows, columns, weights, gold, caption } = panel;
  const text = formatter(panel);
  const weight = (/** @type {number} */ row, /** @type {number} */ column) => weights[row * columns.length + column];
  const header = (/** @type {string} */ scope, /** @type {string} */ text) =>
    element("th", { scope }, element("bdi", { text: label(text) }));
  const mark = (/** @type {number} */ row, /** @type {number} */ column) =>
    gold.has(row * columns.length + column) ? "\u00a0◆" : "";
  const largest = (/** @type {number} */ row) =>
    [...columns.keys()].sort((a, b) => Math.abs(weight(row, b)) - Math.abs(weight(row, a))).slice(0, 5);
  const small = weights.length <= LARGE;
  const head = small ? columns.map((token) => header("col", token)) : [header("col", "largest weights")];
  const cells = (/** @type {number} */ row) => {
    if (small) return columns.map((_, j) => element("td", { text: text(weight(row, j)) + mark(row, j) }));
    const list = largest(row).map((j) => `${label(columns[j])} ${text(weight(row, j))}`);
    return [element("td", {}, element("bdi", { text: list.join(", ") }))];
  };
  const lines = rows.map((token, row) => element("tr", {}, header("row", token), ...cells(row)));
  const title = element("caption", { text: gold.size ? `${caption}; ◆ gold alignment` : caption });
  const table = element("table", {}, title, element("thead", {}, element("tr", {}, element("td"), ...head)));
  table.append(element("tbody", {}, ...lines));
  return table;
}

/** One row or column as bars in descending order. @param {Panel} panel @param {import("./state.js").Token} token */
export function drawDetails(panel, { axis, index }) {
  const { rows, columns, weights, gold, of } = panel;
  const [own, others] = axis === "row" ? [rows, columns] : [columns, rows];
  const cell = (/** @type {number} */ other) =>
    axis === "row" ? index * columns.length + other : other * columns.length + index;
  const size = (/** @type {number} */ other) => Math.abs(weights[cell(other)]);
  const order = [...others.keys()].sort((a, b) => size(b) - size(a)).slice(0, BARS);
  const seen = order.filter((other, i) => i === 0 || size(other) >= 0.005);
  const subject = element("bdi", { class: "subject", text: label(own[index]) });
  const verb = axis === "row" ? " attends to" : " is attended to by";
  return [
    element("p", {}, subject, of ? `${verb} (difference)` : verb),
    ...seen.map((other) => {
      const fill = element("span", { class: "fill", style: `width:${(100 * size(other)).toFixed(1)}%` });
      fill.classList.toggle("less", weights[cell(other)] < 0);
      return element(
        "div",
        { class: "bar" },
        element("bdi", { text: label(others[other], 16) }),
        element("span", { class: "track" }, fill),
        element("span", { class: "weight", text: formatter(panel)(weights[cell(other)]) }),
        element("span", { class: "golden", text: gold.has(cell(other)) ? "◆" : "", title: "gold alignment" }),
      );
    }),
  ];
}
