// Attention on a page: heatmaps between tokens, over the steps of training.
//
// One ES module without imports: the same file runs in JupyterLab, Notebook, Colab, VS Code and on a static page. All
// interaction happens here, so it works while the kernel is busy and where there is none. Tokens are text from outside
// and only ever become textContent.
//
//   data      decode what encoding.py writes; pick a matrix out of a frame
//   drawing   colours, heatmaps on canvas, lines and curves in SVG
//   parts     the time panel, the heatmap, the lines, the tiles, the table, the details
//   export    SVG, PNG, JSON
//   render    the widget: controls, state, live messages, theme, clean-up

// ---------------------------------------------------------------- data

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The log of frames in a DataView; encoding.py says how it is written. */
export async function decode(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const length = view.getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = 4 + length;
  const codes = await inflate(bytes.subarray(start, start + index.frames));
  const numbers = new Float32Array((await inflate(bytes.subarray(start + index.frames))).buffer);
  for (let i = index.size; i < codes.length; i++) codes[i] += codes[i - index.size]; // wraps around at 256
  const frames = index.steps.map((step, i) => ({
    step,
    codes: codes.subarray(i * index.size, (i + 1) * index.size),
    measures: numbers.subarray(i * index.measures, (i + 1) * index.measures),
  }));
  let at = frames.length * index.measures;
  const column = () => Array.from(numbers.subarray(at, (at += index.points)));
  const points = column();
  const series = Object.fromEntries(index.series.map((name) => [name, column()]));
  return { frames, points, series, progress: index.progress };
}

const SQUARES = Float32Array.from({ length: 256 }, (_, code) => (code / 255) ** 2);

/** Finds matrices and measures in a frame; layout.py and measures.py say in which order they lie. */
export class Plan {
  constructor(header) {
    this.header = header;
    this.kinds = header.kinds;
    this.sentences = header.sentences;
    this.views = header.views;
    let offset = 0, measured = 0;
    this.offsets = this.kinds.map((kind) => this.sentences.map((sentence) => {
      const before = offset;
      offset += kind.layers.length * kind.heads * this.rows(kind, sentence).length * this.columns(kind, sentence).length;
      return before;
    }));
    this.measured = this.kinds.map((kind, i) => {
      const before = measured;
      measured += kind.layers.length * (kind.heads + this.views.length) * (header.measured_gold[i] ? 2 : 1);
      return before;
    });
  }

  rows(kind, sentence) {
    return sentence.axes[kind.query];
  }

  columns(kind, sentence) {
    return sentence.axes[kind.key];
  }

  size(kind, sentence) {
    const of = [this.kinds[kind], this.sentences[sentence]];
    return this.rows(...of).length * this.columns(...of).length;
  }

  /** The codes (rows x columns) of one head. */
  codes(frame, { kind, sentence, layer, head }) {
    const size = this.size(kind, sentence);
    const start = this.offsets[kind][sentence] + (layer * this.kinds[kind].heads + head) * size;
    return frame.codes.subarray(start, start + size);
  }

  /** Weights (rows x columns) of one head, or of the mean or maximum over heads. */
  matrix(frame, selection) {
    const { kind, sentence, head } = selection;
    const { heads } = this.kinds[kind];
    const size = this.size(kind, sentence);
    const weights = new Float32Array(size);
    for (const one of this.views.includes(head) ? Array(heads).keys() : [head]) {
      const codes = this.codes(frame, { ...selection, head: one });
      if (head === "max") for (let i = 0; i < size; i++) weights[i] = Math.max(weights[i], SQUARES[codes[i]]);
      else for (let i = 0; i < size; i++) weights[i] += SQUARES[codes[i]];
    }
    if (head === "mean") for (let i = 0; i < size; i++) weights[i] /= heads;
    return weights;
  }

  /** "entropy" or "error" of one frame; NaN where there is none. */
  measure(frame, name, { kind, layer, head }) {
    const { heads, layers } = this.kinds[kind];
    const each = heads + this.views.length;
    if (name === "error" && !this.header.measured_gold[kind]) return NaN;
    const view = this.views.includes(head) ? this.views.indexOf(head) : head + this.views.length;
    return frame.measures[this.measured[kind] + (name === "error" ? layers.length * each : 0) + layer * each + view];
  }

  /** Gold cells as row * columns + column. */
  gold({ kind, sentence }) {
    const links = this.kinds[kind].gold ? this.sentences[sentence].gold ?? [] : [];
    const width = this.columns(this.kinds[kind], this.sentences[sentence]).length;
    return new Set(links.map(([column, row]) => row * width + column));
  }
}

// ---------------------------------------------------------------- drawing

const SVG = "http://www.w3.org/2000/svg";
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Set a text; one that stays costs no layout. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function largest(values) {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > found) found = values[i];
  return found;
}

const clamp = (low, value, high) => Math.max(low, Math.min(high, value));
const short = (token, most = 24) => ([...token.slice(0, 2 * most)].length > most ? `${[...token.slice(0, 2 * most)].slice(0, most - 1).join("")}…` : token);
const visible = (token) => (token.trim() === "" ? token.replace(/\s/g, "␣") || "∅" : token);
const label = (token, most) => short(visible(token), most);

// Both scales rise or fall steadily in luminance, so that they read the same without colour.
const SCALES = {
  light: [[255, 255, 255], [201, 221, 241], [140, 183, 222], [78, 137, 198], [38, 94, 167], [15, 55, 122], [6, 22, 64]],
  dark: [[26, 29, 36], [27, 58, 99], [33, 93, 153], [57, 133, 194], [112, 176, 217], [183, 216, 237], [247, 251, 255]],
};
const SHADES = 1024;

const tables = {};

/** A table of colours for weights from 0 to 1, as ImageData wants them. */
export function shades(theme) {
  if (tables[theme]) return tables[theme];
  const stops = SCALES[theme];
  const table = new Uint32Array(SHADES);
  const bytes = new Uint8ClampedArray(table.buffer);
  for (let i = 0; i < SHADES; i++) {
    const at = (i / (SHADES - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
    bytes[4 * i + 3] = 255;
  }
  return (tables[theme] = table);
}

const shadeOf = (weight, top) => Math.min(SHADES - 1, Math.round((weight / top) * (SHADES - 1)));

function cssColour(table, shade) {
  const bytes = new Uint8Array(table.buffer, 4 * shade, 3);
  return `rgb(${bytes.join(" ")})`;
}

/** The colour of every code, looked up from a table of shades. */
const ofCodes = (table, top) => Uint32Array.from(SQUARES, (weight) => table[shadeOf(weight, top)]);

/** One pixel a cell, from codes or weights; the style sheet makes it large without blur. */
function paint(canvas, values, columns, table, top) {
  const rows = values.length / columns;
  if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows, image: null });
  const context = canvas.getContext("2d");
  canvas.image ??= context.createImageData(columns, rows);
  const pixels = new Uint32Array(canvas.image.data.buffer);
  if (values instanceof Uint8Array) {
    const colours = ofCodes(table, top);
    for (let i = 0; i < values.length; i++) pixels[i] = colours[values[i]];
  } else {
    const scale = (SHADES - 1) / top;
    for (let i = 0; i < values.length; i++) pixels[i] = table[Math.min(SHADES - 1, Math.round(values[i] * scale))];
  }
  context.putImageData(canvas.image, 0, 0);
}

const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  ruler.font = `${size}px ${FONT}`;
  return ruler.measureText(text).width;
}

/** About `count` round numbers between two. */
function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(+(i * step).toPrecision(12));
  return found;
}

function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(1);
  return size >= 1000 ? String(Math.round(value)) : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

const weightText = (weight) => (weight > 0 && weight < 0.005 ? "<0.01" : weight.toFixed(2));

function duration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// ---------------------------------------------------------------- parts

const MARGIN = { left: 40, right: 12 };

