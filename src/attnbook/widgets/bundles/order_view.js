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
  change(changes2) {
    for (const [key, value] of Object.entries(changes2)) this.model.set(key, value);
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
function softmax(scores) {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/position_view.js
var TABLE = { left: 46, right: 628, top: 24, bottom: 204 };
var WIDE = TABLE.right - TABLE.left;
var HIGH = TABLE.bottom - TABLE.top;
function encoding(position, size, base) {
  return range(size).map((entry) => {
    const angle = position * base ** (-(entry - entry % 2) / size);
    return entry % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

// src/attnbook/widgets/js/shared/matrix.js
var transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
function times(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}
var plus = (a, b) => a.map((row, i) => row.map((v, j) => v + b[i][j]));

// src/attnbook/widgets/js/order_view.js
var WIDTH = 640;
var TILE = { top: 6, height: 60 };
var CELLS = { top: 108, height: 28 };
var STYLE2 = `
.order svg { touch-action: pan-y; }
.order .tile { fill: var(--fill); stroke: var(--muted); stroke-width: 1.5; cursor: grab; }
.order .chosen { stroke: var(--query); stroke-width: 3; }
.order svg text { pointer-events: none; }
.order .cell { stroke: var(--line); stroke-width: 0.5; pointer-events: none; }
.order .moved { fill: var(--query); }
`;
function outputs(vectors, matrices, order, positions) {
  const size = vectors[0].length;
  const inOrder = order.map((word) => vectors[word]);
  const x = positions ? plus(
    inOrder,
    order.map((_, i) => encoding(i, size, 1e4))
  ) : inOrder;
  const [q, k, v] = matrices.map((matrix) => times(x, transpose(matrix)));
  const weights = times(q, transpose(k)).map((row) => softmax(row.map((score) => score / Math.sqrt(size))));
  return times(weights, v);
}
function changes(vectors, matrices, order, positions) {
  const first2 = outputs(vectors, matrices, range(order.length), positions);
  const now = outputs(vectors, matrices, order, positions);
  return { now, changed: order.map((word, i) => Math.max(...now[i].map((y, e) => Math.abs(y - first2[word][e])))) };
}
function paint(value, theme) {
  const { query, paper, weight } = COLOURS[theme];
  const [end, zero] = [channels(value < 0 ? weight : query), channels(paper)];
  const mixed = zero.map((c, i) => Math.round(c + Math.min(1, Math.abs(value)) * (end[i] - c)));
  return `rgb(${mixed.join(" ")})`;
}
function parts(picture, words, size) {
  const middle = { "text-anchor": "middle", "dominant-baseline": "central" };
  const columns = words.map((word) => {
    const made = {
      tile: svg("rect", { class: "tile", y: TILE.top, height: TILE.height, rx: 8 }),
      word: svg("text", { ...middle, y: TILE.top + TILE.height / 2, text: word }),
      cells: range(size).map(
        (e) => svg("rect", { class: "cell", y: CELLS.top + e * CELLS.height, height: CELLS.height })
      ),
      change: svg("text", { ...middle, y: CELLS.top + size * CELLS.height + 20 })
    };
    picture.append(made.tile, made.word, ...made.cells, made.change);
    return made;
  });
  picture.append(svg("text", { x: 4, y: 96, text: "output of each word" }));
  return columns;
}
function render(place2) {
  const { model } = place2;
  const view = new Card(place2, {
    name: "order",
    title: "The same words in another order",
    tip: "drag a word to another place. Do the colours below it change? Then add positions, and drag again.",
    style: STYLE2,
    names: ["order", "word", "positions"]
  });
  const words = (
    /** @type {string[]} */
    model.get("words")
  );
  const vectors = (
    /** @type {Matrix} */
    model.get("vectors")
  );
  const matrices = (
    /** @type {Matrix[]} */
    model.get("matrices")
  );
  const size = vectors[0].length;
  const wide = WIDTH / words.length;
  const picture = view.picture(WIDTH, CELLS.top + size * CELLS.height + 40, { size: 15 });
  const columns = parts(picture, words, size);
  const most = Math.max(
    ...[true, false].flatMap((on) => outputs(vectors, matrices, range(words.length), on).flat().map(Math.abs))
  );
  function put(word, to) {
    const others = model.get("order").filter((other) => other !== word);
    others.splice(clamp(to, 0, words.length - 1), 0, word);
    view.change({ order: others, word });
  }
  drag(picture, ({ target }) => {
    const word = columns.findIndex(({ tile }) => tile === target);
    return word < 0 ? null : ({ x }) => put(word, Math.floor(x / wide));
  });
  const step = (by) => () => {
    const word = model.get("word");
    put(word, model.get("order").indexOf(word) + by);
  };
  const names = words.map((word, i) => (
    /** @type {[number, string]} */
    [i, `${i + 1}: ${word}`]
  ));
  const chooser = choice("Word", names, (word) => view.change({ word: Number(word) }));
  const positions = checkbox("Add positions", (on) => view.change({ positions: on }));
  view.controls.append(
    chooser.element,
    button("Move left", step(-1)),
    button("Move right", step(1)),
    positions.element
  );
  return view.start((theme) => {
    const [order, word, on] = ["order", "word", "positions"].map((name) => model.get(name));
    const { now, changed } = changes(vectors, matrices, order, on);
    order.forEach((which, i) => {
      const { tile, word: label, cells, change } = columns[which];
      set(tile, { x: i * wide + 5, width: wide - 10, class: which === word ? "tile chosen" : "tile" });
      set(label, { x: (i + 0.5) * wide });
      for (const [e, cell] of cells.entries())
        set(cell, { x: i * wide + 5, width: wide - 10, fill: paint(now[i][e] / most, theme) });
      set(change, { x: (i + 0.5) * wide, class: changed[i] > 1e-6 ? "moved" : "" });
      write(change, `±${changed[i].toFixed(2)}`);
    });
    chooser.show(word);
    positions.show(on);
    const largest = Math.max(...changed).toFixed(2);
    const verdict = Number(largest) ? `the largest change of an output is ${largest}` : "no word's output has changed";
    view.say(
      `“${order.map((which) => words[which]).join(" ")}”, positions ${on ? "added" : "off"}: compared with the first order, ${verdict}.`
    );
  });
}
var order_view_default = { render };
export {
  order_view_default as default,
  outputs
};
