// The colours of all widgets, light and dark.

/** @typedef {import("./theme.js").Theme} Theme */

/** @type {Record<Theme, Record<string, string>>} */
export const COLOURS = {
  light: {
    surface: "#ffffff",
    raised: "#f4f6f9",
    ink: "#1d2430",
    muted: "#586374",
    edge: "#d5dbe4",
    halo: "#ffffff",
    strong: "#b3400e",
    calm: "#2a62b0",
    gold: "#b35c00",
    spread: "#0f766e",
  },
  dark: {
    surface: "#171a20",
    raised: "#222731",
    ink: "#e8ebf0",
    muted: "#a4aebc",
    edge: "#3a4250",
    halo: "#14161b",
    strong: "#ff9d6e",
    calm: "#8ab8f5",
    gold: "#ffb14a",
    spread: "#5fd0c1",
  },
};

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
