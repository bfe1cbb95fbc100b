// The sliders that change a distribution: temperature, top-k and top-p.
import { listed, slider } from "../shared/controls.js";

const TOP_K = [1, 2, 3, 5, 10, 20, 50, 0]; // 0: all tokens

/** @param {(changes: Record<string, number>) => void} change */
export const filterControls = (change) => ({
  temperature: slider("Temperature", { min: 0.1, max: 2, step: 0.1, says: (t) => t.toFixed(1) }, (temperature) =>
    change({ temperature }),
  ),
  top_k: slider(
    "Top-k",
    { min: 0, max: TOP_K.length - 1, scale: listed(TOP_K), says: (k) => (k ? String(k) : "all") },
    (top_k) => change({ top_k }),
  ),
  top_p: slider("Top-p", { min: 0.05, max: 1, step: 0.05, says: (p) => p.toFixed(2) }, (top_p) => change({ top_p })),
});

/** The filter that a widget model describes. @param {import("@anywidget/types").AnyModel} model @returns {import("./sampling.js").Filter} */
export const filterOf = (model) => ({
  temperature: model.get("temperature"),
  topK: model.get("top_k"),
  topP: model.get("top_p"),
});
