// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/shared/numbers.js
function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/bleu/score.js
var LONGEST = 4;
var tokens = (text) => text.split(/\s+/).filter(Boolean);
var grams = (words, n) => range(Math.max(0, words.length - n + 1)).map((at) => ({ at, text: words.slice(at, at + n).join(" ") }));
function counts(words, n) {
  const found = /* @__PURE__ */ new Map();
  for (const { text } of grams(words, n)) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}
function judged(output, references, n) {
  const allowed = references.map((reference) => counts(reference, n));
  const used = /* @__PURE__ */ new Map();
  return grams(output, n).map(({ at, text }) => {
    const most = Math.max(0, ...allowed.map((count) => count.get(text) ?? 0));
    const before = used.get(text) ?? 0;
    used.set(text, before + 1);
    return { at, text, fate: most === 0 ? "absent" : before < most ? "found" : "spent" };
  });
}
var closest = (c, lengths) => lengths.reduce((best, length) => {
  const nearer = Math.abs(length - c) - Math.abs(best - c);
  return nearer < 0 || nearer === 0 && length < best ? length : best;
});
function bleu(output, references) {
  const c = output.length;
  const r = closest(
    c,
    references.map((reference) => reference.length)
  );
  let none = 1;
  const precisions = range(LONGEST).map((i) => {
    const all = judged(output, references, i + 1);
    const found = all.filter(({ fate }) => fate === "found").length;
    return { found, all: all.length, smoothed: 0 };
  });
  const present = precisions.filter(({ all }) => all > 0);
  for (const one of present) {
    if (!one.found) none *= 2;
    one.smoothed = (one.found || 1 / none) / one.all;
  }
  const brevity = c === 0 ? 0 : Math.min(1, Math.exp(1 - r / c));
  const matched = precisions.some(({ found }) => found > 0);
  const mean = matched ? Math.exp(sum(present.map(({ smoothed }) => Math.log(smoothed))) / present.length) : 0;
  return { precisions, brevity, c, r, score: 100 * brevity * mean };
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

// src/attnbook/widgets/js/bleu_view.js
var [WIDTH, ROW] = [640, 34];
var BAR = { left: 162, right: 430 };
var NAMES = ["words", "pairs", "triples", "quadruples"];
var LEGEND = "Filled: a reference has it. Dashed: it has it, but not so often. Dotted: no reference has it.";
var STYLE2 = `
.bleu .source { margin: 0 0 6px; }
.bleu .own { display: block; font-size: 13px; color: var(--muted); }
.bleu .own input { box-sizing: border-box; width: 100%; min-height: 36px; margin-top: 2px; padding: 4px 8px; font: inherit;
  font-size: 16px; color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.bleu .grams { display: grid; margin: 8px 0; }
.bleu .grams > ul { grid-area: 1 / 1; display: flex; flex-wrap: wrap; gap: 4px; margin: 0; padding: 0; list-style: none;
  align-content: flex-start; }
.bleu .grams > ul.other { visibility: hidden; }
.bleu .grams li { padding: 1px 7px; border: 1.5px solid var(--line); border-radius: 5px; }
.bleu li.found { border-color: var(--weight); background: color-mix(in srgb, var(--weight) 20%, var(--paper)); }
.bleu li.spent { border-style: dashed; border-color: var(--weight); }
.bleu li.absent { border-style: dotted; }
.bleu .check { display: flex; align-items: flex-start; padding: 3px 0; line-height: 1.5; }
.bleu .check span.in { border-bottom: 3px solid var(--weight); }
.bleu rect.track { fill: var(--fill); }
.bleu rect.bar { fill: var(--weight); }
.bleu rect.whole { fill: var(--ink); }
`;
function parts(picture) {
  const rows = [...NAMES, "brevity", "BLEU"].map((name, i) => {
    const y = i * ROW + 4;
    const middle = { y: y + ROW / 2 - 3, "dominant-baseline": "central" };
    const bar = svg("rect", { class: name === "BLEU" ? "whole" : "bar", x: BAR.left, y: y + 4, height: ROW - 14 });
    const said = svg("text", { x: BAR.right + 12, ...middle });
    picture.append(
      svg("text", { x: BAR.left - 10, ...middle, "text-anchor": "end", text: name }),
      svg("rect", { class: "track", x: BAR.left, y: y + 4, width: BAR.right - BAR.left, height: ROW - 14 }),
      bar,
      said
    );
    return { bar, said };
  });
  return rows;
}
function draw(rows, { precisions, brevity, c, r, score }) {
  const shares = [...precisions.map(({ found, all }) => all ? found / all : 0), brevity, score / 100];
  const texts = [
    ...precisions.map(({ found, all }) => all ? `${found} of ${all}` : "none"),
    `c ${c}, r ${r}: ${brevity.toFixed(2)}`,
    score.toFixed(1)
  ];
  for (const [i, { bar, said }] of rows.entries()) {
    set(bar, { width: (shares[i] * (BAR.right - BAR.left)).toFixed(1) });
    write(said, texts[i]);
  }
}
function mark(node, reference, found, n) {
  const inside = reference.map(() => false);
  for (const at of range(Math.max(0, reference.length - n + 1)))
    if (found.has(reference.slice(at, at + n).join(" "))) inside.fill(true, at, at + n);
  node.replaceChildren(
    ...reference.flatMap((word, i) => [element("span", { class: inside[i] ? "in" : "", text: word }), " "])
  );
}
function sentence({ c, r, precisions, score }) {
  if (!c) return "Nothing is written: BLEU is 0.";
  const brief = c < r ? ` It is short: ${c} tokens against ${r}.` : "";
  const zero = precisions.find(({ found, all }) => all && !found);
  const smooth = zero && score ? " A count of 0 is smoothed, or the product would be 0." : "";
  return `BLEU of this one sentence is ${score.toFixed(1)}.${brief}${smooth}`;
}
function render(place) {
  const { model } = place;
  const all = (
    /** @type {string[]} */
    model.get("references").map(tokens)
  );
  const view = new Card(place, {
    name: "bleu",
    title: "Write a translation, and see its BLEU",
    tip: "say the right thing in other words. Then leave the end away, or write a right word five times.",
    style: STYLE2,
    names: ["output", "counted", "size"]
  });
  const field = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  field.addEventListener("input", () => view.change({ output: field.value }));
  const lists = range(LONGEST).map(() => element("ul"));
  const boxes = all.map(
    (_, i) => checkbox("", (on) => {
      const counted = model.get("counted").with(i, on);
      if (counted.some(Boolean)) view.change({ counted });
      else boxes[i].show(true);
    })
  );
  view.figure.append(
    element("p", { class: "source", text: model.get("source") }),
    element("label", { class: "own" }, "A translation, its tokens between blanks", field),
    element("div", { class: "grams" }, ...lists),
    element("p", { class: "legend", text: LEGEND }),
    ...boxes.map((box) => box.element)
  );
  const bars = parts(view.picture(WIDTH, 6 * ROW + 8, { wide: 600 }));
  const says = (n) => NAMES[n - 1];
  const size = slider("Marked are", { min: 1, max: LONGEST, says }, (n) => view.change({ size: n }));
  view.controls.append(size.element);
  view.reserve([
    `BLEU of this one sentence is 100.0. It is short: 10 tokens against 12. ${"A count of 0. ".repeat(4)}`
  ]);
  return view.start(() => {
    const [counted, n] = [model.get("counted"), model.get("size")];
    const output = tokens(model.get("output"));
    const references = all.filter((_, i) => counted[i]);
    if (field.value !== model.get("output")) field.value = model.get("output");
    for (const [i, list] of lists.entries()) {
      set(list, { class: i + 1 === n ? "" : "other" });
      list.replaceChildren(
        ...judged(output, references, i + 1).map(({ text, fate }) => element("li", { class: fate, text }))
      );
    }
    const own = new Set(judged(output, all, n).map(({ text }) => text));
    for (const [i, { element: label }] of boxes.entries()) {
      boxes[i].show(counted[i]);
      mark(label.children[1], all[i], counted[i] ? own : /* @__PURE__ */ new Set(), n);
    }
    const found = bleu(output, references);
    draw(bars, found);
    size.show(n);
    view.say(sentence(found));
  });
}
var bleu_view_default = { render };
export {
  bleu_view_default as default
};
