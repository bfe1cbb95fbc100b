// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/attention/log.js
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function nearest(frames, step) {
  let best = 0;
  for (const [i, frame2] of frames.entries())
    if (Math.abs(frame2.step - step) < Math.abs(frames[best].step - step)) best = i;
  return best;
}
var Log = class {
  /** @type {Frame[]} */
  frames = [];
  /** Steps of the scalars. @type {number[]} */
  points = [];
  /** Scalars by name, one a point. @type {Record<string, number[]>} */
  series = {};
  /** @type {Progress} */
  progress = {};
  /** Adds what a training loop sends while it runs. @param {LiveMessage} message @param {DataView[]} buffers */
  hear(message, buffers) {
    const copy = (part) => part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength);
    for (const [i, step] of message.steps.entries()) {
      const [codes, measures] = buffers.slice(2 * i, 2 * i + 2).map(copy);
      if (step > (this.frames.at(-1)?.step ?? -1))
        this.frames.push({ step, codes: new Uint8Array(codes), measures: new Float32Array(measures) });
    }
    for (const name of message.series) this.series[name] ??= this.points.map(() => Number.NaN);
    for (const [step, scalars] of message.points) {
      if (step <= (this.points.at(-1) ?? -1)) continue;
      this.points.push(step);
      for (const [name, values] of Object.entries(this.series)) values.push(scalars[name] ?? Number.NaN);
    }
    this.progress = message.progress;
  }
  /** Adds what another log has behind this one's end. @param {Log} other */
  append(other) {
    const last = this.frames.at(-1)?.step ?? -1;
    const lastPoint = this.points.at(-1) ?? -1;
    this.frames.push(...other.frames.filter((frame2) => frame2.step > last));
    const newer = other.points.flatMap((point, i) => point > lastPoint ? [i] : []);
    for (const [name, values] of Object.entries(this.series))
      values.push(...newer.map((i) => other.series[name]?.[i] ?? Number.NaN));
    this.points.push(...newer.map((i) => other.points[i]));
  }
};
async function decode(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const length = view.getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = 4 + length;
  const codes = await inflate(bytes.subarray(start, start + index.frames));
  const numbers = new Float32Array((await inflate(bytes.subarray(start + index.frames))).buffer);
  for (let i = index.size; i < codes.length; i++) codes[i] += codes[i - index.size];
  const log = new Log();
  log.frames = index.steps.map((step, i) => ({
    step,
    codes: codes.subarray(i * index.size, (i + 1) * index.size),
    measures: numbers.subarray(i * index.measures, (i + 1) * index.measures)
  }));
  let at = log.frames.length * index.measures;
  const column = () => {
    at += index.points;
    return Array.from(numbers.subarray(at - index.points, at));
  };
  log.points = column();
  log.series = Object.fromEntries(index.series.map((name) => [name, column()]));
  log.progress = index.progress;
  return log;
}

// src/attnbook/colours.json
var colours_default = {
  light: {
    query: "#be490f",
    key: "#a22496",
    value: "#0b5740",
    weight: "#265bc6",
    ink: "#1a1d21",
    muted: "#4a5260",
    line: "#8a919c",
    fill: "#f3f5f8",
    paper: "#ffffff"
  },
  dark: {
    query: "#e0924a",
    key: "#efb8fb",
    value: "#7ff09a",
    weight: "#7d96ff",
    ink: "#e8eaed",
    muted: "#b3bac6",
    line: "#757c88",
    fill: "#23272e",
    paper: "#14161a"
  }
};

// src/attnbook/widgets/js/shared/colours.js
var COLOURS = colours_default;
function paintTheme(node, theme) {
  node.dataset.theme = theme;
  for (const [name, colour] of Object.entries(COLOURS[theme])) node.style.setProperty(`--${name}`, colour);
}
var channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

// src/attnbook/widgets/js/shared/numbers.js
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/attention/plan.js
var BEST = 5;
var NEXT_BYTES = 4;
var SQUARES = Float32Array.from({ length: 256 }, (_, code) => (code / 255) ** 2);
var Plan = class {
  /** @param {Header} header */
  constructor(header) {
    this.header = header;
    this.kinds = header.kinds;
    this.sentences = header.sentences;
    this.views = header.views;
    let offset = 0;
    this.offsets = this.kinds.map(
      (kind, k) => this.sentences.map((_, s) => {
        const before = offset;
        offset += kind.layers.length * kind.heads * this.size(k, s);
        return before;
      })
    );
    this.next = header.next ?? [];
    this.nexts = this.sentences.map(({ axes }) => {
      const before = offset;
      offset += this.next.length ? axes[this.next[0]].length * BEST * NEXT_BYTES : 0;
      return before;
    });
    let measured2 = 0;
    this.measured = this.kinds.map((kind, k) => {
      const before = measured2;
      measured2 += kind.layers.length * (kind.heads + this.views.length) * (header.measured_gold[k] ? 2 : 1);
      return before;
    });
  }
  /** Tokens of the rows. @param {number} kind @param {number} sentence */
  rows(kind, sentence2) {
    return this.sentences[sentence2].axes[this.kinds[kind].query];
  }
  /** Tokens of the columns. @param {number} kind @param {number} sentence */
  columns(kind, sentence2) {
    return this.sentences[sentence2].axes[this.kinds[kind].key];
  }
  /** Weights in a matrix. @param {number} kind @param {number} sentence */
  size(kind, sentence2) {
    return this.rows(kind, sentence2).length * this.columns(kind, sentence2).length;
  }
  /** The last layer's mean over heads, or its only head. @param {number} kind @returns {{ layer: number, head: Head }} */
  first(kind) {
    const { layers, heads } = this.kinds[kind];
    return { layer: layers.length - 1, head: heads > 1 ? "mean" : 0 };
  }
  /** The same layer and head in another kind, as far as it has them. @param {number} kind @param {{ layer: number, head: Head }} here */
  within(kind, { layer, head }) {
    const { layers, heads } = this.kinds[kind];
    const known = typeof head === "number" ? head < heads : heads > 1;
    return { layer: Math.min(layer, layers.length - 1), head: known ? head : this.first(kind).head };
  }
  /** The codes (rows x columns) of one head. @param {Frame} frame @param {Selection} selection @param {number} head */
  codes(frame2, { kind, sentence: sentence2, layer }, head) {
    const size = this.size(kind, sentence2);
    const start = this.offsets[kind][sentence2] + (layer * this.kinds[kind].heads + head) * size;
    return frame2.codes.subarray(start, start + size);
  }
  /** The codes of all heads of all layers. @param {Frame} frame @param {number} kind @param {number} sentence */
  allCodes(frame2, kind, sentence2) {
    const { layers, heads } = this.kinds[kind];
    const start = this.offsets[kind][sentence2];
    return frame2.codes.subarray(start, start + layers.length * heads * this.size(kind, sentence2));
  }
  /** Weights (rows x columns) of one head, or of the mean or maximum over heads. @param {Frame} frame @param {Selection} selection */
  matrix(frame2, selection) {
    const { kind, sentence: sentence2, head } = selection;
    const { heads } = this.kinds[kind];
    const size = this.size(kind, sentence2);
    const weights = new Float32Array(size);
    for (const one of typeof head === "number" ? [head] : Array(heads).keys()) {
      const codes = this.codes(frame2, selection, one);
      if (head === "max") for (let i = 0; i < size; i++) weights[i] = Math.max(weights[i], SQUARES[codes[i]]);
      else for (let i = 0; i < size; i++) weights[i] += SQUARES[codes[i]];
    }
    if (head === "mean") for (let i = 0; i < size; i++) weights[i] /= heads;
    return weights;
  }
  /**
   * A measure of one frame; NaN where there is none.
   *
   * @param {Frame} frame @param {"entropy" | "error"} name @param {Selection} selection
   */
  measure(frame2, name, { kind, layer, head }) {
    const { heads, layers } = this.kinds[kind];
    const each = heads + this.views.length;
    if (name === "error" && !this.header.measured_gold[kind]) return Number.NaN;
    const view = typeof head === "number" ? head + this.views.length : this.views.indexOf(head);
    return frame2.measures[this.measured[kind] + (name === "error" ? layers.length * each : 0) + layer * each + view];
  }
  /** The likeliest tokens at a row, which next_tokens.py has put behind the weights. @param {Frame} frame @param {number} sentence @param {number} row */
  likely(frame2, sentence2, row) {
    const start = this.nexts[sentence2] + row * BEST * NEXT_BYTES;
    return Array.from({ length: BEST }, (_, i) => {
      const [low, middle, high, p] = frame2.codes.subarray(start + i * NEXT_BYTES, start + (i + 1) * NEXT_BYTES);
      return { id: low + 256 * middle + 65536 * high, p: SQUARES[p] };
    });
  }
  /** Gold cells as row * columns + column. @param {{ kind: number, sentence: number }} selection */
  gold({ kind, sentence: sentence2 }) {
    const links = this.kinds[kind].gold ? this.sentences[sentence2].gold ?? [] : [];
    const width = this.columns(kind, sentence2).length;
    return new Set(links.map(([column, row]) => row * width + column));
  }
};

// src/attnbook/widgets/js/attention/scale.js
var STOPS = {
  light: [COLOURS.light.paper, "#a3bcee", COLOURS.light.weight, "#12306f"],
  dark: [COLOURS.dark.paper, "#3a4fae", COLOURS.dark.weight, "#eef2ff"]
};
var SIGNED = {
  light: [COLOURS.light.query, COLOURS.light.paper, COLOURS.light.weight],
  dark: [COLOURS.dark.query, COLOURS.dark.paper, COLOURS.dark.weight]
};
var SHADES = 1024;
var tables = /* @__PURE__ */ new Map();
function shades(theme, signed = false) {
  const named2 = (signed ? SIGNED : STOPS)[theme];
  const known = tables.get(named2);
  if (known) return known;
  const stops = named2.map(channels);
  const table = new Uint32Array(SHADES);
  const bytes = new Uint8ClampedArray(table.buffer);
  for (let i = 0; i < SHADES; i++) {
    const at = i / (SHADES - 1) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
    bytes[4 * i + 3] = 255;
  }
  tables.set(named2, table);
  return table;
}
var shadeOf = (value, { low, top }) => clamp(Math.round((value - low) / (top - low) * (SHADES - 1)), 0, SHADES - 1);
var colourOf = (value, scale) => [...new Uint8Array(scale.table.buffer, 4 * shadeOf(value, scale), 3)];
var cssColour = (value, scale) => `rgb(${colourOf(value, scale).join(" ")})`;
function paint(canvas, values, columns, scale) {
  const rows = values.length / columns;
  if (canvas.width !== columns || canvas.height !== rows)
    Object.assign(canvas, { width: columns, height: rows, image: null });
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.image ??= context.createImageData(columns, rows);
  const pixels = new Uint32Array(canvas.image.data.buffer);
  const { table } = scale;
  if (values instanceof Uint8Array) {
    const colours = Uint32Array.from(SQUARES, (weight) => table[shadeOf(weight, scale)]);
    for (let i = 0; i < values.length; i++) pixels[i] = colours[values[i]];
  } else for (let i = 0; i < values.length; i++) pixels[i] = table[shadeOf(values[i], scale)];
  context.putImageData(canvas.image, 0, 0);
}
function largest(values) {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (Math.abs(values[i]) > found) found = Math.abs(values[i]);
  return found;
}

// src/attnbook/widgets/js/shared/address.js
var PAUSE = 400;
var MOST = 1e4;
var taken = /* @__PURE__ */ new Set();
var nameOf = (kind, title) => [kind, ...title.toLowerCase().match(/[a-z0-9]+/g) ?? []].join("-").slice(0, 60);
function free(wanted) {
  let [name, count] = [wanted, 1];
  while (taken.has(name)) name = `${wanted}-${++count}`;
  taken.add(name);
  return name;
}
function parts(fragment) {
  const found = /* @__PURE__ */ new Map();
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, "").slice(0, MOST))) {
    const [name, rest] = [key.slice(0, key.indexOf(".")), key.slice(key.indexOf(".") + 1)];
    if (!key.includes(".")) continue;
    found.set(name, Object.fromEntries([...Object.entries(found.get(name) ?? {}), [rest, value]]));
  }
  return found;
}
var fragmentOf = (named2) => String(
  new URLSearchParams(
    [...named2].flatMap(([name, values]) => Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]))
  )
);
var Address = class {
  timer = 0;
  /** @param {Element} el where the widget is drawn @param {string} wanted its name, if no other widget has it */
  constructor(el, wanted) {
    this.el = el;
    this.onPage = el.closest(".attnbook-static") !== null;
    this.name = this.onPage ? free(wanted) : wanted;
  }
  /** What the address says of this widget; null where it says nothing. */
  read() {
    return this.onPage && parts(location.hash).get(this.name) || null;
  }
  /** Brings the widget into sight, if it is the first that the address names. */
  show() {
    if (parts(location.hash).keys().next().value === this.name) this.el.scrollIntoView({ block: "center" });
  }
  /** Writes them into the address, once they stay; what it says of other widgets is kept. @param {Values} values */
  write(values) {
    clearTimeout(this.timer);
    if (this.onPage) this.timer = window.setTimeout(() => this.replace(values), PAUSE);
  }
  /** @param {Values} values */
  replace(values) {
    const named2 = parts(location.hash);
    const some = Object.keys(values).length > 0;
    if (!some && !named2.has(this.name)) return;
    if (some) named2.set(this.name, values);
    else named2.delete(this.name);
    const fragment = fragmentOf(named2);
    try {
      history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment && `#${fragment}`}`);
    } catch {
    }
  }
  /** A link to this widget alone, into the clipboard. @param {Values} values @returns {Promise<string>} what a reader is told */
  async copy(values) {
    this.replace(values);
    const link = `${location.href.split("#")[0]}#${fragmentOf(/* @__PURE__ */ new Map([[this.name, values]]))}`;
    try {
      await navigator.clipboard.writeText(link);
      return "The link is in the clipboard.";
    } catch {
      return "The clipboard cannot be reached: the link is this page's address.";
    }
  }
  /** Hears of another address of the same page. @param {(values: Values) => void} visit @returns {() => void} ends it */
  follow(visit) {
    const hear = () => {
      const values = this.read();
      if (values) visit(values);
    };
    if (this.onPage) addEventListener("hashchange", hear);
    return () => {
      clearTimeout(this.timer);
      removeEventListener("hashchange", hear);
      if (this.onPage) taken.delete(this.name);
    };
  }
};

// src/attnbook/widgets/js/shared/dom.js
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") write(node, String(value ?? ""));
    else if (value === false || value == null) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function element(tag, attributes = {}, ...children) {
  const node = set(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}
var SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes = {}, ...children) {
  const node = set(document.createElementNS(SVG, tag), attributes);
  node.append(...children);
  return node;
}

// src/attnbook/widgets/js/shared/controls.js
var LINEAR = { to: (value) => value, from: (place) => place };
function slider(name, { min, max, step = 1, scale = LINEAR, says = String }, chosen) {
  const input = element("input", { type: "range", min, max, step });
  const value = element("span", { class: "value", "aria-hidden": "true" });
  const words = element("span", { class: "words" }, element("span", { text: name }), value);
  input.addEventListener("input", () => chosen(scale.from(Number(input.value))));
  return {
    element: element("label", { class: "field" }, words, input),
    input,
    /** @param {number} now */
    show(now) {
      input.value = String(scale.to(now));
      set(input, { "aria-valuetext": says(now) });
      write(value, says(now));
    }
  };
}
function choice(name, options, chosen) {
  const input = element("select");
  input.addEventListener("change", () => chosen(input.value));
  const own = {
    element: element("label", { class: "field" }, element("span", { class: "words", text: name }), input),
    input,
    /** @param {Iterable<[string | number, string | number]>} list */
    offer(list) {
      input.replaceChildren(...Array.from(list, ([value, text]) => new Option(String(text), String(value))));
    },
    /** A value that the list does not offer is offered from now on. @param {string | number} now */
    show(now) {
      const value = String(now);
      if (![...input.options].some((option) => option.value === value)) input.append(new Option(value, value));
      input.value = value;
    }
  };
  own.offer(options);
  return own;
}
function checkbox(name, chosen) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => chosen(input.checked));
  return {
    element: element("label", { class: "check" }, input, element("span", { text: name })),
    input,
    /** @param {boolean} on */
    show(on) {
      input.checked = on;
    }
  };
}
function button(name, pressed) {
  const node = element("button", { type: "button", text: name });
  node.addEventListener("click", pressed);
  return node;
}

