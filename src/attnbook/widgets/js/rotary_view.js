// Rotary position embeddings: query and key as hands on two clocks, and their score by distance.

import { choice, slider } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { drag } from "./shared/drag.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const LAST = 40;
const BASES = [10, 100, 1000, 10000];
const WIDTH = 640;
const CLOCKS = [160, 480].map((x) => ({ x, y: 124 }));
const RADIUS = 88;
const PLOT = { left: 40, right: 626, top: 262, bottom: 422 };
const STYLE = `
.rotary svg { overflow: visible; touch-action: pan-y; } /* on a phone, large labels extend beyond it */
.rotary .dial { fill: var(--fill); stroke: var(--muted); cursor: grab; touch-action: none; } /* touches elsewhere scroll the page */
.rotary .hand { stroke-width: 5; stroke-linecap: round; pointer-events: none; }
.rotary .tip-of { pointer-events: none; }
.rotary .query { stroke: var(--query); fill: var(--query); }
.rotary .key { stroke: var(--key); fill: var(--key); }
.rotary .axis { stroke: var(--muted); }
.rotary .curve { fill: none; stroke: var(--ink); stroke-width: 2; }
.rotary .part { fill: none; stroke: var(--muted); stroke-width: 1; stroke-dasharray: 3 3; }
.rotary .now { fill: var(--weight); }
.rotary .plot { fill: transparent; cursor: ew-resize; }
.rotary svg text, .rotary .now, .rotary .axis, .rotary .curve, .rotary .part { pointer-events: none; }
`;

/** Radians per position of each pair. @param {number} base */
export const speeds = (base) => [1, base ** -0.5];

/** Length and angle of each pair of a vector. @param {number[]} vector */
export const pairs = (vector) =>
  [0, 2].map((at) => ({
    length: Math.hypot(vector[at], vector[at + 1]),
    angle: Math.atan2(vector[at + 1], vector[at]),
  }));

/**
 * The score of each pair, for a distance i - k.
 *
 * @param {number[]} query @param {number[]} key @param {number} base @param {number} distance
 */
export function scores(query, key, base, distance) {
  const [q, k] = [pairs(query), pairs(key)];
  return speeds(base).map(
    (speed, j) => q[j].length * k[j].length * Math.cos(q[j].angle - k[j].angle + distance * speed),
  );
}

/** Wraps an angle to [-pi, pi]. @param {number} angle */
const around = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
const across = (/** @type {number} */ distance) =>
  PLOT.left + ((distance + LAST) / (2 * LAST)) * (PLOT.right - PLOT.left);

/** @param {SVGSVGElement} picture */
function parts(picture) {
  const text = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string | number} */ words,
    anchor = "middle",
  ) => svg("text", { x, y, "text-anchor": anchor, text: words });
  const hands = CLOCKS.map(() => ["key", "query"].map((name) => svg("line", { class: `hand ${name}` })));
  const tips = CLOCKS.map(() => ["key", "query"].map((name) => svg("circle", { class: `tip-of ${name}`, r: 8 })));
  const made = {
    dials: CLOCKS.map(({ x, y }) => svg("circle", { class: "dial", cx: x, cy: y, r: RADIUS + 10 })),
    hands,
    tips,
    names: CLOCKS.map(({ x }) => text(x, 16, "")),
    plot: svg("rect", {
      class: "plot",
      x: PLOT.left,
      y: PLOT.top,
      width: PLOT.right - PLOT.left,
      height: PLOT.bottom - PLOT.top,
    }),
    curve: svg("path", { class: "curve" }),
    lines: CLOCKS.map(() => svg("path", { class: "part" })),
    now: svg("circle", { class: "now", r: 7 }),
  };
  const middle = (PLOT.top + PLOT.bottom) / 2;
  picture.append(
    ...made.dials,
    ...hands.flat(),
    ...tips.flat(),
    ...made.names,
    svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: middle, y2: middle }),
    ...made.lines,
    made.curve,
    made.plot,
    made.now,
    text(PLOT.left, PLOT.top - 10, "score by distance i − k (dashed: of each clock)", "start"),
    ...[-40, -20, 0, 20, 40].map((distance) => text(across(distance), PLOT.bottom + 22, distance)),
  );
  return made;
}

/** @param {ReturnType<typeof parts>} made @param {number[]} query @param {number[]} key @param {number} base @param {number} now */
function drawScores({ curve, lines, now: mark }, query, key, base, now) {
  const all = range(2 * LAST + 1).map((at) => scores(query, key, base, at - LAST));
  const most = Math.max(sum(pairs(query).map(({ length }, j) => length * pairs(key)[j].length)), 1e-9);
  const high = (/** @type {number} */ score) =>
    (PLOT.top + PLOT.bottom - (score / most) * (PLOT.bottom - PLOT.top)) / 2;
  const path = (/** @type {number[]} */ values) =>
    `M${values.map((score, at) => `${across(at - LAST).toFixed(1)} ${high(score).toFixed(2)}`).join("L")}`;
  set(curve, { d: path(all.map(sum)) });
  for (const [j, line] of lines.entries()) set(line, { d: path(all.map((score) => score[j])) });
  set(mark, { cx: across(now), cy: high(sum(scores(query, key, base, now))) });
}

