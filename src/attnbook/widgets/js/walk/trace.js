// Runs a Transformer on one sentence and keeps every intermediate array.

import { Intervention } from "../engine/intervention.js";
import { BOS, EOS } from "../engine/vocabulary.js";
import { argmax, row } from "../shared/linear_algebra.js";

/** @typedef {import("../engine/model.js").Model} Model */
/** The rows of each array by its name; rows of decoder arrays are in the order of the target. @typedef {Map<string, Float32Array[]>} Arrays */

/**
 * @typedef {object} Trace
 * @property {number[]} source ids
 * @property {number[]} read target ids that the decoder reads: <bos> first
 * @property {number[]} written target ids that it writes at the same positions
 * @property {Arrays} arrays
 */

/**
 * A greedy translation with all of its arrays. Yields after the encoder and after every target token, so that the
 * caller can pause or stop.
 *
 * @param {Model} model @param {number[]} source
 * @param {{off?: string[], maxLength?: number}} [options] `off`: parts that are switched off
 * @returns {Generator<void, Trace>}
 */
export function* trace(model, source, { off = [], maxLength = 30 } = {}) {
  /** @type {Arrays} */
  const arrays = new Map();
  const intervention = new Intervention({ off }, (name, values) => {
    const rows = arrays.get(name) ?? [];
    for (let i = 0; i < values.rows; i++) rows.push(row(values, i));
    arrays.set(name, rows);
  });
  let { state } = model.encode(source, intervention);
  yield;
  const [read, written] = [[BOS], /** @type {number[]} */ ([])];
  while (written.length < Math.min(maxLength, model.maxLength)) {
    const next = model.decode(read[read.length - 1], state, intervention);
    state = next.state;
    const id = argmax(next.logits);
    written.push(id);
    yield;
    if (id === EOS) break;
    read.push(id);
  }
  return { source, read: read.slice(0, written.length), written, arrays };
}
