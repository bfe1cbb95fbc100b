// Switches heads of a layer on and off. Scores of every subset of heads were precomputed with the model, so they are
// exact.

import { button, choice } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { clamp, range } from "./shared/numbers.js";
import { TOKEN_BUTTONS_STYLE, tokenButtons } from "./shared/token_buttons.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {{ weights: number[][][], scores: number[], query: string[], key: string[] }} Layer */

const WIDTH = 640;
const ROW = 30;
const TOP = 4;
const LEFT = 176;
const STYLE = `${TOKEN_BUTTONS_STYLE}
.heads .column { stroke: var(--muted); stroke-width: 1; }
.heads .bar { fill: var(--weight); stroke: var(--weight); stroke-width: 1.5; }
.heads .bar.off { fill: none; stroke: var(--muted); }
.heads text.off { text-decoration: line-through; }
.heads .head { cursor: pointer; }
.heads .head > .area { fill: transparent; }
.heads .head:hover > .area { fill: var(--ink); fill-opacity: 0.06; }
.heads .scale { fill: none; stroke: var(--muted); }
.heads .score { fill: var(--value); }
.heads .full { stroke: var(--ink); stroke-width: 3; }
.heads .top { display: flex; gap: 12px; align-items: end; margin-bottom: 4px; }
.heads .top .field { flex-direction: row; align-items: center; gap: 8px; flex: 0 1 18rem; }
.heads .top .words { flex: none; }
.heads .top button { white-space: nowrap; }
.heads .switches { display: grid; align-items: end; border: 0; margin: 0; padding: 0; min-width: 0; }
.heads .switches .of { color: var(--muted); font-size: 12px; line-height: 1.2; text-align: right; padding-right: 10px; }
.heads .switch:not([hidden]) { display: flex; flex-wrap: wrap; align-items: center; gap: 0 6px; min-height: max(32px, var(--touch)); cursor: pointer; font-size: 13px; line-height: 1.3; }
.heads .switch input { width: 18px; height: 18px; margin: 0; flex: none; accent-color: var(--weight); }
.heads .switch b { flex-basis: 100%; font-weight: 600; font-variant-numeric: tabular-nums; }
.heads .switch.off .name { text-decoration: line-through; }
@container (max-width: 619px) { .heads .switch .name { flex-basis: 100%; } .heads .switches { min-height: 56px; } }
`;

/** Whether a bit set of heads contains a head. @param {number} heads @param {number} head */
const isOn = (heads, head) => ((heads >> head) & 1) === 1;

/** @param {(string | number)[]} names */
const joined = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** @typedef {{ layer: string, on: number, query: number }} State layer, active heads as bits, query token */

/** @param {State} state @param {Layer} shown @param {string} name name of the score */
function summary({ layer, on }, { weights, scores }, name) {
  const all = scores.length - 1;
  const off = range(weights.length).filter((i) => !isOn(on, i));
  const taken = `without head${off.length > 1 ? "s" : ""} ${joined(off.map((i) => i + 1))}`;
  const words = off.length === 0 ? "all heads on" : off.length === weights.length ? "all heads off" : taken;
  const lost = scores[all] - scores[on];
  const beside = `, ${Math.abs(lost).toFixed(1)} ${lost >= 0 ? "below" : "above"} all heads (${scores[all].toFixed(1)}, the vertical line)`;
  return `${layer}, ${words}: ${name} is ${scores[on].toFixed(1)}${on === all ? "" : beside}.`;
}

/**
 * One column per head with its weights as bars. A click toggles it.
 *
 * @param {Layer} shown @param {State} state @param {number} row its height @param {(head: number) => void} toggle
 */
function columns({ weights, key }, { on, query }, row, toggle) {
  const high = key.length * row;
  const width = (WIDTH - LEFT) / weights.length;
  return weights.map((head, i) => {
    const kind = isOn(on, i) ? "" : "off";
    const bars = head[query].map((weight, k) => {
      const place = { y: TOP + k * row + row / 4, height: row / 2, width: (weight * (width - 14)).toFixed(2) };
      return svg("rect", { class: `bar ${kind}`, ...place });
    });
    const group = svg(
      "g",
      { class: "head", transform: `translate(${LEFT + i * width} 0)` },
      svg("rect", { class: "area", width: width - 4, height: TOP + high }),
      svg("line", { class: "column", y1: TOP, y2: TOP + high }),
      ...bars,
    );
    group.addEventListener("click", () => toggle(i));
    return group;
  });
}

/** What the score changes by when one head alone is off. @param {number[]} scores @param {number} head */
function changeWithout(scores, head) {
  const all = scores.length - 1;
  return (scores[all & ~(1 << head)] - scores[all]).toFixed(1).replace("-", "−");
}

