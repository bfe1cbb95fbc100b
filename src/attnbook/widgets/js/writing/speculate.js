// Speculative decoding, pass by pass: what the draft guesses, and what the large model makes of each guess.

import { BOS, EOS } from "../engine/vocabulary.js";
import { button, choice, greyOut, primaryButton, slider } from "../shared/controls.js";
import { element, set, write } from "../shared/dom.js";
import { range, sum } from "../shared/numbers.js";
import { WidgetCard } from "../shared/widget_card.js";
import { BARS_STYLE, bars, percent } from "./bars.js";
import { openWriter } from "./open.js";
import { promptTokens } from "./prompt.js";
import { residual, tally } from "./speculation.js";
import { speculate } from "./text.js";
import { TOKENS_STYLE, tokenRow } from "./tokens.js";

/** @typedef {import("./text.js").SpeculativePass} Pass */

const [BARS, MOST_AHEAD, LONGEST] = [4, 5, 24];
const DRAFTS = /** @type {[string, string][]} */ ([
  ["bigram", "bigram table"],
  ["uniform", "uniform guesses"],
  ["itself", "the large model"],
]);
const STYLE = `
${TOKENS_STYLE}${BARS_STYLE}
.speculate .tokens { height: 46px; flex-wrap: nowrap; overflow-x: auto; overflow-y: hidden; }
.speculate .tokens .kept { border-bottom-color: var(--value); }
.speculate .tokens .residual { border-bottom: 3px dashed var(--query); }
.speculate .tokens .bonus { border-bottom: 3px double var(--key); }
.speculate .keys { display: flex; gap: 6px; margin: 6px 0 4px; }
.speculate .keys button { flex: 1; padding: 2px 6px; }
.speculate table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
.speculate th { height: 20px; padding: 0 4px; font-weight: 400; text-align: right; color: var(--muted); white-space: nowrap; }
.speculate td { height: 26px; padding: 0 4px; text-align: right; white-space: nowrap; border-top: 1px solid var(--edge); }
.speculate :is(th, td):is(:first-child, .chance, :last-child) { text-align: left; }
.speculate :is(th, td):last-child { width: 6em; padding-left: 14px; }
.speculate .chance { width: 9rem; padding-left: 16px; }
.speculate .chance span { position: relative; display: block; height: 10px; border-radius: 5px; background: color-mix(in srgb, var(--query) 30%, var(--paper)); }
.speculate .chance .keeps { position: absolute; inset: 0 auto 0 0; border-radius: 5px 0 0 5px; background: color-mix(in srgb, var(--value) 45%, var(--paper)); }
.speculate .chance .coin { position: absolute; top: -2px; bottom: -2px; width: 3px; translate: -1.5px 0; border-radius: 2px; background: var(--ink); }
.speculate td button { min-height: 24px; height: 24px; min-width: 2rem; max-width: 7.5em; padding: 0 6px; overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.speculate td button[aria-pressed=true] { border-color: var(--query); box-shadow: inset 0 -2px var(--query); }
.speculate .unused > * { visibility: hidden; }
.speculate .dropped td { color: var(--muted); }
.speculate .dropped button { color: var(--muted); text-decoration: line-through; }
.speculate :is(.kept, .rejected, .redrawn, .added) td:last-child { font-weight: 650; }
.speculate .kept td:last-child { color: var(--value); }
.speculate :is(.rejected, .redrawn) td:last-child { color: var(--query); }
.speculate .added td:last-child { color: var(--key); }
.speculate .kept td:last-child::before { content: "✓ "; }
.speculate .rejected td:last-child::before { content: "✗ "; }
.speculate :is(.added, .redrawn) td:last-child::before { content: "+ "; }
@media (forced-colors: active) { .speculate .chance span { forced-color-adjust: none; } }
@container (max-width: 480px) { .speculate table { font-size: 12px; } .speculate :is(th, td) { padding: 0 2px; } 
  .speculate :is(th, td):last-child { width: 4.6em; padding-left: 8px; } .speculate :is(.kept, .rejected, .redrawn, .added) td:last-child { font-weight: 400; } .speculate :is(.kept, .rejected, .redrawn, .added) td:last-child::before { content: none; }
  .speculate .chance { display: none; } .speculate td button { max-width: 5.6em; padding: 0 3px; font-size: 12px; } }
`;

/**
 * The lines of the table for one pass: the guesses that were checked, those that were dropped, and the added token.
 * @param {Pass} pass @param {(id: number) => string} piece
 */
