// A language model that writes: the distribution of the next token, what the sliders leave of it, and the attention.

import { BOS } from "../engine/vocabulary.js";
import { button, choice, greyOut, primaryButton, slider } from "../shared/controls.js";
import { element } from "../shared/dom.js";
import { argmax } from "../shared/linear_algebra.js";
import { range, sum } from "../shared/numbers.js";
import { WidgetCard } from "../shared/widget_card.js";
import { BARS_STYLE, bars, percent } from "./bars.js";
import { filterControls, filterOf } from "./filters.js";
import { openWriter } from "./open.js";
import { PROMPT_STYLE, promptControls, promptTokens } from "./prompt.js";
import { filtered } from "./sampling.js";
import { drawNext, openText } from "./text.js";
import { TOKENS_STYLE, tokenRow } from "./tokens.js";

/** @typedef {import("./text.js").Text} Text */
/** @typedef {import("./sampling.js").Distribution} Distribution */
/** @typedef {import("../engine/vocabulary.js").Vocabulary} Vocabulary */

const [ROWS, LONGEST] = [8, 24];
const STYLE = `
${TOKENS_STYLE}${BARS_STYLE}${PROMPT_STYLE}
.write .keys { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0 0; }
.write .keys button { flex: 1 1 auto; padding: 2px 6px; }
.write .controls { grid-template-columns: repeat(12, minmax(0, 1fr)); }
.write .controls > * { grid-column: span 3; }
.write .controls > :nth-child(-n + 3) { grid-column: span 4; }
@container (max-width: 480px) {
  .write .controls { gap: 4px 8px; }
  .write .controls > :nth-child(-n + 2) { grid-column: span 6; }
  .write .controls > :nth-child(3) { grid-column: span 7; }
  .write .controls > :nth-child(4) { grid-column: span 5; }
  .write .controls > :nth-child(n + 5) { grid-column: span 4; }
}
@media (pointer: coarse) { /* the card is to fit on the screen of a phone */
  .write .bars li { height: 16px; line-height: 16px; }
  .write :is(.keys, .controls) { --touch: 36px; }
  .write .keys { margin-top: 0; }
}
`;

/** The attention of one head, or the mean of all heads, from one token to those up to it. @param {Text} text @param {number} at @param {string} module @param {number} head -1 for the mean */
function attentionOf(text, at, module, head) {
  const heads = text.places[at].attention[module];
  if (head >= 0) return [...heads[head]];
  return range(at + 1).map((j) => sum(heads.map((weights) => weights[j])) / heads.length);
}

/**
 * The rows of the chart: the likeliest tokens, the token that was drawn if there is one, and the sum of the others.
 * @param {Distribution} found @param {(id: number) => string} piece @param {number | null} drawn
 */
function chartRows({ before, after, order }, piece, drawn) {
  const shown = order.slice(0, ROWS);
  if (drawn !== null && !shown.includes(drawn)) shown[ROWS - 1] = drawn;
  const rest = order.filter((id) => before[id] > 0 && !shown.includes(id));
  const total = (/** @type {number[]} */ p) => sum(rest.map((id) => p[id]));
  return [
    ...shown.map((id) => ({
      text: piece(id),
      before: before[id],
      after: after[id],
      cut: after[id] === 0,
      marked: id === drawn,
    })),
    { text: `${rest.length} others`, before: total(before), after: total(after), cut: total(after) === 0 },
  ];
}

/** @param {import("@anywidget/types").RenderProps} place */
export async function render(place) {
  const { model } = place;
  const { model: network, vocabulary } = await openWriter(model);
  const piece = (/** @type {number} */ id) => vocabulary.pieces([id])[0];
  const view = new WidgetCard(place, {
    name: "write",
    title: "A language model writes",
    tip: "write at temperature 2, then cut the nonsense off with top-p.",
    style: STYLE,
    names: ["prompt", "temperature", "top_k", "top_p", "seed"],
  });
  const last = network.modules.length - 1;
  const start = { module: network.modules[last].name, head: -1 };
  /** @type {{module: string, head: number, at: number | null}} what is looked at; `at` null: the last token */
  let look = { ...start, at: null };
  let text = openText(network, [BOS]);
  let [prompt, begin] = ["", 1];
  let left = "";
  const open = () => {
    prompt = model.get("prompt");
    const tokens = promptTokens(prompt, vocabulary);
    ({ left } = tokens);
    text = openText(network, [BOS, ...vocabulary.encode(tokens.known)]);
    begin = text.length;
    look = { ...look, at: null };
  };
  const parts = layOut(view, network.modules, {
    next: () => text.push(drawNext(text, filterOf(model), model.get("seed"))),
    whole: () => {
      while (!isOver(text)) text.push(drawNext(text, filterOf(model), model.get("seed")));
    },
    back: () => text.cut(text.length - 1),
    again: () => text.cut(begin),
    look: (changes) => {
      look = { ...look, ...changes };
    },
  });
  view.reserve([LONGEST_TEXT]);
  open();
  return view.start(
    () => {
      if (prompt !== model.get("prompt")) open();
      const at = look.at !== null && look.at < text.length ? look.at : text.length - 1;
      const drawn = text.ids[at + 1] ?? null;
      const found = filtered(text.places[at].logits, filterOf(model));
      const weights = attentionOf(text, at, look.module, look.head);
      const over = at === text.length - 1 && text.ended;
      parts.show({ text, begin, at, weights, piece, look });
      parts.chart.show(
        over ? "The sentence has ended" : `After “${piece(text.ids[at])}”`,
        ["before", "after"],
        over ? [] : chartRows(found, piece, drawn),
        true,
      );
      view.say(summary({ text, at, found, weights, piece, drawn, left, over, size: vocabulary.size - 3 }));
    },
    () => {
      look = { ...start, at: null };
      prompt = "\n"; // no prompt: opens the text again
    },
  );
}

