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
var listed = (list) => ({ to: (value) => list.indexOf(value), from: (place) => list[place] });
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
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/shared/program.js
async function startProgram(program) {
  try {
    const worker = await inWorker(program);
    return { port: worker, end: () => worker.terminate() };
  } catch {
    const { serve } = (await withAddress(`${program}
export default program;`, (url) => import(url))).default;
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    return { port: port1, end: () => port1.close() };
  }
}
var inWorker = (program) => withAddress(`${program}
program.serve(self);
postMessage(null);`, async (url) => {
  const worker = new Worker(url);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  });
  return worker;
});
function withAddress(text, use) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return use(url).finally(() => URL.revokeObjectURL(url));
}

// src/attnbook/widgets/js/train/curve.js
var CURVE = { width: 420, height: 128 };
var BOX = { left: 48, right: 412, top: 24, bottom: 104 };
var BINS = 150;
var FEWEST = 200;
var CURVE_STYLE = `
.curve path { fill: none; stroke: var(--ink); stroke-width: 2; }
.curve path.loss { stroke: var(--muted); stroke-dasharray: 5 3; stroke-width: 1.5; }
.curve line { stroke: var(--line); }
.curve line.guess { stroke: var(--muted); stroke-dasharray: 1.5 3; }
`;
var y = (share) => BOX.bottom - share * (BOX.bottom - BOX.top);
function binned(values) {
  const width = Math.max(1, Math.ceil(values.length / BINS));
  const count = Math.ceil(values.length / width);
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(i * width, (i + 1) * width);
    return [i * width + (part.length + 1) / 2, part.reduce((sum, value) => sum + value, 0) / part.length];
  });
}
function curve(picture) {
  const text = (x, at, words, anchor = "middle") => svg("text", { x, y: at, "text-anchor": anchor, text: words });
  const parts = {
    guess: svg("line", { class: "guess", x1: BOX.left, x2: BOX.right }),
    loss: svg("path", { class: "loss" }),
    right: svg("path"),
    last: text(BOX.right, BOX.bottom + 17, "", "end")
  };
  picture.classList.add("curve");
  picture.append(
    text(BOX.left, 13, "right answers (line), loss (dashed), guessing (dots)", "start"),
    text(BOX.left - 5, BOX.top + 5, "100 %", "end"),
    text(BOX.left - 5, BOX.bottom + 4, "0", "end"),
    svg("line", { x1: BOX.left, x2: BOX.right, y1: BOX.bottom, y2: BOX.bottom }),
    text(BOX.left, BOX.bottom + 17, "step 0", "start"),
    ...Object.values(parts)
  );
  return {
    /** @param {Step[]} steps @param {number} most the loss at the top @param {number} guess */
    draw(steps, most, guess) {
      const last = Math.max(FEWEST, steps.length);
      const x = (step) => BOX.left + step / last * (BOX.right - BOX.left);
      const line = (values) => {
        const points = binned(values).map(
          ([step, value]) => `${x(step).toFixed(1)} ${y(Math.min(1, value)).toFixed(1)}`
        );
        return points.length ? `M${points.join("L")}` : "";
      };
      set(parts.right, { d: line(steps.map(({ right }) => right)) });
      set(parts.loss, { d: line(steps.map(({ loss }) => loss / most)) });
      set(parts.guess, { y1: y(guess), y2: y(guess) });
      write(parts.last, last.toLocaleString("en"));
    }
  };
}

// src/attnbook/widgets/js/train/heatmap.js
var HEATMAP = { width: 420, height: 282 };
var BOX2 = { left: 50, right: 362, top: 54, bottom: 278 };
var HEATMAP_STYLE = `
.heatmap .edge { fill: none; stroke: var(--line); }
.heatmap .cell { fill: var(--weight); }
`;
function weightsOf({ weights }, { count, places }, heads, head) {
  const at = (slot, h, place) => weights[(slot * heads + h) * places + place];
  const mean = (slot, place) => range(heads).reduce((sum, h) => sum + at(slot, h, place), 0) / heads;
  return range(count).map(
    (slot) => range(places).map((place) => head === null ? mean(slot, place) : at(slot, head, place))
  );
}
function heatmap(picture) {
  picture.classList.add("heatmap");
  const text = (x, y2, words, anchor = "middle") => svg("text", { x, y: y2, "text-anchor": anchor, text: words });
  let cells = [];
  let answers = [];
  function lay(task, { example }) {
    const [wide, high] = [(BOX2.right - BOX2.left) / task.places, (BOX2.bottom - BOX2.top) / task.count];
    const x = (place) => BOX2.left + (place + 0.5) * wide;
    const y2 = (slot) => BOX2.top + (slot + 0.5) * high + 4;
    const name = (id) => task.symbols[id].replace(" ", "␣");
    cells = range(task.count).map(
      (slot) => range(task.places).map(
        (place) => svg("rect", { class: "cell", x: x(place) - wide / 2, y: y2(slot) - 4 - high / 2, width: wide, height: high })
      )
    );
    answers = range(task.count).map((slot) => text(BOX2.right + 8, y2(slot), "", "start"));
    const edge = { x: BOX2.left, y: BOX2.top, width: BOX2.right - BOX2.left, height: BOX2.bottom - BOX2.top };
    picture.replaceChildren(
      text(2, 13, "slot", "start"),
      text((BOX2.left + BOX2.right) / 2, 13, "the list"),
      text(HEATMAP.width - 2, 13, "answer", "end"),
      ...example.source.flatMap(
        (ids, place) => ids.map((id, line) => text(x(place), BOX2.top - 7 - 16 * (ids.length - 1 - line), name(id)))
      ),
      ...range(task.count).map(
        (slot) => text(BOX2.left - 6, y2(slot), task.slots[slot] ?? `${name(example.slots[slot])}?`, "end")
      ),
      ...cells.flat(),
      svg("rect", { class: "edge", ...edge }),
      ...answers
    );
  }
  return {
    lay,
    /** @param {Task} task @param {Look} look @param {number[][]} weights */
    draw(task, { example, best }, weights) {
      for (const [slot, row] of weights.entries()) {
        for (const [place, weight] of row.entries()) set(cells[slot][place], { "fill-opacity": weight.toFixed(3) });
        const right = best[slot] === example.answers[slot];
        write(answers[slot], `${task.symbols[best[slot]]} ${right ? "✓" : "✗"}`);
      }
    }
  };
}

