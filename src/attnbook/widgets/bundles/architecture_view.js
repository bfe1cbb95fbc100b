// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/architecture/boxes.js
var by = (...sizes) => sizes.join(" × ");
var attention = ({ d_model, num_heads }, queries, keys) => [
  ["queries", by(num_heads, queries, d_model / num_heads)],
  ["keys, values", by(num_heads, keys, d_model / num_heads)],
  ["weights", by(num_heads, queries, keys)],
  ["out", by(queries, d_model)]
];
var forward = ({ d_model, d_ff }, rows) => [
  ["in", by(rows, d_model)],
  ["hidden", by(rows, d_ff)],
  ["out", by(rows, d_model)]
];
var BOXES = {
  embedding: {
    name: "Embedding",
    does: "Looks up one row of a table for each token. There is nothing to read without it, so it has no switch.",
    shapes: ({ sizes, source, target }) => [
      ["source", by(source, sizes.d_model)],
      ["target", by(target, sizes.d_model)]
    ]
  },
  positions: {
    name: "Positions",
    does: "Adds to each row where its token stands.",
    shapes: ({ sizes, source, target }) => [
      ["source", by(source, sizes.d_model)],
      ["target", by(target, sizes.d_model)]
    ]
  },
  "encoder.self_attention": {
    name: "Encoder's self-attention",
    does: "Every source token reads from every source token.",
    shapes: ({ sizes, source }) => attention(sizes, source, source)
  },
  "encoder.feed_forward": {
    name: "Encoder's feed-forward",
    does: "Two layers that work on each source token by itself.",
    shapes: ({ sizes, source }) => forward(sizes, source)
  },
  "decoder.self_attention": {
    name: "Masked self-attention",
    does: "Every target token reads from itself and the target tokens before it.",
    shapes: ({ sizes, target }) => attention(sizes, target, target)
  },
  "decoder.cross_attention": {
    name: "Cross-attention",
    does: "Every target token reads from the encoder's output. It is the only way from source to target.",
    shapes: ({ sizes, source, target }) => attention(sizes, target, source)
  },
  "decoder.feed_forward": {
    name: "Decoder's feed-forward",
    does: "Two layers that work on each target token by itself.",
    shapes: ({ sizes, target }) => forward(sizes, target)
  },
  add_norm: {
    name: "Add & norm",
    does: "Adds a sublayer's input to its output (the residual), then brings each row to one size (the norm).",
    shapes: ({ sizes, source, target }) => [
      ["encoder", by(source, sizes.d_model)],
      ["decoder", by(target, sizes.d_model)]
    ]
  },
  head: {
    name: "Linear, softmax",
    does: "Scores every word of the vocabulary. Without it there is nothing to write, so it has no switch.",
    shapes: ({ sizes, target }) => [
      ["in", by(target, sizes.d_model)],
      ["scores", by(target, sizes.vocab_size)]
    ]
  }
};
var SWITCHES = {
  positions: "positions",
  "encoder.self_attention": "encoder self-attention",
  "encoder.feed_forward": "encoder feed-forward",
  "decoder.self_attention": "masked self-attention",
  "decoder.cross_attention": "cross-attention",
  "decoder.feed_forward": "decoder feed-forward",
  residual: "residual (add)",
  norm: "norm"
};
var boxOf = (part) => part === "residual" || part === "norm" ? "add_norm" : part;

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

