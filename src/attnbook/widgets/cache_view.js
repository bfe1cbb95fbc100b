// The size of a decoder's cache: choose layers, heads, groups, length and batch, and see the bytes.

const STYLE = `
.attnbook-cache .bar { fill: var(--calm); }
.attnbook-cache .bar.chosen { fill: var(--strong); }
.attnbook-cache .head { fill: none; stroke: currentColor; stroke-opacity: 0.7; }
.attnbook-cache .group { fill: var(--strong); }
.attnbook-cache .link { stroke: currentColor; stroke-opacity: 0.5; }
`;
const WIDTH = 640;

function cacheBytes({ layers, groups, head_dim, length, batch, bytes_per_number }) {
  return 2 * layers * groups * head_dim * length * batch * bytes_per_number;
}

function inWords(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${unit ? bytes.toFixed(bytes < 10 ? 2 : 1) : bytes} ${units[unit]}`;
}

const NAMES = ["layers", "heads", "groups", "head_dim", "length", "batch", "bytes_per_number"];
const divisors = (n) => Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0);

function render({ model, el }) {
  const view = frame(el, "attnbook-cache", STYLE);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} 250`, role: "img", "aria-label": model.get("alt") }, view.root);
  const heading = svg("text", { x: 8, y: 20 }, picture);
  const drawing = svg("g", {}, picture);
  const bars = ["multi-head", "chosen", "multi-query"].map((name, i) => {
    const top = 128 + i * 42;
    const label = svg("text", { x: 8, y: top + 2 }, picture);
    return { label, bar: svg("rect", { class: name === "chosen" ? "bar chosen" : "bar", x: 8, y: top + 8, height: 14, rx: 2 }, picture) };
  });

  const controls = element("div", { className: "controls" }, view.root);
  const presets = model.get("presets");
  const names = Object.keys(presets);
  const preset = choice(controls, "Model", [["", "of your own"], ...names.map((name) => [name, name])]);
  const layers = slider(controls, "Layers", 1, 128, 1);
  const heads = choice(controls, "Query heads", [1, 2, 4, 8, 16, 32, 64, 128].map((n) => [n, n]));
  const groups = choice(controls, "Key-value heads (groups)", []);
  const size = choice(controls, "Size of a head", [16, 32, 64, 128, 256, 512].map((n) => [n, n]));
  const length = slider(controls, "Tokens so far", 0, 20, 1); // powers of two
  const batch = slider(controls, "Sequences at once", 0, 10, 1);
  const precision = choice(controls, "Bytes of a number", [[4, "4 (fp32)"], [2, "2 (bf16)"], [1, "1 (8 bits)"]]);
  const said = spoken(view.root);

  const set = (changes) => {
    const heads = changes.heads ?? model.get("heads");
    const wanted = changes.groups ?? model.get("groups");
    if (heads % wanted) changes.groups = divisors(heads).filter((d) => d <= wanted).pop();
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  // A number that the constructor was given and that the list does not offer is offered too.
  const choose = (node, value) => {
    if (![...node.options].some((option) => Number(option.value) === value)) node.append(new Option(value, value));
    node.value = value;
  };

  function draw() {
    const now = Object.fromEntries(NAMES.map((name) => [name, model.get(name)]));
    const found = names.find((name) => {
      const [l, h, g, d] = presets[name];
      return l === now.layers && h === now.heads && g === now.groups && d === now.head_dim;
    });
    preset.value = found ?? "";
    layers.value = now.layers;
    choose(heads, now.heads);
    groups.replaceChildren(...divisors(now.heads).map((d) => new Option(d, d)));
    groups.value = now.groups;
    choose(size, now.head_dim);
    length.value = Math.log2(now.length);
    length.setAttribute("aria-valuetext", `${now.length} tokens`);
    batch.value = Math.log2(now.batch);
    batch.setAttribute("aria-valuetext", `${now.batch} sequences`);
    precision.value = now.bytes_per_number;

    // Query heads above, the key-value heads that they share below.
    const each = now.heads / now.groups;
    heading.textContent = `${now.heads} query heads, ${now.groups} key-value ${now.groups === 1 ? "head" : "heads"}`;
    const step = (WIDTH - 16) / now.heads;
    const radius = Math.min(8, step * 0.4);
    const place = (i) => 8 + (i + 0.5) * step;
    drawing.replaceChildren();
    for (let g = 0; g < now.groups; g++) {
      const middle = place(g * each + (each - 1) / 2);
      for (let i = g * each; i < (g + 1) * each; i++)
        svg("line", { class: "link", x1: place(i), y1: 42 + radius, x2: middle, y2: 88 }, drawing);
      svg("rect", { class: "group", x: middle - radius, y: 88, width: 2 * radius, height: 2 * radius }, drawing);
    }
    for (let i = 0; i < now.heads; i++) svg("circle", { class: "head", cx: place(i), cy: 42, r: radius }, drawing);

    const full = cacheBytes({ ...now, groups: now.heads });
    const kinds = [["multi-head", now.heads], [`${now.groups} key-value heads`, now.groups], ["multi-query", 1]];
    kinds.forEach(([name, count], i) => {
      const bytes = cacheBytes({ ...now, groups: count });
      bars[i].label.textContent = `${name}: ${inWords(bytes)}`;
      bars[i].bar.setAttribute("width", Math.max(2, (bytes / full) * (WIDTH - 16)).toFixed(1));
    });
    const bytes = cacheBytes(now);
    said.textContent =
      `After ${now.length.toLocaleString("en")} tokens ${now.batch === 1 ? "in one sequence" : `in each of ${now.batch} sequences`} ` +
      `the cache holds ${bytes.toLocaleString("en")} bytes, ${inWords(bytes)}: ` +
      `2 × ${now.layers} layers × ${now.groups} × ${now.head_dim} numbers a token. ` +
      (each > 1 ? `With a key-value head for every query head it would be ${each} times as much.` : "Every query head has keys and values of its own.");
  }

  preset.addEventListener("change", () => {
    if (!preset.value) return;
    const [l, h, g, d] = presets[preset.value];
    set({ layers: l, heads: h, groups: g, head_dim: d });
  });
  layers.addEventListener("input", () => set({ layers: Number(layers.value) }));
  heads.addEventListener("change", () => set({ heads: Number(heads.value) }));
  groups.addEventListener("change", () => set({ groups: Number(groups.value) }));
  size.addEventListener("change", () => set({ head_dim: Number(size.value) }));
  length.addEventListener("input", () => set({ length: 2 ** Number(length.value) }));
  batch.addEventListener("input", () => set({ batch: 2 ** Number(batch.value) }));
  precision.addEventListener("change", () => set({ bytes_per_number: Number(precision.value) }));
  view.keepLabels(picture);
  return view.drawOn(model, NAMES, draw);
}

export default { render };
