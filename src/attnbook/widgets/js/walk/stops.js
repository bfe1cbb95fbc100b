// The stops of the walk: every array of every layer, in the order in which they are computed.
import { range } from "../shared/numbers.js";
import { arraysOf, stackOf } from "./boxes.js";

/** @typedef {{box: string, layer: number, array: string}} Stop */

/** @param {import("./boxes.js").Config} config @returns {Stop[]} */
export function stopsOf(config) {
  const layers = range(config.num_layers);
  return /** @type {const} */ (["encoder", "decoder"]).flatMap((side) => {
    const stack = stackOf(side, config);
    const first = stack.findIndex(({ layered }) => layered);
    const last = stack.findLastIndex(({ layered }) => layered) + 1;
    const inLayer = (/** @type {import("./boxes.js").Box[]} */ boxes, /** @type {number} */ layer) =>
      boxes.flatMap((box) => arraysOf(box, config, layer).map(({ id }) => ({ box: box.id, layer, array: id })));
    return [
      ...inLayer(stack.slice(0, first), 0),
      ...layers.flatMap((layer) => inLayer(stack.slice(first, last), layer)),
      ...inLayer(stack.slice(last), layers.length - 1),
    ];
  });
}

/** Index of what is open; a box outside the layers is the same in each of them. @param {Stop[]} stops @param {Stop} open */
export function stopAt(stops, { box, layer, array }) {
  const own = stops.filter((stop) => stop.box === box);
  const inLayer = own.filter((stop) => stop.layer === layer);
  const here = inLayer.length ? inLayer : own;
  return stops.indexOf(here.find((stop) => stop.array === array) ?? here[0]);
}
