// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

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
var LINEAR = { to: (value) => value, from: (place2) => place2 };
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
  const named = html.dataset.theme ?? html.dataset.mode ?? html.getAttribute("theme") ?? "";
  if (/dark/.test(named)) return "dark";
  if (/light/.test(named)) return "light";
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
  constructor({ model, el }, { name, title, tip, style, names }) {
    if (!first.has(model)) first.set(model, Object.fromEntries(names.map((key) => [key, model.get(key)])));
    this.model = model;
    this.names = names;
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
  picture(width, height, { label = this.model.get("alt"), wide = 520, size = 13 } = {}) {
    const data = { "data-wide": wide, "data-size": size };
    const picture2 = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, ...data });
    this.figure.append(picture2);
    this.sizes.observe(picture2);
    return picture2;
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
function keepLabels(picture2) {
  const wide = Number(picture2.dataset.wide);
  const factor = Math.max(1, wide / (picture2.clientWidth || wide));
  picture2.style.setProperty("--label", `${Number(picture2.dataset.size) * factor}px`);
}

// src/attnbook/widgets/js/shared/drag.js
function place(picture2, event) {
  const box = picture2.getBoundingClientRect();
  const { width, height } = picture2.viewBox.baseVal;
  const x = (event.clientX - box.left) / box.width * width;
  return { x, y: (event.clientY - box.top) / box.height * height, target: event.target };
}
function drag(picture2, take) {
  let taken = null;
  picture2.addEventListener("pointerdown", (event) => {
    const pressed = place(picture2, event);
    taken = take(pressed);
    if (!taken) return;
    picture2.setPointerCapture(event.pointerId);
    taken(pressed);
  });
  picture2.addEventListener("pointermove", (event) => taken?.(place(picture2, event)));
  for (const end of ["pointerup", "pointercancel"])
    picture2.addEventListener(end, () => {
      taken = null;
    });
}

