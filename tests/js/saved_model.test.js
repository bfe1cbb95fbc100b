import assert from "node:assert/strict";
import test from "node:test";
import { fromBase64 } from "../../src/attnbook/widgets/js/shared/base64.js";
import { savedModel } from "../../src/attnbook/widgets/js/shared/saved_model.js";

test("base64 becomes its bytes", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromBase64(Buffer.from(bytes).toString("base64")), bytes);
});

test("a model gives its state, its buffers as views, and tells its listeners until they leave", () => {
  const carried = new DataView(Uint8Array.of(1, 2, 3).buffer);
  const bytesOf = (/** @type {string} */ name) => (name === "a1" ? carried : assert.fail(name));
  const saved = { state: { step: 1, deep: {} }, buffers: [{ path: ["deep", "data"], bytes: "a1" }] };
  const model = savedModel(saved, bytesOf);
  assert.equal(model.get("deep").data, carried);
  /** @type {string[]} */
  const heard = [];
  const listener = () => heard.push(`now ${model.get("step")}`);
  model.on("change:step change:other", listener);
  model.set("step", 2);
  model.set("step", 2);
  model.off("change:step", listener);
  model.set("step", 3);
  assert.deepEqual(heard, ["now 2"]);
});
