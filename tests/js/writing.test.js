// What a language model in the page draws: cut-offs, coins, and the distribution of speculative decoding.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { softmax } from "../../src/attnbook/widgets/js/shared/linear_algebra.js";
import { range, sum } from "../../src/attnbook/widgets/js/shared/numbers.js";
import { openWriter } from "../../src/attnbook/widgets/js/writing/open.js";
import { coinsAt, draw, filtered, without } from "../../src/attnbook/widgets/js/writing/sampling.js";
import { check, guess, residual, tally } from "../../src/attnbook/widgets/js/writing/speculation.js";

const ALL = { temperature: 1, topK: 0, topP: 1 };
const LOGITS = [0.5, 0.3, 0.15, 0.05].map(Math.log);
const NEVER = -1; // no token ends the text

/** @param {ArrayLike<number>} found @param {number[]} wanted */
const near = (found, wanted) =>
  wanted.forEach((value, i) => {
    assert.ok(Math.abs(found[i] - value) < 1e-9, `${found[i]}, wanted ${value}`);
  });

/** Chi-square of counts against probabilities. @param {number[]} counts @param {number[]} p */
function chiSquare(counts, p) {
  const total = sum(counts);
  return sum(counts.map((count, i) => (count - total * p[i]) ** 2 / (total * p[i])));
}

test("filtered keeps every token without a filter", () => {
  const { before, after, order, kept } = filtered(LOGITS, ALL);
  near(before, [0.5, 0.3, 0.15, 0.05]);
  near(after, [0.5, 0.3, 0.15, 0.05]);
  assert.deepEqual([order, kept], [[0, 1, 2, 3], 4]);
});

test("top-k keeps the k most likely tokens and divides by their sum", () => {
  near(filtered(LOGITS, { ...ALL, topK: 2 }).after, [0.625, 0.375, 0, 0]);
});

test("top-p keeps the token that crosses p, and the first one whatever p is", () => {
  assert.equal(filtered(LOGITS, { ...ALL, topP: 0.6 }).kept, 2);
  assert.equal(filtered(LOGITS, { ...ALL, topP: 0.81 }).kept, 3);
  near(filtered(LOGITS, { ...ALL, topP: 0.01 }).after, [1, 0, 0, 0]);
});

test("a temperature of 1/2 squares the probabilities", () => {
  const squares = [0.25, 0.09, 0.0225, 0.0025];
  near(
    filtered(LOGITS, { ...ALL, temperature: 0.5 }).after,
    squares.map((value) => value / sum(squares)),
  );
});

test("a forbidden token has no probability", () => {
  const { before, after, kept } = filtered(without(LOGITS, [0]), ALL);
  near(before, [0, 0.6, 0.3, 0.1]);
  near(after, [0, 0.6, 0.3, 0.1]);
  assert.equal(kept, 3);
});

test("draw gives each token its interval, and never one of weight 0", () => {
  const weights = [0, 2, 0, 6];
  assert.deepEqual(
    [0, 0.2499, 0.25, 0.9999].map((coin) => draw(weights, coin)),
    [1, 1, 3, 3],
  );
  assert.equal(draw(weights, 0, [3, 1]), 3);
  assert.throws(() => draw([0, 0], 0.5), /weights/);
});

test("an opened model is shared by the views of its bytes, and freed with them", async () => {
  /** @type {{bytes: DataView | null}} */
  const held = { bytes: new DataView(new ArrayBuffer(8)) };
  const model = /** @type {any} */ ({ get: () => held.bytes });
  const opening = openWriter(model);
  assert.equal(openWriter(model), opening);
  await assert.rejects(opening, /not a web model/);
  const known = new WeakRef(/** @type {DataView} */ (held.bytes));
  held.bytes = null;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  for (let i = 0; i < 5 && known.deref(); i++) {
    await setImmediate();
    collect();
  }
  assert.equal(known.deref(), undefined);
});

test("the same seed and place give the same coins, and other ones others", () => {
  const coins = (/** @type {number} */ seed, /** @type {number} */ place) => {
    const random = coinsAt(seed, place);
    return [random(), random()];
  };
  assert.deepEqual(coins(3, 7), coins(3, 7));
  const seen = new Set(range(30).flatMap((seed) => range(30).flatMap((place) => coins(seed, place))));
  assert.equal(seen.size, 1800);
});

