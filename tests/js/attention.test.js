// What the attention view makes of weights and tokens, without a page.
import assert from "node:assert/strict";
import test from "node:test";
import { filterTokens } from "../../src/attnbook/widgets/js/attention/filter_tokens.js";
import { spaced, unmarked } from "../../src/attnbook/widgets/js/attention/format.js";

const COLUMNS = ["<bos>", "le", "[SEP]", "chat", "."];
const WEIGHTS = Float32Array.of(0.5, 0.25, 0.125, 0.125, 0, 0.2, 0.1, 0.3, 0.2, 0.2);
const close = (/** @type {Float32Array} */ found, /** @type {number[]} */ wanted) => {
  assert.equal(found.length, wanted.length);
  for (const [i, value] of wanted.entries())
    assert.ok(Math.abs(found[i] - value) < 1e-6, `${i}: ${found[i]}, wanted ${value}`);
};

test("nothing is left out unless asked", () => {
  assert.equal(filterTokens(WEIGHTS, COLUMNS, { hide: "", least: 0 }), WEIGHTS);
});

test("tokens that are no words are left out, with or without sharing out what they had", () => {
  close(filterTokens(WEIGHTS, COLUMNS, { hide: "blank", least: 0 }), [0, 0.25, 0, 0.125, 0, 0, 0.1, 0, 0.2, 0]);
  close(filterTokens(WEIGHTS, COLUMNS, { hide: "share", least: 0 }), [0, 2 / 3, 0, 1 / 3, 0, 0, 1 / 3, 0, 2 / 3, 0]);
  const only = filterTokens(Float32Array.of(1, 0), ["<s>", "x"], { hide: "share", least: 0 });
  close(only, [0, 0]); // a row that has nothing left stays empty
});

test("weights below the threshold are left out, after the rest was shared out", () => {
  close(filterTokens(WEIGHTS, COLUMNS, { hide: "", least: 0.2 }), [0.5, 0.25, 0, 0, 0, 0.2, 0, 0.3, 0.2, 0.2]);
  close(filterTokens(WEIGHTS, COLUMNS, { hide: "share", least: 0.4 }), [0, 2 / 3, 0, 0, 0, 0, 0, 0, 2 / 3, 0]);
});

test("running text has the spaces that a tokenizer's marks stand for", () => {
  const written = (/** @type {string[]} */ tokens) => {
    const spaces = spaced(tokens);
    return tokens.map((token, i) => (spaces[i] ? " " : "") + unmarked(token)).join("");
  };
  assert.equal(written(["le", "chat", "."]), "le chat .");
  assert.equal(written(["▁le", "▁cha", "t", ".", "</s>"]), "le chat. </s>");
  assert.equal(written(["le", "Ġcha", "t"]), "le chat");
  assert.equal(written(["[CLS]", "le", "cha", "##t"]), "[CLS] le chat");
  assert.equal(written(["le", "cha@@", "t"]), "le chat");
  assert.equal(unmarked("▁"), "▁"); // nothing else would be left
});
