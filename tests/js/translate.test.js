import assert from "node:assert/strict";
import { test } from "node:test";
import { Intervention } from "../../src/attnbook/widgets/js/engine/intervention.js";
import { topIndices } from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { formatFragment, parseFragment } from "../../src/attnbook/widgets/js/shared/url_fragment.js";
import {
  changedWords,
  changesOf,
  formatProbability,
  fromText,
  isChanged,
  newExperiment,
  swapped,
  toText,
} from "../../src/attnbook/widgets/js/translate/experiment.js";
import { LONGEST } from "../../src/attnbook/widgets/js/translate/sentence.js";

const FIRST = newExperiment("A house.", 2);

const STEPS = [10, 40, 200];

test("an experiment comes back from its text, through an address", () => {
  const cell = { module: "decoder.cross_attention", head: null, row: 2, column: 0, weight: null };
  const one = {
    ...FIRST,
    sentence: 'été & "#=',
    stage: 1,
    begin: [5],
    cells: [cell],
    heads: [{ module: "decoder.cross_attention", head: 1 }],
    temperature: 0.5,
    swap: 1,
    positions: false,
  };
  const fragment = formatFragment(new Map([["translate", toText(one, FIRST, STEPS)]]));
  assert.deepEqual(fromText(parseFragment(`#${fragment}`).get("translate") ?? null, FIRST, STEPS), one);
  assert.deepEqual(toText(FIRST, FIRST, STEPS), {});
  assert.deepEqual(toText({ ...FIRST, stage: 0 }, FIRST, STEPS), { step: "10" });
  assert.equal(fromText(null, FIRST, STEPS), null);
});

test("what a text should not hold is left out", () => {
  const evil = {
    step: "11",
    begin: '[-1, "x", 4]',
    cells: '[{"module": 1}, 3, null]',
    heads: '"all"',
    temperature: "hot",
    swap: "-2",
    positions: "perhaps",
    other: "<img src=x>",
  };
  assert.deepEqual(fromText(evil, FIRST, STEPS), { ...FIRST, begin: [4] });
  assert.deepEqual(fromText({ cells: "{no", begin: "null" }, FIRST, STEPS), FIRST);
  assert.equal(fromText({ sentence: "x".repeat(999) }, FIRST, STEPS)?.sentence.length, LONGEST);
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
  assert.deepEqual([0, 1, 0.5, 0.0123, 0.00001].map(formatProbability), ["0", "1.00", "0.50", "0.012", "1e-5"]);
});

test("of equal numbers the earlier is larger", () => {
  assert.deepEqual(topIndices(Float32Array.of(1, 3, 3, 2, 3), 3), [1, 2, 4]);
  assert.deepEqual(topIndices(Float32Array.of(1), 3), [0]);
});

test("an intervention refuses what is no weight or temperature", () => {
  const cell = { module: "m", head: null, row: null, column: 0, weight: 2 };
  assert.throws(() => new Intervention({ cells: [cell] }), /weight must be .*got 2/);
  assert.throws(() => new Intervention({ temperatures: { m: 0 } }), /temperatures\[m\] must be > 0/);
});