/** The score of the active heads as a bar, that of all heads as a line. @param {WidgetCard} view @param {string} name */
function scoreBar(view, name) {
  const scale = view.picture(WIDTH, 26);
  const score = svg("rect", { class: "score", x: 1, y: 3, height: 20 });
  const full = svg("line", { class: "full", y1: 1, y2: 25 });
  scale.append(svg("rect", { class: "scale", x: 1, y: 3, width: WIDTH - 2, height: 20 }), score, full);
  return (/** @type {number} */ now, /** @type {number} */ most) => {
    const place = (/** @type {number} */ value) => 1 + (value / 100) * (WIDTH - 2);
    set(score, { width: (place(now) - 1).toFixed(1) });
    set(full, { x1: place(most), x2: place(most) });
    set(scale, { "aria-label": `${name} ${now.toFixed(1)} of 100` });
  };
}

/**
 * A switch at the top of each head's column, with the change of the score when this head alone is off.
 *
 * @param {number} most heads in a layer @param {string} name of the score @param {(head: number) => void} toggle
 */
function headSwitches(most, name, toggle) {
  const switches = range(most).map((i) => {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => toggle(i));
    const text = element("span", { class: "name" });
    const change = element("b");
    return { input, text, change, label: element("label", { class: "switch" }, input, text, change) };
  });
  const of = element("span", { class: "of", text: `${name}, if off alone:` });
  const row = element("fieldset", { class: "switches", "aria-label": "Active heads" }, of);
  row.append(...switches.map(({ label }) => label));
  return {
    element: row,
    /** @param {number} on @param {number[]} scores */
    show(on, scores) {
      const count = Math.log2(scores.length);
      row.style.gridTemplateColumns = `${(100 * LEFT) / WIDTH}% repeat(${count}, minmax(0, 1fr))`;
      for (const [i, { input, text, change, label }] of switches.entries()) {
        label.hidden = i >= count;
        if (label.hidden) continue;
        input.checked = isOn(on, i);
        label.classList.toggle("off", !input.checked);
        write(text, count > 5 ? String(i + 1) : `head ${i + 1}`);
        write(change, changeWithout(scores, i));
      }
    },
  };
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const layers = /** @type {Record<string, Layer>} */ (model.get("layers"));
  const name = model.get("score_name");
  const view = new WidgetCard(place, {
    name: "heads",
    title: `Switch heads off, and watch: ${name}`,
    tip: "turn off the head that costs least, then the next. Do the costs of two heads add up?",
    style: STYLE,
    names: ["layer", "query", "on"],
  });
  const now = () => layers[model.get("layer")];
  const toggle = (/** @type {number} */ head) => view.change({ on: model.get("on") ^ (1 << head) });
  const layer = layerChoice(view, layers);
  const all = button("All on", () => view.change({ on: now().scores.length - 1 }));
  const line = tokenButtons(
    "Query token",
    Object.values(layers).map(({ query }) => query),
    (query) => view.change({ query }),
  );
  const switches = headSwitches(Math.max(...Object.values(layers).map(({ weights }) => weights.length)), name, toggle);
  view.figure.append(element("div", { class: "top" }, layer.element, all), line.element, switches.element);
  const longest = Math.max(...Object.values(layers).map(({ key }) => key.length)); // equal for all layers
  const high = longest * (view.host.clientWidth < 620 ? ROW : Math.min(ROW, Math.max(14, 240 / longest)));
  const picture = view.picture(WIDTH, TOP + high + 4, { size: 13 });
  view.figure.append(element("p", { class: "legend", text: "Bars: how much the chosen query attends to each token." }));
  const drawScore = scoreBar(view, name);
  view.reserve(
    Object.entries(layers).flatMap(([layer, shown]) =>
      range(shown.scores.length).map((on) => summary({ layer, on, query: 0 }, shown, name)),
    ),
  );

  return view.start(() => {
    const shown = now();
    const query = clamp(model.get("query"), 0, shown.query.length - 1);
    const state = { layer: model.get("layer"), on: model.get("on") & (shown.scores.length - 1), query };
    const label = `Weights of ${shown.weights.length} heads for the query ${shown.query[query]}`;
    set(picture, { "aria-label": label });
    const row = high / shown.key.length;
    const names = shown.key.map((text, k) =>
      svg("text", {
        x: LEFT - 10,
        y: TOP + (k + 0.5) * row,
        "text-anchor": "end",
        "dominant-baseline": "central",
        text,
      }),
    );
    picture.replaceChildren(...names, ...columns(shown, state, row, toggle));
    line.show(shown.query, query);
    drawScore(shown.scores[state.on], shown.scores[shown.scores.length - 1]);
    switches.show(state.on, shown.scores);
    layer.show(state.layer);
    view.say(summary(state, shown, name));
  });
}

/** @param {WidgetCard} view @param {Record<string, Layer>} layers */
function layerChoice(view, layers) {
  const names = Object.keys(layers).map((key) => /** @type {[string, string]} */ ([key, key]));
  return choice("Layer", names, (name) => {
    const { scores, query } = layers[name];
    view.change({ on: scores.length - 1, query: Math.min(view.model.get("query"), query.length - 1), layer: name });
  });
}

export default { render };
