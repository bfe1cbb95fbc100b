// One decoder step as boxes and wires. Controls rewire it; everything that one box influences is highlighted.

import { choice } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { WidgetCard } from "./shared/widget_card.js";

/** Corner, symbol, subscript, color. @typedef {[number, number, string, string, string]} Box */
/** From, to, color, corners, and the settings that enable it. @typedef {[string, string, string, number[][], Record<string, string>]} Wire */
/** @typedef {"asks" | "readout" | "feeding" | "trace"} Switch */
/** @typedef {Record<Switch, string>} Chosen */

const [WIDTH, HEIGHT] = [100, 34];
/** @type {[Switch, string, [string, string][]][]} */
const SWITCHES = [
  [
    "asks",
    "Asks",
    [
      ["early", "early"],
      ["late", "late"],
    ],
  ],
  [
    "readout",
    "Read-out sees",
    [
      ["state", "c and s"],
      ["maxout", "c, s and y"],
    ],
  ],
  [
    "feeding",
    "Input feeding",
    [
      ["no", "no"],
      ["yes", "yes"],
    ],
  ],
  [
    "trace",
    "Follow",
    [
      ["word", "the last word"],
      ["fed", "the last read-out"],
    ],
  ],
];
const NAMES = SWITCHES.map(([name]) => name);
const STYLE = `
.wiring .figure { max-width: 440px; margin: 0 auto; }
.wiring rect { fill: var(--paper); stroke-width: 1.5; }
.wiring .reached rect { fill: color-mix(in srgb, var(--weight) 24%, var(--paper)); stroke-width: 2.5; }
.wiring .wire path { fill: none; stroke-width: 1.5; }
.wiring .wire.reached path { stroke-width: 3.5; }
.wiring .figure svg text { font-style: italic; text-anchor: middle; }
`;

/** The boxes that a box influences. @param {string} name @param {Wire[]} wires enabled wires */
export function reachedFrom(name, wires) {
  const reached = new Set([name]);
  for (const [start, end] of wires) if (reached.has(start)) reached.add(end); // wires are in the order of computation
  return reached;
}

/** @param {Wire[]} wires @param {Chosen} chosen */
export const there = (wires, chosen) =>
  wires.filter(([, , , , when]) =>
    Object.entries(when).every(([name, value]) => chosen[/** @type {Switch} */ (name)] === value),
  );

/** @param {Wire} wire */
function drawnWire([start, end, color, corners]) {
  const [[x0, y0], [x, y]] = corners.slice(-2);
  const far = Math.hypot(x - x0, y - y0);
  const [u, v] = [(9 * (x - x0)) / far, (9 * (y - y0)) / far];
  const head = `M${x} ${y}L${x - u - v / 2} ${y - v + u / 2}L${x - u + v / 2} ${y - v - u / 2}Z`;
  const style = `stroke: var(--${color})`;
  return svg(
    "g",
    { class: "wire", "data-from": start, "data-to": end },
    svg("path", { d: `M${corners.map((corner) => corner.join(" ")).join("L")}`, style }),
    svg("path", { d: head, style: `fill: var(--${color}); stroke: none` }),
  );
}

/** @param {string} name @param {Box} box */
function drawnBox(name, [x, y, symbol, low, color]) {
  const text = svg("text", { x: x + WIDTH / 2, y: y + HEIGHT / 2 + 4, text: symbol });
  text.append(svg("tspan", { dy: "0.3em", style: "font-size: 0.8em", text: low }));
  const frame = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 5, style: `stroke: var(--${color})` });
  return svg("g", { class: "box", "data-name": name }, frame, text);
}

/** All combinations of settings. */
const ALL = SWITCHES.reduce(
  (all, [name, , options]) => all.flatMap((chosen) => options.map(([value]) => ({ ...chosen, [name]: value }))),
  /** @type {Chosen[]} */ ([{}]),
);

/** @param {Chosen} chosen @param {Set<string>} reached */
function summary({ asks, readout, feeding, trace }, reached) {
  const query = asks === "early" ? "The query is the state before the step." : "The query is the state after the step.";
  const writes = readout === "maxout" ? "Context, state and the last word" : "Context and state";
  const fed = feeding === "yes" ? "and the read-out goes into the next step." : "and the next step does not see it.";
  const looks = reached.has("weights")
    ? "changes what this step attends to."
    : "cannot change what this step attends to.";
  const followed =
    trace === "word" ? "The last word" : "The last read-out, which depends on the previous step's attention,";
  return `${query} ${writes} determine the read-out, ${fed} ${followed} ${looks}`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const wires = /** @type {Wire[]} */ (model.get("wires"));
  const boxes = /** @type {Record<string, Box>} */ (model.get("boxes"));
  const view = new WidgetCard(place, {
    name: "wiring",
    title: "Rewire one decoder step",
    tip: "follow the last word and switch Asks from early to late. Which boxes does it reach? Then follow the last read-out. Which setting lets it in?",
    style: STYLE,
    names: NAMES,
  });
  const picture = view.picture(400, 330, { wide: 400, size: 15 });
  const lines = svg("g");
  const drawn = Object.entries(boxes).map(([name, box]) => drawnBox(name, box));
  picture.append(lines, ...drawn);
  const inputs = SWITCHES.map(([name, label, options]) => ({
    name,
    ...choice(label, options, (value) => view.change({ [name]: value })),
  }));
  view.controls.append(...inputs.map((input) => input.element));

  view.reserve(ALL.map((chosen) => summary(chosen, reachedFrom(chosen.trace, there(wires, chosen)))));
  return view.start(() => {
    const chosen = /** @type {Chosen} */ (Object.fromEntries(NAMES.map((name) => [name, model.get(name)])));
    const present = there(wires, chosen);
    const reached = reachedFrom(chosen.trace, present);
    lines.replaceChildren(...present.map(drawnWire));
    for (const line of /** @type {HTMLCollectionOf<SVGElement>} */ (lines.children))
      set(line, { class: reached.has(line.dataset.from ?? "") ? "wire reached" : "wire" });
    for (const box of drawn) set(box, { class: reached.has(box.dataset.name ?? "") ? "box reached" : "box" });
    for (const { name, show } of inputs) show(chosen[name]);
    view.say(summary(chosen, reached));
  });
}

export default { render };
