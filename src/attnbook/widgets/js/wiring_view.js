// One decoder step as boxes and wires. Pressing a wire connects or cuts it; all that one box influences is highlighted.

import { choice } from "./shared/controls.js";
import { set, svg } from "./shared/dom.js";
import { WidgetCard } from "./shared/widget_card.js";

/** Corner, symbol, subscript, color, word. @typedef {[number, number, string, string, string, string]} Box */
/** From, to, color, corners, and the settings that enable it. @typedef {[string, string, string, number[][], Record<string, string>]} Wire */
/** @typedef {"asks" | "readout" | "feeding" | "trace"} Switch */
/** @typedef {Record<Switch, string>} Chosen */

const [WIDTH, HEIGHT] = [100, 46];
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
      ["before", "the last state"],
      ["fed", "the last read-out"],
    ],
  ],
];
const NAMES = SWITCHES.map(([name]) => name);
/** Names of the wires that can be connected and cut, and where they are written. @type {Record<string, [string, number, number]>} */
const LABELS = {
  feeding: ["input feeding", 322, 84],
  early: ["early", 307, 112],
  late: ["late", 290, 173],
  maxout: ["last word", 41, 150],
};
const STYLE = `
.wiring .figure { max-width: 440px; margin: 0 auto; }
.wiring rect { fill: var(--paper); stroke-width: 1.5; }
.wiring .reached rect { fill: color-mix(in srgb, var(--weight) 24%, var(--paper)); stroke-width: 2.5; }
.wiring .wire path { fill: none; stroke-width: 1.5; }
.wiring .wire.reached path { stroke-width: 3.5; }
.wiring .wire.off path { opacity: 0.55; stroke-dasharray: 4 4; }
.wiring .wire path.grip { stroke: transparent; stroke-width: 22; opacity: 1; }
.wiring .choice, .wiring .box.start { cursor: pointer; }
.wiring .choice:hover path:not(.grip), .wiring .box.start:hover rect { stroke-width: 4; opacity: 1; }
.wiring .figure svg text { text-anchor: middle; }
.wiring .figure svg .symbol { font-style: italic; font-size: calc(1.15 * var(--label)); }
.wiring .figure svg .choice text { text-anchor: start; fill: var(--weight); text-decoration: underline; font-size: calc(0.92 * var(--label)); }
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

/** The setting that a switch has besides this one. @param {string} name @param {string} value */
export function other(name, value) {
  const [, , options] = SWITCHES.find(([own]) => own === name) ?? SWITCHES[0];
  return options.map(([option]) => option).find((option) => option !== value) ?? value;
}

/** @param {Wire} wire */
function drawnWire([start, end, color, corners, when]) {
  const [[x0, y0], [x, y]] = corners.slice(-2);
  const far = Math.hypot(x - x0, y - y0);
  const [u, v] = [(9 * (x - x0)) / far, (9 * (y - y0)) / far];
  const head = `M${x} ${y}L${x - u - v / 2} ${y - v + u / 2}L${x - u + v / 2} ${y - v - u / 2}Z`;
  const d = `M${corners.map((corner) => corner.join(" ")).join("L")}`;
  const [name, left, top] = LABELS[when.feeding ? "feeding" : (when.asks ?? when.readout)] ?? [];
  return svg(
    "g",
    { "data-from": start, "data-to": end },
    svg("path", { d, style: `stroke: var(--${color})` }),
    svg("path", { d: head, style: `fill: var(--${color}); stroke: none` }),
    ...(name ? [svg("path", { class: "grip", d }), svg("text", { x: left, y: top, text: name })] : []),
  );
}

/** @param {string} name @param {Box} box */
function drawnBox(name, [x, y, symbol, low, color, word]) {
  const text = svg("text", { class: "symbol", x: x + WIDTH / 2, y: y + 19, text: symbol });
  text.append(svg("tspan", { dy: "0.3em", style: "font-size: 0.8em", text: low }));
  const frame = svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 5, style: `stroke: var(--${color})` });
  const said = svg("text", { x: x + WIDTH / 2, y: y + HEIGHT - 7, text: word });
  return svg("g", { "data-name": name }, frame, text, said);
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
  const followed = {
    word: "The last word",
    before: "The last state",
    fed: "The last read-out, and with it the last attention,",
  }[trace];
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
    tip: "press the dashed wire “early”. What does the last word reach now? Then press a box in the top row to follow it instead.",
    style: STYLE,
    names: NAMES,
  });
  const picture = view.picture(440, 330, { wide: 440 });
  const lines = wires.map((wire) => {
    const node = drawnWire(wire);
    const [setting] = Object.entries(wire[4]);
    if (setting)
      node.addEventListener("click", () => {
        const [name, value] = setting;
        view.change({ [name]: model.get(name) === value ? other(name, value) : value });
      });
    return node;
  });
  const drawn = Object.entries(boxes).map(([name, box]) => drawnBox(name, box));
  const starts = SWITCHES.flatMap(([name, , options]) => (name === "trace" ? options.map(([value]) => value) : []));
  for (const box of drawn) {
    const trace = box.dataset.name ?? "";
    if (starts.includes(trace)) box.addEventListener("click", () => view.change({ trace }));
  }
  picture.append(...lines, ...drawn);
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
    for (const [i, line] of lines.entries()) {
      const on = present.includes(wires[i]);
      const kind = !on ? "off" : reached.has(wires[i][0]) ? "reached" : "";
      set(line, { class: `wire ${kind} ${Object.keys(wires[i][4]).length ? "choice" : ""}` });
    }
    for (const box of drawn) {
      const name = box.dataset.name ?? "";
      set(box, { class: `box ${reached.has(name) ? "reached" : ""} ${starts.includes(name) ? "start" : ""}` });
    }
    for (const { name, show } of inputs) show(chosen[name]);
    view.say(summary(chosen, reached));
  });
}

export default { render };
