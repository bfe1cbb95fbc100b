// Draws the selected view: heatmaps, lines, text, all heads or a table.
import { COLORS } from "../shared/colors.js";
import { element, set, write } from "../shared/dom.js";
import { drawTable } from "./details.js";
import { HeadOverview } from "./head_overview.js";
import { HeadTiles } from "./head_tiles.js";
import { Heatmap } from "./heatmap.js";
import { drawLines, linesHeight, renewLines } from "./lines.js";
import { TextView } from "./text_view.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {import("../shared/theme.js").Theme} Theme */

/** Names of the axes. @type {Record<string, string>} */
const AXES = {
  source: "source",
  target_out: "target",
  target_in: "target so far",
};

/** @param {import("./frame_layout.js").Kind} kind */
const axisNames = ({ query, key }) => ({
  query: query in AXES ? `queries: ${AXES[query]}` : "queries",
  key: key in AXES ? `keys: ${AXES[key]}` : "keys",
});

/** Whether each panel says what it shows. @param {Panel[]} panels */
const captioned = (panels) => panels.length > 1 || Boolean(panels[0].of);

export class PanelView {
  /** @param {import("./frame_layout.js").FrameLayout} frameLayout @param {import("./heatmap.js").Handlers} on @param {(choice: { layer: number, head: number }) => void} choose */
  constructor(frameLayout, on, choose) {
    this.frameLayout = frameLayout;
    this.maps = [new Heatmap(on), new Heatmap(on)];
    this.texts = [new TextView(on), new TextView(on)];
    const table = { class: "table", tabindex: 0, role: "region", "aria-label": "Table of weights" };
    this.tables = [element("div", table), element("div", table)]; // kept, because one may be focused and scrolled
    this.tiles = new HeadTiles(choose);
    this.overview = new HeadOverview(choose);
    this.element = element("div", { class: "stage" });
    for (const type of ["click", "pointerover", "pointerout"])
      this.element.addEventListener(type, ({ target }) => {
        const { axis, index } = /** @type {SVGElement} */ (target).dataset;
        if (axis !== "row" && axis !== "column") return;
        const token = /** @type {import("./state.js").Token} */ ({ axis, index: Number(index) });
        if (type === "click") on.pin(token);
        else on.aim(type === "pointerover" ? token : null);
      });
  }

  /** Visible canvases, for exports. @param {State} state */
  canvases(state) {
    return (state.view === "heads" ? this.tiles.tiles : this.maps).map(({ canvas }) => canvas);
  }

  /**
   * @param {State} state @param {Panel[]} panels
   * @param {{ frames: import("./frames.js").Frame[], scale: import("./color_scale.js").Scale, theme: Theme, width: number, height: number }} how
   *   `width` and `height`: space for each panel
   */
  draw(state, panels, how) {
    this.fit(state, panels, how);
    if (state.view === "heads" && state.order) {
      this.overview.draw(this.frameLayout, how.frames, state, how.scale.table);
      this.put([this.overview.element]);
    } else if (state.view === "heads") {
      this.tiles.draw(this.frameLayout, how.frames[state.at], state, how.scale);
      this.put([this.tiles.element]);
    } else if (state.view === "table") {
      panels.forEach((panel, i) => {
        this.tables[i].replaceChildren(drawTable(panel));
      });
      this.put(this.tables.slice(0, panels.length));
    } else if (state.view === "lines") this.lines(state, panels, how);
    else if (state.view === "text") this.running(state, panels, how);
    else this.heatmaps(state, panels, how);
  }

  /**
   * Fits the heatmaps, and gives every view the height of the taller of heatmap and lines: no choice of a view moves the
   * page below.
   *
   * @param {State} state @param {Panel[]} panels @param {Parameters<PanelView["draw"]>[2]} how
   */
  fit({ kind }, panels, { width, height }) {
    panels.forEach((panel, i) => {
      const name = `Attention weights${panel.of ? ", difference" : ""}, ${panel.caption || this.frameLayout.header.title}`;
      this.maps[i].fit(panel, { width, height }, { name, ...axisNames(this.frameLayout.kinds[kind]) });
    });
    const { labelHeight, size } = this.maps[0].layout;
    const tall = Math.max(labelHeight + size * panels[0].rows.length, linesHeight(panels[0]));
    this.element.style.setProperty("--tall", `calc(min(${tall}px, var(--most)) + ${captioned(panels) ? 38 : 18}px)`);
  }

  /** @param {State} state @param {Panel[]} panels @param {Parameters<PanelView["draw"]>[2]} how */
  heatmaps(state, panels, { scale }) {
    panels.forEach((panel, i) => {
      const hover = state.over === i ? state.hover : null;
      const caption = captioned(panels) ? panel.caption : "";
      this.maps[i].draw(panel, { pin: state.pin, hover, scale, caption });
    });
    this.put(this.maps.slice(0, panels.length).map((map) => map.element));
  }

  /** @param {State} state @param {Panel[]} panels @param {Parameters<PanelView["draw"]>[2]} how */
  lines(state, panels, { scale, width, theme }) {
    const look = { pin: state.pin, aim: state.aim, top: scale.top, width, colors: COLORS[theme] };
    const drawings = panels.map((panel) => drawLines(panel, look));
    const there = [...this.element.querySelectorAll(".lines")];
    const renewed = there.length === drawings.length && drawings.every((drawing, i) => renewLines(there[i], drawing));
    if (!renewed) {
      const figure = { class: "scroller", tabindex: 0, role: "img" };
      const figures = drawings.map((drawing) =>
        element("figure", figure, element("div", { class: "caption" }), drawing),
      );
      this.element.replaceChildren(...figures);
    }
    panels.forEach(({ caption }, i) => {
      const figure = this.element.children[i];
      set(figure, { "aria-label": `Lines between tokens, ${caption}` });
      write(figure.children[0], captioned(panels) ? caption : "");
    });
  }

  /** The token with the weights to show. @param {State} state @param {Panel} panel @returns {import("./state.js").Token} */
  token({ hover, aim, pin }, { rows }) {
    return aim ?? pin ?? { axis: "row", index: Math.min(hover?.row ?? this.maps[0].at.row, rows.length - 1) };
  }

  /** @param {State} state @param {Panel[]} panels @param {Parameters<PanelView["draw"]>[2]} how */
  running(state, panels, { scale }) {
    const kind = this.frameLayout.kinds[state.kind];
    const names = { ...axisNames(kind), same: kind.query === kind.key };
    panels.forEach((panel, i) => {
      const caption = captioned(panels) ? panel.caption : "";
      this.texts[i].draw(panel, this.token(state, panel), { ...names, pin: state.pin, scale, caption });
    });
    this.put(this.texts.slice(0, panels.length).map((text) => text.element));
  }

  /** Shows these elements without touching those already shown. @param {Element[]} elements */
  put(elements) {
    const there = [...this.element.children];
    if (elements.length !== there.length || elements.some((node, i) => node !== there[i]))
      this.element.replaceChildren(...elements);
  }
}
