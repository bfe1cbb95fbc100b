// BLEU of a typed translation: matching n-grams and the score.
import { bleu, judged, LONGEST, tokens } from "./bleu/score.js";
import { checkbox, slider } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const [WIDTH, ROW] = [640, 34];
const BAR = { left: 162, right: 430 };
const NAMES = ["words", "pairs", "triples", "quadruples"];
const LEGEND =
  "Filled: found in a reference. Dashed: repeated more often than in any reference. Dotted: in no reference.";
const STYLE = `
.bleu .source { margin: 0 0 6px; }
.bleu .own { display: block; font-size: 13px; color: var(--muted); }
.bleu .own input { box-sizing: border-box; width: 100%; min-height: 36px; margin-top: 2px; padding: 4px 8px; font: inherit;
  font-size: 16px; color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.bleu .grams { display: grid; grid-template-columns: minmax(0, 1fr); overflow-wrap: anywhere; margin: 8px 0; }
.bleu .grams > ul { grid-area: 1 / 1; display: flex; flex-wrap: wrap; gap: 4px; margin: 0; padding: 0; list-style: none;
  align-content: flex-start; }
.bleu .grams > ul.other { visibility: hidden; }
.bleu .grams li { padding: 1px 7px; border: 1.5px solid var(--line); border-radius: 5px; }
.bleu li.found { border-color: var(--weight); background: color-mix(in srgb, var(--weight) 20%, var(--paper)); }
.bleu li.spent { border-style: dashed; border-color: var(--weight); }
.bleu li.absent { border-style: dotted; }
.bleu .check { display: flex; align-items: flex-start; padding: 3px 0; line-height: 1.5; }
.bleu .check span.in { border-bottom: 3px solid var(--weight); }
.bleu rect.track { fill: var(--fill); }
.bleu rect.bar { fill: var(--weight); }
.bleu rect.whole { fill: var(--ink); }
`;

/** Bars: precision by n, brevity penalty and score. @param {SVGSVGElement} picture */
function parts(picture) {
  const rows = [...NAMES, "brevity", "BLEU"].map((name, i) => {
    const y = i * ROW + 4;
    const middle = { y: y + ROW / 2 - 3, "dominant-baseline": "central" };
    const bar = svg("rect", { class: name === "BLEU" ? "whole" : "bar", x: BAR.left, y: y + 4, height: ROW - 14 });
    const said = svg("text", { x: BAR.right + 12, ...middle });
    picture.append(
      svg("text", { x: BAR.left - 10, ...middle, "text-anchor": "end", text: name }),
      svg("rect", { class: "track", x: BAR.left, y: y + 4, width: BAR.right - BAR.left, height: ROW - 14 }),
      bar,
      said,
    );
    return { bar, said };
  });
  return rows;
}

/** @param {ReturnType<typeof parts>} rows @param {ReturnType<typeof bleu>} found */
function draw(rows, { precisions, brevity, c, r, score }) {
  const shares = [...precisions.map(({ found, all }) => (all ? found / all : 0)), brevity, score / 100];
  const texts = [
    ...precisions.map(({ found, all }) => (all ? `${found} of ${all}` : "none")),
    `c ${c}, r ${r}: ${brevity.toFixed(2)}`,
    score.toFixed(1),
  ];
  for (const [i, { bar, said }] of rows.entries()) {
    set(bar, { width: (shares[i] * (BAR.right - BAR.left)).toFixed(1) });
    write(said, texts[i]);
  }
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
  const brief = c < r ? ` The translation has ${c} ${c === 1 ? "token" : "tokens"}, the closest reference ${r}.` : "";
  const zero = precisions.find(({ found, all }) => all && !found);
  const smooth = zero && score ? " Counts of 0 are smoothed; otherwise the product would be 0." : "";
  return `BLEU of this one sentence is ${score.toFixed(1)}.${brief}${smooth}`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const all = /** @type {string[]} */ (model.get("references")).map(tokens);
  const view = new WidgetCard(place, {
    name: "bleu",
    title: "BLEU of your own translation",
    tip: "say the same thing in other words. Then leave out the end, or repeat a correct word five times.",
    style: STYLE,
    names: ["output", "counted", "size"],
  });
  const field = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  field.addEventListener("input", () => view.change({ output: field.value }));
  const lists = range(LONGEST).map(() => element("ul"));
  const boxes = all.map((_, i) =>
    checkbox("", (on) => {
      const counted = model.get("counted").with(i, on);
      if (counted.some(Boolean)) view.change({ counted });
      else boxes[i].show(true); // at least one reference is required
    }),
  );
  view.figure.append(
    element("p", { class: "source", text: model.get("source") }),
    element("label", { class: "own" }, "Your translation (tokens separated by spaces)", field),
    element("div", { class: "grams" }, ...lists),
    element("p", { class: "legend", text: LEGEND }),
    ...boxes.map((box) => box.element),
  );
  const bars = parts(view.picture(WIDTH, 6 * ROW + 8, { wide: 600 }));
  const says = (/** @type {number} */ n) => NAMES[n - 1];
  const size = slider("Highlight", { min: 1, max: LONGEST, says }, (n) => view.change({ size: n }));
  view.controls.append(size.element);
  view.reserve([
    `BLEU of this one sentence is 100.0. The translation has 10 tokens, the closest reference 12. ${"A count of 0. ".repeat(4)}`,
  ]);

  return view.start(() => {
    const [counted, n] = [model.get("counted"), model.get("size")];
    const output = tokens(model.get("output"));
    const references = all.filter((_, i) => counted[i]);
    if (field.value !== model.get("output")) field.value = model.get("output");
    for (const [i, list] of lists.entries()) {
      set(list, { class: i + 1 === n ? "" : "other" });
      list.replaceChildren(
        ...judged(output, references, i + 1).map(({ text, fate }) => element("li", { class: fate, text })),
      );
    }
    const own = new Set(judged(output, all, n).map(({ text }) => text));
    for (const [i, { element: label }] of boxes.entries()) {
      boxes[i].show(counted[i]);
      mark(label.children[1], all[i], counted[i] ? own : new Set(), n);
    }
    const found = bleu(output, references);
    draw(bars, found);
    size.show(n);
    view.say(summary(found));
  });
}

export default { render };
