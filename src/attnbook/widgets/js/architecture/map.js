// The map: boxes of encoder and decoder, and the connections between them.
import { set, svg } from "../shared/dom.js";

export const WIDTH = 340;
export const HEIGHT = 416;
const BOX = { width: 136, height: 28 };
const STEP = 40; // from one row to the next
const BOTTOM = 364; // top of the lowest row
const LEFT = { encoder: 22, decoder: 190 };

/** Stacks from the bottom up: box id and label. */
const ENCODER = [
  ["embedding", "embedding"],
  ["positions", "+ positions"],
  ["encoder.self_attention", "self-attention"],
  ["add_norm", "add & norm"],
  ["encoder.feed_forward", "feed-forward"],
  ["add_norm", "add & norm"],
];
const DECODER = [
  ["embedding", "embedding"],
  ["positions", "+ positions"],
  ["decoder.self_attention", "masked self-att."],
  ["add_norm", "add & norm"],
  ["decoder.cross_attention", "cross-attention"],
  ["add_norm", "add & norm"],
  ["decoder.feed_forward", "feed-forward"],
  ["add_norm", "add & norm"],
  ["head", "linear, softmax"],
];

export const STYLE = `
.architecture .box { cursor: pointer; }
.architecture .box rect { fill: var(--fill); stroke: var(--line); stroke-width: 1.5; }
.architecture .box.mixing rect { fill: color-mix(in srgb, var(--weight) 14%, var(--paper)); stroke: var(--weight); }
.architecture .box.network rect { fill: color-mix(in srgb, var(--value) 14%, var(--paper)); stroke: var(--value); }
.architecture .box[aria-pressed=true] rect { stroke-width: 3.5; }
.architecture .box.off rect { fill: none; stroke-dasharray: 5 4; }
.architecture .box.off text { text-decoration: line-through; }
.architecture .box:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.architecture svg text { pointer-events: none; }
.architecture .layer { fill: none; stroke: var(--line); stroke-dasharray: 2 3; }
.architecture .way { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.architecture .residual { fill: none; stroke: var(--query); stroke-width: 1.8; }
.architecture .gone { opacity: 0.18; stroke-dasharray: 3 4; }
`;

/** The head is above the decoder's label. */
const top = (/** @type {number} */ row) => BOTTOM - row * STEP - (row === 8 ? 18 : 0);
const middle = (/** @type {"encoder" | "decoder"} */ side) => LEFT[side] + BOX.width / 2;

/** @typedef {{ way: string, node: SVGElement }} Way connection of a part */

/**
 * Draws the map; returns a function that marks the selected box and the disabled parts.
 *
 * @param {SVGElement} picture @param {number} layers @param {(box: string) => void} choose
 */
export function drawMap(picture, layers, choose) {
  /** @type {{ id: string, label: string, node: SVGElement, text: SVGElement }[]} */
  const boxes = [];
  /** @type {Way[]} */
  const ways = [];
  for (const [side, stack] of /** @type {const} */ ([
    ["encoder", ENCODER],
    ["decoder", DECODER],
  ])) {
    const last = side === "encoder" ? 5 : 7;
    picture.append(frame(side, last, layers));
    for (const [row, [id]] of stack.entries()) {
      if (row < stack.length - 1) ways.push({ way: stack[row + 1][0], node: upwards(side, row) });
      if (id === "add_norm") ways.push({ way: "residual", node: around(side, row) });
    }
    for (const [row, [id, label]] of stack.entries()) boxes.push(box(side, row, id, label, choose));
  }
  for (const [side, text] of /** @type {const} */ ([
    ["encoder", "source"],
    ["decoder", "target so far"],
  ]))
    picture.append(svg("text", { x: middle(side), y: BOTTOM + BOX.height + 17, "text-anchor": "middle", text }));
  ways.push({ way: "decoder.cross_attention", node: across() });
  picture.prepend(...ways.map(({ node }) => node));
  picture.append(...boxes.map(({ node }) => node));
  return (/** @type {string} */ chosen, /** @type {string[]} */ off) => {
    for (const { id, label, node, text } of boxes) {
      const [noSum, noNorm] = ["residual", "norm"].map((part) => off.includes(part));
      const left = noSum && noNorm ? "add & norm" : noSum ? "norm" : noNorm ? "add" : "add & norm";
      set(text, { text: id === "add_norm" ? left : label });
      set(node, { "aria-pressed": String(id === chosen) });
      node.classList.toggle("off", id === "add_norm" ? noSum && noNorm : off.includes(id));
    }
    for (const { way, node } of ways)
      if (way === "residual" || way === "decoder.cross_attention") node.classList.toggle("gone", off.includes(way));
  };
}

/** @param {"encoder" | "decoder"} side @param {number} last index of its top row @param {number} layers */
function frame(side, last, layers) {
  const y = top(last) - 8;
  const x = LEFT[side] - 16;
  const height = top(2) + BOX.height + 9 - y;
  return svg(
    "g",
    {},
    svg("rect", { class: "layer", x, y, width: BOX.width + 26, height, rx: 8 }),
    svg("text", { x, y: y - 6, text: side }),
    svg("text", { x: middle(side) + 8, y: y - 6, text: `× ${layers}` }),
  );
}

/** @param {"encoder" | "decoder"} side @param {number} row */
const upwards = (side, row) =>
  svg("path", { class: "way", d: `M${middle(side)} ${top(row)}V${top(row + 1) + BOX.height}` });

/** The residual around the sublayer below an add & norm. @param {"encoder" | "decoder"} side @param {number} row */
function around(side, row) {
  const from = top(row - 1) + BOX.height + 6;
  const to = top(row) + BOX.height / 2;
  const x = LEFT[side];
  return svg("path", {
    class: "residual",
    d: `M${middle(side)} ${from}H${x - 5}Q${x - 10} ${from} ${x - 10} ${from - 5}V${to + 5}Q${x - 10} ${to} ${x - 5} ${to}H${x}`,
  });
}

/** From the encoder's last row to the cross-attention. */
function across() {
  const from = top(5);
  const to = top(4) + BOX.height / 2;
  const between = LEFT.encoder + BOX.width + 16;
  const d = `M${middle("encoder")} ${from}V${from - 30}H${between}V${to}H${LEFT.decoder}`;
  return svg("path", { class: "way", d });
}

/** @param {"encoder" | "decoder"} side @param {number} row @param {string} id @param {string} label @param {(box: string) => void} choose */
function box(side, row, id, label, choose) {
  const [x, y] = [LEFT[side], top(row)];
  const kind = id.includes("attention") ? "mixing" : id.includes("forward") ? "network" : "plain";
  const text = svg("text", { x: x + BOX.width / 2, y: y + 19, "text-anchor": "middle", text: label });
  const node = svg(
    "g",
    { class: `box ${kind}`, role: "button", tabindex: 0 },
    svg("rect", { x, y, ...BOX, rx: 6 }),
    text,
  );
  node.addEventListener("click", () => choose(id));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(id);
  });
  return { id, label, node, text };
}
