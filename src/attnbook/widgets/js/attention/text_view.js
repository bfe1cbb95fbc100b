// The sentence as running text, tinted by the weights of the hovered, focused or pinned token.
import { element, set, write } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { colorOf } from "./color_scale.js";
import { formatter, label, spaced, unmarked } from "./format.js";

/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {import("./state.js").Token} Token */

const SAID = 3; // tokens named in the description

/** The weights of a token, one per token on the other axis. @param {Panel} panel @param {Token} token */
const weightsOf = ({ rows, columns, weights }, { axis, index }) =>
  axis === "row"
    ? weights.subarray(index * columns.length, (index + 1) * columns.length)
    : Float32Array.from(rows, (_, row) => weights[row * columns.length + index]);

/** Describes what a token attends to most. @param {Panel} panel @param {Token} token */
export function describeToken(panel, token) {
  const [own, others] = token.axis === "row" ? [panel.rows, panel.columns] : [panel.columns, panel.rows];
  const weights = weightsOf(panel, token);
  const order = [...weights.keys()].sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a])).slice(0, SAID);
  const list = order.map((i) => `“${label(others[i])}” ${formatter(panel)(weights[i])}`).join(", ");
  const verb = token.axis === "row" ? "attends to" : "is attended to by";
  return `“${label(own[token.index])}” ${verb} ${list}${panel.of ? ": differences" : ""}`;
}

/** The longest possible description, to reserve space. @param {Panel} panel */
export function longestTokenDescription({ rows, columns }) {
  const [row, ...others] = [rows, columns, columns, columns].map((tokens) =>
    tokens.reduce((best, token) => (label(token).length > label(best).length ? token : best)),
  );
  return `“${label(row)}” is attended to by ${others.map((token) => `“${label(token)}” +0.00`).join(", ")}: differences`;
}

export class TextView {
  /** @type {{ axis: "row" | "column", words: HTMLButtonElement[], line: HTMLElement }[]} */
  lines = [];
  made = "";

  /** @param {import("./heatmap.js").Handlers} on */
  constructor(on) {
    this.on = on;
    this.caption = element("div", { class: "caption" });
    this.text = element("div");
    this.element = element("div", { class: "running-text" }, this.caption, this.text);
  }

  /** @param {Panel} panel @param {{ query: string, key: string, same: boolean }} names `same`: rows and columns are the same text */
  make({ rows, columns }, { query, key, same }) {
    const made = JSON.stringify([rows, columns, same]);
    if (made === this.made) return;
    this.made = made;
    this.lines = same
      ? [this.line("row", rows, "text")]
      : [this.line("row", rows, query), this.line("column", columns, key)];
    const named = this.lines.map(({ line, axis }) =>
      same ? [line] : [element("div", { class: "side-name", text: axis === "row" ? query : key }), line],
    );
    this.text.replaceChildren(...named.flat());
  }

  /** @param {"row" | "column"} axis @param {string[]} tokens @param {string} name */
  line(axis, tokens, name) {
    const spaces = spaced(tokens);
    const words = tokens.map((token) =>
      element("button", { type: "button", class: "word", tabindex: -1, text: label(unmarked(token)) }),
    );
    const line = element("p", { role: "group", "aria-label": `${name}: choose a token` });
    for (const [i, word] of words.entries()) line.append(...(spaces[i] ? [" ", word] : [word]));
    set(words[0], { tabindex: 0 });
    this.listen(line, axis, words);
    return { axis, words, line };
  }

  /** @param {HTMLElement} line @param {"row" | "column"} axis @param {HTMLButtonElement[]} words */
  listen(line, axis, words) {
    const at = (/** @type {Event} */ { target }) => words.indexOf(/** @type {HTMLButtonElement} */ (target));
    const heard = (/** @type {(index: number) => void} */ tell) => (/** @type {Event} */ event) =>
      at(event) >= 0 && tell(at(event));
    line.addEventListener(
      "click",
      heard((index) => this.on.pin({ axis, index })),
    );
    for (const type of ["pointerover", "focusin"])
      line.addEventListener(
        type,
        heard((index) => this.on.aim({ axis, index })),
      );
    for (const type of ["pointerleave", "focusout"]) line.addEventListener(type, () => this.on.aim(null));
    line.addEventListener("keydown", (event) => {
      const last = words.length - 1;
      /** @type {Record<string, number>} */
      const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -last, End: last };
      if (event.key === "Escape") this.on.pin(null);
      else if (event.key in moves) {
        for (const word of words) set(word, { tabindex: -1 });
        const next = words[clamp(at(event) + moves[event.key], 0, last)];
        set(next, { tabindex: 0 }).focus();
      } else return;
      event.preventDefault();
    });
  }

  /**
   * @param {Panel} panel @param {Token} token with the weights to show
   * @param {{ query: string, key: string, same: boolean, pin: Token | null, scale: import("./color_scale.js").Scale, caption: string }} how
   */
  draw(panel, token, { pin, scale, caption, ...names }) {
    this.make(panel, names);
    write(this.caption, caption);
    const weights = weightsOf(panel, token);
    for (const { axis, words } of this.lines) {
      const tinted = names.same || axis !== token.axis;
      words.forEach((word, i) => {
        const own = i === token.index && (names.same || axis === token.axis);
        const style = tinted ? tint(weights[i], scale) : null;
        const pinned = i === pin?.index && (names.same || axis === pin.axis);
        set(word, { style, class: own ? "word own" : "word", "aria-pressed": String(pinned) });
      });
    }
  }
}

/** Background and text color of a word; black or white text, whichever has more contrast. @param {number} weight @param {import("./color_scale.js").Scale} scale */
function tint(weight, scale) {
  const rgb = colorOf(weight, scale);
  const [red, green, blue] = rgb.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  return `background:rgb(${rgb.join(" ")});color:${light ? "#000" : "#fff"}`;
}
