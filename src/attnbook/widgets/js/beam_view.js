// Beam search step by step: the tree, the best continuations of the step, and finished hypotheses.
import { grow, ranked, text, worth } from "./beam/tree.js";
import { button, choice, slider } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { clamp, range } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./beam/tree.js").Word} Word */
/** @typedef {{source: string, reference: string, referenceScore: number, runs: import("./beam/tree.js").Run[]}} Sentence */
/** A continuation as stored in the model. @typedef {[number, string, number, "live" | "ended" | "dropped"]} Row */

const [WIDTH, ROW, WIDEST] = [400, 38, 4];
const FATES = { live: "continues", ended: "finished", dropped: "dropped" };
const STYLE = `
.beam { max-width: 54rem; }
.beam .parts { display: grid; gap: 8px 18px; grid-template-columns: minmax(0, 1fr); }
@container (min-width: 620px) { .beam .parts { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); } }
.beam .read { margin: 0 0 4px; }
.beam p.head { margin: 6px 0 2px; font-size: 13px; font-weight: 650; }
.beam ol { margin: 0; padding: 0; list-style: none; font-size: 13px; font-variant-numeric: tabular-nums; }
.beam li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; height: 1.6em; line-height: 1.6; }
.beam li > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.beam .parts > div > :last-child li { height: auto; min-height: 1.6em; }
@container (max-width: 420px) { .beam .parts > div > :last-child li { min-height: 3.2em; } }
.beam .parts > div > :last-child li > * { white-space: normal; }
.beam li.dropped { color: var(--muted); }
.beam li.best { font-weight: 650; }
.beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.beam path.kept { stroke: var(--ink); stroke-width: 2; }
.beam path.best { stroke: var(--weight); stroke-width: 4; }
.beam .figure svg text.gone { fill: var(--muted); }
.beam .figure svg text.kept { font-weight: 650; }
.beam circle { fill: var(--value); }
`;

/** Position of a word in the tree. @param {number} step @param {number} place @param {number} beam */
const at = (step, place, beam) => ({ x: ((place + 0.5) * WIDTH) / beam, y: (step + 0.5) * ROW });

/** @param {string} word */
const short = (word) => (word.length > 12 ? `${word.slice(0, 11)}…` : word);

/** Draws the tree from the top down. @param {SVGSVGElement} picture @param {Word[]} words @param {Word | undefined} best @param {number} beam */
function drawTree(picture, words, best, beam) {
  const lines = [];
  const labels = [];
  const way = new Set();
  for (let word = best ?? null; word; word = word.before) way.add(word);
  for (const word of words) {
    const from = word.before ? at(word.before.step, word.before.place, beam) : { x: WIDTH / 2, y: ROW / 2 };
    const to = at(word.step, word.place, beam);
    const kind = way.has(word) ? "best" : word.kept ? "kept" : "";
    const d = `M${from.x} ${from.y + 8}C${from.x} ${from.y + 22} ${to.x} ${to.y - 22} ${to.x} ${to.y - 8}`;
    lines.push(svg("path", { class: kind, d }));
    if (word.ended) labels.push(svg("circle", { cx: to.x, cy: to.y, r: 6 }));
    else labels.push(label(to.x, to.y, short(word.piece), word.kept ? "kept" : "gone"));
  }
  lines.sort((a, b) => a.classList.length - b.classList.length);
  picture.replaceChildren(...lines, label(WIDTH / 2, ROW / 2, "<bos>", "kept"), ...labels);
}

/** @param {number} x @param {number} y @param {string} words @param {string} kind */
const label = (x, y, words, kind) =>
  svg("text", { class: kind, x, y, "text-anchor": "middle", "dominant-baseline": "central", text: words });

/** A list with a fixed number of lines, so that nothing below moves. @param {string} title @param {number} count */
function lines(title, count) {
  const rows = range(count).map(() => element("li", {}, element("span"), element("span")));
  return {
    element: element("div", {}, element("p", { class: "head", text: title }), element("ol", {}, ...rows)),
    /** @param {{text: string, number: string, kind: string}[]} told */
    show(told) {
      for (const [i, row] of rows.entries()) {
        set(row, { class: told[i]?.kind ?? "", "aria-hidden": told[i] ? null : "true" });
        write(row.children[0], told[i]?.text ?? "\u00a0");
        write(row.children[1], told[i]?.number ?? "");
      }
    },
  };
}

