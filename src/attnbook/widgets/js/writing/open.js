// Opens the language model of a widget.
import { readLanguageModel } from "../engine/model_file.js";

/** Weak: a notebook makes new bytes each time a cell runs. @type {WeakMap<DataView, Promise<import("../engine/model_file.js").Writer>>} */
const opened = new WeakMap();

/** The bytes are read once for all views of a widget. @param {import("@anywidget/types").AnyModel} model */
export function openWriter(model) {
  const content = /** @type {DataView} */ (model.get("content"));
  const known = opened.get(content) ?? readLanguageModel(/** @type {DataView<ArrayBuffer>} */ (content));
  opened.set(content, known);
  return known;
}
