// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

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

// src/attnbook/widgets/js/kernel/regression.js
var KERNELS = {
  gaussian: (u) => Math.exp(-u * u / 2),
  boxcar: (u) => Math.abs(u) <= 1 ? 1 : 0,
  epanechnikov: (u) => Math.max(0, 1 - u * u)
};
function attentionWeights(keys, query, width, kernel, without = -1) {
  const distances = keys.map((key, i) => i === without ? Infinity : (key - query) / width);
  const nearest = kernel === "gaussian" ? Math.min(...distances.map((u) => u * u)) : 0;
  const similar = distances.map((u) => kernel === "gaussian" ? Math.exp((nearest - u * u) / 2) : KERNELS[kernel](u));
  const total = sum(similar);
  return total > 0 ? similar.map((value) => value / total) : null;
}
function predict({ key, value }, query, width, kernel, without = -1) {
  const weights = attentionWeights(key, query, width, kernel, without);
  return weights && dot(weights, value);
}
function meanSquare(found, wanted) {
  const squares = found.map((height, i) => height === null ? NaN : (height - wanted[i]) ** 2);
  const mean = sum(squares) / squares.length;
  return Number.isNaN(mean) ? null : mean;
}
function errors(data, width, kernel) {
  const { key, value, grid, truth } = data;
  return {
    itself: meanSquare(
      key.map((at) => predict(data, at, width, kernel)),
      value
    ),
    out: meanSquare(
      key.map((at, i) => predict(data, at, width, kernel, i)),
      value
    ),
    truth: meanSquare(
      grid.map((at) => predict(data, at, width, kernel)),
      truth
    )
  };
}

