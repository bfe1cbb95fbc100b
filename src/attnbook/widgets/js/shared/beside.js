// Bytes that lie beside a page and are loaded when a reader asks for them. Each file is a classic script that hands over
// base64: a page opened from the disk may load such a script, and may fetch nothing.
import { fromBase64 } from "./saved_model.js";

/** @type {Map<string, (bytes: DataView) => void>} */
const waiting = new Map();
/** @type {Map<string, Promise<DataView>>} */
const known = new Map();

/** What a file calls. @param {string} name @param {string} data in base64 */
function arrived(name, data) {
  waiting.get(name)?.(new DataView(fromBase64(data).buffer));
}

/** The bytes of a file of `_widgets`, once a page. @param {string} name */
export function fileBeside(name) {
  const loading = known.get(name) ?? load(name);
  known.set(name, loading);
  loading.catch(() => known.delete(name)); // a reader may try again
  return loading;
}

/** @param {string} name @returns {Promise<DataView>} */
function load(name) {
  Object.assign(globalThis, { attnbookFile: arrived });
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root ?? "./"}_widgets/${name}.js`;
  const loading = new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    script.onload = () => reject(new Error(`${script.src} holds no ${name}`));
    script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
  });
  document.head.append(script);
  return loading.finally(() => script.remove());
}
