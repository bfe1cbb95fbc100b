// Size of a key-value cache by layers, heads, groups, length and batch.

import { choice, POWERS, slider } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const STYLE = `
.cache .bar { fill: var(--line); }
.cache .bar.chosen { fill: var(--key); }
.cache .head { fill: none; stroke: var(--query); stroke-width: 1.5; }
.cache .group { fill: var(--key); }
.cache .link { stroke: var(--ink); stroke-opacity: 0.5; }
.cache .controls { grid-template-columns: repeat(12, minmax(0, 1fr)); column-gap: 8px; }
.cache .controls > * { grid-column: span 6; }
.cache .controls > :first-child { grid-column: span 8; }
.cache .controls > :nth-child(2) { grid-column: span 4; }
@container (min-width: 560px) {
  .cache .controls { grid-template-columns: repeat(20, minmax(0, 1fr)); }
  .cache .controls > * { grid-column: span 4; }
  .cache .controls > :nth-child(n + 5) { grid-column: span 5; }
}
`;
const WIDTH = 640;
const NAMES = /** @type {const} */ (["layers", "heads", "groups", "head_dim", "length", "batch", "bytes_per_number"]);

/** @typedef {Record<(typeof NAMES)[number], number>} Sizes */
/** The largest value of each size, from Python. @typedef {Omit<Sizes, "bytes_per_number">} Limits */

