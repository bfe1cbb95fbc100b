// Luong's local attention: step through a translation, move and resize the window.

import { button, choice, greyOut, slider } from "./shared/controls.js";
import { element, set, svg } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { maskedSoftmax, softmax } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { TOKEN_BUTTONS_STYLE, tokenButtons } from "./shared/token_buttons.js";
import { WidgetCard } from "./shared/widget_card.js";

const WIDTH = 640;
const ROW = 30;
const TOP = 6;
const BAR = { left: 176, right: 590 };
const STYLE = `${TOKEN_BUTTONS_STYLE}
.window .band { fill: var(--query); fill-opacity: 0.13; stroke: var(--query); stroke-dasharray: 5 4; }
.window .free .band { cursor: ns-resize; touch-action: none; } /* touches elsewhere scroll the page */
.window .free { touch-action: pan-y; }
.window .center { stroke: var(--query); stroke-width: 2; }
.window .bell { fill: none; stroke: var(--query); stroke-width: 2; }
.window .ghost { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.window .bar { fill: var(--weight); }
.window svg > :not(.band) { pointer-events: none; }
.window .shut { fill-opacity: 0.75; }
.window .gold { font-weight: 700; }
.window .controls button { white-space: nowrap; }
.window .said > [aria-hidden] { padding-right: 1em; }
`;

/** @type {[string, string][]} */
const NAMES = [
  ["global", "global"],
  ["local-m", "local-m"],
  ["local-p", "local-p"],
];

/** @param {number} s @param {number} center @param {number} halfWidth */
export const gaussian = (s, center, halfWidth) => Math.exp(-2 * ((s - center) / halfWidth) ** 2);

/**
 * Weights inside a window, and the positions inside it.
 *
 * @param {number[]} scores @param {number} center @param {number} halfWidth
 * @param {boolean} bell whether weights are multiplied by a Gaussian around the center
 */
export function localWeights(scores, center, halfWidth, bell) {
  const inside = scores.map((_, s) => Math.abs(s - center) <= halfWidth);
  const weights = [...maskedSoftmax(scores, (s) => inside[s])];
  return { inside, weights: weights.map((weight, s) => weight * (bell ? gaussian(s, center, halfWidth) : 1)) };
}

const x = (/** @type {number} */ weight) => BAR.left + weight * (BAR.right - BAR.left);
const y = (/** @type {number} */ s) => TOP + (s + 0.5) * ROW;

/** @param {SVGSVGElement} picture @param {string[]} source */
function parts(picture, source) {
  const made = {
    band: svg("rect", { class: "band", x: 2, width: WIDTH - 4 }),
    labels: source.map((token, s) =>
      svg("text", { x: BAR.left - 10, y: y(s), "text-anchor": "end", "dominant-baseline": "central", text: token }),
    ),
    bars: source.map((_, s) => svg("rect", { class: "bar", x: BAR.left, y: y(s) - 8, height: 16 })),
    ghosts: source.map((_, s) => svg("rect", { class: "ghost", x: BAR.left, y: y(s) - 11, height: 22 })),
    bell: svg("path", { class: "bell" }),
    middle: svg("line", { class: "center", x1: BAR.left - 6, x2: WIDTH - 2 }),
  };
  picture.append(made.band, ...made.labels, ...made.bars, ...made.ghosts, made.bell, made.middle);
  return made;
}

/**
 * @typedef {object} Seen
 * @property {string} kind
 * @property {number} step
 * @property {number} halfWidth
 * @property {number} center
 * @property {number[]} everywhere weights of global attention
 * @property {number[]} weights
 * @property {boolean[]} inside
 * @property {number[]} gold source positions
 */

/** @param {ReturnType<typeof parts>} made @param {Seen} seen */
function drawWeights({ bars, ghosts, labels }, { weights, everywhere, inside, gold }) {
  weights.forEach((weight, s) => {
    set(bars[s], { width: (x(weight) - BAR.left).toFixed(2) });
    set(ghosts[s], { width: (x(everywhere[s]) - BAR.left).toFixed(2) });
    set(labels[s], { class: `${inside[s] ? "" : "shut"} ${gold.includes(s) ? "gold" : ""}` });
  });
}

/** @param {ReturnType<typeof parts>} made @param {Seen} seen */
function drawWindow({ band, middle, bell }, { kind, center, halfWidth, weights }) {
  const height = 2 * TOP + ROW * weights.length;
  const [from, to] = [center - halfWidth, center + halfWidth].map((edge) => clamp(y(edge), 1, height - 1));
  const hidden = kind === "global" || center > weights.length - 0.5;
  set(band, { y: from, height: to - from, visibility: hidden ? "hidden" : "visible" });
  set(middle, { y1: y(center), y2: y(center), visibility: hidden ? "hidden" : "visible" });
  const places = range(41).map((i) => center + halfWidth * (i / 20 - 1));
  const path = places.filter((s) => y(s) >= 0 && y(s) <= height);
  const points = path.map((s) => `${x(gaussian(s, center, halfWidth)).toFixed(1)} ${y(s).toFixed(1)}`);
  set(bell, { d: kind === "local-p" && points.length ? `M${points.join("L")}` : "" });
}

