// Learning curves with a slider for the budget, and the ranking of the contestants at that budget.
import { letter, PLOT_STYLE, plot, SIZE } from "./curves/plot.js";
import { decimals, extent, lead, rank } from "./curves/ranking.js";
import { choice, slider } from "./shared/controls.js";
import { element, set } from "./shared/dom.js";
import { clamp, range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./curves/ranking.js").Task} Task */
/** @typedef {import("./curves/ranking.js").Ranked} Ranked */

const STYLE = `
.curves .figure { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; }
.curves .figure .plot { flex: 3 1 340px; min-width: 0; width: auto; }
.curves .ranks { flex: 2 1 230px; min-width: 0; margin: 0; padding: 0; list-style: none; }
.curves .ranks li { display: grid; grid-template-columns: 1.2em minmax(0, 1fr) auto; gap: 0 6px; padding: 2px 4px; border-left: 3px solid transparent; font-size: 13px; cursor: pointer; }
.curves .ranks li[data-kind=chosen] { border-color: var(--weight); }
.curves .ranks li[data-kind=leads] { border-color: var(--ink); }
.curves .ranks li:not([data-kind='']) { -webkit-text-stroke: 0.4px; } /* as wide as the others, so that no line wraps anew */
.curves .ranks .letter { color: var(--muted); }
.curves .ranks .name { overflow-wrap: anywhere; }
.curves .ranks .number { min-width: 5em; text-align: right; font-variant-numeric: tabular-nums; }
.curves .ranks .track { grid-column: 1 / -1; position: relative; height: 6px; border-radius: 3px; background: var(--fill); }
.curves .ranks .track span { position: absolute; top: 0; height: 6px; min-width: 6px; margin-left: -3px; border-radius: 3px; background: var(--muted); }
.curves .ranks [data-kind=chosen] .track span { background: var(--weight); }
.curves .ranks [data-kind=leads] .track span { background: var(--ink); }
@container (max-width: 520px) {
  .curves .ranks li { padding: 0 4px; line-height: 1.35; }
  .curves .ranks .track, .curves .ranks .track span { height: 4px; min-width: 4px; }
  .curves .controls { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .curves .controls > :is(:first-child, :nth-child(2):last-child) { grid-column: 1 / -1; flex-direction: row; gap: 12px; align-items: center; }
  .curves .controls > :is(:first-child, :nth-child(2):last-child) .words { flex: none; }
  .curves .controls > :first-child .words { min-width: 9.5rem; }
}
${PLOT_STYLE}`;
const TIMES = /** @type {const} */ ({ "1/4": "a quarter of the base", 1: "the base", 4: "four times the base" });

/** @typedef {{ task: Task, point: number, chosen: string, higher: boolean, unit: string }} Seen */

/** The words for a budget. @param {Task} task @param {number} point */
function budget({ steps, budgets }, point) {
  const named = Object.entries(TIMES).find(([name]) => budgets[name] === point);
  return `${steps[point].toLocaleString("en")} steps${named ? ` (${named[1]})` : ""}`;
}

/** What the card says: who leads, by how much, and how reliably. @param {Seen} seen */
export function summary({ task, point, chosen, higher, unit }) {
  const { ranked } = rank(task, point, higher);
  const after = `After ${budget(task, point)}`;
  if (!ranked.length) return `${after} every run has diverged.`;
  const [low, high] = extent(task);
  const told = (/** @type {number} */ value) => value.toFixed(decimals(low, high));
  const [first, second] = ranked;
  const rate = first.curve.rates[point];
  const at = rate === null ? "" : ` at a learning rate of ${rate}`;
  const parts = [`${after} ${first.curve.name} leads with ${told(first.mean)} (${unit}, validation data)${at}.`];
  const compare = (/** @type {Ranked} */ other) => {
    const { apart, ahead, seeds } = lead(first.values, other.values, higher);
    if (told(apart) === told(0)) return `The figure of ${other.curve.name} is the same.`;
    return `It is ${told(apart)} ahead of ${other.curve.name}, and ahead in ${ahead} of ${seeds} seeds.`;
  };
  const own = ranked.find(({ curve }) => curve.name === chosen);
  if (own && own !== first) parts.push(compare(own));
  else if (second) parts.push(compare(second));
  return parts.join(" ");
}

/** The list of contestants at a budget, best first. @param {(name: string) => void} choose */
function ranking(choose) {
  const list = element("ol", { class: "ranks", "aria-label": "Contestants at this budget, best first" });
  list.addEventListener("click", ({ target }) => {
    const row = target instanceof Element ? target.closest("li") : null;
    if (row?.dataset.name) choose(row.dataset.name);
  });
  /** @param {Seen} seen @param {number} rows to keep free, so that nothing jumps */
  const show = ({ task, point, chosen, higher }, rows) => {
    const { ranked, missing } = rank(task, point, higher);
    const [low, high] = extent(task);
    const digits = decimals(low, high);
    const place = (/** @type {number} */ value) => 100 * clamp((value - low) / (high - low || 1), 0, 1);
    const row = (/** @type {string} */ name, /** @type {string} */ number, /** @type {Node[]} */ ...track) => {
      const kind = name === chosen ? "chosen" : name === ranked[0]?.curve.name ? "leads" : "";
      const mark = letter(task.curves.findIndex((curve) => curve.name === name));
      const words = [
        element("span", { class: "letter", text: mark }),
        element("span", { class: "name", text: name, title: name }),
        element("span", { class: "number", text: number }),
      ];
      return element(
        "li",
        { "data-name": name, "data-kind": kind },
        ...words,
        element("span", { class: "track" }, ...track),
      );
    };
    const known = ranked.map(({ curve, mean, low: least, high: most }) => {
      const bar = element("span");
      bar.style.left = `${place(least)}%`;
      bar.style.width = `${place(most) - place(least)}%`;
      const half = (most - least) / 2;
      return row(curve.name, `${mean.toFixed(digits)} ± ${half.toFixed(digits)}`, bar);
    });
    const others = missing.map(({ name }) => row(name, "diverged"));
    const free = range(rows - task.curves.length).map(() => {
      const empty = row("", "\u00a0");
      empty.style.visibility = "hidden";
      set(empty, { "aria-hidden": "true" });
      return empty;
    });
    list.replaceChildren(...known, ...others, ...free);
  };
  return { list, show };
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const tasks = /** @type {Record<string, Task>} */ (model.get("tasks"));
  const [higher, unit] = [model.get("higher_is_better"), model.get("unit")];
  const view = new WidgetCard(place, {
    name: "curves",
    title: model.get("title"),
    tip: "move the budget from left to right. Does the same contestant lead all the way?",
    style: STYLE,
    names: ["task", "point", "chosen"],
  });
  const draw = plot(view.picture(SIZE.width, SIZE.height, { wide: 400 }), (point) => view.change({ point }));
  const list = ranking((chosen) => view.change({ chosen }));
  view.figure.append(list.list);
  const names = Object.keys(tasks);
  const own = (/** @type {string} */ name) => /** @type {[string, string]} */ ([name, name]);
  const most = Math.max(...names.map((name) => tasks[name].curves.length));
  const longest = Math.max(...names.map((name) => tasks[name].steps.length)) - 1;
  let says = (/** @type {number} */ point) => String(point);
  const steps = slider("Budget", { min: 0, max: longest, says: (point) => says(point) }, (point) =>
    view.change({ point }),
  );
  const task = choice("Task", names.map(own), (chosen) => view.change({ task: chosen }));
  const contestant = choice("Highlight", [], (chosen) => view.change({ chosen }));
  view.controls.append(steps.element, ...(names.length > 1 ? [task.element] : []), contestant.element);

  /** The state as it can be shown: a task may lack the chosen contestant. @returns {Seen} */
  const seen = () => {
    const here = tasks[model.get("task")];
    const known = here.curves.map(({ name }) => name);
    const chosen = known.includes(model.get("chosen")) ? model.get("chosen") : known[0];
    return { task: here, point: clamp(model.get("point"), 0, here.steps.length - 1), chosen, higher, unit };
  };
  for (const one of Object.values(tasks))
    for (const { name } of one.curves)
      view.reserve(range(one.steps.length).map((point) => summary({ task: one, point, chosen: name, higher, unit })));
  return view.start(() => {
    const now = seen();
    says = (point) => `${now.task.steps[point].toLocaleString("en")} steps`;
    set(steps.input, { max: now.task.steps.length - 1 });
    steps.show(now.point);
    task.show(model.get("task"));
    contestant.offer(now.task.curves.map(({ name }, i) => [name, `${letter(i)}: ${name}`]));
    contestant.show(now.chosen);
    const [first] = rank(now.task, now.point, higher).ranked;
    const better = higher ? "higher is better" : "lower is better";
    draw(now.task, `${model.get("metric")}, ${better}`, now.point, first?.curve.name ?? "", now.chosen);
    list.show(now, most);
    view.say(summary(now));
  });
}

export default { render };