/** @param {Omit<Sizes, "heads">} sizes */
export function cacheBytes({ layers, groups, head_dim, length, batch, bytes_per_number }) {
  return 2 * layers * groups * head_dim * length * batch * bytes_per_number;
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let size = bytes;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit ? size.toFixed(size < 10 ? 2 : 1) : size} ${units[unit]}`;
}

/** Powers of two from `first` to `last`. @param {number} first @param {number} last */
export const powersOfTwo = (first, last) => range(Math.floor(Math.log2(last / first)) + 1).map((i) => first * 2 ** i);

/** @param {number} n */
export const divisors = (n) => range(n + 1).filter((d) => d > 0 && n % d === 0);
/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** @param {Sizes} now */
function summary(now) {
  const bytes = cacheBytes(now);
  const each = now.heads / now.groups;
  const where = now.batch === 1 ? "in one sequence" : `in each of ${now.batch} sequences`;
  const compared =
    each > 1
      ? `Multi-head attention would need ${each} times as much.`
      : "Every query head has its own keys and values.";
  return (
    `After ${counted(now.length, "token", "tokens")} ${where} the cache holds ${bytes.toLocaleString("en")} bytes, ` +
    `${formatBytes(bytes)}: 2 × ${now.layers} layers × ${now.groups} × ${now.head_dim} numbers per token. ${compared}`
  );
}

/** Draws query heads above the key-value heads that they share. @param {SVGGElement} drawing @param {Sizes} now */
function drawHeads(drawing, { heads, groups }) {
  const each = heads / groups;
  const step = (WIDTH - 16) / heads;
  const radius = Math.min(8, step * 0.4);
  const place = (/** @type {number} */ i) => 8 + (i + 0.5) * step;
  const box = { y: 88, width: 2 * radius, height: 2 * radius };
  drawing.replaceChildren(
    ...range(heads).map((i) => {
      const middle = place(Math.floor(i / each) * each + (each - 1) / 2);
      return svg("line", { class: "link", x1: place(i), y1: 42 + radius, x2: middle, y2: 88 });
    }),
    ...range(groups).map((g) => svg("rect", { class: "group", x: place(g * each + (each - 1) / 2) - radius, ...box })),
    ...range(heads).map((i) => svg("circle", { class: "head", cx: place(i), cy: 42, r: radius })),
  );
}

/** Bars for multi-head attention, the chosen number of groups and multi-query attention. @param {SVGSVGElement} picture */
function bars(picture) {
  const parts = ["multi-head", "chosen", "multi-query"].map((name, i) => {
    const top = 128 + i * 42;
    const label = svg("text", { x: 8, y: top + 2 });
    const bar = svg("rect", { class: name === "chosen" ? "bar chosen" : "bar", x: 8, y: top + 8, height: 14, rx: 2 });
    picture.append(label, bar);
    return { label, bar };
  });
  return (/** @type {Sizes} */ now) => {
    const whole = cacheBytes({ ...now, groups: now.heads });
    const cases = [
      ["multi-head attention", now.heads],
      [counted(now.groups, "group", "groups"), now.groups],
      ["multi-query attention", 1],
    ];
    cases.forEach(([name, groups], i) => {
      const bytes = cacheBytes({ ...now, groups: Number(groups) });
      write(parts[i].label, `${name}: ${formatBytes(bytes)}`);
      set(parts[i].bar, { width: Math.max(2, (bytes / whole) * (WIDTH - 16)).toFixed(1) });
    });
  };
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "cache",
    title: "Size of the key-value cache",
    tip: "choose Llama 2 7B and reduce the key-value heads from 32 to 8. How large is the cache now?",
    style: STYLE,
    names: NAMES,
  });
  const picture = view.picture(WIDTH, 250);
  const heading = svg("text", { x: 8, y: 20 });
  const drawing = svg("g");
  picture.append(heading, drawing);
  const drawBars = bars(picture);

  const change = (/** @type {Partial<Sizes>} */ changes) => {
    const heads = changes.heads ?? model.get("heads");
    const wanted = changes.groups ?? model.get("groups");
    view.change(
      heads % wanted
        ? {
            ...changes,
            groups: divisors(heads)
              .filter((d) => d <= wanted)
              .pop(),
          }
        : changes,
    );
  };
  const limits = /** @type {Limits} */ (model.get("limits"));
  const controls = makeControls(model.get("presets"), limits, change);
  view.controls.append(...controls.elements);
  view.reserve([summary({ ...limits, groups: limits.groups / 2, bytes_per_number: 4 })]);
  return view.start(() => {
    const now = /** @type {Sizes} */ (Object.fromEntries(NAMES.map((name) => [name, model.get(name)])));
    controls.show(now);
    write(
      heading,
      `${counted(now.heads, "query head", "query heads")}, ${counted(now.groups, "key-value head", "key-value heads")}`,
    );
    drawHeads(drawing, now);
    drawBars(now);
    view.say(summary(now));
  });
}

/**
 * @param {Record<string, [number, number, number, number]>} presets layers, heads, groups and head_dim by name
 * @param {Limits} limits @param {(changes: Partial<Sizes>) => void} change
 */
function makeControls(presets, limits, change) {
  const names = Object.keys(presets);
  const preset = choice(
    "Model",
    [["", "custom"], ...names.map((name) => /** @type {[string, string]} */ ([name, name]))],
    (name) => {
      if (!name) return;
      const [layers, heads, groups, head_dim] = presets[name];
      change({ layers, heads, groups, head_dim });
    },
  );
  const pairs = (/** @type {number[]} */ numbers) => numbers.map((n) => /** @type {[number, number]} */ ([n, n]));
  const layers = slider("Layers", { min: 1, max: limits.layers }, (value) => change({ layers: value }));
  const heads = choice("Query heads", pairs(powersOfTwo(1, limits.heads)), (value) => change({ heads: Number(value) }));
  const groups = choice("Key-value heads", [], (value) => change({ groups: Number(value) }));
  const size = choice("Head size", pairs(powersOfTwo(16, limits.head_dim)), (value) =>
    change({ head_dim: Number(value) }),
  );
  const tokens = {
    min: 0,
    max: Math.log2(limits.length),
    scale: POWERS,
    says: (/** @type {number} */ n) => n.toLocaleString("en"),
  };
  const length = slider("Tokens", tokens, (value) => change({ length: value }));
  const sequences = { min: 0, max: Math.log2(limits.batch), scale: POWERS };
  const batch = slider("Sequences", sequences, (value) => change({ batch: value }));
  const bytes = choice(
    "Bytes per number",
    [
      [4, "4 (fp32)"],
      [2, "2 (bf16)"],
      [1, "1 (8 bits)"],
    ],
    (value) => change({ bytes_per_number: Number(value) }),
  );
  return {
    elements: [preset, layers, heads, groups, size, bytes, length, batch].map((control) => control.element),
    /** @param {Sizes} now */
    show(now) {
      const own = [now.layers, now.heads, now.groups, now.head_dim];
      preset.show(names.find((name) => presets[name].every((number, i) => number === own[i])) ?? "");
      groups.offer(pairs(divisors(now.heads)));
      layers.show(now.layers);
      heads.show(now.heads);
      groups.show(now.groups);
      size.show(now.head_dim);
      length.show(now.length);
      batch.show(now.batch);
      bytes.show(now.bytes_per_number);
    },
  };
}

export default { render };
