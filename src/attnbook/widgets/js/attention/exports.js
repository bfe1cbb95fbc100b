// Exports the current view as SVG, PNG and LaTeX, and all data as JSON.
import { SVG, svg } from "../shared/dom.js";
import { clamp, range } from "../shared/numbers.js";
import { FONT } from "../shared/style.js";
import { colorOf, cssColor } from "./color_scale.js";
import { label, textWidth, widest } from "./format.js";
import { SLANT } from "./heatmap.js";
import { drawLines } from "./lines.js";

/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./frames.js").FrameLog} FrameLog */
/** @typedef {{ scale: import("./color_scale.js").Scale, colors: Record<string, string> }} Look */
/** @typedef {{ group: SVGElement, width: number, height: number }} Placed */

const LARGE = 10000; // cells; larger matrices are embedded as a bitmap

/**
 * One heatmap as an SVG group.
 *
 * @param {Panel} panel @param {Look} look
 * @param {{ size: number, labels: boolean, canvas: HTMLCanvasElement }} options
 * @returns {Placed}
 */
function heatmap({ rows, columns, weights, gold, caption }, { scale, colors }, { size, labels, canvas }) {
  const left = labels ? widest(rows, 12) + 10 : 0;
  const above = (labels ? widest(columns, 12) * Math.sin(SLANT) + 16 : 0) + (caption ? 22 : 0);
  const place = (/** @type {number} */ i) => ({
    x: left + (i % columns.length) * size,
    y: above + Math.floor(i / columns.length) * size,
  });
  const group = svg("g", { "font-family": FONT, "font-size": 12, fill: colors.ink });
  if (caption) group.append(svg("text", { x: left, y: 13, "font-weight": 600, text: caption }));
  if (weights.length > LARGE) {
    const whole = { x: left, y: above, width: columns.length * size, height: rows.length * size };
    const style = { preserveAspectRatio: "none", style: "image-rendering:pixelated" };
    group.append(svg("image", { ...whole, href: canvas.toDataURL(), ...style }));
  } else {
    const box = { width: size - 0.75, height: size - 0.75 };
    weights.forEach((weight, i) => {
      const fill = cssColor(weight, scale);
      group.append(svg("rect", { ...place(i), ...box, fill, "data-weight": weight.toFixed(4) }));
    });
  }
  const frame = { width: size - 3.75, height: size - 3.75, fill: "none", stroke: colors.query, "stroke-width": 2 };
  for (const i of gold) group.append(svg("rect", { x: place(i).x + 1.5, y: place(i).y + 1.5, ...frame }));
  const right = labels ? widest(columns, 12) * Math.cos(SLANT) : 0;
  if (labels) group.append(...names(rows, columns, left, above, size));
  return { group, width: left + columns.length * size + right, height: above + rows.length * size };
}

/** @param {string[]} rows @param {string[]} columns @param {number} left @param {number} above @param {number} size */
function names(rows, columns, left, above, size) {
  const turn = `rotate(${(-SLANT * 180) / Math.PI})`;
  return [
    ...rows.map((token, i) =>
      svg("text", { x: left - 6, y: above + (i + 0.5) * size + 4, "text-anchor": "end", text: label(token) }),
    ),
    ...columns.map((token, i) => {
      const transform = `translate(${left + (i + 0.5) * size + 3} ${above - 6}) ${turn}`;
      return svg("text", { transform, text: label(token) });
    }),
  ];
}

/** Arranges drawings side by side in one or more rows. @param {Placed[][]} rows @param {string} title @param {string} paper */
function sheet(rows, title, paper) {
  let [wide, y] = [0, 12];
  const groups = [];
  for (const row of rows) {
    let x = 12;
    for (const { group, width } of row) {
      group.setAttribute("transform", `translate(${x} ${y})`);
      groups.push(group);
      x += width + 24;
    }
    wide = Math.max(wide, x);
    y += Math.max(...row.map(({ height }) => height)) + 20;
  }
  const [width, height] = [Math.ceil(wide), Math.ceil(y - 8)];
  const size = { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height };
  const ground = svg("rect", { width: "100%", height: "100%", fill: paper });
  return svg("svg", size, svg("title", { text: title }), ground, ...groups);
}

/**
 * The visible view as one drawing.
 *
 * @param {State} state @param {Panel[]} panels @param {Look} look @param {string} title
 * @param {{ layers: number, heads: number, head: (layer: number, head: number) => Panel, canvases: HTMLCanvasElement[] }} all
 */
