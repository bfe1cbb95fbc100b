// Accuracy and loss over training steps, with the accuracy of guessing.
import { element, set, svg, write } from "../shared/dom.js";

/** @typedef {import("./trainer.js").Step} Step */

/** Size of the picture, which is lower on phones. @param {boolean} narrow */
export const curveSize = (narrow) => ({ width: 420, height: narrow ? 120 : 292 });
const BOX = { left: 58, right: 412, top: 10 };
const BINS = 150;
const FEWEST = 200; // minimum range of the x-axis in steps

export const CURVE_STYLE = `
.curve path { fill: none; stroke: var(--value); stroke-width: 2.5; stroke-linejoin: round; }
.curve path.loss { stroke: var(--muted); stroke-dasharray: 5 3; stroke-width: 1.5; }
.curve path.rival { stroke: var(--query); }
.curve line { stroke: var(--edge); }
.curve line.shown { stroke: var(--ink); }
.curve line.guess { stroke: var(--ink); stroke-dasharray: 2 4; stroke-width: 1.5; }
.curve .quiet { fill: var(--muted); }
.lines { display: flex; flex-wrap: wrap; gap: 0 12px; height: 18px; margin: 0; overflow: hidden; font-size: 12px; line-height: 18px; color: var(--muted); forced-color-adjust: none; background: var(--paper); }
.lines span::before { content: ""; display: inline-block; width: 14px; margin-right: 5px; vertical-align: middle; border-top: 2.5px solid var(--value); }
.lines .loss::before { border-top: 2px dashed var(--muted); }
.lines .guess::before { border-top: 2px dotted var(--ink); }
.lines .rival::before { border-top-color: var(--query); }
`;

/** The names of the lines. */
export function curveLegend() {
  const [accuracy, loss, guess, rival] = [
    ["right", "accuracy"],
    ["loss", "loss"],
    ["guess", "guessing"],
    ["rival", "2nd net"],
  ].map(([kind, text]) => element("span", { class: kind, text }));
  return {
    element: element("p", { class: "lines" }, accuracy, loss, guess, rival),
    /** @param {boolean} two whether a second net is compared */
    show(two) {
      rival.hidden = !two;
    },
  };
}

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
    svg("text", { class: "quiet", x, y: at, "text-anchor": anchor, text: words });
  const middle = (BOX.left + BOX.right) / 2;
  const parts = {
    guess: svg("line", { class: "guess", x1: BOX.left, x2: BOX.right }),
    loss: svg("path", { class: "loss" }),
    rival: svg("path", { class: "rival" }),
    right: svg("path"),
    now: svg("line", { class: "shown", y1: BOX.top, y2: bottom }),
    empty: text(middle, y(0.5) - 8, "the curves of the training appear here"),
    last: text(BOX.right, bottom + 17, "", "end"),
  };
  picture.classList.add("curve");
  picture.append(
    ...[0, 0.5, 1].flatMap((share) => [
      svg("line", { x1: BOX.left, x2: BOX.right, y1: y(share), y2: y(share) }),
      text(BOX.left - 6, y(share) + 5, `${100 * share} %`, "end"),
    ]),
    text(BOX.left, bottom + 17, "0", "start"),
    text(middle, bottom + 17, "training steps"),
    ...Object.values(parts),
  );
  return {
    /**
     * @param {{steps: Step[], rival: Step[], most: number, guess: number, shown: number}} now `most`: loss at the top of
     *   the axis; `shown`: the step whose frame is shown
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
      const drawn = steps.length ? "visible" : "hidden";
      set(parts.right, { d: line(steps.map(({ right }) => right)) });
      set(parts.loss, { d: line(steps.map(({ loss }) => loss / most)) });
      set(parts.rival, { d: line(rival.map(({ right }) => right)) });
      const at = x(shown).toFixed(1);
      set(parts.now, { x1: at, x2: at, visibility: drawn });
      set(parts.guess, { y1: y(guess), y2: y(guess), visibility: drawn });
      set(parts.empty, { visibility: steps.length ? "hidden" : "visible" });
      write(parts.last, last.toLocaleString("en"));
    },
  };
}
