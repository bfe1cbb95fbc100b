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

// src/attnbook/widgets/js/shared/numbers.js
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

// src/attnbook/widgets/js/mask_view.js
var SCORES = { ordinary: [1, 2, 3, 4], "very low": [-1e6, -2e6, -3e6, -4e6] };
var PRECISIONS = {
  float32: { lowest: -34028234663852886e22, says: "-3.4e38", infinite: Infinity },
  bfloat16: { lowest: -33895313892515355e22, says: "-3.4e38", infinite: Infinity },
  float16: { lowest: -65504, says: "-65504", infinite: 65520 }
};
var FILLS = [
  ["-1e6", "-1e6"],
  ["-1e9", "-1e9"],
  ["-inf", "minus infinity"],
  ["lowest", "lowest finite number"]
];
var NAMES = (
  /** @type {const} */
  ["scores", "allowed", "fill", "precision", "after"]
);
var WIDTH = 480;
var LEFT = 92;
var ROWS = { key: 16, score: 42, filled: 68, bars: [88, 168], weight: 190 };
var STYLE2 = `
.mask .weight { fill: var(--weight); }
.mask .figure { max-width: 520px; margin: 0 auto; }
.mask .axis { stroke: var(--line); }
.mask .hidden { fill: var(--key); font-weight: 600; }
`;
function filledWeights({ scores, allowed, fill, precision, after }) {
  const { lowest, infinite } = PRECISIONS[precision];
  const held = (number) => Math.abs(number) >= infinite ? Math.sign(number) * Infinity : number;
  const over = fill === "lowest" ? lowest : fill === "-inf" ? -Infinity : held(Number(fill));
  const filled = SCORES[scores].map((score, i) => allowed[i] ? held(score) : over);
  const weights = softmax(filled).map((weight, i) => weight * (after && !allowed[i] ? 0 : 1));
  return { filled, weights };
}
function told(number, precision) {
  if (Number.isNaN(number)) return "NaN";
  if (Math.abs(number) === Infinity) return number < 0 ? "-∞" : "∞";
  if (number === PRECISIONS[precision].lowest) return PRECISIONS[precision].says;
  return Math.abs(number) < 1e5 ? String(number) : number.toExponential().replace("+", "");
}
function sentence(allowed, weights) {
  const list = weights.map((weight) => Number.isNaN(weight) ? "NaN" : weight.toFixed(2)).join(", ");
  const hidden = sum(weights.filter((_, i) => !allowed[i]));
  const verdict = () => {
    if (weights.some(Number.isNaN)) return "The softmax computed 0/0, and every layer above becomes NaN as well.";
    if (!allowed.some(Boolean))
      return hidden > 0 ? "No key is allowed, and all weights are equal: the result is the mean of the padding." : "No key is allowed, and all weights are 0: the result is 0.";
    if (hidden > 5e-4) return `${(100 * hidden).toFixed(0)} % of the weight lies on masked keys.`;
    return "Masked keys have weight 0, and the others sum to one.";
  };
  return `Weights ${list}. ${verdict()}`;
}
function parts(picture) {
  const step = (WIDTH - LEFT) / 4;
  const [top, bottom] = ROWS.bars;
  const at = (i) => LEFT + (i + 0.5) * step;
  const row = (y) => range(4).map((i) => svg("text", { x: at(i), y, "text-anchor": "middle" }));
  const made = {
    score: row(ROWS.score),
    filled: row(ROWS.filled),
    weight: row(ROWS.weight),
    bars: range(4).map((i) => svg("rect", { class: "weight", x: at(i) - 18, width: 36 }))
  };
  const names = (
    /** @type {[string, number][]} */
    [
      ["score", ROWS.score],
      ["filled", ROWS.filled],
      ["weight", ROWS.weight]
    ]
  );
  picture.append(
    ...names.map(([text, y]) => svg("text", { x: 2, y, text })),
    ...range(4).map((i) => svg("text", { x: at(i), y: ROWS.key, "text-anchor": "middle", text: `key ${i + 1}` })),
    svg("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: bottom, y2: bottom }),
    ...[made.score, made.filled, made.weight, made.bars].flat()
  );
  return {
    /** @param {Now} now */
    draw(now) {
      const { filled, weights } = filledWeights(now);
      for (const i of range(4)) {
        const high = (weights[i] || 0) * (bottom - top);
        write(made.score[i], told(SCORES[now.scores][i], "float32"));
        write(made.filled[i], told(filled[i], now.precision));
        set(made.filled[i], { class: now.allowed[i] ? "" : "hidden" });
        write(made.weight[i], Number.isNaN(weights[i]) ? "NaN" : weights[i].toFixed(2));
        set(made.bars[i], { y: bottom - high, height: high });
      }
      return weights;
    }
  };
}
function render(place) {
  const { model } = place;
  const view = new Card(place, {
    name: "mask",
    title: "Masked scores",
    tip: "mask all four keys. Then find a setting that gives zeros in every precision.",
    style: STYLE2,
    names: NAMES
  });
  const made = parts(view.picture(WIDTH, 198, { wide: WIDTH }));
  const boxes = range(4).map(
    (i) => checkbox(`key ${i + 1} is real`, (on) => view.change({ allowed: model.get("allowed").with(i, on) }))
  );
  const precisions = Object.keys(PRECISIONS).map((name) => (
    /** @type {[string, string]} */
    [name, name]
  ));
  const kinds = Object.keys(SCORES).map((name) => (
    /** @type {[string, string]} */
    [name, name]
  ));
  const fill = choice("Filled with", FILLS, (fill2) => view.change({ fill: fill2 }));
  const precision = choice("Precision", precisions, (precision2) => view.change({ precision: precision2 }));
  const scores = choice("Scores", kinds, (scores2) => view.change({ scores: scores2 }));
  const after = checkbox("times mask afterwards", (after2) => view.change({ after: after2 }));
  view.controls.append(...[...boxes, fill, precision, scores, after].map((control) => control.element));
  view.reserve([sentence([false], [1, NaN, NaN, NaN]), sentence([false, false, false, false], Array(4).fill(0.25))]);
  return view.start(() => {
    const now = (
      /** @type {Now} */
      Object.fromEntries(NAMES.map((name) => [name, model.get(name)]))
    );
    const weights = made.draw(now);
    boxes.forEach((box, i) => {
      box.show(now.allowed[i]);
    });
    fill.show(now.fill);
    precision.show(now.precision);
    scores.show(now.scores);
    after.show(now.after);
    view.say(sentence(now.allowed, weights));
  });
}
var mask_view_default = { render };
export {
  mask_view_default as default,
  filledWeights
};