// src/attnbook/widgets/js/shared/style.js
var FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";
var STYLE = `
:host { display: block; }
.card { --edge: color-mix(in srgb, var(--line) 45%, var(--paper)); box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 10px 14px 12px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 10px; font: 14px/1.45 ${FONT}; text-align: left; container-type: inline-size; }
.card [hidden] { display: none; }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 6px; }
.title { font-weight: 650; }
.figure svg { display: block; width: 100%; height: auto; user-select: none; -webkit-user-select: none; }
.figure svg text { fill: var(--ink); font: var(--label, 13px) ${FONT}; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 4px 16px; align-items: end; margin: 6px 0; }
.controls:empty { display: none; }
.field { display: flex; flex-direction: column; gap: 1px; min-width: 0; font-size: 13px; color: var(--muted); }
.words { display: flex; justify-content: space-between; gap: 8px; white-space: nowrap; }
.words > *, .field > .words { overflow: hidden; text-overflow: ellipsis; }
.words > :first-child { flex: 1 0 auto; }
.value { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.check { display: inline-flex; align-items: center; gap: 7px; min-height: 32px; font-size: 13px; cursor: pointer; }
.check input { width: 18px; height: 18px; margin: 0; flex: none; accent-color: var(--weight); }
input[type=range] { width: 100%; height: 28px; margin: 0; accent-color: var(--weight); cursor: pointer; }
button, select { font: inherit; font-size: 13px; min-height: 32px; padding: 2px 10px; color: var(--ink); background: var(--fill);
  border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
select { width: 100%; box-sizing: border-box; text-overflow: ellipsis; }
button:hover:not(:disabled), select:hover { border-color: var(--muted); }
button:disabled, select:disabled, input:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.said { display: grid; margin-top: 6px; font-variant-numeric: tabular-nums; }
.said > * { grid-area: 1 / 1; }
.said > [aria-hidden] { visibility: hidden; padding-right: 4em; }
p { margin: 6px 0 0; }
.tip, .legend { color: var(--muted); font-size: 13px; }
`;

// src/attnbook/widgets/js/shared/theme.js
function pageTheme(element2) {
  const html = document.documentElement;
  const { body } = document;
  const named2 = html.dataset.theme ?? html.dataset.mode ?? html.getAttribute("theme") ?? "";
  if (/dark/.test(named2)) return "dark";
  if (/light/.test(named2)) return "light";
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast(?!-light))/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  for (let behind = (
    /** @type {Element | null} */
    element2
  ); behind; behind = behind.parentElement) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(behind).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110 ? "dark" : "light";
  }
  const follows = /dark/.test(getComputedStyle(html).colorScheme);
  return follows && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
function followTheme(element2, changed) {
  const tell = () => changed(pageTheme(element2));
  const observer = new MutationObserver(tell);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", tell);
  tell();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", tell);
  };
}

// src/attnbook/widgets/js/shared/card.js
var first = /* @__PURE__ */ new WeakMap();
var Card = class {
  /**
   * @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place
   * @param {Options} options
   */
  constructor({ model, el }, { name, title, tip, style, names: names2 }) {
    if (!first.has(model)) first.set(model, Object.fromEntries(names2.map((key) => [key, model.get(key)])));
    this.model = model;
    this.names = names2;
    this.figure = element("div", { class: "figure" });
    this.controls = element("div", { class: "controls" });
    this.forget = () => {
    };
    this.redraw = () => {
    };
    this.longest = element("span", { "aria-hidden": "true" });
    this.said = element("output", { "aria-live": "polite" });
    this.root = element(
      "section",
      { class: `card ${name}`, "aria-label": title },
      element(
        "header",
        {},
        element("span", { class: "title", text: title }),
        button("Reset", () => this.reset())
      ),
      this.figure,
      this.controls,
      element("div", { class: "said" }, this.longest, this.said),
      element("p", { class: "tip" }, element("b", { text: "Try this: " }), tip)
    );
    this.host = element("div", { "data-lm-suppress-shortcuts": "true" });
    this.host.addEventListener("keydown", (event) => event.stopPropagation());
    this.host.attachShadow({ mode: "open" }).append(element("style", { text: STYLE + style }), this.root);
    el.append(this.host);
    this.sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) keepLabels(
        /** @type {SVGSVGElement} */
        target
      );
    });
  }
  /** Changes the model. @param {Record<string, unknown>} changes */
  change(changes) {
    for (const [key, value] of Object.entries(changes)) this.model.set(key, value);
    this.model.save_changes();
  }
  reset() {
    this.forget();
    if (this.names.length) this.change(first.get(this.model) ?? {});
    this.redraw();
  }
  /**
   * A picture that is as wide as the card.
   *
   * @param {number} width @param {number} height of what is drawn
   * @param {{ label?: string, wide?: number, size?: number }} [options] `size`: of its labels in pixels, also where the
   *   picture is narrower than `wide` pixels
   */
  picture(width, height, { label: label2 = this.model.get("alt"), wide = 520, size = 13 } = {}) {
    const data2 = { "data-wide": wide, "data-size": size };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label2, ...data2 });
    this.figure.append(picture);
    this.sizes.observe(picture);
    return picture;
  }
  /** Says what is seen. @param {string} text */
  say(text) {
    write(this.said, text);
    this.reserve([text]);
  }
  /** Keeps room for the longest of these texts, wherever its lines break: nothing below moves. @param {string[]} texts */
  reserve(texts) {
    for (const text of texts) if (text.length > (this.longest.textContent ?? "").length) write(this.longest, text);
  }
  /**
   * Draws now, and whenever the model or the theme changes.
   *
   * @param {(theme: import("./theme.js").Theme) => void} draw
   * @param {() => void} [forget] puts back what Reset does not find in the model
   * @returns {() => void} ends it
   */
  start(draw, forget = () => {
  }) {
    this.forget = forget;
    this.redraw = () => draw(this.root.dataset.theme === "dark" ? "dark" : "light");
    const events = this.names.map((key) => `change:${key}`).join(" ");
    if (events) this.model.on(events, this.redraw);
    const unfollow = followTheme(this.host, (theme) => {
      if (theme === this.root.dataset.theme) return;
      paintTheme(this.root, theme);
      this.redraw();
    });
    return () => {
      if (events) this.model.off(events, this.redraw);
      unfollow();
      this.sizes.disconnect();
      this.host.remove();
    };
  }
};
function keepLabels(picture) {
  const wide = Number(picture.dataset.wide);
  const factor = Math.max(1, wide / (picture.clientWidth || wide));
  picture.style.setProperty("--label", `${Number(picture.dataset.size) * factor}px`);
}

