// Color scales of weights, and painting cells with them.
import { COLORS, channels } from "../shared/colors.js";
import { clamp } from "../shared/numbers.js";
import { SQUARES } from "./frame_layout.js";

/** @typedef {import("../shared/theme.js").Theme} Theme */
/** @typedef {HTMLCanvasElement & { image?: ImageData | null }} Cells */
/** @typedef {Uint32Array<ArrayBuffer>} Table */
/** The table runs from the color of `low` to the color of `top`. @typedef {{ table: Table, low: number, top: number }} Scale */

// Luminance is monotonic in both, so that they are readable without color.
const STOPS = {
  light: [COLORS.light.paper, "#a3bcee", COLORS.light.weight, "#12306f"],
  dark: [COLORS.dark.paper, "#3a4fae", COLORS.dark.weight, "#eef2ff"],
};
// Differences: zero has the paper's color, and both ends are about equally far from it.
const SIGNED = {
  light: [COLORS.light.query, COLORS.light.paper, COLORS.light.weight],
  dark: [COLORS.dark.query, COLORS.dark.paper, COLORS.dark.weight],
};
const SHADES = 1024;

/** @type {Map<string[], Table>} */
const tables = new Map();

/** A lookup table of RGBA colors for weights, or for differences. @param {Theme} theme @param {boolean} [signed] */
export function shades(theme, signed = false) {
  const named = (signed ? SIGNED : STOPS)[theme];
  const known = tables.get(named);
  if (known) return known;
  const stops = named.map(channels);
  const table = new Uint32Array(SHADES);
  const bytes = new Uint8ClampedArray(table.buffer);
  for (let i = 0; i < SHADES; i++) {
    const at = (i / (SHADES - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
    bytes[4 * i + 3] = 255;
  }
  tables.set(named, table);
  return table;
}

/** The index of a value in the table. @param {number} value @param {Scale} scale */
const shadeOf = (value, { low, top }) => clamp(Math.round(((value - low) / (top - low)) * (SHADES - 1)), 0, SHADES - 1);

/** The RGB channels, 0 to 255, of a value. @param {number} value @param {Scale} scale */
export const colorOf = (value, scale) => [...new Uint8Array(scale.table.buffer, 4 * shadeOf(value, scale), 3)];

/** @param {number} value @param {Scale} scale */
export const cssColor = (value, scale) => `rgb(${colorOf(value, scale).join(" ")})`;

/**
 * Paints one pixel per cell from codes or values; CSS scales it without blur.
 *
 * @param {Cells} canvas @param {Uint8Array | Float32Array} values @param {number} columns @param {Scale} scale
 */
export function paint(canvas, values, columns, scale) {
  const rows = values.length / columns;
  if (canvas.width !== columns || canvas.height !== rows)
    Object.assign(canvas, { width: columns, height: rows, image: null });
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.image ??= context.createImageData(columns, rows);
  const pixels = new Uint32Array(canvas.image.data.buffer);
  const { table } = scale;
  if (values instanceof Uint8Array) {
    const colors = Uint32Array.from(SQUARES, (weight) => table[shadeOf(weight, scale)]);
    for (let i = 0; i < values.length; i++) pixels[i] = colors[values[i]];
  } else for (let i = 0; i < values.length; i++) pixels[i] = table[shadeOf(values[i], scale)];
  context.putImageData(canvas.image, 0, 0);
}

/** The largest absolute value. @param {ArrayLike<number>} values */
export function largest(values) {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) > found) found = Math.abs(values[i]);
  return found;
}
