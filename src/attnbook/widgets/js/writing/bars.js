// Two distributions over the same tokens, one bar of each per token, in a fixed number of rows.
import { element, set, write } from "../shared/dom.js";
import { range } from "../shared/numbers.js";

/**
 * @typedef {object} Bar
 * @property {string} text the token
 * @property {number} before the outlined bar
 * @property {number} after the filled bar
 * @property {boolean} [cut] the token is cut off
 * @property {boolean} [marked] the token was drawn here
 */

export const BARS_STYLE = `
.bars { margin: 4px 0 0; padding: 0; list-style: none; font-size: 13px; font-variant-numeric: tabular-nums; }
.bars li { display: grid; grid-template-columns: 7.5em minmax(0, 1fr) 9.6em; gap: 8px; align-items: center; height: 18px; line-height: 18px; }
.bars li > :first-child { overflow: hidden; text-align: right; text-overflow: ellipsis; white-space: nowrap; }
.bars li > :last-child { white-space: nowrap; }
.bars .track { position: relative; height: 14px; }
.bars .track > * { position: absolute; left: 0; box-sizing: border-box; }
.bars .before { top: 0; height: 14px; border: 1.5px solid var(--muted); border-left: 0; }
.bars .after { top: 3px; height: 8px; background: var(--weight); }
.bars .cut .before { border-style: dashed; }
.bars .cut > :first-child, .bars .cut > :last-child { color: var(--muted); }
.bars .cut > :first-child { text-decoration: line-through; }
.bars .marked { font-weight: 700; }
.scale { display: flex; justify-content: space-between; gap: 12px; margin: 6px 0 0; font-size: 13px; color: var(--muted); }
.scale > * { white-space: nowrap; }
.scale b { overflow: hidden; text-overflow: ellipsis; color: var(--ink); font-weight: 650; }
@media (forced-colors: active) { .bars { forced-color-adjust: none; color: var(--ink); background: var(--paper); } }
@container (max-width: 480px) { .scale .wide { display: none; } .scale { font-size: 12px; } .bars li { grid-template-columns: 6em minmax(0, 1fr) 9.4em; gap: 6px; font-size: 12px; } }
`;

const WIDTHS = [0.1, 0.2, 0.5, 1];

/** Probability that fills the width: a round number, so that bars can be compared while sliders move. @param {Bar[]} bars */
function fullWidth(bars) {
  const most = Math.max(...bars.map(({ before, after }) => Math.max(before, after)));
  return WIDTHS.find((width) => most <= width) ?? 1;
}

/** @param {number} p */
export const percent = (p) => {
  const text = (100 * p).toFixed(1);
  return p > 0 && text === "0.0" ? "< 0.1 %" : `${text} %`;
};

/**
 * @param {number} count rows @param {string} name what the rows show, for screen readers
 */
export function bars(count, name) {
  const rows = range(count).map(() => {
    const [before, after] = ["before", "after"].map((kind) => element("span", { class: kind }));
    const track = element("span", { class: "track", "aria-hidden": "true" }, before, after);
    return element("li", {}, element("span"), track, element("span"));
  });
  const title = element("b");
  const scale = element("span", { class: "wide" });
  const legend = element("span", { "aria-hidden": "true" });
  return {
    elements: [
      element("p", { class: "scale" }, title, legend),
      element("ol", { class: "bars", "aria-label": name }, ...rows),
    ],
    /** @param {string} heading @param {[string, string]} names of the outlined and the filled bars @param {Bar[]} shown the last one may be a sum, which has no bar @param {boolean} [sums] whether it is */
    show(heading, [outlined, filled], shown, sums = false) {
      const full = fullWidth(sums ? shown.slice(0, -1) : shown);
      write(title, heading);
      legend.replaceChildren(`outline: ${outlined}, filled: ${filled}`, scale);
      write(scale, `, scale 0 to ${100 * full} %`);
      for (const [i, row] of rows.entries()) {
        const bar = shown[i];
        set(row, {
          class: bar ? [bar.cut && "cut", bar.marked && "marked"].filter(Boolean).join(" ") : "",
          "aria-hidden": bar ? null : "true",
        });
        const hasBar = bar && !(sums && i === shown.length - 1);
        const [before, after] = /** @type {HTMLElement[]} */ ([...row.children[1].children]);
        before.style.width = hasBar ? `${((100 * bar.before) / full).toFixed(2)}%` : "0";
        after.style.width = hasBar ? `${((100 * bar.after) / full).toFixed(2)}%` : "0";
        before.style.visibility = after.style.visibility = hasBar ? "visible" : "hidden";
        write(row.children[0], bar ? (bar.marked ? `▸ ${bar.text}` : bar.text) : "\u00a0");
        const numbers = bar ? `${percent(bar.before)} → ${bar.cut ? "cut" : percent(bar.after)}` : "";
        write(row.children[2], numbers);
      }
    },
  };
}