/** Curves over the steps: a chosen scalar, and below it alignment error and entropy of the chosen head. */
class TimePanel {
  constructor(onPick) {
    this.drawing = svg("svg", { "aria-hidden": "true", class: "curves" });
    this.slider = make("input", { type: "range", min: "0", max: "0", step: "1", "aria-label": "Training step" });
    this.element = make("div", { class: "time" }, this.drawing, this.slider);
    const pick = (at) => {
      this.at = at; // at once: the next key may come before the next drawing
      onPick(at);
    };
    this.slider.addEventListener("input", () => pick(nearest(this.frames, +this.slider.value)));
    this.slider.addEventListener("keydown", (event) => {
      const last = this.frames.length - 1, page = Math.max(1, Math.round(last / 10));
      const moves = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: page, PageDown: -page, Home: -last, End: last };
      if (!(event.key in moves)) return;
      event.preventDefault();
      pick(clamp(0, this.at + moves[event.key], last));
    });
    const drag = (event) => {
      if (event.type === "pointermove" && !this.dragging) return;
      this.dragging = true;
      const x = event.clientX - this.drawing.getBoundingClientRect().left;
      pick(nearest(this.frames, this.low + ((x - MARGIN.left) / this.plot) * (this.high - this.low)));
    };
    this.drawing.addEventListener("pointerdown", (event) => {
      this.drawing.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.drawing.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) this.drawing.addEventListener(end, () => (this.dragging = false));
  }

