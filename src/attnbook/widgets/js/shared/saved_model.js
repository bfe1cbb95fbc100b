// A model without a kernel, from what a notebook saved.
import { fileBeside } from "./beside.js";

/** The bytes of base64, by a plain loop: `Uint8Array.from` with a function takes 100 ms a megabyte. @param {string} text */
export function fromBase64(text) {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}

/**
 * What anywidget gives a widget as its model, as far as one without a kernel needs it.
 *
 * @param {{ state: Record<string, any>, buffers: { path: (string | number)[], data?: string, file?: string }[] }} saved
 *   a buffer that lies in a file becomes a function, which loads it
 */
export function savedModel({ state, buffers }) {
  /** @type {Map<string, Function[]>} */
  const listeners = new Map();
  for (const { path, data, file } of buffers) {
    const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
    owner[path[path.length - 1]] = file ? () => fileBeside(file) : new DataView(fromBase64(data ?? "").buffer);
  }
  const emit = (/** @type {string} */ name) => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener();
  };
  return {
    get: (/** @type {string} */ name) => state[name],
    set(/** @type {string} */ name, /** @type {any} */ value) {
      if (state[name] === value) return;
      state[name] = value;
      emit(`change:${name}`);
      emit("change");
    },
    on(/** @type {string} */ names, /** @type {Function} */ listener) {
      for (const name of names.split(" ")) listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
    off(/** @type {string | null} */ names, /** @type {Function | undefined} */ listener) {
      for (const name of names?.split(" ") ?? [...listeners.keys()])
        listeners.set(name, listener ? (listeners.get(name) ?? []).filter((known) => known !== listener) : []);
    },
    save_changes() {},
    send() {},
  };
}
