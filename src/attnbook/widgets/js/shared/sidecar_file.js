// Binary files next to a page, loaded on demand. Each file is a classic script that passes on base64 text: a page opened
// from disk (file://) may load scripts but must not fetch.
import { fromBase64 } from "./base64.js";

/** @type {Map<string, (bytes: DataView) => void>} */
const waiting = new Map();
/** @type {Map<string, Promise<DataView>>} */
const loaded = new Map();

/** Called by each file. @param {string} name @param {string} data base64 */
function receive(name, data) {
  waiting.get(name)?.(new DataView(fromBase64(data).buffer));
}

/** Loads a file from `_widgets`, at most once per page. @param {string} name */
export function loadSidecarFile(name) {
  const loading = loaded.get(name) ?? load(name);
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name)); // allow a retry
  return loading;
}

/** @param {string} name @returns {Promise<DataView>} */
function load(name) {
  Object.assign(globalThis, { attnbookFile: receive });
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root ?? "./"}_widgets/${name}.js`;
  const loading = new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    script.onload = () => reject(new Error(`${script.src} does not contain ${name}`));
    script.onerror = () => reject(new Error(`cannot load ${script.src}`));
  });
  document.head.append(script);
  return loading.finally(() => script.remove());
}
