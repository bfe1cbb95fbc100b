// Training settings as plain data, and their serialization in the URL.
import { TASKS } from "./tasks.js";

/** @typedef {import("./trainer.js").Settings} Settings */

export const HEADS = [1, 2, 4];
export const LAYERS = [1, 2];
export const RATES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];
const SEEDS = 1000;

/** The settings that differ from the initial ones, for the URL. @type {(settings: Settings, first: Settings) => Record<string, string>} */
export const toText = (settings, first) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      value === first[/** @type {keyof Settings} */ (key)] ? [] : [[key, String(value)]],
    ),
  );

/** Parses settings, with defaults for invalid values; null without text. @type {(text: Record<string, string> | null, first: Settings) => Settings | null} */
export function fromText(text, first) {
  if (!text) return null;
  /** @type {<Value>(values: Value[], written: string, other: Value) => Value} */
  const oneOf = (values, written, other) => values.find((value) => String(value) === written) ?? other;
  return {
    task: oneOf(Object.keys(TASKS), text.task, first.task),
    heads: oneOf(HEADS, text.heads, first.heads),
    layers: oneOf(LAYERS, text.layers, first.layers),
    positions: oneOf([true, false], text.positions, first.positions),
    attention: oneOf([true, false], text.attention, first.attention),
    rate: oneOf(RATES, text.rate, first.rate),
    seed: /^\d{1,3}$/.test(text.seed) ? Number(text.seed) : first.seed,
  };
}

/** @param {number} seed */
export const nextSeed = (seed) => (seed + 1) % SEEDS;
