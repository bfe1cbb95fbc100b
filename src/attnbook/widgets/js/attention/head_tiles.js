// Small heatmaps of every head; clicking one enlarges it.
import { element, svg, write } from "../shared/dom.js";
import { range } from "../shared/numbers.js";
import { paint } from "./color_scale.js";
import { drawOverlays } from "./overlays.js";

const CELL = 10; // units of the marks' drawing

export class HeadTiles {
  /** @type {{ layer: number, head: number, canvas: HTMLCanvasElement, marks: SVGSVGElement, note: HTMLElement }[]} */
  tiles = [];
  made = "";

  /** @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(choose) {
    this.element = element("div", { class: "tiles" });
    this.choose = choose;
  }

  /** @param {import("./frame_layout.js").FrameLayout} frameLayout @param {import("./state.js").State} state */
  make(frameLayout, { kind, sentence }) {
    const made = `${kind} ${sentence}`;
    if (made === this.made) return;
    this.made = made;
    this.tiles = [];
    const [rows, columns] = [frameLayout.rows(kind, sentence).length, frameLayout.columns(kind, sentence).length];
    const { layers, heads } = frameLayout.kinds[kind];
    const groups = layers.map((_, layer) => {
      const buttons = range(heads).map((head) => this.tile(layer, head, rows, columns));
      const caption = element("div", { class: "caption", text: layers.length > 1 ? `layer ${layer + 1}` : "" });
      const group = { role: "group", class: "layer", "aria-label": `Layer ${layer + 1}` };
      return element("div", group, caption, element("div", { class: "row" }, ...buttons));
    });
    this.element.replaceChildren(...groups);
  }

  /** @param {number} layer @param {number} head @param {number} rows @param {number} columns */
  tile(layer, head, rows, columns) {
    const canvas = element("canvas", { "aria-hidden": "true", style: `aspect-ratio:${columns}/${rows}` });
    const size = { viewBox: `0 0 ${columns * CELL} ${rows * CELL}`, preserveAspectRatio: "none" };
    const marks = svg("svg", { class: "marks", "aria-hidden": "true", ...size });
    const note = element("span");
    this.tiles.push({ layer, head, canvas, marks, note });
    const button = element("button", { type: "button", class: "tile" }, element("div", {}, canvas, marks), note);
    button.addEventListener("click", () => this.choose({ layer, head }));
    return button;
  }

  /**
   * @param {import("./frame_layout.js").FrameLayout} frameLayout @param {import("./frames.js").Frame} frame @param {import("./state.js").State} state
   * @param {import("./color_scale.js").Scale} scale
   */
  draw(frameLayout, frame, state, scale) {
    this.make(frameLayout, state);
    const columns = frameLayout.columns(state.kind, state.sentence).length;
    const rows = frameLayout.rows(state.kind, state.sentence).length;
    const gold = state.gold ? frameLayout.gold(state) : new Set();
    for (const { layer, head, canvas, marks, note } of this.tiles) {
      const one = { ...state, layer, head };
      paint(canvas, frameLayout.codes(frame, one, head), columns, scale);
      marks.replaceChildren(...drawOverlays({ rows, columns, size: CELL, gold }));
      const error = frameLayout.measure(frame, "error", one);
      write(note, `head ${head + 1}${Number.isFinite(error) ? ` · AER ${error.toFixed(2)}` : ""}`);
    }
  }
}
