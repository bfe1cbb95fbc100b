// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/shared/beside.js
var waiting = /* @__PURE__ */ new Map();
var known = /* @__PURE__ */ new Map();
function arrived(name, data) {
  waiting.get(name)?.(new DataView(fromBase64(data).buffer));
}
function fileBeside(name) {
  const loading = known.get(name) ?? load(name);
  known.set(name, loading);
  loading.catch(() => known.delete(name));
  return loading;
}
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

// src/attnbook/widgets/js/shared/saved_model.js
function fromBase64(text) {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}
function savedModel({ state, buffers }) {
  const listeners = /* @__PURE__ */ new Map();
  for (const { path, data, file } of buffers) {
    const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
    owner[path[path.length - 1]] = file ? () => fileBeside(file) : new DataView(fromBase64(data ?? "").buffer);
  }
  const emit = (name) => {
    for (const listener of [...listeners.get(name) ?? []]) listener();
  };
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      emit(`change:${name}`);
      emit("change");
    },
    on(names, listener) {
      for (const name of names.split(" ")) listeners.set(name, [...listeners.get(name) ?? [], listener]);
    },
    off(names, listener) {
      for (const name of names?.split(" ") ?? [...listeners.keys()])
        listeners.set(name, listener ? (listeners.get(name) ?? []).filter((known2) => known2 !== listener) : []);
    },
    save_changes() {
    },
    send() {
    }
  };
}

// src/attnbook/widgets/js/static.js
var modules = /* @__PURE__ */ new Map();
function load2(key) {
  const known2 = modules.get(key);
  if (known2) return known2;
  const text = JSON.parse(document.querySelector(`[data-attnbook-module="${key}"]`)?.textContent ?? "");
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const loading = import(url).finally(() => URL.revokeObjectURL(url));
  modules.set(key, loading);
  return loading;
}
async function mount(element) {
  const saved = JSON.parse(element.querySelector(":scope > [data-attnbook-state]")?.textContent ?? "");
  const exported = (await load2(element.dataset.attnbookWidget ?? "")).default;
  const widget = typeof exported === "function" ? await exported() : exported;
  const model = savedModel(saved);
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
  const place = (
    /** @type {HTMLElement} */
    element
  );
  place.dataset.attnbookMounted = "no";
  mount(place).catch((error) => console.error("attnbook: a widget stays a picture:", error));
}
