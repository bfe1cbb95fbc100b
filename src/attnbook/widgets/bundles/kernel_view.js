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
var LINEAR = { to: (value) => value, from: (place2) => place2 };
var LOGARITHM = { to: Math.log, from: Math.exp };
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

// src/attnbook/widgets/js/shared/drag.js
function place(picture, event) {
  const box = picture.getBoundingClientRect();
  const { width, height } = picture.viewBox.baseVal;
  const x = (event.clientX - box.left) / box.width * width;
  return { x, y: (event.clientY - box.top) / box.height * height, target: event.target };
}
function drag(picture, take) {
  let taken = null;
  picture.addEventListener("pointerdown", (event) => {
    const pressed = place(picture, event);
    taken = take(pressed);
    if (!taken) return;
    picture.setPointerCapture(event.pointerId);
    taken(pressed);
  });
  picture.addEventListener("pointermove", (event) => taken?.(place(picture, event)));
  for (const end of ["pointerup", "pointercancel"])
    picture.addEventListener(end, () => {
      taken = null;
    });
}

// src/attnbook/widgets/js/shared/numbers.js
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}
function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/kernel_view.js
var KERNELS = {
  gaussian: (u) => Math.exp(-u * u / 2),
  boxcar: (u) => Math.abs(u) <= 1 ? 1 : 0,
  epanechnikov: (u) => Math.max(0, 1 - u * u)
};
var KERNEL_NAMES = [
  ["gaussian", "Gaussian"],
  ["boxcar", "boxcar"],
  ["epanechnikov", "Epanechnikov"]
];
var LEAST_WIDTH = 0.02;
var WIDTH = 640;
var PLOT = { left: 40, right: 628, top: 12, bottom: 250 };
var BARS = { top: 268, bottom: 330 };
var STYLE2 = `
.kernel svg { touch-action: pan-y; cursor: ew-resize; }
.kernel .axis { stroke: var(--ink); stroke-opacity: 0.45; }
.kernel .truth { fill: none; stroke: var(--ink); stroke-opacity: 0.6; stroke-dasharray: 5 4; stroke-width: 1.5; }
.kernel .fit { fill: none; stroke: var(--value); stroke-width: 2.5; }
.kernel .point { fill: var(--weight); stroke: var(--ink); stroke-opacity: 0.55; pointer-events: none; }
.kernel .bar { stroke: var(--weight); stroke-width: 3; }
.kernel .query { stroke: var(--query); stroke-width: 2; }
.kernel .band { fill: var(--query); fill-opacity: 0.1; }
.kernel .grip { fill: var(--query); cursor: col-resize; }
.kernel .mark { fill: var(--value); stroke: var(--ink); pointer-events: none; }
`;
function attentionWeights(keys, query, width, kernel) {
  const distances = keys.map((key) => (key - query) / width);
  const nearest = kernel === "gaussian" ? Math.min(...distances.map((u) => u * u)) : 0;
  const similar = distances.map((u) => kernel === "gaussian" ? Math.exp((nearest - u * u) / 2) : KERNELS[kernel](u));
  const total = sum(similar);
  return total > 0 ? similar.map((value) => value / total) : null;
}
function scales({ key, value, grid, truth }) {
  const [low, high] = [Math.min(...grid, ...key), Math.max(...grid, ...key)];
  const heights = [...value, ...truth];
  const margin = 0.04 * (Math.max(...heights) - Math.min(...heights));
  const [bottom, top] = [Math.min(...heights) - margin, Math.max(...heights) + margin];
  const wide = PLOT.right - PLOT.left;
  return {
    low,
    high,
    bottom,
    top,
    x: (at) => PLOT.left + (at - low) / (high - low || 1) * wide,
    y: (at) => PLOT.bottom - (at - bottom) / (top - bottom || 1) * (PLOT.bottom - PLOT.top),
    fromX: (pixel) => low + (pixel - PLOT.left) / wide * (high - low)
  };
}
function path(grid, heights, { x, y }) {
  let pen = "M";
  const parts2 = [];
  for (const [i, height] of heights.entries()) {
    if (height !== null) parts2.push(`${pen}${x(grid[i]).toFixed(1)} ${y(height).toFixed(1)}`);
    pen = height === null ? "M" : "L";
  }
  return parts2.join("");
}
function drawFrame(picture, data, scale) {
  const { low, high, bottom, top, x, y } = scale;
  const ticks = (from, to) => range(Math.floor(to) - Math.ceil(from) + 1).map((i) => Math.ceil(from) + i);
  for (const at of [PLOT.bottom, BARS.bottom])
    picture.append(svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: at, y2: at }));
  picture.append(
    svg("path", { class: "truth", d: path(data.grid, data.truth, scale) }),
    svg("text", { x: PLOT.left + 4, y: PLOT.top + 10, text: "value" }),
    svg("text", { x: PLOT.left + 4, y: BARS.top + 6, text: "weight" }),
    svg("text", { x: PLOT.right, y: PLOT.bottom - 8, "text-anchor": "end", text: "x" }),
    ...ticks(low, high).map((tick) => svg("text", { x: x(tick), y: 344, "text-anchor": "middle", text: tick })),
    ...ticks(bottom, top).map(
      (tick) => svg("text", { x: PLOT.left - 8, y: y(tick) + 4, "text-anchor": "end", text: tick })
    )
  );
}
function parts(picture, { key, value }, { x, y }) {
  const made = {
    band: svg("rect", { class: "band", y: PLOT.top, height: PLOT.bottom - PLOT.top }),
    fit: svg("path", { class: "fit" }),
    queryLine: svg("line", { class: "query", y1: PLOT.top, y2: BARS.bottom }),
    points: value.map((height, i) => svg("circle", { class: "point", cx: x(key[i]), cy: y(height) })),
    bars: key.map((at) => svg("line", { class: "bar", x1: x(at), x2: x(at), y1: BARS.bottom })),
    mark: svg("circle", { class: "mark", r: 6 }),
    grip: svg("circle", { class: "grip", r: 9, cy: PLOT.bottom })
  };
  picture.append(made.band, made.fit, made.queryLine, ...made.points, ...made.bars, made.mark, made.grip);
  return made;
}
function sentence(query, width, weights, values) {
  const at = `At x = ${query.toFixed(2)} with width ${width.toFixed(2)}`;
  if (!weights) return `${at} no measurement lies within the width: there is nothing to average.`;
  const effective = 1 / sum(weights.map((share) => share * share));
  return `${at} the prediction is ${dot(weights, values).toFixed(2)}. The measurement with the largest weight has ${(100 * Math.max(...weights)).toFixed(0)} % of it; the weights are spread as over ${effective.toFixed(1)} equal ones.`;
}
function sentences({ key, value, grid }, widest) {
  const kernels = (
    /** @type {Kernel[]} */
    Object.keys(KERNELS)
  );
  return kernels.flatMap(
    (kernel) => [LEAST_WIDTH, 0.1 * widest, widest].flatMap(
      (width) => grid.map((query) => sentence(query, width, attentionWeights(key, query, width, kernel), value))
    )
  );
}
function drawQuery({ band, queryLine, grip, mark }, { x, high }, query, width) {
  const [from, to] = [query - width, query + width].map((edge) => clamp(x(edge), PLOT.left, PLOT.right));
  set(queryLine, { x1: x(query), x2: x(query) });
  set(band, { x: from, width: to - from });
  set(grip, { cx: query + width <= high ? to : from });
  set(mark, { cx: x(query) });
}
function drawWeights({ points, bars }, weights) {
  const most = Math.max(...weights ?? [1]);
  points.forEach((point, i) => {
    const share = (weights?.[i] ?? 0) / most;
    const seen = Math.sqrt(share);
    set(point, { r: (2.5 + 5.5 * seen).toFixed(2), "fill-opacity": (0.08 + 0.92 * seen).toFixed(3) });
    set(bars[i], { y2: (BARS.bottom - share * (BARS.bottom - BARS.top)).toFixed(1) });
  });
}
function render(place2) {
  const { model } = place2;
  const data = (
    /** @type {Data} */
    {
      key: model.get("key"),
      value: model.get("value"),
      grid: model.get("grid"),
      truth: model.get("truth")
    }
  );
  const scale = scales(data);
  const { low, high } = scale;
  const view = new Card(place2, {
    name: "kernel",
    title: "Kernel regression",
    tip: "drag the query through the picture, and the round grip to change the width. When does the curve follow every point?",
    style: STYLE2,
    names: ["query", "width", "kernel"]
  });
  const picture = view.picture(WIDTH, 346);
  drawFrame(picture, data, scale);
  const made = parts(picture, data, scale);
  const says = (value) => value.toFixed(2);
  const queryInput = slider("Query x", { min: low, max: high, step: 0.01, says }, (query) => view.change({ query }));
  const widths = { min: Math.log(LEAST_WIDTH), max: Math.log(high - low), step: 0.01, scale: LOGARITHM, says };
  const widthInput = slider("Width h", widths, (width) => view.change({ width }));
  const kernelInput = choice("Kernel", KERNEL_NAMES, (kernel) => view.change({ kernel }));
  view.controls.append(queryInput.element, widthInput.element, kernelInput.element);
  drag(
    picture,
    ({ target }) => target === made.grip ? ({ x }) => view.change({ width: clamp(Math.abs(scale.fromX(x) - model.get("query")), LEAST_WIDTH, high - low) }) : ({ x }) => view.change({ query: clamp(scale.fromX(x), low, high) })
  );
  view.reserve(sentences(data, high - low));
  return view.start(() => {
    const [query, width, kernel] = ["query", "width", "kernel"].map((name) => model.get(name));
    const predict = (weights2) => weights2 && dot(weights2, data.value);
    const weights = attentionWeights(data.key, query, width, kernel);
    const curve = data.grid.map((at) => predict(attentionWeights(data.key, at, width, kernel)));
    set(made.fit, { d: path(data.grid, curve, scale) });
    drawWeights(made, weights);
    drawQuery(made, scale, query, width);
    set(made.mark, { cy: scale.y(predict(weights) ?? 0), visibility: weights ? "visible" : "hidden" });
    queryInput.show(query);
    widthInput.show(width);
    kernelInput.show(kernel);
    view.say(sentence(query, width, weights, data.value));
  });
}
var kernel_view_default = { render };
export {
  attentionWeights,
  kernel_view_default as default
};
