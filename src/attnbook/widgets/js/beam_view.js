// Beam search step by step: the tree, the best continuations of the step, and finished hypotheses.
import { grow, ranked, text, worth } from "./beam/tree.js";
import { button, choice, primaryButton, slider } from "./shared/controls.js";
import { element, set, svg, write } from "./shared/dom.js";
import { clamp } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

/** @typedef {import("./beam/tree.js").Word} Word */
/** @typedef {{source: string, reference: string, referenceScore: number, start: number, runs: import("./beam/tree.js").Run[]}} Sentence */
/** A continuation as stored in the model. @typedef {[number, string, number, "live" | "ended" | "dropped"]} Row */

const [COLUMN, HEIGHT, WIDEST] = [98, 180, 4];
const PACE = 1000; // milliseconds per step
const STYLE = `
.beam { max-width: 54rem; }
.beam .tree { position: relative; overflow: auto hidden; }
.beam .figure .tree svg { width: auto; }
.beam .controls { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
.beam .buttons { display: grid; grid-template-columns: auto 1fr; gap: 6px; }
.beam .buttons button { padding: 2px 6px; }
.beam p.head { margin: 4px 0 2px; font-size: 13px; font-weight: 650; }
.beam ol { height: 7.9em; margin: 0; padding: 0; overflow: auto; list-style: none; font-size: 13px; line-height: 1.6; font-variant-numeric: tabular-nums; }
@container (max-width: 520px) { .beam ol { height: 6.4em; } }
.beam li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; }
.beam li.reference { color: var(--muted); }
.beam li.best { font-weight: 650; }
.beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.beam path.kept { stroke: var(--ink); stroke-width: 2; }
.beam path.best { stroke: var(--weight); stroke-width: 4; }
.beam path.dropped { stroke-dasharray: 2 3; }
.beam .figure svg text { paint-order: stroke; stroke: var(--paper); stroke-width: 5px; }
.beam .figure svg .word { font-size: 13px; fill: var(--muted); }
.beam .figure svg .word.kept, .beam .figure svg .word.best { fill: var(--ink); font-weight: 650; }
.beam .figure svg .word.dropped { font-style: italic; }
.beam .figure svg .share { font-size: 11px; fill: var(--muted); }
.beam circle { fill: var(--value); }
`;

/** Position of a word in the tree. @param {number} step @param {number} place @param {number} beam */
const at = (step, place, beam) => ({ x: 6 + step * COLUMN, y: ((place + 0.5) * HEIGHT) / (2 * beam) - 3 });

/** @param {string} word */
const short = (word) => (word.length > 11 ? `${word.slice(0, 10)}…` : word);

/** The probability of a word after the words before it. @param {{ score: number }} word @param {Word | null} before */
export const share = ({ score }, before) => Math.exp(score - (before?.score ?? 0)).toFixed(2);

/** The words of a step that were dropped, as leaves of the tree. @param {import("./beam/tree.js").Run} run @param {number} step */
function dropped(run, step) {
  if (step === 0) return [];
  const { live } = grow(run, step - 1);
  return run[step - 1].flatMap(({ parent, piece, score, fate }, place) =>
    fate === "dropped" ? [{ piece, score, place, step, before: live[parent] ?? null, ended: false }] : [],
  );
}

/** Draws the tree from left to right. @param {SVGSVGElement} picture @param {Word[]} words @param {ReturnType<typeof dropped>} gone @param {Word | undefined} best @param {number} beam */
function drawTree(picture, words, gone, best, beam) {
  const way = new Set();
  for (let word = best ?? null; word; word = word.before) way.add(word);
  const root = { x: 6, y: at(0, (beam - 1) / 2, beam).y };
  const leaves = [
    ...words.map((word) => ({ ...word, kind: way.has(word) ? "best" : word.kept ? "kept" : "" })),
    ...gone.map((word) => ({ ...word, kind: "dropped" })),
  ];
  const lines = leaves.map(({ step, place, before, kind }) => {
    const from = before ? at(before.step, before.place, beam) : root;
    const to = at(step, place, beam);
    return svg("path", {
      class: kind,
      d: `M${from.x + 6} ${from.y}C${to.x - 22} ${from.y} ${to.x - 40} ${to.y} ${to.x - 4} ${to.y}`,
    });
  });
  lines.sort((a, b) => Number(a.classList.contains("best")) - Number(b.classList.contains("best")));
  const labels = leaves.flatMap(({ step, place, piece, score, before, ended, kind }) => {
    const { x, y } = at(step, place, beam);
    const mark = ended ? svg("circle", { cx: x + 4, cy: y, r: 6 }) : label(x, y, short(piece), `word ${kind}`);
    return [mark, label(x + (ended ? 14 : 0), y + (ended ? 0 : 12), share({ score }, before), "share")];
  });
  picture.replaceChildren(...lines, label(root.x, root.y, "<bos>", "word kept"), ...labels);
}

/** @param {number} x @param {number} y @param {string} words @param {string} kind */
const label = (x, y, words, kind) => svg("text", { class: kind, x, y, "dominant-baseline": "central", text: words });