  /** Draw the curves; bands are [{ name, values at steps, range, class }]. */
  draw({ frames, bands, low, high, width }) {
    Object.assign(this, { frames, bands, low, high: Math.max(high, low + 1), plot: width - MARGIN.left - MARGIN.right });
    let bottom = 0;
    const parts = [];
    for (const band of bands) {
      const top = bottom + 18;
      bottom = top + band.height;
      const [from, to] = band.range;
      band.y = (value) => top + band.height * (1 - (clamp(from, value, to) - from) / (to - from || 1));
      for (const tick of band.height > 50 ? ticks(from, to, 3) : [from, to]) {
        const y = band.y(tick);
        parts.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }));
        parts.push(svg("text", { class: "tick", x: MARGIN.left - 6, y: y + 3.5, "text-anchor": "end", text: `${+tick.toPrecision(2)}` }));
      }
      const path = band.points
        .filter(([, value]) => Number.isFinite(value))
        .map(([step, value], i) => `${i ? "L" : "M"}${this.x(step).toFixed(1)} ${band.y(value).toFixed(1)}`)
        .join("");
      parts.push(svg("path", { class: `curve ${band.class}`, d: path }));
      band.dot = svg("circle", { class: `dot ${band.class}`, r: 3.5 });
      band.text = svg("text", { class: `name ${band.class}`, x: MARGIN.left, y: top - 6 });
    }
    const top = bottom + 12;
    this.line = svg("line", { class: "playhead", y1: 0, y2: top - 8 });
    const marks = frames.map(({ step }) => `M${this.x(step).toFixed(1)} ${top - 8}v4`).join("");
    this.drawing.replaceChildren(...parts, svg("path", { class: "marks", d: marks }), this.line,
      ...bands.flatMap((band) => [band.dot, band.text]));
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${top}`);
    this.drawing.setAttribute("height", top);
    this.slider.min = low;
    this.slider.max = this.high;
    this.slider.style.marginLeft = `${MARGIN.left - 8}px`;
    this.slider.style.width = `${this.plot + 16}px`;
  }

  x(step) {
    return MARGIN.left + ((step - this.low) / (this.high - this.low)) * this.plot;
  }

  /** Move the playhead. */
  show(at) {
    this.at = at;
    const { step } = this.frames[at];
    const x = this.x(step);
    this.line.setAttribute("x1", x);
    this.line.setAttribute("x2", x);
    for (const band of this.bands) {
      const value = band.at(step, at);
      const known = Number.isFinite(value);
      band.dot.setAttribute("visibility", known ? "visible" : "hidden");
      if (known) {
        band.dot.setAttribute("cx", x);
        band.dot.setAttribute("cy", band.y(value));
      }
      band.text.textContent = `${band.name} ${number(value)}${known ? band.unit ?? "" : ""}`;
    }
    this.slider.value = step;
    const read = this.bands.map((band) => band.text.textContent).join(", ");
    this.slider.setAttribute("aria-valuetext", `step ${step}, ${at + 1} of ${this.frames.length} looks. ${read}`);
  }
}

function nearest(frames, step) {
  let best = 0;
  frames.forEach((frame, i) => {
    if (Math.abs(frame.step - step) < Math.abs(frames[best].step - step)) best = i;
  });
  return best;
}

const SLANT = 0.82; // radians by which long column labels are turned

/** A heatmap with its labels. The canvas has the cells; a grid of one cell, moved about, is what a screen reader sees. */
class Heatmap {
  constructor(on) {
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.marks = svg("svg", { "aria-hidden": "true", class: "marks" });
    this.top = make("div", { class: "columns", "aria-hidden": "true" });
    this.left = make("div", { class: "rows", "aria-hidden": "true" });
    this.cell = make("div", { role: "gridcell", id: "cell" });
    this.row = make("div", { role: "row" }, this.cell);
    this.grid = make("div", { role: "grid", tabindex: "0", class: "cells", "aria-activedescendant": "cell" },
      this.canvas, this.marks, this.row);
    this.caption = make("div", { class: "caption" });
    this.scroller = make("div", { class: "scroller" }, make("div", { class: "corner" }), this.top, this.left, this.grid);
    this.element = make("figure", { class: "heatmap" }, this.caption, this.scroller);
    this.at = { row: 0, column: 0 };
    this.on = on;
    const place = (event) => {
      const box = this.grid.getBoundingClientRect();
      const row = Math.floor(((event.clientY - box.top) / box.height) * this.rows.length);
      const column = Math.floor(((event.clientX - box.left) / box.width) * this.columns.length);
      return row in this.rows && column in this.columns ? { row, column } : null;
    };
    this.grid.addEventListener("pointermove", (event) => on.hover(place(event), this));
    this.grid.addEventListener("pointerdown", (event) => {
      this.at = place(event) ?? this.at;
      on.hover(place(event), this);
    });
    this.grid.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && on.hover(null, this));
    this.grid.addEventListener("focus", () => this.grid.matches(":focus-visible") && this.move(0, 0));
    this.grid.addEventListener("blur", () => on.hover(null, this));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    for (const [side, axis] of [[this.top, "column"], [this.left, "row"]]) {
      const index = (event) => [...side.children].indexOf(event.target.closest(".token"));
      side.addEventListener("click", (event) => index(event) >= 0 && on.pin({ axis, index: index(event) }));
      side.addEventListener("pointermove", (event) => on.aim(index(event) < 0 ? null : { axis, index: index(event) }));
      side.addEventListener("pointerleave", () => on.aim(null));
    }
  }

  key(event) {
    const { row, column } = this.at;
    const lastRow = this.rows.length - 1, lastColumn = this.columns.length - 1;
    const moves = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-5, 0], PageDown: [5, 0],
      Home: [event.ctrlKey ? -row : 0, -column], End: [event.ctrlKey ? lastRow - row : 0, lastColumn - column],
    };
    if (event.key in moves) this.move(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ")
      this.on.pin(event.shiftKey ? { axis: "column", index: column } : { axis: "row", index: row });
    else if (event.key === "Escape") this.on.pin(null);
    else return;
    event.preventDefault();
  }

  move(rows, columns) {
    this.at = {
      row: clamp(0, this.at.row + rows, this.rows.length - 1),
      column: clamp(0, this.at.column + columns, this.columns.length - 1),
    };
    this.on.hover(this.at, this, true);
    const { row, column } = this.at, { size } = this;
    const box = this.scroller;
    const x = column * size, y = row * size;
    if (x < box.scrollLeft) box.scrollLeft = x;
    if (x + size > box.scrollLeft + box.clientWidth - this.labelWidth) box.scrollLeft = x + size - box.clientWidth + this.labelWidth;
    if (y < box.scrollTop) box.scrollTop = y;
    if (y + size > box.scrollTop + box.clientHeight - this.labelHeight) box.scrollTop = y + size - box.clientHeight + this.labelHeight;
  }

  /** Put labels and sizes in place, if the tokens or the room for them have changed. */
  fit(rows, columns, width, name) {
    const key = JSON.stringify([rows, columns, width]);
    this.grid.setAttribute("aria-label", name);
    if (key === this.fitted) return;
    Object.assign(this, { fitted: key, rows, columns });
    const longest = (tokens) => Math.max(...tokens.map((token) => textWidth(label(token), 13)));
    this.labelWidth = Math.min(Math.ceil(longest(rows)) + 14, Math.max(90, width * 0.34));
    const slanted = longest(columns);
    const room = width - this.labelWidth - 4;
    const fitting = (tail) => Math.floor((room - tail) / columns.length);
    let size = clamp(10, fitting(0), 48);
    const flat = slanted + 8 <= size;
    if (!flat) size = clamp(10, fitting(Math.min(slanted, 110) * Math.cos(SLANT)), 44);
    this.size = size;
    this.labelHeight = flat ? 26 : Math.ceil(Math.min(slanted, 110) * Math.sin(SLANT)) + 18;
    const tail = flat ? 0 : Math.ceil(Math.min(slanted, 110) * Math.cos(SLANT));
    const font = size < 14 ? 10 : 13;
    const token = (text, style) => make("span", { class: "token", style }, make("bdi", { text: label(text), title: text.slice(0, 300) }));
    this.left.replaceChildren(...rows.map((text, i) => token(text, `top:${i * size}px;height:${size}px;font-size:${font}px`)));
    this.top.replaceChildren(...columns.map((text, i) =>
      token(text, flat ? `left:${i * size}px;width:${size}px;font-size:${font}px` : `left:${(i + 0.5) * size}px;font-size:${font}px`)));
    this.top.classList.toggle("flat", flat);
    const inner = { width: columns.length * size, height: rows.length * size };
    this.scroller.style.gridTemplate = `${this.labelHeight}px ${inner.height}px / ${this.labelWidth}px ${inner.width + tail}px`;
    this.grid.style.cssText = `width:${inner.width}px;height:${inner.height}px;--cell:${size >= 12 ? size : 1e5}px`;
    this.marks.setAttribute("viewBox", `0 0 ${inner.width} ${inner.height}`);
    this.grid.setAttribute("aria-rowcount", rows.length);
    this.grid.setAttribute("aria-colcount", columns.length);
    this.at = { row: Math.min(this.at.row, rows.length - 1), column: Math.min(this.at.column, columns.length - 1) };
  }

  draw({ weights, gold, pin, hover, table, top, caption }) {
    const { size, rows, columns } = this;
    this.weights = weights;
    this.gold = gold;
    const painted = [weights, table, top];
    if (painted.some((value, i) => value !== this.painted?.[i])) paint(this.canvas, weights, columns.length, table, top);
    this.painted = painted;
    write(this.caption, caption);
    this.caption.hidden = !caption;
    const box = (row, column, name, inset) => svg("rect", {
      class: name, rx: Math.min(3, size / 6), x: column * size + inset, y: row * size + inset,
      width: size - 1 - 2 * inset, height: size - 1 - 2 * inset,
    });
    const marks = [];
    if (pin) {
      const veil = (x, y, width, height) => width > 0 && height > 0 && marks.push(svg("rect", { class: "veil", x, y, width, height }));
      const w = columns.length * size, h = rows.length * size, a = pin.index * size;
      if (pin.axis === "row") veil(0, 0, w, a), veil(0, a + size, w, h - a - size);
      else veil(0, 0, a, h), veil(a + size, 0, w - a - size, h);
    }
    for (const cell of gold) {
      const row = Math.floor(cell / columns.length), column = cell % columns.length;
      marks.push(box(row, column, "gold-halo", 1.5), box(row, column, "gold", 1.5));
    }
    if (hover?.row in rows && hover?.column in columns) marks.push(box(hover.row, hover.column, "here-halo", 0.5), box(hover.row, hover.column, "here", 0.5));
    this.marks.replaceChildren(...marks);
    for (const [side, axis] of [[this.left, "row"], [this.top, "column"]])
      for (const [name, index] of [["lit", hover?.[axis]], ["pinned", pin?.axis === axis ? pin.index : undefined]]) {
        side.querySelector(`.${name}`)?.classList.remove(name);
        side.children[index]?.classList.add(name);
      }
    const { row, column } = this.at;
    this.row.setAttribute("aria-rowindex", row + 1);
    this.cell.setAttribute("aria-colindex", column + 1);
    this.cell.textContent = weightText(weights[row * columns.length + column]);
  }
}

/** Tokens in two columns and a line for every weight that can be seen. Plain attributes only, so that it can be exported. */
function drawLines({ rows, columns, weights, gold, pin, aim, top, width, colours }) {
  const most = Math.max(rows.length, columns.length);
  const height = Math.max(most * clamp(15, 420 / most, 26), 40);
  const side = Math.min(width * 0.32, 190);
  const y = (index, count) => ((index + 0.5) / count) * height;
  const ends = [side, width - side];
  const focus = aim ?? pin;
  const seen = (row, column) => !focus || (focus.axis === "row" ? row : column) === focus.index;
  const curve = (row, column) => {
    const from = y(row, rows.length), to = y(column, columns.length), middle = (ends[0] + ends[1]) / 2;
    return `M${ends[0]} ${from.toFixed(1)}C${middle} ${from.toFixed(1)} ${middle} ${to.toFixed(1)} ${ends[1]} ${to.toFixed(1)}`;
  };
  const cells = [...weights.keys()].filter((i) => weights[i] >= 0.02 * top && seen(Math.floor(i / columns.length), i % columns.length));
  cells.sort((a, b) => weights[a] - weights[b]);
  const lines = cells.slice(-3000).map((i) => {
    const strength = Math.min(1, weights[i] / top);
    return svg("path", {
      d: curve(Math.floor(i / columns.length), i % columns.length), fill: "none", stroke: colours.accent,
      "stroke-width": (0.7 + 4.3 * strength).toFixed(2), "stroke-opacity": (0.1 + 0.9 * strength).toFixed(3), class: "line",
    });
  });
  const golden = [...gold].filter((i) => seen(Math.floor(i / columns.length), i % columns.length)).map((i) => svg("path", {
    d: curve(Math.floor(i / columns.length), i % columns.length), fill: "none", stroke: colours.gold, "stroke-width": 1.6,
    "stroke-dasharray": "2 4", class: "gold-line",
  }));
  const names = (tokens, axis, x, anchor) => tokens.map((text, index) => {
    const chosen = focus?.axis === axis && focus.index === index;
    const name = svg("text", {
      x, y: y(index, tokens.length) + 4.5, "text-anchor": anchor, "font-size": 13.5, "font-family": FONT, fill: colours.ink,
      "font-weight": chosen ? 700 : 400, "data-axis": axis, "data-index": index, class: "token", text: label(text, Math.max(6, Math.floor(side / 9))),
    });
    name.append(svg("title", { text: text.slice(0, 300) }));
    return name;
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "lines" },
    ...lines, ...golden, ...names(rows, "row", ends[0] - 8, "end"), ...names(columns, "column", ends[1] + 8, "start"));
}

/** Moves new lines into a drawing of the same tokens. Its tokens stay: one replaced between press and release loses the click. */
function renewLines(old, fresh) {
  const [tokens, wanted] = [old, fresh].map((drawing) => [...drawing.querySelectorAll(".token")]);
  const text = (drawing, names) => [drawing.getAttribute("viewBox"), ...names.map((name) => name.textContent)].join("\n");
  if (text(old, tokens) !== text(fresh, wanted)) return false;
  for (const line of old.querySelectorAll(".line, .gold-line")) line.remove();
  old.prepend(...fresh.querySelectorAll(".line, .gold-line"));
  for (const attribute of ["font-weight", "fill"]) tokens.forEach((token, i) => token.setAttribute(attribute, wanted[i].getAttribute(attribute)));
  return true;
}

/** Every head of every layer, small; choosing one shows it large. */
class Tiles {
  constructor(onChoose) {
    this.element = make("div", { class: "tiles" });
    this.onChoose = onChoose;
  }

  draw({ plan, frame, selection, table, top }) {
    const kind = plan.kinds[selection.kind], sentence = plan.sentences[selection.sentence];
    const columns = plan.columns(kind, sentence).length;
    const key = `${selection.kind} ${selection.sentence}`;
    if (this.key !== key) {
      this.key = key;
      this.tiles = [];
      this.element.replaceChildren(...kind.layers.map((name, layer) => make("div", { role: "group", class: "layer", "aria-label": `Layer ${layer + 1}` },
        make("div", { class: "caption", text: kind.layers.length > 1 ? `layer ${layer + 1}` : "" }),
        make("div", { class: "row" }, ...Array.from({ length: kind.heads }, (_, head) => {
          const canvas = make("canvas", { "aria-hidden": "true", style: `aspect-ratio:${columns}/${plan.rows(kind, sentence).length}` });
          const note = make("span", {});
          this.tiles.push({ layer, head, canvas, note });
          const button = make("button", { type: "button", class: "tile" }, canvas, note);
          button.addEventListener("click", () => this.onChoose({ layer, head }));
          return button;
        })))));
    }
    for (const { layer, head, canvas, note } of this.tiles) {
      const one = { ...selection, layer, head };
      paint(canvas, plan.codes(frame, one), columns, table, top);
      const error = plan.measure(frame, "error", one);
      write(note, `head ${head + 1}${Number.isFinite(error) ? ` · AER ${error.toFixed(2)}` : ""}`);
    }
  }
}

/** The same numbers as a table; of a large matrix, the five largest of each row. */
function drawTable({ rows, columns, weights, gold, caption }) {
  const weight = (row, column) => weights[row * columns.length + column];
  const header = (scope, text) => make("th", { scope }, make("bdi", { text: label(text) }));
  const body = make("tbody");
  let head;
  if (weights.length <= 2500) {
    head = make("tr", {}, make("td"), ...columns.map((text) => header("col", text)));
    for (const [row, text] of rows.entries())
      body.append(make("tr", {}, header("row", text), ...columns.map((_, column) =>
        make("td", { text: weightText(weight(row, column)) + (gold.has(row * columns.length + column) ? " ◆" : "") }))));
  } else {
    head = make("tr", {}, make("td"), header("col", "largest weights"));
    for (const [row, text] of rows.entries()) {
      const best = [...columns.keys()].sort((a, b) => weight(row, b) - weight(row, a)).slice(0, 5);
      body.append(make("tr", {}, header("row", text), make("td", {}, make("bdi", {
        text: best.map((column) => `${label(columns[column])} ${weightText(weight(row, column))}`).join(", "),
      }))));
    }
  }
  return make("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Table of weights" },
    make("table", {}, make("caption", { text: gold.size ? `${caption}; ◆ gold alignment` : caption }), make("thead", {}, head), body));
}

/** One row or column as bars, the largest weights first. */
function drawDetails({ rows, columns, weights, gold }, { axis, index }) {
  const [own, others] = axis === "row" ? [rows, columns] : [columns, rows];
  const cell = (other) => (axis === "row" ? index * columns.length + other : other * columns.length + index);
  const order = [...others.keys()].sort((a, b) => weights[cell(b)] - weights[cell(a)]).slice(0, 7)
    .filter((other, i) => i === 0 || weights[cell(other)] >= 0.005);
  return [
    make("p", {}, make("bdi", { class: "subject", text: label(own[index]) }), axis === "row" ? " attends to" : " is attended to by"),
    ...order.map((other) => make("div", { class: "bar" },
      make("bdi", { text: label(others[other], 16) }),
      make("span", { class: "track" }, make("span", { class: "fill", style: `width:${(100 * weights[cell(other)]).toFixed(1)}%` })),
      make("span", { class: "value", text: weightText(weights[cell(other)]) }),
      make("span", { class: "golden", text: gold.has(cell(other)) ? "◆" : "", title: "gold alignment" }))),
  ];
}

// ---------------------------------------------------------------- export

/** One heatmap as an SVG group; a very large one as a picture in it. */
function heatmapGroup({ rows, columns, weights, gold, caption }, { size, table, top, colours, labels, canvas }) {
  const longest = (tokens) => Math.max(...tokens.map((token) => textWidth(label(token), 12)));
  const left = labels ? longest(rows) + 10 : 0, above = (labels ? longest(columns) * Math.sin(SLANT) + 16 : 0) + (caption ? 22 : 0);
  const group = svg("g", { "font-family": FONT, "font-size": 12, fill: colours.ink });
  if (caption) group.append(svg("text", { x: left, y: 13, "font-weight": 600, text: caption }));
  if (weights.length > 10000)
    group.append(svg("image", { x: left, y: above, width: columns.length * size, height: rows.length * size, href: canvas.toDataURL(),
      preserveAspectRatio: "none", style: "image-rendering:pixelated" }));
  else weights.forEach((weight, i) => group.append(svg("rect", {
    x: left + (i % columns.length) * size, y: above + Math.floor(i / columns.length) * size, width: size - 0.75, height: size - 0.75,
    fill: cssColour(table, shadeOf(weight, top)), "data-weight": weight.toFixed(4),
  })));
  for (const i of gold) group.append(svg("rect", {
    x: left + (i % columns.length) * size + 1.5, y: above + Math.floor(i / columns.length) * size + 1.5, width: size - 3.75, height: size - 3.75,
    fill: "none", stroke: colours.gold, "stroke-width": 2,
  }));
  let right = 0;
  if (labels) {
    rows.forEach((token, i) => group.append(svg("text", { x: left - 6, y: above + (i + 0.5) * size + 4, "text-anchor": "end", text: label(token) })));
    columns.forEach((token, i) => group.append(svg("text", {
      transform: `translate(${left + (i + 0.5) * size + 3} ${above - 6}) rotate(${(-SLANT * 180) / Math.PI})`, text: label(token),
    })));
    right = longest(columns) * Math.cos(SLANT);
  }
  return { group, width: left + columns.length * size + right, height: above + rows.length * size };
}

function download(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function rasterise(drawing, scale) {
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = make("canvas");
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

// ---------------------------------------------------------------- render

const COLOURS = {
  light: { surface: "#ffffff", raised: "#f4f6f9", ink: "#1d2430", muted: "#586374", edge: "#d5dbe4", accent: "#2a62b0", gold: "#b35c00", halo: "#ffffff", spread: "#0f766e" },
  dark: { surface: "#171a20", raised: "#222731", ink: "#e8ebf0", muted: "#a4aebc", edge: "#3a4250", accent: "#8ab8f5", gold: "#ffb14a", halo: "#14161b", spread: "#5fd0c1" },
};

/** Light or dark, as the page around is: by the names its host uses, else by the background behind the widget. */
function pageTheme(element) {
  const html = document.documentElement, { body } = document;
  const named = html.dataset.theme ?? html.dataset.mode ?? html.getAttribute("theme") ?? "";
  if (/dark/.test(named)) return "dark";
  if (/light/.test(named)) return "light";
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast(?!-light))/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  for (let ancestor = element; ancestor; ancestor = ancestor.parentElement) {
    const [red, green, blue, alpha = 1] = getComputedStyle(ancestor).backgroundColor.match(/[\d.]+/g).map(Number);
    if (alpha > 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110 ? "dark" : "light";
  }
  const follows = /dark/.test(getComputedStyle(html).colorScheme);
  return follows && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z", back: "M11 3v10L5 8z", next: "M5 3v10l6-5z", latest: "M3 3v10l6-5zM10 3h2.5v10H10z",
};

/** What a reader has chosen, by widget: a view that is made anew goes on where the last one was. */
const remembered = new Map();

function render({ model, el }) {
  const plan = new Plan(model.get("header"));
  const { header } = plan;
  const stop = new AbortController();
  const listen = (target, names, listener) => names.split(" ").forEach((name) => target.addEventListener(name, listener, { signal: stop.signal }));

  let log = { frames: [], points: [], series: {}, progress: {} };
  let live = false; // whether messages arrive from a training loop
  let waiting = 0; // the animation frame that will draw
  let playing = 0; // the timer that plays
  let drawn = {}; // what the drawn curves were drawn from
  let filled = null; // what the options of the pickers were made from
  const firstHead = (kind) => (plan.kinds[kind].heads > 1 ? "mean" : 0);
  const state = {
    at: 0, follow: true, kind: 0, sentence: 0, layer: plan.kinds[0].layers.length - 1, head: firstHead(0), view: "map", gold: true,
    stretch: plan.columns(plan.kinds[0], plan.sentences[0]).length > 24, // among many tokens every weight is small
    pin: null, aim: null, hover: null, over: 0, compare: "", otherAt: 0, other: "0 0", curve: "loss", theme: "light",
    ...remembered.get(header.id),
  };

  // -- elements

  const root = make("section", { class: "view", "aria-label": header.title });
  const field = (text, control) => make("label", { class: "field" }, make("span", { text }), control);
  const select = (name, options, change) => {
    const element = make("select", { "data-control": name });
    element.fill = (list) => {
      element.replaceChildren(...list.map(([value, text]) => make("option", { value: String(value), text })));
      element.closest(".field")?.toggleAttribute("hidden", list.length < 2);
    };
    element.fill(options);
    listen(element, "change", () => change(element.value));
    return element;
  };
  const button = (name, text, icon, press) => {
    const element = make("button", { type: "button", "data-control": name, ...(icon ? { "aria-label": text, title: text } : { text }) });
    if (icon) element.append(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
    listen(element, "click", press);
    return element;
  };

  const sentenceSelect = select("sentence", [], (value) => set({ sentence: +value, pin: null, hover: null }));
  const kindSelect = select("kind", [], (value) => set({ kind: +value, layer: plan.kinds[+value].layers.length - 1, head: firstHead(+value), pin: null, hover: null, other: "0 0" }));
  const layerSelect = select("layer", [], (value) => set({ layer: +value }));
  const headSelect = select("head", [], (value) => set({ head: plan.views.includes(value) ? value : +value }));
  const compareSelect = select("compare", [["", "nothing"], ["step", "another step"], ["head", "another head"]], (value) =>
    set({ compare: value, otherAt: 0, view: state.view === "map" || state.view === "lines" ? state.view : "map" }));
  const otherSelect = select("other", [], (value) => set({ other: value }));
  const otherSlider = make("input", { type: "range", min: "0", max: "0", "data-control": "other-step" });
  listen(otherSlider, "input", () => set({ otherAt: +otherSlider.value }));
  const pinSelect = select("pin", [], (value) => {
    const [axis, index] = value.split(" ");
    set({ pin: axis ? { axis, index: +index } : null });
  });
  const curveSelect = select("curve", [], (value) => set({ curve: value }));
  const check = (name, text, key) => {
    const box = make("input", { type: "checkbox", "data-control": name });
    listen(box, "change", () => set({ [key]: box.checked }));
    return { box, element: make("label", { class: "check" }, box, make("span", { text })) };
  };
  const goldCheck = check("gold", "gold alignment", "gold");
  const stretchCheck = check("stretch", "stretch colours to the largest weight", "stretch");

  const views = [["map", "Heatmap"], ["lines", "Lines"], ["heads", "All heads"], ["table", "Table"]];
  const viewButtons = views.map(([value, text]) => {
    const element = button(`view-${value}`, text, null, () => set({ view: value }));
    element.value = value;
    return element;
  });

  const progress = make("progress", { max: 1, value: 0, "aria-label": "Training" });
  const progressText = make("span", { class: "progress-text" });
  const playButton = button("play", "Play", "play", () => (playing ? pause() : play()));
  const latestButton = button("latest", "Follow the newest step", "latest", () => set({ at: log.frames.length - 1, follow: true }));
  const stepText = make("output", { class: "step" });
  const time = new TimePanel((at) => {
    pause();
    set({ at, follow: at === log.frames.length - 1 });
  });
  const move = (by) => {
    pause();
    const at = clamp(0, state.at + by, log.frames.length - 1);
    set({ at, follow: at === log.frames.length - 1 });
  };
  const transport = make("div", { class: "transport", role: "group", "aria-label": "Training steps" },
    playButton, button("back", "One look back", "back", () => move(-1)), button("next", "One look on", "next", () => move(1)), latestButton, stepText);

  const on = {
    hover(cell, map, said) {
      set({ hover: cell, over: maps.indexOf(map) });
      if (said && cell) spoken.textContent = sentence(cell, panels()[maps.indexOf(map)]);
    },
    pin: (pin) => set({ pin: JSON.stringify(pin) === JSON.stringify(state.pin) ? null : pin }),
    aim: (aim) => set({ aim }),
  };
  const maps = [new Heatmap(on), new Heatmap(on)];
  const tiles = new Tiles((choice) => {
    set({ ...choice, view: "map" });
    viewButtons[0].focus();
  });
  const stage = make("div", { class: "stage" });
  const details = make("div", { class: "details" });
  const main = make("div", { class: "main" }, stage, details);
  const reading = make("p", { class: "reading" });
  const spoken = make("p", { class: "spoken", role: "status" });
  const legend = svg("svg", { class: "legend", viewBox: "0 0 168 26", width: 168, height: 26, role: "img" });
  const hint = make("p", { class: "hint", text: "Nothing to see yet: the first look at the model is under way." });
  const panel = make("div", { class: "panel", hidden: true },
    make("div", { class: "under" }, time.element, transport),
    make("div", { class: "controls" },
      field("sentence", sentenceSelect), field("attention", kindSelect), field("layer", layerSelect), field("head", headSelect),
      make("div", { class: "views", role: "group", "aria-label": "Shown as" }, ...viewButtons)),
    main,
    reading,
    make("div", { class: "foot" }, legend, goldCheck.element),
    make("details", { class: "more" }, make("summary", { text: "More: compare, single tokens, export" }),
      make("div", { class: "controls" },
        field("compare with", compareSelect), field("other head", otherSelect), field("other step", otherSlider),
        field("show only", pinSelect), field("curve", curveSelect), stretchCheck.element),
      make("div", { class: "controls", role: "group", "aria-label": "Export" },
        button("svg", "Save SVG", null, async () => download(`${fileName()}.svg`, new Blob([new XMLSerializer().serializeToString(exported())], { type: "image/svg+xml" }))),
        button("png", "Save PNG", null, async () => download(`${fileName()}.png`, await rasterise(exported(), 2))),
        button("json", "Save data as JSON", null, () => download("attention.json", new Blob([JSON.stringify(data())], { type: "application/json" }))))));
  root.append(
    make("header", { class: "top" }, make("span", { class: "title", text: header.title }), make("span", { class: "running", hidden: true }, progress), progressText),
    hint, panel, spoken);
  const host = make("div", { "data-lm-suppress-shortcuts": "true" }); // JupyterLab's shortcuts leave our keys alone
  host.attachShadow({ mode: "open" }).append(make("style", { text: STYLE }), root);
  el.append(host);
  listen(host, "keydown", (event) => event.stopPropagation());
  listen(stage, "click pointerover pointerout", (event) => {
    const { axis, index } = event.target.dataset ?? {};
    if (!axis) return;
    const token = { axis, index: +index };
    if (event.type === "click") on.pin(token);
    else on.aim(event.type === "pointerover" ? token : null);
  });

  // -- state

  function set(changes) {
    if (Object.keys(changes).every((key) => JSON.stringify(changes[key]) === JSON.stringify(state[key]))) return;
    Object.assign(state, changes);
    const { hover, aim, theme, at, ...kept } = state;
    remembered.set(header.id, { ...kept, step: log.frames[at]?.step });
    later();
  }

  function later() {
    if (!waiting && !stop.signal.aborted) waiting = requestAnimationFrame(draw);
  }

  function play() {
    if (log.frames.length < 2) return;
    if (state.at === log.frames.length - 1) set({ at: 0, follow: false });
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    playing = setInterval(() => {
      const at = Math.min(state.at + 1, log.frames.length - 1);
      set({ at, follow: at === log.frames.length - 1 });
      if (state.follow) pause();
    }, calm ? 600 : clamp(60, 8000 / log.frames.length, 400));
    later();
  }

  function pause() {
    clearInterval(playing);
    playing = 0;
    later();
  }

  // -- what is shown

  function describe(at, layer, head) {
    const kind = plan.kinds[state.kind];
    const parts = [];
    if (log.frames.length > 1) parts.push(`step ${log.frames[at].step}`);
    if (kind.layers.length > 1) parts.push(`layer ${layer + 1}`);
    if (kind.heads > 1) parts.push(plan.views.includes(head) ? `${head} over heads` : `head ${head + 1}`);
    return parts.join(" · ");
  }

  const computed = new Map(); // matrices by frame: pointing at a cell computes nothing anew

  function matrixOf(frame, layer, head) {
    const key = [frame.step, state.kind, state.sentence, layer, head].join(" ");
    const known = computed.get(key);
    if (known?.frame === frame) return known.weights;
    if (computed.size > 8) computed.clear();
    const weights = plan.matrix(frame, { ...state, layer, head });
    computed.set(key, { frame, weights });
    return weights;
  }

  function panelOf(at, layer, head) {
    const kind = plan.kinds[state.kind], sentence = plan.sentences[state.sentence];
    return {
      rows: plan.rows(kind, sentence), columns: plan.columns(kind, sentence),
      get weights() {
        return matrixOf(log.frames[at], layer, head); // only once somebody asks
      },
      gold: state.gold ? plan.gold(state) : new Set(), caption: describe(at, layer, head), at,
    };
  }

  function panels() {
    const own = panelOf(state.at, state.layer, state.head);
    if (state.compare === "step") return [panelOf(Math.min(state.otherAt, log.frames.length - 1), state.layer, state.head), own];
    if (state.compare === "head") return [own, panelOf(state.at, ...state.other.split(" ").map(Number))];
    return [own];
  }

  /** The weight that has the last colour of the scale. */
  function topOf(shown) {
    if (!state.stretch) return 1;
    if (state.view === "heads") {
      const start = plan.offsets[state.kind][state.sentence], { layers, heads } = plan.kinds[state.kind];
      const codes = log.frames[state.at].codes.subarray(start, start + layers.length * heads * plan.size(state.kind, state.sentence));
      return SQUARES[largest(codes)] || 1;
    }
    return Math.max(...shown.map(({ weights }) => largest(weights))) || 1;
  }

  function sentence({ row, column }, { rows, columns, weights, gold, caption }) {
    const cell = row * columns.length + column;
    const known = gold.has(cell) ? ", a gold link" : "";
    return `“${visible(rows[row]).slice(0, 80)}” attends to “${visible(columns[column]).slice(0, 80)}” with weight ${weightText(weights[cell])}${known}${caption ? ` (${caption})` : ""}`;
  }

  function bands() {
    const found = [];
    const at = (points) => (step) => {
      let best = NaN;
      for (const [known, value] of points) if (known <= step && Number.isFinite(value)) best = value;
      return best;
    };
    if (log.points.length) {
      const points = log.points.map((step, i) => [step, log.series[state.curve]?.[i] ?? NaN]);
      const values = points.map(([, value]) => value).filter(Number.isFinite);
      const low = Math.min(...values), high = Math.max(...values);
      found.push({ name: state.curve, class: "scalar", height: 72, points, range: [low > 0 && low < 0.6 * high ? 0 : low, high], at: at(points) });
    }
    const measured = (name, measure, style, range, unit) => {
      const points = log.frames.map((frame) => [frame.step, plan.measure(frame, measure, state)]);
      if (points.some(([, value]) => Number.isFinite(value)))
        found.push({ name, class: style, height: 28, points, range: range(points), unit, at: (_, i) => points[i][1] });
    };
    measured("alignment error rate", "error", "error", () => [0, 1], "");
    measured("entropy", "entropy", "entropy", (points) => [0, Math.max(1, ...points.map(([, value]) => value))], " bits");
    return found;
  }

  // -- drawing

  function draw() {
    waiting = 0;
    hint.hidden = log.frames.length > 0;
    panel.hidden = !log.frames.length;
    drawProgress();
    if (!log.frames.length) return;
    state.at = clamp(0, state.at, log.frames.length - 1);
    const frame = log.frames[state.at];
    const width = Math.max(240, panel.clientWidth);
    drawTime(width);
    drawControls();
    const shown = panels();
    const table = shades(state.theme), top = topOf(shown);
    drawLegend(table, top);
    const beside = shown.length === 1 && (state.view === "map" || state.view === "lines");
    const wide = width >= 620;
    const stacked = !wide || shown[0].columns.length * 16 > width - 236;
    main.classList.toggle("stacked", stacked);
    const room = beside && !stacked ? width - 236 : shown.length === 2 && wide ? (width - 20) / 2 : width;
    if (state.view === "heads") {
      tiles.draw({ plan, frame, selection: state, table, top });
      put([tiles.element]);
    } else if (state.view === "table") {
      stage.replaceChildren(...shown.map(drawTable));
    } else if (state.view === "lines") {
      const drawings = shown.map((one) => drawLines({ ...one, pin: state.pin, aim: state.aim, top, width: room, colours: COLOURS[state.theme] }));
      const there = [...stage.querySelectorAll(".lines")];
      if (there.length !== drawings.length || !drawings.every((drawing, i) => renewLines(there[i], drawing))) {
        stage.replaceChildren(...drawings.map((drawing) => make("figure", { class: "scroller", tabindex: "0", role: "img" }, make("div", { class: "caption" }), drawing)));
      }
      shown.forEach((one, i) => {
        stage.children[i].setAttribute("aria-label", `Lines between tokens, ${one.caption}`);
        stage.children[i].firstChild.textContent = shown.length > 1 ? one.caption : "";
      });
    } else {
      shown.forEach((one, i) => {
        maps[i].fit(one.rows, one.columns, room, `Attention weights, ${one.caption || header.title}`);
        maps[i].draw({ ...one, pin: state.pin, hover: state.over === i ? state.hover : null, table, top, caption: shown.length > 1 ? one.caption : "" });
      });
      put(maps.slice(0, shown.length).map((map) => map.element));
    }
    stage.classList.toggle("full", state.view !== "map");
    details.hidden = !beside;
    if (beside) {
      const subject = state.aim ?? state.pin ?? { axis: "row", index: state.hover?.row ?? Math.min(maps[0].at.row, shown[0].rows.length - 1) };
      details.replaceChildren(...drawDetails(shown[0], subject));
    }
    const over = shown[Math.max(0, state.over)] ?? shown[0];
    const hints = {
      map: "Point at a cell to read it. Choose a token to see only its row or column.",
      lines: "Point at a token to see only its lines, choose it to keep them. Weights below 2 % of the scale are left out.",
      heads: "Choose a head to see it large.",
      table: "",
    };
    write(reading, state.hover && state.view === "map" ? sentence(state.hover, over) : hints[state.view]);
  }

  function put(elements) {
    const there = [...stage.children];
    if (elements.length !== there.length || elements.some((element, i) => element !== there[i])) stage.replaceChildren(...elements);
  }

  function drawTime(width) {
    const single = log.frames.length < 2 && !log.points.length;
    time.element.parentElement.hidden = single;
    if (single) return;
    const now = [log, log.frames.length, log.points.length, width, state.kind, state.layer, state.head, state.curve];
    if (now.some((value, i) => value !== drawn[i])) {
      drawn = now;
      const last = Math.max(log.frames.at(-1).step, log.points.at(-1) ?? 0);
      time.draw({ frames: log.frames, bands: bands(), low: log.frames[0].step, high: last, width });
    }
    time.show(state.at);
    write(stepText, `step ${log.frames[state.at].step}`);
    latestButton.disabled = state.follow && state.at === log.frames.length - 1;
    playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    playButton.title = playing ? "Pause" : "Play";
    playButton.querySelector("path").setAttribute("d", ICONS[playing ? "pause" : "play"]);
  }

  function drawControls() {
    const kind = plan.kinds[state.kind], one = plan.sentences[state.sentence];
    const numbers = (count) => Array.from({ length: count }, (_, i) => [i, String(i + 1)]);
    const names = Object.keys(log.series);
    const now = [state.kind, state.sentence, names.join(" ")].join();
    if (now !== filled) {
      filled = now;
      const heads = kind.layers.flatMap((_, l) => numbers(kind.heads).map(([h]) =>
        [`${l} ${h}`, kind.layers.length > 1 ? `layer ${l + 1}, head ${h + 1}` : `head ${h + 1}`]));
      sentenceSelect.fill(plan.sentences.map(({ label: text }, i) => [i, short(text, 60)]));
      kindSelect.fill(plan.kinds.map(({ label: text }, i) => [i, text]));
      layerSelect.fill(numbers(kind.layers.length));
      headSelect.fill(kind.heads > 1 ? [...plan.views.map((view) => [view, `${view} over heads`]), ...numbers(kind.heads)] : []);
      otherSelect.fill(heads);
      curveSelect.fill(names.map((name) => [name, name]));
      pinSelect.fill([["", "all tokens"], ...plan.rows(kind, one).map((text, i) => [`row ${i}`, `row: ${label(text)}`]),
        ...plan.columns(kind, one).map((text, i) => [`column ${i}`, `column: ${label(text)}`])]);
    }
    const options = [log.frames.length > 1 && "step", kind.heads * kind.layers.length > 1 && "head"].filter(Boolean);
    compareSelect.closest(".field").hidden = !options.length;
    for (const option of compareSelect.options) option.hidden = option.disabled = option.value !== "" && !options.includes(option.value);
    otherSelect.closest(".field").hidden = state.compare !== "head";
    otherSlider.closest(".field").hidden = state.compare !== "step";
    otherSlider.max = log.frames.length - 1;
    otherSlider.setAttribute("aria-valuetext", `step ${log.frames[Math.min(state.otherAt, log.frames.length - 1)].step}`);
    const values = [[sentenceSelect, state.sentence], [kindSelect, state.kind], [layerSelect, state.layer], [headSelect, state.head], [compareSelect, state.compare],
      [otherSelect, state.other], [otherSlider, state.otherAt], [curveSelect, state.curve], [pinSelect, state.pin ? `${state.pin.axis} ${state.pin.index}` : ""]];
    for (const [element, value] of values) element.value = String(value);
    goldCheck.box.checked = state.gold;
    goldCheck.element.hidden = !plan.kinds[state.kind].gold || !plan.sentences[state.sentence].gold?.length;
    stretchCheck.box.checked = state.stretch;
    for (const element of viewButtons) {
      element.setAttribute("aria-pressed", element.value === state.view);
      element.hidden = element.value === "heads" && kind.heads * kind.layers.length < 2;
    }
    for (const element of root.querySelectorAll("[data-control=back], [data-control=next]"))
      element.disabled = state.at === (element.dataset.control === "back" ? 0 : log.frames.length - 1);
  }

  function drawLegend(table, top) {
    const key = `${state.theme} ${top}`;
    if (legend.dataset.key === key) return;
    legend.dataset.key = key;
    legend.setAttribute("aria-label", `Colour scale: weights from 0 to ${number(top)}`);
    legend.replaceChildren(
      ...Array.from({ length: 48 }, (_, i) => svg("rect", { x: 4 + (i * 160) / 48, y: 1, width: 3.7, height: 9, "shape-rendering": "crispEdges", fill: cssColour(table, Math.round((i / 47) * (SHADES - 1))) })),
      svg("rect", { class: "frame", x: 4, y: 1, width: 160, height: 9 }),
      ...[0, 0.5, 1].map((part) => svg("text", { class: "tick", x: 4 + 160 * part, y: 23, "text-anchor": ["start", "middle", "end"][part * 2], text: `${+(top * part).toPrecision(2)}` })));
  }

  function drawProgress() {
    const { step, total, tokens_per_second: speed, seconds, seconds_left: left, done } = log.progress;
    const running = live && !done;
    progress.parentElement.hidden = !(running && total);
    progress.value = total ? step / total : 0;
    const parts = [];
    if (step) parts.push(done && !(step < total) ? `${step} steps in ${duration(seconds)}` : `${running ? "" : "stopped at "}step ${step}${total ? ` of ${total}` : ""}`);
    if (speed) parts.push(`${Math.round(speed).toLocaleString("en")} tokens/s`);
    if (running && left != null) parts.push(`${duration(left)} left`);
    write(progressText, parts.join(" · "));
  }

  // -- export

  const fileName = () => `attention${log.frames.length > 1 ? `-step-${log.frames[state.at].step}` : ""}`;

  function exported() {
    const colours = COLOURS[state.theme], table = shades(state.theme);
    const shown = panels(), top = topOf(shown);
    let x = 12, height = 0;
    const groups = [];
    const place = (group, width, tall, y = 0) => {
      group.setAttribute("transform", `translate(${x} ${y + 12})`);
      groups.push(group);
      height = Math.max(height, y + tall);
      x += width + 24;
    };
    if (state.view === "heads") {
      const kind = plan.kinds[state.kind];
      let y = 0, wide = 0;
      for (let layer = 0; layer < kind.layers.length; layer++) {
        x = 12;
        let tall = 0;
        for (let head = 0; head < kind.heads; head++) {
          const one = panelOf(state.at, layer, head);
          const { group, width, height: h } = heatmapGroup(one, { size: clamp(2, 150 / one.columns.length, 14), table, top, colours, labels: false, canvas: tiles.tiles[layer * kind.heads + head].canvas });
          place(group, Math.max(width, textWidth(one.caption, 12)), h, y);
          tall = Math.max(tall, h);
        }
        y += tall + 20;
        wide = Math.max(wide, x);
      }
      x = wide;
    } else if (state.view === "lines") {
      for (const one of shown) {
        const lines = drawLines({ ...one, pin: state.pin, aim: null, top, width: 560, colours });
        place(svg("g", {}, ...lines.children), 560, +lines.getAttribute("height"));
      }
    } else {
      shown.forEach((one, i) => {
        const { group, width, height: tall } = heatmapGroup(one, { size: clamp(4, 560 / one.columns.length, 30), table, top, colours, labels: true, canvas: maps[i].canvas });
        place(group, width, tall);
      });
    }
    return svg("svg", { xmlns: SVG, viewBox: `0 0 ${Math.ceil(x)} ${Math.ceil(height + 24)}`, width: Math.ceil(x), height: Math.ceil(height + 24) },
      svg("title", { text: `${header.title}: ${plan.kinds[state.kind].label}, ${shown.map(({ caption }) => caption).join(" and ")}` }),
      svg("rect", { width: "100%", height: "100%", fill: colours.surface }), ...groups);
  }

  function data() {
    const one = plan.sentences[state.sentence];
    const rounded = (value) => (Number.isFinite(value) ? +value.toPrecision(4) : null);
    return {
      title: header.title, note: "Weights are kept in one byte, round(255 sqrt(weight)): they are right to 0.004.", sentence: one.label, tokens: one.axes, gold: one.gold,
      series: Object.fromEntries([["step", log.points], ...Object.entries(log.series)].map(([name, values]) => [name, values.map(rounded)])),
      attention: plan.kinds.map((kind, k) => ({
        kind: kind.label, rows: kind.query, columns: kind.key, layers: kind.layers,
        steps: log.frames.map((frame) => ({
          step: frame.step,
          weights: kind.layers.map((_, layer) => Array.from({ length: kind.heads }, (_, head) => {
            const weights = plan.matrix(frame, { kind: k, sentence: state.sentence, layer, head });
            const width = plan.columns(kind, one).length;
            return plan.rows(kind, one).map((_, row) => Array.from(weights.subarray(row * width, (row + 1) * width), rounded));
          })),
        })),
      })),
    };
  }

  // -- what comes from outside

  async function load() {
    const bytes = model.get("data");
    if (!bytes?.byteLength) return;
    let loaded;
    try {
      loaded = await decode(bytes);
    } catch (error) {
      hint.textContent = `The saved attention cannot be read: ${error.message}`;
      return;
    }
    if (bytes !== model.get("data")) return; // overtaken by newer data
    const last = loaded.frames.at(-1)?.step ?? -1, lastPoint = loaded.points.at(-1) ?? -1;
    const step = log.frames[state.at]?.step ?? state.step;
    loaded.frames.push(...log.frames.filter((frame) => frame.step > last));
    const newer = log.points.flatMap((point, i) => (point > lastPoint ? [i] : []));
    for (const [name, values] of Object.entries(loaded.series)) values.push(...newer.map((i) => log.series[name]?.[i] ?? NaN));
    loaded.points.push(...newer.map((i) => log.points[i]));
    log = loaded;
    state.at = state.follow || step == null ? log.frames.length - 1 : nearest(log.frames, step);
    if (!(state.curve in log.series)) state.curve = Object.keys(log.series)[0] ?? "loss";
    later();
  }

  function hear(message, buffers) {
    if (message?.type !== "live") return;
    live = true;
    message.steps.forEach((step, i) => {
      const [codes, measures] = buffers.slice(2 * i, 2 * i + 2).map((part) => part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength));
      if (step > (log.frames.at(-1)?.step ?? -1)) log.frames.push({ step, codes: new Uint8Array(codes), measures: new Float32Array(measures) });
    });
    for (const name of message.series) log.series[name] ??= log.points.map(() => NaN);
    for (const [step, scalars] of message.points) {
      if (step <= (log.points.at(-1) ?? -1)) continue;
      log.points.push(step);
      for (const [name, values] of Object.entries(log.series)) values.push(scalars[name] ?? NaN);
    }
    log.progress = message.progress;
    if (state.follow && !playing) state.at = log.frames.length - 1;
    if (!(state.curve in log.series)) state.curve = message.series[0] ?? "loss";
    drawn = {};
    later();
  }

  function setTheme() {
    const theme = pageTheme(el);
    for (const [name, value] of Object.entries(COLOURS[theme])) root.style.setProperty(`--${name}`, value);
    root.dataset.theme = theme;
    set({ theme });
  }

  model.on("change:data", load);
  model.on("msg:custom", hear);
  const themes = new MutationObserver(setTheme);
  for (const element of [document.documentElement, document.body]) themes.observe(element, { attributes: true });
  listen(matchMedia("(prefers-color-scheme: dark)"), "change", setTheme);
  const sizes = new ResizeObserver(later);
  sizes.observe(root);
  setTheme();
  load();

  return () => {
    stop.abort();
    clearInterval(playing);
    cancelAnimationFrame(waiting);
    themes.disconnect();
    sizes.disconnect();
    model.off("change:data", load);
    model.off("msg:custom", hear);
    host.remove();
  };
}

const STYLE = `
:host { display: block; }
.view { container-type: inline-size; box-sizing: border-box; color: var(--ink); background: var(--surface); border: 1px solid var(--edge);
  border-radius: 10px; padding: 12px 14px; font: 14px/1.4 ${FONT}; text-align: left; overflow: hidden; }
