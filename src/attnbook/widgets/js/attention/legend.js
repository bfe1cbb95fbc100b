// The scale of colours.
import { set, svg } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { cssColour, SHADES } from "./scale.js";
import { number } from "./text.js";

const STEPS = 48;

export class Legend {
  drawn = "";
  element = svg("svg", { class: "legend", viewBox: "0 0 168 26", width: 168, height: 26, role: "img" });

  /** @param {string} theme @param {Uint32Array<ArrayBuffer>} table @param {number} top */
  draw(theme, table, top) {
    const drawn = `${theme} ${top}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    set(this.element, { "aria-label": `Colour scale: weights from 0 to ${number(top)}` });
    const shade = (/** @type {number} */ i) => cssColour(table, Math.round((i / (STEPS - 1)) * (SHADES - 1)));
    const box = { y: 1, width: 3.7, height: 9, "shape-rendering": "crispEdges" };
    this.element.replaceChildren(
      ...range(STEPS).map((i) => svg("rect", { x: 4 + (i * 160) / STEPS, ...box, fill: shade(i) })),
      svg("rect", { class: "frame", x: 4, y: 1, width: 160, height: 9 }),
      ...["start", "middle", "end"].map((anchor, i) => {
        const text = `${+((top * i) / 2).toPrecision(2)}`;
        return svg("text", { class: "tick", x: 4 + 80 * i, y: 23, "text-anchor": anchor, text });
      }),
    );
  }
}
