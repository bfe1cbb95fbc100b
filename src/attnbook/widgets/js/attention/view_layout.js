// Where the parts of the attention view stand, and how much room each has.
import { element, set, write } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { BARS } from "./details.js";
import { progressText } from "./format.js";

const SIDE = 236; // pixels of curves and details beside the heatmap
const GAP = 20;
const WIDE = 620; // from here on there is a side
const OTHERS = 320; // pixels of a screen's height for title, controls and words
const NARROWEST = 16; // pixels of a cell, for which there is still a side

/** @typedef {{ element: HTMLElement | SVGElement }} Part */
/** @typedef {Record<"pickers" | "more" | "transport" | "panelView" | "curves" | "legend" | "gold", Part> & { next: Part | null }} Parts */

export class ViewLayout {
  /** Room for each panel. */
  room = { width: 0, height: 0 };
  width = 0;
  side = 0;
  known = "";

  /** @param {import("../shared/widget_card.js").WidgetCard} card @param {Parts} parts */
  constructor(card, { pickers, more, transport, panelView, curves, legend, gold, next }) {
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "Training" });
    this.running = element("span", { class: "running", hidden: true }, this.progress);
    this.progressText = element("span", { class: "progress-text" });
    card.root.querySelector(".title")?.after(this.running, this.progressText);
    this.hint = element("p", { class: "hint", text: "Nothing to see yet: the first look at the model is under way." });
    this.curves = curves.element;
    this.transport = transport.element;
    this.details = element("div", { class: "details" });
    this.beside = element("div", { class: "side" }, curves.element, this.details, ...(next ? [next.element] : []));
    this.main = element("div", { class: "main" }, panelView.element, this.beside);
    const foot = element("div", { class: "foot" }, legend.element, gold.element);
    this.panel = element("div", { hidden: true }, pickers.element, more.element, transport.element, this.main, foot);
    card.figure.append(this.hint, this.panel);
  }

  /** Shows the hint until there is something to see. @param {boolean} some */
  reveal(some) {
    set(this.hint, { hidden: some });
    set(this.panel, { hidden: !some });
  }

  /**
   * @param {import("./state.js").Panel[]} panels
   * @param {import("./state.js").State["view"]} view
   */
  measure(panels, view) {
    const width = Math.max(240, this.panel.clientWidth);
    if (width !== this.width) this.room.height = clamp(window.innerHeight - OTHERS, 220, 620); // toolbars come and go
    this.width = width;
    const { rows, columns } = panels[0];
    const wide = width >= WIDE;
    const single = panels.length === 1;
    const stacked = !wide || !single || columns.length * NARROWEST > width - SIDE - GAP;
    this.main.classList.toggle("stacked", stacked);
    if (!stacked) this.room.width = width - SIDE - GAP;
    else this.room.width = wide && !single ? (width - GAP) / 2 : width;
    set(this.details, { hidden: !single || !["map", "lines", "text"].includes(view) });
    this.details.style.setProperty("--bars", String(Math.min(BARS, Math.max(rows.length, columns.length))));
    this.main.children[0].classList.toggle("full", view !== "map" || stacked);
  }

  /** Room for curves and details; read anew only where something of `what` has changed. @param {string} what is seen */
  sideWidth(what) {
    const known = `${this.width} ${what}`;
    if (known !== this.known) Object.assign(this, { known, side: this.beside.clientWidth });
    return this.side;
  }

  /** Time has controls where there is more than one moment. @param {boolean} some */
  showTime(some) {
    set(this.transport, { hidden: !some });
    set(this.curves, { style: some ? null : "display:none" });
  }

  /** @param {import("./frames.js").Progress} progress @param {boolean} live */
  showProgress(progress, live) {
    const running = live && !progress.done;
    set(this.running, { hidden: !(running && progress.total) });
    this.progress.value = progress.total ? (progress.step ?? 0) / progress.total : 0;
    write(this.progressText, progressText(progress, running));
  }
}
