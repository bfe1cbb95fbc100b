// A training in the page without a page: its lists, its address, and its status text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../../src/attnbook/widgets/js/train/random.js";
import { Session } from "../../src/attnbook/widgets/js/train/session.js";
import { fromText, toText } from "../../src/attnbook/widgets/js/train/settings.js";
import { LONGEST, statusText } from "../../src/attnbook/widgets/js/train/status_text.js";
import { TASKS } from "../../src/attnbook/widgets/js/train/tasks.js";
import { Trainer } from "../../src/attnbook/widgets/js/train/trainer.js";

const PLAIN = { task: "recall", heads: 1, layers: 1, positions: true, attention: true, rate: 0.003, seed: 1 };

/** @type {(settings: typeof PLAIN, steps: number) => {right: number, guess: number, steps: number}} */
function trained(settings, steps) {
  const trainer = new Trainer(settings);
  const late = Array.from({ length: steps }, () => trainer.step()).slice(-50);
  const mean = (/** @type {"right" | "guess"} */ name) => late.reduce((sum, step) => sum + step[name] / 50, 0);
  return { right: mean("right"), guess: mean("guess"), steps };
}

test("lists have the answers that their tasks want", () => {
  const read = (/** @type {string} */ task) => {
    const { symbols, draw } = TASKS[task];
    const { source, slots, answers } = draw(randomFrom(5));
    const words = (/** @type {number[]} */ ids) => ids.map((id) => symbols[id]);
    return { source: source.map(words), slots: words(slots), answers: words(answers) };
  };
  const recall = read("recall");
  assert.deepEqual(
    recall.slots.map((name) => recall.source.find(([other]) => other === name)?.[1]),
    recall.answers,
  );
  assert.equal(new Set(recall.slots).size, 8);
  assert.deepEqual(read("copy").source.flat(), read("copy").answers);
  assert.deepEqual(read("reverse").source.flat().reverse(), read("reverse").answers);
  const { source, answers } = read("dates");
  const date = new Date(`${source.flat().join("")} UTC`);
  assert.equal(date.toISOString().slice(0, 10).replaceAll("-", ""), answers.join(""));
});

test("a seed repeats a training", () => {
  const [one, same, other] = [1, 1, 2].map((seed) => new Trainer({ ...PLAIN, seed }));
  const losses = [one, same, other].map((trainer) => [1, 2].map(() => trainer.step().loss));
  assert.deepEqual(losses[0], losses[1]);
  assert.notDeepEqual(losses[0], losses[2]);
});

test("it learns what it can, and says why it does not learn what it cannot", () => {
  const learned = trained(PLAIN, 300);
  assert.ok(learned.right > 0.97 && /^Learned/.test(statusText(PLAIN, learned)));
  const blind = { ...PLAIN, attention: false };
  const mean = trained(blind, 300);
  assert.ok(Math.abs(mean.right - mean.guess) < 0.04 && /the mean of the list/.test(statusText(blind, mean)));
  const placeless = { ...PLAIN, task: "reverse", positions: false };
  const lost = trained(placeless, 300);
  assert.ok(lost.right <= lost.guess && /they all give the same answer/.test(statusText(placeless, lost)));
  for (const { right } of [mean, lost]) assert.ok(right >= 0.24 && right <= 0.36, "the list's most frequent answer");
  assert.ok(trained({ ...PLAIN, layers: 2 }, 300).right > 0.97, "two layers learn too");
  for (const [settings, standing] of /** @type {const} */ ([
    [PLAIN, learned],
    [blind, mean],
    [placeless, lost],
  ]))
    assert.ok(statusText(settings, standing).length <= LONGEST.length);
});

test("an order is worked off in slices, and another one ends it", async () => {
  /** @type {{run: number, news: unknown[]}[]} */
  const told = [];
  const session = new Session((news) => told.push(news));
  const work = session.order({ run: 1, open: PLAIN, steps: 1000 });
  while (!told.length) await new Promise((resolve) => setTimeout(resolve, 5));
  session.order({ run: 2, open: { ...PLAIN, seed: 2 }, steps: 7 });
  await work;
  const steps = (/** @type {number} */ run) =>
    told.filter((news) => news.run === run).reduce((sum, { news }) => sum + news.length, 0);
  assert.ok(steps(1) > 0 && steps(1) < 1000);
  assert.equal(steps(2), 7);
});

test("an address keeps the settings, and drops invalid values", () => {
  const sent = { ...PLAIN, task: "dates", heads: 4, positions: false, seed: 77 };
  assert.deepEqual(fromText(toText(sent, PLAIN), PLAIN), sent);
  assert.deepEqual(toText(PLAIN, PLAIN), {});
  assert.equal(fromText(null, PLAIN), null);
  const wrong = { task: "x", heads: "3", layers: "one", positions: "1", attention: "", rate: "5", seed: "-1" };
  assert.deepEqual(fromText(wrong, PLAIN), PLAIN);
});
