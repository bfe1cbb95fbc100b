// Sinusoidal position encodings: the table, one row, and its dot product with every other row.

import { COLORS, channels } from "./shared/colors.js";
import { choice, slider } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { dot } from "./shared/linear_algebra.js";
import { clamp, range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./shared/theme.js").Theme} Theme */

const LENGTH = 100;
const SIZES = { min: 2, max: 128 };
const BASES = [10, 100, 1000, 10000, 100000];
const WIDTH = 640;
const TABLE = { left: 46, right: 628, top: 24, bottom: 204 };
const ROW = { top: 236, bottom: 316 };
const DOT = { top: 352, bottom: 452 };
const WIDE = TABLE.right - TABLE.left;
const HIGH = TABLE.bottom - TABLE.top;
const STYLE = `
.position svg { overflow: visible; touch-action: pan-y; } /* on a phone, large labels extend beyond it */
.position image { image-rendering: pixelated; cursor: ns-resize; touch-action: none; }
.position .edge { fill: none; stroke: var(--muted); pointer-events: none; }
.position .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.position .axis { stroke: var(--muted); }
.position .sine { fill: var(--query); }
.position .cosine { fill: var(--weight); }
.position .dots { fill: none; stroke: var(--weight); stroke-width: 2; }
.position .products { fill: transparent; cursor: ew-resize; }
.position .here { stroke: var(--ink); stroke-dasharray: 4 3; pointer-events: none; }
`;

/** One row of the table. @param {number} position @param {number} size @param {number} base */
export function encoding(position, size, base) {
  return range(size).map((entry) => {
    const angle = position * base ** (-(entry - (entry % 2)) / size);
    return entry % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** Renders the table with one pixel per entry. @param {number[][]} rows @param {Theme} theme */
function picture(rows, theme) {
  const { query, paper, weight } = COLORS[theme];
  const [high, zero, low] = [query, paper, weight].map(channels);
  const canvas = element("canvas", { width: rows[0].length, height: rows.length });
  const context = canvas.getContext("2d");
  if (!context) return "";
  const image = context.createImageData(canvas.width, canvas.height);
  for (const [at, value] of rows.flat().entries()) {
    const end = value < 0 ? low : high;
    for (let c = 0; c < 3; c++) image.data[4 * at + c] = zero[c] + Math.abs(value) * (end[c] - zero[c]);
    image.data[4 * at + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

const middle = (/** @type {{ top: number, bottom: number }} */ part) => (part.top + part.bottom) / 2;
const column = (/** @type {number} */ position) => TABLE.left + ((position + 0.5) / LENGTH) * WIDE;

/** Draws the static parts and creates the moving ones. @param {SVGSVGElement} view */
function parts(view) {
  const text = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string | number} */ words,
    anchor = "end",
  ) => svg("text", { x, y, "text-anchor": anchor, text: words });
  const box = { x: TABLE.left, y: TABLE.top, width: WIDE, height: HIGH };
  const made = {
    table: svg("image", { ...box, preserveAspectRatio: "none" }),
    chosen: svg("rect", { class: "chosen", x: TABLE.left - 2, width: WIDE + 4, height: HIGH / LENGTH + 4 }),
    bars: svg("g"),
    curve: svg("path", { class: "dots" }),
    here: svg("line", { class: "here", y1: DOT.top, y2: DOT.bottom }),
    products: svg("rect", { class: "products", x: TABLE.left, y: DOT.top, width: WIDE, height: DOT.bottom - DOT.top }),
    rowTitle: text(TABLE.left, ROW.top - 10, "", "start"),
    dotTitle: text(TABLE.left, DOT.top - 14, "", "start"),
  };
  const ends = [
    { part: ROW, most: "1", least: "−1" },
    { part: DOT, most: "d/2", least: "−d/2" },
  ];
  view.append(
    made.table,
    svg("rect", { ...box, class: "edge" }),
    ...ends.map(({ part }) =>
      svg("line", { class: "axis", x1: TABLE.left, x2: TABLE.right, y1: middle(part), y2: middle(part) }),
    ),
    made.chosen,
    made.bars,
    made.curve,
    made.products,
    made.here,
    made.rowTitle,
    made.dotTitle,
    text(TABLE.left, 16, "dimensions, high frequencies first →", "start"),
    text(TABLE.left - 6, TABLE.top + 10, 0),
    text(TABLE.left - 6, TABLE.bottom, LENGTH - 1),
    ...ends.flatMap(({ part, most, least }) => [
      text(TABLE.left - 6, part.top + 8, most),
      text(TABLE.left - 6, part.bottom + 2, least),
    ]),
    ...[0, 25, 50, 75, 99].map((position) => text(column(position), 470, position, "middle")),
  );
  return made;
}

/** @param {ReturnType<typeof parts>} made @param {number[]} row */
function drawRow({ bars }, row) {
  const step = WIDE / row.length;
  bars.replaceChildren(
    ...row.map((value, entry) => {
      const height = (Math.abs(value) * (ROW.bottom - ROW.top)) / 2;
      const y = middle(ROW) - (value > 0 ? height : 0);
      const place = { x: TABLE.left + (entry + 0.1) * step, y, width: 0.8 * step, height };
      return svg("rect", { class: entry % 2 ? "cosine" : "sine", ...place });
    }),
  );
}

/** @param {ReturnType<typeof parts>} made @param {number[]} dots @param {number} size */
function drawDots({ curve }, dots, size) {
  const scale = (DOT.bottom - DOT.top) / 2 / Math.max(size / 2, ...dots.map(Math.abs));
  const points = dots.map((value, i) => `${column(i).toFixed(1)} ${(middle(DOT) - value * scale).toFixed(2)}`);
  set(curve, { d: `M${points.join("L")}` });
}

/** @param {number} position @param {number} size @param {number} base @param {number[]} dots */
function summary(position, size, base, dots) {
  const slowest = 2 * Math.PI * base ** ((2 * Math.ceil(size / 2) - 2) / size);
  const far = position < LENGTH / 2 ? LENGTH - 1 : 0;
  const next = position === LENGTH - 1 ? position - 1 : position + 1;
  const waves = slowest < 6.35 ? "the wave is 6.3" : `the waves are 6.3 to ${slowest.toFixed(1)}`;
  return (
    `Position ${position}, size ${size}, base ${base}: ${waves} positions long. ` +
    `The dot product with itself is ${dots[position].toFixed(2)}, with position ${next} it is ${dots[next].toFixed(2)}, ` +
    `and with position ${far} it is ${dots[far].toFixed(2)}.`
  );
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "position",
    title: "Sinusoidal positions",
    tip: "drag through the table or through the curve below. Then set the size to 2: how often does the peak come back?",
    style: STYLE,
    names: ["d_model", "base", "position"],
  });
  const drawing = view.picture(WIDTH, 474);
  const made = parts(drawing);
  const choose = (/** @type {number} */ part) =>
    view.change({ position: clamp(Math.floor(part * LENGTH), 0, LENGTH - 1) });
  drag(drawing, ({ target }) => {
    if (target === made.table) return ({ y }) => choose((y - TABLE.top) / HIGH);
    if (target === made.products) return ({ x }) => choose((x - TABLE.left) / WIDE);
    return null;
  });
  const positionInput = slider("Position i", { min: 0, max: LENGTH - 1 }, (position) => view.change({ position }));
  const sizeInput = slider("Size d", SIZES, (size) => view.change({ d_model: size }));
  const bases = BASES.map((base) => /** @type {[number, string]} */ ([base, base.toLocaleString("en")]));
  const baseInput = choice("Base", bases, (base) => view.change({ base: Number(base) }));
  view.controls.append(positionInput.element, sizeInput.element, baseInput.element);

  const [largest, slowest] = [SIZES.max, BASES[BASES.length - 1]];
  view.reserve([summary(LENGTH - 2, largest, slowest, Array(LENGTH).fill(-largest / 2))]);
  let drawn = "";
  /** @type {number[][]} */
  let rows = [];
  return view.start((theme) => {
    const [size, base, position] = ["d_model", "base", "position"].map((name) => model.get(name));
    if (drawn !== `${size} ${base} ${theme}`) {
      drawn = `${size} ${base} ${theme}`;
      rows = range(LENGTH).map((i) => encoding(i, size, base));
      set(made.table, { href: picture(rows, theme) });
    }
    const dots = rows.map((row) => dot(row, rows[position]));
    set(made.chosen, { y: TABLE.top + (position / LENGTH) * HIGH - 2 });
    set(made.here, { x1: column(position), x2: column(position) });
    write(made.rowTitle, `row ${position}: sines and cosines in turn`);
    write(made.dotTitle, `dot product of position ${position} with all positions`);
    drawRow(made, rows[position]);
    drawDots(made, dots, size);
    positionInput.show(position);
    sizeInput.show(size);
    baseInput.show(base);
    view.say(summary(position, size, base, dots));
  });
}

export default { render };
