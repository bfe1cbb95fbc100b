// Brings the saved widgets of a page to life: no kernel, no network, no library.
//
// A page holds, for every widget, an element [data-attnbook-widget] with its state as JSON, and once per kind of widget its
// ES module as a JSON string, [data-attnbook-module]. The module is imported through a Blob URL, because a script
// loaded by address is refused on file://. Whatever fails, the picture in the element stays.
const modules = new Map();

function load(key) {
  if (!modules.has(key)) {
    const text = JSON.parse(document.querySelector(`[data-attnbook-module="${key}"]`).textContent);
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    modules.set(key, import(url).finally(() => URL.revokeObjectURL(url)));
  }
  return modules.get(key);
}

function savedModel({ state, buffers }) {
  const listeners = new Map();
  for (const { path, data } of buffers) {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const owner = path.slice(0, -1).reduce((value, key) => value[key], state);
    owner[path.at(-1)] = new DataView(bytes.buffer);
  }
  const emit = (name) => [...(listeners.get(name) ?? [])].forEach((listener) => listener());
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      emit(`change:${name}`);
      emit("change");
    },
    on(names, listener) {
      for (const name of names.split(" ")) listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
    off(names, listener) {
      for (const name of names?.split(" ") ?? [...listeners.keys()])
        listeners.set(name, listener ? (listeners.get(name) ?? []).filter((known) => known !== listener) : []);
    },
    save_changes() {},
    send() {},
  };
}

async function mount(element) {
  const saved = JSON.parse(element.querySelector(":scope > [data-attnbook-state]").textContent);
  const exported = (await load(element.dataset.attnbookWidget)).default;
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
  element.querySelector(":scope > [data-attnbook-picture]").hidden = true;
  element.dataset.attnbookMounted = "yes";
}

for (const element of document.querySelectorAll("[data-attnbook-widget]:not([data-attnbook-mounted])")) {
  element.dataset.attnbookMounted = "no";
  mount(element).catch((error) => console.error("attnbook: a widget stays a picture:", error));
}
