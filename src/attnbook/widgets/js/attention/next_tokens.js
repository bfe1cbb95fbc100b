// The most likely next tokens of a row as bars.
import { element, set, write } from "../shared/dom.js";
import { label, weightText } from "./format.js";
import { BEST } from "./frame_layout.js";

/** @typedef {{ id: number, p: number }} Likely */

export class NextTokens {
  constructor() {
    this.heading = element("p");
    this.bars = Array.from({ length: BEST }, () => {
      const name = element("bdi");
      const fill = element("span", { class: "fill" });
      const weight = element("span", { class: "weight" });
      const bar = element("div", { class: "bar" }, name, element("span", { class: "track" }, fill), weight);
      return { bar, name, fill, weight };
    });
    this.element = element("div", { class: "details next" }, this.heading, ...this.bars.map(({ bar }) => bar));
  }

  /**
   * @param {string} token of the row @param {boolean} written whether the token is a target to predict
   * @param {Likely[]} best @param {Record<string, string>} words by id
   */
  draw(token, written, best, words) {
    write(this.heading, written ? `in place of ${label(token)}` : `after ${label(token)}`);
    this.bars.forEach(({ bar, name, fill, weight }, i) => {
      const { id, p } = best[i] ?? { id: 0, p: 0 };
      set(bar, { style: p > 0 ? null : "visibility:hidden" });
      write(name, label(Object.hasOwn(words, id) ? words[id] : `#${id}`, 16));
      write(weight, weightText(p));
      set(fill, { style: `width:${(100 * p).toFixed(1)}%` });
    });
  }
}
