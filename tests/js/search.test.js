// The book's search: the best section first, and an excerpt that shows why.
import assert from "node:assert/strict";
import test from "node:test";
import { excerpt } from "../../bookkit/search/excerpt.js";
import { indexOf } from "../../bookkit/search/ranking.js";
import { meaning, stem } from "../../bookkit/search/words.js";

const text = `${"word ".repeat(40)}several heads look, and each head sees ${"more ".repeat(60)}`;

test("an excerpt begins shortly before what was searched for, and marks it", () => {
  const pieces = excerpt(text, ["head"]);
  assert.deepEqual(
    pieces.filter(({ marked }) => marked).map(({ words }) => words),
    ["heads", "head"],
  );
  const shown = pieces.map(({ words }) => words).join("");
  assert.ok(shown.startsWith("… ") && shown.endsWith(" …") && shown.length < 240);
});

test("a text without the word is shown from its beginning", () => {
  assert.equal(excerpt("A short text.", ["other"])[0].words, "A short text.");
  assert.equal(excerpt("A short text.", [])[0].words, "A short text.");
});

test("words are marked in all their forms, and parts of words are not", () => {
  const marked = (/** @type {string} */ text, /** @type {string} */ term) =>
    excerpt(text, [term])
      .filter(({ marked }) => marked)
      .map(({ words }) => words);
  assert.deepEqual(marked("Masks, masked and masking; unmasked.", "mask"), ["Masks", "masked", "masking"]);
  assert.deepEqual(marked("ahead", "head"), []);
});

test("endings and British spelling make no other word", () => {
  for (const words of [
    ["query", "queries"],
    ["normalise", "normalization", "normalised"],
    ["scale", "scaled", "scaling"],
    ["position", "positional", "positions"],
    ["loss", "losses"],
  ])
    assert.equal(new Set(words.map(stem)).size, 1, words.join(" "));
  assert.equal(new Set(["key", "keep", "value", "valid", "bias", "basis"].map(stem)).size, 6);
});

test("a query is taken apart into what it asks for", () => {
  const known = (/** @type {string} */ term) =>
    ["layer", "norm", "softmax", "mask", "dropout"].map(stem).includes(term);
  assert.deepEqual(meaning("why is the mask", known), [[["mask"]]]);
  assert.deepEqual(meaning("soft max", known)[0][0], ["softmax"]);
  assert.deepEqual(meaning("drop out", known)[0][0], ["dropout"]);
  assert.ok(meaning("layernorm", known)[0].some((words) => words.join(" ") === "layer norm"));
  assert.deepEqual(meaning("rope", known), meaning("rotary embedding", known));
  assert.deepEqual(meaning("bandwith", known), meaning("bandwidth", known), "a typo");
  assert.equal(meaning("what is it", known).length, 3, "nothing but stop words is searched for as it is");
});

test("the section that has all of a query comes before one that has some of it often", () => {
  const section = (/** @type {string} */ title, /** @type {string} */ text) => ({
    ...{ title, text, address: `${title}.html`, page: "Page", marked: "", chapter: true },
  });
  const find = indexOf([
    section("One", "beam beam beam beam beam"),
    section("Two", "A beam is wider than greedy search."),
    section("Three", "nothing of it"),
  ]);
  assert.deepEqual(
    find("beam vs greedy").map(({ title }) => title),
    ["Two", "One"],
  );
  assert.deepEqual(find("zzzqqqq"), []);
});
