// A sortable plot of models and their scores.

import { choice } from "./shared/controls.js";
import { svg } from "./shared/dom.js";
import { WidgetCard } from "./shared/widget_card.js";

/** Mean, and standard deviation over seeds. @typedef {[number, number | null]} Figure */
/** @typedef {{name: string, seeds: number, figures: Record<string, Figure>}} Model */

const [WIDTH, ROW, TOP] = [640, 34, 8];
const AXIS = { left: 274, right: 470 };
const STYLE = `
.ranking .row { stroke: var(--fill); stroke-width: 1.5; }
.ranking .axis, .ranking .tick { stroke: var(--line); stroke-width: 1.5; }
.ranking .spread { stroke: var(--weight); stroke-width: 5; stroke-opacity: 0.55; stroke-linecap: round; }
.ranking circle { fill: var(--weight); }
.ranking .figure svg text.many { fill: var(--muted); }
`;

/** Round axis ticks around all values. @param {number} low @param {number} high */
export function ticks(low, high) {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span));
  const distance = [1, 2, 5, 10].map((factor) => (factor * power) / 2).find((d) => span / d <= 4) ?? power;
  const first = Math.floor(low / distance);
  const last = Math.max(Math.ceil(high / distance), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * distance).toPrecision(6)));
}

/** Models with both measures, best first. @param {Model[]} models @param {string} show @param {string} sort @param {boolean} more */
export const sorted = (models, show, sort, more) =>
  models
    .filter(({ figures }) => figures[show] && figures[sort])
    .sort((a, b) => (more ? 1 : -1) * (b.figures[sort][0] - a.figures[sort][0]));

/** @param {Figure} figure */
function told([mean, spread]) {
  const digits = mean < 10 ? 2 : 1;
  return spread === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${spread.toFixed(digits)}`;
}

/** @param {SVGSVGElement} picture @param {Model[]} models @param {string} show */
function draw(picture, models, show) {
  const ends = models.flatMap(({ figures }) => {
    const [mean, spread] = figures[show];
    return [mean - (spread ?? 0), mean + (spread ?? 0)];
  });
  const marks = ticks(Math.min(...ends), Math.max(...ends));
  const [low, high] = [marks[0], marks[marks.length - 1]];
  const x = (/** @type {number} */ value) => AXIS.left + ((value - low) / (high - low)) * (AXIS.right - AXIS.left);
  const bottom = TOP + models.length * ROW;
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "start") =>
    svg("text", { x, y, "text-anchor": anchor, "dominant-baseline": "central", text: words });
  const rows = models.flatMap(({ name, figures }, i) => {
    const y = TOP + (i + 0.5) * ROW;
    const [mean, spread] = figures[show];
    const around = spread === null ? [] : [[x(mean - spread), x(mean + spread)]];
    return [
      text(AXIS.left - 12, y, name, "end"),
      svg("line", { class: "row", x1: AXIS.left, x2: AXIS.right, y1: y, y2: y }),
      ...around.map(([x1, x2]) => svg("line", { class: "spread", x1, x2, y1: y, y2: y })),
      svg("circle", { cx: x(mean), cy: y, r: 5 }),
      text(AXIS.right + 12, y, told(figures[show])),
    ];
  });
  const named = marks.filter((_, i) => (i * 2) % (marks.length - 1) === 0); // both ends, and the middle tick if there is one
  const scale = named.map((value) => text(x(value), bottom + 18, String(value), "middle"));
  const lines = marks.map((value) =>
    svg("line", { class: "tick", x1: x(value), x2: x(value), y1: bottom, y2: bottom + 5 }),
  );
  const axis = svg("line", { class: "axis", x1: AXIS.left, x2: AXIS.right, y1: bottom, y2: bottom });
  picture.replaceChildren(...rows, axis, ...lines, ...scale);
}

/** @param {Model[]} models @param {string} show @param {string} sort @param {boolean} more */
function summary(models, show, sort, more) {
  const by = show === sort ? "" : `, sorted by ${sort}`;
  const seeds = [...new Set(models.map((model) => model.seeds))].map((count) =>
    count === 1 ? "one seed" : `${count} seeds`,
  );
  return `${show} of ${models.length} models${by}; ${more ? "higher" : "lower"} is better. ${models[0].name} comes first. Each has ${seeds.join(" or ")}.`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const groups = /** @type {Record<string, Model[]>} */ (model.get("groups"));
  const measures = /** @type {Record<string, boolean>} */ (model.get("measures"));
  const most = Math.max(...Object.values(groups).map((models) => models.length));
  const view = new WidgetCard(place, {
    name: "ranking",
    title: "Models and their scores",
    tip: "show one measure sorted by another. Which measures agree?",
    style: STYLE,
    names: ["group", "show", "sort"],
  });
  const picture = view.picture(WIDTH, TOP + most * ROW + 34, { wide: 600 });
  /** @param {string} group */
  const measured = (group) =>
    Object.keys(measures).filter((name) => groups[group].some(({ figures }) => figures[name]));
  const own = (/** @type {string} */ name) => /** @type {[string, string]} */ ([name, name]);
  const group = choice("Trained on", Object.keys(groups).map(own), (chosen) => view.change({ group: chosen }));
  const show = choice("Show", [], (name) => view.change({ show: name }));
  const sort = choice("Best first by", [], (name) => view.change({ sort: name }));
  view.controls.append(group.element, show.element, sort.element);
  view.reserve(["some words ".repeat(15)]);

  return view.start(() => {
    const here = model.get("group");
    const known = measured(here);
    const [shown, by] = ["show", "sort"].map((name) => (known.includes(model.get(name)) ? model.get(name) : known[0]));
    const models = sorted(groups[here], shown, by, measures[by]);
    group.show(here);
    for (const [input, now] of /** @type {const} */ ([
      [show, shown],
      [sort, by],
    ])) {
      input.offer(known.map(own));
      input.show(now);
    }
    draw(picture, models, shown);
    view.say(summary(models, shown, by, measures[shown]));
  });
}

export default { render };
