// Attention weights of every slot over one list, and its answers.
import { set, svg, write } from "../shared/dom.js";
import { range } from "../shared/numbers.js";

/** @typedef {import("./session.js").Look} Look */
/** @typedef {import("./tasks.js").Task} Task */

export const HEATMAP = { width: 420, height: 282 };
const BOX = { left: 54, right: 352, top: 54, bottom: 278 };

export const HEATMAP_STYLE = `
.heatmap .edge { fill: none; stroke: var(--line); }
.heatmap .cell { fill: var(--weight); stroke: var(--paper); stroke-width: 1.5; }
.heatmap .quiet, .heatmap .wrong { fill: var(--muted); }
.heatmap .right { fill: var(--value); font-weight: 650; }
`;

/** Weights by slot and place, for one head or the mean over heads. @param {Look} look @param {Task} task @param {number} heads @param {number | null} head */
export function weightsOf({ weights }, { count, places }, heads, head) {
  const at = (/** @type {number} */ slot, /** @type {number} */ h, /** @type {number} */ place) =>
    weights[(slot * heads + h) * places + place];
  const mean = (/** @type {number} */ slot, /** @type {number} */ place) =>
    range(heads).reduce((sum, h) => sum + at(slot, h, place), 0) / heads;
  return range(count).map((slot) =>
    range(places).map((place) => (head === null ? mean(slot, place) : at(slot, head, place))),
  );
}

/** @param {SVGSVGElement} picture */
export function heatmap(picture) {
  picture.classList.add("heatmap");
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "middle") =>
    svg("text", { x, y, "text-anchor": anchor, text: words });
  /** @type {SVGRectElement[][]} */
  let cells = [];
  /** @type {SVGTextElement[]} */
  let answers = [];

  /** Draws labels and empty cells. @param {Task} task @param {Look} look */
  function lay(task, { example }) {
    const [wide, high] = [(BOX.right - BOX.left) / task.places, (BOX.bottom - BOX.top) / task.count];
    const x = (/** @type {number} */ place) => BOX.left + (place + 0.5) * wide;
    const y = (/** @type {number} */ slot) => BOX.top + (slot + 0.5) * high + 4;
    const name = (/** @type {number} */ id) => task.symbols[id].replace(" ", "␣");
    cells = range(task.count).map((slot) =>
      range(task.places).map((place) =>
        svg("rect", { class: "cell", x: x(place) - wide / 2, y: y(slot) - 4 - high / 2, width: wide, height: high }),
      ),
    );
    answers = range(task.count).map((slot) => text(BOX.right + 8, y(slot), "", "start"));
    const edge = { x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top };
    picture.replaceChildren(
      ...[
        text(2, 13, "slot", "start"),
        text((BOX.left + BOX.right) / 2, 13, "the list"),
        text(HEATMAP.width - 2, 13, "answer", "end"),
      ].map((label) => set(label, { class: "quiet" })),
      ...example.source.flatMap((ids, place) =>
        ids.map((id, line) => text(x(place), BOX.top - 7 - 16 * (ids.length - 1 - line), name(id))),
      ),
      ...range(task.count).map((slot) =>
        text(BOX.left - 6, y(slot), task.slots[slot] ?? `${name(example.slots[slot])}?`, "end"),
      ),
      ...cells.flat(),
      svg("rect", { class: "edge", ...edge }),
      ...answers,
    );
  }

  return {
    lay,
    /** @param {Task} task @param {Look} look @param {number[][]} weights */
    draw(task, { example, best }, weights) {
      for (const [slot, row] of weights.entries()) {
        for (const [place, weight] of row.entries()) set(cells[slot][place], { "fill-opacity": weight.toFixed(3) });
        const right = best[slot] === example.answers[slot];
        write(answers[slot], `${task.symbols[best[slot]]} ${right ? "✓" : "✗"}`);
        set(answers[slot], { class: right ? "right" : "wrong" });
      }
    },
  };
}