// src/attnbook/widgets/js/train/random.js
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 1831565813 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}
var below = (random, count) => Math.floor(random() * count);
var normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
function different(random, all, count) {
  const numbers = Array.from({ length: all }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const other = i + below(random, all - i);
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers.slice(0, count);
}

// src/attnbook/widgets/js/train/tasks.js
var LENGTH = 8;
var NAMES = "cup key hat box bed pen jar pot map fan bag cap can rug pin toy".split(" ");
var LETTERS = [..."abcdefghij"];
var DIGITS = [..."0123456789"];
var MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
var ASK = "?";
var DATE_SYMBOLS = [ASK, " ", ...DIGITS, ...new Set(MONTHS.join(""))];
var CENTURIES = [19, 20];
var recall = {
  label: "recall by name",
  symbols: [...NAMES, ...DIGITS],
  places: LENGTH,
  slots: [],
  count: LENGTH,
  draw(random) {
    const names = different(random, NAMES.length, LENGTH);
    const numbers = names.map(() => NAMES.length + below(random, DIGITS.length));
    const order = different(random, LENGTH, LENGTH);
    return {
      source: names.map((name, i) => [name, numbers[i]]),
      slots: order.map((i) => names[i]),
      answers: order.map((i) => numbers[i])
    };
  }
};
var letters = (label, order) => ({
  label,
  symbols: [ASK, ...LETTERS],
  places: LENGTH,
  slots: Array.from({ length: LENGTH }, (_, i) => `${i + 1}.`),
  count: LENGTH,
  draw(random) {
    const drawn = Array.from({ length: LENGTH }, () => 1 + below(random, LETTERS.length));
    return { source: drawn.map((id) => [id]), slots: drawn.map(() => 0), answers: order(drawn) };
  }
});
var dates = {
  label: "dates",
  symbols: DATE_SYMBOLS,
  places: 11,
  slots: ["y", "y", "y", "y", "m", "m", "d", "d"],
  count: 8,
  draw(random) {
    const two = (number) => String(number).padStart(2, "0");
    const year = `${CENTURIES[below(random, 2)]}${two(below(random, 100))}`;
    const month = below(random, 12);
    const day = two(1 + below(random, 28));
    const forms = [
      [day, MONTHS[month], year],
      [MONTHS[month], day, year],
      [year, MONTHS[month], day]
    ];
    const ids = (text) => [...text].map((symbol) => DATE_SYMBOLS.indexOf(symbol));
    const answers = ids(year + two(month + 1) + day);
    const written = forms[below(random, forms.length)].join(" ");
    return { source: ids(written).map((id) => [id]), slots: answers.map(() => 0), answers };
  }
};
var TASKS = {
  recall,
  copy: letters("copy", (drawn) => drawn),
  reverse: letters("reverse", (drawn) => drawn.toReversed()),
  dates
};

// src/attnbook/widgets/js/train/settings.js
var HEADS = [1, 2, 4];
var LAYERS = [1, 2];
var RATES = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1];
var SEEDS = 1e3;
var toAddress = (name, settings) => `#${name}=${encodeURIComponent(JSON.stringify(settings))}`;
function fromAddress(name, hash, first2) {
  if (!hash.startsWith(`#${name}=`)) return null;
  try {
    const found = JSON.parse(decodeURIComponent(hash.slice(name.length + 2)));
    const oneOf = (values, value, other) => values.includes(value) ? value : other;
    return {
      task: oneOf(Object.keys(TASKS), found.task, first2.task),
      heads: oneOf(HEADS, found.heads, first2.heads),
      layers: oneOf(LAYERS, found.layers, first2.layers),
      positions: oneOf([true, false], found.positions, first2.positions),
      attention: oneOf([true, false], found.attention, first2.attention),
      rate: oneOf(RATES, found.rate, first2.rate),
      seed: Number.isInteger(found.seed) && found.seed > 0 ? found.seed % SEEDS : first2.seed
    };
  } catch {
    return null;
  }
}
var nextSeed = (seed) => (seed + 1) % SEEDS;

// src/attnbook/widgets/js/train/attention.js
function softmax(scores, at, count) {
  let most = -Infinity;
  for (let j = at; j < at + count; j++) most = Math.max(most, scores[j]);
  let total = 0;
  for (let j = at; j < at + count; j++) {
    scores[j] = Math.exp(scores[j] - most);
    total += scores[j];
  }
  for (let j = at; j < at + count; j++) scores[j] /= total;
}
function attention({ lists, places, width, heads, asks, batch }) {
  const size = width / heads;
  const scale = 1 / Math.sqrt(size);
  const rows = lists.length;
  const weights = new Float64Array(rows * heads * places).fill(1 / places);
  const [out, forQuery] = [0, 1].map(() => new Float64Array(rows * width));
  const [forKey, forValue] = [0, 1].map(() => new Float64Array(batch * places * width));
  const slopes = new Float64Array(places);
  let [query, key, value] = [out, forKey, forValue];
  function weigh(q, k, w) {
    for (let j = 0; j < places; j++) {
      let score = 0;
      for (let i = 0; i < size; i++) score += query[q + i] * key[k + j * width + i];
      weights[w + j] = score * scale;
    }
    softmax(weights, w, places);
  }
  function weighBack(q, k, w) {
    let mean = 0;
    for (let j = 0; j < places; j++) mean += weights[w + j] * slopes[j];
    for (let j = 0; j < places; j++) {
      const slope = weights[w + j] * (slopes[j] - mean) * scale;
      for (let i = 0, at = k + j * width; i < size; i++, at++) {
        forQuery[q + i] += slope * key[at];
        forKey[at] += slope * query[q + i];
      }
    }
  }
  return {
    weights,
    /** @param {Float64Array} q @param {Float64Array} k @param {Float64Array} v */
    forward(q, k, v) {
      [query, key, value] = [q, k, v];
      out.fill(0);
      for (let r = 0, w = 0; r < rows; r++)
        for (let h = 0; h < heads; h++, w += places) {
          const at = r * width + h * size;
          const from = lists[r] * places * width + h * size;
          if (asks) weigh(at, from, w);
          for (let j = 0; j < places; j++) {
            const weight = weights[w + j];
            for (let i = 0, v2 = from + j * width; i < size; i++, v2++) out[at + i] += weight * value[v2];
          }
        }
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      for (const array of [forQuery, forKey, forValue]) array.fill(0);
      for (let r = 0, w = 0; r < rows; r++)
        for (let h = 0; h < heads; h++, w += places) {
          const at = r * width + h * size;
          const from = lists[r] * places * width + h * size;
          for (let j = 0; j < places; j++) {
            const weight = weights[w + j];
            let slope = 0;
            for (let i = 0, v = from + j * width; i < size; i++, v++) {
              slope += g[at + i] * value[v];
              forValue[v] += weight * g[at + i];
            }
            slopes[j] = slope;
          }
          if (asks) weighBack(at, from, w);
        }
      return { forQuery, forKey, forValue };
    }
  };
}

// src/attnbook/widgets/js/train/matrices.js
function addProduct(a, b, out, rows, inner, cols) {
  const [wholeRows, wholeCols] = [rows - rows % 2, cols - cols % 4];
  for (let r = 0; r < wholeRows; r += 2)
    for (let c = 0; c < wholeCols; c += 4) eight(a, r * inner, b, c * inner, out, r * cols + c, inner, cols);
  for (let r = 0; r < rows; r++)
    for (let c = r < wholeRows ? wholeCols : 0; c < cols; c++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[r * inner + k] * b[c * inner + k];
      out[r * cols + c] += sum;
    }
}
function eight(a, a0, b, b0, out, at, inner, cols) {
  const a1 = a0 + inner;
  const b1 = b0 + inner;
  const b2 = b1 + inner;
  const b3 = b2 + inner;
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s03 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s13 = 0;
  for (let k = 0; k < inner; k++) {
    const x0 = a[a0 + k];
    const x1 = a[a1 + k];
    const y0 = b[b0 + k];
    const y1 = b[b1 + k];
    const y2 = b[b2 + k];
    const y3 = b[b3 + k];
    s00 += x0 * y0;
    s01 += x0 * y1;
    s02 += x0 * y2;
    s03 += x0 * y3;
    s10 += x1 * y0;
    s11 += x1 * y1;
    s12 += x1 * y2;
    s13 += x1 * y3;
  }
  const below2 = at + cols;
  out[at] += s00;
  out[at + 1] += s01;
  out[at + 2] += s02;
  out[at + 3] += s03;
  out[below2] += s10;
  out[below2 + 1] += s11;
  out[below2 + 2] += s12;
  out[below2 + 3] += s13;
}
function transpose(x, out, rows, cols) {
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) out[c * rows + r] = x[r * cols + c];
  return out;
}