function passLines({ checked, added, guesses }, piece) {
  const lines = checked.map(({ token, q, p, ratio, coin, kept }) => ({
    text: piece(token),
    cells: [percent(q), percent(p), ratio.toFixed(2), coin.toFixed(2)],
    result: kept ? "kept" : "rejected",
  }));
  for (const token of guesses.slice(checked.length))
    lines.push({ text: piece(token), cells: ["", "", "", ""], result: "dropped" });
  if (added) {
    const p = added.from === "bonus" ? "" : "p − q";
    lines.push({
      text: piece(added.token),
      cells: ["", p, "", ""],
      result: added.from === "bonus" ? "added" : "redrawn",
    });
  }
  return lines;
}

/**
 * The two distributions at a line of the table: q and p at a guess, p and the residual at a redrawn token, p alone at an
 * added one.
 * @param {Pass} pass @param {number} line @returns {{before: number[], after: number[], names: [string, string]}}
 */
function distributionsAt({ checked, added, large, drafts }, line) {
  if (line < drafts.length) return { before: drafts[line], after: large[line], names: ["q", "p"] };
  if (added?.from !== "residual")
    return { before: large[drafts.length], after: large[drafts.length], names: ["p", "p"] };
  const at = checked.length - 1;
  const rest = residual(large[at], drafts[at]);
  const total = sum(rest);
  return {
    before: large[at],
    after: rest.map((value) => value / total),
    names: ["p", "max(0, p − q), divided by its sum"],
  };
}

/** @param {import("@anywidget/types").RenderProps} place */
export async function render(place) {
  const { model } = place;
  const writer = await openWriter(model);
  const piece = (/** @type {number} */ id) => writer.vocabulary.pieces([id])[0];
  const view = new WidgetCard(place, {
    name: "speculate",
    title: "Guess ahead, and check",
    tip: "compare the three drafts. How many tokens does a pass write?",
    style: STYLE,
    names: ["prompt", "temperature", "ahead", "draft", "seed"],
  });
  const start = { passes: 1, line: 0 };
  let now = start;
  const parts = layOut(view, {
    look: (changes) => {
      now = { ...now, ...changes };
      view.redraw();
    },
    more: (count) => {
      now = { passes: Math.min(now.passes, run().passes.length) + count, line: 0 };
      view.redraw();
    },
  });
  const run = () => {
    const { known } = promptTokens(model.get("prompt"), writer.vocabulary);
    const [temperature, ahead, draft, seed] = ["temperature", "ahead", "draft", "seed"].map((name) => model.get(name));
    const settings = { temperature, topK: 0, topP: 1, ahead, draft, seed };
    const prompt = [BOS, ...writer.vocabulary.encode(known)];
    return { ...speculate(writer, prompt, settings, now.passes, LONGEST), begin: prompt.length };
  };
  view.reserve([LONGEST_TEXT]);
  return view.start(
    () => {
      const { ids, passes, begin } = run();
      const pass = passes[passes.length - 1];
      parts.show({ ids, passes, begin, line: now.line, piece, over: passes.length < now.passes || isOver(ids) });
      view.say(summary(passes, pass));
    },
    () => {
      now = start;
    },
  );
}

/** @param {number[]} ids */
const isOver = (ids) => ids.at(-1) === EOS || ids.length >= LONGEST;

const LONGEST_TEXT =
  "Pass 20 kept 5 of 5 checked guesses and wrote 5 tokens. So far 100 % were kept (100 of 100), and 20 passes of the large model " +
  "wrote 100 tokens, 5.00 per pass.";

/** @param {Pass[]} passes @param {Pass} pass */
function summary(passes, pass) {
  const all = tally(passes);
  const kept = pass.checked.filter((one) => one.kept).length;
  return (
    `Pass ${all.passes} kept ${kept} of ${count(pass.checked.length, "checked guess", "checked guesses")} and wrote ${count(pass.written.length, "token", "tokens")}. ` +
    `So far ${(100 * all.rate).toFixed(0)} % were kept (${all.kept} of ${all.checked}), and ` +
    `${count(all.passes, "pass", "passes")} of the large model wrote ${count(all.tokens, "token", "tokens")}, ${all.perPass.toFixed(2)} per pass.`
  );
}

/** @param {number} number @param {string} one @param {string} more */
const count = (number, one, more) => `${number} ${number === 1 ? one : more}`;

/** The written tokens by how they came about. @param {number[]} ids @param {number} begin @param {Pass[]} passes @param {(id: number) => string} piece */
function writtenTokens(ids, begin, passes, piece) {
  const tokens = ids.slice(0, begin).map((id) => ({ text: piece(id), note: "", kind: "prompt", label: "" }));
  for (const { written, added } of passes)
    for (const [i, id] of written.entries()) {
      const kind = added && i === written.length - 1 ? added.from : "kept";
      const note = { kept: "kept", residual: "redrawn", bonus: "added" }[kind];
      tokens.push({ text: piece(id), note, kind, label: `${piece(id)}, ${note}` });
    }
  return tokens;
}

