// The colours of weights, and cells painted with them.
import { COLOURS, channels } from "../shared/colours.js";
import { SQUARES } from "./plan.js";

/** @typedef {import("../shared/theme.js").Theme} Theme */
/** @typedef {HTMLCanvasElement & { image?: ImageData | null }} Cells */

// Both rise or fall steadily in luminance, so that they read the same without colour.
const STOPS = {
  light: [COLOURS.light.paper, "#a3bcee", COLOURS.light.weight, "#12306f"],
  dark: [COLOURS.dark.paper, "#3a4fae", COLOURS.dark.weight, "#eef2ff"],
};
export const SHADES = 1024;

/** @type {Partial<Record<Theme, Uint32Array<ArrayBuffer>>>} */
const tables = {};

/** A table of colours for weights from 0 to 1, as ImageData wants them. @param {Theme} theme */
export function shades(theme) {
  const known = tables[theme];
  if (known) return known;
  const stops = STOPS[theme].map(channels);
  const table = new Uint32Array(SHADES);
  const bytes = new Uint8ClampedArray(table.buffer);
  for (let i = 0; i < SHADES; i++) {
    const at = (i / (SHADES - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
    bytes[4 * i + 3] = 255;
  }
  tables[theme] = table;
  return table;
}

/** The shade of a weight, where `top` has the last one. @param {number} weight @param {number} top */
export const shadeOf = (weight, top) => Math.min(SHADES - 1, Math.round((weight / top) * (SHADES - 1)));

/** @param {Uint32Array<ArrayBuffer>} table @param {number} shade */
export const cssColour = (table, shade) => `rgb(${new Uint8Array(table.buffer, 4 * shade, 3).join(" ")})`;

/**
 * Paints one pixel a cell, from codes or weights; the style sheet makes it large without blur.
 *
 * @param {Cells} canvas @param {Uint8Array | Float32Array} values @param {number} columns
 * @param {Uint32Array} table @param {number} top the weight that has the last colour
 */
export function paint(canvas, values, columns, table, top) {
  const rows = values.length / columns;
  if (canvas.width !== columns || canvas.height !== rows)
    Object.assign(canvas, { width: columns, height: rows, image: null });
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.image ??= context.createImageData(columns, rows);
  const pixels = new Uint32Array(canvas.image.data.buffer);
  if (values instanceof Uint8Array) {
    const colours = Uint32Array.from(SQUARES, (weight) => table[shadeOf(weight, top)]);
    for (let i = 0; i < values.length; i++) pixels[i] = colours[values[i]];
  } else {
    const scale = (SHADES - 1) / top;
    for (let i = 0; i < values.length; i++) pixels[i] = table[Math.min(SHADES - 1, Math.round(values[i] * scale))];
  }
  context.putImageData(canvas.image, 0, 0);
}

/** @param {ArrayLike<number>} values */
export function largest(values) {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > found) found = values[i];
  return found;
}
