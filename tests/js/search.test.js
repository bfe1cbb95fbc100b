// The book's search: the best section first, and an excerpt that shows why.
import assert from "node:assert/strict";
import test from "node:test";
import { excerpt } from "../../bookkit/search/excerpt.js";

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

test("what was searched for is no pattern, and parts of words are not marked", () => {
  assert.deepEqual(
    excerpt("a (b) c", ["(b)"]).filter(({ marked }) => marked),
    [{ words: "(b)", marked: true }],
  );
  assert.ok(excerpt("ahead", ["head"]).every(({ marked }) => !marked));
});