[hidden] { display: none !important; }
p, figure { margin: 0; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin-bottom: 8px; }
.title { font-weight: 650; margin-right: auto; }
.progress-text { color: var(--muted); font-size: 12.5px; font-variant-numeric: tabular-nums; }
.running { flex: 0 1 140px; display: flex; }
progress { width: 100%; height: 6px; accent-color: var(--accent); }
.hint { color: var(--muted); padding: 24px 0; text-align: center; }
.under { margin-bottom: 10px; }
.curves { display: block; width: 100%; touch-action: pan-y; cursor: ew-resize; user-select: none; }
.curves .grid { stroke: var(--edge); stroke-width: 1; }
.tick { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.curve.scalar, .dot.scalar { stroke: var(--accent); }
.curve.error, .dot.error { stroke: var(--gold); }
.curve.entropy, .dot.entropy { stroke: var(--spread); }
.dot { fill: var(--surface); stroke-width: 2; }
.name { font-size: 12px; font-weight: 600; font-variant-numeric: tabular-nums; }
.name.scalar { fill: var(--accent); } .name.error { fill: var(--gold); } .name.entropy { fill: var(--spread); }
.playhead { stroke: var(--ink); stroke-width: 1; stroke-opacity: 0.55; }
.curves .marks { stroke: var(--muted); stroke-opacity: 0.6; }
input[type=range] { appearance: none; display: block; margin: 0; height: 22px; background: none; cursor: pointer; border-radius: 6px; }
input[type=range]::-webkit-slider-runnable-track { height: 4px; border-radius: 2px; background: var(--edge); }
input[type=range]::-moz-range-track { height: 4px; border-radius: 2px; background: var(--edge); }
input[type=range]::-webkit-slider-thumb { appearance: none; width: 16px; height: 16px; margin-top: -6px; border: 0; border-radius: 50%; background: var(--accent); }
input[type=range]::-moz-range-thumb { width: 16px; height: 16px; border: 0; border-radius: 50%; background: var(--accent); }
.transport { display: flex; align-items: center; gap: 4px; margin: 4px 0 0 34px; }
.step { margin-left: 8px; font-weight: 600; font-variant-numeric: tabular-nums; }
button, select { font: inherit; font-size: 13px; color: var(--ink); background: var(--raised); border: 1px solid var(--edge); border-radius: 6px;
  min-height: 28px; padding: 2px 9px; cursor: pointer; }
button:hover:not(:disabled), select:hover { border-color: var(--muted); }
button:disabled { opacity: 0.45; cursor: default; }
button svg { width: 14px; height: 14px; fill: currentColor; display: block; }
.transport button { padding: 2px 7px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.cells:focus-visible, .table:focus-visible, figure:focus-visible { outline-offset: -2px; }
.controls { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: end; }
.field { display: flex; flex-direction: column; gap: 1px; font-size: 11.5px; color: var(--muted); min-width: 0; }
.field select { max-width: 230px; text-overflow: ellipsis; }
.check { display: inline-flex; gap: 6px; align-items: center; font-size: 13px; min-height: 28px; cursor: pointer; }
.check input { accent-color: var(--accent); margin: 0; width: 16px; height: 16px; }
.views { display: inline-flex; }
.views button { border-radius: 0; margin-left: -1px; }
.views button:first-child { border-radius: 6px 0 0 6px; } .views button:last-child { border-radius: 0 6px 6px 0; }
.views button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--surface); }
.main { display: flex; gap: 20px; align-items: flex-start; margin: 12px 0 4px; }
.stage { display: flex; flex-wrap: wrap; gap: 16px 20px; flex: 0 1 auto; min-width: 0; }
.main.stacked { flex-direction: column; gap: 12px; }
.main.stacked > * { width: 100%; flex-basis: auto; }
.stage.full { flex-grow: 1; }
.heatmap { min-width: 0; max-width: 100%; }
.caption { font-size: 12.5px; font-weight: 600; color: var(--muted); margin-bottom: 2px; }
.caption:empty { display: none; }
.scroller { display: grid; overflow: auto; max-height: min(78vh, 720px); max-width: 100%; justify-content: start; overscroll-behavior: auto; }
figure.scroller { display: block; }
.corner { position: sticky; left: 0; top: 0; z-index: 3; background: var(--surface); }
.columns { position: sticky; top: 0; z-index: 2; background: var(--surface); }
.rows { position: sticky; left: 0; z-index: 1; background: var(--surface); }
.token { white-space: nowrap; cursor: pointer; color: var(--ink); }
.columns .token, .rows .token { position: absolute; line-height: 1; }
.rows .token { right: 0; left: 0; display: flex; align-items: center; justify-content: flex-end; padding-right: 7px; }
.rows bdi { overflow: hidden; text-overflow: ellipsis; line-height: 1.3; }
.columns .token { bottom: 3px; transform-origin: 0 100%; transform: rotate(-${SLANT}rad); padding-left: 3px; }
.columns bdi { display: inline-block; max-width: 112px; overflow: hidden; text-overflow: ellipsis; line-height: 1.3; vertical-align: bottom; }
.columns.flat .token { transform: none; text-align: center; padding: 0 0 2px; }
.token.lit bdi { color: var(--accent); font-weight: 650; }
.token.pinned bdi { color: var(--accent); font-weight: 700; text-decoration: underline; text-underline-offset: 3px; }
.cells { position: relative; background: var(--edge); cursor: crosshair; }
.cells canvas { position: absolute; inset: 0; width: 100%; height: 100%; image-rendering: pixelated; }
.cells::after { content: ""; position: absolute; inset: 0; pointer-events: none; background:
  repeating-linear-gradient(90deg, transparent 0 calc(var(--cell) - 1px), var(--surface) calc(var(--cell) - 1px) var(--cell)),
  repeating-linear-gradient(transparent 0 calc(var(--cell) - 1px), var(--surface) calc(var(--cell) - 1px) var(--cell)); }