// src/attnbook/widgets/js/train/layers.js
function linear({ weight, bias }, rows, ins, outs) {
  const [out, columnsOut] = [0, 1].map(() => new Float64Array(rows * outs));
  const [back, columnsIn] = [0, 1].map(() => new Float64Array(rows * ins));
  const weightColumns = new Float64Array(ins * outs);
  let input = (
    /** @type {Float64Array} */
    back
  );
  return {
    forward(x) {
      input = x;
      out.fill(0);
      if (bias) for (let at = 0; at < out.length; at += outs) out.set(bias.value, at);
      addProduct(x, weight.value, out, rows, ins, outs);
      return out;
    },
    backward(g) {
      transpose(g, columnsOut, rows, outs);
      addProduct(columnsOut, transpose(input, columnsIn, rows, ins), weight.gradient, outs, rows, ins);
      if (bias)
        for (let at = 0; at < g.length; at += outs) for (let o = 0; o < outs; o++) bias.gradient[o] += g[at + o];
      addProduct(g, transpose(weight.value, weightColumns, outs, ins), back.fill(0), rows, outs, ins);
      return back;
    }
  };
}
function relu(size) {
  const [out, back] = [new Float64Array(size), new Float64Array(size)];
  return {
    forward(x) {
      for (let i = 0; i < size; i++) out[i] = Math.max(0, x[i]);
      return out;
    },
    backward(g) {
      for (let i = 0; i < size; i++) back[i] = out[i] > 0 ? g[i] : 0;
      return back;
    }
  };
}
var EPSILON = 1e-5;
function layerNorm({ gain, shift }, rows, cols) {
  const [z, out, back] = [0, 1, 2].map(() => new Float64Array(rows * cols));
  const scales = new Float64Array(rows);
  return {
    forward(x) {
      for (let r = 0, at = 0; r < rows; r++, at += cols) {
        let mean = 0;
        let variance = 0;
        for (let k = at; k < at + cols; k++) mean += x[k] / cols;
        for (let k = at; k < at + cols; k++) variance += (x[k] - mean) ** 2 / cols;
        scales[r] = 1 / Math.sqrt(variance + EPSILON);
        for (let k = 0; k < cols; k++) {
          z[at + k] = (x[at + k] - mean) * scales[r];
          out[at + k] = z[at + k] * gain.value[k] + shift.value[k];
        }
      }
      return out;
    },
    backward(g) {
      for (let r = 0, at = 0; r < rows; r++, at += cols) {
        let mean = 0;
        let along = 0;
        for (let k = 0; k < cols; k++) {
          gain.gradient[k] += g[at + k] * z[at + k];
          shift.gradient[k] += g[at + k];
          back[at + k] = g[at + k] * gain.value[k];
          mean += back[at + k] / cols;
          along += back[at + k] * z[at + k] / cols;
        }
        for (let k = at; k < at + cols; k++) back[k] = (back[k] - mean - z[k] * along) * scales[r];
      }
      return back;
    }
  };
}
function crossEntropy(logits, answers, classes) {
  const gradient = new Float64Array(logits.length);
  const best = new Int32Array(answers.length);
  let loss = 0;
  for (let r = 0, at = 0; r < answers.length; r++, at += classes) {
    const row = logits.subarray(at, at + classes);
    for (let c = 1; c < classes; c++) if (row[c] > row[best[r]]) best[r] = c;
    let total = 0;
    for (let c = 0; c < classes; c++) total += gradient[at + c] = Math.exp(row[c] - row[best[r]]);
    for (let c = 0; c < classes; c++) gradient[at + c] /= total * answers.length;
    gradient[at + answers[r]] -= 1 / answers.length;
    loss += (Math.log(total) + row[best[r]] - row[answers[r]]) / answers.length;
  }
  return { loss, best, gradient };
}

