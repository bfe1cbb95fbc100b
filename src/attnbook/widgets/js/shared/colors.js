// The color palette that widgets share with formulas, diagrams and plots.
import colors from "../../../pages/colors.json" with { type: "json" };

/** @typedef {import("./theme.js").Theme} Theme */

export const COLORS = colors;

/**
 * Sets the colors of a theme on an element as custom properties such as `--ink`.
 *
 * @param {HTMLElement} node
 * @param {Theme} theme
 */
export function applyTheme(node, theme) {
  node.dataset.theme = theme;
  for (const [name, color] of Object.entries(COLORS[theme])) node.style.setProperty(`--${name}`, color);
}

/** The RGB channels, 0 to 255, of "#rrggbb". @param {string} color */
export const channels = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
