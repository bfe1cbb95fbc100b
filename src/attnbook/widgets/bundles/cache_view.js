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
var POWERS = { to: Math.log2, from: (place) => 2 ** place };
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

// src/attnbook/widgets/js/shared/numbers.js
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/cache_view.js
var STYLE2 = `
.cache .bar { fill: var(--line); }
.cache .bar.chosen { fill: var(--key); }
.cache .head { fill: none; stroke: var(--query); stroke-width: 1.5; }
.cache .group { fill: var(--key); }
.cache .link { stroke: var(--ink); stroke-opacity: 0.5; }
`;
var WIDTH = 640;
var HEADS = [1, 2, 4, 8, 16, 32, 64, 128];
var SIZES = [16, 32, 64, 128, 256, 512];
var NAMES = (
  /** @type {const} */
  ["layers", "heads", "groups", "head_dim", "length", "batch", "bytes_per_number"]
);
function cacheBytes({ layers, groups, head_dim, length, batch, bytes_per_number }) {
  return 2 * layers * groups * head_dim * length * batch * bytes_per_number;
}
function inWords(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let size = bytes;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit ? size.toFixed(size < 10 ? 2 : 1) : size} ${units[unit]}`;
}
var divisors = (n) => range(n + 1).filter((d) => d > 0 && n % d === 0);
var counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
function sentence(now) {
  const bytes = cacheBytes(now);
  const each = now.heads / now.groups;
  const where = now.batch === 1 ? "in one sequence" : `in each of ${now.batch} sequences`;
  const compared = each > 1 ? `With a key-value head for every query head it would be ${each} times as much.` : "Every query head has keys and values of its own.";
  return `After ${counted(now.length, "token", "tokens")} ${where} the cache holds ${bytes.toLocaleString("en")} bytes, ${inWords(bytes)}: 2 × ${now.layers} layers × ${now.groups} × ${now.head_dim} numbers a token. ${compared}`;
}
function drawHeads(drawing, { heads, groups }) {
  const each = heads / groups;
  const step = (WIDTH - 16) / heads;
  const radius = Math.min(8, step * 0.4);
  const place = (i) => 8 + (i + 0.5) * step;
  const box = { y: 88, width: 2 * radius, height: 2 * radius };
  drawing.replaceChildren(
    ...range(heads).map((i) => {
      const middle = place(Math.floor(i / each) * each + (each - 1) / 2);
      return svg("line", { class: "link", x1: place(i), y1: 42 + radius, x2: middle, y2: 88 });
    }),
    ...range(groups).map((g) => svg("rect", { class: "group", x: place(g * each + (each - 1) / 2) - radius, ...box })),
    ...range(heads).map((i) => svg("circle", { class: "head", cx: place(i), cy: 42, r: radius }))
  );
}
function bars(picture) {
  const parts = ["multi-head", "chosen", "multi-query"].map((name, i) => {
    const top = 128 + i * 42;
    const label = svg("text", { x: 8, y: top + 2 });
    const bar = svg("rect", { class: name === "chosen" ? "bar chosen" : "bar", x: 8, y: top + 8, height: 14, rx: 2 });
    picture.append(label, bar);
    return { label, bar };
  });
  return (now) => {
    const whole = cacheBytes({ ...now, groups: now.heads });
    const cases = [
      ["multi-head attention", now.heads],
      [`these ${counted(now.groups, "group", "groups")}`, now.groups],
      ["multi-query attention", 1]
    ];
    cases.forEach(([name, groups], i) => {
      const bytes = cacheBytes({ ...now, groups: Number(groups) });
      write(parts[i].label, `${name}: ${inWords(bytes)}`);
      set(parts[i].bar, { width: Math.max(2, bytes / whole * (WIDTH - 16)).toFixed(1) });
    });
  };
}
function render(place) {
  const { model } = place;
  const view = new Card(place, {
    name: "cache",
    title: "What a decoder keeps for each token",
    tip: "choose Llama 2 7B, and go from 32 groups to 8: what is left of the cache?",
    style: STYLE2,
    names: NAMES
  });
  const picture = view.picture(WIDTH, 250);
  const heading = svg("text", { x: 8, y: 20 });
  const drawing = svg("g");
  picture.append(heading, drawing);
  const drawBars = bars(picture);
  const change = (changes) => {
    const heads = changes.heads ?? model.get("heads");
    const wanted = changes.groups ?? model.get("groups");
    view.change(
      heads % wanted ? {
        ...changes,
        groups: divisors(heads).filter((d) => d <= wanted).pop()
      } : changes
    );
  };
  const controls = makeControls(model.get("presets"), change);
  view.controls.append(...controls.elements);
  const largest = { layers: 128, groups: 64, head_dim: 512, length: 2 ** 20, batch: 1024, bytes_per_number: 4 };
  view.reserve([sentence({ ...largest, heads: 128 })]);
  return view.start(() => {
    const now = (
      /** @type {Sizes} */
      Object.fromEntries(NAMES.map((name) => [name, model.get(name)]))
    );
    controls.show(now);
    write(
      heading,
      `${counted(now.heads, "query head", "query heads")}, ${counted(now.groups, "key-value head", "key-value heads")}`
    );
    drawHeads(drawing, now);
    drawBars(now);
    view.say(sentence(now));
  });
}
function makeControls(presets, change) {
  const names = Object.keys(presets);
  const preset = choice(
    "Model",
    [["", "of your own"], ...names.map((name) => (
      /** @type {[string, string]} */
      [name, name]
    ))],
    (name) => {
      if (!name) return;
      const [layers2, heads2, groups2, head_dim] = presets[name];
      change({ layers: layers2, heads: heads2, groups: groups2, head_dim });
    }
  );
  const pairs = (numbers) => numbers.map((n) => (
    /** @type {[number, number]} */
    [n, n]
  ));
  const layers = slider("Layers", { min: 1, max: 128 }, (value) => change({ layers: value }));
  const heads = choice("Query heads", pairs(HEADS), (value) => change({ heads: Number(value) }));
  const groups = choice("Key-value heads", [], (value) => change({ groups: Number(value) }));
  const size = choice("Size of a head", pairs(SIZES), (value) => change({ head_dim: Number(value) }));
  const tokens = { min: 0, max: 20, scale: POWERS, says: (n) => n.toLocaleString("en") };
  const length = slider("Tokens", tokens, (value) => change({ length: value }));
  const sequences = { min: 0, max: 10, scale: POWERS };
  const batch = slider("Sequences", sequences, (value) => change({ batch: value }));
  const bytes = choice(
    "Bytes of a number",
    [
      [4, "4 (fp32)"],
      [2, "2 (bf16)"],
      [1, "1 (8 bits)"]
    ],
    (value) => change({ bytes_per_number: Number(value) })
  );
  return {
    elements: [preset, layers, heads, groups, size, length, batch, bytes].map((control) => control.element),
    /** @param {Sizes} now */
    show(now) {
      const own = [now.layers, now.heads, now.groups, now.head_dim];
      preset.show(names.find((name) => presets[name].every((number, i) => number === own[i])) ?? "");
      groups.offer(pairs(divisors(now.heads)));
      layers.show(now.layers);
      heads.show(now.heads);
      groups.show(now.groups);
      size.show(now.head_dim);
      length.show(now.length);
      batch.show(now.batch);
      bytes.show(now.bytes_per_number);
    }
  };
}
var cache_view_default = { render };
export {
  cacheBytes,
  cache_view_default as default,
  inWords
};
