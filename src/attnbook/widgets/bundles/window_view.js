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
function softmax(scores) {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
var range = (count) => Array.from({ length: count }, (_, i) => i);

// src/attnbook/widgets/js/shared/written.js
var WRITTEN = `
.written { display: grid; margin-bottom: 6px; line-height: 1.9; }
.written p { grid-area: 1 / 1; margin: 0; }
.written [aria-hidden] { visibility: hidden; }
.written button { min-width: 26px; min-height: 26px; margin: 0 1px; padding: 0 5px; background: none; border: 0; border-bottom: 3px solid transparent;
  border-radius: 4px 4px 0 0; }
.written button:hover { background: var(--fill); }
.written button[aria-pressed=true] { border-color: var(--query); -webkit-text-stroke: 0.4px; }
.written button.later { color: var(--muted); }
`;
var tokenButton = () => element("button", { type: "button" });
function written(name, sentences, chosen) {
  const line = element("p", { role: "group", "aria-label": name });
  line.addEventListener("click", ({ target }) => {
    const at = [...line.children].indexOf(
      /** @type {Element} */
      target
    );
    if (at >= 0) chosen(at);
  });
  const room = sentences.map(
    (tokens) => element("p", { "aria-hidden": "true" }, ...tokens.map((text) => set(tokenButton(), { text, tabindex: -1 })))
  );
  return {
    element: element("div", { class: "written" }, ...room, line),
    /** @param {string[]} tokens @param {number} now @param {boolean} [fade] what comes later is not there yet */
    show(tokens, now, fade = false) {
      if (line.childElementCount !== tokens.length) line.replaceChildren(...tokens.map(tokenButton));
      tokens.forEach((token, i) => {
        const node = line.children[i];
        write(node, token);
        set(node, { "aria-pressed": String(i === now), class: fade && i > now ? "later" : "" });
      });
    }
  };
}

// src/attnbook/widgets/js/window_view.js
var WIDTH = 640;
var ROW = 30;
var TOP = 6;
var BAR = { left: 176, right: 590 };
var STYLE2 = `${WRITTEN}
.window .band { fill: var(--query); fill-opacity: 0.13; stroke: var(--query); stroke-dasharray: 5 4; }
.window .free .band { cursor: ns-resize; }
.window .free { touch-action: pan-x; }
.window .center { stroke: var(--query); stroke-width: 2; }
.window .bell { fill: none; stroke: var(--query); stroke-width: 2; }
.window .ghost { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.window .bar { fill: var(--weight); }
.window svg text, .window .bar, .window .bell, .window .center { pointer-events: none; }
.window .shut { fill-opacity: 0.75; }
.window .gold { font-weight: 700; }
`;
var NAMES = [
  ["global", "global: all tokens"],
  ["local-m", "local-m: centre t"],
  ["local-p", "local-p: predicted"]
];
var gaussian = (s, center, halfWidth) => Math.exp(-2 * ((s - center) / halfWidth) ** 2);
function localWeights(scores, center, halfWidth, bell) {
  const inside = scores.map((_, s) => Math.abs(s - center) <= halfWidth);
  const most = Math.max(...scores.filter((_, s) => inside[s]));
  const shares = scores.map((score, s) => inside[s] ? Math.exp(score - most) : 0);
  const total = sum(shares) || 1;
  return { inside, weights: shares.map((share, s) => share / total * (bell ? gaussian(s, center, halfWidth) : 1)) };
}
var x = (weight) => BAR.left + weight * (BAR.right - BAR.left);
var y = (s) => TOP + (s + 0.5) * ROW;
function parts(picture, source) {
  const made = {
    band: svg("rect", { class: "band", x: 2, width: WIDTH - 4 }),
    labels: source.map(
      (token, s) => svg("text", { x: BAR.left - 10, y: y(s), "text-anchor": "end", "dominant-baseline": "central", text: token })
    ),
    bars: source.map((_, s) => svg("rect", { class: "bar", x: BAR.left, y: y(s) - 8, height: 16 })),
    ghosts: source.map((_, s) => svg("rect", { class: "ghost", x: BAR.left, y: y(s) - 11, height: 22 })),
    bell: svg("path", { class: "bell" }),
    middle: svg("line", { class: "center", x1: BAR.left - 6, x2: WIDTH - 2 })
  };
  picture.append(made.band, ...made.labels, ...made.bars, ...made.ghosts, made.bell, made.middle);
  return made;
}
function drawWeights({ bars, ghosts, labels }, { weights, everywhere, inside, gold }) {
  weights.forEach((weight, s) => {
    set(bars[s], { width: (x(weight) - BAR.left).toFixed(2) });
    set(ghosts[s], { width: (x(everywhere[s]) - BAR.left).toFixed(2) });
    set(labels[s], { class: `${inside[s] ? "" : "shut"} ${gold.includes(s) ? "gold" : ""}` });
  });
}
function drawWindow({ band, middle, bell }, { kind, center, halfWidth, weights }) {
  const height = 2 * TOP + ROW * weights.length;
  const [from, to] = [center - halfWidth, center + halfWidth].map((edge) => clamp(y(edge), 1, height - 1));
  const hidden = kind === "global" || center > weights.length - 0.5;
  set(band, { y: from, height: to - from, visibility: hidden ? "hidden" : "visible" });
  set(middle, { y1: y(center), y2: y(center), visibility: hidden ? "hidden" : "visible" });
  const places = range(41).map((i) => center + halfWidth * (i / 20 - 1));
  const path = places.filter((s) => y(s) >= 0 && y(s) <= height);
  const points = path.map((s) => `${x(gaussian(s, center, halfWidth)).toFixed(1)} ${y(s).toFixed(1)}`);
  set(bell, { d: kind === "local-p" && points.length ? `M${points.join("L")}` : "" });
}
function sentence({ kind, step, center, halfWidth, inside, everywhere, weights, gold }, source, target) {
  const count = inside.filter(Boolean).length;
  const where = kind === "global" ? "" : ` around ${center.toFixed(1)}, with D = ${halfWidth},`;
  const begin = `Step ${step}, “${target[step]}”: the window${where}`;
  if (!count) return `${begin} lies outside the sentence. There is nothing to look at, and the context is zero.`;
  const kept = sum(everywhere.filter((_, s) => inside[s]));
  const best = weights.indexOf(Math.max(...weights));
  return `${begin} holds ${count} of ${source.length} tokens, so ${count} scores are needed. They had ${(100 * kept).toFixed(0)} % of the global weight. The weights now add up to ${sum(weights).toFixed(2)}; the largest, ${weights[best].toFixed(2)}, is on “${source[best]}”${gold.includes(best) ? ", a gold token" : ""}.`;
}
function look(model, moved) {
  const [kind, step, halfWidth] = ["window", "step", "half_width"].map((name) => model.get(name));
  const scores = model.get("scores")[step];
  const everywhere = softmax(scores);
  const center = kind === "local-p" ? moved ?? model.get("centers")[step] : step;
  const local = kind === "global" ? { inside: everywhere.map(() => true), weights: everywhere } : localWeights(scores, center, halfWidth, kind === "local-p");
  const links = (
    /** @type {[number, number][]} */
    model.get("gold")
  );
  const gold = links.filter(([, t]) => t === step).map(([s]) => s);
  return (
    /** @type {Seen} */
    { kind, step, halfWidth, center, everywhere, gold, ...local }
  );
}
function render(place2) {
  const { model } = place2;
  const [source, target] = (
    /** @type {string[][]} */
    ["source", "target"].map((name) => model.get(name))
  );
  const view = new Card(place2, {
    name: "window",
    title: "A window on the source",
    tip: "choose local-p and drag the window up and down. How narrow may it be before the gold token is lost?",
    style: STYLE2,
    names: ["window", "step", "half_width"]
  });
  let moved = (
    /** @type {number | null} */
    null
  );
  const move = (center) => {
    moved = center;
    view.redraw();
  };
  const go = (step) => {
    moved = null;
    view.change({ step });
  };
  const line = written("Writing", [target], go);
  view.figure.append(line.element);
  const picture = view.picture(WIDTH, 2 * TOP + ROW * source.length, { size: 15 });
  const made = parts(picture, source);
  const legend = "Filled: the weight inside the window. Outlined: that of global attention. Bold: the gold source token.";
  view.figure.append(element("p", { class: "legend", text: legend }));
  drag(picture, () => {
    if (model.get("window") !== "local-p") return null;
    return ({ y: y2 }) => move(clamp(Math.round(10 * ((y2 - TOP) / ROW - 0.5)) / 10, 0, source.length - 1));
  });
  const controls = makeControls(view, source, target, { go, move });
  return view.start(
    () => {
      const seen = look(model, moved);
      line.show(target, seen.step, true);
      picture.classList.toggle("free", seen.kind === "local-p");
      drawWeights(made, seen);
      drawWindow(made, seen);
      controls.show(seen, moved);
      view.say(sentence(seen, source, target));
    },
    () => move(null)
  );
}
function makeControls(view, source, target, { go, move }) {
  const windows = choice("Window", NAMES, (window) => view.change({ window }));
  const steps = { min: 0, max: target.length - 1, says: (t) => `${t}: ${target[t]}` };
  const step = slider("Step t", steps, go);
  const widths = { min: 1, max: Math.max(10, view.model.get("half_width")) };
  const width = slider("Half width D", widths, (halfWidth) => view.change({ half_width: halfWidth }));
  const places = { min: 0, max: source.length - 1, step: 0.1, says: (p) => p.toFixed(1) };
  const center = slider("Centre p", places, move);
  const back = button("Centre as predicted", () => move(null));
  view.controls.append(windows.element, step.element, width.element, center.element, back);
  return {
    /** @param {Seen} seen @param {number | null} moved */
    show(seen, moved) {
      const free = seen.kind === "local-p";
      windows.show(seen.kind);
      step.show(seen.step);
      width.show(seen.halfWidth);
      center.show(seen.center);
      width.input.disabled = seen.kind === "global";
      center.input.disabled = !free;
      back.disabled = !free || moved === null;
    }
  };
}
var window_view_default = { render };
export {
  window_view_default as default,
  localWeights
};