/** @param {Text} text */
const isOver = (text) => text.ended || text.length >= LONGEST;

const LONGEST_TEXT =
  "After “professor” the sliders keep 199 of 199 tokens. Drawn: “professors” (100.0 %). Most attention: “professors” (100 %)." +
  " Unknown and left out: professional.";

/** @param {{text: Text, at: number, found: Distribution, weights: number[], piece: (id: number) => string, drawn: number | null, left: string, over: boolean, size: number}} now */
function summary({ text, at, found, weights, piece, drawn, left, over, size }) {
  const named = (/** @type {number} */ id) => `“${piece(id)}”`;
  const most = argmax(weights);
  const looks = ` Most attention: ${named(text.ids[most])} (${(100 * weights[most]).toFixed(0)} %).`;
  if (over)
    return `The model has ended the sentence after ${text.length - 2} tokens. Choose a token to look back.${left}`;
  const keeps = `After ${named(text.ids[at])} the sliders keep ${found.kept} of ${size} tokens.`;
  const was = drawn === null ? "" : ` Drawn: ${named(drawn)} (${percent(found.before[drawn])}).`;
  const full = text.length >= LONGEST && drawn === null ? ` A text has at most ${LONGEST} tokens here.` : "";
  return keeps + was + looks + full + left;
}

/**
 * Builds the figure and the controls.
 * @param {WidgetCard} view @param {{name: string, heads: number}[]} modules
 * @param {{next: () => void, whole: () => void, back: () => void, again: () => void,
 *   look: (changes: {at?: number | null, module?: string, head?: number}) => void}} does
 */
function layOut(view, modules, does) {
  const change = (/** @type {Record<string, unknown>} */ changes) => view.change(changes);
  const row = tokenRow("The text; each token shows how much the chosen token attends to it", (at) => {
    does.look({ at });
    view.redraw();
  });
  const act = (/** @type {string} */ name, /** @type {() => void} */ action, make = button) =>
    make(name, () => {
      action();
      does.look({ at: null });
      view.redraw();
    });
  const [next, whole, back, again] = [
    act("Next token", does.next, primaryButton),
    act("Sentence", does.whole),
    act("Back", does.back),
    act("Restart", does.again),
  ];
  const chart = bars(ROWS + 1, "Probabilities of the next token, before and after the sliders");
  view.figure.append(row.element, element("div", { class: "keys" }, next, whole, back, again), ...chart.elements);

  const prompts = promptControls(view.model.get("prompts"), (prompt) => change({ prompt }));
  const filters = filterControls(change);
  const seed = slider("Seed", { min: 1, max: 50 }, (seed) => change({ seed }));
  const heads = modules.flatMap(({ name, heads }, l) => [
    /** @type {[string, string]} */ ([`${name} -1`, `layer ${l + 1}, mean`]),
    ...range(heads).map((h) => /** @type {[string, string]} */ ([`${name} ${h}`, `layer ${l + 1}, head ${h + 1}`])),
  ]);
  const attention = choice("Attention", heads, (value) => {
    const [module, head] = value.split(" ");
    does.look({ module, head: Number(head) });
    view.redraw();
  });
  const inputs = [attention, filters.temperature, filters.top_k, filters.top_p, seed];
  view.controls.append(...prompts.elements, ...inputs.map((input) => input.element));
  return {
    chart,
    /** @param {{text: Text, begin: number, at: number, weights: number[], piece: (id: number) => string, look: {module: string, head: number}}} now */
    show({ text, begin, at, weights, piece, look }) {
      const tokens = text.ids.map((id, i) => {
        const weight = weights[i] ?? 0;
        const share = i <= at ? (100 * weight).toFixed(0) : "";
        const label = `${piece(id)}${share ? `, attention ${share} %` : ", later"}`;
        const kind = `${i < begin ? "prompt" : ""} ${i > at ? "later" : ""}`.trim();
        return { text: piece(id), note: share, tint: weight, kind, label };
      });
      row.show(tokens, at);
      greyOut(next, isOver(text));
      greyOut(whole, isOver(text));
      greyOut(back, text.length <= begin);
      greyOut(again, text.length <= begin);
      prompts.show(view.model.get("prompt"));
      for (const name of /** @type {const} */ (["temperature", "top_k", "top_p"]))
        filters[name].show(view.model.get(name));
      seed.show(view.model.get("seed"));
      attention.show(`${look.module} ${look.head}`);
    },
  };
}