// src/attnbook/widgets/js/attention/text.js
function short(token2, most = 24) {
  const characters = [...token2.slice(0, 2 * most)];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : token2;
}
var visible = (token2) => token2.trim() === "" ? token2.replace(/\s/g, "␣") || "∅" : token2;
var label = (token2, most) => short(visible(token2), most);
function spaced(tokens) {
  const marked = tokens.some((token2) => /^[▁Ġ]/.test(token2));
  const begins = marked ? /^[▁Ġ<[]/ : /^(?!##)/;
  return tokens.map((token2, i) => i > 0 && begins.test(token2) && !tokens[i - 1].endsWith("@@"));
}
var unmarked = (token2) => token2.replace(/^([▁Ġ]|##)|@@$/g, "") || token2;
function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(1);
  if (size >= 1e3) return String(Math.round(value));
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}
var weightText = (weight) => weight > 0 && weight < 5e-3 ? "<0.01" : weight.toFixed(2);
var withSign = (value, size) => Number(size) === 0 ? size : `${value < 0 ? "−" : "+"}${size}`;
var writes = ({ of }) => of ? (value) => withSign(value, Math.abs(value).toFixed(2)) : weightText;
function duration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
function progressText({ step, total, tokens_per_second: speed, seconds, seconds_left: left, done }, running) {
  const parts2 = [];
  const whole3 = done && !(step && total && step < total);
  if (step && whole3) parts2.push(`${step} steps in ${duration(seconds ?? 0)}`);
  else if (step) parts2.push(`${running ? "" : "stopped at "}step ${step}${total ? ` of ${total}` : ""}`);
  if (speed) parts2.push(`${Math.round(speed).toLocaleString("en")} tokens/s`);
  if (running && left != null) parts2.push(`${duration(left)} left`);
  return parts2.join(" · ");
}
var ruler;
function textWidth(text, size) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * size;
  ruler.font = `${size}px ${FONT}`;
  return ruler.measureText(text).width;
}
var widest = (tokens, size) => Math.max(...tokens.map((token2) => textWidth(label(token2), size)));
function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
    found.push(+(i * step).toPrecision(12));
  return found;
}

// src/attnbook/widgets/js/attention/compare.js
var OFFERS = {
  head(plan, { kind }) {
    const { heads, layers } = plan.kinds[kind];
    const name = (l, h) => layers.length > 1 ? `layer ${l + 1}, head ${h + 1}` : `head ${h + 1}`;
    const each = layers.flatMap((_, l) => range(heads).map((h) => (
      /** @type {Option} */
      [`${l} ${h}`, name(l, h)]
    )));
    return each.length > 1 ? each : [];
  },
  sentence(plan, { kind, sentence: sentence2 }) {
    const sizes = (s) => `${plan.rows(kind, s).length} ${plan.columns(kind, s).length}`;
    return plan.sentences.flatMap(
      ({ label: label2 }, s) => s !== sentence2 && sizes(s) === sizes(sentence2) ? [
        /** @type {Option} */
        [String(s), short(label2, 60)]
      ] : []
    );
  },
  kind(plan, { kind }) {
    const { query, key } = plan.kinds[kind];
    return plan.kinds.flatMap(
      (other, k) => k !== kind && other.query === query && other.key === key ? [
        /** @type {Option} */
        [String(k), other.label]
      ] : []
    );
  }
};
var offered = (plan, state) => OFFERS[state.compare]?.(plan, state) ?? [];
function comparable(plan, state, steps) {
  const names2 = [
    ["head", "another head"],
    ["sentence", "another sentence"],
    ["kind", "another attention"]
  ];
  const found = names2.filter(([compare]) => offered(plan, { ...state, compare }).length);
  return (
    /** @type {[Compare, string][]} */
    [["", "nothing"], ...steps ? [["step", "another step"]] : [], ...found]
  );
}
function sound(plan, state) {
  if (state.compare === "" || state.compare === "step") return state.other === "" ? state : { ...state, other: "" };
  const values = offered(plan, state).map(([value]) => value);
  if (!values.length) return { ...state, compare: "", other: "" };
  return values.includes(state.other) ? state : { ...state, other: values[0] };
}
function otherOf(plan, state, at) {
  if (state.compare === "step") return { at: at() };
  if (state.compare === "sentence") return { sentence: Number(state.other) };
  if (state.compare === "kind") return { kind: Number(state.other), ...plan.within(Number(state.other), state) };
  if (state.compare !== "head") return null;
  const [layer, head] = state.other.split(" ").map(Number);
  return { layer, head };
}
function differ([own, other], [here, there], minus) {
  const tokens = (a, b) => a.map((token2, i) => token2 === b[i] ? token2 : `${token2} − ${b[i]}`);
  const apart = here.map((word, i) => word !== there[i]);
  const names2 = [here, there].map((words) => words.filter((word, i) => word && apart[i]).join(", ") || "the same");
  const caption = here.map((word, i) => apart[i] ? [word, there[i]].filter(Boolean).join(" − ") : word);
  return {
    rows: tokens(own.rows, other.rows),
    columns: tokens(own.columns, other.columns),
    get weights() {
      return minus(own.weights, other.weights);
    },
    gold: own.gold,
    caption: caption.filter(Boolean).join(" · "),
    of: { own, other, names: [names2[0], names2[1]] }
  };
}

// src/attnbook/widgets/js/attention/curves.js
var MARGIN = { left: 34, right: 10 };
function overWhat({ sentences }, bands) {
  const counted = (count) => count === 1 ? "1 sentence" : `all ${count} sentences`;
  const golden = sentences.filter(({ gold }) => gold?.length).length;
  const [error, entropy] = ["error", "entropy"].map((style) => bands.some((band) => band.style === style));
  if (error && golden < sentences.length) return `error: over the ${golden} of ${sentences.length} with gold`;
  if (error || entropy) return `${error ? "error and entropy" : "entropy"}: over ${counted(sentences.length)}`;
  return "";
}
function bandsOf(plan, log, state) {
  const found = [];
  if (log.points.length) {
    const points = log.points.map(
      (step, i) => (
        /** @type {[number, number]} */
        [step, log.series[state.curve]?.[i] ?? Number.NaN]
      )
    );
    const values = points.map(([, value]) => value).filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const last = (step) => points.findLast(([known, value]) => known <= step && Number.isFinite(value))?.[1] ?? Number.NaN;
    const range2 = [low > 0 && low < 0.6 * high ? 0 : low, high];
    found.push({ name: state.curve, style: "scalar", height: 72, points, range: range2, unit: "", value: last });
  }
  const measured2 = (style, name, unit) => {
    const points = log.frames.map(
      (frame2) => (
        /** @type {[number, number]} */
        [frame2.step, plan.measure(frame2, style, state)]
      )
    );
    const known = points.map(([, value2]) => value2).filter(Number.isFinite);
    const value = (_, at) => points[at][1];
    const range2 = [0, style === "error" ? 1 : Math.max(1, ...known)];
    if (known.length) found.push({ name, style, height: 28, points, range: range2, unit, value });
  };
  measured2("error", "alignment error", "");
  measured2("entropy", "entropy", " bits");
  return found;
}
var Curves = class {
  /** @type {Drawn[]} */
  bands = [];
  /** @type {Frame[]} */
  frames = [];
  low = 0;
  high = 1;
  plot = 1;
  /** @param {(at: number) => void} pick hears of a frame that was chosen */
  constructor(pick) {
    this.element = svg("svg", { "aria-hidden": "true", class: "curves" });
    this.line = svg("line", { class: "playhead", y1: 0 });
    let dragging = false;
    const drag = (event) => {
      if (!dragging) return;
      const x = event.clientX - this.element.getBoundingClientRect().left;
      pick(nearest(this.frames, this.low + (x - MARGIN.left) / this.plot * (this.high - this.low)));
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      dragging = true;
      drag(event);
    });
    this.element.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"])
      this.element.addEventListener(end, () => {
        dragging = false;
      });
  }
  /**
   * Draws the curves.
   *
   * @param {Frame[]} frames @param {Band[]} bands
   * @param {{ last: number, width: number, over: string }} how the last step, the room, and what is measured over what
   */
  draw(frames, bands, { last, width, over }) {
    const low = frames[0].step;
    Object.assign(this, { frames, low, high: Math.max(last, low + 1), plot: width - MARGIN.left - MARGIN.right });
    let bottom = 0;
    const parts2 = [];
    this.bands = bands.map((band) => {
      const top = bottom + 18;
      bottom = top + band.height;
      return this.band(band, top, width, parts2);
    });
    const height = bottom + 12;
    const note = svg("text", { class: "over", x: 2, y: height + 10, text: over });
    const marks = frames.map(({ step }) => `M${this.x(step).toFixed(1)} ${height - 8}v4`).join("");
    set(this.line, { y2: height - 8 });
    const above = this.bands.flatMap(({ dot, text }) => [dot, text]);
    this.element.replaceChildren(...parts2, svg("path", { class: "ticks", d: marks }), this.line, ...above, note);
    const whole3 = height + (over ? 14 : 0);
    set(this.element, { viewBox: `0 0 ${width} ${whole3}`, height: whole3 });
  }
  /** @param {Band} band @param {number} top @param {number} width @param {SVGElement[]} parts @returns {Drawn} */
  band(band, top, width, parts2) {
    const [from, to] = band.range;
    const y = (value) => top + band.height * (1 - (clamp(value, from, to) - from) / (to - from || 1));
    for (const tick of band.height > 50 ? ticks(from, to, 3) : [from, to]) {
      const text2 = `${+tick.toPrecision(2)}`;
      parts2.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }));
      parts2.push(svg("text", { class: "tick", x: MARGIN.left - 6, y: y(tick) + 3.5, "text-anchor": "end", text: text2 }));
    }
    const points = band.points.filter(([, value]) => Number.isFinite(value));
    const path = points.map(([step, value]) => `${this.x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    parts2.push(svg("path", { class: `curve ${band.style}`, d: path && `M${path}` }));
    const dot = svg("circle", { class: `dot ${band.style}`, r: 3.5 });
    const text = svg("text", { class: `name ${band.style}`, x: MARGIN.left, y: top - 6 });
    return { ...band, y, dot, text };
  }
  /** @param {number} step */
  x(step) {
    return MARGIN.left + (step - this.low) / (this.high - this.low) * this.plot;
  }
  /** Moves the playhead. @param {number} at @returns {string} what the curves say there */
  show(at) {
    const { step } = this.frames[at];
    const x = this.x(step);
    set(this.line, { x1: x, x2: x });
    for (const { name, unit, value, y, dot, text } of this.bands) {
      const now = value(step, at);
      const known = Number.isFinite(now);
      set(dot, { visibility: known ? "visible" : "hidden", cx: x, cy: known ? y(now) : 0 });
      write(text, `${name} ${number(now)}${known ? unit : ""}`);
    }
    return this.bands.map(({ text }) => text.textContent).join(", ");
  }
};

// src/attnbook/widgets/js/attention/details.js
var LARGE = 2500;
var BARS = 7;
function drawTable(panel) {
  const { rows, columns, weights, gold, caption } = panel;
  const text = writes(panel);
  const weight = (row, column) => weights[row * columns.length + column];
  const header = (scope, text2) => element("th", { scope }, element("bdi", { text: label(text2) }));
  const mark = (row, column) => gold.has(row * columns.length + column) ? " ◆" : "";
  const largest2 = (row) => [...columns.keys()].sort((a, b) => Math.abs(weight(row, b)) - Math.abs(weight(row, a))).slice(0, 5);
  const small = weights.length <= LARGE;
  const head = small ? columns.map((token2) => header("col", token2)) : [header("col", "largest weights")];
  const cells = (row) => {
    if (small) return columns.map((_, j) => element("td", { text: text(weight(row, j)) + mark(row, j) }));
    const list = largest2(row).map((j) => `${label(columns[j])} ${text(weight(row, j))}`);
    return [element("td", {}, element("bdi", { text: list.join(", ") }))];
  };
  const lines = rows.map((token2, row) => element("tr", {}, header("row", token2), ...cells(row)));
  const title = element("caption", { text: gold.size ? `${caption}; ◆ gold alignment` : caption });
  const table = element("table", {}, title, element("thead", {}, element("tr", {}, element("td"), ...head)));
  table.append(element("tbody", {}, ...lines));
  return element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Table of weights" }, table);
}
function drawDetails(panel, { axis, index }) {
  const { rows, columns, weights, gold, of } = panel;
  const [own, others] = axis === "row" ? [rows, columns] : [columns, rows];
  const cell = (other) => axis === "row" ? index * columns.length + other : other * columns.length + index;
  const size = (other) => Math.abs(weights[cell(other)]);
  const order = [...others.keys()].sort((a, b) => size(b) - size(a)).slice(0, BARS);
  const seen = order.filter((other, i) => i === 0 || size(other) >= 5e-3);
  const subject = element("bdi", { class: "subject", text: label(own[index]) });
  const verb = axis === "row" ? " attends to" : " is attended to by";
  return [
    element("p", {}, subject, of ? `${verb}, difference` : verb),
    ...seen.map((other) => {
      const fill = element("span", { class: "fill", style: `width:${(100 * size(other)).toFixed(1)}%` });
      fill.classList.toggle("less", weights[cell(other)] < 0);
      return element(
        "div",
        { class: "bar" },
        element("bdi", { text: label(others[other], 16) }),
        element("span", { class: "track" }, fill),
        element("span", { class: "weight", text: writes(panel)(weights[cell(other)]) }),
        element("span", { class: "golden", text: gold.has(cell(other)) ? "◆" : "", title: "gold alignment" })
      );
    })
  ];
}

// src/attnbook/widgets/js/attention/layout.js
var SIDE = 236;
var GAP = 20;
var WIDE = 620;
var OTHERS = 320;
var NARROWEST = 16;
var Layout = class {
  /** Room for each panel. */
  room = { width: 0, height: 0 };
  width = 0;
  side = 0;
  known = "";
  /** @param {import("../shared/card.js").Card} card @param {Parts} parts */
  constructor(card, { pickers, more, transport, stage, curves, legend, gold, next }) {
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "Training" });
    this.running = element("span", { class: "running", hidden: true }, this.progress);
    this.progressText = element("span", { class: "progress-text" });
    card.root.querySelector(".title")?.after(this.running, this.progressText);
    this.hint = element("p", { class: "hint", text: "Nothing to see yet: the first look at the model is under way." });
    this.curves = curves.element;
    this.transport = transport.element;
    this.details = element("div", { class: "details" });
    this.beside = element("div", { class: "side" }, curves.element, this.details, ...next ? [next.element] : []);
    this.main = element("div", { class: "main" }, stage.element, this.beside);
    const foot = element("div", { class: "foot" }, legend.element, gold.element);
    this.panel = element("div", { hidden: true }, pickers.element, more.element, transport.element, this.main, foot);
    card.figure.append(this.hint, this.panel);
  }
  /** Shows the hint until there is something to see. @param {boolean} some */
  reveal(some) {
    set(this.hint, { hidden: some });
    set(this.panel, { hidden: !some });
  }
  /**
   * @param {import("./state.js").Panel[]} panels
   * @param {import("./state.js").State["view"]} view
   */
  measure(panels, view) {
    const width = Math.max(240, this.panel.clientWidth);
    if (width !== this.width) this.room.height = clamp(window.innerHeight - OTHERS, 220, 620);
    this.width = width;
    const { rows, columns } = panels[0];
    const wide = width >= WIDE;
    const single = panels.length === 1;
    const stacked = !wide || !single || columns.length * NARROWEST > width - SIDE - GAP;
    this.main.classList.toggle("stacked", stacked);
    if (!stacked) this.room.width = width - SIDE - GAP;
    else this.room.width = wide && !single ? (width - GAP) / 2 : width;
    set(this.details, { hidden: !single || !["map", "lines", "text"].includes(view) });
    this.details.style.setProperty("--bars", String(Math.min(BARS, Math.max(rows.length, columns.length))));
    this.main.children[0].classList.toggle("full", view !== "map" || stacked);
  }
  /** Room for curves and details; read anew only where something of `what` has changed. @param {string} what is seen */
  sideWidth(what) {
    const known = `${this.width} ${what}`;
    if (known !== this.known) Object.assign(this, { known, side: this.beside.clientWidth });
    return this.side;
  }
  /** Time has controls where there is more than one moment. @param {boolean} some */
  showTime(some) {
    set(this.transport, { hidden: !some });
    set(this.curves, { style: some ? null : "display:none" });
  }
  /** @param {import("./log.js").Progress} progress @param {boolean} live */
  showProgress(progress, live) {
    const running = live && !progress.done;
    set(this.running, { hidden: !(running && progress.total) });
    this.progress.value = progress.total ? (progress.step ?? 0) / progress.total : 0;
    write(this.progressText, progressText(progress, running));
  }
};

// src/attnbook/widgets/js/attention/legend.js
var STEPS = 48;
var Legend = class {
  drawn = "";
  element = svg("svg", { class: "legend", viewBox: "0 0 168 26", width: 168, height: 26, role: "img" });
  /** @param {string} theme @param {import("./scale.js").Scale} scale */
  draw(theme, scale) {
    const { low, top } = scale;
    const drawn = `${theme} ${low} ${top}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const signed = low < 0;
    const ends = signed ? `differences from −${number(top)} to +${number(top)}` : `weights from 0 to ${number(top)}`;
    set(this.element, { "aria-label": `Colour scale: ${ends}` });
    const at = (share2) => low + (top - low) * share2;
    const shade = (i) => cssColour(at(i / (STEPS - 1)), scale);
    const box = { y: 1, width: 3.7, height: 9, "shape-rendering": "crispEdges" };
    this.element.replaceChildren(
      ...range(STEPS).map((i) => svg("rect", { x: 4 + i * 160 / STEPS, ...box, fill: shade(i) })),
      svg("rect", { class: "frame", x: 4, y: 1, width: 160, height: 9 }),
      ...["start", "middle", "end"].map((anchor, i) => {
        const value = +at(i / 2).toPrecision(2);
        const text = signed ? withSign(value, String(Math.abs(value))) : String(value);
        return svg("text", { class: "tick", x: 4 + 80 * i, y: 23, "text-anchor": anchor, text });
      })
    );
  }
};

// src/attnbook/widgets/js/attention/overview.js
var ORDERS = [
  ["", "as in the model"],
  ["entropy", "by entropy, over the steps"],
  ["error", "by alignment error, over the steps"],
  ["diagonality", "by diagonality, over the steps"],
  ["distance", "by distance, over the steps"]
];
function measured(plan, frame2, order, one) {
  if (order === "entropy" || order === "error") return plan.measure(frame2, order, one);
  const [rows, columns] = [plan.rows(one.kind, one.sentence).length, plan.columns(one.kind, one.sentence).length];
  const codes = plan.codes(frame2, one, one.head);
  let total = 0;
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const apart = order === "distance" ? Math.abs(i - j) : Math.abs((i + 0.5) / rows - (j + 0.5) / columns);
      total += SQUARES[codes[i * columns + j]] * apart;
    }
  return order === "distance" ? total / rows : 1 - total / rows;
}
var Overview = class {
  /** @type {{ layer: number, head: number, button: HTMLElement, canvas: HTMLCanvasElement, note: HTMLElement }[]} */
  strips = [];
  made = "";
  /** @type {WeakMap<Frame, Map<string, number>>} */
  known = /* @__PURE__ */ new WeakMap();
  /** @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element = element("div", { class: "overview" });
  }
  /** @param {Plan} plan @param {number} kind */
  make(plan, kind) {
    if (this.made === String(kind)) return;
    this.made = String(kind);
    const { layers, heads } = plan.kinds[kind];
    this.strips = layers.flatMap(
      (_, layer) => range(heads).map((head) => {
        const canvas = element("canvas", { "aria-hidden": "true" });
        const name = `${layers.length > 1 ? `layer ${layer + 1}, ` : ""}head ${head + 1}`;
        const note = element("span", { class: "weight" });
        const now = element("span", { class: "now" });
        const strip = element("span", { class: "strip" }, canvas, now);
        const button2 = element("button", { type: "button" }, element("span", { text: name }), strip, note);
        button2.addEventListener("click", () => this.choose({ layer, head }));
        return { layer, head, button: button2, canvas, note };
      })
    );
  }
  /** @param {Frame} frame @param {Plan} plan @param {Order} order @param {Selection & { head: number }} one */
  value(frame2, plan, order, one) {
    const values = this.known.get(frame2) ?? /* @__PURE__ */ new Map();
    this.known.set(frame2, values);
    const key = [order, one.kind, one.sentence, one.layer, one.head].join(" ");
    if (!values.has(key)) values.set(key, measured(plan, frame2, order, one));
    return values.get(key);
  }
  /** @param {Plan} plan @param {Frame[]} frames @param {import("./state.js").State} state @param {import("./scale.js").Table} table */
  draw(plan, frames, state, table) {
    this.make(plan, state.kind);
    const rows = this.strips.map((strip) => {
      const one = { ...state, layer: strip.layer, head: strip.head };
      return { strip, values: Float32Array.from(frames, (frame2) => this.value(frame2, plan, state.order, one)) };
    });
    const top = Math.max(...rows.map(({ values }) => largest(values))) || 1;
    const direction = state.order === "diagonality" ? -1 : 1;
    rows.sort((a, b) => direction * (a.values[frames.length - 1] - b.values[frames.length - 1]));
    for (const { strip, values } of rows) {
      paint(strip.canvas, values, frames.length, { table, low: 0, top });
      write(strip.note, values[state.at].toFixed(2));
    }
    set(this.element, { style: `--now:${(state.at + 0.5) / frames.length * 100}%` });
    const sorted = rows.map(({ strip }) => strip.button);
    if (sorted.some((button2, i) => button2 !== this.element.children[i])) this.element.replaceChildren(...sorted);
  }
};

// src/attnbook/widgets/js/attention/pickers.js
var VIEWS = [
  ["map", "Heatmap"],
  ["lines", "Lines"],
  ["text", "Text"],
  ["heads", "All heads"],
  ["table", "Table"]
];
function named(name, control) {
  control.input.dataset.control = name;
  return control;
}
function offer(control, list) {
  control.offer(list);
  control.element.hidden = list.length < 2;
}
var numbered = (count) => range(count).map((i) => (
  /** @type {[number, string]} */
  [i, String(i + 1)]
));
var Pickers = class {
  filled = -1;
  /** @param {Plan} plan @param {Change} change */
  constructor(plan, change) {
    this.plan = plan;
    const away = { pin: null, hover: null };
    this.sentence = named(
      "sentence",
      choice("sentence", [], (value) => change({ sentence: Number(value), ...away }))
    );
    this.kind = named(
      "kind",
      choice(
        "attention",
        [],
        (value) => change({ kind: Number(value), ...plan.first(Number(value)), order: "", ...away })
      )
    );
    this.layer = named(
      "layer",
      choice("layer", [], (value) => change({ layer: Number(value) }))
    );
    this.head = named(
      "head",
      choice("head", [], (value) => change({ head: value === "mean" || value === "max" ? value : Number(value) }))
    );
    this.views = VIEWS.map(([view, text]) => {
      const node = set(
        button(text, () => change({ view })),
        { "data-control": `view-${view}` }
      );
      return { view, node };
    });
    const views = { class: "views", role: "group", "aria-label": "Shown as" };
    this.element = element(
      "div",
      { class: "pickers" },
      ...[this.sentence, this.kind, this.layer, this.head].map((control) => control.element),
      element("div", views, ...this.views.map(({ node }) => node))
    );
    offer(
      this.sentence,
      plan.sentences.map(({ label: text }, i) => [i, short(text, 60)])
    );
    offer(
      this.kind,
      plan.kinds.map(({ label: text }, i) => [i, text])
    );
  }
  /** @param {State} state */
  show({ kind, sentence: sentence2, layer, head, view }) {
    const { heads, layers } = this.plan.kinds[kind];
    if (this.filled !== kind) {
      this.filled = kind;
      offer(this.layer, numbered(layers.length));
      const whole3 = this.plan.views.map((name) => (
        /** @type {[string, string]} */
        [name, `${name} over heads`]
      ));
      offer(this.head, heads > 1 ? [...whole3, ...numbered(heads)] : [[0, "1"]]);
    }
    this.sentence.show(sentence2);
    this.kind.show(kind);
    this.layer.show(layer);
    this.head.show(head);
    for (const { view: own, node } of this.views) {
      set(node, { "aria-pressed": String(own === view) });
      const away = { heads: heads * layers.length < 2, text: this.plan.sentences[sentence2].picture !== null };
      node.hidden = own in away && away[
        /** @type {"heads" | "text"} */
        own
      ];
    }
  }
};