// src/attnbook/widgets/js/shared/numbers.js
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/position_view.js
var LENGTH = 100;
var SIZES = { min: 2, max: 128 };
var BASES = [10, 100, 1e3, 1e4, 1e5];
var WIDTH = 640;
var TABLE = { left: 46, right: 628, top: 24, bottom: 204 };
var ROW = { top: 236, bottom: 316 };
var DOT = { top: 352, bottom: 452 };
var WIDE = TABLE.right - TABLE.left;
var HIGH = TABLE.bottom - TABLE.top;
var STYLE2 = `
.position svg { touch-action: pan-x; }
.position image { image-rendering: pixelated; cursor: ns-resize; }
.position .edge { fill: none; stroke: var(--muted); pointer-events: none; }
.position .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.position .axis { stroke: var(--muted); }
.position .sine { fill: var(--query); }
.position .cosine { fill: var(--weight); }
.position .dots { fill: none; stroke: var(--weight); stroke-width: 2; }
.position .products { fill: transparent; cursor: ew-resize; }
.position .here { stroke: var(--ink); stroke-dasharray: 4 3; pointer-events: none; }
`;
function encoding(position, size, base) {
  return range(size).map((entry) => {
    const angle = position * base ** (-(entry - entry % 2) / size);
    return entry % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}
function picture(rows, theme) {
  const { query, paper, weight } = COLOURS[theme];
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
var middle = (part) => (part.top + part.bottom) / 2;
var column = (position) => TABLE.left + (position + 0.5) / LENGTH * WIDE;
function parts(view) {
  const text = (x, y, words, anchor = "end") => svg("text", { x, y, "text-anchor": anchor, text: words });
  const box = { x: TABLE.left, y: TABLE.top, width: WIDE, height: HIGH };
  const made = {
    table: svg("image", { ...box, preserveAspectRatio: "none" }),
    chosen: svg("rect", { class: "chosen", x: TABLE.left - 2, width: WIDE + 4, height: HIGH / LENGTH + 4 }),
    bars: svg("g"),
    curve: svg("path", { class: "dots" }),
    here: svg("line", { class: "here", y1: DOT.top, y2: DOT.bottom }),
    products: svg("rect", { class: "products", x: TABLE.left, y: DOT.top, width: WIDE, height: DOT.bottom - DOT.top }),
    rowTitle: text(TABLE.left, ROW.top - 10, "", "start"),
    dotTitle: text(TABLE.left, DOT.top - 14, "", "start")
  };
  const ends = [
    { part: ROW, most: "1", least: "−1" },
    { part: DOT, most: "d/2", least: "−d/2" }
  ];
  view.append(
    made.table,
    svg("rect", { ...box, class: "edge" }),
    ...ends.map(
      ({ part }) => svg("line", { class: "axis", x1: TABLE.left, x2: TABLE.right, y1: middle(part), y2: middle(part) })
    ),
    made.chosen,
    made.bars,
    made.curve,
    made.products,
    made.here,
    made.rowTitle,
    made.dotTitle,
    text(TABLE.left, 16, "entries, fast waves first →", "start"),
    text(TABLE.left - 6, TABLE.top + 10, 0),
    text(TABLE.left - 6, TABLE.bottom, LENGTH - 1),
    ...ends.flatMap(({ part, most, least }) => [
      text(TABLE.left - 6, part.top + 8, most),
      text(TABLE.left - 6, part.bottom + 2, least)
    ]),
    ...[0, 25, 50, 75, 99].map((position) => text(column(position), 470, position, "middle"))
  );
  return made;
}
function drawRow({ bars }, row) {
  const step = WIDE / row.length;
  bars.replaceChildren(
    ...row.map((value, entry) => {
      const height = Math.abs(value) * (ROW.bottom - ROW.top) / 2;
      const y = middle(ROW) - (value > 0 ? height : 0);
      const place2 = { x: TABLE.left + (entry + 0.1) * step, y, width: 0.8 * step, height };
      return svg("rect", { class: entry % 2 ? "cosine" : "sine", ...place2 });
    })
  );
}
function drawDots({ curve }, dots, size) {
  const scale = (DOT.bottom - DOT.top) / 2 / Math.max(size / 2, ...dots.map(Math.abs));
  const points = dots.map((value, i) => `${column(i).toFixed(1)} ${(middle(DOT) - value * scale).toFixed(2)}`);
  set(curve, { d: `M${points.join("L")}` });
}
function sentence(position, size, base, dots) {
  const slowest = 2 * Math.PI * base ** ((2 * Math.ceil(size / 2) - 2) / size);
  const far = position < LENGTH / 2 ? LENGTH - 1 : 0;
  const next = position === LENGTH - 1 ? position - 1 : position + 1;
  const waves = slowest < 6.35 ? "the wave is 6.3" : `the waves are 6.3 to ${slowest.toFixed(1)}`;
  return `Position ${position}, size ${size}, base ${base}: ${waves} positions long. The dot product with itself is ${dots[position].toFixed(2)}, with position ${next} it is ${dots[next].toFixed(2)}, and with position ${far} it is ${dots[far].toFixed(2)}.`;
}
function render(place2) {
  const { model } = place2;
  const view = new Card(place2, {
    name: "position",
    title: "Sinusoidal positions",
    tip: "drag through the table or through the curve below. At which base does a second peak appear?",
    style: STYLE2,
    names: ["d_model", "base", "position"]
  });
  const drawing = view.picture(WIDTH, 474);
  const made = parts(drawing);
  const choose = (part) => view.change({ position: clamp(Math.floor(part * LENGTH), 0, LENGTH - 1) });
  drag(drawing, ({ target }) => {
    if (target === made.table) return ({ y }) => choose((y - TABLE.top) / HIGH);
    if (target === made.products) return ({ x }) => choose((x - TABLE.left) / WIDE);
    return null;
  });
  const positionInput = slider("Position i", { min: 0, max: LENGTH - 1 }, (position) => view.change({ position }));
  const sizeInput = slider("Size d", SIZES, (size) => view.change({ d_model: size }));
  const bases = BASES.map((base) => (
    /** @type {[number, string]} */
    [base, base.toLocaleString("en")]
  ));
  const baseInput = choice("Base", bases, (base) => view.change({ base: Number(base) }));
  view.controls.append(positionInput.element, sizeInput.element, baseInput.element);
  let drawn = "";
  let rows = [];
  return view.start((theme) => {
    const [size, base, position] = ["d_model", "base", "position"].map((name) => model.get(name));
    if (drawn !== `${size} ${base} ${theme}`) {
      drawn = `${size} ${base} ${theme}`;
      rows = range(LENGTH).map((i) => encoding(i, size, base));
      set(made.table, { href: picture(rows, theme) });
    }
    const dots = rows.map((row) => dot(row, rows[position]));
    set(made.chosen, { y: TABLE.top + position / LENGTH * HIGH - 2 });
    set(made.here, { x1: column(position), x2: column(position) });
    write(made.rowTitle, `row ${position}: its sines and cosines, side by side`);
    write(made.dotTitle, `dot product of position ${position} with every position`);
    drawRow(made, rows[position]);
    drawDots(made, dots, size);
    positionInput.show(position);
    sizeInput.show(size);
    baseInput.show(base);
    view.say(sentence(position, size, base, dots));
  });
}
var position_view_default = { render };
export {
  position_view_default as default,
  encoding
};
