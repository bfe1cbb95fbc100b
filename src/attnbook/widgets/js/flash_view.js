// FlashAttention on six tokens: which numbers are in fast memory after each phase, and how many were moved.

import { frames, PHASES, standardTraffic } from "./flash/online_softmax.js";
import { button, choice, greyOut, primaryButton, slider } from "./shared/controls.js";
import { element, set, write } from "./shared/dom.js";
import { dot, softmax } from "./shared/linear_algebra.js";
import { range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./flash/online_softmax.js").Data} Data */
/** @typedef {import("./flash/online_softmax.js").Frame} Frame */
/** @typedef {import("./flash/online_softmax.js").Running} Running */

const PACE = 1000; // milliseconds per phase
const TEXT = { load: "load a block", score: "score s = q × k", rescale: "new m, then eˢ⁻ᵐ", add: "add to ℓ and o" };
const STYLE = `
.flash .grid { display: grid; grid-template-columns: minmax(0, 1fr) 10px repeat(var(--tokens), minmax(0, 1fr)) 10px repeat(3, minmax(0, 1fr)); gap: 2px; max-width: 38rem; margin: 0 auto;
  font-variant-numeric: tabular-nums; text-align: center; }
.flash .grid > * { height: 24px; line-height: 22px; box-sizing: border-box; white-space: nowrap; }
.flash .head { color: var(--muted); font-size: 12px; }
.flash .cell { border: 1px solid var(--edge); border-radius: 4px; color: var(--muted); }
.flash .cell.score:not(.in) { border-color: var(--fill); }
.flash .cell.in { border-color: var(--tone); color: var(--ink); font-weight: 600; background: color-mix(in srgb, var(--tone) 20%, var(--paper)); }
.flash .q { --tone: var(--query); } .flash .k { --tone: var(--key); } .flash .v { --tone: var(--value); }
.flash .score { --tone: var(--weight); } .flash .run { --tone: var(--line); }
.flash .grid > .all { grid-column: span var(--tokens); }
.flash .grid > .three { grid-column: span 3; }
.flash .cell.swatch { font-size: 12px; --tone: var(--line); }
.flash ol { display: grid; grid-template-columns: repeat(4, auto); justify-content: center; gap: 2px 6px; margin: 8px 0 4px; padding: 0; list-style-position: inside; font-size: 13px; color: var(--muted); }
.flash li { padding: 1px 8px; border: 1px solid transparent; border-radius: 5px; }
.flash li[aria-current] { color: var(--ink); border-color: var(--weight); background: var(--fill); }
.flash .traffic { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 2px 10px; align-items: center; font-size: 13px; font-variant-numeric: tabular-nums; }
.flash .bar { height: 10px; background: var(--fill); outline: 1px solid var(--edge); forced-color-adjust: none; }
.flash .bar > * { height: 100%; background: var(--weight); }
.flash .controls { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); }
@container (max-width: 520px) {
  .flash .grid { grid-template-columns: minmax(0, 0.9fr) 1px repeat(var(--tokens), minmax(0, 1.1fr)) 1px repeat(3, minmax(0, 1fr)); gap: 1px; font-size: 10px; letter-spacing: -0.3px; }
  .flash .cell.in { font-weight: 400; }
  .flash .cell.swatch { font-size: 11px; }
  .flash .head { font-size: 10.5px; }
  .flash ol { grid-template-columns: auto auto; }
  .flash .traffic { grid-template-columns: minmax(0, 1fr) auto; }
  .flash .bar { grid-column: 1 / 3; order: 0; }
  .flash .traffic > :nth-child(3n + 2) { grid-row: 2; } .flash .traffic > :nth-child(5) { grid-row: 4; }
}
@media (forced-colors: active) {
  .flash .grid { forced-color-adjust: none; background: var(--paper); }
  .flash li { border-color: Canvas; }
  .flash li[aria-current] { forced-color-adjust: none; color: HighlightText; background: Highlight; }
}
@media (prefers-reduced-motion: no-preference) { .flash .cell, .flash .bar > * { transition: background 0.3s, width 0.3s; } }
`;

/** @param {number} number @param {number} [digits] */
const shown = (number, digits = 2) =>
  number === Number.NEGATIVE_INFINITY ? "−∞" : number.toFixed(digits).replace("-", "−");

/** "1" or "1–2", counted from 1. @param {number[]} indices */
const span = (indices) =>
  indices.length === 1 ? `${indices[0] + 1}` : `${indices[0] + 1}–${indices[indices.length - 1] + 1}`;

/** What a phase does, with the numbers of one query. @param {Frame} before @param {Frame} now @param {Data} data */
export function summary(before, now, { query, key, value }) {
  const { phase, rows, columns, tile, running, outputs } = now;
  if (phase === "start") return "All numbers are in slow memory. No score has been computed.";
  const several = columns.length > 1;
  if (phase === "load") {
    const keys = several ? `Keys and values ${span(columns)} come` : `Key and value ${span(columns)} come`;
    const queries = `${rows.length > 1 ? "Queries" : "Query"} ${span(rows)}`;
    return before.rows === rows
      ? `${keys} into fast memory, in place of the last block. ${queries} and the running numbers stay.`
      : `${keys} into fast memory, as ${rows.length > 1 ? "do queries" : "does query"} ${span(rows)}. Before any key is seen, m = −∞, ℓ = 0 and o = 0.`;
  }
  const rises = (/** @type {number} */ i) =>
    /** @type {Running} */ (running[i]).m > /** @type {Running} */ (before.running[i]).m;
  const row = (phase === "rescale" && rows.find(rises)) || rows[0];
  const name = `Query ${row + 1}:`;
  if (phase === "score") {
    const product = `${shown(query[row], 1)} × ${shown(key[columns[0]], 1)} = ${shown(tile[0][0])}`;
    return `${name} ${product}. Only ${tile.length ** 2} of the ${query.length ** 2} scores exist now; those marked “·” are forgotten.`;
  }
  const old = /** @type {Running} */ (before.running[row]);
  if (phase === "rescale") {
    const { m } = /** @type {Running} */ (running[row]);
    if (old.l === 0) return `${name} its largest score so far is m = ${shown(m)}. Each score s becomes eˢ⁻ᵐ.`;
    if (!rises(row)) return `${name} m stays ${shown(m)}, so ℓ and o need no correction. Each score s becomes eˢ⁻ᵐ.`;
    return `${name} m rises from ${shown(old.m)} to ${shown(m)}, so ℓ and o shrink by the factor ${shown(Math.exp(old.m - m), 3)}. Each score s becomes eˢ⁻ᵐ.`;
  }
  const state = running[row];
  if (state)
    return `${name} ℓ = ${shown(state.l)} and o = ${shown(state.o)} now cover ${columns[columns.length - 1] + 1} of ${key.length} keys. The scores are forgotten.`;
  const whole = dot(softmax(key.map((other) => query[row] * other)), value);
  return `${name} all keys are seen, and o / ℓ = ${shown(/** @type {number} */ (outputs[row]), 3)} goes to slow memory. Softmax over all ${key.length} scores gives ${shown(whole, 3)}.`;
}

/** @param {string} kind @param {number} count */
const cells = (kind, count) => range(count).map(() => element("span", { class: `cell ${kind}` }));

/** The numbers in rows and columns. @param {Data} data @param {string} alt */
function parts({ query, key, value }, alt) {
  const tokens = query.length;
  const head = (/** @type {string} */ text, kind = "") => element("span", { class: `head ${kind}`, text });
  const gap = () => element("span");
  const made = {
    query: cells("q", tokens),
    key: cells("k", tokens),
    value: cells("v", tokens),
    scores: query.map(() => cells("score", tokens)),
    running: query.map(() => cells("run", 3)),
    tile: head("", "all"),
  };
  for (const [name, numbers] of Object.entries({ query, key, value }))
    for (const [i, cell] of made[/** @type {keyof Data} */ (name)].entries()) write(cell, shown(numbers[i], 1));
  const grid = element(
    "div",
    { class: "grid", role: "img", "aria-label": alt, style: `--tokens: ${tokens}` },
    ...[
      head("key"),
      gap(),
      ...made.key,
      gap(),
      element("span", { class: "cell in swatch three", text: "fast memory" }),
    ],
    ...[
      head("value"),
      gap(),
      ...made.value,
      gap(),
      element("span", { class: "cell swatch three", text: "slow memory" }),
    ],
    ...[head("query"), gap(), made.tile, gap(), head("m"), head("ℓ"), head("o")],
    ...query.flatMap((_, i) => [made.query[i], gap(), ...made.scores[i], gap(), ...made.running[i]]),
  );
  return { ...made, grid };
}

/** @param {ReturnType<typeof parts>} made @param {Frame} now */
function paint(made, { phase, rows, columns, tile, running, outputs }) {
  const fast = (/** @type {HTMLElement} */ cell, /** @type {boolean} */ on) => cell.classList.toggle("in", on);
  const shares = phase === "rescale";
  write(made.tile, shares ? "tile of eˢ⁻ᵐ" : tile.length ? "tile of scores s = q × k" : "tile of scores: empty");
  for (const [i, cell] of made.query.entries()) fast(cell, rows.includes(i));
  for (const cell of [...made.key.entries(), ...made.value.entries()]) fast(cell[1], columns.includes(cell[0]));
  for (const [i, row] of made.scores.entries())
    for (const [j, cell] of row.entries()) {
      const at = rows.includes(i) ? columns.indexOf(j) : -1;
      const number = tile[i - rows[0]]?.[at];
      const seen = i < rows[0] || (rows.includes(i) && (j < columns[0] || (at >= 0 && phase === "add")));
      write(cell, number !== undefined ? shown(number) : seen ? "·" : "");
      fast(cell, number !== undefined);
    }
  for (const [i, [m, l, o]] of made.running.entries()) {
    const [state, output] = [running[i], outputs[i]];
    for (const cell of [m, l, o]) fast(cell, state !== null);
    set(m, { hidden: output !== null });
    set(l, { hidden: output !== null });
    o.classList.toggle("three", output !== null);
    write(m, state ? shown(state.m) : "");
    write(l, state ? shown(state.l) : "");
    write(o, state ? shown(state.o) : output === null ? "" : `o / ℓ = ${shown(output)}`);
  }
}

/** Bars of the numbers moved. @param {number} tokens */
function trafficBars(tokens) {
  const all = standardTraffic(tokens);
  const fill = element("div");
  const said = element("span");
  const row = (/** @type {string} */ name, /** @type {HTMLElement} */ bar, /** @type {HTMLElement} */ text) => [
    element("span", { text: name }),
    element("div", { class: "bar" }, bar),
    text,
  ];
  const rows = [
    ...row("FlashAttention", fill, said),
    ...row("Standard", element("div"), element("span", { text: `${all} moved, ${tokens ** 2} scores kept` })),
  ];
  return {
    element: element("div", { class: "traffic" }, ...rows),
    /** @param {number} moved @param {number} whole @param {number} size of a block */
    show(moved, whole, size) {
      set(fill, { style: `width: ${((100 * moved) / all).toFixed(2)}%` });
      write(said, `${moved} of ${whole} moved, ${size ** 2} ${size > 1 ? "scores" : "score"} kept`);
    },
  };
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const data = /** @type {Data} */ ({ query: model.get("query"), key: model.get("key"), value: model.get("value") });
  const tokens = data.query.length;
  const view = new WidgetCard(place, {
    name: "flash",
    title: "FlashAttention in blocks",
    tip: "find a step where m rises: what happens to ℓ and o? Then choose larger blocks: what happens to the traffic, and to the scores kept at once?",
    style: STYLE,
    names: ["tile", "step"],
  });
  const made = parts(data, model.get("alt"));
  const steps = PHASES.map((phase) => element("li", { text: TEXT[phase] }));
  const traffic = trafficBars(tokens);
  view.figure.append(made.grid, element("ol", {}, ...steps), traffic.element);
  const sizes = range(tokens).flatMap((i) => (tokens % (i + 1) ? [] : [i + 1]));
  const walks = new Map(sizes.map((size) => [size, frames(data, size)]));
  const walk = () => /** @type {Frame[]} */ (walks.get(model.get("tile")));
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    write(play, "Play");
  };
  const go = (/** @type {number} */ step) => {
    view.change({ step });
    if (step === walk().length - 1) stop();
  };
  const next = primaryButton("Next step", () => go(model.get("step") + 1));
  const play = button("Play", () => {
    if (playing) return stop();
    if (model.get("step") === walk().length - 1) go(0);
    write(play, "Stop");
    playing = setInterval(() => go(model.get("step") + 1), PACE);
  });
  const says = (/** @type {number} */ at) => `${at} of ${walk().length - 1}`;
  const step = slider("Step", { min: 0, max: 1, says }, go);
  const names = sizes.map((size) => /** @type {[number, string]} */ ([size, `${size} × ${size}`]));
  const tile = choice("Block", names, (value) => {
    stop();
    view.change({ tile: Number(value), step: 2 });
  });
  view.controls.append(step.element, tile.element, next, play);
  for (const [i, row] of made.scores.entries())
    for (const [j, cell] of row.entries())
      cell.addEventListener("click", () => {
        const at = walk().findIndex(
          ({ phase, rows, columns }) => phase === "score" && rows.includes(i) && columns.includes(j),
        );
        go(at);
      });
  view.reserve([...walks.values()].flatMap((all) => all.map((now, i) => summary(all[Math.max(0, i - 1)], now, data))));
  const end = view.start(() => {
    const all = walk();
    const at = Math.min(model.get("step"), all.length - 1); // the block size may change first
    set(step.input, { max: all.length - 1 });
    step.show(at);
    tile.show(model.get("tile"));
    greyOut(next, at === all.length - 1);
    paint(made, all[at]);
    for (const [i, node] of steps.entries()) set(node, { "aria-current": PHASES[i] === all[at].phase ? "step" : null });
    traffic.show(all[at].moved, all[all.length - 1].moved, model.get("tile"));
    view.say(summary(all[Math.max(0, at - 1)], all[at], data));
  }, stop);
  return () => {
    stop();
    end();
  };
}

export default { render };
