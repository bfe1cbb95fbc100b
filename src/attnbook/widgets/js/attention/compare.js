// Comparing the selected attention matrix with another one, side by side or as a difference.
import { range } from "../shared/numbers.js";
import { short } from "./format.js";

/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {"" | "step" | "head" | "sentence" | "kind"} Compare */
/** A value and its label. @typedef {[string, string]} Option */

/** Options by comparison: heads, sentences with the same number of tokens, attention kinds between the same tokens. @type {Record<string, (frameLayout: FrameLayout, state: { kind: number, sentence: number }) => Option[]>} */
const OFFERS = {
  head(frameLayout, { kind }) {
    const { heads, layers } = frameLayout.kinds[kind];
    const name = (/** @type {number} */ l, /** @type {number} */ h) =>
      layers.length > 1 ? `layer ${l + 1}, head ${h + 1}` : `head ${h + 1}`;
    const each = layers.flatMap((_, l) => range(heads).map((h) => /** @type {Option} */ ([`${l} ${h}`, name(l, h)])));
    return each.length > 1 ? each : [];
  },
  sentence(frameLayout, { kind, sentence }) {
    const sizes = (/** @type {number} */ s) =>
      `${frameLayout.rows(kind, s).length} ${frameLayout.columns(kind, s).length}`;
    return frameLayout.sentences.flatMap(({ label }, s) =>
      s !== sentence && sizes(s) === sizes(sentence) ? [/** @type {Option} */ ([String(s), short(label, 60)])] : [],
    );
  },
  kind(frameLayout, { kind }) {
    const { query, key } = frameLayout.kinds[kind];
    return frameLayout.kinds.flatMap((other, k) =>
      k !== kind && other.query === query && other.key === key
        ? [/** @type {Option} */ ([String(k), other.label])]
        : [],
    );
  },
};

/** @param {FrameLayout} frameLayout @param {{ kind: number, sentence: number, compare: Compare }} state */
export const comparisonOptions = (frameLayout, state) => OFFERS[state.compare]?.(frameLayout, state) ?? [];

/** The comparisons that have something to compare with. @param {FrameLayout} frameLayout @param {State} state @param {boolean} steps whether there are several */
export function comparisonKinds(frameLayout, state, steps) {
  /** @type {[Compare, string][]} */
  const names = [
    ["head", "another head"],
    ["sentence", "another sentence"],
    ["kind", "another attention"],
  ];
  const found = names.filter(([compare]) => comparisonOptions(frameLayout, { ...state, compare }).length);
  return /** @type {[Compare, string][]} */ ([["", "nothing"], ...(steps ? [["step", "another step"]] : []), ...found]);
}

/** The state with a valid comparison. @template {State} S @param {FrameLayout} frameLayout @param {S} state @returns {S} */
export function validComparison(frameLayout, state) {
  if (state.compare === "" || state.compare === "step") return state.other === "" ? state : { ...state, other: "" };
  const values = comparisonOptions(frameLayout, state).map(([value]) => value);
  if (!values.length) return { ...state, compare: "", other: "" };
  return values.includes(state.other) ? state : { ...state, other: values[0] };
}

/** How the state of the second panel differs, or null without a comparison. @param {FrameLayout} frameLayout @param {State} state @param {() => number} at returns the index of the other frame @returns {Partial<State> | null} */
export function comparedState(frameLayout, state, at) {
  if (state.compare === "step") return { at: at() };
  if (state.compare === "sentence") return { sentence: Number(state.other) };
  if (state.compare === "kind") return { kind: Number(state.other), ...frameLayout.within(Number(state.other), state) };
  if (state.compare !== "head") return null;
  const [layer, head] = state.other.split(" ").map(Number);
  return { layer, head };
}

/**
 * The difference of two panels of the same shape.
 *
 * @param {Panel[]} panels @param {string[][]} their names, word by word
 * @param {(a: Float32Array, b: Float32Array) => Float32Array} minus
 * @returns {Panel}
 */
export function differencePanel([own, other], [here, there], minus) {
  const tokens = (/** @type {string[]} */ a, /** @type {string[]} */ b) =>
    a.map((token, i) => (token === b[i] ? token : `${token} − ${b[i]}`));
  const apart = here.map((word, i) => word !== there[i]);
  const names = [here, there].map((words) => words.filter((word, i) => word && apart[i]).join(", ") || "the same");
  const caption = here.map((word, i) => (apart[i] ? [word, there[i]].filter(Boolean).join(" − ") : word));
  return {
    rows: tokens(own.rows, other.rows),
    columns: tokens(own.columns, other.columns),
    get weights() {
      return minus(own.weights, other.weights);
    },
    gold: own.gold,
    caption: caption.filter(Boolean).join(" · "),
    of: { own, other, names: [names[0], names[1]] },
  };
}
