// Layout of the attention view: where its parts go and how much space each gets.
import { element, set, write } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { BARS } from "./details.js";
import { finished, progressText } from "./format.js";

const SIDE = 236; // width of curves and details next to the heatmap
const GAP = 20;
const WIDE = 620; // minimum width for a side column
const OTHERS = { wide: 415, narrow: 538 }; // screen height reserved for title, controls and texts
const NARROWEST = 9; // minimum cell size next to a side column

/** @typedef {{ element: HTMLElement | SVGElement }} Part */
/** @typedef {Record<"pickers" | "more" | "transport" | "panelView" | "curves" | "legend" | "gold", Part> & { next: Part | null }} Parts */

export class ViewLayout {
  /** Space for each panel. */
  room = { width: 0, height: 0 };
  wide = true; // whether there is room for curves and bars next to the picture
  width = 0;
  side = 0;
  known = "";

  /** @param {import("../shared/widget_card.js").WidgetCard} card @param {Parts} parts @param {() => void} unfolded called when curves and bars get room */
  constructor(card, { pickers, more, transport, panelView, curves, legend, gold, next }, unfolded) {
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "Training" });
    this.running = element("span", { class: "running", hidden: true }, this.progress);
    this.progressText = element("span", { class: "progress-text" });
    card.root.querySelector(".title")?.after(this.running, this.progressText);
    this.hint = element("p", { class: "hint", text: "No data yet: recording the first step." });
    this.curves = curves.element;
    this.transport = transport.element;
    this.details = element("div", { class: "details" });
    this.beside = element("div", { class: "side" }, curves.element, this.details, ...(next ? [next.element] : []));
    this.fold = element(
      "details",
      { class: "fold", open: true },
      element("summary", { text: "Curves and bars" }),
      this.beside,
    );
    this.fold.addEventListener("toggle", unfolded);
    this.main = element("div", { class: "main" }, panelView.element, this.fold);
    const foot = element("div", { class: "foot" }, legend.element, gold.element);
    const said = /** @type {HTMLElement} */ (card.said.parentElement); // what is seen stands above the picture
    const tools = element("div", { class: "tools" }, transport.element, more.element);
    const parts = [pickers.element, tools, said, this.main, foot];
    this.panel = element("div", { hidden: true }, ...parts);
    card.figure.append(this.hint, this.panel);
    this.tip = new Text();
    card.root.querySelector(".tip")?.append(this.tip);
  }

  /** Shows the hint until there is data. @param {boolean} some */
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
    const wide = width >= WIDE;
    this.wide = wide;
    if (width !== this.width) {
      // Not when only the height changes: mobile toolbars come and go.
      this.room.height = clamp(window.innerHeight - OTHERS[wide ? "wide" : "narrow"], 220, 620);
      this.main.style.setProperty("--most", wide ? "min(78vh, 720px)" : `${this.room.height + 12}px`);
      if (!this.width || wide !== this.width >= WIDE) this.fold.open = wide;
    }
    this.width = width;
    const { rows, columns } = panels[0];
    const single = panels.length === 1;
    const stacked = !wide || !single || columns.length * NARROWEST > width - SIDE - GAP;
    this.main.classList.toggle("stacked", stacked);
    if (!stacked) this.room.width = width - SIDE - GAP;
    else this.room.width = wide && !single ? (width - GAP) / 2 : width;
    set(this.details, { hidden: !single });
    this.details.style.visibility = view === "heads" ? "hidden" : "";
    this.details.style.setProperty("--bars", String(Math.min(BARS, Math.max(rows.length, columns.length))));
    this.main.children[0].classList.toggle("full", view !== "map" || stacked);
  }

  /** Width for curves and details; measured again only when `what` changes. @param {string} what a key for the current view */
  sideWidth(what) {
    const known = `${this.width} ${what}`;
    if (known !== this.known && this.fold.open) Object.assign(this, { known, side: this.beside.clientWidth });
    return this.side || this.width;
  }

  /** @param {string} text */
  showTip(text) {
    if (this.tip.data !== text) this.tip.data = text;
  }

  /** Shows time controls only if there is more than one frame. @param {boolean} some */
  showTime(some) {
    set(this.transport, { hidden: !some });
    set(this.curves, { style: some ? null : "display:none" });
  }

  /** @param {import("./frames.js").Progress} progress @param {boolean} live */
  showProgress(progress, live) {
    const running = live && !progress.done;
    set(this.running, { hidden: !(running && progress.total) });
    this.progress.value = progress.total ? (progress.step ?? 0) / progress.total : 0;
    write(this.progressText, finished(progress) ? "" : progressText(progress, running));
  }
}
