// What a reader has chosen, as plain data, so that it can be put into an address and sent to somebody.
import { TASKS } from "./tasks.js";

/** @typedef {import("./trainer.js").Settings} Settings */

export const HEADS = [1, 2, 4];
export const LAYERS = [1, 2];
export const RATES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];
const SEEDS = 1000;

/** @type {(name: string, settings: Settings) => string} */
export const toAddress = (name, settings) => `#${name}=${encodeURIComponent(JSON.stringify(settings))}`;

/** Settings in an address, as far as they are some; null where there are none. @type {(name: string, hash: string, first: Settings) => Settings | null} */
export function fromAddress(name, hash, first) {
  if (!hash.startsWith(`#${name}=`)) return null;
  try {
    const found = JSON.parse(decodeURIComponent(hash.slice(name.length + 2)));
    /** @type {<Value>(values: Value[], value: any, other: Value) => Value} */
    const oneOf = (values, value, other) => (values.includes(value) ? value : other);
    return {
      task: oneOf(Object.keys(TASKS), found.task, first.task),
      heads: oneOf(HEADS, found.heads, first.heads),
      layers: oneOf(LAYERS, found.layers, first.layers),
      positions: oneOf([true, false], found.positions, first.positions),
      attention: oneOf([true, false], found.attention, first.attention),
      rate: oneOf(RATES, found.rate, first.rate),
      seed: Number.isInteger(found.seed) && found.seed > 0 ? found.seed % SEEDS : first.seed,
    };
  } catch {
    return null;
  }
}

/** @param {number} seed */
export const nextSeed = (seed) => (seed + 1) % SEEDS;
