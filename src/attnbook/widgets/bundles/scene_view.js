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

// src/attnbook/widgets/js/scene_view.js
var COLUMNS = 3;
var CELL = { width: 213, height: 176 };
var STYLE2 = `
.scene { --red: #c62828; --paper: #fbf8ef; --glow: #f2b632; }
.scene[data-theme=dark] { --red: #ff6f61; --paper: #34343c; --glow: #8f6d0c; }
.scene .thing { cursor: pointer; }
.scene .area { fill: transparent; }
.scene .thing:hover .area { fill: var(--ink); fill-opacity: 0.06; }
.scene .glow { fill: var(--glow); }
.scene .shape * { stroke: var(--ink); stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; fill: none; }
.scene .shape .body { fill: var(--paper); }
.scene .shape .red { fill: var(--red); }
.scene .shape[data-gone=true] { opacity: 0.15; }
.scene .bar { fill: var(--weight); }
.scene .rail { fill: var(--ink); fill-opacity: 0.15; }
.scene fieldset { display: flex; flex-wrap: wrap; gap: 0 16px; grid-column: 1 / -1; border: 0; padding: 0; margin: 0; }
.scene legend { padding: 0; color: var(--muted); font-size: 13px; }
`;
var SHAPES = {
  cup: [
    ["body", "M22 34H70L64 86H28Z"],
    ["", "M69 44C92 42 92 70 66 70"]
  ],
  newspaper: [
    ["body", "M14 22H86V84H14Z"],
    ["", "M22 34H78M22 48H46M22 58H46M22 68H46M54 48H78M54 58H78M54 68H78"]
  ],
  book: [
    ["body", "M50 32C38 22 22 22 10 26V80C22 76 38 76 50 86C62 76 78 76 90 80V26C78 22 62 22 50 32Z"],
    ["", "M50 32V86M20 40L40 44M20 52L40 56M60 44L80 40M60 56L80 52"]
  ],
  lamp: [
    ["body", "M36 12H64L82 48H18Z"],
    ["", "M50 48V84M32 86H68M22 60L14 68M78 60L86 68"]
  ],
  plant: [
    ["body", "M32 62H68L62 90H38Z"],
    ["", "M50 62V28M50 44C30 44 24 30 24 18C42 20 50 30 50 44M50 52C68 52 76 40 76 26C60 28 50 38 50 52"]
  ],
  bottle: [
    ["body", "M42 8H58V30C68 36 70 42 70 50V90H30V50C30 42 32 36 42 30Z"],
    ["", "M30 58H70M30 74H70"]
  ]
};
var WISHES = [
  ["0", "nothing in particular"],
  ["printed", "something to read"],
  ["drink", "something to drink"],
  ["red", "something red"],
  ["own", "as the sliders say"]
];
var WISHED = 4;
function saliency(keys) {
  return keys.map((key, i) => {
    const others = keys.filter((_, j) => j !== i);
    if (!others.length) return 0;
    return Math.hypot(...key.map((x, f) => x - sum(others.map((other) => other[f])) / others.length));
  });
}
function sceneWeights(keys, query, pull, present) {
  const there = range(keys.length).filter((i) => present[i]);
  const drawn = saliency(there.map((i) => keys[i]));
  const shares = softmax(there.map((i, n) => dot(keys[i], query) + pull * drawn[n]));
  return keys.map((_, i) => present[i] ? shares[there.indexOf(i)] : 0);
}
function wishOf(query, features) {
  const asked = features.filter((_, f) => query[f] !== 0);
  if (!asked.length) return "0";
  const known = asked.length === 1 && WISHES.some(([name]) => name === asked[0]);
  return known && query[features.indexOf(asked[0])] === WISHED ? asked[0] : "own";
}
function things(picture, names, toggle) {
  return names.map((name, i) => {
    const paths = SHAPES[name].map(([kind, d]) => svg("path", { class: kind, d }));
    const parts = {
      glow: svg("ellipse", { class: "glow", cx: CELL.width / 2, cy: 66, rx: 96, ry: 64 }),
      shape: svg("g", { class: "shape", transform: `translate(${CELL.width / 2 - 50} 14)` }, ...paths),
      words: svg("text", { class: "share", x: CELL.width / 2, y: 148, "text-anchor": "middle" }),
      bar: svg("rect", { class: "bar", x: 30, y: 158, height: 8 })
    };
    const corner = `translate(${i % COLUMNS * CELL.width} ${Math.floor(i / COLUMNS) * CELL.height})`;
    const group = svg(
      "g",
      { class: "thing", transform: corner },
      svg("rect", { class: "area", width: CELL.width, height: CELL.height, rx: 8 }),
      parts.glow,
      parts.shape,
      parts.words,
      svg("rect", { class: "rail", x: 30, y: 158, width: CELL.width - 60, height: 8 }),
      parts.bar
    );
    group.addEventListener("click", () => toggle(i));
    picture.append(group);
    return { ...parts, body: paths[0] };
  });
}
function drawThing({ glow, shape, body, bar, words }, name, { weight, there, red }) {
  set(glow, { "fill-opacity": (0.9 * weight ** 0.75).toFixed(3) });
  set(shape, { "data-gone": String(!there) });
  set(body, { class: red ? "body red" : "body" });
  set(bar, { width: (weight * (CELL.width - 60)).toFixed(2) });
  write(words, `${name} ${there ? `${(100 * weight).toFixed(0)} %` : "–"}`);
}
function sentence(names, weights, present, offers, value) {
  const there = range(names.length).filter((i) => present[i]);
  if (!there.length) return "The table is empty: there is nothing to look at, and no weight to give.";
  const [first2, second] = there.toSorted((a, b) => weights[b] - weights[a]);
  const percent = (i) => `${(100 * weights[i]).toFixed(0)} %`;
  const beside = second === void 0 ? "" : `, the ${names[second]} ${percent(second)}`;
  const mean = offers.map((offer, o) => `${sum(weights.map((w, i) => w * value[i][o])).toFixed(1)} ${offer}`);
  return `The ${names[first2]} gets ${percent(first2)} of the weight${beside}. The weighted mean of the values: ${mean.join(" and ")}.`;
}
function render(place) {
  const { model } = place;
  const [names, features, offers] = (
    /** @type {string[][]} */
    ["names", "features", "offers"].map((name) => model.get(name))
  );
  const red = features.indexOf("red");
  let present = names.map(() => true);
  let painted = false;
  const view = new Card(place, {
    name: "scene",
    title: "What draws your eye",
    tip: "look for something to read, then press the thing that wins: it leaves the table. Where does its weight go?",
    style: STYLE2,
    names: ["query", "pull"]
  });
  const rows = Math.ceil(names.length / COLUMNS);
  const toggle = (thing) => {
    present = present.with(thing, !present[thing]);
    view.redraw();
  };
  const drawn = things(view.picture(COLUMNS * CELL.width, rows * CELL.height, { wide: 600 }), names, toggle);
  const longest = names.toSorted((a, b) => b.length - a.length);
  const halves = names.map((_, i) => i < 2 ? 0.5 : 0);
  view.reserve([sentence(longest, halves, present, offers, model.get("value"))]);
  const controls = makeControls(view, names, features, {
    toggle,
    paint(on) {
      painted = on;
      view.redraw();
    }
  });
  return view.start(
    () => {
      const [query, pull] = [model.get("query"), model.get("pull")];
      const keys = (
        /** @type {number[][]} */
        model.get("key").map((key) => painted ? key.with(red, 1) : key)
      );
      const weights = sceneWeights(keys, query, pull, present);
      drawn.forEach((thing, i) => {
        drawThing(thing, names[i], { weight: weights[i], there: present[i], red: keys[i][red] > 0.5 });
      });
      controls.show({ query, pull, present, painted });
      view.say(sentence(names, weights, present, offers, model.get("value")));
    },
    () => {
      present = names.map(() => true);
      painted = false;
    }
  );
}
function makeControls(view, names, features, { toggle, paint }) {
  const says = (value) => value.toFixed(1);
  const wishes = WISHES.filter(([name]) => name === "0" || name === "own" || features.includes(name));
  const wish = choice("I want", wishes, (wanted) => {
    if (wanted !== "own") view.change({ query: features.map((name) => name === wanted ? WISHED : 0) });
  });
  const query = features.map(
    (name, f) => slider(
      `Query: ${name}`,
      { min: -6, max: 6, step: 0.5, says },
      (value) => view.change({ query: view.model.get("query").with(f, value) })
    )
  );
  const pull = slider("Pull of saliency", { min: 0, max: 5, step: 0.1, says }, (value) => view.change({ pull: value }));
  const paintBox = checkbox("Paint everything red", paint);
  const boxes = names.map((name, i) => checkbox(name, () => toggle(i)));
  const table = element(
    "fieldset",
    {},
    element("legend", { text: "On the table" }),
    ...boxes.map((box) => box.element)
  );
  view.controls.append(wish.element, ...query.map((one) => one.element), pull.element);
  if (features.includes("red")) view.controls.append(paintBox.element);
  view.controls.append(table);
  return {
    /** @param {{ query: number[], pull: number, present: boolean[], painted: boolean }} now */
    show(now) {
      wish.show(wishOf(now.query, features));
      query.forEach((one, f) => {
        one.show(now.query[f]);
      });
      pull.show(now.pull);
      paintBox.show(now.painted);
      boxes.forEach((box, i) => {
        box.show(now.present[i]);
      });
    }
  };
}
var scene_view_default = { render };
export {
  scene_view_default as default,
  saliency,
  sceneWeights
};
