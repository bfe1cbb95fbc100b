// The panels next to the picture: alternative words, and interventions.
import { button, checkbox, choice, greyOut, LOGARITHM, slider } from "../shared/controls.js";
import { element, set, write } from "../shared/dom.js";
import { formatProbability } from "./experiment.js";

/** @typedef {import("../engine/session.js").Candidate} Candidate */
/** @typedef {import("./experiment.js").Experiment} Experiment */

export const PANEL_STYLE = `
.stage { display: grid; gap: 6px 18px; grid-template: "tabs" auto "pane" 208px / minmax(0, 1fr); }
.stage > .tabs { grid-area: tabs; }
.stage > .page { grid-area: pane; min-height: 0; min-width: 0; }
@container (min-width: 620px) {
  .stage { grid-template: "picture tabs" auto "picture pane" 231px / minmax(0, 1.25fr) minmax(0, 1fr); }
  .stage > .page.picture-page { display: block !important; grid-area: picture; max-height: 258px; }
  .tabs .picture-tab { display: none; }
}
.tabs { display: flex; gap: 4px; }
.tabs button { flex: 1; padding: 2px 4px; }
.tabs [aria-selected=true] { background: var(--weight); color: var(--paper); border-color: var(--weight); }
.page.text-page:not([hidden]) { overflow: auto; display: flex; flex-direction: column; gap: 4px; }
.page .about { font-size: 13px; color: var(--muted); min-height: 1.4em; overflow-wrap: anywhere; }
.candidate { display: grid; grid-template-columns: 7rem 1fr 3.4rem; gap: 8px; align-items: center; text-align: left; }
.candidate i { height: 8px; border-radius: 4px; background: var(--weight); min-width: 1px; }
.candidate.taken { border-color: var(--ink); font-weight: 650; }
.candidate .p { text-align: right; font-variant-numeric: tabular-nums; }
@media (forced-colors: active) { .candidate i { forced-color-adjust: none; } }
.changes { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 10px; align-items: center; }
.changes > .wide { grid-column: 1 / -1; }
`;

/**
 * Tabs; where there is room, the page of the picture stays in sight and has no tab.
 *
 * @param {{id: string, name: string, content: HTMLElement}[]} pages the picture is the first
 */
export function tabs(pages) {
  const [{ id: picture, content: pane }, { id: second }] = pages;
  const heads = pages.map(({ id, name }) =>
    set(
      button(name, () => choose(id)),
      { role: "tab", "aria-controls": `tab-${id}`, id: `head-${id}`, class: id === picture ? "picture-tab" : null },
    ),
  );
  for (const { id, content } of pages)
    set(content, { id: `tab-${id}`, class: id === picture ? "page picture-page" : "page text-page" });
  let wide = false;
  let chosen = picture;
  function choose(/** @type {string} */ id) {
    chosen = id;
    pages.forEach(({ id: own, content }, i) => {
      set(heads[i], { "aria-selected": String(own === id), tabindex: own === id ? 0 : -1 });
      set(content, { hidden: own !== id });
      const panel = { role: "tabpanel", "aria-labelledby": `head-${own}` };
      set(content, wide && content === pane ? { role: null, "aria-labelledby": null } : panel);
    });
  }
  const bar = element("div", { class: "tabs", role: "tablist" }, ...heads);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const open = heads.filter((head) => head.offsetWidth > 0);
    const now = open.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const next = open[(now + step + open.length) % open.length];
    choose(pages[heads.indexOf(next)].id);
    next.focus();
  });
  const root = element("div", { class: "stage" }, bar, ...pages.map(({ content }) => content));
  choose(picture);
  return {
    element: root,
    /** Called when the width changes. */
    fit() {
      const now = root.clientWidth > 0 && heads[0].offsetWidth === 0;
      if (now === wide) return;
      wide = now;
      choose(wide && chosen === picture ? second : chosen);
    },
  };
}

/** An alternative word with its probability. @param {(id: number) => void} take */
function alternative(take) {
  let id = 0;
  const [piece, bar, p] = [element("span"), element("i"), element("span", { class: "p" })];
  const node = button("", () => take(id));
  node.append(piece, bar, p);
  return {
    node,
    /** @param {Candidate} now @param {number} most the largest probability at this position @param {boolean} taken */
    show(now, most, taken) {
      id = now.id;
      set(node, { class: taken ? "candidate taken" : "candidate" });
      write(piece, now.piece);
      bar.style.width = `${((100 * now.p) / most).toFixed(0)}%`;
      write(p, formatProbability(now.p));
    },
  };
}

