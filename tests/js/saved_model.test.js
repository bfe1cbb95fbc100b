import assert from "node:assert/strict";
import test from "node:test";
import { fromBase64 } from "../../src/attnbook/widgets/js/shared/base64.js";
import { savedModel } from "../../src/attnbook/widgets/js/shared/saved_model.js";

test("base64 becomes its bytes", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromBase64(Buffer.from(bytes).toString("base64")), bytes);
});

test("a model gives its state, its buffers as views, and tells its listeners until they leave", () => {
  const model = savedModel({ state: { step: 1, deep: {} }, buffers: [{ path: ["deep", "data"], data: "AQID" }] });
  assert.deepEqual(new Uint8Array(model.get("deep").data.buffer), new Uint8Array([1, 2, 3]));
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
