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
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/rotary_view.js
var LAST = 40;
var BASES = [10, 100, 1e3, 1e4];
var WIDTH = 640;
var CLOCKS = [160, 480].map((x) => ({ x, y: 124 }));
var RADIUS = 88;
var PLOT = { left: 40, right: 626, top: 262, bottom: 422 };
var STYLE2 = `
.rotary svg { touch-action: pan-y; }
.rotary .dial { fill: var(--fill); stroke: var(--muted); cursor: grab; }
.rotary .hand { stroke-width: 5; stroke-linecap: round; pointer-events: none; }
.rotary .tip-of { pointer-events: none; }
.rotary .query { stroke: var(--query); fill: var(--query); }
.rotary .key { stroke: var(--key); fill: var(--key); }
.rotary .axis { stroke: var(--muted); }
.rotary .curve { fill: none; stroke: var(--ink); stroke-width: 2; }
.rotary .part { fill: none; stroke: var(--muted); stroke-width: 1; stroke-dasharray: 3 3; }
.rotary .now { fill: var(--weight); }
.rotary .plot { fill: transparent; cursor: ew-resize; }
.rotary svg text, .rotary .now, .rotary .axis, .rotary .curve, .rotary .part { pointer-events: none; }
`;
var speeds = (base) => [1, base ** -0.5];
var pairs = (vector) => [0, 2].map((at) => ({
  length: Math.hypot(vector[at], vector[at + 1]),
  angle: Math.atan2(vector[at + 1], vector[at])
}));
function scores(query, key, base, distance) {
  const [q, k] = [pairs(query), pairs(key)];
  return speeds(base).map(
    (speed, j) => q[j].length * k[j].length * Math.cos(q[j].angle - k[j].angle + distance * speed)
  );
}
var around = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
var across = (distance) => PLOT.left + (distance + LAST) / (2 * LAST) * (PLOT.right - PLOT.left);
function parts(picture) {
  const text = (x, y, words, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor, text: words });
  const hands = CLOCKS.map(() => ["key", "query"].map((name) => svg("line", { class: `hand ${name}` })));
  const tips = CLOCKS.map(() => ["key", "query"].map((name) => svg("circle", { class: `tip-of ${name}`, r: 8 })));
  const made = {
    dials: CLOCKS.map(({ x, y }) => svg("circle", { class: "dial", cx: x, cy: y, r: RADIUS + 10 })),
    hands,
    tips,
    names: CLOCKS.map(({ x }) => text(x, 16, "")),
    plot: svg("rect", {
      class: "plot",
      x: PLOT.left,
      y: PLOT.top,
      width: PLOT.right - PLOT.left,
      height: PLOT.bottom - PLOT.top
    }),
    curve: svg("path", { class: "curve" }),
    lines: CLOCKS.map(() => svg("path", { class: "part" })),
    now: svg("circle", { class: "now", r: 7 })
  };
  const middle = (PLOT.top + PLOT.bottom) / 2;
  picture.append(
    ...made.dials,
    ...hands.flat(),
    ...tips.flat(),
    ...made.names,
    svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: middle, y2: middle }),
    ...made.lines,
    made.curve,
    made.plot,
    made.now,
    text(PLOT.left, PLOT.top - 10, "score by distance i − k (dashed: of each clock)", "start"),
    ...[-40, -20, 0, 20, 40].map((distance) => text(across(distance), PLOT.bottom + 22, distance))
  );
  return made;
}
function drawScores({ curve, lines, now: mark }, query, key, base, now) {
  const all = range(2 * LAST + 1).map((at) => scores(query, key, base, at - LAST));
  const most = Math.max(sum(pairs(query).map(({ length }, j) => length * pairs(key)[j].length)), 1e-9);
  const high = (score) => (PLOT.top + PLOT.bottom - score / most * (PLOT.bottom - PLOT.top)) / 2;
  const path = (values) => `M${values.map((score, at) => `${across(at - LAST).toFixed(1)} ${high(score).toFixed(2)}`).join("L")}`;
  set(curve, { d: path(all.map(sum)) });
  for (const [j, line] of lines.entries()) set(line, { d: path(all.map((score) => score[j])) });
  set(mark, { cx: across(now), cy: high(sum(scores(query, key, base, now))) });
}
var held = (position) => clamp(Math.round(position), 0, LAST);
function apart(x, k) {
  const part = clamp((x - PLOT.left) / (PLOT.right - PLOT.left), 0, 1);
  const distance = Math.round(part * 2 * LAST - LAST);
  const key = clamp(k, Math.max(0, -distance), Math.min(LAST, LAST - distance));
  return { i: key + distance, k: key };
}
function takeHand(model, clock, from, changed) {
  const angleAt = ({ x, y }) => Math.atan2(CLOCKS[clock].y - y, x - CLOCKS[clock].x);
  const speed = speeds(model.get("base"))[clock];
  let last = angleAt(from);
  const hands = [
    { name: "i", vector: model.get("query") },
    { name: "k", vector: model.get("key") }
  ].map(({ name: name2, vector }) => {
    const position2 = model.get(name2);
    return { name: name2, position: position2, away: Math.abs(around(last - pairs(vector)[clock].angle - position2 * speed)) };
  });
  let { name, position } = hands[0].away <= hands[1].away ? hands[0] : hands[1];
  return (moved) => {
    const angle = angleAt(moved);
    position = clamp(position + around(angle - last) / speed, 0, LAST);
    last = angle;
    changed({ [name]: held(position) });
  };
}
function drawHands({ hands, tips, names }, vectors, places, base) {
  speeds(base).forEach((speed, j) => {
    const both = vectors.map((vector) => pairs(vector)[j]);
    const longest = Math.max(...both.map(({ length }) => length), 1e-9);
    both.forEach(({ length, angle }, which) => {
      const turned = angle + places[which] * speed;
      const reach = RADIUS * length / longest;
      const x = (CLOCKS[j].x + reach * Math.cos(turned)).toFixed(2);
      const y = (CLOCKS[j].y - reach * Math.sin(turned)).toFixed(2);
      set(hands[j][which], { x1: CLOCKS[j].x, y1: CLOCKS[j].y, x2: x, y2: y });
      set(tips[j][which], { cx: x, cy: y });
    });
    write(names[j], `pair ${j}: ${speed.toFixed(speed < 0.1 ? 3 : 2)} rad a place`);
  });
}
function render(place2) {
  const { model } = place2;
  const view = new Card(place2, {
    name: "rotary",
    title: "Rotary positions: two clocks",
    tip: "drag a hand round its dial: its token moves, and the other clock follows. Then move both tokens by as much.",
    style: STYLE2,
    names: ["i", "k", "base"]
  });
  const picture = view.picture(WIDTH, 452);
  const made = parts(picture);
  const change = (changes) => view.change(changes);
  drag(picture, (from) => {
    if (from.target === made.plot) return ({ x }) => change(apart(x, model.get("k")));
    const clock = made.dials.indexOf(
      /** @type {SVGCircleElement} */
      from.target
    );
    return clock < 0 ? null : takeHand(model, clock, from, change);
  });
  const inputI = slider("Query at i", { min: 0, max: LAST }, (i) => change({ i }));
  const inputK = slider("Key at k", { min: 0, max: LAST }, (k) => change({ k }));
  const bases = BASES.map((base) => (
    /** @type {[number, string]} */
    [base, base.toLocaleString("en")]
  ));
  const inputBase = choice("Base", bases, (base) => change({ base: Number(base) }));
  view.controls.append(inputI.element, inputK.element, inputBase.element);
  return view.start(() => {
    const [i, k, base, query, key] = ["i", "k", "base", "query", "key"].map((name) => model.get(name));
    drawHands(made, [key, query], [k, i], base);
    drawScores(made, query, key, base, i - k);
    inputI.show(i);
    inputK.show(k);
    inputBase.show(base);
    const each = scores(query, key, base, i - k);
    const told = each.map((score) => score.toFixed(2)).join(" and ");
    view.say(
      `Query at ${i}, key at ${k}: the distance is ${i - k}. The pairs give ${told}, so the score is ${sum(each).toFixed(2)}.`
    );
  });
}
var rotary_view_default = { render };
export {
  rotary_view_default as default,
  pairs,
  scores,
  speeds
};
