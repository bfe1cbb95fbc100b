// The card shared by all widgets: title, Reset, picture, controls, status text and a tip.
import { applyTheme } from "./colors.js";
import { button } from "./controls.js";
import { element, svg, write } from "./dom.js";
import { STYLE } from "./style.js";
import { followTheme } from "./theme.js";

/** The initial values of each widget model, for Reset. @type {WeakMap<object, Record<string, any>>} */
const first = new WeakMap();

/**
 * @typedef {object} Options
 * @property {string} name CSS class of the card
 * @property {string} title
 * @property {string} tip a suggestion to try
 * @property {string} style CSS of the widget
 * @property {readonly string[]} names model traits that are drawn and restored by Reset
 */

/** A card that renders a widget model into an element. */
export class WidgetCard {
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
    this.forget = () => {};
    this.redraw = () => {};
    this.longest = element("span", { "aria-hidden": "true" });
    this.said = element("output", { "aria-live": "polite" });
    this.root = element(
      "section",
      { class: `card ${name}`, "aria-label": title },
      element(
        "header",
        {},
        element("span", { class: "title", text: title }),
        button("Reset", () => this.reset()),
      ),
      this.figure,
      this.controls,
      element("div", { class: "said" }, this.longest, this.said),
      element("p", { class: "tip" }, element("b", { text: "Try this: " }), tip),
    );
    this.host = element("div");
    keepKeys(this.host, this.root);
    this.host.attachShadow({ mode: "open" }).append(element("style", { text: STYLE + style }), this.root);
    el.append(this.host);
    this.sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) keepLabels(/** @type {SVGSVGElement} */ (target));
    });
  }

  /** Updates the model. @param {Record<string, unknown>} changes */
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
   * Adds an SVG picture as wide as the card.
   *
   * @param {number} width @param {number} height of the viewBox
   * @param {{ label?: string, wide?: number, size?: number }} [options] `size`: font size of the labels in
   *   pixels, kept when the picture is narrower than `wide` pixels
   */
  picture(width, height, { label = this.model.get("alt"), wide = 545, size = 13 } = {}) {
    const data = { "data-wide": wide, "data-size": size };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, ...data });
    this.figure.append(picture);
    this.sizes.observe(picture);
    return picture;
  }

  /** Shows a status text. @param {string} text */
  say(text) {
    write(this.said, text);
    this.reserve([text]);
  }

  /** Reserves space for the longest of these texts, so that nothing below moves. @param {string[]} texts */
  reserve(texts) {
    for (const text of texts) if (text.length > (this.longest.textContent ?? "").length) write(this.longest, text);
  }

  /**
   * Draws now and whenever the model or the theme changes.
   *
   * @param {(theme: import("./theme.js").Theme) => void} draw
   * @param {() => void} [forget] resets state that is not in the model
   * @returns {() => void} stops drawing and removes the card
   */
  start(draw, forget = () => {}) {
    this.forget = forget;
    this.redraw = () => draw(this.root.dataset.theme === "dark" ? "dark" : "light");
    const events = this.names.map((key) => `change:${key}`).join(" ");
    if (events) this.model.on(events, this.redraw);
    const unfollow = followTheme(this.host, (theme) => {
      if (theme === this.root.dataset.theme) return;
      applyTheme(this.root, theme);
      this.redraw();
    });
    return () => {
      if (events) this.model.off(events, this.redraw);
      unfollow();
      this.sizes.disconnect();
      this.host.remove();
    };
  }
}

/**
 * Keeps JupyterLab's shortcuts, except saving, from handling keys meant for the widget, and leaves the browser's own
 * shortcuts alone, such as Alt+Left for going back.
 *
 * @param {HTMLElement} host
 * @param {HTMLElement} root
 */
function keepKeys(host, root) {
  const name = "data-lm-suppress-shortcuts";
  const saves = (/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey }) => key === "s" && (ctrlKey || metaKey);
  host.setAttribute(name, "true");
  root.addEventListener(
    "keydown",
    (event) => (event.altKey || event.metaKey) && !saves(event) && event.stopPropagation(),
    true,
  );
  host.addEventListener("keydown", (event) => {
    if (saves(event)) {
      host.removeAttribute(name);
      setTimeout(() => host.setAttribute(name, "true"));
    } else event.stopPropagation();
  });
}

/** Keeps the labels at a readable size when the picture shrinks. @param {SVGSVGElement} picture */
function keepLabels(picture) {
  const wide = Number(picture.dataset.wide);
  const factor = Math.max(1, wide / (picture.clientWidth || wide));
  picture.style.setProperty("--label", `${Number(picture.dataset.size) * factor}px`);
}
