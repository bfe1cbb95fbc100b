// The learning curves: the mean of each contestant over budgets, with the spread between seeds of the one that stands out.
import { path } from "../kernel/curve.js";
import { svg } from "../shared/dom.js";
import { drag } from "../shared/drag.js";
import { range } from "../shared/numbers.js";
import { ticks } from "../shared/ticks.js";
import { extent, mean, spreadOut } from "./ranking.js";

/** @typedef {import("./ranking.js").Task} Task */

export const SIZE = { width: 420, height: 300 };
const BOX = { left: 44, right: 392, top: 30, bottom: 254 };
export const PLOT_STYLE = `
.curves .plot { touch-action: pan-y; cursor: ew-resize; }
.curves .axis, .curves .grid { stroke: var(--line); }
.curves .grid { stroke-opacity: 0.35; }
.curves .budget { stroke: var(--line); stroke-dasharray: 2 4; }
.curves .now { stroke: var(--ink); stroke-width: 1.5; }
.curves .curve { fill: none; stroke: var(--muted); stroke-opacity: 0.55; stroke-width: 1.5; }
.curves .curve.leads { stroke: var(--ink); stroke-opacity: 1; stroke-width: 2.5; }
.curves .curve.chosen { stroke: var(--weight); stroke-opacity: 1; stroke-width: 3; }
.curves .spread { fill: var(--weight); fill-opacity: 0.2; }
.curves .at { fill: var(--muted); }
.curves .at.leads { fill: var(--ink); }
.curves .at.chosen { fill: var(--weight); }
.curves .figure svg text.leads, .curves .figure svg text.chosen { font-weight: 700; }
.curves .figure svg text.chosen { fill: var(--weight); }
`;

/** A letter for each contestant: A, B, C and so on. @param {number} i */
export const letter = (i) => String.fromCharCode(65 + (i % 26));

/** Scales of a task: steps as logarithms. @param {Task} task */
export function scales(task) {
  const { steps } = task;
  const [first, last] = [Math.log(steps[0]), Math.log(steps[steps.length - 1])];
  const marks = ticks(...extent(task));
  const [low, high] = [marks[0], marks[marks.length - 1]];
  const x = (/** @type {number} */ step) =>
    BOX.left + ((Math.log(step) - first) / (last - first || 1)) * (BOX.right - BOX.left);
  return {
    marks,
    x,
    y: (/** @type {number} */ value) => BOX.bottom - ((value - low) / (high - low)) * (BOX.bottom - BOX.top),
    /** The nearest point of the curve. @param {number} pixel */
    point: (pixel) =>
      range(steps.length).reduce((best, i) =>
        Math.abs(x(steps[i]) - pixel) < Math.abs(x(steps[best]) - pixel) ? i : best,
      ),
  };
}

/** The band between the least and the largest seed. @param {(number[] | null)[]} values @param {number[]} steps @param {ReturnType<typeof scales>} scale */
function band(values, steps, { x, y }) {
  const known = range(steps.length).filter((i) => values[i]);
  const edge = (/** @type {number} */ i, /** @type {(...all: number[]) => number} */ of) =>
    `${x(steps[i]).toFixed(1)} ${y(of(...(values[i] ?? []))).toFixed(1)}`;
  const over = known.map((i) => edge(i, Math.max));
  const under = known.reverse().map((i) => edge(i, Math.min));
  return known.length ? `M${[...over, ...under].join("L")}Z` : "";
}

/** Axes and the three budgets. @param {Task} task @param {string} measured @param {ReturnType<typeof scales>} scale */
function frame({ steps, budgets }, measured, { marks, x, y }) {
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "middle") =>
    svg("text", { x, y, "text-anchor": anchor, text: words });
  return [
    text(4, 16, measured, "start"),
    ...marks.flatMap((value) => [
      svg("line", { class: "grid", x1: BOX.left, x2: BOX.right, y1: y(value), y2: y(value) }),
      text(BOX.left - 5, y(value) + 4, String(value), "end"),
    ]),
    ...Object.values(budgets).flatMap((i) => [
      svg("line", { class: "budget", x1: x(steps[i]), x2: x(steps[i]), y1: BOX.top, y2: BOX.bottom }),
      text(x(steps[i]), BOX.bottom + 18, steps[i].toLocaleString("en"), i === steps.length - 1 ? "end" : "middle"),
    ]),
    text((BOX.left + BOX.right) / 2, BOX.bottom + 38, "steps (logarithmic)"),
    svg("line", { class: "axis", x1: BOX.left, x2: BOX.right, y1: BOX.bottom, y2: BOX.bottom }),
  ];
}

/**
 * @param {SVGSVGElement} picture
 * @param {(point: number) => void} pointed called with the budget under a dragged pointer
 */
export function plot(picture, pointed) {
  /** @type {ReturnType<typeof scales> | null} */
  let scale = null;
  picture.classList.add("plot");
  drag(
    picture,
    () =>
      ({ x }) =>
        scale && pointed(scale.point(x)),
  );
  /** @param {Task} task @param {string} measured @param {number} point @param {string} leader @param {string} chosen */
  return (task, measured, point, leader, chosen) => {
    const here = scales(task);
    scale = here;
    const { x, y } = here;
    const { steps, curves } = task;
    const kind = (/** @type {string} */ name) => (name === chosen ? "chosen" : name === leader ? "leads" : "");
    const order = (/** @type {string} */ name) => ["", "leads", "chosen"].indexOf(kind(name));
    const drawn = [...curves].sort((a, b) => order(a.name) - order(b.name)); // what stands out is drawn last
    const lines = drawn.flatMap(({ name, values }) => {
      const means = values.map((seeds) => seeds && mean(seeds));
      const now = means[point];
      return [
        ...(name === chosen ? [svg("path", { class: "spread", d: band(values, steps, here) })] : []),
        svg("path", { class: `curve ${kind(name)}`, d: path(steps, means, x, y) }),
        ...(now === null ? [] : [svg("circle", { class: `at ${kind(name)}`, cx: x(steps[point]), cy: y(now), r: 4 })]),
      ];
    });
    const ends = curves.map(({ values }) => {
      const last = values.findLast((seeds) => seeds);
      return last ? y(mean(last)) : BOX.bottom;
    });
    const places = spreadOut(ends, 17, BOX.top, BOX.bottom);
    const letters = curves.map(({ name }, i) =>
      svg("text", { class: kind(name), x: BOX.right + 8, y: places[i] + 4, text: letter(i) }),
    );
    const line = svg("line", { class: "now", x1: x(steps[point]), x2: x(steps[point]), y1: BOX.top, y2: BOX.bottom });
    picture.replaceChildren(...frame(task, measured, here), line, ...lines, ...letters);
  };
}
