// The state of widgets as text in an address, and what an address may not do.
import assert from "node:assert/strict";
import test from "node:test";
import { FrameLayout } from "../../src/attnbook/widgets/js/attention/frame_layout.js";
import { firstState } from "../../src/attnbook/widgets/js/attention/state.js";
import { fromText, toText } from "../../src/attnbook/widgets/js/attention/url_state.js";
import { formatFragment, parseFragment, slug } from "../../src/attnbook/widgets/js/shared/url_fragment.js";

const kind = { query: "tokens", key: "tokens", layers: ["a", "b"], heads: 3, gold: false };
const PLAN = new FrameLayout({
  ...{ id: "x", title: "Example", views: ["mean", "max"], measured_gold: [false, false] },
  kinds: [
    { ...kind, label: "self-attention" },
    { ...kind, label: "rollout", heads: 1, layers: ["c"] },
  ],
  sentences: [["le", "chat"], ["dort"]].map((tokens) => ({
    ...{ label: tokens.join(" "), gold: null, picture: null },
    axes: { tokens },
  })),
});
const FIRST = firstState(PLAN);

test("parseFragment gives each widget its own part and ignores a section's name", () => {
  /** @type {Map<string, Record<string, string>>} */
  const named = new Map();
  named.set("view-gpt-2", { step: "40", pin: "row 3" });
  named.set("translate", { sentence: 'a "b" & c=d #.+%' });
  assert.deepEqual(parseFragment(`#${formatFragment(named)}`), named);
  assert.deepEqual(parseFragment("#what-a-recording-sees"), new Map());
  assert.deepEqual(parseFragment("#a.b=1&%E0%A4%A&c"), new Map([["a", { b: "1" }]]));
  assert.deepEqual(Object.entries(parseFragment("#a.__proto__=1&a.toString=2").get("a") ?? {}), [
    ["__proto__", "1"],
    ["toString", "2"],
  ]);
});

test("a name is short, of plain letters, and says what it is of", () => {
  assert.equal(slug("view", "Luong's attention, global"), "view-luong-s-attention-global");
  assert.equal(slug("view", "注意力"), "view");
  assert.ok(slug("view", "x".repeat(200)).length <= 60);
});

test("a state comes back from its text", () => {
  /** @type {import("../../src/attnbook/widgets/js/attention/state.js").State} */
  const state = {
    ...FIRST,
    ...{ kind: 0, sentence: 0, layer: 0, head: 2, view: "lines", gold: false, stretch: true },
    ...{ pin: { axis: "column", index: 1 }, compare: "head", other: "1 1", difference: true },
    ...{ hide: "share", least: 0.07, order: "distance", curve: "lr" },
  };
  const { at, follow, aim, hover, over, otherStep, kind, sentence, ...sent } = state; // these are as at first
  assert.deepEqual(fromText(toText(state, FIRST, 40), PLAN, FIRST), { ...sent, step: 40 });
  assert.deepEqual(toText(FIRST, FIRST, 0), { step: "0" });
});

test("what this view has not is left out, and the rest is taken", () => {
  const strange = {
    ...{ kind: "7", sentence: "-1", layer: "1e3", head: "<b>", view: "constructor", pin: "row 9", least: "0.5.1" },
    ...{ compare: "toString", other: "1 1 1", otherStep: "NaN", hide: "all", order: "error", stretch: "1" },
  };
  const nothing = { layer: FIRST.layer, head: FIRST.head, compare: "", other: "" };
  assert.deepEqual(fromText(strange, PLAN, FIRST), {});
  assert.deepEqual(fromText({ ...strange, step: "40" }, PLAN, FIRST), { step: 40, ...nothing });
  assert.deepEqual(fromText(null, PLAN, FIRST), {});
  const inherited = Object.create({ step: "40" });
  assert.deepEqual(fromText(inherited, PLAN, FIRST), {});
  const rollout = fromText({ kind: "1", layer: "1", head: "2", compare: "head", other: "0 0" }, PLAN, FIRST);
  assert.deepEqual(rollout, { kind: 1, layer: 0, head: 0, compare: "", other: "" });
});