/** @param {{step: number, run: import("./beam/tree.js").Run, live: Word[], best: Word | undefined, reference: string}} now */
function summary({ step, run, live, best, reference }) {
  const written = best ? text(best).join(" ") : "";
  const isRight = written === reference ? "This is the reference." : "The reference differs.";
  if (step === run.length) return `The search ends after ${step} steps with “${written}”. ${isRight}`;
  if (step === 0) return `No word is written. The search takes ${run.length} steps.`;
  const count = (/** @type {string} */ fate) => run[step - 1].filter((one) => one.fate === fate).length;
  const ended = count("ended") ? `, ${count("ended")} end` : "";
  const leader = `“${text(live[0]).join(" ")}” has the largest probability, ${Math.exp(live[0].score).toFixed(2)}`;
  return `Step ${step} of ${run.length}: ${leader}. Of ${run[step - 1].length} candidates, ${count("live")} go on${ended}, ${count("dropped")} are dropped.`;
}

/** The text after every step of every search, to reserve space for the longest. @param {Sentence[]} sentences */
const allSummaries = (sentences) =>
  sentences.flatMap(({ reference, runs }) =>
    runs.flatMap((run) =>
      run.flatMap((_, i) => {
        const { words, live } = grow(run, i + 1);
        const bests = i + 1 === run.length ? ranked(words, 0) : [undefined];
        return bests.map((best) => summary({ step: i + 1, run, live, best, reference }));
      }),
    ),
  );

/** @param {(Omit<Sentence, "runs"> & {runs: Row[][][]})[]} saved @returns {Sentence[]} */
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
    tip: "set beam size 1. Which word does it pick here, and by how much? Play on with size 1, then with 2.",
    style: STYLE,
    names: ["sentence", "beam", "step", "penalty"],
  });
  const run = () => sentences[model.get("sentence")].runs[model.get("beam") - 1];
  const picture = view.picture((most + 1) * COLUMN + 20, HEIGHT, { wide: 1 });
  set(picture, { width: (most + 1) * COLUMN + 20, height: HEIGHT });
  const tree = element(
    "div",
    { class: "tree", tabindex: 0, role: "group", "aria-label": "Tree of the search" },
    picture,
  );
  const ended = element("ol", { tabindex: 0 });
  const { inputs, stop } = controls(view, sentences, most, run);
  view.figure.append(inputs.sentence.element, tree);
  view.controls.after(element("p", { class: "head", text: "Finished (●), penalized log-probability" }), ended);
  view.reserve(allSummaries(sentences));

  const end = view.start(() => {
    const chosen = sentences[model.get("sentence")];
    const step = Math.min(model.get("step"), run().length);
    const { words, live } = grow(run(), step);
    const finished = ranked(words, model.get("penalty"));
    const best = step === run().length ? finished[0] : undefined;
    drawTree(picture, words, dropped(run(), step), best, model.get("beam"));
    const told = summary({ step, run: run(), live, best, reference: chosen.reference });
    set(picture, {
      "aria-label": `${told} ${live.map((word) => `${text(word).join(" ")}: ${word.score.toFixed(2)}`).join("; ")}`,
    });
    tree.scrollLeft = at(step + 1, 0, 1).x - tree.clientWidth;
    const right = { score: chosen.referenceScore, step: chosen.reference.split(" ").length + 1 };
    const rows = [
      ...finished.map((word) => [text(word).join(" "), word, word === best ? "best" : ""]),
      [`reference: ${chosen.reference}`, right, "reference"],
    ];
    ended.replaceChildren(
      ...rows.map(([words, word, kind]) => {
        const penalized = worth(/** @type {Word} */ (word), model.get("penalty")).toFixed(2);
        return element(
          "li",
          { class: String(kind) },
          element("span", { text: String(words) }),
          element("span", { text: penalized }),
        );
      }),
    );
    for (const [name, input] of Object.entries(inputs)) input.show(model.get(name));
    view.say(told);
  }, stop);
  return () => {
    stop();
    end();
  };
}

/** Builds the controls. @param {WidgetCard} view @param {Sentence[]} sentences @param {number} most @param {() => import("./beam/tree.js").Run} run */
function controls(view, sentences, most, run) {
  const inputs = {
    sentence: choice(
      "Sentence to translate",
      sentences.map(({ source }, i) => [i, source]),
      (i) => view.change({ sentence: Number(i), step: sentences[Number(i)].start }),
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
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    write(play, "Play");
  };
  const next = () => {
    view.change({ step: clamp(view.model.get("step") + 1, 0, run().length) });
    if (view.model.get("step") === run().length) stop();
  };
  const play = button("Play", () => {
    if (playing) return stop();
    if (view.model.get("step") >= run().length) view.change({ step: 0 });
    write(play, "Stop");
    playing = setInterval(next, PACE);
  });
  const { beam, step, penalty } = inputs;
  const again = primaryButton("Next step", next);
  const buttons = element("div", { class: "buttons" }, again, play);
  view.controls.append(beam.element, step.element, buttons, penalty.element);
  return { inputs, stop };
}

export default { render };
