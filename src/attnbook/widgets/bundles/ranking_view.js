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

// src/attnbook/widgets/js/ranking_view.js
var [WIDTH, ROW, TOP] = [640, 34, 8];
var AXIS = { left: 274, right: 470 };
var STYLE2 = `
.ranking .row { stroke: var(--fill); stroke-width: 1.5; }
.ranking .axis, .ranking .tick { stroke: var(--line); stroke-width: 1.5; }
.ranking .spread { stroke: var(--weight); stroke-width: 5; stroke-opacity: 0.55; stroke-linecap: round; }
.ranking circle { fill: var(--weight); }
.ranking .figure svg text.many { fill: var(--muted); }
`;
function ticks(low, high) {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span));
  const distance = [1, 2, 5, 10].map((factor) => factor * power / 2).find((d) => span / d <= 4) ?? power;
  const first2 = Math.floor(low / distance);
  const last = Math.max(Math.ceil(high / distance), first2 + 1);
  return Array.from({ length: last - first2 + 1 }, (_, i) => Number(((first2 + i) * distance).toPrecision(6)));
}
var sorted = (models, show, sort, more) => models.filter(({ figures }) => figures[show] && figures[sort]).sort((a, b) => (more ? 1 : -1) * (b.figures[sort][0] - a.figures[sort][0]));
function told([mean, spread]) {
  const digits = mean < 10 ? 2 : 1;
  return spread === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${spread.toFixed(digits)}`;
}
function draw(picture, models, show) {
  const ends = models.flatMap(({ figures }) => {
    const [mean, spread] = figures[show];
    return [mean - (spread ?? 0), mean + (spread ?? 0)];
  });
  const marks = ticks(Math.min(...ends), Math.max(...ends));
  const [low, high] = [marks[0], marks[marks.length - 1]];
  const x = (value) => AXIS.left + (value - low) / (high - low) * (AXIS.right - AXIS.left);
  const bottom = TOP + models.length * ROW;
  const text = (x2, y, words, anchor = "start") => svg("text", { x: x2, y, "text-anchor": anchor, "dominant-baseline": "central", text: words });
  const rows = models.flatMap(({ name, figures }, i) => {
    const y = TOP + (i + 0.5) * ROW;
    const [mean, spread] = figures[show];
    const around = spread === null ? [] : [[x(mean - spread), x(mean + spread)]];
    return [
      text(AXIS.left - 12, y, name, "end"),
      svg("line", { class: "row", x1: AXIS.left, x2: AXIS.right, y1: y, y2: y }),
      ...around.map(([x1, x2]) => svg("line", { class: "spread", x1, x2, y1: y, y2: y })),
      svg("circle", { cx: x(mean), cy: y, r: 5 }),
      text(AXIS.right + 12, y, told(figures[show]))
    ];
  });
  const named = marks.filter((_, i) => i * 2 % (marks.length - 1) === 0);
  const scale = named.map((value) => text(x(value), bottom + 18, String(value), "middle"));
  const lines = marks.map(
    (value) => svg("line", { class: "tick", x1: x(value), x2: x(value), y1: bottom, y2: bottom + 5 })
  );
  const axis = svg("line", { class: "axis", x1: AXIS.left, x2: AXIS.right, y1: bottom, y2: bottom });
  picture.replaceChildren(...rows, axis, ...lines, ...scale);
}
function sentence(models, show, sort, more) {
  const by = show === sort ? "" : `, in the order of ${sort}`;
  const seeds = [...new Set(models.map((model) => model.seeds))].map(
    (count) => count === 1 ? "one seed" : `${count} seeds`
  );
  return `${show} of ${models.length} models${by}; ${more ? "more" : "less"} is better. ${models[0].name} comes first. Of each: ${seeds.join(" or ")}.`;
}
function render(place) {
  const { model } = place;
  const groups = (
    /** @type {Record<string, Model[]>} */
    model.get("groups")
  );
  const measures = (
    /** @type {Record<string, boolean>} */
    model.get("measures")
  );
  const most = Math.max(...Object.values(groups).map((models) => models.length));
  const view = new Card(place, {
    name: "ranking",
    title: "Models and their scores",
    tip: "show one measure in the order of another. Which of them agree?",
    style: STYLE2,
    names: ["group", "show", "sort"]
  });
  const picture = view.picture(WIDTH, TOP + most * ROW + 34, { wide: 600 });
  const measured = (group2) => Object.keys(measures).filter((name) => groups[group2].some(({ figures }) => figures[name]));
  const own = (name) => (
    /** @type {[string, string]} */
    [name, name]
  );
  const group = choice("Trained on", Object.keys(groups).map(own), (chosen) => view.change({ group: chosen }));
  const show = choice("Show", [], (name) => view.change({ show: name }));
  const sort = choice("Best first by", [], (name) => view.change({ sort: name }));
  view.controls.append(group.element, show.element, sort.element);
  view.reserve(["some words ".repeat(15)]);
  return view.start(() => {
    const here = model.get("group");
    const known = measured(here);
    const [shown, by] = ["show", "sort"].map((name) => known.includes(model.get(name)) ? model.get(name) : known[0]);
    const models = sorted(groups[here], shown, by, measures[by]);
    group.show(here);
    for (
      const [input, now] of
      /** @type {const} */
      [
        [show, shown],
        [sort, by]
      ]
    ) {
      input.offer(known.map(own));
      input.show(now);
    }
    draw(picture, models, shown);
    view.say(sentence(models, shown, by, measures[shown]));
  });
}
var ranking_view_default = { render };
export {
  ranking_view_default as default,
  sorted,
  ticks
};
