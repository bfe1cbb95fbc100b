// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/beam/tree.js
function grow(run, steps) {
  const words = [];
  let live = [null];
  for (const [i, found] of run.slice(0, steps).entries()) {
    const kept = found.filter(({ fate }) => fate !== "dropped");
    const grown = kept.map(({ parent, piece, score, fate }, place) => {
      const ended = fate === "ended";
      return { piece, score, ended, before: live[parent], step: i + 1, place, kept: false };
    });
    words.push(...grown);
    live = grown.filter(({ ended }) => !ended);
  }
  for (const word of [...words.filter(({ ended }) => ended), ...live]) {
    for (let back = word; back && !back.kept; back = back.before) back.kept = true;
  }
  return { words, live: (
    /** @type {Word[]} */
    live.filter(Boolean)
  ) };
}
function text(word) {
  if (!word) return [];
  return word.ended ? text(word.before) : [...text(word.before), word.piece];
}
var worth = ({ score, step }, penalty) => score / ((5 + step) / 6) ** penalty;
var ranked = (words, penalty) => words.filter(({ ended }) => ended).sort((a, b) => worth(b, penalty) - worth(a, penalty));

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
function write(node, text2) {
  if (node.textContent !== text2) node.textContent = text2;
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
      input.replaceChildren(...Array.from(list, ([value, text2]) => new Option(String(text2), String(value))));
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
  picture(width, height, { label: label2 = this.model.get("alt"), wide = 520, size = 13 } = {}) {
    const data = { "data-wide": wide, "data-size": size };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label2, ...data });
    this.figure.append(picture);
    this.sizes.observe(picture);
    return picture;
  }
  /** Says what is seen. @param {string} text */
  say(text2) {
    write(this.said, text2);
    this.reserve([text2]);
  }
  /** Keeps room for the longest of these texts, wherever its lines break: nothing below moves. @param {string[]} texts */
  reserve(texts) {
    for (const text2 of texts) if (text2.length > (this.longest.textContent ?? "").length) write(this.longest, text2);
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
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/beam_view.js
var [WIDTH, ROW, WIDEST] = [400, 38, 4];
var FATES = { live: "goes on", ended: "ends", dropped: "dropped" };
var STYLE2 = `
.beam { max-width: 54rem; }
.beam .parts { display: grid; gap: 8px 18px; grid-template-columns: minmax(0, 1fr); }
@container (min-width: 620px) { .beam .parts { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); } }
.beam .read { margin: 0 0 4px; }
.beam p.head { margin: 6px 0 2px; font-size: 13px; font-weight: 650; }
.beam ol { margin: 0; padding: 0; list-style: none; font-size: 13px; font-variant-numeric: tabular-nums; }
.beam li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; height: 1.6em; line-height: 1.6; }
.beam li > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.beam li.dropped { color: var(--muted); }
.beam li.best { font-weight: 650; }
.beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.beam path.kept { stroke: var(--ink); stroke-width: 2; }
.beam path.best { stroke: var(--weight); stroke-width: 4; }
.beam .figure svg text.gone { fill: var(--muted); }
.beam .figure svg text.kept { font-weight: 650; }
.beam circle { fill: var(--value); }
`;
var at = (step, place, beam) => ({ x: (place + 0.5) * WIDTH / beam, y: (step + 0.5) * ROW });
var short = (word) => word.length > 12 ? `${word.slice(0, 11)}…` : word;
function drawTree(picture, words, best, beam) {
  const lines2 = [];
  const labels = [];
  const way = /* @__PURE__ */ new Set();
  for (let word = best ?? null; word; word = word.before) way.add(word);
  for (const word of words) {
    const from = word.before ? at(word.before.step, word.before.place, beam) : { x: WIDTH / 2, y: ROW / 2 };
    const to = at(word.step, word.place, beam);
    const kind = way.has(word) ? "best" : word.kept ? "kept" : "";
    const d = `M${from.x} ${from.y + 8}C${from.x} ${from.y + 22} ${to.x} ${to.y - 22} ${to.x} ${to.y - 8}`;
    lines2.push(svg("path", { class: kind, d }));
    if (word.ended) labels.push(svg("circle", { cx: to.x, cy: to.y, r: 6 }));
    else labels.push(label(to.x, to.y, short(word.piece), word.kept ? "kept" : "gone"));
  }
  lines2.sort((a, b) => a.classList.length - b.classList.length);
  picture.replaceChildren(...lines2, label(WIDTH / 2, ROW / 2, "<bos>", "kept"), ...labels);
}
var label = (x, y, words, kind) => svg("text", { class: kind, x, y, "text-anchor": "middle", "dominant-baseline": "central", text: words });
function lines(title, count) {
  const rows = range(count).map(() => element("li", {}, element("span"), element("span")));
  return {
    element: element("div", {}, element("p", { class: "head", text: title }), element("ol", {}, ...rows)),
    /** @param {{text: string, number: string, kind: string}[]} told */
    show(told) {
      for (const [i, row] of rows.entries()) {
        set(row, { class: told[i]?.kind ?? "" });
        write(row.children[0], told[i]?.text ?? " ");
        write(row.children[1], told[i]?.number ?? "");
      }
    }
  };
}
function continuations(run, step) {
  if (step === 0) return [];
  const { live } = grow(run, step - 1);
  return run[step - 1].map(({ parent, piece, score, fate }) => ({
    text: `${[...text(live[parent] ?? null), piece].slice(-5).join(" ")} · ${FATES[fate]}`,
    number: score.toFixed(2),
    kind: fate
  }));
}
function sentence({ step, length, live, best, reference }) {
  const written = best ? text(best).join(" ") : "";
  const isRight = written === reference ? "It is the reference." : "The reference is another.";
  if (step === length) return `The search is over after ${length} steps. It writes “${written}”. ${isRight}`;
  const going = live.map((word) => `“${text(word).join(" ")}”`).join(", ");
  return `After ${step} of ${length} steps these go on: ${going || "the empty beginning"}.`;
}
var unpacked = (saved) => saved.map((sentence2) => ({
  ...sentence2,
  runs: sentence2.runs.map(
    (run) => run.map((found) => found.map(([parent, piece, score, fate]) => ({ parent, piece, score, fate })))
  )
}));
function render(place) {
  const { model } = place;
  const sentences = unpacked(model.get("sentences"));
  const most = Math.max(...sentences.flatMap(({ runs }) => runs.map((run2) => run2.length)));
  const view = new Card(place, {
    name: "beam",
    title: "A beam search, step by step",
    tip: "find the step where the beam of one takes the wrong word, and see what a beam of two does there.",
    style: STYLE2,
    names: ["sentence", "beam", "step", "penalty"]
  });
  const run = () => sentences[model.get("sentence")].runs[model.get("beam") - 1];
  const read = element("p", { class: "read" });
  const picture = view.picture(WIDTH, (most + 1) * ROW, { wide: 400 });
  const steps = lines("The best continuations at this step, by log-probability", 8);
  const ended = lines("Ended (●), by log-probability over its length", 5);
  view.figure.append(
    read,
    element("div", { class: "parts" }, picture, element("div", {}, steps.element, ended.element))
  );
  const inputs = controls(view, sentences, most, run);
  view.reserve([`After 10 of 10 steps these go on: ${"“a sentence of eight or nine words, or of ten”, ".repeat(4)}`]);
  return view.start(() => {
    const chosen = sentences[model.get("sentence")];
    const step = Math.min(model.get("step"), run().length);
    const { words, live } = grow(run(), step);
    const over = step === run().length;
    const finished = ranked(words, model.get("penalty"));
    const best = over ? finished[0] : void 0;
    write(read, `English: ${chosen.source}`);
    drawTree(picture, words, best, model.get("beam"));
    steps.show(continuations(run(), step));
    const told = finished.map((word) => ({
      text: text(word).join(" "),
      number: worth(word, model.get("penalty")).toFixed(2),
      kind: word === best ? "best" : ""
    }));
    const right = { score: chosen.referenceScore, step: chosen.reference.split(" ").length + 1 };
    const theirs = worth(
      /** @type {Word} */
      right,
      model.get("penalty")
    ).toFixed(2);
    ended.show([
      ...range(4).map((i) => told[i]),
      { text: `reference: ${chosen.reference}`, number: theirs, kind: "dropped" }
    ]);
    for (const [name, input] of Object.entries(inputs)) input.show(model.get(name));
    view.say(sentence({ step, length: run().length, live, best, reference: chosen.reference }));
  });
}
function controls(view, sentences, most, run) {
  const inputs = {
    sentence: choice(
      "Sentence",
      sentences.map(({ source }, i) => [i, source]),
      (i) => view.change({ sentence: Number(i), step: 1 })
    ),
    beam: slider("Beam size", { min: 1, max: WIDEST }, (beam) => view.change({ beam })),
    step: slider(
      "Step",
      { min: 0, max: most, says: (step) => `${Math.min(step, run().length)} of ${run().length}` },
      (step) => view.change({ step })
    ),
    penalty: slider(
      "Penalty α",
      { min: 0, max: 1.5, step: 0.1, says: (alpha) => alpha.toFixed(1) },
      (penalty) => view.change({ penalty })
    )
  };
  const next = button("Next step", () => view.change({ step: clamp(view.model.get("step") + 1, 0, run().length) }));
  view.controls.append(...Object.values(inputs).map((input) => input.element), next);
  return inputs;
}
var beam_view_default = { render };
export {
  beam_view_default as default
};