// src/attnbook/widgets/js/attention/clean.js
var NO_WORD = /^(<[^<>]*>|\[[^[\]]*\]|[^\p{L}\p{N}]+)$/u;
function cleaned(weights, columns, { hide, least }) {
  const shown = columns.map((token2) => hide === "" || !NO_WORD.test(token2));
  if (least === 0 && shown.every(Boolean)) return weights;
  const found = weights.map((weight, i) => shown[i % columns.length] ? weight : 0);
  for (let start = 0; start < found.length; start += columns.length) {
    const row = found.subarray(start, start + columns.length);
    const rest = row.reduce((total, weight) => total + weight, 0);
    const scale = hide === "share" && rest > 0 ? 1 / rest : 1;
    row.forEach((weight, j) => {
      row[j] = weight * scale >= least ? weight * scale : 0;
    });
  }
  return found;
}

// src/attnbook/widgets/js/attention/state.js
function firstState(plan) {
  return {
    ...{ at: 0, follow: false, kind: 0, sentence: 0, ...plan.first(0), view: "map", gold: true },
    stretch: plan.columns(0, 0).length > 24,
    // among many tokens every weight is small
    ...{ pin: null, aim: null, hover: null, over: 0, curve: "loss" },
    ...{ compare: (
      /** @type {const} */
      ""
    ), otherStep: 0, other: "", difference: false },
    ...{ hide: (
      /** @type {const} */
      ""
    ), least: 0, order: (
      /** @type {const} */
      ""
    ) }
  };
}
var NONE = new Float32Array();
var Reader = class {
  /** @param {Plan} plan */
  constructor(plan) {
    this.plan = plan;
    this.known = /* @__PURE__ */ new Map();
    this.last = { a: NONE, b: NONE, least: 0, weights: NONE };
  }
  /** @param {import("./log.js").Frame} frame @param {State} state what of it is chosen, and how it is shown */
  matrix(frame2, { kind, sentence: sentence2, layer, head, hide, least }) {
    const key = [frame2.step, kind, sentence2, layer, head, hide, least].join(" ");
    const known = this.known.get(key);
    if (known?.frame === frame2) return known.weights;
    if (this.known.size > 8) this.known.clear();
    const whole3 = this.plan.matrix(frame2, { kind, sentence: sentence2, layer, head });
    const weights = cleaned(whole3, this.plan.columns(kind, sentence2), { hide, least });
    this.known.set(key, { frame: frame2, weights });
    return weights;
  }
  /** @param {Log} log @param {State} state @returns {Panel} */
  panel(log, state) {
    const { kind, sentence: sentence2 } = state;
    const read = () => this.matrix(log.frames[state.at], state);
    return {
      rows: this.plan.rows(kind, sentence2),
      columns: this.plan.columns(kind, sentence2),
      get weights() {
        return read();
      },
      gold: state.gold ? this.plan.gold(state) : /* @__PURE__ */ new Set(),
      caption: this.words(log, state).filter(Boolean).join(" · "),
      of: null
    };
  }
  /** What is in sight: a matrix, or two that are compared, or their difference. @param {Log} log @param {State} state */
  panels(log, state) {
    const changes = otherOf(this.plan, state, () => nearest(log.frames, state.otherStep));
    const own = this.panel(log, state);
    if (!changes) return [own];
    const there = { ...state, ...changes };
    const other = this.panel(log, there);
    if (!state.difference) return state.compare === "step" ? [other, own] : [own, other];
    const whole3 = { ...state, least: 0 };
    const pair = [whole3, { ...there, least: 0 }].map((each) => this.panel(log, each));
    const words = [state, there].map((each) => this.words(log, each));
    return [differ(pair, words, (a, b) => this.minus(a, b, state.least))];
  }
  /** Computed anew only where it is another. @param {Float32Array} a @param {Float32Array} b @param {number} least smaller differences become zero */
  minus(a, b, least) {
    const { last } = this;
    if (last.a !== a || last.b !== b || last.least !== least) {
      const weights = a.map((value, i) => Math.abs(value - b[i]) < least ? 0 : value - b[i]);
      this.last = { a, b, least, weights };
    }
    return this.last.weights;
  }
  /** Step, layer, head and what else is compared, in words; empty where there is no choice. @param {Log} log @param {State} state */
  words(log, { at, kind, sentence: sentence2, layer, head, compare }) {
    const { label: label2, layers, heads } = this.plan.kinds[kind];
    return [
      log.frames.length > 1 ? `step ${log.frames[at].step}` : "",
      compare === "kind" ? label2 : "",
      compare === "sentence" ? short(this.plan.sentences[sentence2].label, 40) : "",
      layers.length > 1 ? `layer ${layer + 1}` : "",
      heads > 1 ? typeof head === "number" ? `head ${head + 1}` : `${head} over heads` : ""
    ];
  }
  /** The ends of the scale of colours. @param {Log} log @param {State} state @param {Panel[]} panels */
  range(log, state, panels) {
    const top = this.top(log, state, panels);
    return { low: state.view !== "heads" && panels[0].of ? -top : 0, top };
  }
  /** The weight that has the last colour of the scale. @param {Log} log @param {State} state @param {Panel[]} panels */
  top(log, state, panels) {
    if (!state.stretch) return 1;
    if (state.view !== "heads") return Math.max(...panels.map(({ weights }) => largest(weights))) || 1;
    return SQUARES[largest(this.plan.allCodes(log.frames[state.at], state.kind, state.sentence))] || 1;
  }
};
function sentence({ row, column }, panel) {
  const { rows, columns, weights, gold, caption, of } = panel;
  const cell = row * columns.length + column;
  const [from, to] = [rows[row], columns[column]].map((token2) => visible(token2).slice(0, 80));
  const known = gold.has(cell) ? ", a gold link" : "";
  if (of) {
    const [now, then] = [of.own, of.other].map((panel2) => weightText(panel2.weights[cell]));
    const [own, other] = of.names;
    const by = writes(panel)(weights[cell]);
    return `“${from}” attends to “${to}” by ${by}: ${now} (${own}) against ${then} (${other})${known}`;
  }
  const which = caption ? ` (${caption})` : "";
  return `“${from}” attends to “${to}” with weight ${weightText(weights[cell])}${known}${which}`;
}
function longestSentence(panel) {
  const index = (tokens) => tokens.reduce((best, token2, i) => token2.length > tokens[best].length ? i : best, 0);
  const [row, column] = [index(panel.rows), index(panel.columns)];
  const gold = /* @__PURE__ */ new Set([row * panel.columns.length + column]);
  return sentence({ row, column }, { ...panel, weights: panel.weights, gold });
}
var belongs = (token2, row, column) => !token2 || (token2.axis === "row" ? row : column) === token2.index;

// src/attnbook/widgets/js/attention/more.js
var HIDES = [
  ["", "nothing"],
  ["blank", "<…>, [...] and punctuation"],
  ["share", "these, and share out the rest"]
];
var FILES = [
  ["svg", "Save SVG"],
  ["png", "Save PNG"],
  ["latex", "Save LaTeX"],
  ["json", "Save data as JSON"],
  ["link", "Copy link"],
  ["full", "Full screen"]
];
var More = class {
  filled = "";
  /** Steps of the frames. */
  steps = [0];
  /** @param {Plan} plan @param {Change} change @param {Saves} saves @param {boolean} onPage whose address the view may use */
  constructor(plan, change, saves2, onPage) {
    this.plan = plan;
    this.controls = { ...this.comparing(change), ...this.leaving(change) };
    for (const [name, control] of Object.entries(this.controls)) named(name, control);
    const offers = FILES.filter(([name]) => name !== "link" || onPage);
    const files = offers.map(([name, text]) => set(button(text, saves2[name]), { "data-control": name }));
    this.element = element(
      "details",
      { class: "more" },
      element("summary", { text: "More: compare, leave out, save" }),
      element("div", { class: "controls" }, ...Object.values(this.controls).map((control) => control.element)),
      element("div", { class: "pickers", role: "group", "aria-label": "Save" }, ...files)
    );
  }
  /** Controls of the second panel. @param {Change} change */
  comparing(change) {
    const orders = (value) => change({ order: (
      /** @type {State["order"]} */
      value
    ) });
    const compares = (value) => change({ compare: (
      /** @type {State["compare"]} */
      value
    ) });
    const says = (at) => `step ${this.steps[at]}`;
    const subtracts = (difference) => change({ difference, stretch: difference || firstState(this.plan).stretch });
    return {
      order: choice("order of heads", [], orders),
      compare: choice("compare with", [], compares),
      other: choice("the other", [], (other) => change({ other })),
      "other-step": slider("other step", { min: 0, max: 0, says }, (at) => change({ otherStep: this.steps[at] })),
      difference: checkbox("as a difference", subtracts)
    };
  }
  /** Controls of what is left out, and of the colours. @param {Change} change */
  leaving(change) {
    const pins = (value) => {
      const [axis, index] = value.split(" ");
      change({ pin: axis === "row" || axis === "column" ? { axis, index: Number(index) } : null });
    };
    const says = (weight) => `${Math.round(100 * weight)} %`;
    return {
      pin: choice("show only", [], pins),
      curve: choice("curve", [], (curve) => change({ curve })),
      hide: choice("leave out", HIDES, (value) => change({ hide: (
        /** @type {State["hide"]} */
        value
      ) })),
      least: slider("least weight", { min: 0, max: 0.5, step: 0.01, says }, (least) => change({ least })),
      stretch: checkbox("stretch colours to the largest weight", (stretch) => change({ stretch }))
    };
  }
  /** @param {Log} log @param {State} state */
  fill(log, state) {
    const { kind, sentence: sentence2, compare } = state;
    const names2 = Object.keys(log.series);
    const several = log.frames.length > 1;
    const filled = [kind, sentence2, compare, several, ...names2].join();
    if (filled === this.filled) return;
    this.filled = filled;
    const { plan, controls } = this;
    offer(controls.compare, comparable(plan, state, several));
    controls.other.offer(offered(plan, state));
    offer(
      controls.order,
      ORDERS.filter(([order]) => order !== "error" || plan.header.measured_gold[kind])
    );
    offer(
      controls.curve,
      names2.map((name) => [name, name])
    );
    const tokens = (axis, list) => list.map((text, i) => (
      /** @type {[string, string]} */
      [`${axis} ${i}`, `${axis}: ${label(text)}`]
    ));
    const [rows, columns] = [plan.rows(kind, sentence2), plan.columns(kind, sentence2)];
    controls.pin.offer([["", "all tokens"], ...tokens("row", rows), ...tokens("column", columns)]);
  }
  /** @param {Log} log @param {State} state */
  show(log, state) {
    this.fill(log, state);
    const { controls } = this;
    this.steps = log.frames.map(({ step }) => step);
    set(controls["other-step"].input, { max: log.frames.length - 1 });
    controls["other-step"].show(nearest(log.frames, state.otherStep));
    const { compare, view } = state;
    if (compare !== "" && compare !== "step") controls.other.show(state.other);
    controls.compare.show(compare);
    controls.difference.show(state.difference);
    controls.pin.show(state.pin ? `${state.pin.axis} ${state.pin.index}` : "");
    if (Object.keys(log.series).length) controls.curve.show(state.curve);
    controls.stretch.show(state.stretch);
    controls.hide.show(state.hide);
    controls.least.show(state.least);
    controls.order.show(state.order);
    const hidden = {
      ...{ other: compare === "" || compare === "step", "other-step": compare !== "step", difference: compare === "" },
      ...{ order: view !== "heads", hide: view === "heads", least: view === "heads" }
    };
    for (const [name, away] of Object.entries(hidden))
      controls[
        /** @type {keyof typeof hidden} */
        name
      ].element.hidden = away;
  }
};

// src/attnbook/widgets/js/attention/next.js
var NextTokens = class {
  constructor() {
    this.heading = element("p");
    this.bars = Array.from({ length: BEST }, () => {
      const name = element("bdi");
      const fill = element("span", { class: "fill" });
      const weight = element("span", { class: "weight" });
      const bar = element("div", { class: "bar" }, name, element("span", { class: "track" }, fill), weight);
      return { bar, name, fill, weight };
    });
    this.element = element("div", { class: "details next" }, this.heading, ...this.bars.map(({ bar }) => bar));
  }
  /**
   * @param {string} token whose row it is @param {boolean} written whether the row is a token that was to be written
   * @param {Likely[]} best @param {Record<string, string>} words by id
   */
  draw(token2, written, best, words) {
    write(this.heading, written ? `in place of ${label(token2)}` : `after ${label(token2)}`);
    this.bars.forEach(({ bar, name, fill, weight }, i) => {
      const { id, p } = best[i] ?? { id: 0, p: 0 };
      set(bar, { style: p > 0 ? null : "visibility:hidden" });
      write(name, label(Object.hasOwn(words, id) ? words[id] : `#${id}`, 16));
      write(weight, weightText(p));
      set(fill, { style: `width:${(100 * p).toFixed(1)}%` });
    });
  }
};

// src/attnbook/widgets/js/attention/overlay.js
var STRONGEST = 0.85;
function drawOver({ rows, columns, weights }, { axis, index }, { png, grid, before }, colours) {
  const [down, across] = grid;
  const seen = Float32Array.from(range(down * across), (patch) => {
    const [row, column] = axis === "row" ? [index, before + patch] : [before + patch, index];
    return weights[row * columns.length + column];
  });
  const shades2 = element("canvas", { width: across, height: down, "aria-hidden": "true" });
  const context = shades2.getContext("2d");
  const top = largest(seen) || 1;
  if (context) {
    seen.forEach((weight, patch) => {
      context.fillStyle = weight < 0 ? colours.query : colours.weight;
      context.globalAlpha = STRONGEST * Math.abs(weight) / top;
      context.fillRect(patch % across, Math.floor(patch / across), 1, 1);
    });
  }
  const own = element("bdi", { class: "subject", text: (axis === "row" ? rows : columns)[index] });
  const words = axis === "row" ? " attends to" : " is attended to by";
  const image = element("img", { src: png, alt: "The picture" });
  const over = element("div", { class: "over-picture" }, image, shades2);
  if (index >= before) over.append(frame(index - before, down, across));
  return [element("p", {}, own, words), over];
}
function frame(patch, down, across) {
  const [top, left] = [Math.floor(patch / across) / down, patch % across / across];
  const percent = (share2) => `${(100 * share2).toFixed(2)}%`;
  const place = `top:${percent(top)};left:${percent(left)};width:${percent(1 / across)};height:${percent(1 / down)}`;
  return element("span", { class: "patch", style: place });
}

// src/attnbook/widgets/js/attention/player.js
var calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
var Player = class {
  timer = 0;
  /** @type {IntersectionObserver | null} */
  sight = null;
  /** @param {() => { at: number, count: number }} where @param {(at: number) => void} go @param {() => void} changed */
  constructor(where, go, changed) {
    this.where = where;
    this.go = go;
    this.changed = changed;
  }
  get playing() {
    return this.timer !== 0;
  }
  play() {
    const { at, count } = this.where();
    if (count < 2 || this.playing) return;
    if (at === count - 1) this.go(0);
    this.timer = window.setInterval(() => this.step(), calm() ? 600 : clamp(8e3 / count, 60, 400));
    this.changed();
  }
  step() {
    const { at, count } = this.where();
    this.go(Math.min(at + 1, count - 1));
    if (at + 1 >= count - 1) this.pause();
  }
  /** Stops, and leaves the time to the reader from now on. */
  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.forget();
    this.changed();
  }
  /** Plays once most of an element is in sight; never where less motion is wanted. @param {Element} element */
  whenSeen(element2) {
    if (calm()) return;
    this.sight = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.forget();
        this.play();
      },
      { threshold: 0.6 }
    );
    this.sight.observe(element2);
  }
  forget() {
    this.sight?.disconnect();
    this.sight = null;
  }
};

