import assert from "node:assert/strict";
import { test } from "node:test";
import { Intervention } from "../../src/attnbook/widgets/js/engine/intervention.js";
import { largest } from "../../src/attnbook/widgets/js/engine/tensor.js";
import {
  changedWords,
  changesOf,
  fresh,
  fromAddress,
  inWords,
  isChanged,
  swapped,
  toAddress,
} from "../../src/attnbook/widgets/js/translate/state.js";

const FIRST = fresh("A house.", 2);

test("an experiment comes back from its address", () => {
  const cell = { module: "decoder.cross_attention", head: null, row: 2, column: 0, weight: null };
  const one = {
    ...FIRST,
    sentence: 'été & "#=',
    begin: [5],
    cells: [cell],
    temperature: 0.5,
    swap: 1,
    positions: false,
  };
  assert.deepEqual(fromAddress("translate", toAddress("translate", one), FIRST, 3), one);
  assert.equal(fromAddress("other", toAddress("translate", one), FIRST, 3), null);
});

test("what an address should not hold is left out", () => {
  assert.equal(fromAddress("t", "#t=%7Bno", FIRST, 3), null);
  assert.equal(fromAddress("t", "#section", FIRST, 3), null);
  const evil = {
    sentence: 7,
    stage: 9,
    begin: [-1, "x", 4],
    cells: [{ module: 1 }, 3, null],
    heads: "all",
    temperature: "hot",
    swap: -2,
  };
  const found = fromAddress("t", `#t=${encodeURIComponent(JSON.stringify(evil))}`, FIRST, 3);
  assert.deepEqual(found, { ...FIRST, begin: [4] });
  assert.deepEqual(fromAddress("t", "#t=null", FIRST, 3), null);
});

test("what is changed is known", () => {
  assert.equal(isChanged(FIRST), false);
  for (const change of [{ begin: [4] }, { temperature: 2 }, { positions: false }, { swap: 0 }])
    assert.equal(isChanged({ ...FIRST, ...change }), true);
  assert.deepEqual(changesOf({ ...FIRST, temperature: 2 }, ["a", "b"]).temperatures, { a: 2, b: 2 });
  assert.deepEqual(changesOf(FIRST, ["a"]).temperatures, {});
});

test("words change places with the next", () => {
  assert.deepEqual(swapped(["a", "b", "c"], 1), ["a", "c", "b"]);
  assert.deepEqual(swapped(["a", "b"], 1), ["a", "b"]);
  assert.deepEqual(swapped(["a", "b"], null), ["a", "b"]);
});

test("changed words are those that the translation before lacks", () => {
  const marks = changedWords("la maison est vieille .".split(" "), "le livre est vieux .".split(" "));
  assert.deepEqual(marks, [true, true, false, true, false]);
  assert.deepEqual(changedWords([], ["a"]), [true]);
  assert.deepEqual(changedWords(["a", "b"], ["b", "a"]).filter(Boolean).length, 1);
});

test("probabilities are short", () => {
  assert.deepEqual([0, 1, 0.5, 0.0123, 0.00001].map(inWords), ["0", "1.00", "0.50", "0.012", "1e-5"]);
});

test("of equal numbers the earlier is larger", () => {
  assert.deepEqual(largest(Float32Array.of(1, 3, 3, 2, 3), 3), [1, 2, 4]);
  assert.deepEqual(largest(Float32Array.of(1), 3), [0]);
});

test("an intervention refuses what is no weight or temperature", () => {
  const cell = { module: "m", head: null, row: null, column: 0, weight: 2 };
  assert.throws(() => new Intervention({ cells: [cell] }), /weight is 2/);
  assert.throws(() => new Intervention({ temperatures: { m: 0 } }), /temperatures\[m\] is 0/);
});
