// Overlays on heatmap cells: frames of gold links, dimming of everything not pinned, and the hovered cell.
import { svg } from "../shared/dom.js";
import { belongs } from "./state.js";

/**
 * @param {{ rows: number, columns: number, size: number, gold: Set<number>, pin?: import("./state.js").Token | null,
 *   here?: import("./state.js").Cell | null }} options
 */
export function drawOverlays({ rows, columns, size, gold, pin = null, here = null }) {
  const marks = pin ? veils(pin, rows * size, columns * size, size) : [];
  const frame = (
    /** @type {number} */ row,
    /** @type {number} */ column,
    /** @type {string} */ name,
    /** @type {number} */ inset,
  ) => {
    const place = { x: column * size + inset, y: row * size + inset, rx: Math.min(3, size / 6) };
    const side = Math.max(1, size - 1 - 2 * inset);
    for (const kind of [`${name}-halo`, name])
      marks.push(svg("rect", { class: kind, ...place, width: side, height: side }));
  };
  for (const cell of gold) {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    if (belongs(pin, row, column)) frame(row, column, "gold", Math.min(1.5, size / 8));
  }
  if (here) frame(here.row, here.column, "here", 0.5);
  return marks;
}

/** Dims all but one row or column. @param {import("./state.js").Token} pin @param {number} height @param {number} width @param {number} size */
function veils({ axis, index }, height, width, size) {
  const [from, to] = [index * size, (index + 1) * size];
  const boxes =
    axis === "row"
      ? [
          { x: 0, y: 0, width, height: from },
          { x: 0, y: to, width, height: height - to },
        ]
      : [
          { x: 0, y: 0, width: from, height },
          { x: to, y: 0, width: width - to, height },
        ];
  return boxes.filter((box) => box.width > 0 && box.height > 0).map((box) => svg("rect", { class: "veil", ...box }));
}
