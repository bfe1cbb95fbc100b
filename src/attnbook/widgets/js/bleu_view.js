// BLEU of a typed translation: matching n-grams and the score.
import { bleu, examples, judged, LONGEST, tokens } from "./bleu/score.js";
import { button, checkbox } from "./shared/controls.js";
import { element, set, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const NAMES = ["words", "pairs", "triples", "quadruples"];
const LEGEND = "Filled: in a reference. Dashed: more often than in any. Dotted: in none.";
const STYLE = `
.bleu .source { margin: 0 0 4px; }
.bleu .own { display: block; font-size: 13px; color: var(--muted); }
.bleu .own input { box-sizing: border-box; width: 100%; min-height: max(36px, var(--touch)); margin-top: 2px; padding: 4px 8px; font: inherit;
  font-size: 16px; color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.bleu .examples { display: flex; flex-wrap: wrap; gap: 4px 6px; align-items: center; margin: 6px 0 0; font-size: 13px; color: var(--muted); }
.bleu .parts { display: grid; gap: 4px 22px; margin-top: 8px; align-items: start; }
.bleu .grams { display: flex; flex-wrap: wrap; gap: 4px; align-content: flex-start; height: 88px; margin: 0 0 4px; padding: 0; overflow: auto; list-style: none; overflow-wrap: anywhere; }
.bleu .grams li { padding: 0 7px; border: 1.5px solid var(--line); border-radius: 5px; }
.bleu li.found { border-color: var(--weight); background: color-mix(in srgb, var(--weight) 20%, var(--paper)); }
.bleu li.spent { border-style: dashed; border-color: var(--weight); }
.bleu li.absent { border-style: dotted; }
.bleu .legend { margin: 0 0 2px; font-size: 12px; }
.bleu .check { display: flex; align-items: center; min-height: max(24px, var(--touch)); padding: 2px 0; box-sizing: border-box; line-height: 1.4; }
.bleu .check span.in { border-bottom: 3px solid var(--weight); }
.bleu .bars { display: grid; grid-template-columns: 6.4rem minmax(0, 1fr) 6.6rem; gap: 3px 10px; align-items: center; font-size: 13px; font-variant-numeric: tabular-nums; }
.bleu .bars button { min-height: max(24px, var(--touch) - 12px); padding: 0 4px; text-align: center; }
.bleu .bars button[aria-pressed=true] { border-color: var(--weight); font-weight: 650; box-shadow: inset 0 0 0 1px var(--weight); }
.bleu .bars .name { line-height: 24px; text-align: center; }
.bleu .bars .bar { height: 16px; background: var(--fill); outline: 1px solid var(--edge); forced-color-adjust: none; }
.bleu .bars .bar > * { height: 100%; background: var(--weight); }
.bleu .bars .bar.whole > * { background: var(--ink); }
.bleu .bars .whole { font-weight: 650; }
@container (max-width: 520px) { .bleu .grams { height: 76px; font-size: 13px; } .bleu .examples button { padding: 2px 8px; } }
@container (min-width: 620px) { .bleu .parts { grid-template-columns: minmax(0, 1fr) 23rem; } }
@media (prefers-reduced-motion: no-preference) { .bleu .bars .bar > * { transition: width 0.3s; } }
`;

/** Bars: precision by n, brevity penalty and score. @param {(n: number) => void} chosen called with the n of a pressed name */
function bars(chosen) {
  const node = element("div", { class: "bars" });
  const rows = [...NAMES, "brevity", "BLEU"].map((name, i) => {
    const kind = name === "BLEU" ? "whole" : "";
    const title =
      i < LONGEST ? button(name, () => chosen(i + 1)) : element("span", { class: `name ${kind}`, text: name });
    const bar = element("div");
    const number = element("span", { class: `number ${kind}` });
    node.append(title, element("div", { class: `bar ${kind}` }, bar), number);
    return { title, bar, number };
  });
  return {
    node,
    /** @param {ReturnType<typeof bleu>} found @param {number} n of the n-grams that are marked */
    show({ precisions, brevity, c, r, score }, n) {
      const shares = [...precisions.map(({ found, all }) => (all ? found / all : 0)), brevity, score / 100];
      const texts = [
        ...precisions.map(({ found, all }) => (all ? `${found} of ${all}` : "none")),
        `${brevity.toFixed(2)} (${c} : ${r})`,
        score.toFixed(1),
      ];
      for (const [i, { title, bar, number }] of rows.entries()) {
        set(bar, { style: `width: ${(100 * shares[i]).toFixed(1)}%` });
        write(number, texts[i]);
        if (i < LONGEST) set(title, { "aria-pressed": String(i + 1 === n) });
      }
    },
  };
}

/** Marks the words of a reference that belong to n-grams of the output. @param {Element} node @param {string[]} reference @param {Set<string>} found @param {number} n */
function mark(node, reference, found, n) {
  const inside = reference.map(() => false);
  for (const at of range(Math.max(0, reference.length - n + 1)))
    if (found.has(reference.slice(at, at + n).join(" "))) inside.fill(true, at, at + n);
  node.replaceChildren(
    ...reference.flatMap((word, i) => [element("span", { class: inside[i] ? "in" : "", text: word }), " "]),
  );
}

/** @param {ReturnType<typeof bleu>} found */
function summary({ c, r, precisions, score }) {
  if (!c) return "The translation is empty: BLEU is 0.";
  const brief = c < r ? ` It has ${c} ${c === 1 ? "token" : "tokens"}, the closest reference ${r}.` : "";
  const zero = precisions.find(({ found, all }) => all && !found);
  const smooth = zero && score ? " Counts of 0 are smoothed." : "";
  return `BLEU of this one sentence is ${score.toFixed(1)}.${brief}${smooth}`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const all = /** @type {string[]} */ (model.get("references")).map(tokens);
  const view = new WidgetCard(place, {
    name: "bleu",
    title: "BLEU of your translation",
    tip: "say it in other words. Press “pairs” or “triples” to see which count.",
    style: STYLE,
    names: ["output", "counted", "size"],
  });
  const field = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  field.addEventListener("input", () => view.change({ output: field.value }));
  const list = element("ul", { class: "grams", tabindex: 0, "aria-label": "n-grams of the translation" });
  const boxes = all.map((_, i) =>
    checkbox("", (on) => {
      const counted = model.get("counted").with(i, on);
      if (counted.some(Boolean)) return view.change({ counted });
      boxes[i].show(true);
      view.say("At least one reference must count.");
    }),
  );
  const plot = bars((n) => view.change({ size: n }));
  const offered = examples(all).map(([name, output]) => button(name, () => view.change({ output })));
  view.figure.append(
    element("p", { class: "source", text: model.get("source") }),
    element("label", { class: "own" }, "Your tokens, separated by spaces", field),
    element("div", { class: "examples" }, "or ", ...offered),
    element(
      "div",
      { class: "parts" },
      element("div", {}, list, element("p", { class: "legend", text: LEGEND }), ...boxes.map((box) => box.element)),
      plot.node,
    ),
  );
  const worst = { ...bleu(["a"], [["a"]]), c: 10, r: 12 };
  worst.precisions[1] = { found: 0, all: 1, smoothed: 0.5 };
  view.reserve([summary(worst)]);

  return view.start(() => {
    const [counted, n] = [model.get("counted"), model.get("size")];
    const output = tokens(model.get("output"));
    const references = all.filter((_, i) => counted[i]);
    if (field.value !== model.get("output")) field.value = model.get("output");
    list.replaceChildren(
      ...judged(output, references, n).map(({ text, fate }) => element("li", { class: fate, text })),
    );
    const own = new Set(judged(output, all, n).map(({ text }) => text));
    for (const [i, { element: label }] of boxes.entries()) {
      boxes[i].show(counted[i]);
      mark(label.children[1], all[i], counted[i] ? own : new Set(), n);
    }
    const found = bleu(output, references);
    plot.show(found, n);
    view.say(summary(found));
  });
}

export default { render };
