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

// src/attnbook/widgets/js/wiring_view.js
var [WIDTH, HEIGHT] = [100, 34];
var SWITCHES = [
  [
    "asks",
    "Asks",
    [
      ["early", "early"],
      ["late", "late"]
    ]
  ],
  [
    "readout",
    "Read-out sees",
    [
      ["state", "c and s"],
      ["maxout", "c, s and y"]
    ]
  ],
  [
    "feeding",
    "Input feeding",
    [
      ["no", "no"],
      ["yes", "yes"]
    ]
  ],
  [
    "trace",
    "Follow",
    [
      ["word", "the last word"],
      ["fed", "the last read-out"]
    ]
  ]
];
var NAMES = SWITCHES.map(([name]) => name);
var STYLE2 = `
.wiring .figure { max-width: 440px; margin: 0 auto; }
.wiring rect { fill: var(--paper); stroke-width: 1.5; }
.wiring .reached rect { fill: color-mix(in srgb, var(--weight) 24%, var(--paper)); stroke-width: 2.5; }
.wiring .wire path { fill: none; stroke-width: 1.5; }
.wiring .wire.reached path { stroke-width: 3.5; }
.wiring .figure svg text { font-style: italic; text-anchor: middle; }
`;
function reachedFrom(name, wires) {
  const reached = /* @__PURE__ */ new Set([name]);
  for (const [start, end] of wires) if (reached.has(start)) reached.add(end);
  return reached;
}
var there = (wires, chosen) => wires.filter(
  ([, , , , when]) => Object.entries(when).every(([name, value]) => chosen[
    /** @type {Switch} */
    name
  ] === value)
);
function drawnWire([start, end, colour, corners]) {
  const [[x0, y0], [x, y]] = corners.slice(-2);
  const far = Math.hypot(x - x0, y - y0);
  const [u, v] = [9 * (x - x0) / far, 9 * (y - y0) / far];
  const head = `M${x} ${y}L${x - u - v / 2} ${y - v + u / 2}L${x - u + v / 2} ${y - v - u / 2}Z`;
  const style = `stroke: var(--${colour})`;
  return svg(
    "g",
    { class: "wire", "data-from": start, "data-to": end },
    svg("path", { d: `M${corners.map((corner) => corner.join(" ")).join("L")}`, style }),
    svg("path", { d: head, style: `fill: var(--${colour}); stroke: none` })
  );
}
function drawnBox(name, [x, y, symbol, low, colour]) {
  const text = svg("text", { x: x + WIDTH / 2, y: y + HEIGHT / 2 + 4, text: symbol });
  text.append(svg("tspan", { dy: "0.3em", style: "font-size: 0.8em", text: low }));
  const frame = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 5, style: `stroke: var(--${colour})` });
  return svg("g", { class: "box", "data-name": name }, frame, text);
}
function sentence({ asks, readout, feeding, trace }, reached) {
  const query = asks === "early" ? "The state before the step asks." : "The state after the step asks.";
  const writes = readout === "maxout" ? "Context, state and the last word" : "Context and state";
  const fed = feeding === "yes" ? "and the read-out goes into the next step." : "and the next step does not see it.";
  const looks = reached.has("weights") ? "changes where this step looks." : "cannot change where this step looks.";
  const followed = trace === "word" ? "The last word" : "The last read-out, which knows where the step before looked,";
  return `${query} ${writes} make the read-out, ${fed} ${followed} ${looks}`;
}
function render(place) {
  const { model } = place;
  const wires = (
    /** @type {Wire[]} */
    model.get("wires")
  );
  const boxes = (
    /** @type {Record<string, Box>} */
    model.get("boxes")
  );
  const view = new Card(place, {
    name: "wiring",
    title: "One step, to be rewired",
    tip: "follow the last word and ask early, then late: which boxes does it reach? Follow the last read-out: which switch lets it in?",
    style: STYLE2,
    names: NAMES
  });
  const picture = view.picture(400, 330, { wide: 400, size: 15 });
  const lines = svg("g");
  const drawn = Object.entries(boxes).map(([name, box]) => drawnBox(name, box));
  picture.append(lines, ...drawn);
  const inputs = SWITCHES.map(([name, label, options]) => ({
    name,
    ...choice(label, options, (value) => view.change({ [name]: value }))
  }));
  view.controls.append(...inputs.map((input) => input.element));
  return view.start(() => {
    const chosen = (
      /** @type {Chosen} */
      Object.fromEntries(NAMES.map((name) => [name, model.get(name)]))
    );
    const present = there(wires, chosen);
    const reached = reachedFrom(chosen.trace, present);
    lines.replaceChildren(...present.map(drawnWire));
    for (
      const line of
      /** @type {HTMLCollectionOf<SVGElement>} */
      lines.children
    )
      set(line, { class: reached.has(line.dataset.from ?? "") ? "wire reached" : "wire" });
    for (const box of drawn) set(box, { class: reached.has(box.dataset.name ?? "") ? "box reached" : "box" });
    for (const { name, show } of inputs) show(chosen[name]);
    view.say(sentence(chosen, reached));
  });
}
var wiring_view_default = { render };
export {
  wiring_view_default as default,
  reachedFrom,
  there
};
