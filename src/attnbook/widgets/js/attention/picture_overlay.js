// One row or column of attention weights drawn over the image patches.
import { element } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { largest } from "./color_scale.js";

const STRONGEST = 0.85; // opacity of the largest weight

/** @typedef {{ png: string, grid: [number, number], before: number }} Picture */

/**
 * @param {import("./state.js").Panel} panel @param {import("./state.js").Token} token
 * @param {Picture} picture @param {Record<string, string>} colors
 */
export function drawOnPicture({ rows, columns, weights }, { axis, index }, { png, grid, before }, colors) {
  const [down, across] = grid;
  const seen = Float32Array.from(range(down * across), (patch) => {
    const [row, column] = axis === "row" ? [index, before + patch] : [before + patch, index];
    return weights[row * columns.length + column];
  });
  const shades = element("canvas", { width: across, height: down, "aria-hidden": "true" });
  const context = shades.getContext("2d");
  const top = largest(seen) || 1;
  if (context) {
    seen.forEach((weight, patch) => {
      context.fillStyle = weight < 0 ? colors.query : colors.weight;
      context.globalAlpha = (STRONGEST * Math.abs(weight)) / top;
      context.fillRect(patch % across, Math.floor(patch / across), 1, 1);
    });
  }
  const own = element("bdi", { class: "subject", text: (axis === "row" ? rows : columns)[index] });
  const words = axis === "row" ? " attends to" : " is attended to by";
  const image = element("img", { src: png, alt: "Input image" });
  const over = element("div", { class: "over-picture" }, image, shades);
  if (index >= before) over.append(frame(index - before, down, across));
  return [element("p", {}, own, words), over];
}

/** Outlines a patch. @param {number} patch @param {number} down @param {number} across */
function frame(patch, down, across) {
  const [top, left] = [Math.floor(patch / across) / down, (patch % across) / across];
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(2)}%`;
  const place = `top:${percent(top)};left:${percent(left)};width:${percent(1 / across)};height:${percent(1 / down)}`;
  return element("span", { class: "patch", style: place });
}
