// Answers that come late: what a reader asked for last is what is shown, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newExperiment } from "../../src/attnbook/widgets/js/translate/experiment.js";
import { finished, Runner } from "../../src/attnbook/widgets/js/translate/runner.js";
import { Translator } from "../../src/attnbook/widgets/js/translate/translator.js";

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

test("an answer of the model before is not taken for one of the model that is being loaded", async () => {
  let stage = -1;
  let loaded = () => {};
  let answer = () => {};
  /** @type {any} */
  const translator = {
    open: (/** @type {number} */ wanted) => {
      const ready = () => {
        stage = wanted;
      };
      return wanted === 0
        ? Promise.resolve(ready())
        : new Promise((resolve) => {
            loaded = () => resolve(ready());
          });
    },
    translate: () =>
      new Promise((resolve) => {
        const by = stage;
        answer = () => resolve({ sourcePieces: ["a"], unknown: [], ids: [by], target: [], logP: 0, judged: null });
      }),
  };
  const runner = new Runner(translator, [], "grammar", () => {});
  const first = runner.translate(newExperiment("a car", 0), false);
  await soon();
  const second = runner.translate(newExperiment("a car", 1), false);
  answer(); // of stage 0, while the file of stage 1 is on its way
  await first;
  loaded();
  await soon();
  answer();
  await second;
  assert.deepEqual(runner.before?.ids, [1]);
});

test("a model whose file comes late does not take the place of the one that is wanted now", async () => {
  /** @type {number[]} */
  const opened = [];
  let late = () => {};
  const bytes = (/** @type {number} */ stage) => new DataView(new Uint8Array([stage]).buffer);
  const slow = () => new Promise((resolve) => (late = () => resolve(bytes(0))));
  const translator = new Translator("", [/** @type {any} */ (slow), bytes(1)]);
  /** @type {any} */
  const client = {
    open: async (/** @type {ArrayBuffer} */ file) => ({ words: [], opened: opened.push(new Uint8Array(file)[0]) }),
  };
  translator.client = Promise.resolve(client);
  const first = translator.open(0);
  await translator.open(1);
  late();
  await first;
  assert.deepEqual(opened, [1]);
  assert.equal(translator.stage, 1);
});

test("a sentence without an end gets a period, because the model learned whole sentences", () => {
  assert.deepEqual(finished(["good", "morning"]), ["good", "morning", "."]);
  for (const end of [".", "!", "?", "…", '."']) assert.deepEqual(finished(["hi", end]), ["hi", end]);
  assert.deepEqual(finished([]), []);
});

test("the recorded translation is known at once, and its rows arrive word by word", async () => {
  /** @type {string[]} */
  const told = [];
  const runner = new Runner(/** @type {any} */ ({}), [], "grammar", (news) => told.push(news));
  /** @type {any} */
  const outcome = { sourcePieces: ["a"], unknown: [], ids: [5, 2], target: ["un"], logP: -1, judged: null };
  const rows = ["un", "<eos>"].map((piece) => /** @type {any} */ ({ piece, p: 0.5 }));
  runner.arrive({ rows, outcome }, false);
  assert.deepEqual([runner.before, runner.trained, runner.rows.length, told], [outcome, rows, 1, ["word"]]);
  while (told.at(-1) !== "end") await soon();
  assert.deepEqual([runner.rows, told], [rows, ["word", "end"]]);
});
