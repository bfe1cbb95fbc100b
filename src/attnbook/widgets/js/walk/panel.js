// The opened box: its arrays, one of them as a picture, and how the chosen number came to be.
import { button, checkbox, choice, greyOut } from "../shared/controls.js";
import { element, set, write } from "../shared/dom.js";
import { download } from "../shared/files.js";
import { range } from "../shared/numbers.js";
import { ARRAY_STYLE, arrayPicture, stripsPicture } from "./array_picture.js";
import { arraysOf, PARTS } from "./boxes.js";
import { explain, number, twins } from "./explain.js";
import { shownOf } from "./values.js";

/** @typedef {import("./boxes.js").Box} Box */
/** @typedef {import("./boxes.js").ArraySpec} ArraySpec */
/** @typedef {import("./values.js").Scene} Scene */
/** The chosen row by its kind of token, and the chosen column; null is the latest token of the target. @typedef {{rows: Record<string, number | null>, columns: Record<string, number | null>}} Chosen */
/** What is open: layer, head and array, the chosen cell, and the parts that are off. @typedef {Chosen & {layer: number, head: number, array: string, off: string[]}} Open */

export const PANEL_STYLE = `
.panel { display: flex; flex-direction: column; gap: 4px; min-width: 0; min-height: 0; }
.panel .line { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
.panel .line > :last-child { margin-right: 0; }
.panel .name { font-weight: 650; line-height: 1.3; flex: 1 1 5em; }
.panel .field .words { display: none; }
.panel .field select { width: auto; min-height: max(28px, var(--touch)); padding: 0 4px; }
.panel .parts { display: flex; gap: 10px; margin-left: auto; }
.panel .check { min-height: max(28px, var(--touch)); }
.panel .arrays { display: flex; flex-wrap: wrap; gap: 4px 2px; }
.panel .arrays button[aria-pressed=true] { border-color: var(--weight); box-shadow: inset 0 0 0 1px var(--weight); }
.panel .says { font-size: 13px; color: var(--muted); line-height: 1.35; flex: none; min-height: 2.7em; }
.panel .says a { color: var(--weight); }
.panel .array { flex: 1 1 0; min-height: 36px; }
.panel .strips { flex: none; height: 60px; }
.panel .formula { flex: 0 1 6.75em; min-height: 4.05em; font-size: 13px; line-height: 1.35; overflow: auto; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.panel .formula b { font-weight: 650; }
.panel .csv { display: none; }
.panel .arrays button { min-width: 24px; min-height: max(28px, var(--touch)); font-size: 12px; padding: 0 4px; }
@container (min-width: 620px) {
  .panel .csv { display: initial; }
  .panel .arrays { gap: 4px; }
  .panel .arrays button { font-size: 13px; padding: 0 8px; }
  .panel .formula { flex-basis: 4.05em; }
  .panel .strips { height: 72px; }
}
${ARRAY_STYLE}`;

/** @param {ArraySpec} spec @returns {"bars" | "cells" | "words"} */
const kindOf = (spec) => (spec.rows === "words" ? "words" : spec.columns ? "cells" : "bars");

/** The name of a cell. @param {import("./values.js").Shown} shown @param {ArraySpec} spec @param {number} i @param {number} j */
function cellName({ rowNames, columnNames }, spec, i, j) {
  if (spec.rows === "words") return `“${rowNames[i]}”`;
  return columnNames ? `“${rowNames[i]}” to “${columnNames[j]}”` : `“${rowNames[i]}”, number ${j + 1}`;
}

/** The array as comma-separated values. @param {import("./values.js").Shown} shown */
function toCsv({ rows, rowNames, columnNames }) {
  const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
  const head = ["", ...(columnNames ?? range(rows[0]?.length ?? 0).map((j) => String(j + 1)))].map(quoted);
  return [head.join(","), ...rows.map((row, i) => [quoted(rowNames[i]), ...row].join(","))].join("\n");
}

/**
 * What the panel asks for; `link` gives the address of a section.
 * @typedef {{change: (changes: Partial<Open>) => void, step: (by: number) => void, close: () => void,
 *   say: (text: string) => void, link: (topic: string) => string | null}} Wishes
 */

