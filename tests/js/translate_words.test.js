// What readers see of pieces, and the interventions that are offered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newExperiment } from "../../src/attnbook/widgets/js/translate/experiment.js";
import { isPressed, presets } from "../../src/attnbook/widgets/js/translate/presets.js";
import {
  areSubwords,
  lostNames,
  namesIn,
  shownPiece,
  unfamiliarLetters,
  unsureWords,
  wordOfPiece,
  wordsOf,
} from "../../src/attnbook/widgets/js/translate/words.js";

const PIECES = ["▁the", "▁xy", "lo", "phone", "▁?"];

test("pieces are shown without markers, and joined to words", () => {
  assert.equal(areSubwords(PIECES), true);
  assert.equal(areSubwords(["the", "cat"]), false);
  const shown = PIECES.map((piece) => shownPiece(piece, true));
  assert.deepEqual(shown, ["the", "xy", "…lo", "…phone", "?"]);
  assert.deepEqual(
    ["<eos>", "<unk>", "cat"].map((piece) => shownPiece(piece, false)),
    ["(end)", "<unk>", "cat"],
  );
  assert.deepEqual(wordOfPiece(PIECES, true), [0, 1, 1, 1, 2]);
  assert.deepEqual(wordOfPiece(["a", "b", "<eos>"], false), [0, 1, 2]);
  assert.deepEqual(wordsOf(PIECES, true)[1], { text: "xylophone", pieces: [1, 2, 3] });
});

test("a word is unsure if its pieces together are", () => {
  const name = [0.5, 0.3, 0.9].map((p, i) => ({ piece: ["▁ann", "on", "▁."][i], p }));
  assert.deepEqual(unsureWords(name, true), [true, false]);
  const rows = ["▁le", "▁brun", "ien", "<eos>"].map((piece, i) => ({ piece, p: i === 2 ? 0.05 : 0.9 }));
  assert.deepEqual(unsureWords(rows, true), [false, true, false]);
});

test("letters of other scripts and emoji are unfamiliar, accents and punctuation are not", () => {
  assert.deepEqual(unfamiliarLetters("我爱你 我"), ["我", "爱", "你"]);
  assert.deepEqual(unfamiliarLetters("The cat sleeps 😀"), ["😀"]);
  assert.deepEqual(unfamiliarLetters("It’s a café, 5 € – “naïve” (e.g.)!"), []);
});

test("names keep their capital letters, the first word does not", () => {
  assert.deepEqual(namesIn("The dog of John lives in Paris."), ["john", "paris"]);
  assert.deepEqual(namesIn("I am here and I wait."), []);
});

const SHOWN = {
  source: ["the", "dog", "sees", "a", "cat", "."],
  rows: ["le", "chien", "voit", "un", "chat", ".", "<eos>"].map((piece) => ({ piece })),
  weights: [0, 1, 2, 3, 4, 5, 5].map((at) => [0, 1, 2, 3, 4, 5].map((j) => (j === at ? 0.9 : 0.02))),
};

test("the presets forbid the last content word, look at another one, and swap two words", () => {
  const list = presets(SHOWN, false, ["a", "b"]);
  assert.deepEqual(
    list.map(({ name }) => name),
    ["Forbid “cat”", "“chat”: look at “sees”", "Swap “dog sees”"],
  );
  const cell = { head: null, row: null, column: 4, weight: null };
  assert.deepEqual(list[0].change.cells, [
    { ...cell, module: "a" },
    { ...cell, module: "b" },
  ]);
  assert.deepEqual(list[1].change.cells?.[0], { module: "a", head: null, row: 4, column: 2, weight: 1 });
  assert.equal(list[2].change.swap, 1);
  const [first] = list;
  const pressed = { ...newExperiment("x", 0), ...first.change };
  assert.deepEqual(
    list.map((preset) => isPressed(pressed, preset)),
    [true, false, false],
  );
  assert.equal(isPressed({ ...pressed, temperature: 2 }, first), false);
});

test("without attention or words there is less to offer", () => {
  assert.deepEqual(
    presets({ ...SHOWN, weights: [] }, false, []).map(({ name }) => name),
    ["Swap “dog sees”"],
  );
  assert.deepEqual(presets({ source: ["."], rows: [], weights: [] }, false, ["a"]), []);
});

test("all pieces of a word share the weight that is forced on it", () => {
  const weights = [[0.02, 0.3, 0.3, 0.3, 0.02]];
  const [forbid] = presets({ source: PIECES, rows: [{ piece: "▁son" }], weights }, true, ["m"]);
  assert.equal(forbid.name, "Forbid “xylophone”");
  assert.deepEqual(
    forbid.change.cells?.map(({ column }) => column),
    [1, 2, 3],
  );
});

test("a name that is read in pieces is lost if the translation lacks it", () => {
  const source = ["▁my", "▁name", "▁is", "▁an", "na", "▁."];
  assert.deepEqual(lostNames("My name is Anna.", source, "Mon nom est annon."), ["Anna"]);
  assert.deepEqual(lostNames("My name is Anna.", source, "Je m'appelle Anna."), []);
  assert.deepEqual(lostNames("my name is anna.", source, "Mon nom est annon."), [], "not written as a name");
  const common = ["▁on", "▁monday", "▁."];
  assert.deepEqual(lostNames("On Monday.", common, "Lundi."), [], "a word that the model knows has a translation");
});
