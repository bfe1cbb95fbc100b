// Trains a small Transformer in the page and shows its attention.

import { button, checkbox, choice, listed, primaryButton, slider } from "./shared/controls.js";
import { element, set, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { Address } from "./shared/url_fragment.js";
import { WidgetCard } from "./shared/widget_card.js";
import { startWorker } from "./shared/worker.js";
import { CURVE_STYLE, curve, curveLegend, curveSize } from "./train/curve.js";
import { learnedAt, withFrame } from "./train/film.js";
import { HEATMAP, HEATMAP_STYLE, heatmap, weightsOf } from "./train/heatmap.js";
import { RIVALS, rivalOf } from "./train/rival.js";
import { fromText, HEADS, LAYERS, nextSeed, RATES, toText } from "./train/settings.js";
import { LEARNED, LONGEST, statusText } from "./train/status_text.js";
import { TASKS } from "./train/tasks.js";
import { Trainer } from "./train/trainer.js";
import program from "./train/worker.js?text";

/** @typedef {import("./train/trainer.js").Settings} Settings */
/** @typedef {import("./train/session.js").News} News */
/** @typedef {import("@anywidget/types").RenderProps} RenderProps */

const RUN = 5000; // steps per run
const RECENT = 50; // steps over which accuracy is averaged
const SAY = 4000; // milliseconds between status updates while training

const STYLE = `
.train { max-width: 56rem; }
.panels { display: grid; gap: 2px 18px; grid-template-columns: minmax(0, 1fr); }
.train .settings > div { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2px 12px; }
.train .controls { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 2px 12px; margin: 0; }
@container (min-width: 620px) {
  .panels { grid-template-columns: minmax(0, 1fr) minmax(0, 1.15fr); align-items: start; }
  .train .settings > div { grid-template-columns: repeat(6, minmax(0, 1fr)); }
}
.train .check { align-self: end; }
.train summary { cursor: pointer; font-size: 13px; color: var(--muted); min-height: 26px; }
.train .film { flex: 1 0 100%; flex-direction: row; align-items: center; gap: 10px; }
.train .film .words { min-width: 8rem; }
.do { display: flex; flex-wrap: wrap; gap: 0 8px; }
.do button { white-space: nowrap; }
.do .primary { min-width: 5rem; }
.now { flex: 1 0 100%; font-variant-numeric: tabular-nums; color: var(--muted); font-size: 13px; }
${CURVE_STYLE}${HEATMAP_STYLE}`;

class TrainView {
  /** @param {RenderProps} place */
  constructor(place) {
    const { model, el } = place;
    this.address = new Address(el, model.get("name"));
    this.first = /** @type {Settings} */ (model.get("settings"));
    const sent = fromText(this.address.read(), this.first);
    this.settings = sent ?? this.first;
    this.run = 0; // the current run; progress messages of older runs are ignored
    this.playing = false;
    this.goal = 0; // step at which this run stops
    this.opened = false; // whether the worker has started this run
    this.head = /** @type {number | null} */ (null);
    this.program = /** @type {ReturnType<typeof startWorker> | null} */ (null);
    this.rivalProgram = /** @type {ReturnType<typeof startWorker> | null} */ (null);
    this.rival = "none"; // name of the second net
    this.at = /** @type {number | null} */ (null); // index of the frame shown; null: the last
    this.learned = /** @type {number | null} */ (null); // step at which it had learned
    this.said = 0; // time of the last status update
    const options = { name: "train", title: model.get("title"), tip: model.get("tip"), style: STYLE };
    this.card = new WidgetCard(place, { ...options, names: [] });
    this.away = false; // paused because it is out of view
    this.lay();
    this.begin();
    this.sight = new IntersectionObserver((entries) => this.seen(entries[entries.length - 1].isIntersecting));
    this.sight.observe(el);
    if (sent) this.address.show();
  }

  /** Pauses when out of view and resumes when visible. @param {boolean} inSight */
  seen(inSight) {
    if (inSight === !this.away || (!inSight && !this.playing)) return;
    this.away = !inSight;
    this.play(inSight);
  }

  /** Builds the card. */
  lay() {
    const label = "Accuracy and loss over training steps";
    const narrow = this.card.host.clientWidth < 620;
    const { width, height } = curveSize(narrow);
    const left = this.card.picture(width, height, { label, wide: 420, size: 12 });
    const looks = "Attention weights of each slot over the places of a list";
    const right = this.card.picture(HEATMAP.width, HEATMAP.height, { label: looks, wide: 380, size: 12.5 });
    this.curve = curve(left, height);
    this.legend = curveLegend();
    this.heatmap = heatmap(right);
    this.start = primaryButton("Start", () => this.play(!this.playing));
    this.now = element("span", { class: "now" });
    const single = button("One step", () => this.order(1));
    const again = button("New seed", () => this.set({ seed: nextSeed(this.settings.seed) }));
    const does = element("div", { class: "do" }, this.start, single, again, this.now);
    this.inputs = this.controls();
    const { film, task, rival, ...others } = this.inputs;
    film.element.classList.add("film");
    const settings = element("div", {}, ...Object.values(others).map((control) => control.element));
    const net = element("details", { class: "settings" }, element("summary", { text: "Change the net" }), settings);
    net.open = !narrow;
    does.append(film.element);
    this.card.controls.append(task.element, rival.element);
    this.card.figure.append(
      element(
        "div",
        { class: "panels" },
        element("div", {}, this.legend.element, left),
        right,
        does,
        this.card.controls,
      ),
      net,
    );
    this.card.reserve([LONGEST]);
  }

  controls() {
    const numbers = (/** @type {number[]} */ list) => list.map((n) => /** @type {[number, number]} */ ([n, n]));
    const tasks = Object.entries(TASKS).map(([task, { label }]) => /** @type {[string, string]} */ ([task, label]));
    const rates = { min: 0, max: RATES.length - 1, scale: listed(RATES) };
    const rivals = Object.entries(RIVALS).map(([key, { label }]) => /** @type {[string, string]} */ ([key, label]));
    const says = (/** @type {number} */ i) => (this.frames?.[i]?.step ?? 0).toLocaleString("en");
    return {
      film: slider("Step shown", { min: 0, max: 1, says }, (i) => {
        this.at = i + 1 < (this.frames ?? []).length ? i : null;
        this.draw();
      }),
      rival: choice("Compare with", rivals, (rival) => {
        this.rival = rival;
        this.set({});
      }),
      task: choice("Task", tasks, (task) => this.set({ task })),
      layers: choice("Layers", numbers(LAYERS), (layers) => this.set({ layers: Number(layers) })),
      heads: choice("Heads", numbers(HEADS), (heads) => this.set({ heads: Number(heads) })),
      shown: choice("Shown head", [], (head) => {
        this.head = head === "mean" ? null : Number(head);
        this.draw();
      }),
      rate: slider("Rate", rates, (rate) => this.set({ rate })),
      positions: checkbox("positions", (positions) => this.set({ positions })),
      attention: checkbox("attention", (attention) => this.set({ attention })),
    };
  }

  /** Changing settings restarts training; if it was running, it continues with the new settings. @param {Partial<Settings>} changes */
  set(changes) {
    this.settings = { ...this.settings, ...changes };
    this.address.write(toText(this.settings, this.first));
    this.begin();
    if (this.playing) this.order(RUN);
  }

  /** Called when the URL fragment changes. @param {import("./shared/url_fragment.js").Values} values */
  arrive(values) {
    this.set(fromText(values, this.first) ?? {});
    this.address.show();
  }

  /** Starts over with a new, untrained model. */
  begin() {
    if (this.opened) this.send(0);
    this.run++;
    this.opened = false;
    [this.at, this.learned] = [null, null];
    /** @type {import("./train/trainer.js").Step[]} */
    this.rivalSteps = [];
    const { settings, inputs } = this;
    const heads = range(settings.heads);
    /** @type {import("./train/trainer.js").Step[]} */
    this.steps = [];
    const trainer = new Trainer(settings);
    this.task = trainer.task;
    this.size = trainer.size;
    this.look = trainer.look();
    this.frames = withFrame([], { step: 0, look: this.look });
    if (this.head !== null && this.head >= settings.heads) this.head = null;
    inputs?.task.show(settings.task);
    inputs?.layers.show(settings.layers);
    inputs?.heads.show(settings.heads);
    inputs?.rate.show(settings.rate);
    inputs?.positions.show(settings.positions);
    inputs?.attention.show(settings.attention);
    inputs?.shown.offer([
      ["mean", "mean"],
      ...heads.map((h) => /** @type {[string | number, string]} */ ([h, `head ${h + 1}`])),
    ]);
    this.heatmap?.lay(this.task, this.look);
    inputs?.rival.show(this.rival);
    this.say(true);
    this.said = Number.NEGATIVE_INFINITY; // the first steps are told at once
    this.draw();
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    this.at = null;
    if (playing) this.order(RUN);
    else {
      this.send(0);
      this.say(true);
    }
    this.draw();
  }

  /** @param {number} steps */
  order(steps) {
    if (steps === 1) this.playing = false;
    this.goal = (this.steps?.length ?? 0) + steps;
    this.send(steps);
    this.draw();
  }

  /** @param {number} steps */
  async send(steps) {
    const open = this.opened ? undefined : this.settings;
    this.opened = true;
    const { run } = this;
    this.program ??= startWorker(program);
    const { port } = await this.program;
    port.onmessage = ({ data }) => this.hear(data);
    port.postMessage({ run, open, steps });
    await this.sendRival(run, open && rivalOf(open, this.rival), steps);
  }

  /** The second net, from the same seed, gets the same orders. @param {number} run @param {Settings | undefined | null} open @param {number} steps */
  async sendRival(run, open, steps) {
    if (this.rival === "none" && !this.rivalProgram) return;
    this.rivalProgram ??= startWorker(program);
    const { port } = await this.rivalProgram;
    port.onmessage = ({ data }) => {
      if (data.run !== this.run) return;
      this.rivalSteps?.push(...data.news);
      this.draw();
    };
    port.postMessage({ run, open: open ?? undefined, steps: this.rival === "none" ? 0 : steps });
  }

  /** @param {News} news */
  hear({ run, news, look }) {
    if (run !== this.run || !this.steps) return;
    this.steps.push(...news);
    this.look = look;
    this.frames = withFrame(this.frames ?? [], { step: this.steps.length, look });
    const before = this.learned;
    this.learned ??= learnedAt(
      this.steps.map(({ right }) => right),
      RECENT,
      LEARNED,
    );
    if (this.playing && this.learned !== before) {
      this.playing = false; // it has learned: what matters is in the film
      this.send(0);
    }
    if (this.playing && this.steps.length >= this.goal) this.playing = false;
    this.say(!this.playing);
    this.draw();
  }

  /** Recent accuracy and guessing accuracy. */
  standing(steps = this.steps ?? []) {
    const late = steps.slice(-RECENT);
    const mean = (/** @type {"right" | "guess"} */ name) =>
      late.reduce((sum, step) => sum + step[name], 0) / Math.max(1, late.length);
    return { steps: steps.length, right: mean("right"), guess: mean("guess"), learned: this.learned };
  }

  /** @param {boolean} force even if the status was updated recently */
  say(force) {
    if (!force && performance.now() < this.said + SAY) return;
    this.said = performance.now();
    this.card.say(statusText(this.settings, this.standing(), this.playing));
  }

  draw() {
    const { task, steps, settings, frames, inputs } = this;
    if (!task || !steps || !frames?.length) return;
    const shown = this.at ?? frames.length - 1;
    const { step, look } = frames[shown];
    const { right, guess } = this.standing(steps.slice(0, step));
    const start = this.playing ? "Pause" : this.learned ? "Train on" : "Start";
    write(/** @type {Element} */ (this.start), start);
    set(/** @type {Element} */ (this.now), { "aria-live": this.playing ? "off" : "polite" });
    const share = step ? `${(100 * right).toFixed(0)} % correct` : `${this.size?.toLocaleString("en")} parameters`;
    const rival = this.rivalSteps ?? [];
    const second = rival.length
      ? `; ${RIVALS[this.rival].label}: ${(100 * this.standing(rival).right).toFixed(0)} %`
      : "";
    write(/** @type {Element} */ (this.now), `step ${step.toLocaleString("en")}: ${share}${second}`);
    const most = Math.log(task.symbols.length) * 1.2;
    this.legend?.show(this.rival !== "none");
    this.curve?.draw({ steps, rival, most, guess, shown: step });
    if (inputs) {
      set(inputs.film.input, { max: Math.max(1, frames.length - 1) });
      inputs.film.input.disabled = frames.length < 2; // nothing has been filmed yet
      inputs.film.show(shown);
      inputs.shown.show(this.head ?? "mean");
    }
    this.heatmap?.draw(task, look, weightsOf(look, task, settings.heads, this.head));
  }

  reset() {
    this.playing = false;
    [this.head, this.rival] = [null, "none"];
    this.set(this.first);
  }

  async close() {
    this.sight.disconnect();
    if (this.opened) this.send(0); // without a worker, ending the port does not stop the training
    (await this.program)?.end();
    (await this.rivalProgram)?.end();
  }
}

/** @param {RenderProps} place */
function render(place) {
  const view = new TrainView(place);
  const stop = view.card.start(
    () => view.draw(),
    () => view.reset(),
  );
  const leave = view.address.follow((values) => view.arrive(values));
  return () => {
    leave();
    void view.close();
    stop();
  };
}

export default { render };
