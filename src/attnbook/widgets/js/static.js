// Mounts the saved widgets of a page without a kernel, network or library.
//
// For each widget the page has an element [data-attnbook-widget] with its state as JSON. It has the ES module of each kind
// of widget once, [data-attnbook-module], and bytes such as a model's weights once, [data-attnbook-bytes], both as a JSON
// string that the widgets name by a hash. A module is imported through a Blob URL because file:// pages cannot import
// modules by URL. If anything fails, the static picture in the element stays.
import { fromBase64 } from "./shared/base64.js";
import { savedModel } from "./shared/saved_model.js";

/** @type {Map<string, Promise<any>>} */
const modules = new Map();
/** @type {Map<string, DataView>} */
const bytes = new Map();

/** A text that the page carries for all widgets that name it. @param {"module" | "bytes"} kind @param {string} name @returns {string} */
const carried = (kind, name) =>
  JSON.parse(document.querySelector(`[data-attnbook-${kind}="${name}"]`)?.textContent ?? "");

/** Decoded once for all widgets. @param {string} name */
function bytesOf(name) {
  const known = bytes.get(name) ?? new DataView(fromBase64(carried("bytes", name)).buffer);
  bytes.set(name, known);
  return known;
}

/** @param {string} key */
function load(key) {
  const known = modules.get(key);
  if (known) return known;
  const url = URL.createObjectURL(new Blob([carried("module", key)], { type: "text/javascript" }));
  const loading = import(url).finally(() => URL.revokeObjectURL(url));
  modules.set(key, loading);
  return loading;
}

/** @param {HTMLElement} element */
async function mount(element) {
  const saved = JSON.parse(element.querySelector(":scope > [data-attnbook-state]")?.textContent ?? "");
  const exported = (await load(element.dataset.attnbookWidget ?? "")).default;
  const widget = typeof exported === "function" ? await exported() : exported;
  const model = savedModel(saved, bytesOf);
  const el = document.createElement("div");
  await widget.initialize?.({ model });
  element.append(el);
  try {
    await widget.render({ model, el });
  } catch (error) {
    el.remove();
    throw error;
  }
  element.querySelector(":scope > [data-attnbook-picture]")?.setAttribute("hidden", "");
  element.dataset.attnbookMounted = "yes";
}

for (const element of document.querySelectorAll("[data-attnbook-widget]:not([data-attnbook-mounted])")) {
  const place = /** @type {HTMLElement} */ (element);
  place.dataset.attnbookMounted = "no";
  mount(place).catch((error) => console.error("attnbook: cannot mount a widget, showing its picture instead:", error));
}
