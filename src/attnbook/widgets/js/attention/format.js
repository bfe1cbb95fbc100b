// Formatting of tokens and numbers.
import { range } from "../shared/numbers.js";
import { FONT } from "../shared/style.js";

/** @param {string} token @param {number} [most] characters */
export function short(token, most = 24) {
  const characters = [...token.slice(0, 2 * most)];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : token;
}

/** A token with visible characters in place of whitespace. @param {string} token */
export const visible = (token) => (token.trim() === "" ? token.replace(/\s/g, "␣") || "∅" : token);

/** @param {string} token @param {number} [most] */
export const label = (token, most) => short(visible(token), most);

/** Whether a space precedes each token: `▁` and `Ġ` start a word; `##` and a preceding `@@` continue one. @param {string[]} tokens */
export function spaced(tokens) {
  const marked = tokens.some((token) => /^[▁Ġ]/.test(token));
  const begins = marked ? /^[▁Ġ<[]/ : /^(?!##)/;
  return tokens.map((token, i) => i > 0 && begins.test(token) && !tokens[i - 1].endsWith("@@"));
}

/** A token without these markers, unless nothing would be left. @param {string} token */
export const unmarked = (token) => token.replace(/^([▁Ġ]|##)|@@$/g, "") || token;

/** @param {number} value */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(1);
  if (size >= 1000) return String(Math.round(value));
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

/** @param {number} weight */
export const weightText = (weight) => (weight > 0 && weight < 0.005 ? "<0.01" : weight.toFixed(2));

/** @param {number} value @param {string} size formatted absolute value */
export const withSign = (value, size) => (Number(size) === 0 ? size : `${value < 0 ? "−" : "+"}${size}`);

/** A formatter for the weights of a panel. @param {import("./state.js").Panel} panel @returns {(value: number) => string} */
export const formatter = ({ of }) => (of ? (value) => withSign(value, Math.abs(value).toFixed(2)) : weightText);

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Whether training came to its end; it may also have stopped before. @param {import("./frames.js").Progress} progress */
export const finished = ({ step, total, done }) => Boolean(done && !(step && total && step < total));

/** Progress of training as text. @param {import("./frames.js").Progress} progress @param {boolean} running */
export function progressText(progress, running) {
  const { step, total, seconds, seconds_left: left } = progress;
  const parts = [];
  if (step && finished(progress)) parts.push(`${step} steps in ${duration(seconds ?? 0)}`);
  else if (step) parts.push(`${running ? "" : "stopped at "}step ${step}${total ? ` of ${total}` : ""}`);
  if (running && left != null) parts.push(`${duration(left)} left`);
  return parts.join(" · ");
}

/** @type {CanvasRenderingContext2D | null | undefined} */
let ruler;

/** Width of a text in pixels. @param {string} text @param {number} size font size */
export function textWidth(text, size) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * size;
  ruler.font = `${size}px ${FONT}`;
  return ruler.measureText(text).width;
}

/** Width of the widest token in pixels. @param {string[]} tokens @param {number} size */
export const widest = (tokens, size) => Math.max(...tokens.map((token) => textWidth(label(token), size)));

/** About `count` round numbers between `low` and `high`. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return range(Math.max(0, last - first + 1)).map((i) => +((first + i) * step).toPrecision(12));
}
