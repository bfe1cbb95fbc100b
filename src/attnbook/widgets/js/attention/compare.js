// What stands beside what is chosen, and the difference of the two.
import { range } from "../shared/numbers.js";
import { short } from "./text.js";

/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {"" | "step" | "head" | "sentence" | "kind"} Compare */
/** A value and its text. @typedef {[string, string]} Option */

/** What a comparison offers: heads, sentences with as many tokens, kinds between the same tokens. @type {Record<string, (plan: Plan, state: { kind: number, sentence: number }) => Option[]>} */
const OFFERS = {
  head(plan, { kind }) {
    const { heads, layers } = plan.kinds[kind];
    const name = (/** @type {number} */ l, /** @type {number} */ h) =>
      layers.length > 1 ? `layer ${l + 1}, head ${h + 1}` : `head ${h + 1}`;
    const each = layers.flatMap((_, l) => range(heads).map((h) => /** @type {Option} */ ([`${l} ${h}`, name(l, h)])));
    return each.length > 1 ? each : [];
  },
  sentence(plan, { kind, sentence }) {
    const sizes = (/** @type {number} */ s) => `${plan.rows(kind, s).length} ${plan.columns(kind, s).length}`;
    return plan.sentences.flatMap(({ label }, s) =>
      s !== sentence && sizes(s) === sizes(sentence) ? [/** @type {Option} */ ([String(s), short(label, 60)])] : [],
    );
  },
  kind(plan, { kind }) {
    const { query, key } = plan.kinds[kind];
    return plan.kinds.flatMap((other, k) =>
      k !== kind && other.query === query && other.key === key
        ? [/** @type {Option} */ ([String(k), other.label])]
        : [],
    );
  },
};

/** @param {Plan} plan @param {{ kind: number, sentence: number, compare: Compare }} state */
export const offered = (plan, state) => OFFERS[state.compare]?.(plan, state) ?? [];

/** With what there is something to compare. @param {Plan} plan @param {State} state @param {boolean} steps there are several */
export function comparable(plan, state, steps) {
  /** @type {[Compare, string][]} */
  const names = [
    ["head", "another head"],
    ["sentence", "another sentence"],
    ["kind", "another attention"],
  ];
  const found = names.filter(([compare]) => offered(plan, { ...state, compare }).length);
  return /** @type {[Compare, string][]} */ ([["", "nothing"], ...(steps ? [["step", "another step"]] : []), ...found]);
}

/** The state with a comparison that there is. @template {State} S @param {Plan} plan @param {S} state @returns {S} */
export function sound(plan, state) {
  if (state.compare === "" || state.compare === "step") return state.other === "" ? state : { ...state, other: "" };
  const values = offered(plan, state).map(([value]) => value);
  if (!values.length) return { ...state, compare: "", other: "" };
  return values.includes(state.other) ? state : { ...state, other: values[0] };
}

/** In what the other panel differs; null where there is none. @param {Plan} plan @param {State} state @param {() => number} at the other frame @returns {Partial<State> | null} */
export function otherOf(plan, state, at) {
  if (state.compare === "step") return { at: at() };
  if (state.compare === "sentence") return { sentence: Number(state.other) };
  if (state.compare === "kind") return { kind: Number(state.other), ...plan.within(Number(state.other), state) };
  if (state.compare !== "head") return null;
  const [layer, head] = state.other.split(" ").map(Number);
  return { layer, head };
}

/**
 * One panel less another of the same shape.
 *
 * @param {Panel[]} panels @param {string[][]} words that name each of them, in the same order
 * @param {(a: Float32Array, b: Float32Array) => Float32Array} minus
 * @returns {Panel}
 */
export function differ([own, other], [here, there], minus) {
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
