// How one number of an array came to be: the formula with its numbers, and the rows that it is made of.
import { LAYER_NORM_EPSILON, moments, row } from "../shared/linear_algebra.js";
import { sum } from "../shared/numbers.js";
import { bestWords, headColumns, probability, rowsOf, scoreAt } from "./values.js";

/** @typedef {import("./values.js").Scene} Scene */
/** @typedef {import("./boxes.js").ArraySpec} ArraySpec */
/** A row of numbers below an array; `mark` is the index of the number in question. @typedef {{label: string, values: ArrayLike<number>, role: string, mark?: number}} Strip */
/** @typedef {{formula: string, strips: Strip[]}} Explanation */

const TERMS = 2; // of a sum that are written out
const LARGE = 50; // a score above it is subtracted from all, so that exp stays readable

/** @param {number} value */
export function number(value) {
  const size = Math.abs(value);
  const text = size >= 1000 || (size > 0 && size < 0.0005) ? size.toPrecision(2) : size.toFixed(size >= 100 ? 1 : 3);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
}

/** A number inside a sum or a product. @param {number} value */
const inner = (value) => (value < 0 ? `(${number(value)})` : number(value));

/** The largest products of a sum, and how many others there are. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function largestTerms(a, b) {
  const order = Array.from(a, (_, k) => k).sort((k, l) => Math.abs(a[l] * b[l]) - Math.abs(a[k] * b[k]));
  const shown = order.slice(0, TERMS).map((k) => `${inner(a[k])} × ${inner(b[k])}`);
  const others = order.length - shown.length;
  return shown.join(" + ") + (others > 0 ? ` + ${others} more` : "");
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const products = (a, b) => Array.from(a, (value, k) => value * b[k]);

/** @type {(label: string, values: ArrayLike<number>, role?: string, mark?: number) => Strip} */
const strip = (label, values, role = "ink", mark) => ({ label, values, role, mark });

/**
 * @param {Scene} scene @param {ArraySpec} spec
 * @param {number} i row and @param {number} j column, as shown
 * @returns {Explanation}
 */
export const explain = (scene, spec, i, j) => HOW[spec.how](scene, spec, i, j);

/** The row of a number and the rows it is made of. @param {Scene} scene @param {ArraySpec} spec @param {number} i */
function around(scene, spec, i) {
  const own = rowsOf(scene, spec.name, spec.rows)[i];
  const input = rowsOf(scene, spec.input ?? "", spec.rows)[i];
  const other = rowsOf(scene, spec.other ?? "", spec.rows)[i];
  return { own, input, other };
}

/** x · row of a matrix + bias. @param {Scene} scene @param {ArraySpec} spec @param {ArrayLike<number>} input @param {number} k */
function product({ weights }, spec, input, k) {
  const matrix = weights.get(`${spec.module}.weight`);
  if (!matrix) throw new Error(`the model must have a weight ${spec.module}.weight`);
  const line = row(matrix, k);
  const bias = weights.get(`${spec.module}.bias`)?.data[k];
  const terms = products(input, line);
  const value = sum(terms) + (bias ?? 0);
  const text = `${largestTerms(input, line)}${bias === undefined ? "" : ` + bias ${inner(bias)}`}`;
  return { line, terms, value, text };
}

/** A row and its namesake elsewhere in the sentence. @param {Scene} scene @param {ArraySpec} spec @param {number} i */
export function twins(scene, spec, i) {
  if (spec.rows === "words") return "";
  const names = scene.tokens[spec.rows];
  const rows = rowsOf(scene, spec.name, spec.rows);
  const twin = names.findIndex((name, k) => k !== i && k < rows.length && name === names[i]);
  if (twin < 0 || spec.columns) return "";
  const size = Math.max(...rows[i].map(Math.abs), 1e-9);
  const equal = rows[i].every((value, k) => Math.abs(value - rows[twin][k]) < 1e-5 * size);
  return ` The other “${names[i]}” has ${equal ? "the same" : "a different"} row.`;
}