export class Panel {
  /** @type {{spec: ArraySpec, scene: Scene, cell: {i: number, j: number}, chosen: Chosen, theme: import("../shared/theme.js").Theme} | null} */
  now = null;

  /** @param {import("./boxes.js").Config} config @param {Wishes} on */
  constructor(config, on) {
    this.config = config;
    this.on = on;
    this.back = set(
      button("◀", () => on.step(-1)),
      { "aria-label": "Back" },
    );
    this.next = button("Next ▶", () => on.step(1));
    this.csv = set(
      button("CSV", () => this.save()),
      { class: "csv", title: "Save this array" },
    );
    this.switches = element("div", { class: "parts" });
    this.name = element("span", { class: "name" });
    this.layer = picker("Layer", config.num_layers, (layer) => on.change({ layer }));
    this.head = picker("Head", config.num_heads, (head) => on.change({ head }));
    this.arrays = element("div", { class: "arrays", role: "group", "aria-label": "Arrays of this box" });
    this.says = element("div", { class: "says" });
    this.formula = element("div", { class: "formula" });
    this.strips = stripsPicture();
    this.picture = arrayPicture({
      choose: (cell) => this.choose(cell),
      point: (cell) => this.now && this.show(cell ?? this.now.cell, false),
      leave: on.close,
    });
    const map = set(button("Map", on.close), { class: "to-map" });
    const [top, middle] = [element("div", { class: "line" }), element("div", { class: "line" })];
    top.append(map, this.back, this.next, this.csv, this.switches);
    middle.append(this.name, this.layer.element, this.head.element);
    this.element = element("div", { class: "panel" }, top, middle, this.arrays, this.says);
    this.element.append(this.picture.element, this.strips.element, this.formula);
  }

  /** @param {{i: number, j: number}} cell */
  choose({ i, j }) {
    if (!this.now) return;
    const { spec, chosen } = this.now;
    const rows = { ...chosen.rows, [spec.rows]: i };
    this.on.change({ rows, columns: { ...chosen.columns, [columnsOf(spec)]: j } });
  }

  focus() {
    this.picture.element.focus();
  }

  save() {
    if (!this.now) return;
    const { scene, spec } = this.now;
    const file = new Blob([toCsv(shownOf(scene, spec))], { type: "text/csv" });
    download(`${spec.name}${headed(spec) ? `.head-${scene.head + 1}` : ""}.csv`, file);
  }

  /** Shows how a number came to be. @param {{i: number, j: number}} cell @param {boolean} aloud */
  show({ i, j }, aloud) {
    if (!this.now) return;
    const { scene, spec, theme } = this.now;
    const shown = shownOf(scene, spec);
    if (shown.rows[i]?.[j] === undefined) return;
    const found = explain(scene, spec, i, j);
    const title = `${spec.title}${headName(spec, scene)}, ${cellName(shown, spec, i, j)}: ${number(shown.rows[i][j])}.`;
    const rest = `${twins(scene, spec, i)} ${found.formula}`;
    this.formula.replaceChildren(element("b", { text: title }), rest);
    this.strips.draw(found.strips, theme);
    if (aloud) this.on.say(`${title}${rest}`);
  }

  /**
   * @param {Box} box @param {Open} open @param {Scene | null} scene @param {{first: boolean, last: boolean}} ends
   * @param {import("../shared/theme.js").Theme} theme
   */
  draw(box, open, scene, ends, theme) {
    const { config } = this;
    const specs = arraysOf(box, config, open.layer);
    const spec = specs.find(({ id }) => id === open.array) ?? specs[0];
    greyOut(this.back, ends.first);
    greyOut(this.next, ends.last);
    greyOut(this.csv, !scene);
    write(this.name, box.name);
    set(this.layer.element, { hidden: !box.layered || config.num_layers < 2 });
    this.layer.show(open.layer);
    set(this.head.element, { hidden: !headed(spec) || config.num_heads < 2 });
    this.head.show(open.head);
    drawSwitches(this.switches, box, open.off, this.on.change);
    drawTabs(this.arrays, specs, spec, (array) => this.on.change({ array }));
    drawSays(this.says, box, spec, scene, this.on.link(box.topic));
    this.drawArray(spec, open, scene, theme);
  }

