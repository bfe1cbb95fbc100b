// A language model in the page, writing or decoding speculatively: one module, so that a page carries its engine once.
import { render as speculate } from "./writing/speculate.js";
import { render as write } from "./writing/write.js";

/** @param {import("@anywidget/types").RenderProps} place */
const render = (place) => (place.model.get("draft") === undefined ? write : speculate)(place);

export default { render };