/** @type {Record<import("./boxes.js").How, (scene: Scene, spec: ArraySpec, i: number, j: number) => Explanation>} */
const HOW = {
  lookup(scene, spec, i, j) {
    const { own } = around(scene, spec, i);
    const tokens = spec.rows === "source" ? "source" : "target";
    const formula = `“${scene.tokens[tokens][i]}” has id ${scene.ids[tokens][i]}: row ${scene.ids[tokens][i]} of the table, number ${j + 1}, is ${number(own[j])}.`;
    return { formula, strips: [strip("row", own, "ink", j)] };
  },
  scale(scene, spec, i, j) {
    const { own, input } = around(scene, spec, i);
    const formula = `${inner(input[j])} × √${own.length} = ${number(own[j])}`;
    return { formula, strips: [strip("row", input, "ink", j), strip("scaled", own, "ink", j)] };
  },
  position(scene, spec, i, j) {
    const { own } = around(scene, spec, i);
    const strips = [strip("position", own, "ink", j)];
    if (scene.off.includes("positions")) return { formula: "Positions are switched off: 0 is added.", strips };
    if (scene.config.positions === "learned")
      return { formula: `Row ${i} of a learned table, number ${j + 1}: ${number(own[j])}.`, strips };
    const wave = `${j % 2 ? "cos" : "sin"}(${i} / 10000^(${2 * (j >> 1)}/${own.length}))`;
    return { formula: `Position ${i}, number ${j + 1}: ${wave} = ${number(own[j])}`, strips };
  },
  add(scene, spec, i, j) {
    const { own, input, other } = around(scene, spec, i);
    const word = spec.id === "sum" && spec.name.includes("add_norm");
    const names = word ? ["input", "sublayer"] : ["word", "position"];
    if (word && scene.off.includes("residual"))
      return {
        formula: `The residual is switched off: only the sublayer's output, ${number(own[j])}, is left.`,
        strips: [strip("sublayer", own, "ink", j)],
      };
    return {
      formula: `${names[0]} ${inner(input[j])} + ${names[1]} ${inner(other[j])} = ${number(own[j])}`,
      strips: [strip(names[0], input, "ink", j), strip(names[1], other, "ink", j), strip("sum", own, "ink", j)],
    };
  },
  linear(scene, spec, i, j) {
    const { input, own } = around(scene, spec, i);
    const k = spec.headed ? headColumns(scene).left + j : j;
    const off =
      spec.module?.endsWith("W_2") && scene.off.includes(spec.name.replace(/\.\d+\./, ".").replace(".output", ""));
    if (off) return { formula: "Switched off: the output is 0.", strips: [strip("output", own, "ink", j)] };
    const { line, terms, value, text } = product(scene, spec, input, k);
    const letter = spec.module?.slice(spec.module.lastIndexOf(".") + 1) ?? "W";
    return {
      formula: `x · row ${k + 1} of ${letter} = ${text} = ${number(value)}`,
      strips: [strip("x", input), strip(letter, line), strip("product", terms, spec.role)],
    };
  },
  relu(scene, spec, i, j) {
    const { line, terms, value, text } = product(scene, spec, around(scene, spec, i).input, j);
    return {
      formula: `max(0, x · row ${j + 1} of W_1): ${text} = ${number(value)}${value < 0 ? ", so 0" : ""}`,
      strips: [strip("x", around(scene, spec, i).input), strip("W_1", line), strip("product", terms)],
    };
  },
  rotate(scene, spec, i, j) {
    const { own, input } = around(scene, spec, i);
    const { size, left } = headColumns(scene);
    const [before, after] = [input, own].map((values) => values.subarray(left, left + size));
    const strips = [strip("before", before, spec.role, j), strip("after", after, spec.role, j)];
    if (scene.off.includes("positions")) return { formula: "Positions are switched off: nothing is rotated.", strips };
    const [even, odd] = [before[j - (j % 2)], before[j - (j % 2) + 1]];
    const [first, second, sign] = j % 2 ? ["sin", "cos", "+"] : ["cos", "sin", "−"];
    const angle = i * 10000 ** (-(j - (j % 2)) / size);
    const formula = `angle θ = ${i} × 10000^(−${j - (j % 2)}/${size}) = ${number(angle)}: ${inner(even)} × ${first} θ ${sign} ${inner(odd)} × ${second} θ = ${number(after[j])}`;
    return { formula, strips };
  },
  score(scene, spec, i, j) {
    const { size, left } = headColumns(scene);
    const q = rowsOf(scene, spec.input ?? "", spec.rows)[i].subarray(left, left + size);
    const k = rowsOf(scene, spec.other ?? "", spec.columns ?? "source")[j].subarray(left, left + size);
    const value = scoreAt(scene, spec, i, j);
    const total = sum(products(q, k));
    const hides = spec.columns === "target" && j > i ? ", but the mask makes it −∞" : "";
    return {
      formula: `q · k = ${largestTerms(q, k)} = ${number(total)}; over √${size}: ${number(value)}${hides}`,
      strips: [strip("q", q, "query"), strip("k", k, "key"), strip("q × k", products(q, k), "weight")],
    };
  },
  weight(scene, spec, i, j) {
    const scores = rowsOf(scene, `${spec.input}.${scene.head}`, spec.rows)[i];
    const weights = rowsOf(scene, `${spec.name}.${scene.head}`, spec.rows)[i];
    const module = spec.name.replace(/\.\d+\./, ".").replace(".weights", "");
    if (scene.off.includes(module))
      return { formula: "Switched off: every weight is 0.", strips: [strip("score", scores)] };
    if (j >= scores.length)
      return {
        formula: "The mask makes this score −∞, and exp(−∞) = 0.",
        strips: [strip("score", scores), strip("weight", weights, "weight")],
      };
    const largest = Math.max(...scores);
    const shift = largest > LARGE ? largest : 0;
    const exps = Array.from(scores, (score) => Math.exp(score - shift));
    return {
      formula: `exp(${number(scores[j])}${shift ? ` − ${number(shift)}` : ""}) / sum of exp = ${number(exps[j])} / ${number(sum(exps))} = ${number(weights[j])}`,
      strips: [strip("score", scores, "ink", j), strip("exp", exps, "ink", j), strip("weight", weights, "weight", j)],
    };
  },
  mix(scene, spec, i, j) {
    const { left } = headColumns(scene);
    const weights = rowsOf(scene, `${spec.input}.${scene.head}`, spec.rows)[i];
    const values = (scene.arrays.get(spec.other ?? "") ?? []).slice(0, weights.length).map((line) => line[left + j]);
    const terms = products(weights, values);
    return {
      formula: `weight × value: ${largestTerms(weights, values)} = ${number(sum(terms))}`,
      strips: [strip("weight", weights, "weight"), strip("value", values, "value"), strip("product", terms, "value")],
    };
  },
  norm(scene, spec, i, j) {
    const { own, input } = around(scene, spec, i);
    const strips = [strip("before", input, "ink", j), strip("after", own, "ink", j)];
    if (scene.off.includes("norm") && spec.name.includes("add_norm"))
      return { formula: "The norm is switched off: the row stays as it is.", strips };
    const { mean, variance } = moments(input);
    const [gain, bias] = ["weight", "bias"].map((part) => scene.weights.get(`${spec.module}.${part}`)?.data[j] ?? 0);
    const deviation = Math.sqrt(variance + LAYER_NORM_EPSILON);
    const formula = `mean ${number(mean)}, deviation ${number(deviation)}: (${number(input[j])} − ${inner(mean)}) / ${number(deviation)} × γ ${inner(gain)} + β ${inner(bias)} = ${number(own[j])}`;
    return { formula, strips };
  },
  logit(scene, spec, i) {
    const id = bestWords(scene)[i];
    const input = scene.arrays.get(spec.input ?? "")?.[scene.position] ?? [];
    const { line, terms, value, text } = product(scene, spec, input, id);
    return {
      formula: `last row · row of “${scene.word(id)}” = ${text} = ${number(value)}`,
      strips: [strip("x", input), strip("word", line), strip("product", terms)],
    };
  },
  probability(scene, _, i) {
    const logits = scene.arrays.get("head.logits")?.[scene.position] ?? new Float32Array();
    const id = bestWords(scene)[i];
    const shift = Math.max(...logits) > LARGE ? Math.max(...logits) : 0;
    const total = logits.reduce((all, logit) => all + Math.exp(logit - shift), 0);
    const exps = bestWords(scene).map((word) => Math.exp(logits[word] - shift));
    return {
      formula: `exp(${number(logits[id])}${shift ? ` − ${number(shift)}` : ""}) / sum over ${logits.length.toLocaleString("en")} words = ${number(Math.exp(logits[id] - shift))} / ${number(total)} = ${number(probability(logits, id))}`,
      strips: [
        strip("exp", exps, "ink", i),
        strip(
          "share",
          exps.map((value) => value / total),
          "weight",
          i,
        ),
      ],
    };
  },
};
