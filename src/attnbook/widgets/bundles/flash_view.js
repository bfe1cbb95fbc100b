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

// src/attnbook/widgets/js/flash_view.js
var SIZE = 8;
var CELL = 30;
var SQUARE = { left: 30, top: 40 };
var PACE = 700;
var NAMES = (
  /** @type {const} */
  ["tile", "done", "query"]
);
var STYLE2 = `
.flash .cell { fill: var(--weight); stroke: var(--paper); stroke-width: 1; }
.flash .ground { fill: var(--fill); stroke: var(--edge); }
.flash .frame { fill: none; stroke: var(--ink); stroke-width: 2; }
.flash .row { fill: none; stroke: var(--query); stroke-width: 2; }
`;
function online(scores, values, tile, seen) {
  let now = { most: Number.NEGATIVE_INFINITY, total: 0, pooled: 0 };
  for (let start = 0; start < seen; start += tile) {
    const part = scores.slice(start, start + tile);
    const most = Math.max(now.most, ...part);
    const shrink = Math.exp(now.most - most);
    const shares = part.map((score) => Math.exp(score - most));
    const pooled = sum(shares.map((share, i) => share * values[start + i]));
    now = { most, total: now.total * shrink + sum(shares), pooled: now.pooled * shrink + pooled };
  }
  return now;
}
function keysSeen(query, tile, done) {
  const wide = SIZE / tile;
  return clamp(done - Math.floor(query / tile) * wide, 0, wide) * tile;
}
function sentence({ tile, done, query, scores, values }) {
  const seen = keysSeen(query, tile, done);
  const { total, pooled } = online(scores[query], values, tile, seen);
  const whole = sum(softmax(scores[query]).map((weight, i) => weight * values[i]));
  const found = seen === 0 ? "has met no key yet." : `has met ${seen} of ${SIZE} keys: o / ℓ = ${(pooled / total).toFixed(3)}. The whole softmax gives ${whole.toFixed(3)}.`;
  return `Query ${query + 1} ${found} Scores in the fast memory: ${done ? tile * tile : 0} of ${SIZE * SIZE}.`;
}
function parts(picture) {
  const side = SIZE * CELL;
  const cells = range(SIZE * SIZE).map(
    (i) => svg("rect", {
      class: "cell",
      x: SQUARE.left + i % SIZE * CELL,
      y: SQUARE.top + Math.floor(i / SIZE) * CELL,
      width: CELL,
      height: CELL
    })
  );
  const made = {
    cells,
    frame: svg("rect", { class: "frame" }),
    row: svg("rect", { class: "row", x: SQUARE.left, width: side, height: CELL }),
    lines: range(5).map((i) => svg("text", { x: 310, y: 74 + i * 44 }))
  };
  picture.append(
    svg("text", { x: SQUARE.left, y: 24, text: "keys →" }),
    svg("rect", { class: "ground", x: SQUARE.left, y: SQUARE.top, width: side, height: side }),
    ...cells,
    made.row,
    made.frame,
    ...made.lines
  );
  return made;
}
function paint(made, { tile, done, query, scores, values }) {
  const wide = SIZE / tile;
  const [down, right] = done ? [Math.floor((done - 1) / wide), (done - 1) % wide] : [-1, -1];
  const largest = Math.max(...scores.flat());
  made.cells.forEach((cell, i) => {
    const [row, column] = [Math.floor(i / SIZE), i % SIZE];
    const inside = Math.floor(row / tile) === down && Math.floor(column / tile) === right;
    const share = Math.exp(scores[row][column] - largest);
    set(cell, { "fill-opacity": inside ? (0.2 + 0.8 * share).toFixed(3) : 0 });
  });
  const place = { x: SQUARE.left + right * tile * CELL, y: SQUARE.top + down * tile * CELL };
  set(made.frame, { ...place, width: tile * CELL, height: tile * CELL, visibility: done ? "visible" : "hidden" });
  set(made.row, { y: SQUARE.top + query * CELL });
  const seen = keysSeen(query, tile, done);
  const { most, total, pooled } = online(scores[query], values, tile, seen);
  const texts = [
    `query ${query + 1}, ${seen} keys met`,
    `largest m = ${seen ? most.toFixed(2) : "−∞"}`,
    `sum ℓ = ${total.toFixed(3)}`,
    `weighted sum o = ${pooled.toFixed(3)}`,
    `o / ℓ = ${seen ? (pooled / total).toFixed(3) : "–"}`
  ];
  texts.forEach((text, i) => {
    write(made.lines[i], text);
  });
}
function render(place) {
  const { model } = place;
  const view = new Card(place, {
    name: "flash",
    title: "One tile at a time",
    tip: "follow query 2: when does its largest score change, and what happens to its sum?",
    style: STYLE2,
    names: NAMES
  });
  const made = parts(view.picture(640, 300));
  const tiles = () => (SIZE / model.get("tile")) ** 2;
  let playing;
  const stop = () => {
    clearInterval(playing);
    playing = void 0;
    write(play, "Play");
  };
  const next = () => {
    view.change({ done: Math.min(model.get("done") + 1, tiles()) });
    if (model.get("done") === tiles()) stop();
  };
  const play = button("Play", () => {
    if (playing) return stop();
    if (model.get("done") === tiles()) view.change({ done: 0 });
    write(play, "Stop");
    playing = setInterval(next, PACE);
  });
  const done = slider("Tiles done", { min: 0, max: 16 }, (value) => view.change({ done: value }));
  const sizes = [1, 2, 4, 8].map((n) => (
    /** @type {[number, string]} */
    [n, `${n} × ${n}`]
  ));
  const tile = choice("Tile", sizes, (value) => view.change({ tile: Number(value), done: 0 }));
  const says = (value) => String(value + 1);
  const query = slider("Query", { min: 0, max: SIZE - 1, says }, (value) => view.change({ query: value }));
  view.controls.append(done.element, query.element, tile.element, play);
  const now = () => ({
    tile: model.get("tile"),
    done: model.get("done"),
    query: model.get("query"),
    scores: model.get("scores"),
    values: model.get("values")
  });
  view.reserve([sentence({ ...now(), tile: 8, done: 1, values: now().values.map(() => -10) })]);
  const end = view.start(() => {
    set(done.input, { max: tiles() });
    done.show(model.get("done"));
    tile.show(model.get("tile"));
    query.show(model.get("query"));
    paint(made, now());
    view.say(sentence(now()));
  }, stop);
  return () => {
    stop();
    end();
  };
}
var flash_view_default = { render };
export {
  flash_view_default as default,
  keysSeen,
  online
};