  /** @param {ArraySpec} spec @param {Open} open @param {Scene | null} scene @param {import("../shared/theme.js").Theme} theme */
  drawArray(spec, open, scene, theme) {
    this.now = null;
    if (!scene) {
      this.picture.draw(null, "Array of numbers", theme);
      this.strips.draw([], theme);
      write(this.formula, "");
      return;
    }
    const shown = shownOf(scene, spec);
    const [many, columns] = [shown.rows.length, shown.rows[0]?.length ?? 1];
    const cell = {
      i: Math.min(open.rows[spec.rows] ?? many - 1, many - 1),
      j: Math.min(open.columns[columnsOf(spec)] ?? columns - 1, columns - 1),
    };
    this.now = { spec, scene, cell, chosen: open, theme };
    const size = `${many} rows, ${columns} columns`;
    const label = `${spec.title}${headName(spec, scene)}, ${size}. Arrow keys choose a number, Escape returns to the map.`;
    this.picture.draw({ shown, role: spec.role ?? "ink", kind: kindOf(spec), chosen: cell }, label, theme);
    this.show(cell, true);
  }
}

/** @param {string} name @param {number} count @param {(n: number) => void} chosen */
function picker(name, count, chosen) {
  const options = range(count).map((n) => /** @type {[number, string]} */ ([n, `${name.toLowerCase()} ${n + 1}`]));
  const made = choice(name, options, (n) => chosen(Number(n)));
  set(made.input, { "aria-label": name });
  return made;
}

/** @param {ArraySpec} spec */
const columnsOf = (spec) => (spec.rows === "words" ? "words" : (spec.columns ?? "features"));

/** @param {ArraySpec} spec */
const headed = (spec) => Boolean(spec.headed || spec.how === "score" || spec.how === "weight");

/** @param {ArraySpec} spec @param {Scene} scene */
const headName = (spec, { head }) => (headed(spec) ? ` of head ${head + 1}` : "");

/** One switch per part of the box. @param {HTMLElement} place @param {Box} box @param {string[]} off @param {(changes: {off: string[]}) => void} change */
function drawSwitches(place, box, off, change) {
  if (place.dataset.box !== box.id) {
    place.dataset.box = box.id;
    const boxes = box.parts.map((part) => {
      const text = box.parts.length < 2 ? "switched on" : part === "residual" ? "add" : part;
      const one = checkbox(text, (on) => {
        const others = JSON.parse(place.dataset.off ?? "[]").filter((/** @type {string} */ other) => other !== part);
        change({ off: on ? others : [...others, part] });
      });
      set(one.input, { "aria-label": `${PARTS[part]} ${text}`, "data-part": part });
      return one.element;
    });
    place.replaceChildren(...boxes);
  }
  place.dataset.off = JSON.stringify(off);
  for (const input of place.querySelectorAll("input")) input.checked = !off.includes(input.dataset.part ?? "");
}

/** @param {HTMLElement} place @param {ArraySpec[]} specs @param {ArraySpec} now @param {(id: string) => void} choose */
function drawTabs(place, specs, now, choose) {
  const names = specs.map(({ tab }) => tab).join("|");
  if (place.dataset.names !== names) {
    place.dataset.names = names;
    place.replaceChildren(
      ...specs.map(({ id, tab }) =>
        set(
          button(tab, () => choose(id)),
          { "data-id": id },
        ),
      ),
    );
  }
  for (const one of place.querySelectorAll("button")) set(one, { "aria-pressed": String(one.dataset.id === now.id) });
}

/** What the array is, its shape, and a link to its section. @param {HTMLElement} place @param {Box} box @param {ArraySpec} spec @param {Scene | null} scene @param {string | null} link */
function drawSays(place, box, spec, scene, link) {
  const shown = scene && spec.rows !== "words" ? shownOf(scene, spec).rows : null;
  const shape = shown ? `${shown.length} × ${shown[0]?.length ?? 0}. ` : "";
  const text = `${shape}${spec.says || box.does} `;
  place.replaceChildren(text, ...(link ? [element("a", { href: link, text: "More" })] : []));
}
