// Bahdanau's decoder: attend with the previous state, then update it; the readout uses the new state or a maxout.

import { concatColumns, matrix } from "../shared/linear_algebra.js";
import { linearLayer } from "./layers.js";
import { decoderStack } from "./recurrent.js";
import { scoredAttention } from "./scoring.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./recurrent.js").RecurrentOptions & {readout: "state" | "maxout"}} BahdanauOptions */

/** @type {(weights: import("./layers.js").Weights, options: BahdanauOptions) => import("./recurrent.js").Decoder} */
export function bahdanauDecoder(weights, { num_layers, readout }) {
  const crossAttention = scoredAttention(weights, "decoder.cross_attention", "concat", false);
  const advance = decoderStack(weights, num_layers);
  const pairs = readout === "maxout" ? linearLayer(weights, "decoder.maxout") : null;
  return {
    start: (state) => ({ ...state, key: crossAttention.projectKey(state.memory) }),
    step(word, state, intervention) {
      const query = state.hidden[num_layers - 1];
      const looked = crossAttention.attend(query, state.key, state.memory, state.position, intervention);
      const hidden = advance(concatColumns(looked.context, word), state.hidden);
      const features = pairs ? maxout(pairs(concatColumns(query, word, looked.context))) : hidden[num_layers - 1];
      return { features, state: { ...state, hidden }, attention: { [crossAttention.name]: [looked.weights] } };
    },
  };
}

/** The maximum of each pair. @type {(x: Matrix) => Matrix} */
const maxout = (x) =>
  matrix(
    1,
    x.cols / 2,
    Float32Array.from({ length: x.cols / 2 }, (_, k) => Math.max(x.data[2 * k], x.data[2 * k + 1])),
  );