// src/attnbook/widgets/js/train/network.js
var WIDTH = 32;
var INNER = 64;
function firstParameters(task, layers, random) {
  const made = {};
  const add = (name, size, first2) => {
    made[name] = { value: Float64Array.from({ length: size }, first2), gradient: new Float64Array(size) };
  };
  const matrix = (name, outs, ins) => {
    const most = Math.sqrt(6 / (ins + outs));
    add(`${name}.weight`, outs * ins, () => most * (2 * random() - 1));
  };
  const bias = (name, size) => add(`${name}.bias`, size, () => 0);
  const norm = (name) => {
    add(`${name}.weight`, WIDTH, () => 1);
    bias(name, WIDTH);
  };
  add("symbols.weight", task.symbols.length * WIDTH, () => normal(random));
  add("positions.weight", (task.places + task.count) * WIDTH, () => normal(random));
  for (let l = 0; l < layers; l++) {
    norm(`layers.${l}.norm_1`);
    for (const name of ["W_q", "W_k", "W_v", "W_o"]) matrix(`layers.${l}.${name}`, WIDTH, WIDTH);
    norm(`layers.${l}.norm_2`);
    matrix(`layers.${l}.W_1`, INNER, WIDTH);
    bias(`layers.${l}.W_1`, INNER);
    matrix(`layers.${l}.W_2`, WIDTH, INNER);
    bias(`layers.${l}.W_2`, WIDTH);
  }
  norm("norm");
  matrix("head", task.symbols.length, WIDTH);
  bias("head", task.symbols.length);
  return made;
}
function partsOf(parameters, prefix = "") {
  const of = (name) => parameters[prefix + name];
  return {
    /** @param {string} name @param {number} rows @param {number} ins @param {number} outs */
    linear: (name, rows, ins, outs) => linear({ weight: of(`${name}.weight`), bias: of(`${name}.bias`) }, rows, ins, outs),
    /** @param {string} name @param {number} rows */
    norm: (name, rows) => layerNorm({ gain: of(`${name}.weight`), shift: of(`${name}.bias`) }, rows, WIDTH)
  };
}
function block(parameters, prefix, { lists, places, batch, last }, { heads, attention: asks }) {
  const [rows, read] = [lists.length, batch * places];
  const begin = last ? read : 0;
  const left = rows - begin;
  const { linear: linear2, norm } = partsOf(parameters, prefix);
  const [firstNorm, secondNorm] = [norm("norm_1", rows), norm("norm_2", left)];
  const [asking, mixing] = ["W_q", "W_o"].map((name) => linear2(name, left, WIDTH, WIDTH));
  const [keys, values] = ["W_k", "W_v"].map((name) => linear2(name, read, WIDTH, WIDTH));
  const looking = attention({ lists: lists.subarray(begin), places, width: WIDTH, heads, asks, batch });
  const [inner, outer] = [linear2("W_1", left, WIDTH, INNER), linear2("W_2", left, INNER, WIDTH)];
  const bend = relu(left * INNER);
  const [middle, out] = [0, 1].map(() => new Float64Array(left * WIDTH));
  const [forMiddle, forX, forNorm] = [left, rows, rows].map((size) => new Float64Array(size * WIDTH));
  return {
    weights: looking.weights,
    /** @param {Float64Array} x */
    forward(x) {
      const h = firstNorm.forward(x);
      const own = h.subarray(begin * WIDTH);
      const looked = mixing.forward(looking.forward(asking.forward(own), keys.forward(h), values.forward(h)));
      const skipped = x.subarray(begin * WIDTH);
      for (let i = 0; i < middle.length; i++) middle[i] = skipped[i] + looked[i];
      const fed = outer.forward(bend.forward(inner.forward(secondNorm.forward(middle))));
      for (let i = 0; i < out.length; i++) out[i] = middle[i] + fed[i];
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      const fed = secondNorm.backward(inner.backward(bend.backward(outer.backward(g))));
      for (let i = 0; i < g.length; i++) forMiddle[i] = g[i] + fed[i];
      const { forQuery, forKey, forValue } = looking.backward(mixing.backward(forMiddle));
      forNorm.fill(0);
      addAt(forNorm, asking.backward(forQuery), begin * WIDTH);
      addAt(forNorm, keys.backward(forKey), 0);
      addAt(forNorm, values.backward(forValue), 0);
      forX.set(firstNorm.backward(forNorm));
      addAt(forX, forMiddle, begin * WIDTH);
      return forX;
    }
  };
}
function addAt(sums, added, begin) {
  for (let i = 0; i < added.length; i++) sums[begin + i] += added[i];
}
function network(parameters, task, choices, batch) {
  const [read, asked] = [batch * task.places, batch * task.count];
  const lists = Int32Array.from(
    { length: read + asked },
    (_, r) => Math.floor(r < read ? r / task.places : (r - read) / task.count)
  );
  const embedded = embedding(parameters, task, choices.positions, batch);
  const blocks = Array.from({ length: choices.layers }, (_, l) => {
    const last = l === choices.layers - 1;
    return block(parameters, `layers.${l}.`, { lists, places: task.places, batch, last }, choices);
  });
  const { linear: linear2, norm } = partsOf(parameters);
  const [finalNorm, head] = [norm("norm", asked), linear2("head", asked, WIDTH, task.symbols.length)];
  return {
    /** Of the last layer, by list, slot, head and place. */
    weights: blocks[choices.layers - 1].weights,
    /** Loss, answers, and a backward pass that adds to every parameter's gradient. @param {Example[]} examples */
    forward(examples) {
      let x = embedded.forward(examples);
      for (const { forward } of blocks) x = forward(x);
      const logits = head.forward(finalNorm.forward(x));
      const answers = examples.flatMap((example) => example.answers);
      const { loss, best, gradient } = crossEntropy(logits, answers, task.symbols.length);
      return {
        loss,
        best,
        backward() {
          let g = finalNorm.backward(head.backward(gradient));
          for (const { backward } of blocks.toReversed()) g = backward(g);
          embedded.backward(g);
        }
      };
    }
  };
}
function embedding(parameters, task, positions, batch) {
  const [symbols, places] = [parameters["symbols.weight"], parameters["positions.weight"]];
  const out = new Float64Array(batch * (task.places + task.count) * WIDTH);
  let read = [];
  const each = (add) => {
    let at = 0;
    const one = (ids, place) => {
      for (const id of ids) add(at, symbols, id * WIDTH);
      if (positions) add(at, places, place * WIDTH);
      at += WIDTH;
    };
    for (const { source } of read) source.forEach(one);
    for (const { slots } of read) slots.forEach((id, i) => void one([id], task.places + i));
  };
  return {
    /** @param {Example[]} examples */
    forward(examples) {
      read = examples;
      out.fill(0);
      each((at, { value }, row) => {
        for (let k = 0; k < WIDTH; k++) out[at + k] += value[row + k];
      });
      return out;
    },
    /** @param {Float64Array} g */
    backward(g) {
      each((at, { gradient }, row) => {
        for (let k = 0; k < WIDTH; k++) gradient[row + k] += g[at + k];
      });
    }
  };
}

