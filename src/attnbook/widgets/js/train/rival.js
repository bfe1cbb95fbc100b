// The second net of a comparison: the same seed, one setting changed.
import { clamp } from "../shared/numbers.js";
import { RATES } from "./settings.js";

/** @typedef {import("./trainer.js").Settings} Settings */

/** @type {Record<string, {label: string, change: (settings: Settings) => Partial<Settings>}>} */
export const RIVALS = {
  none: { label: "nothing", change: () => ({}) },
  attention: { label: "no attention", change: () => ({ attention: false }) },
  positions: { label: "no positions", change: () => ({ positions: false }) },
  rate: { label: "a third of the rate", change: ({ rate }) => ({ rate: neighbor(rate, -1) }) },
  faster: { label: "three times the rate", change: ({ rate }) => ({ rate: neighbor(rate, 1) }) },
};

/** The next rate of the list. @param {number} rate @param {number} step */
const neighbor = (rate, step) => RATES[clamp(RATES.indexOf(rate) + step, 0, RATES.length - 1)];

/** Settings of the second net; null if there is none. @type {(settings: Settings, name: string) => Settings | null} */
export const rivalOf = (settings, name) =>
  name === "none" ? null : { ...settings, ...(RIVALS[name] ?? RIVALS.none).change(settings) };