export function drawing(state, panels, look, title, { layers, heads, head, canvases }) {
  if (state.view === "heads") {
    const rows = range(layers).map((l) =>
      range(heads).map((h) => {
        const panel = head(l, h);
        const size = clamp(150 / panel.columns.length, 2, 14);
        const tile = heatmap(panel, look, { size, labels: false, canvas: canvases[l * heads + h] });
        return { ...tile, width: Math.max(tile.width, textWidth(panel.caption, 12)) };
      }),
    );
    return sheet(rows, title, look.colors.paper);
  }
  const placed = panels.map((panel, i) => {
    if (state.view !== "lines") {
      const size = clamp(560 / panel.columns.length, 4, 30);
      return heatmap(panel, look, { size, labels: true, canvas: canvases[i] });
    }
    const lines = drawLines(panel, {
      pin: state.pin,
      aim: null,
      top: look.scale.top,
      width: 560,
      colors: look.colors,
    });
    return { group: svg("g", {}, ...lines.children), width: 560, height: Number(lines.getAttribute("height")) };
  });
  return sheet([placed], title, look.colors.paper);
}

/** All data of one sentence. @param {import("./frame_layout.js").FrameLayout} frameLayout @param {FrameLog} log @param {number} sentence */
export function data(frameLayout, log, sentence) {
  const { label: text, axes, gold } = frameLayout.sentences[sentence];
  const rounded = (/** @type {number} */ value) => (Number.isFinite(value) ? +value.toPrecision(4) : null);
  const series = [["step", log.points], .../** @type {[string, number[]][]} */ (Object.entries(log.series))];
  const matrix = (
    /** @type {import("./frames.js").Frame} */ frame,
    /** @type {import("./frame_layout.js").Selection} */ selection,
  ) => {
    const weights = frameLayout.matrix(frame, selection);
    const width = frameLayout.columns(selection.kind, sentence).length;
    return frameLayout
      .rows(selection.kind, sentence)
      .map((_, row) => Array.from(weights.subarray(row * width, (row + 1) * width), rounded));
  };
  return {
    title: frameLayout.header.title,
    note: "Weights are stored in one byte as round(255 sqrt(weight)), accurate to 0.004.",
    sentence: text,
    tokens: axes,
    gold,
    series: Object.fromEntries(series.map(([name, values]) => [name, /** @type {number[]} */ (values).map(rounded)])),
    attention: frameLayout.kinds.map(({ label: name, query, key, layers, heads }, kind) => ({
      ...{ kind: name, rows: query, columns: key, layers },
      steps: log.frames.map((frame) => ({
        step: frame.step,
        weights: layers.map((_, layer) => range(heads).map((head) => matrix(frame, { kind, sentence, layer, head }))),
      })),
    })),
  };
}

/**
 * The visible panels as LaTeX tables of colored cells; the first line lists the required packages.
 *
 * @param {Panel[]} panels @param {Look} look
 */
export function latex(panels, { scale }) {
  const tables = panels.map(({ rows, columns, weights, caption }) => {
    const head = columns.map((token) => `\\rotatebox{60}{${escaped(token)}}`);
    const lines = rows.map((token, row) => {
      const cells = columns.map((_, column) => {
        const weight = weights[row * columns.length + column];
        return `\\cellcolor[RGB]{${colorOf(weight, scale).join()}}`;
      });
      return [escaped(token), ...cells].join(" & ");
    });
    const body = [["", ...head].join(" & "), ...lines].map((line) => `  ${line} \\\\`);
    return [
      ...(caption ? [`% ${onOneLine(caption)}`] : []),
      `\\begin{tabular}{r*{${columns.length}}{p{1em}}}`,
      ...body,
      "\\end{tabular}",
    ].join("\n");
  });
  return `${["% \\usepackage[table]{xcolor} \\usepackage{graphicx}", ...tables].join("\n\n")}\n`;
}

/** @type {Record<string, string>} */
const NAMED = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
};

/** A line break would end a comment, and an empty line a table's cell. @param {string} text */
const onOneLine = (text) => text.replace(/\s+/g, " ");

/** Text with LaTeX's special characters escaped. @param {string} text */
const escaped = (text) =>
  onOneLine(label(text)).replace(/[\\~^<>]|[&%$#_{}]/g, (letter) => NAMED[letter] ?? `\\${letter}`);