/** The best candidates at one position, as buttons. @param {(id: number) => void} take */
export function alternatives(take) {
  const about = element("div", { class: "about" });
  const list = element("div", { class: "changes" });
  set(list, { style: "grid-template-columns: 1fr; gap: 4px" });
  /** @type {ReturnType<typeof alternative>[]} */
  const buttons = []; // reused, because one may have the focus
  return {
    element: element("div", {}, about, list),
    /** @param {(Candidate & {best: Candidate[]}) | undefined} row @param {(piece: string) => string} shown */
    show(row, shown) {
      write(about, row ? `Instead of “${shown(row.piece)}” it could have written:` : "");
      const best = row?.best ?? [];
      best.forEach((one, i) => {
        buttons[i] ??= alternative(take);
        buttons[i].show({ ...one, piece: shown(one.piece) }, best[0].p, one.id === row?.id);
        if (!list.contains(buttons[i].node)) list.append(buttons[i].node);
      });
      for (const { node } of buttons.slice(best.length)) node.remove();
    },
  };
}

/**
 * @typedef {object} Chosen
 * @property {string} about description of the selected cell; empty if none
 * @property {string | null} sourceWord
 * @property {boolean} last whether it is the last source word
 * @property {{name: string, head: number | null}} view
 * @property {Experiment} experiment
 */

/**
 * @param {{modules: {name: string, heads: number}[], config: any}} about the model
 * @param {{cell: (weight: number | null, all: boolean) => void, undo: () => void, view: (module: string, head: number | null) => void, change: (changes: Partial<Experiment>) => void, headOff: (off: boolean) => void, swap: () => void}} on
 */
export function changePanel({ modules, config }, on) {
  const cross = modules.filter(({ name }) => name.endsWith("cross_attention"));
  const about = element("div", { class: "about wide" });
  let everywhere = false;
  const all = checkbox("for all output words", (value) => {
    everywhere = value;
  });
  const forbid = button("Forbid attention", () => on.cell(null, everywhere));
  const force = button("Attend only here", () => on.cell(1, everywhere));
  const undo = button("Undo all changes", on.undo);
  const swap = button("Swap with next", on.swap);
  const heat = slider(
    "Softmax: sharp to soft",
    {
      min: Math.log(0.1),
      max: Math.log(10),
      step: 0.05,
      scale: LOGARITHM,
      says: (value) => `× ${(1 / value).toFixed(2)}`,
    },
    (value) => on.change({ temperature: Math.abs(Math.log(value)) < 0.03 ? 1 : value }),
  );
  const positions = checkbox("Positions", (value) => on.change({ positions: value }));
  const off = checkbox("turn this head off", on.headOff);
  const looks = choice("Layer and head", viewsOf(cross), (value) => on.view(...fromKey(value)));
  heat.element.classList.add("wide");
  const several = cross.some(({ heads }) => heads > 1);
  const parts = [about, forbid, force, all.element, undo, swap]; // on a phone, the buttons are in sight
  if (several) parts.push(off.element);
  if (config.positions) parts.push(positions.element);
  parts.push(heat.element);
  return {
    element: element("div", {}, element("div", { class: "changes" }, ...parts)),
    looks,
    /** @param {Chosen} now */
    show({ about: cell, sourceWord, last, view, experiment }) {
      write(about, cell || "Select an output word and a source word.");
      for (const node of [forbid, force]) greyOut(node, !cell || !cross.length);
      greyOut(swap, experiment.swap === null && (!sourceWord || last));
      write(swap, experiment.swap === null ? "Swap with next" : "Swap back");
      heat.show(experiment.temperature);
      heat.input.disabled = !cross.length;
      positions.show(experiment.positions);
      looks.show(toKey(view.name, view.head));
      off.input.disabled = view.head === null;
      off.show(experiment.heads.some(({ module, head }) => module === view.name && head === view.head));
    },
  };
}

const toKey = (/** @type {string} */ name, /** @type {number | null} */ head) => `${name}/${head ?? ""}`;
/** @type {(key: string) => [string, number | null]} */
const fromKey = (key) => [key.split("/")[0], key.endsWith("/") ? null : Number(key.split("/")[1])];

/** @type {(modules: {name: string, heads: number}[]) => [string, string][]} */
export const viewsOf = (modules) =>
  modules.flatMap(({ name, heads }, layer) => [
    /** @type {[string, string]} */ ([
      toKey(name, null),
      heads > 1 ? `layer ${layer + 1}, mean` : `layer ${layer + 1}`,
    ]),
    ...Array.from(
      { length: heads > 1 ? heads : 0 },
      (_, h) => /** @type {[string, string]} */ ([toKey(name, h), `layer ${layer + 1}, head ${h + 1}`]),
    ),
  ]);
