// What the small widgets of single chapters share. It stands in front of each one's own script; see shown.py.

const BASE_STYLE = `
.attnbook-figure { --strong: #b3400e; --calm: #1c6bb0; --quiet: #767676; color: inherit; max-width: 46rem; margin: 0 auto; font-size: 0.95rem; }
.attnbook-figure[data-theme=dark] { --strong: #ff9d6e; --calm: #7fbfff; --quiet: #a0a0a0; }
.attnbook-figure svg { display: block; width: 100%; height: auto; user-select: none; }
.attnbook-figure svg text { fill: currentColor; font: var(--label, 13px) system-ui, sans-serif; }
.attnbook-figure .controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0.4rem 1rem; align-items: end; }
.attnbook-figure label { display: flex; flex-direction: column; gap: 0.15rem; min-height: 44px; }
.attnbook-figure label.tick { flex-direction: row; align-items: center; gap: 0.5rem; }
.attnbook-figure label.tick input { width: 24px; flex: none; }
.attnbook-figure input, .attnbook-figure select { width: 100%; min-height: 24px; font: inherit; accent-color: var(--strong); box-sizing: border-box; }
.attnbook-figure select { color: inherit; background: transparent; min-height: 32px; }
.attnbook-figure select option { color: #000; background: #fff; }
.attnbook-figure button { min-height: 44px; padding: 0 0.8rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--quiet); border-radius: 4px; cursor: pointer; }
.attnbook-figure button:disabled { opacity: 0.5; cursor: default; }
.attnbook-figure :focus-visible { outline: 3px solid var(--calm); outline-offset: 2px; }
.attnbook-figure output { display: block; margin-top: 0.4rem; min-height: 3em; font-variant-numeric: tabular-nums; }
`;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function softmax(scores) {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = sum(shares);
  return shares.map((share) => share / total);
}

// An SVG element; text is set by textContent.
function svg(name, attributes = {}, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent?.append(node);
  return node;
}

// An HTML element with properties such as textContent or className.
function element(name, properties = {}, parent) {
  const node = Object.assign(document.createElement(name), properties);
  parent?.append(node);
  return node;
}

function isDark(el) {
  const root = document.documentElement;
  const named = root.dataset.theme ?? (document.body.dataset.jpThemeLight && (document.body.dataset.jpThemeLight === "true" ? "light" : "dark"));
  if (named === "dark" || named === "light") return named === "dark";
  const [r, g, b] = (getComputedStyle(el).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return r + g + b > 384; // light text stands on a dark page
}

// The widget's root in `el`, its colours following the page. `changed` is called when the theme changes.
function frame(el, className, style, changed = () => {}) {
  const root = element("div", { className: `attnbook-figure ${className}` });
  element("style", { textContent: BASE_STYLE + style }, root);
  el.append(root);
  const follow = () => {
    const theme = isDark(el) ? "dark" : "light";
    if (root.dataset.theme === theme) return;
    root.dataset.theme = theme;
    changed(theme);
  };
  const observer = new MutationObserver(follow);
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class", "style"] });
  root.dataset.theme = isDark(el) ? "dark" : "light";
  const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => target.dispatchEvent(new Event("resized"))));
  return {
    root,
    // On a phone a picture shrinks; its labels shall not, once it is narrower than `wide` pixels.
    keepLabels(picture, wide = 520, size = 13) {
      picture.addEventListener("resized", () =>
        picture.style.setProperty("--label", `${size * Math.max(1, wide / (picture.clientWidth || wide))}px`),
      );
      resized.observe(picture);
    },
    // Draws now, and whenever one of the model's `names` changes. Returns what ends that when the widget goes.
    drawOn(model, names, draw) {
      const events = names.map((name) => `change:${name}`).join(" ");
      model.on(events, draw);
      draw();
      return () => {
        model.off(events, draw);
        observer.disconnect();
        resized.disconnect();
      };
    },
  };
}

// A labelled control.
function control(parent, text, node) {
  const label = element("label", node.type === "checkbox" ? { className: "tick" } : {}, parent);
  const words = element("span", { textContent: text });
  label.append(...(node.type === "checkbox" ? [node, words] : [words, node]));
  return node;
}

const slider = (parent, text, min, max, step) =>
  control(parent, text, element("input", { type: "range", min, max, step }));

const checkbox = (parent, text) => control(parent, text, element("input", { type: "checkbox" }));

// `options`: pairs of value and text.
function choice(parent, text, options) {
  const node = element("select");
  for (const [value, words] of options) node.append(new Option(words, value));
  return control(parent, text, node);
}

// The live region that says the state in a sentence.
const spoken = (parent) => element("output", { ariaLive: "polite" }, parent);
