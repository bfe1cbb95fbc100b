// Serializes view state for the URL fragment; unknown and invalid values are ignored when reading.
import { validComparison } from "./compare.js";

/** @typedef {import("./frame_layout.js").FrameLayout} FrameLayout */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("../shared/url_fragment.js").Values} Values */
/** State from a URL: the step instead of the frame index. @typedef {Partial<State> & { step?: number }} Sent */

const whole = (/** @type {string} */ text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
const share = (/** @type {string} */ text) => (/^0(\.\d{1,6})?$/.test(text) ? Number(text) : undefined);
const flag = (/** @type {string} */ text) => (text === "true" || text === "false" ? text === "true" : undefined);
/** @type {(...values: string[]) => (text: string) => string | undefined} */
const oneOf =
  (...values) =>
  (text) =>
    values.includes(text) ? text : undefined;
const token = (/** @type {string} */ text) => {
  const [, axis, index] = /^(row|column) (\d{1,5})$/.exec(text) ?? [];
  return axis ? { axis, index: Number(index) } : undefined;
};

/** Parsers of each state field; undefined for invalid text. @type {Record<string, (text: string) => unknown>} */
const READ = {
  step: whole,
  kind: whole,
  sentence: whole,
  layer: whole,
  head: (text) => (text === "mean" || text === "max" ? text : whole(text)),
  view: oneOf("map", "lines", "text", "heads", "table"),
  pin: token,
  compare: oneOf("step", "head", "sentence", "kind"),
  other: (text) => (/^\d{1,5}( \d{1,5})?$/.test(text) ? text : undefined),
  otherStep: whole,
  difference: flag,
  hide: oneOf("blank", "share"),
  least: share,
  order: oneOf("entropy", "error", "diagonality", "distance"),
  curve: (text) => text.slice(0, 100),
  stretch: flag,
  gold: flag,
};

/** The fields of a state that differ from the initial state. @param {State} state @param {State} first @param {number} step @returns {Values} */
export function toText(state, first, step) {
  const text = (/** @type {any} */ value) => (value?.axis ? `${value.axis} ${value.index}` : String(value));
  const changed = Object.keys(READ).flatMap((key) => {
    const [now, then] = [state, first].map((each) => text(each[/** @type {keyof State} */ (key)]));
    return now === then ? [] : [[key, now]];
  });
  return Object.fromEntries([["step", String(step)], ...changed]);
}

/** @param {Values | null} text @param {FrameLayout} frameLayout @param {State} first @returns {Sent} the valid fields */
export function fromText(text, frameLayout, first) {
  /** @type {any} */
  const found = {};
  for (const [key, read] of Object.entries(READ))
    if (text && Object.hasOwn(text, key) && read(text[key]) !== undefined) found[key] = read(text[key]);
  if (!(found.kind < frameLayout.kinds.length)) delete found.kind;
  if (!(found.sentence < frameLayout.sentences.length)) delete found.sentence;
  const state = { ...first, ...found };
  const { kind, sentence } = state;
  const tokens = state.pin?.axis === "row" ? frameLayout.rows(kind, sentence) : frameLayout.columns(kind, sentence);
  if (state.pin && state.pin.index >= tokens.length) delete found.pin;
  if (state.order === "error" && !frameLayout.header.measured_gold[kind]) delete found.order;
  if (state.view === "heads" && frameLayout.kinds[kind].heads * frameLayout.kinds[kind].layers.length < 2)
    delete found.view;
  const { compare, other } = validComparison(frameLayout, state);
  return Object.keys(found).length ? { ...found, ...frameLayout.within(kind, state), compare, other } : {};
}
