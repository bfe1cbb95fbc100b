// Accuracy and loss over training steps, with the accuracy of guessing.
import { set, svg, write } from "../shared/dom.js";

/** @typedef {import("./trainer.js").Step} Step */

/** Size of the picture, which is lower on phones. @param {boolean} narrow */
export const curveSize = (narrow) => ({ width: 420, height: narrow ? 130 : 240 });
const BOX = { left: 48, right: 412, top: 24 };
const BINS = 150;
const FEWEST = 200; // minimum range of the x-axis in steps

export const CURVE_STYLE = `
.curve path { fill: none; stroke: var(--ink); stroke-width: 2; }
.curve path.loss { stroke: var(--muted); stroke-dasharray: 5 3; stroke-width: 1.5; }
.curve line { stroke: var(--line); }
.curve path.rival { stroke: var(--query); }
.curve line.shown { stroke: var(--weight); stroke-width: 1.5; }
.curve line.guess { stroke: var(--muted); stroke-dasharray: 1.5 3; }
`;

/** Means over bins of equal width. @param {number[]} values @returns {[number, number][]} center and mean of each bin */
export function binned(values) {
  const width = Math.max(1, Math.ceil(values.length / BINS));
  const count = Math.ceil(values.length / width);
  return Array.from({ length: count }, (_, i) => {
    const part = values.slice(i * width, (i + 1) * width);
    return [i * width + (part.length + 1) / 2, part.reduce((sum, value) => sum + value, 0) / part.length];
  });
}

/** @param {SVGSVGElement} picture @param {number} height of the picture */
export function curve(picture, height) {
  const bottom = height - 24;
  const y = (/** @type {number} */ share) => bottom - share * (bottom - BOX.top);
  const text = (/** @type {number} */ x, /** @type {number} */ at, /** @type {string} */ words, anchor = "middle") =>
    svg("text", { x, y: at, "text-anchor": anchor, text: words });
  const parts = {
    guess: svg("line", { class: "guess", x1: BOX.left, x2: BOX.right }),
    loss: svg("path", { class: "loss" }),
    rival: svg("path", { class: "rival" }),
    right: svg("path"),
    now: svg("line", { class: "shown", y1: BOX.top, y2: bottom }),
    last: text(BOX.right, bottom + 17, "", "end"),
  };
  picture.classList.add("curve");
  picture.append(
    text(BOX.left, 13, "accuracy (solid), loss (dashed), guessing (dotted)", "start"),
    text(BOX.left - 5, BOX.top + 5, "100 %", "end"),
    text(BOX.left - 5, bottom + 4, "0", "end"),
    svg("line", { x1: BOX.left, x2: BOX.right, y1: bottom, y2: bottom }),
    text(BOX.left, bottom + 17, "step 0", "start"),
    ...Object.values(parts),
  );
  return {
    /**
     * @param {{steps: Step[], rival: Step[], most: number, guess: number, shown: number | null}} now `most`: loss at the
     *   top of the axis; `shown`: the step whose frame is shown, null for the last
     */
    draw({ steps, rival, most, guess, shown }) {
      const last = Math.max(FEWEST, steps.length, rival.length);
      const x = (/** @type {number} */ step) => BOX.left + (step / last) * (BOX.right - BOX.left);
      const line = (/** @type {number[]} */ values) => {
        const points = binned(values).map(
          ([step, value]) => `${x(step).toFixed(1)} ${y(Math.min(1, value)).toFixed(1)}`,
        );
        return points.length ? `M${points.join("L")}` : "";
      };
      set(parts.right, { d: line(steps.map(({ right }) => right)) });
      set(parts.loss, { d: line(steps.map(({ loss }) => loss / most)) });
      set(parts.rival, { d: line(rival.map(({ right }) => right)) });
      const at = x(shown ?? steps.length).toFixed(1);
      set(parts.now, { x1: at, x2: at, visibility: steps.length ? "visible" : "hidden" });
      set(parts.guess, { y1: y(guess), y2: y(guess) });
      write(parts.last, last.toLocaleString("en"));
    },
  };
}
