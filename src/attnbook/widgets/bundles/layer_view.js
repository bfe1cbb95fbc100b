// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

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
function softmax(scores) {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/shared/matrix.js
var transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
function times(a, b) {
  const columns2 = transpose(b);
  return a.map((row) => columns2.map((column) => dot(row, column)));
}
var plus = (a, b) => a.map((row, i) => row.map((v, j) => v + b[i][j]));
var linear = (x, weight, bias) => times(x, transpose(weight)).map((row) => row.map((v, j) => v + bias[j]));
var columns = (a, from, to) => a.map((row) => row.slice(from, to));
function deviation(row) {
  const mean = sum(row) / row.length;
  return Math.sqrt(sum(row.map((v) => (v - mean) ** 2)) / row.length);
}
function layerNorm(x, gain, shift) {
  return x.map((row) => {
    const mean = sum(row) / row.length;
    const scale = Math.sqrt(deviation(row) ** 2 + 1e-5);
    return row.map((v, j) => (v - mean) / scale * gain[j] + shift[j]);
  });
}

// src/attnbook/widgets/js/layer/steps.js
var shape = (a) => `${a.length} × ${a[0].length}`;
var best = (row) => row.indexOf(Math.max(...row));
var word = ({ tokens, i }) => `“${tokens[i]}”`;
function twins({ tokens, i }, rows) {
  const twin = tokens.findIndex((token, j) => token === tokens[i] && j !== i);
  if (twin < 0) return "";
  const same = rows[i].every((v, c) => Math.abs(v - rows[twin][c]) < 1e-9);
  return ` It is ${same ? "the same row as" : "another row than"} that of the other “${tokens[i]}”, at position ${twin}.`;
}
var STEPS = [
  {
    name: "embedding",
    maps: ({ s }) => [
      { title: "row of the table", rows: s.embedding },
      { title: `times √${s.x[0].length}`, rows: s.scaled }
    ],
    says: (at) => {
      const size = at.s.x[0].length;
      return `Each id is looked up: ${word(at)} becomes ${size} numbers, which are multiplied by √${size}.${twins(at, at.s.scaled)}`;
    }
  },
  {
    name: "+ position",
    maps: ({ s }) => [
      { title: "embedding", rows: s.scaled },
      { title: "position", rows: s.positions },
      { title: "sum: enters the layer", rows: s.x }
    ],
    says: (at) => {
      const added = `The row of position ${at.i} is added to ${word(at)}.`;
      return (at.placed ? added : "The positions are switched off: nothing is added.") + twins(at, at.s.x);
    }
  },
  {
    name: "queries, keys, values",
    maps: ({ s }) => [
      { title: "queries Q", rows: s.q, role: "query" },
      { title: "keys K", rows: s.k, role: "key" },
      { title: "values V", rows: s.v, role: "value" }
    ],
    says: ({ s }) => {
      const head = s.q[0].length / s.scores.length;
      const next = s.scores.length > 1 ? `, head 2 with the next ${head}.` : ".";
      return `Three matrices make a query, a key and a value of each row. Head 1 works with the first ${head} columns${next}`;
    }
  },
  {
    name: "scores",
    maps: ({ s, tokens }) => s.scores.map((rows, h) => ({ title: `scores of head ${h + 1}`, rows, names: tokens })),
    says: (at) => {
      const { s, tokens, i } = at;
      const highest = s.scores.map(
        (rows, h) => `In head ${h + 1} “${tokens[best(rows[i])]}” scores highest, ${Math.max(...rows[i]).toFixed(2)}.`
      );
      const head = s.q[0].length / s.scores.length;
      return `The query of ${word(at)} times every key, divided by √${head}. ${highest.join(" ")}`;
    }
  },
  {
    name: "softmax",
    maps: ({ s, tokens }) => s.attention.map((rows, h) => ({ title: `weights of head ${h + 1}`, rows, names: tokens })),
    says: (at) => {
      const { s, tokens, i } = at;
      const given = s.attention.map(
        (rows, h) => `Head ${h + 1}: ${word(at)} gives “${tokens[best(rows[i])]}” ${(100 * Math.max(...rows[i])).toFixed(0)} %.`
      );
      return `Each row of scores becomes weights that sum to one. ${given.join(" ")}`;
    }
  },
  {
    name: "heads joined",
    maps: ({ s }) => [
      { title: "heads side by side", rows: s.joined },
      { title: "times W_o", rows: s.attended }
    ],
    says: (at) => {
      const heads = at.s.scores.length;
      const numbers = `${heads} times ${at.s.joined[0].length / heads} numbers`;
      return `Each head takes the mean of its values with these weights: ${numbers} for ${word(at)}. W_o mixes the heads.`;
    }
  },
  {
    name: "add & norm",
    maps: ({ s }) => [
      { title: "entered", rows: s.x },
      { title: "plus attention", rows: s.added },
      { title: "normalised", rows: s.y }
    ],
    says: (at) => {
      const [from, to] = [at.s.added, at.s.y].map((rows) => deviation(rows[at.i]).toFixed(2));
      const added = `What the heads give is added to the row of ${word(at)}, which is then normalised`;
      return `${added}: its deviation goes from ${from} to ${to}.`;
    }
  },
  {
    name: "feed-forward",
    maps: ({ s }) => [
      { title: "hidden, after ReLU", rows: s.hidden },
      { title: "narrow again", rows: s.narrow }
    ],
    says: (at) => {
      const [size, row] = [at.s.x[0].length, at.s.hidden[at.i]];
      const open = `${row.filter((v) => v > 0).length} of ${row.length}`;
      const layers = `The same two layers for every token, ${size} → ${row.length} → ${size}.`;
      return `${layers} Of the hidden units of ${word(at)}, ${open} are not cut off.`;
    }
  },
  {
    name: "add & norm",
    maps: ({ s }) => [
      { title: "before", rows: s.y },
      { title: "plus feed-forward", rows: s.again },
      { title: "normalised: leaves the layer", rows: s.out }
    ],
    says: (at) => {
      const shapes = `${shape(at.s.x)} came in and ${shape(at.s.out)} goes out`;
      return `Added and normalised again. ${shapes}, so another layer can follow.${twins(at, at.s.out)}`;
    }
  }
];

// src/attnbook/widgets/js/layer/walk.js
function walk(embedding, positions, weights, numHeads) {
  const apply = (x2, name) => linear(x2, weights[`${name}.weight`], weights[`${name}.bias`]);
  const norm = (x2, name) => layerNorm(x2, weights[`${name}.norm.weight`], weights[`${name}.norm.bias`]);
  const size = embedding[0].length;
  const scaled = embedding.map((row) => row.map((v2) => v2 * Math.sqrt(size)));
  const x = plus(scaled, positions);
  const { q, k, v, scores, attention, joined } = attend(x, apply, size / numHeads);
  const attended = apply(joined, "self_attention.W_o");
  const added = plus(x, attended);
  const y = norm(added, "add_norm_1");
  const hidden = apply(y, "feed_forward.W_1").map((row) => row.map((value) => Math.max(0, value)));
  const narrow = apply(hidden, "feed_forward.W_2");
  const again = plus(y, narrow);
  const out = norm(again, "add_norm_2");
  return {
    embedding,
    scaled,
    positions,
    x,
    q,
    k,
    v,
    scores,
    attention,
    joined,
    attended,
    added,
    y,
    hidden,
    narrow,
    again,
    out
  };
}
function attend(x, apply, head) {
  const [q, k, v] = ["q", "k", "v"].map((name) => apply(x, `self_attention.W_${name}`));
  const heads = range(x[0].length / head).map((h) => [q, k, v].map((a) => columns(a, h * head, (h + 1) * head)));
  const scores = heads.map(([hq, hk]) => times(hq, transpose(hk)).map((row) => row.map((s) => s / Math.sqrt(head))));
  const attention = scores.map((rows) => rows.map(softmax));
  const pooled = heads.map(([, , hv], h) => times(attention[h], hv));
  const joined = x.map((_, i) => pooled.flatMap((rows) => rows[i]));
  return { q, k, v, scores, attention, joined };
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

// src/attnbook/widgets/js/layer_view.js
var WIDTH = 640;
var LEFT = 96;
var RIGHT = 632;
var ROW = 24;
var HEAD = 26;
var GAP = 10;
var STYLE2 = `
.layer .walk { display: flex; gap: 8px; margin-bottom: 4px; }
.layer .walk button { flex: 1; }
.layer .plus { fill: var(--query); }
.layer .minus { fill: var(--weight); }
.layer .edge { fill: none; stroke: var(--ink); stroke-opacity: 0.35; }
.layer .followed { fill: none; stroke: var(--ink); stroke-width: 2.5; }
.layer .row { cursor: pointer; }
.layer svg text { pointer-events: none; }
.layer svg text.title { font-weight: 600; }
.layer svg text.query { fill: var(--query); }
.layer svg text.key { fill: var(--key); }
.layer svg text.value { fill: var(--value); }
`;
var short = (token) => token.length > 8 ? `${token.slice(0, 7)}…` : token;
function map({ title, rows, names, role = "" }, tokens, followed, high, follow) {
  const many = rows[0].length;
  const width = (RIGHT - LEFT) / many;
  const most = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const wide = { x: LEFT, width: RIGHT - LEFT };
  const lines = rows.map((row, i) => {
    const middle = (i + 0.5) * high + 4;
    const line = svg(
      "g",
      { class: "row" },
      svg("text", { x: LEFT - 8, y: middle, "text-anchor": "end", text: short(tokens[i]) })
    );
    line.addEventListener("click", () => follow(i));
    for (const [j, value] of row.entries()) {
      const box = { x: LEFT + j * width, y: i * high, width, height: high };
      const opacity = (0.55 * Math.abs(value) / most).toFixed(3);
      const cell = svg("rect", { class: value < 0 ? "minus" : "plus", ...box, "fill-opacity": opacity });
      cell.append(svg("title", { text: `${tokens[i]}, ${names ? names[j] : j}: ${value.toFixed(3)}` }));
      line.append(cell);
      const text = value.toFixed(names ? 2 : 1).replace(/^-(0\.0+)$/, "$1");
      if (many <= 8)
        line.append(svg("text", { x: LEFT + (j + 0.5) * width, y: middle, "text-anchor": "middle", text }));
    }
    return line;
  });
  return [
    svg("text", { class: `title ${role}`, x: LEFT, y: -8, text: `${title} (${shape(rows)})` }),
    ...lines,
    svg("rect", { class: "edge", ...wide, y: 0, height: rows.length * high }),
    svg("rect", { class: "followed", ...wide, y: followed * high, height: high })
  ];
}
function follower(model, tokens) {
  const [table, embedding, weights, numHeads] = ["positions", "embedding", "weights", "num_heads"].map(
    (name) => model.get(name)
  );
  const none = table.map((row) => row.map(() => 0));
  const [placed, unplaced] = [table, none].map((positions) => walk(embedding, positions, weights, numHeads));
  return (i, positions) => ({
    ...{ tokens, i, placed: positions },
    s: positions ? placed : unplaced
  });
}
function render(place) {
  const { model } = place;
  const tokens = (
    /** @type {string[]} */
    model.get("tokens")
  );
  const start = { token: 0, placed: true };
  let now = start;
  const view = new Card(place, {
    name: "layer",
    title: "Through one encoder layer",
    tip: "follow a word that stands twice. At which step do its two rows part, and what happens without positions?",
    style: STYLE2,
    names: ["step"]
  });
  const look = (changes) => {
    now = { ...now, ...changes };
    view.redraw();
  };
  const controls = makeControls(view, tokens, look);
  const high = Math.max(3, model.get("num_heads")) * (tokens.length * ROW + HEAD + GAP);
  const picture = view.picture(WIDTH, high);
  const at = follower(model, tokens);
  const says = (step, { token, placed }) => `Step ${step + 1} of ${STEPS.length}, ${STEPS[step].name}. ${STEPS[step].says(at(token, placed))}`;
  for (const placed of [true, false])
    for (const token of tokens.keys()) view.reserve(STEPS.map((_, step) => says(step, { token, placed })));
  return view.start(
    () => {
      const step = model.get("step");
      const maps = STEPS[step].maps(at(now.token, now.placed));
      const row = (high / maps.length - HEAD - GAP) / tokens.length;
      const groups = maps.map((shown, i) => {
        const top = i * high / maps.length + HEAD;
        const parts = map(shown, tokens, now.token, row, (token) => look({ token }));
        return svg("g", { class: "map", transform: `translate(0 ${top})` }, ...parts);
      });
      picture.replaceChildren(...groups);
      const titles = maps.map(({ title, rows }) => `${title}, ${shape(rows)}`);
      set(picture, { "aria-label": `Step ${step + 1}, ${STEPS[step].name}: ${titles.join("; ")}` });
      controls.show(step, now);
      view.say(says(step, now));
    },
    () => {
      now = start;
    }
  );
}
function makeControls(view, tokens, look) {
  const go = (step2) => view.change({ step: clamp(step2, 0, STEPS.length - 1) });
  const back = button("◀ Back", () => go(view.model.get("step") - 1));
  const next = button("Next ▶", () => go(view.model.get("step") + 1));
  const says = (step2) => `${step2 + 1} of ${STEPS.length}: ${STEPS[step2].name}`;
  const step = slider("Step", { min: 0, max: STEPS.length - 1, says }, go);
  const words = tokens.map((token2, i) => (
    /** @type {[number, string]} */
    [i, `${i}: ${token2}`]
  ));
  const token = choice("Follow the token", words, (i) => look({ token: Number(i) }));
  const positions = checkbox("with positions", (placed) => look({ placed }));
  view.figure.append(element("div", { class: "walk" }, back, next));
  view.controls.append(step.element, token.element, positions.element);
  return {
    /** @param {number} now @param {{ token: number, placed: boolean }} chosen */
    show(now, chosen) {
      step.show(now);
      token.show(chosen.token);
      positions.show(chosen.placed);
    }
  };
}
var layer_view_default = { render };
export {
  layer_view_default as default
};