test("the first coins of many seeds are uniform", () => {
  const counts = range(10).map(() => 0);
  for (const seed of range(4000)) counts[Math.floor(10 * coinsAt(seed, 5)())]++;
  assert.ok(chiSquare(counts, Array(10).fill(0.1)) < 27.9, "exceeded by chance once in a thousand times");
});

/** Two Markov models of six tokens: the distribution after a token depends on it. @param {number} shift */
const markov = (shift) =>
  range(6).map((last) => softmax(range(6).map((next) => 2 * Math.sin(1.7 * next + last + shift))));
const [LARGE, DRAFT] = [markov(0), markov(2)];

/** The first `length` tokens after token 0. @param {number} seed @param {number} ahead @param {number} length @param {boolean} checked */
function written(seed, ahead, length, checked) {
  const text = [0];
  for (let pass = 0; text.length <= length; pass++) {
    const random = coinsAt(seed, pass);
    const last = (/** @type {number[]} */ guessed) => [...text, ...guessed].at(-1) ?? 0;
    const guesses = guess(ahead, (guessed) => DRAFT[last(guessed)], random, NEVER);
    const tokens = guesses.map(({ token }) => token);
    const large = range(ahead + 1).map((i) => LARGE[last(tokens.slice(0, i))]);
    text.push(...(checked ? check(guesses, large, random, NEVER).written : tokens));
  }
  return text.slice(1, length + 1);
}

for (const ahead of [1, 2, 4])
  test(`speculative decoding with ${ahead} guesses has the large model's distribution of three tokens`, () => {
    const exact = range(216).map((i) => {
      const [a, b, c] = [Math.floor(i / 36), Math.floor(i / 6) % 6, i % 6];
      return LARGE[0][a] * LARGE[a][b] * LARGE[b][c];
    });
    const count = (/** @type {boolean} */ checked) => {
      const counts = Array(216).fill(0);
      for (const seed of range(20_000)) {
        const [a, b, c] = written(seed, ahead, 3, checked);
        counts[36 * a + 6 * b + c]++;
      }
      return chiSquare(counts, exact);
    };
    assert.ok(count(true) < 284, "215 degrees of freedom: exceeded by chance once in a thousand times");
    assert.ok(count(false) > 1000, "the unchecked draft must be told apart");
  });

test("a draft equal to the large model is always kept, and each pass writes one token more than it guesses", () => {
  const p = LARGE[0];
  for (const seed of range(50)) {
    const random = coinsAt(seed, 0);
    const guesses = guess(3, () => p, random, NEVER);
    const outcome = check(guesses, [p, p, p, p], random, NEVER);
    assert.equal(outcome.written.length, 4);
    assert.equal(outcome.added?.from, "bonus");
  }
});

test("a rejected guess is drawn anew from what the draft gave too little", () => {
  const guesses = [{ token: 0, q: [1, 0, 0] }];
  const outcome = check(guesses, [[0, 0, 1], []], () => 0.5, NEVER);
  assert.deepEqual(residual([0, 0, 1], [1, 0, 0]), [0, 0, 1]);
  assert.deepEqual(outcome.checked, [{ token: 0, q: 1, p: 0, ratio: 0, coin: 0.5, kept: false }]);
  assert.deepEqual([outcome.added, outcome.written], [{ token: 2, from: "residual" }, [2]]);
});

test("a kept guess that ends the text is the last token", () => {
  const p = [0.5, 0.5];
  const guesses = guess(
    4,
    () => p,
    () => 0.9,
    1,
  );
  assert.equal(guesses.length, 1);
  assert.deepEqual(check(guesses, [p, p], () => 0.1, 1).added, null);
});

test("tally counts guesses that were checked, and tokens per pass", () => {
  const one = (/** @type {boolean} */ kept) => ({ token: 0, q: 1, p: 1, ratio: 1, coin: 0, kept });
  const passes = [
    { checked: [one(true), one(false)], added: null, written: [1, 2] },
    { checked: [one(true), one(true)], added: null, written: [1, 2, 3] },
  ];
  const found = tally(passes);
  assert.deepEqual(found, { checked: 4, kept: 3, tokens: 5, passes: 2, rate: 0.75, perPass: 2.5 });
  assert.deepEqual([tally([]).rate, tally([]).perPass], [0, 0]);
});
