// The color scale.
import { set, svg } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { cssColor } from "./color_scale.js";
import { number, withSign } from "./format.js";

const STEPS = 48;

export class Legend {
  drawn = "";
  element = svg("svg", { class: "legend", viewBox: "0 0 168 26", width: 168, height: 26, role: "img" });

  /** @param {string} theme @param {import("./color_scale.js").Scale} scale */
  draw(theme, scale) {
    const { low, top } = scale;
    const drawn = `${theme} ${low} ${top}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const signed = low < 0;
    const ends = signed ? `differences from −${number(top)} to +${number(top)}` : `weights from 0 to ${number(top)}`;
    set(this.element, { "aria-label": `Color scale: ${ends}` });
    const at = (/** @type {number} */ share) => low + (top - low) * share;
    const shade = (/** @type {number} */ i) => cssColor(at(i / (STEPS - 1)), scale);
    const box = { y: 1, width: 3.7, height: 9, "shape-rendering": "crispEdges" };
    this.element.replaceChildren(
      ...range(STEPS).map((i) => svg("rect", { x: 4 + (i * 160) / STEPS, ...box, fill: shade(i) })),
      svg("rect", { class: "frame", x: 4, y: 1, width: 160, height: 9 }),
      ...["start", "middle", "end"].map((anchor, i) => {
        const value = +at(i / 2).toPrecision(2);
        const text = signed ? withSign(value, String(Math.abs(value))) : String(value);
        return svg("text", { class: "tick", x: 4 + 80 * i, y: 23, "text-anchor": anchor, text });
      }),
    );
  }
}