// src/attnbook/widgets/js/kernel/curve.js
var PLOT = { left: 34, right: 242, top: 76, bottom: 252 };
var POINTS = 41;
var MOST = 2;
var KINDS = (
  /** @type {const} */
  [
    ["itself", "each sees itself"],
    ["out", "each left out"],
    ["truth", "beside the truth"]
  ]
);
var SIZE = { width: 250, height: 292 };
var STYLE = `
.kernel .error { fill: none; stroke-width: 2.5; }
.kernel .error.itself { stroke: var(--muted); stroke-dasharray: 2 4; }
.kernel .error.out { stroke: var(--weight); }
.kernel .error.truth { stroke: var(--ink); stroke-opacity: 1; stroke-dasharray: 6 4; stroke-width: 1.5; }
.kernel .now { fill: var(--weight); stroke: var(--ink); }
`;
function path(places, heights, x, y) {
  let pen = "M";
  const parts2 = [];
  for (const [i, height] of heights.entries()) {
    if (height !== null) parts2.push(`${pen}${x(places[i]).toFixed(1)} ${y(height).toFixed(1)}`);
    pen = height === null ? "M" : "L";
  }
  return parts2.join("");
}
function scales(least, widest) {
  const [from, to] = [Math.log(least), Math.log(widest)];
  const wide = PLOT.right - PLOT.left;
  const deep = PLOT.bottom - PLOT.top;
  return {
    widths: range(POINTS).map((i) => Math.exp(from + i / (POINTS - 1) * (to - from))),
    x: (width) => PLOT.left + (Math.log(width) - from) / (to - from) * wide,
    y: (error) => PLOT.bottom - Math.sqrt(Math.min(error, MOST) / MOST) * deep,
    widthAt: (pixel) => Math.exp(from + clamp((pixel - PLOT.left) / wide, 0, 1) * (to - from))
  };
}
function errorCurve(picture, least, widest) {
  const { widths, x, y, widthAt } = scales(least, widest);
  const lines = KINDS.map(([name]) => svg("path", { class: `error ${name}` }));
  const here = svg("line", { class: "query", y1: PLOT.top, y2: PLOT.bottom });
  const now = svg("circle", { class: "now", r: 6 });
  const within = (width) => width >= least && width <= widest;
  picture.append(
    svg("text", { x: 4, y: 14, text: "mean squared error" }),
    ...KINDS.flatMap(([name, text], i) => [
      svg("path", { class: `error ${name}`, d: `M${PLOT.left} ${30 + 18 * i}h26` }),
      svg("text", { x: PLOT.left + 32, y: 34 + 18 * i, text })
    ]),
    svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: PLOT.bottom, y2: PLOT.bottom }),
    ...[0, 0.1, 0.5, 1, MOST].map(
      (tick) => svg("text", { x: PLOT.left - 5, y: y(tick) + 4, "text-anchor": "end", text: tick })
    ),
    ...[0.05, 0.2, 1, 4].filter(within).map((tick) => svg("text", { x: x(tick), y: PLOT.bottom + 17, "text-anchor": "middle", text: tick })),
    svg("text", { x: PLOT.right, y: PLOT.bottom + 36, "text-anchor": "end", text: "width h" }),
    ...lines,
    here,
    now
  );
  return {
    widthAt,
    /** Draws the curves anew. @param {import("./regression.js").Data} data @param {import("./regression.js").Kernel} kernel */
    draw(data, kernel) {
      const found = widths.map((width) => errors(data, width, kernel));
      for (const [i, [name]] of KINDS.entries()) {
        const heights = found.map((error) => error[name]);
        set(lines[i], { d: path(widths, heights, x, y) || null });
      }
    },
    /** Shows where the width is. @param {number} width @param {number | null} out its leave-one-out error */
    show(width, out) {
      set(here, { x1: x(width), x2: x(width) });
      set(now, { cx: x(width), cy: y(out ?? MOST), visibility: out === null ? "hidden" : "visible" });
    }
  };
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
var STYLE2 = `
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
    this.host.attachShadow({ mode: "open" }).append(element("style", { text: STYLE2 + style }), this.root);
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

// src/attnbook/widgets/js/kernel_view.js
var KERNEL_NAMES = [
  ["gaussian", "Gaussian"],
  ["boxcar", "boxcar"],
  ["epanechnikov", "Epanechnikov"]
];
var LEAST_WIDTH = 0.02;
var WIDTH = 450;
var PLOT2 = { left: 28, right: 442, top: 8, bottom: 236 };
var BARS = { top: 250, bottom: 306 };
var STYLE3 = `
.kernel .figure { display: flex; flex-wrap: wrap; justify-content: center; gap: 4px 8px; }
.kernel .figure .plot { flex: 1 1 300px; touch-action: pan-y; cursor: ew-resize; }
.kernel .figure .errors { flex: 0 1 250px; min-width: 0; touch-action: pan-y; cursor: ew-resize; }
.kernel .controls { grid-template-columns: repeat(auto-fit, minmax(max(8rem, 30%), 1fr)); }
.kernel .axis { stroke: var(--ink); stroke-opacity: 0.45; }
.kernel .truth { fill: none; stroke: var(--ink); stroke-opacity: 0.6; stroke-dasharray: 5 4; stroke-width: 1.5; }
.kernel .fit { fill: none; stroke: var(--value); stroke-width: 2.5; pointer-events: none; }
.kernel .point { fill: var(--weight); stroke: var(--ink); stroke-opacity: 0.55; pointer-events: none; }
.kernel .chosen { stroke: var(--ink); stroke-opacity: 1; stroke-width: 2.5; }
.kernel .area { fill: transparent; cursor: grab; touch-action: none; }
.kernel .bar { stroke: var(--weight); stroke-width: 3; }
.kernel .query { stroke: var(--query); stroke-width: 2; pointer-events: none; }
.kernel .band { fill: var(--query); fill-opacity: 0.1; }
.kernel .grip { fill: var(--query); cursor: col-resize; touch-action: none; }
.kernel .mark { fill: var(--value); stroke: var(--ink); pointer-events: none; }
${STYLE}`;
function scales2({ key, value, grid, truth }) {
  const [low, high] = [Math.min(...grid, ...key), Math.max(...grid, ...key)];
  const heights = [...value, ...truth];
  const margin = 0.1 * (Math.max(...heights) - Math.min(...heights));
  const [bottom, top] = [Math.min(...heights) - margin, Math.max(...heights) + margin];
  const [wide, deep] = [PLOT2.right - PLOT2.left, PLOT2.bottom - PLOT2.top];
  return {
    low,
    high,
    bottom,
    top,
    x: (at) => PLOT2.left + (at - low) / (high - low || 1) * wide,
    y: (at) => PLOT2.bottom - (at - bottom) / (top - bottom || 1) * deep,
    fromX: (pixel) => clamp(low + (pixel - PLOT2.left) / wide * (high - low), low, high),
    fromY: (pixel) => clamp(bottom + (PLOT2.bottom - pixel) / deep * (top - bottom), bottom, top)
  };
}
function drawFrame(picture, data, scale) {
  const { low, high, bottom, top, x, y } = scale;
  const ticks = (from, to) => range(Math.floor(to) - Math.ceil(from) + 1).map((i) => Math.ceil(from) + i);
  for (const at of [PLOT2.bottom, BARS.bottom])
    picture.append(svg("line", { class: "axis", x1: PLOT2.left, x2: PLOT2.right, y1: at, y2: at }));
  picture.append(
    svg("path", { class: "truth", d: path(data.grid, data.truth, x, y) }),
    svg("text", { x: PLOT2.left + 4, y: PLOT2.top + 12, text: "value" }),
    svg("text", { x: PLOT2.left + 4, y: BARS.top + 8, text: "weight" }),
    svg("text", { x: PLOT2.right, y: PLOT2.bottom - 8, "text-anchor": "end", text: "x" }),
    ...ticks(low, high).map((tick) => svg("text", { x: x(tick), y: 322, "text-anchor": "middle", text: tick })),
    ...ticks(bottom, top).map(
      (tick) => svg("text", { x: PLOT2.left - 6, y: y(tick) + 4, "text-anchor": "end", text: tick })
    )
  );
}
function parts(picture, count) {
  const each = (make) => range(count).map(make);
  const made = {
    band: svg("rect", { class: "band", y: PLOT2.top, height: PLOT2.bottom - PLOT2.top }),
    fit: svg("path", { class: "fit" }),
    queryLine: svg("line", { class: "query", y1: PLOT2.top, y2: BARS.bottom }),
    points: each(() => svg("circle", { class: "point" })),
    areas: each(() => svg("circle", { class: "area", r: 11 })),
    bars: each(() => svg("line", { class: "bar", y1: BARS.bottom })),
    mark: svg("circle", { class: "mark", r: 6 }),
    grip: svg("circle", { class: "grip", r: 11, cy: PLOT2.bottom })
  };
  const { band, fit, queryLine, points, areas, bars, mark, grip } = made;
  picture.append(band, fit, queryLine, ...points, ...areas, ...bars, mark, grip);
  return made;
}
function sentence(query, width, weights, values, out) {
  const at = `At x = ${query.toFixed(2)} with width ${width.toFixed(2)}`;
  const missed = out === null ? "Left out, some measurement finds no other within the width." : `The leave-one-out error is ${out.toFixed(3)}.`;
  if (!weights) return `${at} no measurement lies within the width: there is nothing to average. ${missed}`;
  const effective = 1 / sum(weights.map((share) => share * share));
  return `${at} the prediction is ${dot(weights, values).toFixed(2)}. The measurement with the largest weight has ${(100 * Math.max(...weights)).toFixed(0)} % of it; the weights are spread as over ${effective.toFixed(1)} equal ones. ${missed}`;
}
function sentences({ key, value, grid }, widest) {
  const kernels = (
    /** @type {Kernel[]} */
    Object.keys(KERNELS)
  );
  return kernels.flatMap(
    (kernel) => [LEAST_WIDTH, 0.1 * widest, widest].flatMap(
      (width) => grid.flatMap(
        (query) => [null, 1].map((out) => sentence(query, width, attentionWeights(key, query, width, kernel), value, out))
      )
    )
  );
}
function drawQuery({ band, queryLine, grip, mark }, { x, high }, query, width) {
  const [from, to] = [query - width, query + width].map((edge) => clamp(x(edge), PLOT2.left, PLOT2.right));
  set(queryLine, { x1: x(query), x2: x(query) });
  set(band, { x: from, width: to - from });
  set(grip, { cx: query + width <= high ? to : from });
  set(mark, { cx: x(query) });
}
function drawPoints({ points, areas, bars }, { x, y }, { key, value }, weights, chosen) {
  const most = Math.max(...weights ?? [1]);
  points.forEach((point, i) => {
    const share = (weights?.[i] ?? 0) / most;
    const seen = Math.sqrt(share);
    const place2 = { cx: x(key[i]).toFixed(1), cy: y(value[i]).toFixed(1) };
    const filled = (0.08 + 0.92 * seen).toFixed(3);
    set(point, {
      ...place2,
      class: i === chosen ? "point chosen" : "point",
      r: (2.5 + 5.5 * seen).toFixed(2),
      "fill-opacity": filled
    });
    set(areas[i], place2);
    set(bars[i], {
      x1: place2.cx,
      x2: place2.cx,
      y2: (BARS.bottom - share * (BARS.bottom - BARS.top)).toFixed(1)
    });
  });
}
function controls(view, { low, high, bottom, top }, count) {
  const says = (value) => value.toFixed(2);
  const replaced = (name, number2) => view.change({ [name]: view.model.get(name).with(view.model.get("point"), number2) });
  const query = slider("Query x", { min: low, max: high, step: 0.01, says }, (query2) => view.change({ query: query2 }));
  const widths = { min: Math.log(LEAST_WIDTH), max: Math.log(high - low), step: 0.01, scale: LOGARITHM, says };
  const width = slider("Width h", widths, (width2) => view.change({ width: width2 }));
  const kernel = choice("Kernel", KERNEL_NAMES, (kernel2) => view.change({ kernel: kernel2 }));
  const number = { min: 0, max: count - 1, says: (i) => String(i + 1) };
  const point = slider("Measurement no.", number, (point2) => view.change({ point: point2 }));
  const itsX = slider("its x", { min: low, max: high, step: 0.01, says }, (number2) => replaced("key", number2));
  const itsY = slider("its y", { min: bottom, max: top, step: 0.01, says }, (number2) => replaced("value", number2));
  view.controls.append(...[query, width, kernel, point, itsX, itsY].map((control) => control.element));
  return (now) => {
    query.show(now.query);
    width.show(now.width);
    kernel.show(now.kernel);
    point.show(now.point);
    itsX.show(now.key[now.point]);
    itsY.show(now.value[now.point]);
  };
}
function listen(view, picture, made, scale) {
  drag(picture, ({ target }) => {
    const point = made.areas.indexOf(
      /** @type {SVGElement} */
      target
    );
    if (point >= 0)
      return ({ x, y }) => view.change({
        point,
        key: view.model.get("key").with(point, scale.fromX(x)),
        value: view.model.get("value").with(point, scale.fromY(y))
      });
    if (target === made.grip)
      return ({ x }) => {
        const width = Math.abs(scale.fromX(x) - view.model.get("query"));
        view.change({ width: clamp(width, LEAST_WIDTH, scale.high - scale.low) });
      };
    return ({ x }) => view.change({ query: scale.fromX(x) });
  });
}
function render(place2) {
  const names = (
    /** @type {const} */
    ["key", "value", "query", "width", "kernel", "point"]
  );
  const { model } = place2;
  const [grid, truth] = [model.get("grid"), model.get("truth")];
  const first2 = (
    /** @type {Data} */
    { key: model.get("key"), value: model.get("value"), grid, truth }
  );
  const scale = scales2(first2);
  const widest = scale.high - scale.low;
  const view = new Card(place2, {
    name: "kernel",
    title: "Kernel regression",
    tip: "drag the query, the points, the round grip of the width, or the line in the error curve. When does the curve follow every point?",
    style: STYLE3,
    names
  });
  const picture = set(view.picture(WIDTH, 326, { wide: WIDTH }), { class: "plot" });
  drawFrame(picture, first2, scale);
  const made = parts(picture, first2.key.length);
  const label = "Mean squared error over the width, three ways.";
  const side = set(view.picture(SIZE.width, SIZE.height, { label, wide: SIZE.width }), { class: "errors" });
  const curve = errorCurve(side, LEAST_WIDTH, widest);
  drag(
    side,
    () => ({ x }) => view.change({ width: curve.widthAt(x) })
  );
  const show = controls(view, scale, first2.key.length);
  listen(view, picture, made, scale);
  let drawn = "";
  view.reserve(sentences(first2, widest));
  return view.start(() => {
    const now = Object.fromEntries(names.map((name) => [name, model.get(name)]));
    const { query, width, kernel } = now;
    const data = (
      /** @type {Data} */
      { key: now.key, value: now.value, grid, truth }
    );
    const weights = attentionWeights(data.key, query, width, kernel);
    const heights = grid.map((at) => predict(data, at, width, kernel));
    set(made.fit, { d: path(grid, heights, scale.x, scale.y) || null });
    drawPoints(made, scale, data, weights, now.point);
    drawQuery(made, scale, query, width);
    set(made.mark, {
      cy: scale.y(weights ? dot(weights, data.value) : 0),
      visibility: weights ? "visible" : "hidden"
    });
    const { out } = errors(data, width, kernel);
    const wanted = JSON.stringify([now.key, now.value, kernel]);
    if (drawn !== wanted) curve.draw(data, kernel);
    drawn = wanted;
    curve.show(width, out);
    show(now);
    view.say(sentence(query, width, weights, data.value, out));
  });
}
var kernel_view_default = { render };
export {
  kernel_view_default as default
};
