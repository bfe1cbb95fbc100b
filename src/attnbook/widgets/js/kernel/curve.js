// Error by kernel width, next to the main figure.
import { set, svg } from "../shared/dom.js";
import { clamp, range } from "../shared/numbers.js";
import { errors } from "./regression.js";

const PLOT = { left: 34, right: 242, top: 28, bottom: 136 };
const POINTS = 41;
const MOST = 2; // upper end of the error axis
const KINDS = /** @type {const} */ ([
  ["itself", "training"],
  ["out", "leave-one-out"],
  ["truth", "true curve"],
]);

export const SIZE = { width: 250, height: 156 };
export const STYLE = `
.kernel .error { fill: none; stroke-width: 2.5; }
.kernel .error.itself { stroke: var(--muted); stroke-dasharray: 2 4; }
.kernel .error.out { stroke: var(--weight); }
.kernel .error.truth { stroke: var(--ink); stroke-opacity: 1; stroke-dasharray: 6 4; stroke-width: 1.5; }
.kernel text.legend { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.kernel .now { fill: var(--weight); stroke: var(--ink); }
`;

/**
 * An SVG path through points, interrupted at missing heights.
 *
 * @param {number[]} places @param {(number | null)[]} heights
 * @param {(place: number) => number} x @param {(height: number) => number} y
 */
export function path(places, heights, x, y) {
  let pen = "M";
  const parts = [];
  for (const [i, height] of heights.entries()) {
    if (height !== null) parts.push(`${pen}${x(places[i]).toFixed(1)} ${y(height).toFixed(1)}`);
    pen = height === null ? "M" : "L";
  }
  return parts.join("");
}

/** Scales of widths and errors. @param {number} least @param {number} widest */
function scales(least, widest) {
  const [from, to] = [Math.log(least), Math.log(widest)];
  const wide = PLOT.right - PLOT.left;
  const deep = PLOT.bottom - PLOT.top;
  return {
    widths: range(POINTS).map((i) => Math.exp(from + (i / (POINTS - 1)) * (to - from))),
    x: (/** @type {number} */ width) => PLOT.left + ((Math.log(width) - from) / (to - from)) * wide,
    y: (/** @type {number} */ error) => PLOT.bottom - Math.sqrt(Math.min(error, MOST) / MOST) * deep,
    widthAt: (/** @type {number} */ pixel) => Math.exp(from + clamp((pixel - PLOT.left) / wide, 0, 1) * (to - from)),
  };
}

/**
 * Plots the errors for widths between two limits.
 *
 * @param {SVGSVGElement} picture @param {number} least @param {number} widest
 */
export function errorCurve(picture, least, widest) {
  const { widths, x, y, widthAt } = scales(least, widest);
  const lines = KINDS.map(([name]) => svg("path", { class: `error ${name}` }));
  const here = svg("line", { class: "query", y1: PLOT.top, y2: PLOT.bottom });
  const now = svg("circle", { class: "now", r: 6 });
  const within = (/** @type {number} */ width) => width >= least && width <= widest;
  picture.append(
    svg("text", { x: 4, y: 14, text: "mean squared error by width h" }),
    ...KINDS.flatMap(([name, text], i) => [
      svg("path", { class: `error ${name}`, d: `M${PLOT.left + 14} ${32 + 15 * i}h22` }),
      svg("text", { class: "legend", x: PLOT.left + 42, y: 36 + 15 * i, text }),
    ]),
    svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: PLOT.bottom, y2: PLOT.bottom }),
    ...[0, 0.1, 0.5, 1, MOST].map((tick) =>
      svg("text", { x: PLOT.left - 5, y: y(tick) + 4, "text-anchor": "end", text: tick }),
    ),
    ...[0.05, 0.2, 1, 4]
      .filter(within)
      .map((tick) => svg("text", { x: x(tick), y: PLOT.bottom + 17, "text-anchor": "middle", text: tick })),
    ...lines,
    here,
    now,
  );
  return {
    widthAt,
    /** Redraws the curves. @param {import("./regression.js").Data} data @param {import("./regression.js").Kernel} kernel */
    draw(data, kernel) {
      const found = widths.map((width) => errors(data, width, kernel));
      for (const [i, [name]] of KINDS.entries()) {
        const heights = found.map((error) => error[name]);
        set(lines[i], { d: path(widths, heights, x, y) || null });
      }
    },
    /** Marks the current width. @param {number} width @param {number | null} out its leave-one-out error */
    show(width, out) {
      set(here, { x1: x(width), x2: x(width) });
      set(now, { cx: x(width), cy: y(out ?? MOST), visibility: out === null ? "hidden" : "visible" });
    },
  };
}