/** Rounds and clamps to a slider position. @param {number} position */
const held = (position) => clamp(Math.round(position), 0, LAST);

/**
 * Positions of query and key after dragging their distance; the key stays if possible.
 *
 * @param {number} x of the pointer @param {number} k
 */
function apart(x, k) {
  const part = clamp((x - PLOT.left) / (PLOT.right - PLOT.left), 0, 1);
  const distance = Math.round(part * 2 * LAST - LAST);
  const key = clamp(k, Math.max(0, -distance), Math.min(LAST, LAST - distance));
  return { i: key + distance, k: key };
}

/**
 * Drags the nearer hand of a clock and updates the position of its token.
 *
 * @param {import("@anywidget/types").AnyModel} model @param {number} clock @param {import("./shared/drag.js").Place} from
 * @param {(change: Record<string, number>) => void} changed
 */
function takeHand(model, clock, from, changed) {
  const angleAt = (/** @type {{ x: number, y: number }} */ { x, y }) =>
    Math.atan2(CLOCKS[clock].y - y, x - CLOCKS[clock].x);
  const speed = speeds(model.get("base"))[clock];
  let last = angleAt(from);
  const hands = [
    { name: "i", vector: model.get("query") },
    { name: "k", vector: model.get("key") },
  ].map(({ name, vector }) => {
    const position = model.get(name);
    return { name, position, away: Math.abs(around(last - pairs(vector)[clock].angle - position * speed)) };
  });
  let { name, position } = hands[0].away <= hands[1].away ? hands[0] : hands[1];
  return (/** @type {import("./shared/drag.js").Place} */ moved) => {
    const angle = angleAt(moved);
    position = clamp(position + around(angle - last) / speed, 0, LAST);
    last = angle;
    changed({ [name]: held(position) });
  };
}

/** @param {ReturnType<typeof parts>} made @param {number[][]} vectors of key and query @param {number[]} places their positions @param {number} base */
function drawHands({ hands, tips, names }, vectors, places, base) {
  const narrow = (names[0].ownerSVGElement?.clientWidth ?? 0) < 440;
  speeds(base).forEach((speed, j) => {
    const both = vectors.map((vector) => pairs(vector)[j]);
    const longest = Math.max(...both.map(({ length }) => length), 1e-9);
    both.forEach(({ length, angle }, which) => {
      const turned = angle + places[which] * speed;
      const reach = (RADIUS * length) / longest;
      const x = (CLOCKS[j].x + reach * Math.cos(turned)).toFixed(2);
      const y = (CLOCKS[j].y - reach * Math.sin(turned)).toFixed(2);
      set(hands[j][which], { x1: CLOCKS[j].x, y1: CLOCKS[j].y, x2: x, y2: y });
      set(tips[j][which], { cx: x, cy: y });
    });
    write(names[j], `pair ${j}: ${speed.toFixed(speed < 0.1 ? 3 : 2)} rad${narrow ? "" : " per position"}`);
  });
}

/** @param {{ i: number, k: number, distance: number }} places @param {number[]} each score of a pair */
function summary({ i, k, distance }, each) {
  const told = each.map((score) => score.toFixed(2)).join(" and ");
  return `Query at ${i}, key at ${k}: the distance is ${distance}. The pairs contribute ${told}, so the score is ${sum(each).toFixed(2)}.`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "rotary",
    title: "Rotary positions: two clocks",
    tip: "drag a hand around its dial: its token moves, and the other clock follows. Then move both tokens by the same amount.",
    style: STYLE,
    names: ["i", "k", "base"],
  });
  const picture = view.picture(WIDTH, 452);
  const made = parts(picture);
  const change = (/** @type {Record<string, number>} */ changes) => view.change(changes);
  drag(picture, (from) => {
    if (from.target === made.plot) return ({ x }) => change(apart(x, model.get("k")));
    const clock = made.dials.indexOf(/** @type {SVGCircleElement} */ (from.target));
    return clock < 0 ? null : takeHand(model, clock, from, change);
  });
  const inputI = slider("Query at i", { min: 0, max: LAST }, (i) => change({ i }));
  const inputK = slider("Key at k", { min: 0, max: LAST }, (k) => change({ k }));
  const bases = BASES.map((base) => /** @type {[number, string]} */ ([base, base.toLocaleString("en")]));
  const inputBase = choice("Base", bases, (base) => change({ base: Number(base) }));
  view.controls.append(inputI.element, inputK.element, inputBase.element);

  const [queries, keys] = [model.get("query"), model.get("key")].map(pairs);
  const least = queries.map(({ length }, j) => -length * keys[j].length);
  view.reserve([summary({ i: LAST, k: LAST, distance: -LAST }, least)]);
  return view.start(() => {
    const [i, k, base, query, key] = ["i", "k", "base", "query", "key"].map((name) => model.get(name));
    drawHands(made, [key, query], [k, i], base);
    drawScores(made, query, key, base, i - k);
    inputI.show(i);
    inputK.show(k);
    inputBase.show(base);
    view.say(summary({ i, k, distance: i - k }, scores(query, key, base, i - k)));
  });
}

export default { render };
