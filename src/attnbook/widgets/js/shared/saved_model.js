// A widget model without a kernel, restored from saved notebook state.
import { loadSidecarFile } from "./sidecar_file.js";

/**
 * The part of anywidget's model interface that works without a kernel.
 *
 * @param {{ state: Record<string, any>, buffers: { path: (string | number)[], bytes?: string, file?: string }[] }} saved
 *   a buffer stored in a file becomes a function that loads it
 * @param {(name: string) => DataView} bytesOf bytes that the page carries
 */
export function savedModel({ state, buffers }, bytesOf) {
  /** @type {Map<string, Function[]>} */
  const listeners = new Map();
  for (const { path, bytes, file } of buffers) {
    const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
    owner[path[path.length - 1]] = file ? () => loadSidecarFile(file) : bytesOf(bytes ?? "");
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