// src/attnbook/widgets/js/architecture/map.js
var WIDTH = 340;
var HEIGHT = 416;
var BOX = { width: 136, height: 28 };
var STEP = 40;
var BOTTOM = 364;
var LEFT = { encoder: 22, decoder: 190 };
var ENCODER = [
  ["embedding", "embedding"],
  ["positions", "+ positions"],
  ["encoder.self_attention", "self-attention"],
  ["add_norm", "add & norm"],
  ["encoder.feed_forward", "feed-forward"],
  ["add_norm", "add & norm"]
];
var DECODER = [
  ["embedding", "embedding"],
  ["positions", "+ positions"],
  ["decoder.self_attention", "masked self-att."],
  ["add_norm", "add & norm"],
  ["decoder.cross_attention", "cross-attention"],
  ["add_norm", "add & norm"],
  ["decoder.feed_forward", "feed-forward"],
  ["add_norm", "add & norm"],
  ["head", "linear, softmax"]
];
var STYLE = `
.architecture .box { cursor: pointer; }
.architecture .box rect { fill: var(--fill); stroke: var(--line); stroke-width: 1.5; }
.architecture .box.mixing rect { fill: color-mix(in srgb, var(--weight) 14%, var(--paper)); stroke: var(--weight); }
.architecture .box.network rect { fill: color-mix(in srgb, var(--value) 14%, var(--paper)); stroke: var(--value); }
.architecture .box[aria-pressed=true] rect { stroke-width: 3.5; }
.architecture .box.off rect { fill: none; stroke-dasharray: 5 4; }
.architecture .box.off text { text-decoration: line-through; }
.architecture .box:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.architecture svg text { pointer-events: none; }
.architecture .layer { fill: none; stroke: var(--line); stroke-dasharray: 2 3; }
.architecture .way { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.architecture .residual { fill: none; stroke: var(--query); stroke-width: 1.8; }
.architecture .gone { opacity: 0.18; stroke-dasharray: 3 4; }
`;
var top = (row) => BOTTOM - row * STEP - (row === 8 ? 18 : 0);
var middle = (side) => LEFT[side] + BOX.width / 2;
function drawMap(picture, layers, choose) {
  const boxes = [];
  const ways = [];
  for (
    const [side, stack] of
    /** @type {const} */
    [
      ["encoder", ENCODER],
      ["decoder", DECODER]
    ]
  ) {
    const last = side === "encoder" ? 5 : 7;
    picture.append(frame(side, last, layers));
    for (const [row, [id]] of stack.entries()) {
      if (row < stack.length - 1) ways.push({ way: stack[row + 1][0], node: upwards(side, row) });
      if (id === "add_norm") ways.push({ way: "residual", node: around(side, row) });
    }
    for (const [row, [id, label]] of stack.entries()) boxes.push(box(side, row, id, label, choose));
  }
  for (
    const [side, text] of
    /** @type {const} */
    [
      ["encoder", "source"],
      ["decoder", "target so far"]
    ]
  )
    picture.append(svg("text", { x: middle(side), y: BOTTOM + BOX.height + 17, "text-anchor": "middle", text }));
  ways.push({ way: "decoder.cross_attention", node: across() });
  picture.prepend(...ways.map(({ node }) => node));
  picture.append(...boxes.map(({ node }) => node));
  return (chosen, off) => {
    for (const { id, label, node, text } of boxes) {
      const [noSum, noNorm] = ["residual", "norm"].map((part) => off.includes(part));
      const left = noSum && noNorm ? "add & norm" : noSum ? "norm" : noNorm ? "add" : "add & norm";
      set(text, { text: id === "add_norm" ? left : label });
      set(node, { "aria-pressed": String(id === chosen) });
      node.classList.toggle("off", id === "add_norm" ? noSum && noNorm : off.includes(id));
    }
    for (const { way, node } of ways)
      if (way === "residual" || way === "decoder.cross_attention") node.classList.toggle("gone", off.includes(way));
  };
}
function frame(side, last, layers) {
  const y = top(last) - 8;
  const x = LEFT[side] - 16;
  const height = top(2) + BOX.height + 9 - y;
  return svg(
    "g",
    {},
    svg("rect", { class: "layer", x, y, width: BOX.width + 26, height, rx: 8 }),
    svg("text", { x, y: y - 6, text: side }),
    svg("text", { x: middle(side) + 8, y: y - 6, text: `× ${layers}` })
  );
}
var upwards = (side, row) => svg("path", { class: "way", d: `M${middle(side)} ${top(row)}V${top(row + 1) + BOX.height}` });
function around(side, row) {
  const from = top(row - 1) + BOX.height + 6;
  const to = top(row) + BOX.height / 2;
  const x = LEFT[side];
  return svg("path", {
    class: "residual",
    d: `M${middle(side)} ${from}H${x - 5}Q${x - 10} ${from} ${x - 10} ${from - 5}V${to + 5}Q${x - 10} ${to} ${x - 5} ${to}H${x}`
  });
}
function across() {
  const from = top(5);
  const to = top(4) + BOX.height / 2;
  const between = LEFT.encoder + BOX.width + 16;
  const d = `M${middle("encoder")} ${from}V${from - 30}H${between}V${to}H${LEFT.decoder}`;
  return svg("path", { class: "way", d });
}
function box(side, row, id, label, choose) {
  const [x, y] = [LEFT[side], top(row)];
  const kind = id.includes("attention") ? "mixing" : id.includes("forward") ? "network" : "plain";
  const text = svg("text", { x: x + BOX.width / 2, y: y + 19, "text-anchor": "middle", text: label });
  const node = svg(
    "g",
    { class: `box ${kind}`, role: "button", tabindex: 0 },
    svg("rect", { x, y, ...BOX, rx: 6 }),
    text
  );
  node.addEventListener("click", () => choose(id));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(id);
  });
  return { id, label, node, text };
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