/** @param {WidgetCard} view @param {{look: (changes: {line: number}) => void, more: (count: number) => void}} does */
function layOut(view, does) {
  const row = tokenRow("The text, and how each token came about", null);
  const next = primaryButton("Next pass", () => does.more(1));
  const whole = button("Whole sentence", () => does.more(LONGEST));
  const lines = range(MOST_AHEAD + 1).map((line) => {
    const pick = element("button", { type: "button" });
    pick.addEventListener("click", () => does.look({ line }));
    const cells = range(4).map(() => element("td"));
    const chance = chanceCell();
    const row = element("tr", {}, element("td", {}, pick), ...cells, chance.element, element("td"));
    return { pick, cells, chance, result: row.cells[row.cells.length - 1], row };
  });
  const heads = ["guess", "q", "p", "min(1, p/q)", "coin", "", "result"].map((text) =>
    element("th", text ? { scope: "col", text } : { class: "chance", "aria-hidden": "true", text: "0 … 1" }),
  );
  const table = element(
    "table",
    { "aria-label": "The last pass" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...lines.map(({ row }) => row)),
  );
  const chart = bars(BARS, "Probabilities by the draft and by the large model");
  view.figure.append(row.element, element("div", { class: "keys" }, next, whole), table, ...chart.elements);

  const change = (/** @type {Record<string, unknown>} */ changes) => view.change(changes);
  const inputs = {
    draft: choice("Draft", DRAFTS, (draft) => change({ draft })),
    ahead: slider("Guesses per pass", { min: 1, max: MOST_AHEAD }, (ahead) => change({ ahead })),
    temperature: slider("Temperature", { min: 0.1, max: 2, step: 0.1, says: (t) => t.toFixed(1) }, (temperature) =>
      change({ temperature }),
    ),
    seed: slider("Seed", { min: 1, max: 50 }, (seed) => change({ seed })),
  };
  view.controls.append(...Object.values(inputs).map((input) => input.element));
  return {
    /** @param {{ids: number[], passes: Pass[], begin: number, line: number, piece: (id: number) => string, over: boolean}} now */
    show({ ids, passes, begin, line, piece, over }) {
      const pass = passes[passes.length - 1];
      row.show(writtenTokens(ids, begin, passes, piece));
      const shown = passLines(pass, piece);
      const chosen = Math.min(line, shown.length - 1);
      for (const [i, { row, pick, cells, chance, result }] of lines.entries()) {
        const here = shown[i];
        chance.show(pass.checked[i]);
        set(row, { class: here ? here.result : "unused" });
        write(pick, here?.text ?? "\u00a0");
        set(pick, { "aria-pressed": String(i === chosen) });
        for (const [k, cell] of cells.entries()) write(cell, here?.cells[k] ?? "\u00a0");
        write(result, here?.result ?? "\u00a0");
      }
      showChart(chart, pass, chosen, shown[chosen].text, piece);
      greyOut(next, over);
      greyOut(whole, over);
      for (const [name, input] of Object.entries(inputs)) input.show(view.model.get(name));
    },
  };
}

/** A cell in which a guess is kept if its coin falls into the colored part, which is min(1, p / q) wide. */
function chanceCell() {
  const [keeps, coin] = ["keeps", "coin"].map((kind) => element("span", { class: kind }));
  const track = element("span", {}, keeps, coin);
  return {
    element: element("td", { class: "chance", "aria-hidden": "true" }, track),
    /** @param {Pass["checked"][number] | undefined} checked */
    show(checked) {
      track.style.visibility = checked ? "visible" : "hidden";
      if (!checked) return;
      keeps.style.width = `${100 * checked.ratio}%`;
      coin.style.left = `${100 * checked.coin}%`;
    },
  };
}

/** @param {ReturnType<typeof bars>} chart @param {Pass} pass @param {number} line @param {string} token @param {(id: number) => string} piece */
function showChart(chart, pass, line, token, piece) {
  const { before, after, names } = distributionsAt(pass, line);
  const most = (/** @type {number} */ id) => Math.max(before[id], after[id]);
  const ids = before.map((_, id) => id).sort((a, b) => most(b) - most(a));
  const shown = ids.slice(0, BARS);
  const own = ids.find((id) => piece(id) === token);
  if (own !== undefined && !shown.includes(own)) shown[BARS - 1] = own;
  const rows = shown.map((id) => ({ text: piece(id), before: before[id], after: after[id], marked: id === own }));
  chart.show(`At the place of “${token}”`, names, rows);
}