// src/attnbook/widgets/js/attention/running.js
var SAID = 3;
var weightsOf = ({ rows, columns, weights }, { axis, index }) => axis === "row" ? weights.subarray(index * columns.length, (index + 1) * columns.length) : Float32Array.from(rows, (_, row) => weights[row * columns.length + index]);
function glance(panel, token2) {
  const [own, others] = token2.axis === "row" ? [panel.rows, panel.columns] : [panel.columns, panel.rows];
  const weights = weightsOf(panel, token2);
  const order = [...weights.keys()].sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a])).slice(0, SAID);
  const list = order.map((i) => `“${label(others[i])}” ${writes(panel)(weights[i])}`).join(", ");
  const verb = token2.axis === "row" ? "attends to" : "is attended to by";
  return `“${label(own[token2.index])}” ${verb} ${list}${panel.of ? ": differences" : ""}`;
}
function longestGlance({ rows, columns }) {
  const [row, ...others] = [rows, columns, columns, columns].map(
    (tokens) => tokens.reduce((best, token2) => label(token2).length > label(best).length ? token2 : best)
  );
  return `“${label(row)}” is attended to by ${others.map((token2) => `“${label(token2)}” +0.00`).join(", ")}: differences`;
}
var RunningText = class {
  /** @type {{ axis: "row" | "column", words: HTMLButtonElement[], line: HTMLElement }[]} */
  lines = [];
  made = "";
  /** @param {import("./heatmap.js").Hears} on */
  constructor(on) {
    this.on = on;
    this.caption = element("div", { class: "caption" });
    this.text = element("div");
    this.element = element("div", { class: "running-text" }, this.caption, this.text);
  }
  /** @param {Panel} panel @param {{ query: string, key: string, same: boolean }} names `same`: rows and columns are one text */
  make({ rows, columns }, { query, key, same }) {
    const made = JSON.stringify([rows, columns, same]);
    if (made === this.made) return;
    this.made = made;
    this.lines = same ? [this.line("row", rows, "text")] : [this.line("row", rows, query), this.line("column", columns, key)];
    const named2 = this.lines.map(
      ({ line, axis }) => same ? [line] : [element("div", { class: "side-name", text: axis === "row" ? query : key }), line]
    );
    this.text.replaceChildren(...named2.flat());
  }
  /** @param {"row" | "column"} axis @param {string[]} tokens @param {string} name */
  line(axis, tokens, name) {
    const spaces = spaced(tokens);
    const words = tokens.map(
      (token2) => element("button", { type: "button", class: "word", tabindex: -1, text: label(unmarked(token2)) })
    );
    const line = element("p", { role: "group", "aria-label": `${name}: choose a token` });
    for (const [i, word] of words.entries()) line.append(...spaces[i] ? [" ", word] : [word]);
    set(words[0], { tabindex: 0 });
    this.listen(line, axis, words);
    return { axis, words, line };
  }
  /** @param {HTMLElement} line @param {"row" | "column"} axis @param {HTMLButtonElement[]} words */
  listen(line, axis, words) {
    const at = ({ target }) => words.indexOf(
      /** @type {HTMLButtonElement} */
      target
    );
    const heard = (tell) => (event) => at(event) >= 0 && tell(at(event));
    line.addEventListener(
      "click",
      heard((index) => this.on.pin({ axis, index }))
    );
    for (const type of ["pointerover", "focusin"])
      line.addEventListener(
        type,
        heard((index) => this.on.aim({ axis, index }))
      );
    for (const type of ["pointerleave", "focusout"]) line.addEventListener(type, () => this.on.aim(null));
    line.addEventListener("keydown", (event) => {
      const last = words.length - 1;
      const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -last, End: last };
      if (event.key === "Escape") this.on.pin(null);
      else if (event.key in moves) {
        for (const word of words) set(word, { tabindex: -1 });
        const next = words[clamp(at(event) + moves[event.key], 0, last)];
        set(next, { tabindex: 0 }).focus();
      } else return;
      event.preventDefault();
    });
  }
  /**
   * @param {Panel} panel @param {Token} token whose weights are shown
   * @param {{ query: string, key: string, same: boolean, pin: Token | null, scale: import("./scale.js").Scale, caption: string }} how
   */
  draw(panel, token2, { pin, scale, caption, ...names2 }) {
    this.make(panel, names2);
    write(this.caption, caption);
    const weights = weightsOf(panel, token2);
    for (const { axis, words } of this.lines) {
      const tinted = names2.same || axis !== token2.axis;
      words.forEach((word, i) => {
        const own = i === token2.index && (names2.same || axis === token2.axis);
        const style = tinted ? tint(weights[i], scale) : null;
        const pinned = i === pin?.index && (names2.same || axis === pin.axis);
        set(word, { style, class: own ? "word own" : "word", "aria-pressed": String(pinned) });
      });
    }
  }
};
function tint(weight, scale) {
  const rgb = colourOf(weight, scale);
  const [red, green, blue] = rgb.map((c) => c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  return `background:rgb(${rgb.join(" ")});color:${light ? "#000" : "#fff"}`;
}

// src/attnbook/widgets/js/attention/marks.js
function drawMarks({ rows, columns, size, gold, pin = null, here = null }) {
  const marks = pin ? veils(pin, rows * size, columns * size, size) : [];
  const frame2 = (row, column, name, inset) => {
    const place = { x: column * size + inset, y: row * size + inset, rx: Math.min(3, size / 6) };
    const side = Math.max(1, size - 1 - 2 * inset);
    for (const kind of [`${name}-halo`, name])
      marks.push(svg("rect", { class: kind, ...place, width: side, height: side }));
  };
  for (const cell of gold) {
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    if (belongs(pin, row, column)) frame2(row, column, "gold", Math.min(1.5, size / 8));
  }
  if (here) frame2(here.row, here.column, "here", 0.5);
  return marks;
}
function veils({ axis, index }, height, width, size) {
  const [from, to] = [index * size, (index + 1) * size];
  const boxes = axis === "row" ? [
    { x: 0, y: 0, width, height: from },
    { x: 0, y: to, width, height: height - to }
  ] : [
    { x: 0, y: 0, width: from, height },
    { x: to, y: 0, width: width - to, height }
  ];
  return boxes.filter((box) => box.width > 0 && box.height > 0).map((box) => svg("rect", { class: "veil", ...box }));
}

// src/attnbook/widgets/js/attention/heatmap.js
var SLANT = 0.82;
var LONGEST = 110;
function measure(rows, columns, width, height) {
  const labelWidth = Math.min(Math.ceil(widest(rows, 13)) + 14, Math.max(90, width * 0.34));
  const slanted = Math.min(widest(columns, 13), LONGEST);
  const tail = Math.ceil(slanted * Math.cos(SLANT));
  const slantedHeight = Math.ceil(slanted * Math.sin(SLANT)) + 18;
  const room = width - labelWidth - 4;
  const fitting = (across, down) => Math.floor(Math.min((room - across) / columns.length, (height - down) / rows.length));
  const upright = clamp(fitting(0, 26), 10, 48);
  const flat = widest(columns, 13) + 8 <= upright;
  const size = flat ? upright : clamp(fitting(tail, slantedHeight), 10, 44);
  return {
    labelWidth,
    labelHeight: flat ? 26 : slantedHeight,
    tail: flat ? 0 : tail,
    flat,
    size,
    font: size < 14 ? 10 : 13
  };
}
var Heatmap = class {
  /** @type {string[]} */
  rows = [];
  /** @type {string[]} */
  columns = [];
  /** The cell that the keys are at. @type {Cell} */
  at = { row: 0, column: 0 };
  layout = measure([""], [""], 100, 100);
  fitted = "";
  /** @type {unknown[]} */
  painted = [];
  /** @param {Hears} on */
  constructor(on) {
    this.on = on;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.marks = svg("svg", { "aria-hidden": "true", class: "marks" });
    this.rowAxis = element("span", { class: "query" });
    this.columnAxis = element("span", { class: "key" });
    this.top = element("div", { class: "columns", "aria-hidden": "true" });
    this.left = element("div", { class: "rows", "aria-hidden": "true" });
    this.cell = element("div", { role: "gridcell", id: "cell" });
    this.row = element("div", { role: "row" }, this.cell);
    const grid = { role: "grid", tabindex: 0, class: "cells", "aria-activedescendant": "cell" };
    this.grid = element("div", grid, this.canvas, this.marks, this.row);
    this.caption = element("div", { class: "caption" });
    const axes = element("div", { class: "axes", "aria-hidden": "true" }, this.rowAxis, this.columnAxis);
    const corner = element("div", { class: "corner" });
    this.scroller = element("div", { class: "scroller" }, corner, this.top, this.left, this.grid);
    this.element = element("figure", { class: "heatmap" }, this.caption, axes, this.scroller);
    this.listen();
  }
  listen() {
    const { grid, on } = this;
    grid.addEventListener("pointermove", (event) => on.hover(this.place(event), this));
    grid.addEventListener("pointerdown", (event) => {
      this.at = this.place(event) ?? this.at;
      on.hover(this.place(event), this);
    });
    grid.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && on.hover(null, this));
    grid.addEventListener("focus", () => grid.matches(":focus-visible") && this.move(0, 0));
    grid.addEventListener("blur", () => on.hover(null, this));
    grid.addEventListener("keydown", (event) => this.key(event));
    for (
      const [side, axis] of
      /** @type {[HTMLElement, "row" | "column"][]} */
      [
        [this.top, "column"],
        [this.left, "row"]
      ]
    ) {
      const token2 = ({ target }) => {
        const node = (
          /** @type {Element} */
          target.closest(".token")
        );
        return node ? { axis, index: [...side.children].indexOf(node) } : null;
      };
      side.addEventListener("click", (event) => token2(event) && on.pin(token2(event)));
      side.addEventListener("pointermove", (event) => on.aim(token2(event)));
      side.addEventListener("pointerleave", () => on.aim(null));
    }
  }
  /** The cell under a pointer. @param {PointerEvent} event @returns {Cell | null} */
  place(event) {
    const box = this.grid.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / box.height * this.rows.length);
    const column = Math.floor((event.clientX - box.left) / box.width * this.columns.length);
    return row in this.rows && column in this.columns ? { row, column } : null;
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    const { row, column } = this.at;
    const [lastRow, lastColumn] = [this.rows.length - 1, this.columns.length - 1];
    const moves = {
      ...{
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        PageUp: [-5, 0],
        PageDown: [5, 0]
      },
      Home: [event.ctrlKey ? -row : 0, -column],
      End: [event.ctrlKey ? lastRow - row : 0, lastColumn - column]
    };
    if (event.key in moves) this.move(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ")
      this.on.pin(event.shiftKey ? { axis: "column", index: column } : { axis: "row", index: row });
    else if (event.key === "Escape") this.on.pin(null);
    else return;
    event.preventDefault();
  }
  /** Moves to another cell, and brings it into sight. @param {number} rows @param {number} columns */
  move(rows, columns) {
    this.at = {
      row: clamp(this.at.row + rows, 0, this.rows.length - 1),
      column: clamp(this.at.column + columns, 0, this.columns.length - 1)
    };
    this.on.hover(this.at, this);
    const { size, labelWidth, labelHeight } = this.layout;
    const { scroller } = this;
    const x = this.at.column * size;
    const y = this.at.row * size;
    scroller.scrollLeft = clamp(scroller.scrollLeft, x + size + labelWidth - scroller.clientWidth, x);
    scroller.scrollTop = clamp(scroller.scrollTop, y + size + labelHeight - scroller.clientHeight, y);
  }
  /**
   * Puts labels and sizes in place, if the tokens or the room for them have changed.
   *
   * @param {Panel} panel @param {{ width: number, height: number }} room
   * @param {{ name: string, query: string, key: string }} names of the whole and of its axes
   */
  fit({ rows, columns }, room, { name, query, key }) {
    set(this.grid, { "aria-label": name });
    write(this.rowAxis, `${query} ↓`);
    write(this.columnAxis, `${key} →`);
    const fitted = JSON.stringify([rows, columns, room]);
    if (fitted === this.fitted) return;
    Object.assign(this, { fitted, rows, columns });
    this.layout = measure(rows, columns, room.width, room.height);
    const { labelWidth, labelHeight, tail, flat, size } = this.layout;
    this.label();
    const [width, height] = [columns.length * size, rows.length * size];
    this.rowAxis.style.minWidth = `${labelWidth - 8}px`;
    this.scroller.style.gridTemplate = `${labelHeight}px ${height}px / ${labelWidth}px ${width + tail}px`;
    this.top.classList.toggle("flat", flat);
    this.grid.style.cssText = `width:${width}px;height:${height}px;--cell:${size >= 12 ? size : 1e5}px`;
    set(this.marks, { viewBox: `0 0 ${width} ${height}` });
    set(this.grid, { "aria-rowcount": rows.length, "aria-colcount": columns.length });
    const { row, column } = this.at;
    this.at = { row: Math.min(row, rows.length - 1), column: Math.min(column, columns.length - 1) };
  }
  label() {
    const { size, font, flat } = this.layout;
    const token2 = (text, style) => element("span", { class: "token", style }, element("bdi", { text: label(text), title: text.slice(0, 300) }));
    const left = (i) => flat ? `left:${i * size}px;width:${size}px` : `left:${(i + 0.5) * size}px`;
    this.left.replaceChildren(
      ...this.rows.map((text, i) => token2(text, `top:${i * size}px;height:${size}px;font-size:${font}px`))
    );
    this.top.replaceChildren(...this.columns.map((text, i) => token2(text, `${left(i)};font-size:${font}px`)));
  }
  /**
   * @param {Panel} panel
   * @param {{ pin: Token | null, hover: Cell | null, scale: import("./scale.js").Scale, caption: string }} how
   */
  draw(panel, { pin, hover, scale, caption }) {
    const { weights, gold } = panel;
    const { size } = this.layout;
    const { rows, columns } = this;
    const painted = [weights, scale.table, scale.low, scale.top];
    if (painted.some((value, i) => value !== this.painted[i])) paint(this.canvas, weights, columns.length, scale);
    this.painted = painted;
    write(this.caption, caption);
    const inside = hover && hover.row in rows && hover.column in columns ? hover : null;
    this.marks.replaceChildren(
      ...drawMarks({ rows: rows.length, columns: columns.length, size, gold, pin, here: inside })
    );
    this.light(inside, pin);
    const { row, column } = this.at;
    set(this.row, { "aria-rowindex": row + 1 });
    set(this.cell, { "aria-colindex": column + 1 });
    write(this.cell, writes(panel)(weights[row * columns.length + column]));
  }
  /** Marks the labels of what is pointed at and pinned. @param {Cell | null} hover @param {Token | null} pin */
  light(hover, pin) {
    for (
      const [side, axis] of
      /** @type {[HTMLElement, "row" | "column"][]} */
      [
        [this.left, "row"],
        [this.top, "column"]
      ]
    ) {
      const named2 = { lit: hover?.[axis], pinned: pin?.axis === axis ? pin.index : void 0 };
      for (const [name, index] of Object.entries(named2)) {
        side.querySelector(`.${name}`)?.classList.remove(name);
        if (index !== void 0) side.children[index]?.classList.add(name);
      }
    }
  }
};