// src/attnbook/widgets/js/architecture_view.js
var STYLE3 = `${STYLE}
.architecture .sides { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: start; }
.architecture .sides > svg { flex: 1 1 320px; max-width: 380px; }
.architecture .beside { flex: 1 1 240px; }
.architecture .panels, .architecture .switches { display: grid; }
.architecture .switches { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0 12px; margin-top: 6px; }
.architecture .panel { grid-area: 1 / 1; }
.architecture .panel:not(.chosen) { visibility: hidden; }
.architecture .panel p { margin: 4px 0; }
.architecture .name { font-weight: 650; }
.architecture .panel a { color: var(--weight); display: inline-block; line-height: 24px; }
.architecture dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 6px 0; font-variant-numeric: tabular-nums; }
.architecture dt { color: var(--muted); }
.architecture dd { margin: 0; }
`;
var quoted = (text) => text ? `“${text}”` : "nothing at all.";
function says(sentence, parts, off) {
  const whole = `“${sentence.text}” With everything on it writes: ${quoted(sentence.writes[0])}`;
  if (!off.length) return whole;
  const names = off.length > 2 ? `${off.length} parts` : off.map((part) => SWITCHES[part]).join(" and ");
  const now = sentence.writes[off.reduce((sum, part) => sum + 2 ** parts.indexOf(part), 0)];
  return `${whole} Without ${names}: ${now === sentence.writes[0] ? "the same." : quoted(now)}`;
}
function render(place) {
  const { model } = place;
  const parts = (
    /** @type {string[]} */
    model.get("parts")
  );
  const sentences = (
    /** @type {Sentence[]} */
    model.get("sentences")
  );
  const view = new Card(place, {
    name: "architecture",
    title: "A map of the Transformer",
    tip: "choose a box to see what goes through it. Then switch parts off, one at a time. Which does this sentence need, and which does it not miss?",
    style: STYLE3,
    names: ["sentence", "chosen", "off"]
  });
  const picture = view.picture(WIDTH, HEIGHT, { wide: WIDTH, label: "Map of encoder and decoder" });
  set(picture, { role: "group" });
  const panels = Object.fromEntries(Object.keys(BOXES).map((id) => [id, panel(model, id)]));
  const switches = makeSwitches(view, parts);
  const beside = element(
    "div",
    { class: "beside" },
    element("div", { class: "panels" }, ...Object.values(panels).map(({ node }) => node)),
    element("div", { class: "switches" }, ...switches.map(({ box: box2 }) => box2.element))
  );
  view.figure.append(element("div", { class: "sides" }, picture, beside));
  const mark = drawMap(picture, model.get("sizes").num_layers, (chosen) => view.change({ chosen }));
  const sentence = choice(
    "Sentence",
    sentences.map(({ text }, i) => [i, text]),
    (i) => view.change({ sentence: Number(i) })
  );
  view.controls.append(sentence.element);
  const subsets = Array.from({ length: 2 ** parts.length }, (_, set2) => parts.filter((_2, bit) => set2 & 2 ** bit));
  for (const it of sentences) view.reserve(subsets.map((off) => says(it, parts, off)));
  return view.start(() => {
    const [chosen, off, now] = [model.get("chosen"), model.get("off"), sentences[model.get("sentence")]];
    mark(chosen, off);
    for (const [id, { node, show }] of Object.entries(panels)) {
      node.classList.toggle("chosen", id === chosen);
      show(now.source, now.target);
    }
    for (const { part, box: box2 } of switches) box2.show(!off.includes(part));
    sentence.show(model.get("sentence"));
    view.say(says(now, parts, off));
  });
}
function makeSwitches(view, parts) {
  return parts.map((part) => {
    const box2 = checkbox(SWITCHES[part], (on) => {
      const off = (
        /** @type {string[]} */
        view.model.get("off")
      );
      const rest = parts.filter((other) => other === part ? !on : off.includes(other));
      view.change({ off: rest, chosen: boxOf(part) });
    });
    return { part, box: box2 };
  });
}
function panel(model, id) {
  const { name, does, shapes } = BOXES[id];
  const sizes = model.get("sizes");
  const list = element("dl");
  const node = element(
    "div",
    { class: "panel" },
    element("div", { class: "name", text: name }),
    element("p", { text: does }),
    list
  );
  const section = model.get("sections")[id];
  if (section && document.getElementById(section))
    node.append(element("a", { href: `#${section}`, text: "to its section" }));
  return {
    node,
    /** @param {number} source @param {number} target */
    show(source, target) {
      const rows = [
        ...shapes({ sizes, source, target }),
        ["weights learned", model.get("parameters")[id].toLocaleString("en")]
      ];
      list.replaceChildren(
        ...rows.flatMap(([what, shape]) => [element("dt", { text: what }), element("dd", { text: shape })])
      );
    }
  };
}
var architecture_view_default = { render };
export {
  architecture_view_default as default
};
