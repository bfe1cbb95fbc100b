// Greedy search, equivalent to attnbook.translation.search.greedy, and the score of a given target.

import { argmax, logSoftmax } from "../shared/linear_algebra.js";
import { NONE } from "./intervention.js";
import { BOS, EOS } from "./vocabulary.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./intervention.js").Intervention} Intervention */

/**
 * One decoded token: its id, the log-probabilities of all ids at its position, and the attention weights.
 * @typedef {{id: number, logP: Float32Array, attention: import("./recurrent.js").Attention}} Written
 */

/**
 * Yields the most probable token at each step, up to <eos>, after a given prefix; a generator, so that the caller can
 * stop.
 * @param {Model} model @param {number[]} source
 * @param {{begin?: number[], maxLength?: number, intervention?: Intervention}} [options]
 * @returns {Generator<Written>}
 */
export function* write(model, source, { begin = [], maxLength = 100, intervention = NONE } = {}) {
  let { state } = model.encode(source, intervention);
  let last = BOS;
  for (let step = 0; step < Math.min(maxLength, model.maxLength) && last !== EOS; step++) {
    const next = model.decode(last, state, intervention);
    last = begin[step] ?? argmax(next.logits);
    state = next.state;
    yield { id: last, logP: logSoftmax(next.logits), attention: next.attention };
  }
}

/**
 * The log-probability in nats of a whole target including <eos>.
 * @param {Model} model @param {number[]} source @param {number[]} target with <eos> @param {Intervention} [intervention]
 */
export function score(model, source, target, intervention = NONE) {
  let total = 0;
  for (const { id, logP } of write(model, source, { begin: target, maxLength: target.length, intervention }))
    total += logP[id];
  return total;
}
