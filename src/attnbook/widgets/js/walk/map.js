// The map: the boxes of encoder and decoder, and the connections between them.
import { set, svg } from "../shared/dom.js";
import { stackOf } from "./boxes.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("./boxes.js").Side} Side */
/** @typedef {{box: Box, x: number, y: number}} Place of a box's upper left corner */

export const WIDTH = 300;
export const HEIGHT = 400;
const WIDE = 120; // of a box
const STEP = 39; // from one row to the next, less if there are many
const FOOT = 374; // lower edge of the lowest row
const GAP = 16; // above a stack's layers, for their name
const LEFT = { encoder: 16, decoder: 172 };

export const MAP_STYLE = `
.map .box { cursor: pointer; }
.map .box rect { fill: var(--fill); stroke: var(--line); stroke-width: 1.5; }
.map .box.mixing rect { fill: color-mix(in srgb, var(--weight) 14%, var(--paper)); stroke: var(--weight); }
.map .box.network rect { fill: color-mix(in srgb, var(--value) 14%, var(--paper)); stroke: var(--value); }
.map .box[aria-pressed=true] rect { stroke-width: 3.5; }
.map .box.off rect { fill: none; stroke-dasharray: 5 4; }
.map .box.off text { text-decoration: line-through; }
.map .box:hover rect { stroke: var(--ink); }
.map .box:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.map text { pointer-events: none; }
.map .layer { fill: none; stroke: var(--line); stroke-dasharray: 2 3; }
.map .way { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.map .residual { fill: none; stroke: var(--query); stroke-width: 1.8; }
.map .gone { opacity: 0.18; stroke-dasharray: 3 4; }
`;

/** @param {import("./boxes.js").Config} config */
function placesOf(config) {
  const stacks = { encoder: stackOf("encoder", config), decoder: stackOf("decoder", config) };
  const most = Math.max(stacks.encoder.length, stacks.decoder.length);
  const step = Math.min(STEP, (FOOT - GAP - 6) / most);
  const high = Math.min(27, step - 10);
  const sides = /** @type {const} */ (["encoder", "decoder"]);
  const places = sides.flatMap((side) => {
    const last = stacks[side].findLastIndex(({ layered }) => layered);
    return stacks[side].map((box, i) => ({ box, x: LEFT[side], y: FOOT - high - i * step - (i > last ? GAP : 0) }));
  });
  return { places, high };
}

/** The box that an arrow key leads to. @param {Place[]} places @param {Place} from @param {string} key */
function boxAfter(places, from, key) {
  const away = (/** @type {Place} */ place) => Math.abs(place.y - from.y);
  const nearest = (/** @type {Place[]} */ some) => some.sort((a, b) => away(a) - away(b))[0];
  const same = places.filter(({ box }) => box.side === from.box.side);
  if (key === "ArrowUp") return nearest(same.filter(({ y }) => y < from.y));
  if (key === "ArrowDown") return nearest(same.filter(({ y }) => y > from.y));
  if (key === "ArrowLeft")
    return from.box.side === "decoder" ? nearest(places.filter(({ box }) => box.side === "encoder")) : undefined;
  if (key === "ArrowRight")
    return from.box.side === "encoder" ? nearest(places.filter(({ box }) => box.side === "decoder")) : undefined;
  return undefined;
}

/**
 * Draws the map; returns functions that mark the open box and the parts that are off, and that focus a box.
 *
 * @param {SVGElement} picture @param {import("./boxes.js").Config} config @param {(id: string) => void} open
 */
