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
var clamp = (value, low, high) => Math.min(Math.max(value, low), high);
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

// src/attnbook/widgets/js/heads_view.js
var WIDTH = 640;
var ROW = 30;
var TOP = 58;
var LEFT = 176;
var STYLE2 = `${WRITTEN}
.heads .column { stroke: var(--muted); stroke-width: 1; }
.heads .bar { fill: var(--weight); stroke: var(--weight); stroke-width: 1.5; }
.heads .bar.off { fill: none; stroke: var(--muted); }
.heads text.off { text-decoration: line-through; }
.heads .head { cursor: pointer; }
.heads .head > .area { fill: transparent; }
.heads .head:hover > .area { fill: var(--ink); fill-opacity: 0.06; }
.heads .scale { fill: none; stroke: var(--muted); }
.heads .score { fill: var(--value); }
.heads .full { stroke: var(--ink); stroke-width: 3; }
.heads fieldset { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; border: 0; margin: 4px 0; padding: 0; }
.heads .absent { visibility: hidden; }
.heads legend { color: var(--muted); font-size: 13px; padding: 0; }
`;
var isOn = (heads, head) => (heads >> head & 1) === 1;
var joined = (names) => names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
function sentence({ layer, on }, { weights, scores }, name) {
  const all = scores.length - 1;
  const off = range(weights.length).filter((i) => !isOn(on, i));
  const taken = `head${off.length > 1 ? "s" : ""} ${joined(off.map((i) => i + 1))} taken out`;
  const words = off.length === 0 ? "all heads on" : off.length === weights.length ? "no head on" : taken;
  const lost = scores[all] - scores[on];
  const beside = `, ${Math.abs(lost).toFixed(1)} ${lost >= 0 ? "below" : "above"} that of all heads (${scores[all].toFixed(1)}, the upright line)`;
  return `${layer}, ${words}: ${name} is ${scores[on].toFixed(1)}${on === all ? "" : beside}.`;
}
function columns({ weights, scores, key }, { on, query }, row, toggle) {
  const all = scores.length - 1;
  const width = (WIDTH - LEFT) / weights.length;
  const high = row * key.length;
  return weights.map((head, i) => {
    const kind = isOn(on, i) ? "" : "off";
    const name = weights.length > 5 ? i + 1 : `head ${i + 1}`;
    const cost = (scores[all & ~(1 << i)] - scores[all]).toFixed(1).replace("-", "−");
    const bars = head[query].map((weight, k) => {
      const place = { y: TOP + k * row + 7, height: row - 14, width: (weight * (width - 14)).toFixed(2) };
      return svg("rect", { class: `bar ${kind}`, ...place });
    });
    const group = svg(
      "g",
      { class: "head", transform: `translate(${LEFT + i * width} 0)` },
      svg("rect", { class: "area", width: width - 4, height: TOP + high }),
      svg("text", { x: 4, y: 20, class: kind, text: name }),
      svg("text", { x: 4, y: 46, text: cost }),
      svg("line", { class: "column", y1: TOP, y2: TOP + high }),
      ...bars
    );
    group.addEventListener("click", () => toggle(i));
    return group;
  });
}
function scoreBar(view, name) {
  const scale = view.picture(WIDTH, 36);
  const score = svg("rect", { class: "score", x: 1, y: 6, height: 24 });
  const full = svg("line", { class: "full", y1: 2, y2: 34 });
  scale.append(svg("rect", { class: "scale", x: 1, y: 6, width: WIDTH - 2, height: 24 }), score, full);
  return (now, most) => {
    const place = (value) => 1 + value / 100 * (WIDTH - 2);
    set(score, { width: (place(now) - 1).toFixed(1) });
    set(full, { x1: place(most), x2: place(most) });
    set(scale, { "aria-label": `${name} ${now.toFixed(1)} of 100` });
  };
}
function headBoxes(most, toggle, allOn) {
  const boxes = range(most).map((i) => checkbox(`Head ${i + 1}`, () => toggle(i)));
  const all = button("All on", allOn);
  return {
    element: element(
      "fieldset",
      {},
      element("legend", { text: "Heads that are on" }),
      ...boxes.map((box) => box.element),
      all
    ),
    /** @param {number} on @param {number} count */
    show(on, count) {
      boxes.forEach((box, i) => {
        box.show(isOn(on, i));
        box.input.disabled = i >= count;
        box.element.classList.toggle("absent", i >= count);
      });
    }
  };
}
function render(place) {
  const { model } = place;
  const layers = (
    /** @type {Record<string, Layer>} */
    model.get("layers")
  );
  const name = model.get("score_name");
  const view = new Card(place, {
    name: "heads",
    title: `Heads, and what the ${name} loses without them`,
    tip: "take out the head that costs least, then the next. Are two heads together worth what they are worth alone?",
    style: STYLE2,
    names: ["layer", "query", "on"]
  });
  const now = () => layers[model.get("layer")];
  const toggle = (head) => view.change({ on: model.get("on") ^ 1 << head });
  const line = written(
    "The token that looks",
    Object.values(layers).map(({ query }) => query),
    (query) => view.change({ query })
  );
  view.figure.append(line.element);
  const high = ROW * Math.max(...Object.values(layers).map(({ key }) => key.length));
  const picture = view.picture(WIDTH, TOP + high + 4, { size: 15 });
  const legend = `Each column is a head, each bar its weight on the token of that row. Under its name: what ${name} loses when this head alone is taken out.`;
  view.figure.append(element("p", { class: "legend", text: legend }));
  const drawScore = scoreBar(view, name);
  const boxes = headBoxes(
    Math.max(...Object.values(layers).map(({ weights }) => weights.length)),
    toggle,
    () => view.change({ on: now().scores.length - 1 })
  );
  view.figure.append(boxes.element);
  const controls = makeControls(view, layers);
  view.reserve(
    Object.entries(layers).flatMap(
      ([layer, shown]) => range(shown.scores.length).map((on) => sentence({ layer, on, query: 0 }, shown, name))
    )
  );
  return view.start(() => {
    const shown = now();
    const query = clamp(model.get("query"), 0, shown.query.length - 1);
    const state = { layer: model.get("layer"), on: model.get("on") & shown.scores.length - 1, query };
    const label = `Weights of ${shown.weights.length} heads for the query ${shown.query[query]}`;
    set(picture, { "aria-label": label });
    const row = high / shown.key.length;
    const names = shown.key.map(
      (text, k) => svg("text", {
        x: LEFT - 10,
        y: TOP + (k + 0.5) * row,
        "text-anchor": "end",
        "dominant-baseline": "central",
        text
      })
    );
    picture.replaceChildren(...names, ...columns(shown, state, row, toggle));
    line.show(shown.query, query);
    drawScore(shown.scores[state.on], shown.scores[shown.scores.length - 1]);
    boxes.show(state.on, shown.weights.length);
    controls.show(state);
    view.say(sentence(state, shown, name));
  });
}
function makeControls(view, layers) {
  const names = Object.keys(layers).map((key) => (
    /** @type {[string, string]} */
    [key, key]
  ));
  const layer = choice("Layer", names, (name) => {
    const { scores, query: query2 } = layers[name];
    view.change({ on: scores.length - 1, query: Math.min(view.model.get("query"), query2.length - 1), layer: name });
  });
  const says = (i) => layers[view.model.get("layer")].query[i];
  const query = slider("Query", { min: 0, max: 1, says }, (i) => view.change({ query: i }));
  view.controls.append(layer.element, query.element);
  return {
    /** @param {State} state */
    show(state) {
      layer.show(state.layer);
      set(query.input, { max: layers[state.layer].query.length - 1 });
      query.show(state.query);
    }
  };
}
var heads_view_default = { render };
export {
  heads_view_default as default
};