// src/attnbook/widgets/js/train/trainer.js
var BATCH = 16;
var [BETA_1, BETA_2, EPSILON2] = [0.9, 0.99, 1e-8];
var Trainer = class {
  /** @param {Settings} settings */
  constructor(settings) {
    const { task, layers, rate, seed } = settings;
    this.task = TASKS[task];
    this.rate = rate;
    this.random = randomFrom(seed);
    this.parameters = firstParameters(this.task, layers, this.random);
    this.network = network(this.parameters, this.task, settings, BATCH);
    this.shown = this.task.draw(this.random);
    this.viewer = network(this.parameters, this.task, settings, 1);
    this.steps = 0;
    this.moments = Object.values(this.parameters).map(({ value }) => ({
      first: new Float64Array(value.length),
      second: new Float64Array(value.length)
    }));
  }
  get size() {
    return Object.values(this.parameters).reduce((size, { value }) => size + value.length, 0);
  }
  draw() {
    return Array.from({ length: BATCH }, () => this.task.draw(this.random));
  }
  /** One step of Adam on new lists. @returns {Step} */
  step(examples = this.draw()) {
    const { loss, best, backward } = this.network.forward(examples);
    const answers = examples.flatMap((example) => example.answers);
    const right = answers.filter((answer, i) => answer === best[i]).length / answers.length;
    for (const { gradient } of Object.values(this.parameters)) gradient.fill(0);
    backward();
    this.change();
    return { loss, right, guess: guessed(examples) };
  }
  /** Adam's step by the gradients that are there. */
  change() {
    this.steps++;
    const rate = this.rate * Math.sqrt(1 - BETA_2 ** this.steps) / (1 - BETA_1 ** this.steps);
    const epsilon = EPSILON2 * Math.sqrt(1 - BETA_2 ** this.steps);
    Object.values(this.parameters).forEach(({ value, gradient }, p) => {
      const { first: first2, second } = this.moments[p];
      for (let i = 0; i < value.length; i++) {
        const slope = gradient[i];
        first2[i] += (1 - BETA_1) * (slope - first2[i]);
        second[i] += (1 - BETA_2) * (slope * slope - second[i]);
        value[i] -= rate * first2[i] / (Math.sqrt(second[i]) + epsilon);
      }
    });
  }
  /** What the model does with one list, which stays the same: its answers, and the weights by slot, head and place. */
  look() {
    const { best } = this.viewer.forward([this.shown]);
    return { example: this.shown, best: [...best], weights: Float32Array.from(this.viewer.weights) };
  }
};
function guessed(examples) {
  const shares = examples.map(({ answers }) => {
    const most = Math.max(...answers.map((answer) => answers.filter((other) => other === answer).length));
    return most / answers.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

// src/attnbook/widgets/js/train/verdict.js
var LEARNED = 0.97;
var ENOUGH = 300;
var percent = (share) => `${(100 * share).toFixed(0)} %`;
var ONE_ANSWER = (guess) => `Without positions all slots are the same vector: they ask one question and get one answer. The list's most frequent answer is right in ${percent(guess)}, and more cannot be had.`;
var MEAN = "With attention off every weight is the same: a slot gets the mean of the list, which hardly says what belongs to what.";
var TOO_FAST = "Each step is so long that it overshoots: try a smaller rate.";
var TOO_SLOW = "The steps are short: it needs more of them, or a larger rate.";
function obstacle({ task, positions, attention: attention2, rate }, guess) {
  if (!positions && task !== "recall") return ONE_ANSWER(guess);
  if (!attention2) return MEAN;
  return rate >= 0.03 ? TOO_FAST : rate <= 3e-4 ? TOO_SLOW : null;
}
function verdict(settings, { steps, right, guess }) {
  const { label } = TASKS[settings.task];
  if (steps === 0) return `Task: ${label}. Nothing is learned yet, and the answers are chance: press Start.`;
  if (right >= LEARNED) return `Learned: ${label}. ${percent(right)} are right, of lists that it has never seen.`;
  const why = steps >= ENOUGH ? obstacle(settings, guess) : null;
  if (why) return `${percent(right)} are right. ${why}`;
  return "It is being trained. Dots in the curve: what always naming the list's most frequent answer would give.";
}
var LONGEST = `100 % are right. ${ONE_ANSWER(1)}`;

// text:src/attnbook/widgets/js/train/worker.js
var worker_default = '"use strict";var program=(()=>{var Q=Object.defineProperty;var xt=Object.getOwnPropertyDescriptor;var $t=Object.getOwnPropertyNames;var At=Object.prototype.hasOwnProperty;var Mt=(n,t)=>{for(var e in t)Q(n,e,{get:t[e],enumerable:!0})},_t=(n,t,e,r)=>{if(t&&typeof t=="object"||typeof t=="function")for(let o of $t(t))!At.call(n,o)&&o!==e&&Q(n,o,{get:()=>t[o],enumerable:!(r=xt(t,o))||r.enumerable});return n};var Et=n=>_t(Q({},"__esModule",{value:!0}),n);var Yt={};Mt(Yt,{serve:()=>Xt});var D=class{constructor({cells:t=[],heads:e=[],temperatures:r={},positions:o=!0}={}){for(let[s,c]of Object.entries(r))if(!(c>0&&c<1/0))throw new Error(`temperatures[${s}] is ${c}: wanted above 0`);for(let{weight:s}of t)if(s!==null&&!(s>=0&&s<=1))throw new Error(`weight is ${s}: wanted 0 to 1, or null`);this.cells=t,this.heads=e,this.temperatures=r,this.positions=o}cellsOf(t,e,r){return this.cells.filter(o=>o.module===t&&(o.head??e)===e&&(o.row??r)===r)}softmax(t,e,r,o,s=()=>!0){let c=new Float32Array(o.length);if(this.heads.some(h=>h.module===t&&h.head===e))return c;let d=this.cellsOf(t,e,r),a=new Set(d.filter(({weight:h})=>h===null).map(({column:h})=>h)),f=[...o.keys()].filter(h=>s(h)&&!a.has(h)),l=this.temperatures[t]??1,u=Math.max(...f.map(h=>o[h])),m=f.map(h=>Math.exp((o[h]-u)/l)),i=m.reduce((h,_)=>h+_,0);for(let[h,_]of f.entries())c[_]=m[h]/i;let g=new Map;for(let{column:h,weight:_}of d)_!==null&&f.includes(h)&&g.set(h,_);return g.size&&St(c,g),c}};function St(n,t){let[e,r]=[1,0];for(let s of t.values())e-=s;for(let[s,c]of n.entries())r+=t.has(s)?0:c;let o=r>0?Math.max(0,e)/r:0;for(let[s,c]of n.entries())n[s]=t.get(s)??c*o}var rt=new D;var st=()=>new Promise(n=>{let{port1:t,port2:e}=new MessageChannel;t.onmessage=()=>{t.close(),n()},e.postMessage(null)});function Pt(n,t,e){let r=-1/0;for(let s=t;s<t+e;s++)r=Math.max(r,n[s]);let o=0;for(let s=t;s<t+e;s++)n[s]=Math.exp(n[s]-r),o+=n[s];for(let s=t;s<t+e;s++)n[s]/=o}function at({lists:n,places:t,width:e,heads:r,asks:o,batch:s}){let c=e/r,d=1/Math.sqrt(c),a=n.length,f=new Float64Array(a*r*t).fill(1/t),[l,u]=[0,1].map(()=>new Float64Array(a*e)),[m,i]=[0,1].map(()=>new Float64Array(s*t*e)),g=new Float64Array(t),[h,_,v]=[l,m,i];function L(y,b,A){for(let k=0;k<t;k++){let w=0;for(let x=0;x<c;x++)w+=h[y+x]*_[b+k*e+x];f[A+k]=w*d}Pt(f,A,t)}function N(y,b,A){let k=0;for(let w=0;w<t;w++)k+=f[A+w]*g[w];for(let w=0;w<t;w++){let x=f[A+w]*(g[w]-k)*d;for(let $=0,E=b+w*e;$<c;$++,E++)u[y+$]+=x*_[E],m[E]+=x*h[y+$]}}return{weights:f,forward(y,b,A){[h,_,v]=[y,b,A],l.fill(0);for(let k=0,w=0;k<a;k++)for(let x=0;x<r;x++,w+=t){let $=k*e+x*c,E=n[k]*t*e+x*c;o&&L($,E,w);for(let S=0;S<t;S++){let M=f[w+S];for(let O=0,I=E+S*e;O<c;O++,I++)l[$+O]+=M*v[I]}}return l},backward(y){for(let b of[u,m,i])b.fill(0);for(let b=0,A=0;b<a;b++)for(let k=0;k<r;k++,A+=t){let w=b*e+k*c,x=n[b]*t*e+k*c;for(let $=0;$<t;$++){let E=f[A+$],S=0;for(let M=0,O=x+$*e;M<c;M++,O++)S+=y[w+M]*v[O],i[O]+=E*y[w+M];g[$]=S}o&&N(w,x,A)}return{forQuery:u,forKey:m,forValue:i}}}}function C(n,t,e,r,o,s){let[c,d]=[r-r%2,s-s%4];for(let a=0;a<c;a+=2)for(let f=0;f<d;f+=4)Dt(n,a*o,t,f*o,e,a*s+f,o,s);for(let a=0;a<r;a++)for(let f=a<c?d:0;f<s;f++){let l=0;for(let u=0;u<o;u++)l+=n[a*o+u]*t[f*o+u];e[a*s+f]+=l}}function Dt(n,t,e,r,o,s,c,d){let a=t+c,f=r+c,l=f+c,u=l+c,m=0,i=0,g=0,h=0,_=0,v=0,L=0,N=0;for(let b=0;b<c;b++){let A=n[t+b],k=n[a+b],w=e[r+b],x=e[f+b],$=e[l+b],E=e[u+b];m+=A*w,i+=A*x,g+=A*$,h+=A*E,_+=k*w,v+=k*x,L+=k*$,N+=k*E}let y=s+d;o[s]+=m,o[s+1]+=i,o[s+2]+=g,o[s+3]+=h,o[y]+=_,o[y+1]+=v,o[y+2]+=L,o[y+3]+=N}function K(n,t,e,r){for(let o=0;o<e;o++)for(let s=0;s<r;s++)t[s*e+o]=n[o*r+s];return t}function ct({weight:n,bias:t},e,r,o){let[s,c]=[0,1].map(()=>new Float64Array(e*o)),[d,a]=[0,1].map(()=>new Float64Array(e*r)),f=new Float64Array(r*o),l=d;return{forward(u){if(l=u,s.fill(0),t)for(let m=0;m<s.length;m+=o)s.set(t.value,m);return C(u,n.value,s,e,r,o),s},backward(u){if(K(u,c,e,o),C(c,K(l,a,e,r),n.gradient,o,e,r),t)for(let m=0;m<u.length;m+=o)for(let i=0;i<o;i++)t.gradient[i]+=u[m+i];return C(u,K(n.value,f,o,r),d.fill(0),e,o,r),d}}}function lt(n){let[t,e]=[new Float64Array(n),new Float64Array(n)];return{forward(r){for(let o=0;o<n;o++)t[o]=Math.max(0,r[o]);return t},backward(r){for(let o=0;o<n;o++)e[o]=t[o]>0?r[o]:0;return e}}}var Ct=1e-5;function it({gain:n,shift:t},e,r){let[o,s,c]=[0,1,2].map(()=>new Float64Array(e*r)),d=new Float64Array(e);return{forward(a){for(let f=0,l=0;f<e;f++,l+=r){let u=0,m=0;for(let i=l;i<l+r;i++)u+=a[i]/r;for(let i=l;i<l+r;i++)m+=(a[i]-u)**2/r;d[f]=1/Math.sqrt(m+Ct);for(let i=0;i<r;i++)o[l+i]=(a[l+i]-u)*d[f],s[l+i]=o[l+i]*n.value[i]+t.value[i]}return s},backward(a){for(let f=0,l=0;f<e;f++,l+=r){let u=0,m=0;for(let i=0;i<r;i++)n.gradient[i]+=a[l+i]*o[l+i],t.gradient[i]+=a[l+i],c[l+i]=a[l+i]*n.value[i],u+=c[l+i]/r,m+=c[l+i]*o[l+i]/r;for(let i=l;i<l+r;i++)c[i]=(c[i]-u-o[i]*m)*d[f]}return c}}}function ft(n,t,e){let r=new Float64Array(n.length),o=new Int32Array(t.length),s=0;for(let c=0,d=0;c<t.length;c++,d+=e){let a=n.subarray(d,d+e);for(let l=1;l<e;l++)a[l]>a[o[c]]&&(o[c]=l);let f=0;for(let l=0;l<e;l++)f+=r[d+l]=Math.exp(a[l]-a[o[c]]);for(let l=0;l<e;l++)r[d+l]/=f*t.length;r[d+t[c]]-=1/t.length,s+=(Math.log(f)+a[o[c]]-a[t[c]])/t.length}return{loss:s,best:o,gradient:r}}function dt(n){let t=n>>>0;return()=>{t=t+1831565813>>>0;let e=Math.imul(t^t>>>15,t|1);return e^=e+Math.imul(e^e>>>7,e|61),((e^e>>>14)>>>0)/2**32}}var j=(n,t)=>Math.floor(n()*t),X=n=>Math.sqrt(-2*Math.log(1-n()))*Math.cos(2*Math.PI*n());function Y(n,t,e){let r=Array.from({length:t},(o,s)=>s);for(let o=0;o<e;o++){let s=o+j(n,t-o);[r[o],r[s]]=[r[s],r[o]]}return r.slice(0,e)}var p=32,B=64;function ut(n,t,e){let r={},o=(a,f,l)=>{r[a]={value:Float64Array.from({length:f},l),gradient:new Float64Array(f)}},s=(a,f,l)=>{let u=Math.sqrt(6/(l+f));o(`${a}.weight`,f*l,()=>u*(2*e()-1))},c=(a,f)=>o(`${a}.bias`,f,()=>0),d=a=>{o(`${a}.weight`,p,()=>1),c(a,p)};o("symbols.weight",n.symbols.length*p,()=>X(e)),o("positions.weight",(n.places+n.count)*p,()=>X(e));for(let a=0;a<t;a++){d(`layers.${a}.norm_1`);for(let f of["W_q","W_k","W_v","W_o"])s(`layers.${a}.${f}`,p,p);d(`layers.${a}.norm_2`),s(`layers.${a}.W_1`,B,p),c(`layers.${a}.W_1`,B),s(`layers.${a}.W_2`,p,B),c(`layers.${a}.W_2`,p)}return d("norm"),s("head",n.symbols.length,p),c("head",n.symbols.length),r}function mt(n,t=""){let e=r=>n[t+r];return{linear:(r,o,s,c)=>ct({weight:e(`${r}.weight`),bias:e(`${r}.bias`)},o,s,c),norm:(r,o)=>it({gain:e(`${r}.weight`),shift:e(`${r}.bias`)},o,p)}}function Kt(n,t,{lists:e,places:r,batch:o,last:s},{heads:c,attention:d}){let[a,f]=[e.length,o*r],l=s?f:0,u=a-l,{linear:m,norm:i}=mt(n,t),[g,h]=[i("norm_1",a),i("norm_2",u)],[_,v]=["W_q","W_o"].map(M=>m(M,u,p,p)),[L,N]=["W_k","W_v"].map(M=>m(M,f,p,p)),y=at({lists:e.subarray(l),places:r,width:p,heads:c,asks:d,batch:o}),[b,A]=[m("W_1",u,p,B),m("W_2",u,B,p)],k=lt(u*B),[w,x]=[0,1].map(()=>new Float64Array(u*p)),[$,E,S]=[u,a,a].map(M=>new Float64Array(M*p));return{weights:y.weights,forward(M){let O=g.forward(M),I=O.subarray(l*p),G=v.forward(y.forward(_.forward(I),L.forward(O),N.forward(O))),V=M.subarray(l*p);for(let F=0;F<w.length;F++)w[F]=V[F]+G[F];let W=A.forward(k.forward(b.forward(h.forward(w))));for(let F=0;F<x.length;F++)x[F]=w[F]+W[F];return x},backward(M){let O=h.backward(b.backward(k.backward(A.backward(M))));for(let W=0;W<M.length;W++)$[W]=M[W]+O[W];let{forQuery:I,forKey:G,forValue:V}=y.backward(v.backward($));return S.fill(0),R(S,_.backward(I),l*p),R(S,L.backward(G),0),R(S,N.backward(V),0),E.set(g.backward(S)),R(E,$,l*p),E}}}function R(n,t,e){for(let r=0;r<t.length;r++)n[e+r]+=t[r]}function Z(n,t,e,r){let[o,s]=[r*t.places,r*t.count],c=Int32Array.from({length:o+s},(i,g)=>Math.floor(g<o?g/t.places:(g-o)/t.count)),d=Rt(n,t,e.positions,r),a=Array.from({length:e.layers},(i,g)=>{let h=g===e.layers-1;return Kt(n,`layers.${g}.`,{lists:c,places:t.places,batch:r,last:h},e)}),{linear:f,norm:l}=mt(n),[u,m]=[l("norm",s),f("head",s,p,t.symbols.length)];return{weights:a[e.layers-1].weights,forward(i){let g=d.forward(i);for(let{forward:y}of a)g=y(g);let h=m.forward(u.forward(g)),_=i.flatMap(y=>y.answers),{loss:v,best:L,gradient:N}=ft(h,_,t.symbols.length);return{loss:v,best:L,backward(){let y=u.backward(m.backward(N));for(let{backward:b}of a.toReversed())y=b(y);d.backward(y)}}}}}function Rt(n,t,e,r){let[o,s]=[n["symbols.weight"],n["positions.weight"]],c=new Float64Array(r*(t.places+t.count)*p),d=[],a=f=>{let l=0,u=(m,i)=>{for(let g of m)f(l,o,g*p);e&&f(l,s,i*p),l+=p};for(let{source:m}of d)m.forEach(u);for(let{slots:m}of d)m.forEach((i,g)=>{u([i],t.places+g)})};return{forward(f){return d=f,c.fill(0),a((l,{value:u},m)=>{for(let i=0;i<p;i++)c[l+i]+=u[m+i]}),c},backward(f){a((l,{gradient:u},m)=>{for(let i=0;i<p;i++)u[m+i]+=f[l+i]})}}}var T=8,tt="cup key hat box bed pen jar pot map fan bag cap can rug pin toy".split(" "),ht=[..."abcdefghij"],et=[..."0123456789"],U="jan feb mar apr may jun jul aug sep oct nov dec".split(" "),gt="?",pt=[gt," ",...et,...new Set(U.join(""))],Ut=[19,20],zt={label:"recall by name",symbols:[...tt,...et],places:T,slots:[],count:T,draw(n){let t=Y(n,tt.length,T),e=t.map(()=>tt.length+j(n,et.length)),r=Y(n,T,T);return{source:t.map((o,s)=>[o,e[s]]),slots:r.map(o=>t[o]),answers:r.map(o=>e[o])}}},wt=(n,t)=>({label:n,symbols:[gt,...ht],places:T,slots:Array.from({length:T},(e,r)=>`${r+1}.`),count:T,draw(e){let r=Array.from({length:T},()=>1+j(e,ht.length));return{source:r.map(o=>[o]),slots:r.map(()=>0),answers:t(r)}}}),Ht={label:"dates",symbols:pt,places:11,slots:["y","y","y","y","m","m","d","d"],count:8,draw(n){let t=f=>String(f).padStart(2,"0"),e=`${Ut[j(n,2)]}${t(j(n,100))}`,r=j(n,12),o=t(1+j(n,28)),s=[[o,U[r],e],[U[r],o,e],[e,U[r],o]],c=f=>[...f].map(l=>pt.indexOf(l)),d=c(e+t(r+1)+o),a=s[j(n,s.length)].join(" ");return{source:c(a).map(f=>[f]),slots:d.map(()=>0),answers:d}}},yt={recall:zt,copy:wt("copy",n=>n),reverse:wt("reverse",n=>n.toReversed()),dates:Ht};var bt=16,[kt,ot,Gt]=[.9,.99,1e-8],z=class{constructor(t){let{task:e,layers:r,rate:o,seed:s}=t;this.task=yt[e],this.rate=o,this.random=dt(s),this.parameters=ut(this.task,r,this.random),this.network=Z(this.parameters,this.task,t,bt),this.shown=this.task.draw(this.random),this.viewer=Z(this.parameters,this.task,t,1),this.steps=0,this.moments=Object.values(this.parameters).map(({value:c})=>({first:new Float64Array(c.length),second:new Float64Array(c.length)}))}get size(){return Object.values(this.parameters).reduce((t,{value:e})=>t+e.length,0)}draw(){return Array.from({length:bt},()=>this.task.draw(this.random))}step(t=this.draw()){let{loss:e,best:r,backward:o}=this.network.forward(t),s=t.flatMap(d=>d.answers),c=s.filter((d,a)=>d===r[a]).length/s.length;for(let{gradient:d}of Object.values(this.parameters))d.fill(0);return o(),this.change(),{loss:e,right:c,guess:Vt(t)}}change(){this.steps++;let t=this.rate*Math.sqrt(1-ot**this.steps)/(1-kt**this.steps),e=Gt*Math.sqrt(1-ot**this.steps);Object.values(this.parameters).forEach(({value:r,gradient:o},s)=>{let{first:c,second:d}=this.moments[s];for(let a=0;a<r.length;a++){let f=o[a];c[a]+=(1-kt)*(f-c[a]),d[a]+=(1-ot)*(f*f-d[a]),r[a]-=t*c[a]/(Math.sqrt(d[a])+e)}})}look(){let{best:t}=this.viewer.forward([this.shown]);return{example:this.shown,best:[...t],weights:Float32Array.from(this.viewer.weights)}}};function Vt(n){let t=n.map(({answers:e})=>Math.max(...e.map(o=>e.filter(s=>s===o).length))/e.length);return t.reduce((e,r)=>e+r,0)/t.length}var Qt=8,Jt=40,H=class{constructor(t){this.tell=t,this.left=0,this.busy=!1}order({run:t,open:e,steps:r}){if(e&&(this.trainer=new z(e)),this.run=t,this.left=r,this.left>0&&!this.busy)return this.work()}async work(){this.busy=!0;let t=[],[e,r,o]=[performance.now(),this.run,this.trainer];for(;this.left>0&&o;){let s=performance.now()+Qt;do t.push(o.step());while(--this.left>0&&performance.now()<s);(this.left===0||performance.now()>e+Jt)&&(this.tell({run:r??0,news:t,look:o.look()}),[t,e]=[[],performance.now()]),await st(),r!==this.run&&([t,r,o]=[[],this.run,this.trainer])}t.length&&o&&this.tell({run:r??0,news:t,look:o.look()}),this.busy=!1}};function Xt(n){let t=new H(e=>n.postMessage(e));n.onmessage=({data:e})=>{t.order(e)}}return Et(Yt);})();\n';

// src/attnbook/widgets/js/train_view.js
var RUN = 5e3;
var RECENT = 50;
var SAY = 4e3;
var STYLE2 = `
.train { max-width: 56rem; }
.panels { display: grid; gap: 2px 18px; grid-template-columns: minmax(0, 1fr); }
.train .controls { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2px 12px; margin: 0; }
.train .controls > :first-child { grid-column: span 2; }
@container (min-width: 620px) {
  .panels { grid-template-columns: minmax(0, 1fr) minmax(0, 1.15fr); grid-template-rows: auto auto 1fr; }
  .panels > .heatmap { grid-area: 1 / 2 / span 3; }
  .train .controls { gap: 8px 12px; align-content: start; }
}
.do { display: flex; flex-wrap: wrap; gap: 0 8px; }
.do button { white-space: nowrap; }
.do button:first-child { min-width: 5rem; font-weight: 650; }
.now { flex: 1 0 100%; font-variant-numeric: tabular-nums; color: var(--muted); font-size: 13px; }
${CURVE_STYLE}${HEATMAP_STYLE}`;
var TrainView = class {
  /** @param {RenderProps} place */
  constructor(place) {
    const { model, el } = place;
    this.name = model.get("name");
    this.first = /** @type {Settings} */
    model.get("settings");
    this.onPage = el.closest(".attnbook-static") !== null;
    const sent = this.onPage ? fromAddress(this.name, location.hash, this.first) : null;
    this.settings = sent ?? this.first;
    this.run = 0;
    this.playing = false;
    this.opened = false;
    this.head = /** @type {number | null} */
    null;
    this.program = /** @type {ReturnType<typeof startProgram> | null} */
    null;
    this.said = 0;
    const options = { name: "train", title: model.get("title"), tip: model.get("tip"), style: STYLE2 };
    this.card = new Card(place, { ...options, names: [] });
    this.away = false;
    this.lay();
    this.begin();
    this.sight = new IntersectionObserver(([{ isIntersecting }]) => this.seen(isIntersecting));
    this.sight.observe(el);
    if (sent) el.scrollIntoView({ block: "center" });
  }
  /** Out of sight it rests, and goes on when it is seen again. @param {boolean} inSight */
  seen(inSight) {
    if (inSight === !this.away || !inSight && !this.playing) return;
    this.away = !inSight;
    this.play(inSight);
  }
  /** Puts the parts into the card. */
  lay() {
    const label = "Right answers and loss over the steps of training";
    const left = this.card.picture(CURVE.width, CURVE.height, { label, wide: 340, size: 12 });
    const looks = "Attention weights: which places of a list each slot looks at";
    const right = this.card.picture(HEATMAP.width, HEATMAP.height, { label: looks, wide: 380, size: 12.5 });
    this.curve = curve(left);
    this.heatmap = heatmap(right);
    this.start = button("Start", () => this.play(!this.playing));
    this.now = element("span", { class: "now" });
    const single = button("One step", () => this.order(1));
    const again = button("New seed", () => this.set({ seed: nextSeed(this.settings.seed) }));
    const does = element("div", { class: "do" }, this.start, single, again, this.now);
    this.inputs = this.controls();
    this.card.figure.append(element("div", { class: "panels" }, left, right, does, this.card.controls));
    this.card.controls.append(...Object.values(this.inputs).map((control) => control.element));
    this.card.reserve([LONGEST]);
  }
  controls() {
    const numbers = (list) => list.map((n) => (
      /** @type {[number, number]} */
      [n, n]
    ));
    const tasks = Object.entries(TASKS).map(([task, { label }]) => (
      /** @type {[string, string]} */
      [task, label]
    ));
    const rates = { min: 0, max: RATES.length - 1, scale: listed(RATES) };
    return {
      task: choice("Task", tasks, (task) => this.set({ task })),
      layers: choice("Layers", numbers(LAYERS), (layers) => this.set({ layers: Number(layers) })),
      heads: choice("Heads", numbers(HEADS), (heads) => this.set({ heads: Number(heads) })),
      shown: choice("Shown", [], (head) => {
        this.head = head === "mean" ? null : Number(head);
        this.draw();
      }),
      rate: slider("Rate", rates, (rate) => this.set({ rate })),
      positions: checkbox("positions", (positions) => this.set({ positions })),
      attention: checkbox("attention", (attention2) => this.set({ attention: attention2 }))
    };
  }
  /** Other settings begin anew; a training that goes on, goes on with them. @param {Partial<Settings>} changes */
  set(changes) {
    this.settings = { ...this.settings, ...changes };
    if (this.onPage) history.replaceState(null, "", toAddress(this.name, this.settings));
    this.begin();
    if (this.playing) this.order(RUN);
  }
  /** Step 0: a new model, not trained. */
  begin() {
    if (this.opened) this.send(0);
    this.run++;
    this.opened = false;
    const { settings, inputs } = this;
    const heads = range(settings.heads);
    this.steps = [];
    const trainer = new Trainer(settings);
    this.task = trainer.task;
    this.size = trainer.size;
    this.look = trainer.look();
    if (this.head !== null && this.head >= settings.heads) this.head = null;
    inputs?.task.show(settings.task);
    inputs?.layers.show(settings.layers);
    inputs?.heads.show(settings.heads);
    inputs?.rate.show(settings.rate);
    inputs?.positions.show(settings.positions);
    inputs?.attention.show(settings.attention);
    inputs?.shown.offer([
      ["mean", "mean"],
      ...heads.map((h) => (
        /** @type {[string | number, string]} */
        [h, `head ${h + 1}`]
      ))
    ]);
    this.heatmap?.lay(this.task, this.look);
    this.say(true);
    this.draw();
  }
  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    if (playing) this.order(RUN);
    else {
      this.send(0);
      this.say(true);
    }
    this.draw();
  }
  /** @param {number} steps */
  order(steps) {
    if (steps === 1) this.playing = false;
    this.send(steps);
    this.draw();
  }
  /** @param {number} steps */
  async send(steps) {
    const open = this.opened ? void 0 : this.settings;
    this.opened = true;
    const { run } = this;
    this.program ??= startProgram(worker_default);
    const { port } = await this.program;
    port.onmessage = ({ data }) => this.hear(data);
    port.postMessage({ run, open, steps });
  }
  /** @param {News} news */
  hear({ run, news, look }) {
    if (run !== this.run || !this.steps) return;
    this.steps.push(...news);
    this.look = look;
    if (this.playing && this.steps.length % RUN === 0) this.playing = false;
    this.say(!this.playing);
    this.draw();
  }
  /** Right answers and guesses of late. */
  standing() {
    const steps = this.steps ?? [];
    const late = steps.slice(-RECENT);
    const mean = (name) => late.reduce((sum, step) => sum + step[name], 0) / Math.max(1, late.length);
    return { steps: steps.length, right: mean("right"), guess: mean("guess") };
  }
  /** @param {boolean} at once, although something was said just now */
  say(at) {
    if (!at && performance.now() < this.said + SAY) return;
    this.said = performance.now();
    this.card.say(verdict(this.settings, this.standing()));
  }
  draw() {
    const { look, task, steps, settings } = this;
    if (!look || !task || !steps) return;
    const { right, guess } = this.standing();
    write(
      /** @type {Element} */
      this.start,
      this.playing ? "Pause" : "Start"
    );
    const share = steps.length ? `${(100 * right).toFixed(0)} % right` : `${this.size?.toLocaleString("en")} parameters`;
    write(
      /** @type {Element} */
      this.now,
      `step ${steps.length.toLocaleString("en")}: ${share}`
    );
    this.curve?.draw(steps, Math.log(task.symbols.length) * 1.2, guess);
    this.inputs?.shown.show(this.head ?? "mean");
    this.heatmap?.draw(task, look, weightsOf(look, task, settings.heads, this.head));
  }
  reset() {
    this.playing = false;
    this.head = null;
    this.set(this.first);
  }
  async close() {
    this.sight.disconnect();
    (await this.program)?.end();
  }
};
function render(place) {
  const view = new TrainView(place);
  const stop = view.card.start(
    () => view.draw(),
    () => view.reset()
  );
  return () => {
    void view.close();
    stop();
  };
}
var train_view_default = { render };
export {
  train_view_default as default
};
