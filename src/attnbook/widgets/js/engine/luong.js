// Luong's decoder: update the state, then attend with it; three scores, three windows, input feeding.

import { concatColumns, matrix, sigmoid, tanh } from "../shared/linear_algebra.js";
import { linearLayer } from "./layers.js";
import { decoderStack } from "./recurrent.js";
import { scoredAttention } from "./scoring.js";

/** @typedef {import("../shared/linear_algebra.js").Matrix} Matrix */
/** @typedef {import("./scoring.js").Window} Window */
/**
 * @typedef {import("./recurrent.js").RecurrentOptions & {score: "dot" | "general" | "concat", scaled: boolean,
 *   window: "global" | "local-m" | "local-p", half_width: number, input_feeding: boolean}} LuongOptions
 */

/** @type {(weights: import("./layers.js").Weights, options: LuongOptions) => import("./recurrent.js").Decoder} */
export function luongDecoder(weights, { num_layers, num_hiddens, score, scaled, window, half_width, input_feeding }) {
  const crossAttention = scoredAttention(weights, "decoder.cross_attention", score, scaled);
  const advance = decoderStack(weights, num_layers);
  const combine = linearLayer(weights, "decoder.W_c");
  const center = window === "local-p" ? predictedCenter(weights) : null;

  /** @type {(query: Matrix, state: import("./recurrent.js").RecurrentState) => Window} */
  const windowAt = (query, state) => {
    if (window === "global") return {};
    const place = center ? center(query, state.memory.rows) : state.position;
    return {
      allowed: (key) => Math.abs(key - place) <= half_width,
      scale: center ? (key) => Math.exp(-2 * ((key - place) / half_width) ** 2) : undefined,
    };
  };

  return {
    start: (state) => ({
      ...state,
      key: crossAttention.projectKey(state.memory),
      fed: matrix(1, input_feeding ? num_hiddens : 0),
    }),
    step(word, state, intervention) {
      const hidden = advance(concatColumns(word, state.fed), state.hidden);
      const query = hidden[num_layers - 1];
      const { context, weights: seen } = crossAttention.attend(
        query,
        state.key,
        state.memory,
        state.position,
        intervention,
        windowAt(query, state),
      );
      const features = tanh(combine(concatColumns(context, query)));
      const fed = input_feeding ? features : state.fed;
      return { features, state: { ...state, hidden, fed }, attention: { [crossAttention.name]: [seen] } };
    },
  };
}

/** p_t = S sigmoid(v_p . tanh(W_p s_t)) @type {(weights: import("./layers.js").Weights) => (query: Matrix, length: number) => number} */
function predictedCenter(weights) {
  const [inner, outer] = ["W_p", "v_p"].map((part) => linearLayer(weights, `decoder.center.${part}`));
  return (query, length) => length * sigmoid(outer(tanh(inner(query))).data[0]);
}