.cells svg { position: absolute; inset: 0; width: 100%; height: 100%; z-index: 1; pointer-events: none; }
.cells [role=row] { position: absolute; opacity: 0; pointer-events: none; }
.cells rect { fill: none; }
.cells .veil { fill: var(--surface); fill-opacity: 0.86; }
.gold-halo, .here-halo { stroke: var(--halo); stroke-width: 4; }
.cells .gold { stroke: var(--gold); stroke-width: 2; }
.cells .here { stroke: var(--ink); stroke-width: 2; }
.lines { display: block; max-width: 100%; height: auto; }
.details { flex: 0 0 216px; box-sizing: border-box; background: var(--raised); border-radius: 8px; padding: 10px 12px; font-size: 13px; }
.details p { margin-bottom: 6px; color: var(--muted); overflow-wrap: anywhere; }
.subject { color: var(--ink); font-weight: 650; }
.bar { display: grid; grid-template-columns: minmax(0, 76px) 1fr 34px 10px; gap: 6px; align-items: center; line-height: 1.65; }
.bar bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
.track { height: 8px; background: var(--edge); border-radius: 4px; overflow: hidden; }
.fill { display: block; height: 100%; background: var(--accent); }
.value { text-align: right; font-variant-numeric: tabular-nums; }
.golden { color: var(--gold); font-size: 11px; }
.reading { min-height: 1.4em; font-size: 13px; color: var(--muted); overflow-wrap: anywhere; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.foot { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; margin-top: 6px; }
.legend .frame { fill: none; stroke: var(--edge); }
.tiles { width: 100%; display: grid; gap: 10px; max-height: min(78vh, 720px); overflow: auto; padding: 2px; }
.tiles .row { display: grid; grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 8px; }
.tile { display: flex; flex-direction: column; gap: 4px; padding: 6px; text-align: left; font-size: 11.5px; color: var(--muted); }
.tile canvas { width: 100%; image-rendering: pixelated; border-radius: 2px; display: block; max-height: 180px; }
.table { overflow: auto; max-height: min(78vh, 560px); max-width: 100%; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 4px; }
th, td { padding: 2px 8px; border-bottom: 1px solid var(--edge); text-align: right; font-weight: 400; }
thead th { font-weight: 600; } tbody th { font-weight: 600; position: sticky; left: 0; background: var(--surface); }
.more { margin-top: 8px; border-top: 1px solid var(--edge); padding-top: 6px; }
.more summary { cursor: pointer; color: var(--muted); font-size: 13px; padding: 4px 0; }
.more .controls { margin-top: 8px; }
@container (min-width: 880px) {
  .views { margin-left: auto; }
}
@container (max-width: 619px) {
  button, select, .check { min-height: 36px; }
}
@media (prefers-reduced-motion: no-preference) {
  .fill { transition: width 0.12s; }
}
@media (forced-colors: active) {
  .cells, .track, .tile canvas { forced-color-adjust: none; }
}
`;

export default { render };
