// The book's colours, which widgets share with formulas, diagrams and plots.
import colours from "../../../pages/colours.json" with { type: "json" };

/** @typedef {import("./theme.js").Theme} Theme */

export const COLOURS = colours;

/**
 * Gives an element the colours of a theme, as custom properties: `var(--ink)`.
 *
 * @param {HTMLElement} node
 * @param {Theme} theme
 */
export function paintTheme(node, theme) {
  node.dataset.theme = theme;
  for (const [name, colour] of Object.entries(COLOURS[theme])) node.style.setProperty(`--${name}`, colour);
}

/** Red, green and blue, each 0 to 255, of "#rrggbb". @param {string} colour */
export const channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
