// Switches heads of a layer on and off. Scores of every subset of heads were precomputed with the model, so they are
// exact.

import { button, checkbox, choice, slider } from "./shared/controls.js";
import { element, set, svg } from "./shared/dom.js";
import { clamp, range } from "./shared/numbers.js";
import { TOKEN_BUTTONS_STYLE, tokenButtons } from "./shared/token_buttons.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {{ weights: number[][][], scores: number[], query: string[], key: string[] }} Layer */

const WIDTH = 640;
const ROW = 30;
const TOP = 54;
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
.heads fieldset { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; border: 0; margin: 4px 0; padding: 0; }
.heads .absent { visibility: hidden; }
.heads legend { color: var(--muted); font-size: 13px; padding: 0; }
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
 * One column per head: name, change of the score without it, and weights as bars. A click toggles it.
 *
 * @param {Layer} shown @param {State} state @param {number} row its height @param {(head: number) => void} toggle
 */
function columns({ weights, scores, key }, { on, query }, row, toggle) {
  const all = scores.length - 1;
  const width = (WIDTH - LEFT) / weights.length;
  const high = row * key.length;
  return weights.map((head, i) => {
    const kind = isOn(on, i) ? "" : "off";
    const name = weights.length > 5 ? i + 1 : `head ${i + 1}`;
    const cost = (scores[all & ~(1 << i)] - scores[all]).toFixed(1).replace("-", "−");
    const bars = head[query].map((weight, k) => {
      const place = { y: TOP + k * row + row / 4, height: row / 2, width: (weight * (width - 14)).toFixed(2) };
      return svg("rect", { class: `bar ${kind}`, ...place });
    });
    const group = svg(
      "g",
      { class: "head", transform: `translate(${LEFT + i * width} 0)` },
      svg("rect", { class: "area", width: width - 4, height: TOP + high }),
      svg("text", { x: 4, y: 20, class: kind, text: name }),
      svg("text", { x: 4, y: 46, text: cost }),
      svg("line", { class: "column", y1: TOP, y2: TOP + high }),
      ...bars,
    );
    group.addEventListener("click", () => toggle(i));
    return group;
  });
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
 * One checkbox per head; layers with fewer heads leave space empty.
 *
 * @param {number} most heads in a layer @param {(head: number) => void} toggle @param {() => void} allOn
 */
function headBoxes(most, toggle, allOn) {
  const boxes = range(most).map((i) => checkbox(`Head ${i + 1}`, () => toggle(i)));
  const all = button("All on", allOn);
  return {
    element: element(
      "fieldset",
      {},
      element("legend", { text: "Active heads" }),
      ...boxes.map((box) => box.element),
      all,
    ),
    /** @param {number} on @param {number} count */
    show(on, count) {
      boxes.forEach((box, i) => {
        box.show(isOn(on, i));
        box.input.disabled = i >= count;
        box.element.classList.toggle("absent", i >= count);
      });
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
    title: `Heads and the ${name} without them`,
    tip: "turn off the head that costs least, then the next. Do the costs of two heads add up?",
    style: STYLE,
    names: ["layer", "query", "on"],
  });
  const now = () => layers[model.get("layer")];
  const toggle = (/** @type {number} */ head) => view.change({ on: model.get("on") ^ (1 << head) });
  const line = tokenButtons(
    "Query token",
    Object.values(layers).map(({ query }) => query),
    (query) => view.change({ query }),
  );
  view.figure.append(line.element);
  const longest = Math.max(...Object.values(layers).map(({ key }) => key.length)); // equal for all layers
  const high = longest * (view.host.clientWidth < 620 ? ROW : Math.min(ROW, Math.max(14, 150 / longest)));
  const picture = view.picture(WIDTH, TOP + high + 4, { size: 13 });
  const legend = `Bars: weight of a head on a token. Below its name: the change in ${name} when only this head is off.`;
  view.figure.append(element("p", { class: "legend", text: legend }));
  const drawScore = scoreBar(view, name);
  const boxes = headBoxes(Math.max(...Object.values(layers).map(({ weights }) => weights.length)), toggle, () =>
    view.change({ on: now().scores.length - 1 }),
  );
  view.figure.append(boxes.element);
  const controls = makeControls(view, layers);
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
    boxes.show(state.on, shown.weights.length);
    controls.show(state);
    view.say(summary(state, shown, name));
  });
}

/** @param {WidgetCard} view @param {Record<string, Layer>} layers */
function makeControls(view, layers) {
  const names = Object.keys(layers).map((key) => /** @type {[string, string]} */ ([key, key]));
  const layer = choice("Layer", names, (name) => {
    const { scores, query } = layers[name];
    view.change({ on: scores.length - 1, query: Math.min(view.model.get("query"), query.length - 1), layer: name });
  });
  const says = (/** @type {number} */ i) => layers[view.model.get("layer")].query[i];
  const query = slider("Query", { min: 0, max: 1, says }, (i) => view.change({ query: i }));
  view.controls.append(layer.element, query.element);
  return {
    /** @param {State} state */
    show(state) {
      layer.show(state.layer);
      set(query.input, { max: layers[state.layer].query.length - 1 });
      query.show(state.query);
    },
  };
}

export default { render };
