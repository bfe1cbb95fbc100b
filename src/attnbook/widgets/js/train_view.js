// Trains a small Transformer in the page and shows its attention.

import { button, checkbox, choice, listed, slider } from "./shared/controls.js";
import { element, set, write } from "./shared/dom.js";
import { range } from "./shared/numbers.js";
import { Address } from "./shared/url_fragment.js";
import { WidgetCard } from "./shared/widget_card.js";
import { startWorker } from "./shared/worker.js";
import { CURVE, CURVE_STYLE, curve } from "./train/curve.js";
import { HEATMAP, HEATMAP_STYLE, heatmap, weightsOf } from "./train/heatmap.js";
import { fromText, HEADS, LAYERS, nextSeed, RATES, toText } from "./train/settings.js";
import { LONGEST, statusText } from "./train/status_text.js";
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
.train .controls { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2px 12px; margin: 0; }
.train .controls > :first-child { grid-column: span 2; }
@container (min-width: 620px) {
  .panels { grid-template-columns: minmax(0, 1fr) minmax(0, 1.15fr); grid-template-rows: auto auto 1fr; }
  .panels > .heatmap { grid-area: 1 / 2 / span 3; }
  .train .controls { gap: 8px 12px; align-content: start; }
}
.do { display: flex; flex-wrap: wrap; gap: 0 8px; }
.do button { white-space: nowrap; }
.do button:first-child { min-width: 5rem; font-weight: 650; }
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
    const left = this.card.picture(CURVE.width, CURVE.height, { label, wide: 340, size: 12 });
    const looks = "Attention weights of each slot over the places of a list";
    const right = this.card.picture(HEATMAP.width, HEATMAP.height, { label: looks, wide: 380, size: 12.5 });
    this.curve = curve(left);
    this.heatmap = heatmap(right);
    this.start = button("Start", () => this.play(!this.playing));
    this.now = element("span", { class: "now" });
    const single = button("One step", () => this.order(1));
    const again = button("New seed", () => this.set({ seed: nextSeed(this.settings.seed) }));
    const does = element("div", { class: "do" }, this.start, single, again, this.now);
    this.inputs = this.controls();
    this.card.figure.append(element("div", { class: "panels" }, left, right, does, this.card.controls));
    this.card.controls.append(...Object.values(this.inputs).map((control) => control.element));
    this.card.reserve([LONGEST]);
  }

  controls() {
    const numbers = (/** @type {number[]} */ list) => list.map((n) => /** @type {[number, number]} */ ([n, n]));
    const tasks = Object.entries(TASKS).map(([task, { label }]) => /** @type {[string, string]} */ ([task, label]));
    const rates = { min: 0, max: RATES.length - 1, scale: listed(RATES) };
    return {
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
    const { settings, inputs } = this;
    const heads = range(settings.heads);
    /** @type {import("./train/trainer.js").Step[]} */
    this.steps = [];
    const trainer = new Trainer(settings);
    this.task = trainer.task;
    this.size = trainer.size;
    this.look = trainer.look();
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
    this.say(true);
    this.draw();
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
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
  }

  /** @param {News} news */
  hear({ run, news, look }) {
    if (run !== this.run || !this.steps) return;
    this.steps.push(...news);
    this.look = look;
    if (this.playing && this.steps.length >= this.goal) this.playing = false;
    this.say(!this.playing);
    this.draw();
  }

  /** Recent accuracy and guessing accuracy. */
  standing() {
    const steps = this.steps ?? [];
    const late = steps.slice(-RECENT);
    const mean = (/** @type {"right" | "guess"} */ name) =>
      late.reduce((sum, step) => sum + step[name], 0) / Math.max(1, late.length);
    return { steps: steps.length, right: mean("right"), guess: mean("guess") };
  }

  /** @param {boolean} force even if the status was updated recently */
  say(force) {
    if (!force && performance.now() < this.said + SAY) return;
    this.said = performance.now();
    this.card.say(statusText(this.settings, this.standing(), this.playing));
  }

  draw() {
    const { look, task, steps, settings } = this;
    if (!look || !task || !steps) return;
    const { right, guess } = this.standing();
    write(/** @type {Element} */ (this.start), this.playing ? "Pause" : "Start");
    set(/** @type {Element} */ (this.now), { "aria-live": this.playing ? "off" : "polite" });
    const share = steps.length
      ? `${(100 * right).toFixed(0)} % correct`
      : `${this.size?.toLocaleString("en")} parameters`;
    write(/** @type {Element} */ (this.now), `step ${steps.length.toLocaleString("en")}: ${share}`);
    this.curve?.draw(steps, Math.log(task.symbols.length) * 1.2, guess);
    this.inputs?.shown.show(this.head ?? "mean");
    this.heatmap?.draw(task, look, weightsOf(look, task, settings.heads, this.head));
  }

  reset() {
    this.playing = false;
    this.head = null;
    this.set(this.first);
  }

  async close() {
    this.sight.disconnect();
    (await this.program)?.end();
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
