// Reads what attnbook.widgets.page_model.export_page writes. What was damaged on its way is refused: gzip carries a checksum.

import { matrix } from "../shared/linear_algebra.js";
import { LanguageModel } from "./language_model.js";
import { Model } from "./model.js";
import { vocabularyFrom } from "./vocabulary.js";

const FORMAT = "attnbook-page-1";

/** @typedef {import("./vocabulary.js").Vocabulary} Vocabulary */
/** A tensor with one or two axes; int8 rows follow their scales. @typedef {{name: string, shape: number[], kind: "int8" | "fp16"}} Entry */
/** @typedef {{model: Model, source: Vocabulary, target: Vocabulary, parameters: number}} Translator */

/** @typedef {{model: import("./language_model.js").LanguageModel, vocabulary: Vocabulary, draft: import("../shared/linear_algebra.js").Matrix | null}} Writer */

/** @type {(file: BufferSource) => Promise<Translator>} */
export async function readModelFile(file) {
  const { header, weights, parameters } = await readFile(file);
  const [source, target = source] = header.vocabularies.map(vocabularyFrom);
  return { model: new Model({ kind: header.model, config: header.config, weights }), source, target, parameters };
}

/** What attnbook.widgets.language_page.export_language_model writes. @type {(file: BufferSource) => Promise<Writer>} */
export async function readLanguageModel(file) {
  const { header, weights } = await readFile(file);
  if (header.model !== "LanguageModel") throw new Error(`model must be LanguageModel, got ${header.model}`);
  const model = new LanguageModel(weights, header.config);
  return { model, vocabulary: vocabularyFrom(header.vocabularies[0]), draft: weights.get("draft") ?? null };
}

/** The header, and the weights by name. @type {(file: BufferSource) => Promise<{header: any, weights: import("./layers.js").Weights, parameters: number}>} */
async function readFile(file) {
  const content = new DataView(await inflate(file));
  const length = content.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(content.buffer, 4, length)));
  if (header.format !== FORMAT) throw new Error(`format must be ${FORMAT}, got ${header.format}`);
  const weights = new Map();
  let [at, parameters] = [4 + length, 0];
  for (const entry of /** @type {Entry[]} */ (header.tensors)) {
    const [rows, cols] = entry.shape.length === 2 ? entry.shape : [1, entry.shape[0]];
    const decoded = matrix(
      rows,
      cols,
      entry.kind === "int8" ? int8(content, at, rows, cols) : fp16(content, at, rows * cols),
    );
    at += entry.kind === "int8" ? rows * (2 + cols) : 2 * rows * cols;
    parameters += rows * cols;
    weights.set(entry.name, decoded);
  }
  if (at !== content.byteLength) throw new Error(`the file must have ${at} bytes, got ${content.byteLength}`);
  for (const [name, original] of Object.entries(header.aliases)) weights.set(name, weights.get(original));
  return { header, weights, parameters };
}

/** @type {(file: BufferSource) => Promise<ArrayBuffer>} */
async function inflate(file) {
  const stream = new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return await new Response(stream).arrayBuffer();
  } catch (error) {
    throw new Error("the file is corrupt or not a web model", { cause: error });
  }
}

/** One scale per row, then the rows. @type {(content: DataView, at: number, rows: number, cols: number) => Float32Array} */
function int8(content, at, rows, cols) {
  const scales = fp16(content, at, rows);
  const whole = new Int8Array(content.buffer, at + 2 * rows, rows * cols);
  const values = new Float32Array(whole.length);
  for (let i = 0; i < rows; i++) for (let k = i * cols; k < (i + 1) * cols; k++) values[k] = whole[k] * scales[i];
  return values;
}

/** @type {(content: DataView, at: number, count: number) => Float32Array} */
function fp16(content, at, count) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = half(content.getUint16(at + 2 * i, true));
  return values;
}

/** Decodes a half-precision number; the file contains no infinities. @type {(bits: number) => number} */
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}