/** Describes the window of a step. @param {Seen} seen @param {string[]} source @param {string[]} target */
export function summary({ kind, step, inside, everywhere, weights, gold }, source, target) {
  const count = inside.filter(Boolean).length;
  const begin = `Step ${step}, “${target[step]}”: the window`;
  if (!count)
    return `${begin} lies outside the sentence. There is nothing to attend to, so the context vector is zero.`;
  const kept = `${(100 * sum(everywhere.filter((_, s) => inside[s]))).toFixed(0)} % of the global weight`;
  const best = weights.indexOf(Math.max(...weights));
  const largest = `the largest, ${weights[best].toFixed(2)}, is on “${source[best]}”${gold.includes(best) ? " (gold)" : ""}`;
  const size =
    kind === "global" ? `contains all ${source.length} tokens` : `contains ${count} of ${source.length} tokens`;
  return `${begin} ${size}, which have ${kept}. Its weights sum to ${sum(weights).toFixed(2)}; ${largest}.`;
}

/** The state to draw, with the user's own center if there is one. @param {import("@anywidget/types").AnyModel} model @param {number | null} moved */
function look(model, moved) {
  const [kind, step, halfWidth] = ["window", "step", "half_width"].map((name) => model.get(name));
  const scores = model.get("scores")[step];
  const everywhere = softmax(scores);
  const center = kind === "local-p" ? (moved ?? model.get("centers")[step]) : step;
  const local =
    kind === "global"
      ? { inside: everywhere.map(() => true), weights: everywhere }
      : localWeights(scores, center, halfWidth, kind === "local-p");
  const links = /** @type {[number, number][]} */ (model.get("gold"));
  const gold = links.filter(([, t]) => t === step).map(([s]) => s);
  return /** @type {Seen} */ ({ kind, step, halfWidth, center, everywhere, gold, ...local });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const [source, target] = /** @type {string[][]} */ (["source", "target"].map((name) => model.get(name)));
  const view = new WidgetCard(place, {
    name: "window",
    title: "A window on the source",
    tip: "choose local-p and drag the window. How narrow can it get before it loses the gold token?",
    style: STYLE,
    names: ["window", "step", "half_width"],
  });
  let moved = /** @type {number | null} */ (null); // the user's own center for this step
  const move = (/** @type {number | null} */ center) => {
    moved = center;
    view.redraw();
  };
  const go = (/** @type {number} */ step) => {
    moved = null;
    view.change({ step });
  };
  const line = tokenButtons("Target tokens", [target], go);
  view.figure.append(line.element);
  const picture = view.picture(WIDTH, 2 * TOP + ROW * source.length, { size: 15 });
  const made = parts(picture, source);
  const legend = "Filled: weights in the window. Outlined: global attention. Bold: gold token.";
  view.figure.append(element("p", { class: "legend", text: legend }));
  drag(picture, ({ target }) => {
    if (model.get("window") !== "local-p" || target !== made.band) return null;
    return ({ y }) => move(clamp(Math.round(10 * ((y - TOP) / ROW - 0.5)) / 10, 0, source.length - 1));
  });
  const controls = makeControls(view, source, move);

  const all = { ...look(model, null), kind: "local-p", center: source.length - 1, halfWidth: source.length };
  for (const step of target.keys())
    for (const best of source.keys()) {
      const weights = source.map((_, i) => Number(i === best));
      const seen = { ...all, step, weights, everywhere: weights, inside: source.map(() => true), gold: [best] };
      view.reserve([summary(seen, source, target)]);
    }
  return view.start(
    () => {
      const seen = look(model, moved);
      line.show(target, seen.step, true);
      picture.classList.toggle("free", seen.kind === "local-p");
      drawWeights(made, seen);
      drawWindow(made, seen);
      controls.show(seen, moved);
      view.say(summary(seen, source, target));
    },
    () => move(null),
  );
}

/** @param {WidgetCard} view @param {string[]} source @param {(center: number | null) => void} move */
function makeControls(view, source, move) {
  const windows = choice("Window", NAMES, (window) => view.change({ window }));
  const widths = { min: 1, max: Math.max(10, view.model.get("half_width")) };
  const width = slider("Half width D", widths, (halfWidth) => view.change({ half_width: halfWidth }));
  const places = { min: 0, max: source.length - 1, step: 0.1, says: (/** @type {number} */ p) => p.toFixed(1) };
  const center = slider("Center p", places, move);
  const back = button("Predicted center", () => move(null));
  view.controls.append(windows.element, width.element, center.element, back);
  return {
    /** @param {Seen} seen @param {number | null} moved */
    show(seen, moved) {
      const free = seen.kind === "local-p";
      windows.show(seen.kind);
      width.show(seen.halfWidth);
      center.show(seen.center);
      width.input.disabled = seen.kind === "global";
      center.input.disabled = !free;
      greyOut(back, !free || moved === null);
    },
  };
}

export default { render };