// src/attnbook/widgets/js/attention/lines.js
var LEAST = 0.02;
var MOST2 = 3e3;
function places({ rows, columns }, width) {
  const most = Math.max(rows.length, columns.length);
  const height = Math.max(most * clamp(420 / most, 15, 26), 40);
  const side = Math.min(width * 0.32, 190);
  const [left, right] = [side, width - side];
  const y = (index, count) => (index + 0.5) / count * height;
  return {
    ...{ height, left, right, y },
    letters: Math.max(6, Math.floor(side / 9)),
    curve(cell) {
      const from = y(Math.floor(cell / columns.length), rows.length).toFixed(1);
      const to = y(cell % columns.length, columns.length).toFixed(1);
      const middle = (left + right) / 2;
      return `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}`;
    }
  };
}
function drawLines(panel, { pin, aim, top, width, colours }) {
  const { rows, columns, weights, gold } = panel;
  const place = places(panel, width);
  const focus = aim ?? pin;
  const seen = (i) => belongs(focus, Math.floor(i / columns.length), i % columns.length);
  const cells = [...weights.keys()].filter((i) => Math.abs(weights[i]) >= LEAST * top && seen(i));
  cells.sort((a, b) => Math.abs(weights[a]) - Math.abs(weights[b]));
  const lines = cells.slice(-MOST2).map((i) => {
    const strength = Math.min(1, Math.abs(weights[i]) / top);
    const less = weights[i] < 0;
    const look = {
      "stroke-width": (0.7 + 4.3 * strength).toFixed(2),
      "stroke-opacity": (0.1 + 0.9 * strength).toFixed(3)
    };
    const stroke = less ? colours.query : colours.weight;
    const dashes2 = less ? { "stroke-dasharray": "8 3" } : {};
    return svg("path", { class: "line", d: place.curve(i), fill: "none", stroke, ...look, ...dashes2 });
  });
  const dashes = { fill: "none", stroke: colours.query, "stroke-width": 1.6, "stroke-dasharray": "2 4" };
  const golden = [...gold].filter(seen).map((i) => svg("path", { class: "gold-line", d: place.curve(i), ...dashes }));
  const names2 = (tokens, axis) => tokens.map((text, index) => {
    const [x, anchor] = axis === "row" ? [place.left - 8, "end"] : [place.right + 8, "start"];
    const own = { "data-axis": axis, "data-index": index, text: label(text, place.letters) };
    const font = { "font-size": 13.5, "font-family": FONT, fill: colours.ink };
    const weight = focus?.axis === axis && focus.index === index ? 700 : 400;
    const y = place.y(index, tokens.length) + 4.5;
    const name = svg("text", { class: "token", x, y, "text-anchor": anchor, ...font, "font-weight": weight, ...own });
    name.append(svg("title", { text: text.slice(0, 300) }));
    return name;
  });
  const size = { viewBox: `0 0 ${width} ${place.height}`, width, height: place.height };
  return svg(
    "svg",
    { class: "lines", ...size },
    ...lines,
    ...golden,
    ...names2(rows, "row"),
    ...names2(columns, "column")
  );
}
function renewLines(old, fresh) {
  const [tokens, wanted] = [old, fresh].map((drawing2) => [...drawing2.querySelectorAll(".token")]);
  const text = (drawing2, names2) => [drawing2.getAttribute("viewBox"), ...names2.map((name) => name.textContent)].join("\n");
  if (text(old, tokens) !== text(fresh, wanted)) return false;
  for (const line of old.querySelectorAll(".line, .gold-line")) line.remove();
  old.prepend(...fresh.querySelectorAll(".line, .gold-line"));
  tokens.forEach((token2, i) => {
    for (const name of ["font-weight", "fill"]) set(token2, { [name]: wanted[i].getAttribute(name) });
  });
  return true;
}

// src/attnbook/widgets/js/attention/exports.js
var LARGE2 = 1e4;
function heatmap({ rows, columns, weights, gold, caption }, { scale, colours }, { size, labels, canvas }) {
  const left = labels ? widest(rows, 12) + 10 : 0;
  const above = (labels ? widest(columns, 12) * Math.sin(SLANT) + 16 : 0) + (caption ? 22 : 0);
  const place = (i) => ({
    x: left + i % columns.length * size,
    y: above + Math.floor(i / columns.length) * size
  });
  const group = svg("g", { "font-family": FONT, "font-size": 12, fill: colours.ink });
  if (caption) group.append(svg("text", { x: left, y: 13, "font-weight": 600, text: caption }));
  if (weights.length > LARGE2) {
    const whole3 = { x: left, y: above, width: columns.length * size, height: rows.length * size };
    const style = { preserveAspectRatio: "none", style: "image-rendering:pixelated" };
    group.append(svg("image", { ...whole3, href: canvas.toDataURL(), ...style }));
  } else {
    const box = { width: size - 0.75, height: size - 0.75 };
    weights.forEach((weight, i) => {
      const fill = cssColour(weight, scale);
      group.append(svg("rect", { ...place(i), ...box, fill, "data-weight": weight.toFixed(4) }));
    });
  }
  const frame2 = { width: size - 3.75, height: size - 3.75, fill: "none", stroke: colours.query, "stroke-width": 2 };
  for (const i of gold) group.append(svg("rect", { x: place(i).x + 1.5, y: place(i).y + 1.5, ...frame2 }));
  const right = labels ? widest(columns, 12) * Math.cos(SLANT) : 0;
  if (labels) group.append(...names(rows, columns, left, above, size));
  return { group, width: left + columns.length * size + right, height: above + rows.length * size };
}
function names(rows, columns, left, above, size) {
  const turn = `rotate(${-SLANT * 180 / Math.PI})`;
  return [
    ...rows.map(
      (token2, i) => svg("text", { x: left - 6, y: above + (i + 0.5) * size + 4, "text-anchor": "end", text: label(token2) })
    ),
    ...columns.map((token2, i) => {
      const transform = `translate(${left + (i + 0.5) * size + 3} ${above - 6}) ${turn}`;
      return svg("text", { transform, text: label(token2) });
    })
  ];
}
function sheet(rows, title, paper) {
  let [wide, y] = [0, 12];
  const groups = [];
  for (const row of rows) {
    let x = 12;
    for (const { group, width: width2 } of row) {
      group.setAttribute("transform", `translate(${x} ${y})`);
      groups.push(group);
      x += width2 + 24;
    }
    wide = Math.max(wide, x);
    y += Math.max(...row.map(({ height: height2 }) => height2)) + 20;
  }
  const [width, height] = [Math.ceil(wide), Math.ceil(y - 8)];
  const size = { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height };
  const ground = svg("rect", { width: "100%", height: "100%", fill: paper });
  return svg("svg", size, svg("title", { text: title }), ground, ...groups);
}
function drawing(state, panels, look, title, { layers, heads, head, canvases }) {
  if (state.view === "heads") {
    const rows = range(layers).map(
      (l) => range(heads).map((h) => {
        const panel = head(l, h);
        const size = clamp(150 / panel.columns.length, 2, 14);
        const tile = heatmap(panel, look, { size, labels: false, canvas: canvases[l * heads + h] });
        return { ...tile, width: Math.max(tile.width, textWidth(panel.caption, 12)) };
      })
    );
    return sheet(rows, title, look.colours.paper);
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
      colours: look.colours
    });
    return { group: svg("g", {}, ...lines.children), width: 560, height: Number(lines.getAttribute("height")) };
  });
  return sheet([placed], title, look.colours.paper);
}
function data(plan, log, sentence2) {
  const { label: text, axes, gold } = plan.sentences[sentence2];
  const rounded = (value) => Number.isFinite(value) ? +value.toPrecision(4) : null;
  const series = [["step", log.points], .../** @type {[string, number[]][]} */
  Object.entries(log.series)];
  const matrix = (frame2, selection) => {
    const weights = plan.matrix(frame2, selection);
    const width = plan.columns(selection.kind, sentence2).length;
    return plan.rows(selection.kind, sentence2).map((_, row) => Array.from(weights.subarray(row * width, (row + 1) * width), rounded));
  };
  return {
    title: plan.header.title,
    note: "Weights are kept in one byte, round(255 sqrt(weight)): they are right to 0.004.",
    sentence: text,
    tokens: axes,
    gold,
    series: Object.fromEntries(series.map(([name, values]) => [
      name,
      /** @type {number[]} */
      values.map(rounded)
    ])),
    attention: plan.kinds.map(({ label: name, query, key, layers, heads }, kind) => ({
      ...{ kind: name, rows: query, columns: key, layers },
      steps: log.frames.map((frame2) => ({
        step: frame2.step,
        weights: layers.map((_, layer) => range(heads).map((head) => matrix(frame2, { kind, sentence: sentence2, layer, head })))
      }))
    }))
  };
}
function latex(panels, { scale }) {
  const tables2 = panels.map(({ rows, columns, weights, caption }) => {
    const head = columns.map((token2) => `\\rotatebox{60}{${escaped(token2)}}`);
    const lines = rows.map((token2, row) => {
      const cells = columns.map((_, column) => {
        const weight = weights[row * columns.length + column];
        return `\\cellcolor[RGB]{${colourOf(weight, scale).join()}}`;
      });
      return [escaped(token2), ...cells].join(" & ");
    });
    const body = [["", ...head].join(" & "), ...lines].map((line) => `  ${line} \\\\`);
    return [
      ...caption ? [`% ${caption}`] : [],
      `\\begin{tabular}{r*{${columns.length}}{p{1em}}}`,
      ...body,
      "\\end{tabular}"
    ].join("\n");
  });
  return `${["% \\usepackage[table]{xcolor} \\usepackage{graphicx}", ...tables2].join("\n\n")}
`;
}
var NAMED = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}"
};
var escaped = (text) => label(text).replace(/[\\~^<>]|[&%$#_{}]/g, (letter) => NAMED[letter] ?? `\\${letter}`);
function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
}
var svgBlob = (picture) => new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
async function pngBlob(picture) {
  const url = URL.createObjectURL(svgBlob(picture));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = element("canvas", { width: Math.ceil(image.width * 2), height: Math.ceil(image.height * 2) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise(
      (resolve, reject) => canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("there is no picture")), "image/png")
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

// src/attnbook/widgets/js/attention/saves.js
function saves(view) {
  const name = () => {
    const { frames } = view.log;
    return `attention${frames.length > 1 ? `-step-${frames[view.state.at].step}` : ""}`;
  };
  return {
    svg: () => download(`${name()}.svg`, svgBlob(whole(view))),
    png: async () => download(`${name()}.png`, await pngBlob(whole(view))),
    latex: () => {
      const panels = view.reader.panels(view.log, view.state);
      const text = latex(panels, view.look(panels, "light"));
      download(`${name()}.tex`, new Blob([text], { type: "application/x-tex" }));
    },
    json: () => {
      const text = JSON.stringify(data(view.plan, view.log, view.state.sentence));
      download("attention.json", new Blob([text], { type: "application/json" }));
    },
    link: async () => view.card.say(await view.address.copy(view.text())),
    full: () => document.fullscreenElement ? document.exitFullscreen() : view.card.host.requestFullscreen()
  };
}
function whole(view) {
  const { log, plan, reader, stage } = view;
  const strips = view.state.view === "heads" && view.state.order !== "";
  const state = strips ? { ...view.state, view: (
    /** @type {const} */
    "map"
  ) } : view.state;
  const panels = reader.panels(log, state);
  const { layers, heads, label: label2 } = plan.kinds[state.kind];
  const title = `${plan.header.title}: ${label2}, ${panels.map(({ caption }) => caption).join(" and ")}`;
  return drawing(state, panels, view.look(panels, view.theme), title, {
    layers: layers.length,
    heads,
    head: (layer, head) => reader.panel(log, { ...state, layer, head }),
    canvases: stage.canvases(state)
  });
}

// src/attnbook/widgets/js/attention/sent.js
var whole2 = (text) => /^\d{1,9}$/.test(text) ? Number(text) : void 0;
var share = (text) => /^0(\.\d{1,6})?$/.test(text) ? Number(text) : void 0;
var flag = (text) => text === "true" || text === "false" ? text === "true" : void 0;
var oneOf = (...values) => (text) => values.includes(text) ? text : void 0;
var token = (text) => {
  const [, axis, index] = /^(row|column) (\d{1,5})$/.exec(text) ?? [];
  return axis ? { axis, index: Number(index) } : void 0;
};
var READ = {
  step: whole2,
  kind: whole2,
  sentence: whole2,
  layer: whole2,
  head: (text) => text === "mean" || text === "max" ? text : whole2(text),
  view: oneOf("map", "lines", "text", "heads", "table"),
  pin: token,
  compare: oneOf("step", "head", "sentence", "kind"),
  other: (text) => /^\d{1,5}( \d{1,5})?$/.test(text) ? text : void 0,
  otherStep: whole2,
  difference: flag,
  hide: oneOf("blank", "share"),
  least: share,
  order: oneOf("entropy", "error", "diagonality", "distance"),
  curve: (text) => text.slice(0, 100),
  stretch: flag,
  gold: flag
};
function toText(state, first2, step) {
  const text = (value) => value?.axis ? `${value.axis} ${value.index}` : String(value);
  const changed = Object.keys(READ).flatMap((key) => {
    const [now, then] = [state, first2].map((each) => text(each[
      /** @type {keyof State} */
      key
    ]));
    return now === then ? [] : [[key, now]];
  });
  return Object.fromEntries([["step", String(step)], ...changed]);
}
function fromText(text, plan, first2) {
  const found = {};
  for (const [key, read] of Object.entries(READ))
    if (text && Object.hasOwn(text, key) && read(text[key]) !== void 0) found[key] = read(text[key]);
  if (!(found.kind < plan.kinds.length)) delete found.kind;
  if (!(found.sentence < plan.sentences.length)) delete found.sentence;
  const state = { ...first2, ...found };
  const { kind, sentence: sentence2 } = state;
  const tokens = state.pin?.axis === "row" ? plan.rows(kind, sentence2) : plan.columns(kind, sentence2);
  if (state.pin && state.pin.index >= tokens.length) delete found.pin;
  if (state.order === "error" && !plan.header.measured_gold[kind]) delete found.order;
  if (state.view === "heads" && plan.kinds[kind].heads * plan.kinds[kind].layers.length < 2) delete found.view;
  const { compare, other } = sound(plan, state);
  return Object.keys(found).length ? { ...found, ...plan.within(kind, state), compare, other } : {};
}

// src/attnbook/widgets/js/attention/tiles.js
var CELL = 10;
var Tiles = class {
  /** @type {{ layer: number, head: number, canvas: HTMLCanvasElement, marks: SVGSVGElement, note: HTMLElement }[]} */
  tiles = [];
  made = "";
  /** @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(choose) {
    this.element = element("div", { class: "tiles" });
    this.choose = choose;
  }
  /** @param {import("./plan.js").Plan} plan @param {import("./state.js").State} state */
  make(plan, { kind, sentence: sentence2 }) {
    const made = `${kind} ${sentence2}`;
    if (made === this.made) return;
    this.made = made;
    this.tiles = [];
    const [rows, columns] = [plan.rows(kind, sentence2).length, plan.columns(kind, sentence2).length];
    const { layers, heads } = plan.kinds[kind];
    const groups = layers.map((_, layer) => {
      const buttons = range(heads).map((head) => this.tile(layer, head, rows, columns));
      const caption = element("div", { class: "caption", text: layers.length > 1 ? `layer ${layer + 1}` : "" });
      const group = { role: "group", class: "layer", "aria-label": `Layer ${layer + 1}` };
      return element("div", group, caption, element("div", { class: "row" }, ...buttons));
    });
    this.element.replaceChildren(...groups);
  }
  /** @param {number} layer @param {number} head @param {number} rows @param {number} columns */
  tile(layer, head, rows, columns) {
    const canvas = element("canvas", { "aria-hidden": "true", style: `aspect-ratio:${columns}/${rows}` });
    const size = { viewBox: `0 0 ${columns * CELL} ${rows * CELL}`, preserveAspectRatio: "none" };
    const marks = svg("svg", { class: "marks", "aria-hidden": "true", ...size });
    const note = element("span");
    this.tiles.push({ layer, head, canvas, marks, note });
    const button2 = element("button", { type: "button", class: "tile" }, element("div", {}, canvas, marks), note);
    button2.addEventListener("click", () => this.choose({ layer, head }));
    return button2;
  }
  /**
   * @param {import("./plan.js").Plan} plan @param {import("./log.js").Frame} frame @param {import("./state.js").State} state
   * @param {import("./scale.js").Scale} scale
   */
  draw(plan, frame2, state, scale) {
    this.make(plan, state);
    const columns = plan.columns(state.kind, state.sentence).length;
    const rows = plan.rows(state.kind, state.sentence).length;
    const gold = state.gold ? plan.gold(state) : /* @__PURE__ */ new Set();
    for (const { layer, head, canvas, marks, note } of this.tiles) {
      const one = { ...state, layer, head };
      paint(canvas, plan.codes(frame2, one, head), columns, scale);
      marks.replaceChildren(...drawMarks({ rows, columns, size: CELL, gold }));
      const error = plan.measure(frame2, "error", one);
      write(note, `head ${head + 1}${Number.isFinite(error) ? ` · AER ${error.toFixed(2)}` : ""}`);
    }
  }
};

// src/attnbook/widgets/js/attention/stage.js
var AXES = {
  source: "source",
  target_out: "target",
  target_in: "target so far"
};
var axisNames = ({ query, key }) => ({
  query: query in AXES ? `queries: ${AXES[query]}` : "queries",
  key: key in AXES ? `keys: ${AXES[key]}` : "keys"
});
var Stage = class {
  /** @param {import("./plan.js").Plan} plan @param {import("./heatmap.js").Hears} on @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(plan, on, choose) {
    this.plan = plan;
    this.maps = [new Heatmap(on), new Heatmap(on)];
    this.texts = [new RunningText(on), new RunningText(on)];
    this.tiles = new Tiles(choose);
    this.overview = new Overview(choose);
    this.element = element("div", { class: "stage" });
    for (const type of ["click", "pointerover", "pointerout"])
      this.element.addEventListener(type, ({ target }) => {
        const { axis, index } = (
          /** @type {SVGElement} */
          target.dataset
        );
        if (axis !== "row" && axis !== "column") return;
        const token2 = (
          /** @type {import("./state.js").Token} */
          { axis, index: Number(index) }
        );
        if (type === "click") on.pin(token2);
        else on.aim(type === "pointerover" ? token2 : null);
      });
  }
  /** Canvases that are in sight, for a drawing of them. @param {State} state */
  canvases(state) {
    return (state.view === "heads" ? this.tiles.tiles : this.maps).map(({ canvas }) => canvas);
  }
  /**
   * @param {State} state @param {Panel[]} panels
   * @param {{ frames: import("./log.js").Frame[], scale: import("./scale.js").Scale, theme: Theme, width: number, height: number }} how
   *   `width` and `height`: room for each panel
   */
  draw(state, panels, how) {
    if (state.view === "heads" && state.order) {
      this.overview.draw(this.plan, how.frames, state, how.scale.table);
      this.put([this.overview.element]);
    } else if (state.view === "heads") {
      this.tiles.draw(this.plan, how.frames[state.at], state, how.scale);
      this.put([this.tiles.element]);
    } else if (state.view === "table") this.element.replaceChildren(...panels.map(drawTable));
    else if (state.view === "lines") this.lines(state, panels, how);
    else if (state.view === "text") this.running(state, panels, how);
    else this.heatmaps(state, panels, how);
  }
  /** @param {State} state @param {Panel[]} panels @param {Parameters<Stage["draw"]>[2]} how */
  heatmaps(state, panels, { scale, width, height }) {
    const { title } = this.plan.header;
    panels.forEach((panel, i) => {
      const name = `Attention weights${panel.of ? ", difference" : ""}, ${panel.caption || title}`;
      const hover = state.over === i ? state.hover : null;
      const caption = panels.length > 1 || panel.of ? panel.caption : "";
      this.maps[i].fit(panel, { width, height }, { name, ...axisNames(this.plan.kinds[state.kind]) });
      this.maps[i].draw(panel, { pin: state.pin, hover, scale, caption });
    });
    this.put(this.maps.slice(0, panels.length).map((map) => map.element));
  }
  /** @param {State} state @param {Panel[]} panels @param {Parameters<Stage["draw"]>[2]} how */
  lines(state, panels, { scale, width, theme }) {
    const look = { pin: state.pin, aim: state.aim, top: scale.top, width, colours: COLOURS[theme] };
    const drawings = panels.map((panel) => drawLines(panel, look));
    const there = [...this.element.querySelectorAll(".lines")];
    const renewed = there.length === drawings.length && drawings.every((drawing2, i) => renewLines(there[i], drawing2));
    if (!renewed) {
      const figure = { class: "scroller", tabindex: 0, role: "img" };
      const figures = drawings.map(
        (drawing2) => element("figure", figure, element("div", { class: "caption" }), drawing2)
      );
      this.element.replaceChildren(...figures);
    }
    panels.forEach(({ caption, of }, i) => {
      const figure = this.element.children[i];
      set(figure, { "aria-label": `Lines between tokens, ${caption}` });
      write(figure.children[0], panels.length > 1 || of ? caption : "");
    });
  }
  /** The token whose weights are shown. @param {State} state @param {Panel} panel @returns {import("./state.js").Token} */
  token({ hover, aim, pin }, { rows }) {
    return aim ?? pin ?? { axis: "row", index: Math.min(hover?.row ?? this.maps[0].at.row, rows.length - 1) };
  }
  /** @param {State} state @param {Panel[]} panels @param {Parameters<Stage["draw"]>[2]} how */
  running(state, panels, { scale }) {
    const kind = this.plan.kinds[state.kind];
    const names2 = { ...axisNames(kind), same: kind.query === kind.key };
    panels.forEach((panel, i) => {
      const caption = panels.length > 1 || panel.of ? panel.caption : "";
      this.texts[i].draw(panel, this.token(state, panel), { ...names2, pin: state.pin, scale, caption });
    });
    this.put(this.texts.slice(0, panels.length).map((text) => text.element));
  }
  /** Shows these elements, and leaves alone what is there already. @param {Element[]} elements */
  put(elements) {
    const there = [...this.element.children];
    if (elements.length !== there.length || elements.some((node, i) => node !== there[i]))
      this.element.replaceChildren(...elements);
  }
};

