// Objects on a table: saliency and intention determine their attention weights.

import { checkbox, choice, slider } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { dot, maskedSoftmax } from "./shared/linear_algebra.js";
import { range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const COLUMNS = 3;
const CELL = { width: 213, height: 176 };
const STYLE = `
.scene { --red: #c62828; --paper: #fbf8ef; --glow: #f2b632; }
.scene[data-theme=dark] { --red: #ff6f61; --paper: #34343c; --glow: #8f6d0c; }
.scene .thing { cursor: pointer; }
.scene .area { fill: transparent; }
.scene .thing:hover .area { fill: var(--ink); fill-opacity: 0.06; }
.scene .glow { fill: var(--glow); }
.scene .shape * { stroke: var(--ink); stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; fill: none; }
.scene .shape .body { fill: var(--paper); }
.scene .shape .red { fill: var(--red); }
.scene .shape[data-gone=true] { opacity: 0.15; }
.scene .bar { fill: var(--weight); }
.scene .rail { fill: var(--ink); fill-opacity: 0.15; }
.scene .controls > :first-child { grid-column: span 2; }
@container (min-width: 620px) { .scene .controls > .check { grid-column: span 2; } }
.scene fieldset { display: flex; flex-wrap: wrap; gap: 0 16px; grid-column: 1 / -1; border: 0; padding: 0; margin: 0; }
.scene legend { padding: 0; color: var(--muted); font-size: 13px; }
`;
/** Paths in a 100 x 100 box; "body" is the part that is painted. @type {Record<string, [string, string][]>} */
const SHAPES = {
  cup: [
    ["body", "M22 34H70L64 86H28Z"],
    ["", "M69 44C92 42 92 70 66 70"],
  ],
  newspaper: [
    ["body", "M14 22H86V84H14Z"],
    ["", "M22 34H78M22 48H46M22 58H46M22 68H46M54 48H78M54 58H78M54 68H78"],
  ],
  book: [
    ["body", "M50 32C38 22 22 22 10 26V80C22 76 38 76 50 86C62 76 78 76 90 80V26C78 22 62 22 50 32Z"],
    ["", "M50 32V86M20 40L40 44M20 52L40 56M60 44L80 40M60 56L80 52"],
  ],
  lamp: [
    ["body", "M36 12H64L82 48H18Z"],
    ["", "M50 48V84M32 86H68M22 60L14 68M78 60L86 68"],
  ],
  plant: [
    ["body", "M32 62H68L62 90H38Z"],
    ["", "M50 62V28M50 44C30 44 24 30 24 18C42 20 50 30 50 44M50 52C68 52 76 40 76 26C60 28 50 38 50 52"],
  ],
  bottle: [
    ["body", "M42 8H58V30C68 36 70 42 70 50V90H30V50C30 42 32 36 42 30Z"],
    ["", "M30 58H70M30 74H70"],
  ],
};
/** @type {[string, string][]} */
const WISHES = [
  ["0", "nothing in particular"],
  ["printed", "something to read"],
  ["drink", "something to drink"],
  ["red", "something red"],
  ["own", "as the sliders say"],
];
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)} %`;
const WISHED = 4; // query value of a preset

/** Distance of each key from the mean of the others. @param {number[][]} keys */
export function saliency(keys) {
  return keys.map((key, i) => {
    const others = keys.filter((_, j) => j !== i);
    if (!others.length) return 0;
    return Math.hypot(...key.map((x, f) => x - sum(others.map((other) => other[f])) / others.length));
  });
}

/**
 * The weight of each object; 0 if it is not on the table.
 *
 * @param {number[][]} keys @param {number[]} query @param {number} pull @param {boolean[]} present
 */
export function sceneWeights(keys, query, pull, present) {
  const there = range(keys.length).filter((i) => present[i]);
  const drawn = saliency(there.map((i) => keys[i]));
  const scores = keys.map((key, i) => dot(key, query) + pull * (drawn[there.indexOf(i)] ?? 0));
  return [...maskedSoftmax(scores, (i) => present[i])];
}

/** The preset that a query matches. @param {number[]} query @param {string[]} features */
function wishOf(query, features) {
  const asked = features.filter((_, f) => query[f] !== 0);
  if (!asked.length) return "0";
  const known = asked.length === 1 && WISHES.some(([name]) => name === asked[0]);
  return known && query[features.indexOf(asked[0])] === WISHED ? asked[0] : "own";
}

/** Draws the objects, one per cell. @param {SVGSVGElement} picture @param {string[]} names @param {(thing: number) => void} toggle */
function things(picture, names, toggle) {
  return names.map((name, i) => {
    const paths = SHAPES[name].map(([kind, d]) => svg("path", { class: kind, d }));
    const parts = {
      glow: svg("ellipse", { class: "glow", cx: CELL.width / 2, cy: 66, rx: 96, ry: 64 }),
      shape: svg("g", { class: "shape", transform: `translate(${CELL.width / 2 - 50} 14)` }, ...paths),
      words: svg("text", { class: "share", x: CELL.width / 2, y: 148, "text-anchor": "middle" }),
      bar: svg("rect", { class: "bar", x: 30, y: 158, height: 8 }),
    };
    const corner = `translate(${(i % COLUMNS) * CELL.width} ${Math.floor(i / COLUMNS) * CELL.height})`;
    const group = svg(
      "g",
      { class: "thing", transform: corner },
      svg("rect", { class: "area", width: CELL.width, height: CELL.height, rx: 8 }),
      parts.glow,
      parts.shape,
      parts.words,
      svg("rect", { class: "rail", x: 30, y: 158, width: CELL.width - 60, height: 8 }),
      parts.bar,
    );
    group.addEventListener("click", () => toggle(i));
    picture.append(group);
    return { ...parts, body: paths[0] };
  });
}

/**
 * @param {ReturnType<typeof things>[number]} thing @param {string} name
 * @param {{ weight: number, there: boolean, red: boolean }} now
 */
function drawThing({ glow, shape, body, bar, words }, name, { weight, there, red }) {
  set(glow, { "fill-opacity": (0.9 * weight ** 0.75).toFixed(3) });
  set(shape, { "data-gone": String(!there) });
  set(body, { class: red ? "body red" : "body" });
  set(bar, { width: (weight * (CELL.width - 60)).toFixed(2) });
  write(words, `${name} ${there ? percent(weight) : "–"}`);
}

/** The picture's text alternative, as in scene_view.py. @param {string[]} names @param {number[]} weights @param {boolean[]} present */
function alternative(names, weights, present) {
  const there = range(names.length).filter((i) => present[i]);
  if (!there.length) return "An empty table.";
  const shares = there.toSorted((a, b) => weights[b] - weights[a]).map((i) => `${names[i]} ${percent(weights[i])}`);
  return `Things on a table, each in a pool of light as strong as its attention weight: ${shares.join(", ")}.`;
}

/** @param {string[]} names @param {number[]} weights @param {boolean[]} present @param {string[]} offers @param {number[][]} value */
function summary(names, weights, present, offers, value) {
  const there = range(names.length).filter((i) => present[i]);
  if (!there.length) return "The table is empty: there is nothing to attend to.";
  const [first, second] = there.toSorted((a, b) => weights[b] - weights[a]);
  const beside = second === undefined ? "" : `, the ${names[second]} ${percent(weights[second])}`;
  const mean = offers.map((offer, o) => `${sum(weights.map((w, i) => w * value[i][o])).toFixed(1)} ${offer}`);
  return (
    `The ${names[first]} gets ${percent(weights[first])} of the weight${beside}. ` +
    `The weighted mean of the values: ${mean.join(" and ")}.`
  );
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const [names, features, offers] = /** @type {string[][]} */ (
    ["names", "features", "offers"].map((name) => model.get(name))
  );
  const red = features.indexOf("red");
  let present = names.map(() => true);
  let painted = false;
  const view = new WidgetCard(place, {
    name: "scene",
    title: "What draws your eye",
    tip: "look for something to read, then click that object off the table. Where does its weight go?",
    style: STYLE,
    names: ["query", "pull"],
  });
  const rows = Math.ceil(names.length / COLUMNS);
  const toggle = (/** @type {number} */ thing) => {
    present = present.with(thing, !present[thing]);
    view.redraw();
  };
  const picture = view.picture(COLUMNS * CELL.width, rows * CELL.height, { wide: 600 });
  const drawn = things(picture, names, toggle);
  const longest = names.toSorted((a, b) => b.length - a.length); // half of the weight each
  const halves = names.map((_, i) => (i < 2 ? 0.5 : 0));
  view.reserve([summary(longest, halves, present, offers, model.get("value"))]);
  const controls = makeControls(view, names, features, {
    toggle,
    paint(on) {
      painted = on;
      view.redraw();
    },
  });

  return view.start(
    () => {
      const [query, pull] = [model.get("query"), model.get("pull")];
      const keys = /** @type {number[][]} */ (model.get("key")).map((key) => (painted ? key.with(red, 1) : key));
      const weights = sceneWeights(keys, query, pull, present);
      drawn.forEach((thing, i) => {
        drawThing(thing, names[i], { weight: weights[i], there: present[i], red: keys[i][red] > 0.5 });
      });
      set(picture, { "aria-label": alternative(names, weights, present) });
      controls.show({ query, pull, present, painted });
      view.say(summary(names, weights, present, offers, model.get("value")));
    },
    () => {
      present = names.map(() => true);
      painted = false;
    },
  );
}

/**
 * @param {WidgetCard} view @param {string[]} names @param {string[]} features
 * @param {{ toggle: (thing: number) => void, paint: (on: boolean) => void }} on
 */
function makeControls(view, names, features, { toggle, paint }) {
  const says = (/** @type {number} */ value) => value.toFixed(1);
  const wishes = WISHES.filter(([name]) => name === "0" || name === "own" || features.includes(name));
  const wish = choice("I want", wishes, (wanted) => {
    if (wanted !== "own") view.change({ query: features.map((name) => (name === wanted ? WISHED : 0)) });
  });
  const query = features.map((name, f) =>
    slider(`Query: ${name}`, { min: -6, max: 6, step: 0.5, says }, (value) =>
      view.change({ query: view.model.get("query").with(f, value) }),
    ),
  );
  const pull = slider("Pull of saliency", { min: 0, max: 5, step: 0.1, says }, (value) => view.change({ pull: value }));
  const paintBox = checkbox("Paint everything red", paint);
  const boxes = names.map((name, i) => checkbox(name, () => toggle(i)));
  const table = element(
    "fieldset",
    {},
    element("legend", { text: "On the table" }),
    ...boxes.map((box) => box.element),
  );
  view.controls.append(wish.element, ...query.map((one) => one.element), pull.element);
  if (features.includes("red")) view.controls.append(paintBox.element);
  view.controls.append(table);
  return {
    /** @param {{ query: number[], pull: number, present: boolean[], painted: boolean }} now */
    show(now) {
      wish.show(wishOf(now.query, features));
      query.forEach((one, f) => {
        one.show(now.query[f]);
      });
      pull.show(now.pull);
      paintBox.show(now.painted);
      boxes.forEach((box, i) => {
        box.show(now.present[i]);
      });
    },
  };
}

export default { render };
