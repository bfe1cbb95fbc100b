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

// src/attnbook/widgets/js/shared/drag.js
function place(picture, event) {
  const box = picture.getBoundingClientRect();
  const { width, height } = picture.viewBox.baseVal;
  const x2 = (event.clientX - box.left) / box.width * width;
  return { x: x2, y: (event.clientY - box.top) / box.height * height, target: event.target };
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

// src/attnbook/widgets/js/vectors/contours.js
function levels(heights, most) {
  const largest = Math.max(...heights.flat().map(Math.abs));
  const distance = [0.1, 0.2, 0.5, 1, 2, 5].find((d) => largest / d <= most) ?? largest / most;
  const count = Math.max(0, Math.ceil(largest / distance) - 1);
  return Array.from({ length: 2 * count + 1 }, (_, i) => Number(((i - count) * distance).toFixed(6)));
}
function contour(heights, level) {
  const pieces = [];
  for (let row = 0; row + 1 < heights.length; row++)
    for (let column = 0; column + 1 < heights[row].length; column++)
      for (
        const third of
        /** @type {Point[]} */
        [
          [column + 1, row],
          [column, row + 1]
        ]
      ) {
        const crossed = crossings([[column, row], third, [column + 1, row + 1]], heights, level);
        if (crossed.length === 2) pieces.push([crossed[0], crossed[1]]);
      }
  return pieces;
}
function crossings(corners, heights, level) {
  return corners.flatMap(([x0, y0], i) => {
    const [x1, y1] = corners[(i + 1) % 3];
    const [below, above] = [heights[y0][x0] - level, heights[y1][x1] - level];
    if (below < 0 === above < 0) return [];
    const share = below / (below - above);
    return [
      /** @type {Point} */
      [x0 + share * (x1 - x0), y0 + share * (y1 - y0)]
    ];
  });
}

// src/attnbook/widgets/js/vectors_view.js
var REACH = 2.5;
var SIZE = 400;
var CELLS = 50;
var LINES = 5;
var SCORES = [
  ["dot", "dot"],
  ["scaled", "scaled dot"],
  ["general", "general"],
  ["additive", "additive"]
];
var NAMES = (
  /** @type {const} */
  ["query", "key", "score"]
);
var STYLE2 = `
.vectors .figure { max-width: 430px; margin: 0 auto; }
.vectors svg { touch-action: none; cursor: grab; }
.vectors .contour { fill: none; stroke-width: 1.5; }
.vectors .high { stroke: var(--weight); }
.vectors .low { stroke: var(--muted); stroke-dasharray: 4 3; }
.vectors .zero { stroke: var(--ink); }
.vectors text.height { font-weight: 400; text-anchor: middle; }
.vectors .warped { stroke: var(--key); stroke-opacity: 0.7; }
.vectors .axis { stroke: var(--ink); stroke-opacity: 0.4; }
.vectors .arrow { stroke-width: 3; pointer-events: none; }
.vectors .moved { stroke-dasharray: 5 4; }
.vectors .line-query { stroke: var(--query); }
.vectors .line-key { stroke: var(--key); }
.vectors circle { stroke: var(--paper); stroke-width: 1.5; }
.vectors .tip-query { fill: var(--query); }
.vectors .tip-key { fill: var(--key); }
.vectors text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; font-weight: 600; }
`;
var times = (matrix, vector) => matrix.map((row) => dot(row, vector));
function scoreOf(kind, query, key, { W, W_q, W_k, w_v }) {
  if (kind === "general") return dot(query, times(W, key));
  if (kind === "additive") {
    const [q, k] = [times(W_q, query), times(W_k, key)];
    return dot(
      w_v,
      q.map((number, i) => Math.tanh(number + k[i]))
    );
  }
  return dot(query, key) / (kind === "scaled" ? Math.SQRT2 : 1);
}
var x = (at) => SIZE * (0.5 + at / (2 * REACH));
var y = (at) => SIZE * (0.5 - at / (2 * REACH));
var back = (pixel) => clamp((pixel / SIZE - 0.5) * 2 * REACH, -REACH, REACH);
function warped(W) {
  const ends = range(5).flatMap((i) => {
    const at = i - 2;
    return [
      [
        [at, -2],
        [at, 2]
      ],
      [
        [-2, at],
        [2, at]
      ]
    ];
  });
  return ends.map((line2) => line2.map((end) => times(W, end))).map(([[a, b], [c, d]]) => `M${x(a).toFixed(1)} ${y(b).toFixed(1)}L${x(c).toFixed(1)} ${y(d).toFixed(1)}`).join("");
}
function sentence({ query, key, score }, parameters) {
  const found = scoreOf(score, query, key, parameters);
  const lengths = [Math.hypot(...query), Math.hypot(...key)];
  const flat = lengths[0] * lengths[1];
  const angle = flat > 0 ? 180 / Math.PI * Math.acos(clamp(dot(query, key) / flat, -1, 1)) : 0;
  const head = `The score is ${found.toFixed(2)}. `;
  const both = lengths.map((length) => length.toFixed(2)).join(" × ");
  if (score === "general") {
    const [a, b] = times(parameters.W, key).map((number) => number.toFixed(2));
    return `${head}The matrix W takes the key to (${a}, ${b}), the dashed arrow; then follows the dot product.`;
  }
  if (score === "additive") {
    const most = sum(parameters.w_v.map(Math.abs)).toFixed(0);
    return `${head}It cannot leave the range from -${most} to ${most}, however long the vectors are.`;
  }
  const divided = score === "scaled" ? ", divided by √2" : "";
  return `${head}Lengths times cosine: ${both} × cos ${angle.toFixed(0)}°${divided}.`;
}
function parts(picture) {
  const made = {
    contours: svg("g"),
    warped: svg("path", { class: "warped" }),
    moved: svg("line", { class: "arrow moved line-key", x1: x(0), y1: y(0) }),
    arrows: ["query", "key"].map((name) => svg("line", { class: `arrow line-${name}`, x1: x(0), y1: y(0) })),
    tips: ["query", "key"].map((name) => svg("circle", { class: `tip-${name}`, r: 11 })),
    names: ["query", "key"].map((text) => svg("text", { text }))
  };
  picture.append(
    svg("line", { class: "axis", x1: 0, x2: SIZE, y1: y(0), y2: y(0) }),
    svg("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: SIZE }),
    made.contours,
    made.warped,
    made.moved,
    ...made.arrows,
    ...made.tips,
    ...made.names
  );
  return made;
}
function line(pieces, level, query) {
  const place2 = (cell) => cell / CELLS * SIZE;
  const way = pieces.map(
    (piece) => `M${piece.map((point) => point.map((at) => place2(at).toFixed(1)).join(" ")).join("L")}`
  );
  const aside = ([[column2, row2]] = pieces[0]) => Math.abs((column2 - CELLS / 2) * query[1] + (row2 - CELLS / 2) * query[0]) + 2 * Number(edge(column2) || edge(row2)) * CELLS;
  const [[column, row]] = pieces.reduce((best, piece) => aside(piece) < aside(best) ? piece : best);
  const side = level > 0 ? "high" : level < 0 ? "low" : "zero";
  return [
    svg("path", { class: `contour ${side}`, d: way.join(""), "data-level": level }),
    svg("text", { class: "height", x: place2(column), y: place2(row) + 4, text: String(level) })
  ];
}
var edge = (cell) => cell < 2 || cell > CELLS - 2;
function survey(contours, { query, score }, parameters) {
  const at = (cell) => (cell / CELLS - 0.5) * 2 * REACH;
  const corners = range(CELLS + 1);
  const heights = corners.map(
    (row) => corners.map((column) => scoreOf(score, query, [at(column), -at(row)], parameters))
  );
  const found = levels(heights, LINES).map((level) => ({ level, pieces: contour(heights, level) }));
  const lines = found.filter(({ pieces }) => pieces.length).map(({ level, pieces }) => line(pieces, level, query));
  contours.replaceChildren(...lines.map(([path]) => path), ...lines.map(([, height]) => height));
}
function draw(made, now, parameters) {
  survey(made.contours, now, parameters);
  [now.query, now.key].forEach(([a2, b2], i) => {
    set(made.arrows[i], { x2: x(a2), y2: y(b2) });
    set(made.tips[i], { cx: x(a2), cy: y(b2) });
    const right = a2 > 1.6;
    set(made.names[i], { x: x(a2) + (right ? -16 : 16), y: y(b2) + 4, "text-anchor": right ? "end" : "start" });
  });
  const general = now.score === "general";
  const [a, b] = times(parameters.W, now.key);
  set(made.warped, { d: general ? warped(parameters.W) : null });
  set(made.moved, { x2: x(a), y2: y(b), visibility: general ? "visible" : "hidden" });
}
function render(place2) {
  const { model } = place2;
  const parameters = model.get("parameters");
  const view = new Card(place2, {
    name: "vectors",
    title: "A query, a key, a score",
    tip: "make the query twice as long. Then choose the additive score: where is the best key now, and where for the dot product?",
    style: STYLE2,
    names: NAMES
  });
  const picture = view.picture(SIZE, SIZE, { wide: SIZE });
  const made = parts(picture);
  const score = choice("Score", SCORES, (score2) => view.change({ score: score2 }));
  const says = (number) => number.toFixed(2);
  const sliders = ["query", "key"].flatMap(
    (name) => [0, 1].map((axis) => ({
      name,
      axis,
      ...slider(
        `${name} ${"xy"[axis]}`,
        { min: -REACH, max: REACH, step: 0.05, says },
        (number) => view.change({ [name]: model.get(name).with(axis, number) })
      )
    }))
  );
  view.controls.append(score.element, ...sliders.map((control) => control.element));
  drag(picture, (pressed) => {
    const far = ["query", "key"].map(
      (name2) => Math.hypot(x(model.get(name2)[0]) - pressed.x, y(model.get(name2)[1]) - pressed.y)
    );
    const name = far[0] < far[1] ? "query" : "key";
    return (moved) => view.change({ [name]: [back(moved.x), -back(moved.y)] });
  });
  view.reserve([
    sentence({ query: [-1, -1], key: [2.5, -2.5], score: "general" }, parameters),
    sentence({ query: [-2, -1], key: [2.5, 2.5], score: "scaled" }, parameters)
  ]);
  return view.start(() => {
    const now = (
      /** @type {Now} */
      Object.fromEntries(NAMES.map((name) => [name, model.get(name)]))
    );
    draw(made, now, parameters);
    score.show(now.score);
    for (const { name, axis, show } of sliders) show(model.get(name)[axis]);
    view.say(sentence(now, parameters));
  });
}
var vectors_view_default = { render };
export {
  vectors_view_default as default,
  scoreOf
};