/** The candidates of a step as lines. @param {import("./beam/tree.js").Run} run @param {number} step */
function continuations(run, step) {
  if (step === 0) return [];
  const { live } = grow(run, step - 1);
  return run[step - 1].map(({ parent, piece, score, fate }) => ({
    text: `${[...text(live[parent] ?? null), piece].slice(-5).join(" ")} · ${FATES[fate]}`,
    number: score.toFixed(2),
    kind: fate,
  }));
}

/** @param {{step: number, length: number, live: Word[], best: Word | undefined, reference: string}} now */
function summary({ step, length, live, best, reference }) {
  const written = best ? text(best).join(" ") : "";
  const isRight = written === reference ? "This is the reference." : "The reference differs.";
  if (step === length) return `The search ends after ${length} steps with “${written}”. ${isRight}`;
  const going = live.map((word) => `“${text(word).join(" ")}”`).join(", ");
  return `After ${step} of ${length} steps the beam holds: ${going || "the empty prefix"}.`;
}

/** @param {{source: string, reference: string, referenceScore: number, runs: Row[][][]}[]} saved @returns {Sentence[]} */
const unpacked = (saved) =>
  saved.map((sentence) => ({
    ...sentence,
    runs: sentence.runs.map((run) =>
      run.map((found) => found.map(([parent, piece, score, fate]) => ({ parent, piece, score, fate }))),
    ),
  }));

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const sentences = unpacked(model.get("sentences"));
  const most = Math.max(...sentences.flatMap(({ runs }) => runs.map((run) => run.length)));
  const view = new WidgetCard(place, {
    name: "beam",
    title: "Beam search, step by step",
    tip: "find the step where beam size 1 picks the wrong word. What does beam size 2 do there?",
    style: STYLE,
    names: ["sentence", "beam", "step", "penalty"],
  });
  const run = () => sentences[model.get("sentence")].runs[model.get("beam") - 1];
  const read = element("p", { class: "read" });
  const picture = view.picture(WIDTH, (most + 1) * ROW, { wide: 400 });
  const steps = lines("Top continuations at this step, by log-probability", 8);
  const ended = lines("Finished (●), by length-penalized log-probability", 5);
  view.figure.append(
    read,
    element("div", { class: "parts" }, picture, element("div", {}, steps.element, ended.element)),
  );
  const inputs = controls(view, sentences, most, run);
  view.reserve([
    `After 10 of 10 steps the beam holds: ${"“a sentence of eight or nine words, or of ten”, ".repeat(4)}`,
  ]);

  return view.start(() => {
    const chosen = sentences[model.get("sentence")];
    const step = Math.min(model.get("step"), run().length);
    const { words, live } = grow(run(), step);
    const over = step === run().length;
    const finished = ranked(words, model.get("penalty"));
    const best = over ? finished[0] : undefined;
    write(read, `English: ${chosen.source}`);
    drawTree(picture, words, best, model.get("beam"));
    steps.show(continuations(run(), step));
    const told = finished.map((word) => ({
      text: text(word).join(" "),
      number: worth(word, model.get("penalty")).toFixed(2),
      kind: word === best ? "best" : "",
    }));
    const right = { score: chosen.referenceScore, step: chosen.reference.split(" ").length + 1 };
    const theirs = worth(/** @type {Word} */ (right), model.get("penalty")).toFixed(2);
    ended.show([
      ...range(4).map((i) => told[i]),
      { text: `reference: ${chosen.reference}`, number: theirs, kind: "dropped" },
    ]);
    for (const [name, input] of Object.entries(inputs)) input.show(model.get(name));
    view.say(summary({ step, length: run().length, live, best, reference: chosen.reference }));
  });
}

/** Builds the controls. @param {WidgetCard} view @param {Sentence[]} sentences @param {number} most @param {() => import("./beam/tree.js").Run} run */
function controls(view, sentences, most, run) {
  const inputs = {
    sentence: choice(
      "Sentence",
      sentences.map(({ source }, i) => [i, source]),
      (i) => view.change({ sentence: Number(i), step: 1 }),
    ),
    beam: slider("Beam size", { min: 1, max: WIDEST }, (beam) => view.change({ beam })),
    step: slider(
      "Step",
      { min: 0, max: most, says: (step) => `${Math.min(step, run().length)} of ${run().length}` },
      (step) => view.change({ step }),
    ),
    penalty: slider("Penalty α", { min: 0, max: 1.5, step: 0.1, says: (alpha) => alpha.toFixed(1) }, (penalty) =>
      view.change({ penalty }),
    ),
  };
  const next = button("Next step", () => view.change({ step: clamp(view.model.get("step") + 1, 0, run().length) }));
  view.controls.append(...Object.values(inputs).map((input) => input.element), next);
  return inputs;
}

export default { render };
