// A sortable plot of models and their scores.

import { choice } from "./shared/controls.js";
import { element, set, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { ticks } from "./shared/ticks.js";
import { WidgetCard } from "./shared/widget_card.js";

/** Mean, and standard deviation over seeds. @typedef {[number, number | null]} Figure */
/** @typedef {{name: string, seeds: number, figures: Record<string, Figure>}} Model */

const STYLE = `
.ranking .chart { --row: 28px; font-size: 13px; font-variant-numeric: tabular-nums; }
.ranking .rows { position: relative; }
.ranking .line:not([hidden]) { display: grid; grid-template-columns: 12.5rem minmax(0, 1fr) 6.2rem; gap: 0 14px; align-items: center; }
.ranking .rows .line { position: absolute; inset: 0 0 auto; height: var(--row); transform: translateY(calc(var(--rank) * var(--row))); }
.ranking .line > :first-child { text-align: right; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.ranking .track { position: relative; height: 14px; margin: 0 8px; background: linear-gradient(var(--edge), var(--edge)) center / 100% 1px no-repeat; }
.ranking .track > * { position: absolute; top: 50%; }
.ranking .spread { height: 6px; border-radius: 3px; background: color-mix(in srgb, var(--weight) 50%, var(--paper)); translate: 0 -50%; }
.ranking .dot { width: 11px; height: 11px; border-radius: 50%; background: var(--weight); translate: -50% -50%; }
.ranking .axis .track { height: 38px; background: linear-gradient(var(--line), var(--line)) top / 100% 2px no-repeat; color: var(--muted); }
.ranking .axis .tick { top: 6px; translate: -50% 0; }
.ranking .axis .name { top: 22px; left: 0; right: 0; text-align: center; white-space: nowrap; }
@container (max-width: 520px) {
  .ranking .chart { --row: 32px; font-size: 12px; }
  .ranking .controls { grid-template-columns: 1fr 1fr; gap: 4px 8px; }
  .ranking .controls > :first-child { grid-column: 1 / 3; }
  .ranking select { padding: 2px 0; font-size: 12px; }
  .ranking .line:not([hidden]) { grid-template-columns: minmax(0, 1fr) auto; }
  .ranking .rows .line > :first-child { text-align: left; }
  .ranking .rows .track { grid-area: 2 / 1 / 3 / 3; }
  .ranking .axis > :not(.track) { display: none; }
  .ranking .axis .track { grid-column: 1 / 3; }
}
@media (forced-colors: active) { .ranking .chart { forced-color-adjust: none; color: var(--ink); background: var(--paper); } }
@media (prefers-reduced-motion: no-preference) { .ranking .rows .line { transition: transform 0.45s; } .ranking .rows .track > * { transition: left 0.45s, width 0.45s; } }
`;

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

/**
 * How many pairs of models two measures order alike, and how many pairs there are.
 * @param {Model[]} models @param {string} one @param {string} other @param {Record<string, boolean>} measures whether more is better
 */
export function agreement(models, one, other, measures) {
  const pairs = range(models.length).flatMap((i) => range(i).map((j) => [models[i].figures, models[j].figures]));
  const ahead = (/** @type {Model["figures"][]} */ [a, b], /** @type {string} */ name) =>
    Math.sign(a[name][0] - b[name][0]) * (measures[name] ? 1 : -1);
  return { alike: pairs.filter((pair) => ahead(pair, one) === ahead(pair, other)).length, pairs: pairs.length };
}

/** A row: name, line with dot and spread, numbers. */
function row() {
  const [name, spread, dot, number] = ["name", "spread", "dot", "number"].map((kind) =>
    element("span", { class: kind }),
  );
  const node = element("div", { class: "line" }, name, element("div", { class: "track" }, spread, dot), number);
  return { node, name, spread, dot, number };
}

/** Rows that move to their ranks, and an axis. @param {number} count */
function chart(count) {
  const rows = range(count).map(row);
  const scale = element("div", { class: "track" });
  const list = element("div", { class: "rows" }, ...rows.map(({ node }) => node));
  set(list, { style: `height: calc(${count} * var(--row))` });
  const axis = element("div", { class: "line axis" }, element("span"), scale, element("span"));
  const node = element("div", { class: "chart", role: "img" }, list, axis);
  return {
    node,
    /** @param {Model[]} all in a fixed order @param {Model[]} models best first @param {string} show @param {boolean} more */
    draw(all, models, show, more) {
      const ends = models.flatMap(({ figures }) => {
        const [mean, spread] = figures[show];
        return [mean - (spread ?? 0), mean + (spread ?? 0)];
      });
      const marks = ticks(Math.min(...ends), Math.max(...ends));
      const [low, high] = [marks[0], marks[marks.length - 1]];
      const percent = (/** @type {number} */ part) => `${((100 * part) / (high - low)).toFixed(3)}%`;
      for (const [i, { node, name, spread, dot, number }] of rows.entries()) {
        const rank = models.indexOf(all[i]);
        set(node, { hidden: rank < 0, style: `--rank: ${rank}` });
        if (rank < 0) continue;
        const [mean, around] = all[i].figures[show];
        write(name, all[i].name);
        write(number, told(all[i].figures[show]));
        set(dot, { style: `left: ${percent(mean - low)}` });
        set(spread, {
          hidden: around === null,
          style: `left: ${percent(mean - (around ?? 0) - low)}; width: ${percent(2 * (around ?? 0))}`,
        });
      }
      scale.replaceChildren(
        ...marks.map((mark) =>
          element("span", { class: "tick", style: `left: ${percent(mark - low)}`, text: String(mark) }),
        ),
        element("span", { class: "name", text: more ? `${show}, better →` : `← better, ${show}` }),
      );
      const each = models.map((model) => `${model.name} ${told(model.figures[show])}`).join(", ");
      set(node, { "aria-label": `${show}: ${each}.` });
    },
  };
}

/** @param {Model[]} models best first @param {string} show @param {string} sort @param {Record<string, boolean>} measures */
export function summary(models, show, sort, measures) {
  const { alike, pairs } = agreement(models, show, sort, measures);
  const by =
    show === sort ? "" : `, sorted by ${sort}: the two measures order ${alike} of the ${pairs} pairs of models alike`;
  const seeds = [...new Set(models.map((model) => model.seeds))].map((count) =>
    count === 1 ? "one seed" : `${count} seeds`,
  );
  return `${show[0].toUpperCase()}${show.slice(1)} of ${models.length} models${by}. ${models[0]?.name} comes first. Each has ${seeds.join(" or ")}.`;
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
    tip: "keep the order of one measure and show another. Which measures agree on the best model?",
    style: STYLE,
    names: ["group", "show", "sort"],
  });
  const plot = chart(most);
  /** @param {string} group */
  const measured = (group) =>
    Object.keys(measures).filter((name) => groups[group].some(({ figures }) => figures[name]));
  const own = (/** @type {string} */ name) => /** @type {[string, string]} */ ([name, name]);
  const group = choice("Trained on", Object.keys(groups).map(own), (chosen) => view.change({ group: chosen }));
  const show = choice("Show", [], (name) => view.change({ show: name }));
  const sort = choice("Best first by", [], (name) => view.change({ sort: name }));
  view.controls.append(group.element, show.element, sort.element);
  view.root.insertBefore(view.controls, view.figure);
  view.figure.append(plot.node);
  view.reserve(
    Object.entries(groups).flatMap(([name, models]) =>
      measured(name).flatMap((shown) =>
        measured(name).map((by) => summary(sorted(models, shown, by, measures[by]), shown, by, measures)),
      ),
    ),
  );

  return view.start(() => {
    const here = model.get("group");
    const known = measured(here);
    const shown = known.includes(model.get("show")) ? model.get("show") : known[0];
    const chosen = known.includes(model.get("sort")) ? model.get("sort") : "";
    const by = chosen || shown;
    const models = sorted(groups[here], shown, by, measures[by]);
    group.show(here);
    show.offer(known.map(own));
    show.show(shown);
    sort.offer([["", "the measure shown"], ...known.map(own)]);
    sort.show(chosen);
    plot.draw(groups[here], models, shown, measures[shown]);
    view.say(summary(models, shown, by, measures));
  });
}

export default { render };
