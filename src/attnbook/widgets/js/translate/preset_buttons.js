// The ready-made interventions as buttons that can be pressed and released.
import { button, greyOut } from "../shared/controls.js";
import { element, set, write } from "../shared/dom.js";

export const PRESETS_STYLE = `
.presets { display: flex; flex-wrap: wrap; gap: 6px; min-height: calc(2 * max(32px, var(--touch)) + 6px); align-content: start; }
.presets button { padding: 2px 5px; font-size: 12px; max-width: 100%; overflow-wrap: anywhere; }
.presets [aria-pressed=true] { background: var(--weight); color: var(--paper); border-color: var(--weight); }
@container (min-width: 620px) { .presets { min-height: max(32px, var(--touch)); } .presets button { font-size: 13px; padding: 2px 8px; } .presets .undo { margin-left: auto; } }
`;

/** @typedef {import("./presets.js").Preset} Preset */

/** @param {{press: (preset: Preset, on: boolean) => void, undo: () => void}} on */
export function presetButtons({ press, undo }) {
  /** @type {{node: HTMLButtonElement, preset: Preset}[]} */
  const made = []; // reused, because one may have the focus
  const back = set(button("Undo", undo), { class: "undo" });
  const box = element("div", { class: "presets", role: "group", "aria-label": "Change its attention" }, back);
  return {
    element: box,
    /** @param {Preset[]} list @param {(preset: Preset) => boolean} isOn @param {boolean} changed */
    show(list, isOn, changed) {
      list.forEach((preset, i) => {
        made[i] ??= { preset, node: button("", () => press(made[i].preset, made[i].node.ariaPressed !== "true")) };
        const { node } = made[i];
        made[i].preset = preset;
        write(node, preset.name);
        set(node, { title: preset.about, "aria-pressed": String(isOn(preset)) });
        if (!box.contains(node)) back.before(node);
      });
      for (const { node } of made.slice(list.length)) node.remove();
      greyOut(back, !changed);
    },
  };
}
