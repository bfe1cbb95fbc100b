// Export actions of the view: drawings, LaTeX, data, link and full screen.
import { download, svgText, toPng } from "../shared/files.js";
import { data, drawing, latex } from "./exports.js";

/** @typedef {import("./view.js").AttentionView} AttentionView */

/** @param {AttentionView} view @returns {import("./options_panel.js").ExportActions} */
export function exportMenu(view) {
  const name = () => {
    const { frames } = view.log;
    return `attention${frames.length > 1 ? `-step-${frames[view.state.at].step}` : ""}`;
  };
  return {
    svg: () => download(`${name()}.svg`, new Blob([svgText(whole(view))], { type: "image/svg+xml" })),
    png: async () => download(`${name()}.png`, await toPng(svgText(whole(view)))),
    latex: () => {
      const panels = view.reader.panels(view.log, view.state);
      const text = latex(panels, view.look(panels, "light")); // paper is white
      download(`${name()}.tex`, new Blob([text], { type: "application/x-tex" }));
    },
    json: () => {
      const text = JSON.stringify(data(view.frameLayout, view.log, view.state.sentence));
      download("attention.json", new Blob([text], { type: "application/json" }));
    },
    link: async () => view.card.say(await view.address.copy(view.text())),
    full: () => (document.fullscreenElement ? document.exitFullscreen() : view.card.host.requestFullscreen()),
  };
}

/** The visible view as one drawing; strips over steps are exported as a heatmap. @param {AttentionView} view */
function whole(view) {
  const { log, frameLayout, reader, panelView } = view;
  const strips = view.state.view === "heads" && view.state.order !== "";
  const state = strips ? { ...view.state, view: /** @type {const} */ ("map") } : view.state;
  const panels = reader.panels(log, state);
  const { layers, heads, label } = frameLayout.kinds[state.kind];
  const title = `${frameLayout.header.title}: ${label}, ${panels.map(({ caption }) => caption).join(" and ")}`;
  return drawing(state, panels, view.look(panels, view.theme), title, {
    layers: layers.length,
    heads,
    head: (layer, head) => reader.panel(log, { ...state, layer, head }),
    canvases: panelView.canvases(state),
  });
}