// src/attnbook/widgets/js/attention/style.js
var STYLE2 = `
.attention { max-width: none; overflow: hidden; --halo: var(--paper); }
:host(:fullscreen) { overflow: auto; background: Canvas; }
.attention figure { margin: 0; }
.progress-text { margin-left: auto; color: var(--muted); font-size: 12.5px; font-variant-numeric: tabular-nums; }
.running { flex: 0 1 140px; display: flex; }
progress { width: 100%; height: 6px; accent-color: var(--weight); }
.hint { color: var(--muted); padding: 24px 0; text-align: center; }
.pickers { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: end; }
.pickers .field select { width: auto; max-width: 190px; }
.views { display: inline-flex; }
.views button { border-radius: 0; margin-left: -1px; }
.views button:first-child { border-radius: 6px 0 0 6px; }
.views button:last-child { border-radius: 0 6px 6px 0; }
.views button[aria-pressed=true] { background: var(--weight); border-color: var(--weight); color: var(--paper); }
.more { margin-top: 4px; }
.more summary { cursor: pointer; color: var(--muted); font-size: 13px; padding: 4px 0; width: fit-content; }
.more .controls { grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); margin: 4px 0; align-items: start; }
.more .check { align-self: end; }
.transport { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; margin: 2px 0 4px; }
.transport button { padding: 2px 7px; }
.transport input { flex: 1 1 60px; min-width: 60px; margin: 0 6px; }
.transport svg { width: 14px; height: 14px; fill: currentColor; display: block; }
.step { font-weight: 600; font-variant-numeric: tabular-nums; text-align: right; }
.main { display: flex; gap: 8px 20px; align-items: start; }
.stacked .side { max-width: none; }
.main.stacked { display: grid; grid-template-columns: minmax(0, 1fr); }
.stage { flex: 0 1 auto; display: flex; flex-wrap: wrap; gap: 12px 20px; min-width: 0; }
.stage.full { flex-grow: 1; }
.side { flex: 1 1 0; display: grid; gap: 10px; min-width: 236px; max-width: 480px; }
.stage.full + .side { flex: 0 0 236px; }
.stage > * { min-width: 0; max-width: 100%; }
.caption { font-size: 12.5px; font-weight: 600; color: var(--muted); margin-bottom: 2px; }
.caption:empty { display: none; }
.axes { display: flex; gap: 8px; font-size: 12px; font-weight: 600; white-space: nowrap; }
.axes .query { color: var(--query); text-align: right; }
.axes .key { color: var(--key); }
.scroller { display: grid; overflow: auto; max-height: min(78vh, 720px); max-width: 100%; justify-content: start; overscroll-behavior: auto; }
figure.scroller { display: block; }
.corner { position: sticky; left: 0; top: 0; z-index: 3; background: var(--paper); }
.columns { position: sticky; top: 0; z-index: 2; background: var(--paper); }
.rows { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.token { white-space: nowrap; cursor: pointer; }
.columns .token, .rows .token { position: absolute; line-height: 1; }
.rows .token { right: 0; left: 0; display: flex; align-items: center; justify-content: flex-end; padding-right: 7px; }
.rows bdi { overflow: hidden; text-overflow: ellipsis; line-height: 1.3; }
.columns .token { bottom: 3px; transform-origin: 0 100%; transform: rotate(-${SLANT}rad); padding-left: 3px; }
.columns bdi { display: inline-block; max-width: 112px; overflow: hidden; text-overflow: ellipsis; line-height: 1.3; vertical-align: bottom; }
.columns.flat .token { transform: none; text-align: center; padding: 0 0 2px; }
.token:hover bdi { text-decoration: underline; text-underline-offset: 3px; }
.token.lit bdi, .token.pinned bdi { color: var(--weight); -webkit-text-stroke: 0.4px; }
.token.pinned bdi { text-decoration: underline; text-underline-offset: 3px; }
.cells { position: relative; background: var(--edge); cursor: crosshair; }
.cells:focus-visible, .table:focus-visible, figure:focus-visible { outline-offset: -2px; }
.cells canvas { position: absolute; inset: 0; width: 100%; height: 100%; image-rendering: pixelated; }
.cells::after { content: ""; position: absolute; inset: 0; pointer-events: none; background:
  repeating-linear-gradient(90deg, transparent 0 calc(var(--cell) - 1px), var(--paper) calc(var(--cell) - 1px) var(--cell)),
  repeating-linear-gradient(transparent 0 calc(var(--cell) - 1px), var(--paper) calc(var(--cell) - 1px) var(--cell)); }
.attention .marks { position: absolute; inset: 0; width: 100%; height: 100%; z-index: 1; pointer-events: none; }
.cells [role=row] { position: absolute; opacity: 0; pointer-events: none; }
.marks rect { fill: none; }
.marks .veil { fill: var(--paper); fill-opacity: 0.86; }
.gold-halo, .here-halo { stroke: var(--halo); stroke-width: 4; }
.marks .gold { stroke: var(--query); stroke-width: 2; }
.marks .here { stroke: var(--ink); stroke-width: 2; }
.figure svg.lines { width: auto; max-width: 100%; }
.figure svg text[font-weight="700"] { font-weight: 700; }
.lines .token:hover { text-decoration: underline; }
.running-text { width: 100%; line-height: 2; font-size: 16px; }
.running-text .side-name { font-size: 12px; font-weight: 600; line-height: 1; color: var(--query); }
.running-text p + .side-name { color: var(--key); }
.running-text p { margin: 4px 0 10px; overflow-wrap: anywhere; }
.word { min-width: 24px; min-height: 28px; padding: 0 4px; font-size: inherit; line-height: 1.5; background: none; border: 0; border-radius: 4px; }
.word.own { box-shadow: inset 0 0 0 2px var(--query); }
.word[aria-pressed=true] { text-decoration: underline; text-underline-offset: 4px; }
.tiles { width: 100%; display: grid; gap: 6px; max-height: min(78vh, 720px); overflow: auto; padding: 2px; box-sizing: border-box; }
.tiles .row { display: grid; grid-template-columns: repeat(auto-fill, minmax(112px, 1fr)); gap: 8px; }
.tile { display: flex; flex-direction: column; gap: 4px; padding: 6px; text-align: left; font-size: 11.5px; color: var(--muted); }
.tile > div { position: relative; width: 100%; }
.tile canvas { width: 100%; image-rendering: pixelated; border-radius: 2px; display: block; max-height: 180px; }
.tile .gold { stroke-width: 1.5; }
.tile .gold-halo { stroke-width: 3; }
.overview { width: 100%; display: grid; gap: 2px; max-height: min(78vh, 720px); overflow: auto; padding: 2px; box-sizing: border-box; }
.overview button { display: grid; grid-template-columns: 8em minmax(0, 1fr) 3em; gap: 8px; align-items: center; text-align: left; font-size: 12.5px; }
.strip { position: relative; height: 16px; }
.strip canvas { width: 100%; height: 100%; image-rendering: pixelated; display: block; }
.now { position: absolute; top: -2px; bottom: -2px; left: var(--now); border-left: 2px solid var(--ink); }
.figure svg.curves { width: 100%; touch-action: pan-y; cursor: ew-resize; }
.curves .grid { stroke: var(--edge); stroke-width: 1; }
.figure svg text.tick { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.curve.scalar, .dot.scalar { stroke: var(--weight); }
.curve.error, .dot.error { stroke: var(--query); }
.curve.entropy, .dot.entropy { stroke: var(--value); }
.dot { fill: var(--paper); stroke-width: 2; }
.figure svg text.name { font-size: 12px; font-weight: 600; font-variant-numeric: tabular-nums; }
.figure svg text.name.scalar { fill: var(--weight); }
.figure svg text.name.error { fill: var(--query); }
.figure svg text.name.entropy { fill: var(--value); }
.playhead { stroke: var(--ink); stroke-width: 1; stroke-opacity: 0.55; }
.figure svg text.over { fill: var(--muted); font-size: 11px; }
.curves .ticks { stroke: var(--muted); stroke-opacity: 0.6; }
.details { box-sizing: border-box; background: var(--fill); border-radius: 8px; padding: 8px 12px; font-size: 13px; line-height: 22px;
  height: calc(22px * (var(--bars) + 1) + 20px); overflow: hidden; }
.details.next { --bars: 5; }
.details p { margin: 0 0 4px; color: var(--muted); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.subject { color: var(--ink); font-weight: 650; }
.bar { display: grid; grid-template-columns: minmax(0, 76px) 1fr 40px 10px; gap: 6px; align-items: center; }
.bar bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
.track { height: 8px; background: var(--edge); border-radius: 4px; overflow: hidden; }
.fill { display: block; height: 100%; background: var(--weight); }
.fill.less { background: var(--query); }
.weight { text-align: right; font-variant-numeric: tabular-nums; }
.golden { color: var(--query); font-size: 11px; }
.details:has(.over-picture) { height: auto; }
.over-picture { position: relative; max-width: 224px; }
.over-picture img, .over-picture canvas { display: block; width: 100%; image-rendering: pixelated; }
.over-picture canvas { position: absolute; inset: 0; height: 100%; }
.patch { position: absolute; box-sizing: border-box; border: 2px solid var(--query); }
.foot { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; margin-top: 4px; }
.figure .legend { width: 168px; }
.legend .frame { fill: none; stroke: var(--edge); }
.table { overflow: auto; max-height: min(78vh, 560px); max-width: 100%; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 4px; }
th, td { padding: 2px 8px; border-bottom: 1px solid var(--edge); text-align: right; font-weight: 400; }
thead th { font-weight: 600; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--paper); }
@container (min-width: 880px) { .views { margin-left: auto; } }
@container (max-width: 619px) {
  header { flex-wrap: wrap; }
  .progress-text { order: 1; flex-basis: 100%; }
  .pickers .field { flex: 1 1 40%; }
  .views button { padding: 2px 7px; }
  .pickers .field select { width: 100%; max-width: none; }
  .transport input { order: 1; flex-basis: 100%; margin: 0; }
  .step { margin-left: auto; }
  .side { min-width: 0; }
}
@media (prefers-reduced-motion: no-preference) { .fill { transition: width 0.12s; } }
@media (forced-colors: active) { .cells, .track, .tile canvas { forced-color-adjust: none; } }
`;

