// What the page's engine computes: questions as JSON on standard input, answers as JSON on standard output. It is asked
// by tests/support/js_engine.py, which knows what torch answers.
//
// A question names a model's file and asks for the logits of a target, or for a search, each with its changes, or for a trace; or it
// names a language model's file and asks for its logits in passes of some lengths, for the distributions that are drawn from,
// or for many texts written by speculative decoding; or it
// names a vocabulary and asks to encode tokens or to decode ids; or it gives texts to cut into tokens and to join again. A
// file that is refused is answered by the error.
import { readFileSync } from "node:fs";
import { Intervention } from "../../src/attnbook/widgets/js/engine/intervention.js";
import { readLanguageModel, readModelFile } from "../../src/attnbook/widgets/js/engine/model_file.js";
import { write } from "../../src/attnbook/widgets/js/engine/search.js";
import { join, tokenize } from "../../src/attnbook/widgets/js/engine/text.js";
import { EOS, vocabularyFrom } from "../../src/attnbook/widgets/js/engine/vocabulary.js";
import { argmax } from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { trace } from "../../src/attnbook/widgets/js/walk/trace.js";
import { filtered } from "../../src/attnbook/widgets/js/writing/sampling.js";
import { openText, speculate } from "../../src/attnbook/widgets/js/writing/text.js";

/** @typedef {import("../../src/attnbook/widgets/js/engine/model.js").Model} Model */

/** @type {(model: Model, ask: any) => any} */
function answer(model, { source, target, search, maxLength, changes, traced }) {
  if (traced) return traceOf(model, source, traced);
  const intervention = new Intervention(changes);
  if (search) return greedy([...write(model, source, { maxLength, intervention })]);
  let { state, attention } = model.encode(source, intervention);
  const logits = [];
  const looked = [attention];
  for (const id of target) {
    const next = model.decode(id, state, intervention);
    ({ state, attention } = next);
    logits.push([...next.logits]);
    looked.push(attention);
  }
  return { logits, attention: looked.map(plain) };
}

/** Ids without <eos>, and the log-probability. @type {(written: import("../../src/attnbook/widgets/js/engine/search.js").Written[]) => any} */
function greedy(written) {
  const finished = written[written.length - 1].id === EOS;
  const ids = written.map(({ id }) => id).slice(0, finished ? -1 : undefined);
  return { ids, score: written.reduce((total, { id, logP }) => total + logP[id], 0), finished };
}

/** A translation with all arrays. @type {(model: Model, source: number[], options: {off: string[], maxLength: number}) => any} */
function traceOf(model, source, options) {
  const steps = trace(model, source, options);
  for (;;) {
    const { done, value } = steps.next();
    if (!done) continue;
    const arrays = [...value.arrays].map(([name, rows]) => [name, rows.map((row) => [...row])]);
    return { ...value, arrays: Object.fromEntries(arrays) };
  }
}

/** By module and head, the rows of weights. @type {(attention: import("../../src/attnbook/widgets/js/engine/recurrent.js").Attention) => any} */
const plain = (attention) =>
  Object.fromEntries(Object.entries(attention).map(([name, heads]) => [name, heads.map(({ data }) => [...data])]));

/** @type {(page: string, asks: any[]) => Promise<any[]>} */
async function languageAnswers(page, asks) {
  const writer = await readLanguageModel(readFileSync(page));
  return asks.map(({ ids, passes, filter, logits, texts, seed, ahead, greedy }) => {
    if (logits) return filtered(logits, filter);
    if (texts) {
      const settings = { temperature: 1, topK: 0, topP: 1, ...filter, ahead, draft: "bigram" };
      return Array.from({ length: texts }, (_, i) => speculate(writer, ids, { ...settings, seed: seed + i }, 2).ids);
    }
    if (greedy) {
      const text = openText(writer.model, ids);
      while (text.length < greedy) text.push(argmax(text.places[text.length - 1].logits));
      return text.ids;
    }
    let [cache, at] = [writer.model.start(), 0];
    const found = [];
    const looked = [];
    for (const count of passes) {
      const pass = writer.model.extend(ids.slice(at, at + count), cache);
      ({ cache } = pass);
      at += count;
      found.push(...pass.logits.map((row) => [...row]));
      looked.push(plain(pass.attention));
    }
    return { logits: found, attention: looked };
  });
}

/** @type {(question: any) => Promise<any>} */
async function answers({ languagePage, page, asks, vocabulary, encode, decode, texts, language, capitals, corpus }) {
  if (texts) {
    const tokens = texts.map((/** @type {string} */ text) => tokenize(text, language, corpus));
    return { tokens, joined: tokens.map((/** @type {string[]} */ found) => join(found, language, capitals, corpus)) };
  }
  if (vocabulary) {
    const codec = vocabularyFrom(vocabulary);
    return {
      encoded: encode.map(codec.encode),
      decoded: decode.map(codec.decode),
      pieces: decode.map(codec.pieces),
    };
  }
  try {
    if (languagePage) return { answers: await languageAnswers(languagePage, asks) };
    const { model } = await readModelFile(readFileSync(page));
    const started = process.cpuUsage();
    const found = asks.map((/** @type {any} */ ask) => answer(model, ask));
    const { user, system } = process.cpuUsage(started); // of this process alone
    return { modules: model.modules, seconds: (user + system) / 1e6, answers: found };
  } catch (error) {
    return { error: String(error) };
  }
}

const questions = JSON.parse(readFileSync(0, "utf8"));
const found = [];
for (const question of questions) found.push(await answers(question));
process.stdout.write(JSON.stringify(found));
