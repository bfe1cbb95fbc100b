// One sentence passing through one encoder layer in nine steps, each with its values.

import { forwardSteps } from "./layer/forward_steps.js";
import { STEPS, shape } from "./layer/steps.js";
import { button, checkbox, choice, slider } from "./shared/controls.js";
import { element, set, svg } from "./shared/dom.js";
import { clamp } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./layer/steps.js").Shown} Shown */

const WIDTH = 640;
const LEFT = 96;
const RIGHT = 632;
const ROW = 24; // row height with three maps; with fewer maps rows are taller, so that the height stays the same
const HEAD = 26;
const GAP = 10;
const STYLE = `
.layer .walk { display: flex; gap: 8px; margin-bottom: 4px; }
.layer .walk button { flex: 1; }
.layer .plus { fill: var(--query); }
.layer .minus { fill: var(--weight); }
.layer .edge { fill: none; stroke: var(--ink); stroke-opacity: 0.35; }
.layer .followed { fill: none; stroke: var(--ink); stroke-width: 2.5; }
.layer .row { cursor: pointer; }
.layer svg text { pointer-events: none; }
.layer svg text.title { font-weight: 600; }
.layer svg text.query { fill: var(--query); }
.layer svg text.key { fill: var(--key); }
.layer svg text.value { fill: var(--value); }
`;

/** @param {string} token */
const short = (token) => (token.length > 8 ? `${token.slice(0, 7)}…` : token);

/**
 * One matrix as a heatmap, with numbers in the cells if they fit and always in the tooltips.
 *
 * @param {Shown} shown @param {string[]} tokens @param {number} followed
 * @param {number} high height of a row @param {(token: number) => void} follow
 */
function map({ title, rows, names, role = "" }, tokens, followed, high, follow) {
  const many = rows[0].length;
  const width = (RIGHT - LEFT) / many;
  const most = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const wide = { x: LEFT, width: RIGHT - LEFT };
  const lines = rows.map((row, i) => {
    const middle = (i + 0.5) * high + 4;
    const line = svg(
      "g",
      { class: "row" },
      svg("text", { x: LEFT - 8, y: middle, "text-anchor": "end", text: short(tokens[i]) }),
    );
    line.addEventListener("click", () => follow(i));
    for (const [j, value] of row.entries()) {
      const box = { x: LEFT + j * width, y: i * high, width, height: high };
      const opacity = ((0.55 * Math.abs(value)) / most).toFixed(3);
      const cell = svg("rect", { class: value < 0 ? "minus" : "plus", ...box, "fill-opacity": opacity });
      cell.append(svg("title", { text: `${tokens[i]}, ${names ? names[j] : j}: ${value.toFixed(3)}` }));
      line.append(cell);
      const text = value.toFixed(names ? 2 : 1).replace(/^-(0\.0+)$/, "$1");
      if (many <= 8)
        line.append(svg("text", { x: LEFT + (j + 0.5) * width, y: middle, "text-anchor": "middle", text }));
    }
    return line;
  });
  return [
    svg("text", { class: `title ${role}`, x: LEFT, y: -8, text: `${title} (${shape(rows)})` }),
    ...lines,
    svg("rect", { class: "edge", ...wide, y: 0, height: rows.length * high }),
    svg("rect", { class: "followed", ...wide, y: followed * high, height: high }),
  ];
}

/** The followed token with its layer values, with or without positions. @param {import("@anywidget/types").AnyModel} model @param {string[]} tokens */
function follower(model, tokens) {
  const [table, embedding, weights, numHeads] = ["positions", "embedding", "weights", "num_heads"].map((name) =>
    model.get(name),
  );
  const none = table.map((/** @type {number[]} */ row) => row.map(() => 0));
  const [placed, unplaced] = [table, none].map((positions) => forwardSteps(embedding, positions, weights, numHeads));
  return (/** @type {number} */ i, /** @type {boolean} */ positions) => ({
    ...{ tokens, i, placed: positions },
    s: positions ? placed : unplaced,
  });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const tokens = /** @type {string[]} */ (model.get("tokens"));
  const start = { token: 0, placed: true };
  let now = start; // state outside the model
  const view = new WidgetCard(place, {
    name: "layer",
    title: "Through one encoder layer",
    tip: "follow a word that occurs twice. At which step do its two rows become different? What happens without positions?",
    style: STYLE,
    names: ["step"],
  });
  const look = (/** @type {Partial<typeof start>} */ changes) => {
    now = { ...now, ...changes };
    view.redraw();
  };
  const controls = makeControls(view, tokens, look);
  const high = Math.max(3, model.get("num_heads")) * (tokens.length * ROW + HEAD + GAP);
  const picture = view.picture(WIDTH, high);
  const at = follower(model, tokens);
  const says = (/** @type {number} */ step, /** @type {typeof start} */ { token, placed }) =>
    `Step ${step + 1} of ${STEPS.length}, ${STEPS[step].name}. ${STEPS[step].says(at(token, placed))}`;
  for (const placed of [true, false])
    for (const token of tokens.keys()) view.reserve(STEPS.map((_, step) => says(step, { token, placed })));

  return view.start(
    () => {
      const step = model.get("step");
      const maps = STEPS[step].maps(at(now.token, now.placed));
      const row = (high / maps.length - HEAD - GAP) / tokens.length;
      const groups = maps.map((shown, i) => {
        const top = (i * high) / maps.length + HEAD;
        const parts = map(shown, tokens, now.token, row, (token) => look({ token }));
        return svg("g", { class: "map", transform: `translate(0 ${top})` }, ...parts);
      });
      picture.replaceChildren(...groups);
      const titles = maps.map(({ title, rows }) => `${title}, ${shape(rows)}`);
      set(picture, { "aria-label": `Step ${step + 1}, ${STEPS[step].name}: ${titles.join("; ")}` });
      controls.show(step, now);
      view.say(says(step, now));
    },
    () => {
      now = start;
    },
  );
}

/** @param {WidgetCard} view @param {string[]} tokens @param {(changes: { token?: number, placed?: boolean }) => void} look */
function makeControls(view, tokens, look) {
  const go = (/** @type {number} */ step) => view.change({ step: clamp(step, 0, STEPS.length - 1) });
  const back = button("◀ Back", () => go(view.model.get("step") - 1));
  const next = button("Next ▶", () => go(view.model.get("step") + 1));
  const says = (/** @type {number} */ step) => `${step + 1} of ${STEPS.length}: ${STEPS[step].name}`;
  const step = slider("Step", { min: 0, max: STEPS.length - 1, says }, go);
  const words = tokens.map((token, i) => /** @type {[number, string]} */ ([i, `${i}: ${token}`]));
  const token = choice("Follow the token", words, (i) => look({ token: Number(i) }));
  const positions = checkbox("with positions", (placed) => look({ placed }));
  view.figure.append(element("div", { class: "walk" }, back, next));
  view.controls.append(step.element, token.element, positions.element);
  return {
    /** @param {number} now @param {{ token: number, placed: boolean }} chosen */
    show(now, chosen) {
      step.show(now);
      token.show(chosen.token);
      positions.show(chosen.placed);
    },
  };
}

export default { render };
