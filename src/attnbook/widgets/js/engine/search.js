// Greedy and beam search, equivalent to attnbook.translation.search.

import { argmax, logSoftmax, topIndices } from "../shared/linear_algebra.js";
import { NONE } from "./intervention.js";
import { BOS, EOS } from "./vocabulary.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./intervention.js").Intervention} Intervention */

/** Target ids without <bos> and <eos>, and the log-probability in nats, including <eos> if finished. @typedef {{ids: number[], score: number, finished: boolean}} Hypothesis */

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

/** @type {(model: Model, source: number[], options?: {maxLength?: number, intervention?: Intervention}) => Hypothesis} */
export function greedy(model, source, options) {
  const written = [...write(model, source, options)];
  const finished = written[written.length - 1].id === EOS;
  const ids = written.map(({ id }) => id).slice(0, finished ? -1 : undefined);
  return { ids, score: written.reduce((total, { id, logP }) => total + logP[id], 0), finished };
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

/**
 * Beam search. A finished hypothesis leaves the beam, which is narrower from then on.
 * @param {Model} model @param {number[]} source
 * @param {{beamSize?: number, lengthPenalty?: number, maxLength?: number, intervention?: Intervention}} [options]
 * @returns {Hypothesis}
 */
export function beamSearch(
  model,
  source,
  { beamSize = 4, lengthPenalty = 0.6, maxLength = 100, intervention = NONE } = {},
) {
  const longest = Math.min(maxLength, model.maxLength);
  /** @type {(score: number, length: number) => number} */
  const worth = (score, length) => score / ((5 + length) / 6) ** lengthPenalty;
  const worthOf = (/** @type {Hypothesis} */ h) => worth(h.score, h.ids.length + Number(h.finished));
  /** @type {Hypothesis[]} */
  const ended = [];
  let beam = [{ ids: /** @type {number[]} */ ([]), score: 0, state: model.encode(source, intervention).state }];
  for (let step = 0; step < longest && beam.length; step++) {
    const ahead = beam.map(({ ids, state }) => model.decode(ids[ids.length - 1] ?? BOS, state, intervention));
    const size = ahead[0].logits.length;
    const scores = new Float32Array(beam.length * size);
    for (const [i, { logits }] of ahead.entries())
      scores.set(
        logSoftmax(logits).map((value) => beam[i].score + value),
        i * size,
      );
    const live = [];
    for (const place of topIndices(scores, beamSize - ended.length)) {
      const [parent, token] = [Math.floor(place / size), place % size];
      const { ids } = beam[parent];
      if (token === EOS) ended.push({ ids, score: scores[place], finished: true });
      else live.push({ ids: [...ids, token], score: scores[place], state: ahead[parent].state });
    }
    // Scores only decrease, and the penalty is largest at the maximum length, so this bounds all live hypotheses.
    const best = Math.max(...ended.map(worthOf));
    if (live.length && ended.length && !(worth(live[0].score, longest) > best)) return bestOf(ended, worthOf);
    beam = live;
  }
  const cut = beam.map(({ ids, score }) => ({ ids, score, finished: false }));
  return bestOf(ended.length ? ended : cut, worthOf);
}

/** The best hypothesis, the first of equal ones. @type {(found: Hypothesis[], worth: (h: Hypothesis) => number) => Hypothesis} */
const bestOf = (found, worth) => found.reduce((best, other) => (worth(other) > worth(best) ? other : best));