export function drawMap(picture, config, open) {
  const { places, high } = placesOf(config);
  const ways = connections(places, high);
  picture.append(...ways.map(({ node }) => node));
  for (const side of /** @type {const} */ (["encoder", "decoder"]))
    picture.append(...frame(side, places, high, config.num_layers));
  const boxes = places.map((place) => ({ ...place, ...boxNode(place, high) }));
  picture.append(...boxes.map(({ node }) => node));
  const focus = (/** @type {string} */ id) => boxes.find(({ box }) => box.id === id)?.node.focus();
  for (const one of boxes) {
    one.node.addEventListener("click", () => open(one.box.id));
    one.node.addEventListener("keydown", (event) => {
      const next = boxAfter(places, one, event.key);
      if (next) focus(next.box.id);
      else if (event.key === "Enter" || event.key === " ") open(one.box.id);
      if (next || event.key === "Enter" || event.key === " " || event.key.startsWith("Arrow")) event.preventDefault();
    });
  }
  return {
    focus,
    /** @param {string} chosen @param {string[]} off */
    mark(chosen, off) {
      for (const { box, node, text } of boxes) {
        const left = box.parts.filter((part) => !off.includes(part));
        const only = box.parts.length === 2 && left.length === 1 ? (left[0] === "norm" ? "norm" : "add") : box.label;
        set(text, { text: only });
        set(node, { "aria-pressed": String(box.id === chosen), tabindex: box.id === chosen ? 0 : -1 });
        node.classList.toggle("off", box.parts.length > 0 && !left.length);
      }
      for (const { part, node } of ways) if (part) node.classList.toggle("gone", off.includes(part));
    },
  };
}

/** @param {Place} place @param {number} high */
function boxNode({ box, x, y }, high) {
  const kind = box.id.includes("attention") ? "mixing" : box.id.includes("forward") ? "network" : "plain";
  const text = svg("text", { x: x + WIDE / 2, y: y + high / 2 + 4.5, "text-anchor": "middle", text: box.label });
  const label = `${box.side}: ${box.label.replace("self-att.", "self-attention")}`;
  const node = svg("g", { class: `box ${kind}`, role: "button", "aria-label": label });
  node.append(svg("rect", { x, y, width: WIDE, height: high, rx: 6 }), text);
  return { node, text };
}

/** The frame around a stack's layers, its name, and the name of its input. @param {Side} side @param {Place[]} places @param {number} high @param {number} layers */
function frame(side, places, high, layers) {
  const own = places.filter(({ box }) => box.side === side);
  const layered = own.filter(({ box }) => box.layered);
  const [low, up] = [layered[0].y + high, layered[layered.length - 1].y].map((y, i) => y + (i ? -6 : 6));
  const [x, middle] = [LEFT[side] - 13, LEFT[side] + WIDE / 2];
  const input = side === "encoder" ? "source" : "target so far";
  return [
    svg("rect", { class: "layer", x, y: up, width: WIDE + 19, height: low - up, rx: 8 }),
    svg("text", { x, y: up - 5, text: side }),
    svg("text", { x: x + WIDE + 19, y: up - 5, "text-anchor": "end", text: layers > 1 ? `× ${layers}` : "" }),
    svg("text", { x: middle, y: FOOT + 18, "text-anchor": "middle", text: input }),
  ];
}

/** @param {Place[]} places @param {number} high */
function connections(places, high) {
  /** @type {{part: string | null, node: SVGElement}[]} */
  const ways = [];
  const line = (/** @type {string} */ d, /** @type {string | null} */ part = null, kind = "way") =>
    ways.push({ part, node: svg("path", { class: kind, d }) });
  for (const [i, { box, x, y }] of places.entries()) {
    const before = places[i - 1];
    if (before?.box.side !== box.side) continue;
    line(`M${x + WIDE / 2} ${before.y}V${y + high}`);
    if (!box.id.includes(".add")) continue;
    const start = places[i - (box.id.includes("add_norm") ? 1 : 2)]; // the first box of the sublayer
    const [from, to, middle] = [start.y + high + 5, y + high / 2, x + WIDE / 2];
    const curve = `M${middle} ${from}H${x - 3}Q${x - 8} ${from} ${x - 8} ${from - 5}V${to + 5}Q${x - 8} ${to} ${x - 3} ${to}H${x}`;
    line(curve, "residual", "residual");
  }
  const across = places.find(({ box }) => box.id === "decoder.cross_attention");
  const memory = places.filter(({ box }) => box.side === "encoder").pop();
  if (across && memory) {
    const [up, between] = [memory.y - 8, LEFT.encoder + WIDE + 10];
    line(
      `M${memory.x + WIDE / 2} ${memory.y}V${up}H${between}V${across.y + high / 2}H${across.x}`,
      "decoder.cross_attention",
    );
  }
  return ways;
}
