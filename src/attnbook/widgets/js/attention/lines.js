// Tokens in two columns, connected by a line for every visible weight. Plain SVG attributes only, so that it can be exported.
import { set, svg } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { FONT } from "../shared/style.js";
import { label } from "./format.js";
import { belongs } from "./state.js";

/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {import("./state.js").Token} Token */

export const LEAST = 0.02; // fraction of the scale; weaker lines are hidden
const MOST = 3000;

/** @param {Panel} panel */
export function linesHeight({ rows, columns }) {
  const most = Math.max(rows.length, columns.length);
  return Math.max(most * clamp(420 / most, 15, 26), 40);
}

/** Positions of tokens and lines. @param {Panel} panel @param {number} width */
function places(panel, width) {
  const { rows, columns } = panel;
  const height = linesHeight(panel);
  const side = Math.min(width * 0.32, 190);
  const [left, right] = [side, width - side];
  const y = (/** @type {number} */ index, /** @type {number} */ count) => ((index + 0.5) / count) * height;
  return {
    ...{ height, left, right, y },
    letters: Math.max(6, Math.floor(side / 9)),
    curve(/** @type {number} */ cell) {
      const from = y(cell % columns.length, columns.length).toFixed(1);
      const to = y(Math.floor(cell / columns.length), rows.length).toFixed(1);
      const middle = (left + right) / 2;
      return `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}`;
    },
  };
}

/**
 * @param {Panel} panel
 * @param {{ pin: Token | null, aim: Token | null, top: number, width: number, colors: Record<string, string> }} how
 */
export function drawLines(panel, { pin, aim, top, width, colors }) {
  const { rows, columns, weights, gold } = panel;
  const place = places(panel, width);
  const focus = aim ?? pin;
  const seen = (/** @type {number} */ i) => belongs(focus, Math.floor(i / columns.length), i % columns.length);
  const cells = [...weights.keys()].filter((i) => Math.abs(weights[i]) >= LEAST * top && seen(i));
  cells.sort((a, b) => Math.abs(weights[a]) - Math.abs(weights[b]));
  const lines = cells.slice(-MOST).map((i) => {
    const strength = Math.min(1, Math.abs(weights[i]) / top);
    const less = weights[i] < 0; // only in a difference
    const look = {
      "stroke-width": (0.7 + 4.3 * strength).toFixed(2),
      "stroke-opacity": (0.1 + 0.9 * strength).toFixed(3),
    };
    const stroke = less ? colors.query : colors.weight;
    const dashes = less ? { "stroke-dasharray": "8 3" } : {};
    return svg("path", { class: "line", d: place.curve(i), fill: "none", stroke, ...look, ...dashes });
  });
  const dashes = { fill: "none", stroke: colors.query, "stroke-width": 1.6, "stroke-dasharray": "2 4" };
  const golden = [...gold].filter(seen).map((i) => svg("path", { class: "gold-line", d: place.curve(i), ...dashes }));
  const names = (/** @type {string[]} */ tokens, /** @type {Token["axis"]} */ axis) =>
    tokens.map((text, index) => {
      const [x, anchor] = axis === "row" ? [place.right + 8, "start"] : [place.left - 8, "end"]; // keys left, as they are read first
      const own = { "data-axis": axis, "data-index": index, text: label(text, place.letters) };
      const font = { "font-size": 13.5, "font-family": FONT, fill: axis === "row" ? colors.query : colors.key };
      const weight = focus?.axis === axis && focus.index === index ? 700 : 400;
      const y = place.y(index, tokens.length) + 4.5;
      const name = svg("text", { class: "token", x, y, "text-anchor": anchor, ...font, "font-weight": weight, ...own });
      name.append(svg("title", { text: text.slice(0, 300) }));
      return name;
    });
  const size = { viewBox: `0 0 ${width} ${place.height}`, width, height: place.height };
  return svg(
    "svg",
    { class: "lines", ...size },
    ...lines,
    ...golden,
    ...names(rows, "row"),
    ...names(columns, "column"),
  );
}

/**
 * Moves new lines into a drawing of the same tokens. The token elements stay: replacing one between press and release
 * would lose the click.
 *
 * @param {Element} old @param {SVGSVGElement} fresh
 */
export function renewLines(old, fresh) {
  const [tokens, wanted] = [old, fresh].map((drawing) => [...drawing.querySelectorAll(".token")]);
  const text = (/** @type {Element} */ drawing, /** @type {Element[]} */ names) =>
    [drawing.getAttribute("viewBox"), ...names.map((name) => name.textContent)].join("\n");
  if (text(old, tokens) !== text(fresh, wanted)) return false;
  for (const line of old.querySelectorAll(".line, .gold-line")) line.remove();
  old.prepend(...fresh.querySelectorAll(".line, .gold-line"));
  tokens.forEach((token, i) => {
    for (const name of ["font-weight", "fill"]) set(token, { [name]: wanted[i].getAttribute(name) });
  });
  return true;
}