// src/attnbook/widgets/js/attention/transport.js
var ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  back: "M11 3v10L5 8z",
  next: "M5 3v10l6-5z",
  latest: "M3 3v10l6-5zM10 3h2.5v10H10z"
};
function iconButton(icon, text, pressed) {
  const path = svg("path", { d: ICONS[icon] });
  const drawing2 = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
  const node = element("button", { type: "button", "data-control": icon, "aria-label": text, title: text }, drawing2);
  node.addEventListener("click", pressed);
  return node;
}
var Transport = class {
  /** @type {import("./log.js").Frame[]} */
  frames = [];
  at = 0;
  /** @param {Hears} on */
  constructor(on) {
    this.on = on;
    this.play = iconButton("play", "Play", on.toggle);
    this.back = iconButton("back", "One look back", () => this.go(this.at - 1));
    this.next = iconButton("next", "One look on", () => this.go(this.at + 1));
    this.latest = iconButton("latest", "Follow the newest step", on.latest);
    this.slider = element("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Training step" });
    this.slider.addEventListener("input", () => this.go(nearest(this.frames, Number(this.slider.value))));
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.step = element("span", { class: "step" });
    const parts2 = [this.play, this.back, this.next, this.latest, this.slider, this.step];
    this.element = element("div", { class: "transport", role: "group", "aria-label": "Training steps" }, ...parts2);
  }
  /** @param {number} at */
  go(at) {
    this.at = clamp(at, 0, this.frames.length - 1);
    this.on.go(this.at);
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    const last = this.frames.length - 1;
    const page = Math.max(1, Math.round(last / 10));
    const moves = {
      ...{ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 },
      ...{ PageUp: page, PageDown: -page, Home: -last, End: last }
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.go(this.at + moves[event.key]);
  }
  /**
   * @param {{ frames: import("./log.js").Frame[], at: number, last: number, playing: boolean, follow: boolean,
   *   read: string }} now `last`: step of the slider's end; `read`: what the curves say
   */
  show({ frames, at, last, playing, follow, read }) {
    Object.assign(this, { frames, at });
    const { step } = frames[at];
    set(this.slider, { min: frames[0].step, max: Math.max(last, frames[0].step + 1) });
    this.slider.value = String(step);
    set(this.slider, { "aria-valuetext": `step ${step}, ${at + 1} of ${frames.length} looks. ${read}` });
    write(this.step, `step ${step}`);
    this.step.style.minWidth = `${5 + String(last).length}ch`;
    this.back.disabled = at === 0;
    this.next.disabled = at === frames.length - 1;
    this.latest.disabled = follow && at === frames.length - 1;
    const name = playing ? "Pause" : "Play";
    set(this.play, { "aria-label": name, title: name });
    if (this.play.dataset.icon !== name) {
      this.play.dataset.icon = name;
      this.play.querySelector("path")?.setAttribute("d", ICONS[playing ? "pause" : "play"]);
    }
  }
};

// src/attnbook/widgets/js/attention/view.js
var TIP = "choose a token to see only what it looks at. Then All heads: which of them look at the same?";
var HINTS = {
  map: "Point at a cell to read it. Choose a token to see only its row or column.",
  lines: "Point at a token to see only its lines, choose it to keep them. Weights below 2 % of the scale are left out.",
  text: "Point at a token to tint what it attends to, choose it to keep that.",
  heads: "Choose a head to see it large.",
  table: "The same weights as numbers."
};
var remembered = /* @__PURE__ */ new Map();
var AttentionView = class {
  log = new Log();
  live = false;
  // whether messages arrive from a training loop
  waiting = 0;
  // the animation frame that will draw
  theme = (
    /** @type {import("../shared/theme.js").Theme} */
    "light"
  );
  /** What the curves were drawn from. @type {unknown[]} */
  drawn = [];
  /** @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place */
  constructor(place) {
    this.plan = new Plan(place.model.get("header"));
    this.reader = new Reader(this.plan);
    this.address = new Address(place.el, nameOf("view", this.plan.header.title));
    this.state = { ...firstState(this.plan), ...remembered.get(this.plan.header.id) };
    this.sent = this.visit(this.address.read());
    this.card = new Card(place, {
      name: "attention",
      title: this.plan.header.title,
      tip: TIP,
      style: STYLE2,
      names: []
    });
    this.player = new Player(
      () => ({ at: this.state.at, count: this.log.frames.length }),
      (at) => this.go(at),
      () => this.later()
    );
    this.pickers = new Pickers(this.plan, (changes) => this.set(changes));
    this.more = new More(this.plan, (changes) => this.compare(changes), saves(this), this.address.onPage);
    this.transport = new Transport({
      go: (at) => this.choose(at),
      toggle: () => this.player.playing ? this.player.pause() : this.player.play(),
      latest: () => this.choose(this.log.frames.length - 1)
    });
    this.curves = new Curves((at) => this.choose(at));
    this.stage = new Stage(this.plan, this.pointing(), (choice2) => this.enlarge(choice2));
    this.gold = checkbox("gold alignment", (gold2) => this.set({ gold: gold2 }));
    this.gold.input.dataset.control = "gold";
    this.legend = new Legend();
    this.next = new NextTokens();
    const { pickers, more, transport, curves, stage, gold, legend } = this;
    const next = this.plan.next.length ? this.next : null;
    this.layout = new Layout(this.card, { pickers, more, transport, curves, stage, gold, legend, next });
    this.words = () => place.model.get("words") ?? {};
  }
  // -- what the reader does
  /** @param {Partial<State>} changes */
  set(changes) {
    const entries = (
      /** @type {[keyof State, unknown][]} */
      Object.entries(changes)
    );
    if (entries.every(([key, value]) => JSON.stringify(value) === JSON.stringify(this.state[key]))) return;
    this.state = sound(this.plan, { ...this.state, ...changes });
    const { hover, aim, at, ...kept } = this.state;
    remembered.set(this.plan.header.id, { ...kept, step: this.log.frames[at]?.step });
    const chosen = entries.some(([key]) => !["hover", "over", "aim"].includes(key));
    if (chosen && !this.player.playing) this.address.write(this.text());
    this.later();
  }
  /** The state for the address. */
  text() {
    return toText(this.state, firstState(this.plan), this.log.frames[this.state.at]?.step ?? 0);
  }
  /** Takes over what the address says, if this view has it. @param {import("../shared/address.js").Values | null} values */
  visit(values) {
    const sent = fromText(values, this.plan, firstState(this.plan));
    if (!Object.keys(sent).length) return false;
    remembered.set(this.plan.header.id, sent);
    this.state = { ...firstState(this.plan), ...sent };
    return true;
  }
  /** @param {number} at */
  go(at) {
    this.set({ at, follow: at === this.log.frames.length - 1 });
  }
  /** @param {number} at */
  choose(at) {
    this.player.pause();
    this.go(at);
  }
  /** Two panels are two heatmaps or two sets of lines. @param {Partial<State>} changes */
  compare(changes) {
    const { view } = this.state;
    this.set(changes.compare && view !== "lines" ? { ...changes, view: "map" } : changes);
  }
  /** @param {{ layer: number, head: number }} choice */
  enlarge(choice2) {
    this.set({ ...choice2, view: "map" });
    this.pickers.views[0].node.focus();
  }
  /** @returns {import("./heatmap.js").Hears} */
  pointing() {
    return {
      hover: (hover, map) => this.set({ hover, over: this.stage.maps.indexOf(map) }),
      pin: (pin) => this.set({ pin: JSON.stringify(pin) === JSON.stringify(this.state.pin) ? null : pin }),
      aim: (aim) => this.set({ aim })
    };
  }
  /** How panels are drawn. @param {Panel[]} panels @param {import("../shared/theme.js").Theme} theme */
  look(panels, theme) {
    const range2 = this.reader.range(this.log, this.state, panels);
    return { scale: { table: shades(theme, range2.low < 0), ...range2 }, colours: COLOURS[theme] };
  }
  // -- what comes from outside
  /** Takes over a saved log; what has arrived since stays behind it. @param {Log} loaded */
  take(loaded) {
    const before = this.log;
    loaded.append(before);
    this.log = loaded;
    const step = before.frames[this.state.at]?.step ?? remembered.get(this.plan.header.id)?.step;
    this.stand(step);
  }
  /** Another address of the same page. @param {import("../shared/address.js").Values} values */
  arrive(values) {
    this.sent = this.visit(values);
    if (!this.sent || !this.log.frames.length) return;
    this.player.pause();
    this.stand(remembered.get(this.plan.header.id)?.step);
  }
  /** Goes to a step, or to where a reader begins. @param {number | undefined} step */
  stand(step) {
    const { frames } = this.log;
    if (step === void 0) this.begin();
    else this.state.at = this.state.follow ? frames.length - 1 : nearest(frames, step);
    this.checkCurve();
    this.later();
  }
  /** A training that is over begins at its start, and plays once it is seen; any other stands at its end. */
  begin() {
    const over = this.log.progress.done && this.log.frames.length > 1;
    Object.assign(this.state, { at: over ? 0 : this.log.frames.length - 1, follow: !over });
    if (over) this.player.whenSeen(this.layout.main);
  }
  /** @param {import("./log.js").LiveMessage} message @param {DataView[]} buffers */
  hear(message, buffers) {
    this.live = true;
    this.log.hear(message, buffers);
    if (this.state.follow && !this.player.playing) this.state.at = this.log.frames.length - 1;
    this.checkCurve();
    this.drawn = [];
    this.later();
  }
  checkCurve() {
    if (!Object.hasOwn(this.log.series, this.state.curve)) this.state.curve = Object.keys(this.log.series)[0] ?? "loss";
  }
  /** Back to what was seen first. */
  forget() {
    this.player.pause();
    this.state = firstState(this.plan);
    remembered.delete(this.plan.header.id);
    this.address.write({});
    if (this.log.frames.length) this.begin();
    this.player.forget();
    this.checkCurve();
  }
  // -- drawing
  later() {
    this.waiting ||= requestAnimationFrame(() => this.draw());
  }
  draw() {
    this.waiting = 0;
    const { log, state, layout, reader } = this;
    layout.reveal(log.frames.length > 0);
    layout.showProgress(log.progress, this.live);
    if (!log.frames.length) return;
    state.at = clamp(state.at, 0, log.frames.length - 1);
    const panels = reader.panels(log, state);
    this.pickers.show(state);
    this.more.show(log, state);
    layout.measure(panels, state.view);
    const { theme } = this;
    const { scale } = this.look(panels, theme);
    this.legend.draw(theme, scale);
    const strips = state.view === "heads" && state.order !== "";
    this.legend.element.style.visibility = strips ? "hidden" : "";
    this.stage.draw(state, panels, { frames: log.frames, scale, theme, ...layout.room });
    this.drawWords(panels);
    const { kind, sentence: sentence2, view, compare, difference } = state;
    this.drawTime(layout.sideWidth([kind, sentence2, view, compare, difference].join(" ")));
    if (this.sent) this.address.show();
    this.sent = false;
  }
  /** @param {number} width of the curves */
  drawTime(width) {
    const { log, state, plan, curves } = this;
    const { frames, points } = log;
    const some = frames.length > 1 || points.length > 0;
    this.layout.showTime(some);
    if (!some) return;
    const last = Math.max(frames[frames.length - 1].step, points.at(-1) ?? 0);
    const now = [log, frames.length, points.length, width, state.kind, state.layer, state.head, state.curve];
    if (now.some((value, i) => value !== this.drawn[i])) {
      this.drawn = now;
      const bands = bandsOf(plan, log, state);
      curves.draw(frames, bands, { last, width, over: overWhat(plan, bands) });
    }
    const { at, follow } = state;
    this.transport.show({ frames, at, last, playing: this.player.playing, follow, read: curves.show(at) });
  }
  /** @param {Panel[]} panels */
  drawWords(panels) {
    const { state, plan } = this;
    this.gold.show(state.gold);
    this.gold.element.hidden = !plan.gold(state).size;
    const [first2] = panels;
    const token2 = this.stage.token(state, first2);
    if (!this.layout.details.hidden) {
      const { picture } = plan.sentences[state.sentence];
      const drawn = picture ? drawOver(first2, token2, picture, COLOURS[this.theme]) : drawDetails(first2, token2);
      this.layout.details.replaceChildren(...drawn);
    }
    this.drawNext(token2);
    const over = panels[Math.max(0, state.over)] ?? first2;
    const inside = state.hover && state.hover.row < over.rows.length && state.hover.column < over.columns.length;
    this.card.reserve([HINTS[state.view], longestSentence(first2), longestGlance(first2)]);
    if (inside && state.hover && state.view === "map") this.card.say(sentence(state.hover, over));
    else if (state.view === "text" && (state.aim ?? state.pin)) this.card.say(glance(first2, token2));
    else this.card.say(HINTS[state.view]);
  }
  /** The likeliest next tokens at a row, where the model was asked for them. @param {import("./state.js").Token} token */
  drawNext({ axis, index }) {
    const { plan, state, log, next, layout } = this;
    const { query } = plan.kinds[state.kind];
    set(next.element, { hidden: layout.details.hidden || !plan.next.includes(query) });
    if (axis !== "row" || !plan.next.includes(query)) return;
    const best = plan.likely(log.frames[state.at], state.sentence, index);
    next.draw(plan.rows(state.kind, state.sentence)[index], query === "target_out", best, this.words());
  }
};

// src/attnbook/widgets/js/attention_view.js
function render(place) {
  const { model } = place;
  const view = new AttentionView(place);
  async function load() {
    const bytes = model.get("data");
    if (!bytes?.byteLength) return;
    try {
      const log = await decode(bytes);
      if (bytes === model.get("data")) view.take(log);
    } catch (error) {
      write(view.layout.hint, `The saved attention cannot be read: ${/** @type {Error} */
      error.message}`);
    }
  }
  function hear(message, buffers) {
    if (message?.type === "live") view.hear(message, buffers);
  }
  const named2 = () => view.later();
  model.on("change:data", load);
  model.on("change:words", named2);
  model.on("msg:custom", hear);
  const sizes = new ResizeObserver(() => view.later());
  sizes.observe(view.card.root);
  const end = view.card.start(
    (theme) => {
      view.theme = theme;
      view.later();
    },
    () => view.forget()
  );
  const leave = view.address.follow((values) => view.arrive(values));
  load();
  return () => {
    view.player.pause();
    cancelAnimationFrame(view.waiting);
    sizes.disconnect();
    model.off("change:data", load);
    model.off("change:words", named2);
    model.off("msg:custom", hear);
    leave();
    end();
  };
}
var attention_view_default = { render };
export {
  decode,
  attention_view_default as default,
  shades
};
