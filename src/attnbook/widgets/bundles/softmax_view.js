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
var LOGARITHM = { to: Math.log, from: Math.exp };
var listed = (list) => ({ to: (value) => list.indexOf(value), from: (place) => list[place] });
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
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, ...data });
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
  start(draw2, forget = () => {
  }) {
    this.forget = forget;
    this.redraw = () => draw2(this.root.dataset.theme === "dark" ? "dark" : "light");
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

// src/attnbook/widgets/js/shared/numbers.js
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}
function softmax(scores) {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/softmax_view.js
var BARS = { left: 44, right: 628, top: 24, bottom: 130 };
var PLOT = { left: 44, right: 628, top: 172, bottom: 300 };
var [COLD, HOT, POINTS] = [Math.log(0.05), Math.log(20), 121];
var GRID = range(POINTS).map((i) => COLD + i / (POINTS - 1) * (HOT - COLD));
var CURVES = (
  /** @type {const} */
  ["entropy", "derivative"]
);
var STYLE2 = `
.softmax .axis { stroke: var(--ink); stroke-opacity: 0.5; }
.softmax .bar { fill: var(--weight); }
.softmax .entropy { fill: none; stroke: var(--value); stroke-width: 2.5; }
.softmax .derivative { fill: none; stroke: var(--query); stroke-width: 2.5; stroke-dasharray: 7 4; }
.softmax .here { stroke: var(--ink); stroke-width: 1.5; }
.softmax .dot-entropy { fill: var(--value); }
.softmax .dot-derivative { fill: var(--query); }
`;
function measures(weights) {
  const rest = weights.map((_, i) => sum(weights.filter((_2, k) => k !== i)));
  const derivative = weights.flatMap((a, i) => weights.map((b, j) => a * (i === j ? rest[i] : b)));
  return {
    entropy: -sum(weights.map((w) => w > 0 ? w * Math.log(w) : 0)),
    derivative: Math.hypot(...derivative)
  };
}
var x = (logarithm) => PLOT.left + (logarithm - COLD) / (HOT - COLD) * (PLOT.right - PLOT.left);
var y = (share) => PLOT.bottom - share * (PLOT.bottom - PLOT.top);
function parts(picture, count) {
  const text = (x2, y2, words, anchor = "middle") => svg("text", { x: x2, y: y2, "text-anchor": anchor, text: words });
  for (const box of [BARS, PLOT])
    picture.append(
      svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
      text(box.left - 6, box.top + 8, "1", "end"),
      text(box.left - 6, box.bottom, "0", "end")
    );
  const step = (BARS.right - BARS.left) / count;
  const made = {
    bars: range(count).map((i) => svg("rect", { class: "bar", x: BARS.left + (i + 0.2) * step, width: 0.6 * step })),
    lines: { entropy: svg("path", { class: "entropy" }), derivative: svg("path", { class: "derivative" }) },
    here: svg("line", { class: "here", y1: PLOT.top, y2: PLOT.bottom }),
    dots: {
      entropy: svg("circle", { class: "dot-entropy", r: 6 }),
      derivative: svg("circle", { class: "dot-derivative", r: 6 })
    }
  };
  picture.append(
    text(BARS.left, 16, "weights of the keys", "start"),
    text(PLOT.left, 162, "entropy (line), derivative (dashed); 1 is the most", "start"),
    ...[0.1, 1, 10].map((tick) => text(x(Math.log(tick)), 318, String(tick))),
    text(PLOT.right, 333, "temperature", "end"),
    ...made.bars,
    ...CURVES.map((name) => made.lines[name]),
    made.here,
    ...CURVES.map((name) => made.dots[name])
  );
  return made;
}
function sentence({ size, temperature, scaled }, weights) {
  const { entropy, derivative } = measures(weights);
  return `Size ${size}, temperature ${temperature.toFixed(2)}, ${scaled ? "divided" : "not divided"} by √d: the largest weight is ${Math.max(...weights).toFixed(3)}, spread as over ${Math.exp(entropy).toFixed(2)} equal ones; the derivative has norm ${derivative < 1e-3 ? derivative.toExponential(1) : derivative.toFixed(3)}.`;
}
function draw({ bars, lines, here, dots }, at, temperature) {
  const weights = at(temperature);
  weights.forEach((weight, i) => {
    const height = weight * (BARS.bottom - BARS.top);
    set(bars[i], { y: (BARS.bottom - height).toFixed(2), height: height.toFixed(2) });
  });
  const shares = (weights2) => {
    const { entropy, derivative } = measures(weights2);
    return { entropy: entropy / Math.log(weights2.length), derivative: 2 * derivative };
  };
  const curve = GRID.map((logarithm) => shares(at(Math.exp(logarithm))));
  const now = shares(weights);
  const place = x(Math.log(temperature));
  set(here, { x1: place, x2: place });
  for (const name of CURVES) {
    const points = curve.map((share, i) => `${x(GRID[i]).toFixed(1)} ${y(share[name]).toFixed(1)}`);
    set(lines[name], { d: `M${points.join("L")}` });
    set(dots[name], { cx: place, cy: y(now[name]) });
  }
}
function render(place) {
  const { model } = place;
  const products = model.get("products");
  const sizes = (
    /** @type {number[]} */
    model.get("sizes")
  );
  const view = new Card(place, {
    name: "softmax",
    title: "Size, temperature and the softmax",
    tip: "make the vectors as large as they get, then divide by √d: what happens to the derivative?",
    style: STYLE2,
    names: ["size", "temperature", "scaled", "shown"]
  });
  const made = parts(view.picture(640, 336, { wide: 600 }), products[0][0].length);
  const sizeInput = slider(
    "Size d",
    { min: 0, max: sizes.length - 1, scale: listed(sizes) },
    (size) => view.change({ size })
  );
  const heat = { min: COLD, max: HOT, step: 0.01, scale: LOGARITHM, says: (t) => t.toFixed(2) };
  const heatInput = slider("Temperature", heat, (t) => view.change({ temperature: clamp(t, 0.05, 20) }));
  const scaledInput = checkbox("Divide by √d", (scaled) => view.change({ scaled }));
  const again = button("Another query", () => view.change({ shown: (model.get("shown") + 1) % products.length }));
  view.controls.append(sizeInput.element, heatInput.element, scaledInput.element, again);
  return view.start(() => {
    const [size, temperature, scaled, shown] = ["size", "temperature", "scaled", "shown"].map(
      (name) => model.get(name)
    );
    const scores = products[shown][sizes.indexOf(size)].map(
      (score) => score / (scaled ? Math.sqrt(size) : 1)
    );
    const at = (heat2) => softmax(scores.map((score) => score / heat2));
    draw(made, at, temperature);
    sizeInput.show(size);
    heatInput.show(temperature);
    scaledInput.show(scaled);
    view.say(sentence({ size, temperature, scaled, shown }, at(temperature)));
  });
}
var softmax_view_default = { render };
export {
  softmax_view_default as default,
  measures
};
