// The attention view: user input changes the state, and the state is drawn.

import { COLORS } from "../shared/colors.js";
import { checkbox } from "../shared/controls.js";
import { set } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { Address, slug } from "../shared/url_fragment.js";
import { WidgetCard } from "../shared/widget_card.js";
import { shades } from "./color_scale.js";
import { validComparison } from "./compare.js";
import { Curves, curveBands, measuredOver } from "./curves.js";
import { drawDetails } from "./details.js";
import { exportMenu } from "./export_menu.js";
import { FrameLayout } from "./frame_layout.js";
import { FrameLog, nearest } from "./frames.js";
import { Legend } from "./legend.js";
import { NextTokens } from "./next_tokens.js";
import { OptionsPanel } from "./options_panel.js";
import { PanelView } from "./panels.js";
import { Pickers } from "./pickers.js";
import { drawOnPicture } from "./picture_overlay.js";
import { PlaybackControls } from "./playback_controls.js";
import { Player } from "./player.js";
import { describeCell, firstState, longestCellDescription, Reader } from "./state.js";
import { describePanel, longestDescription } from "./status.js";
import { STYLE } from "./style.js";
import { describeToken, longestTokenDescription } from "./text_view.js";
import { fromText, toText } from "./url_state.js";
import { ViewLayout } from "./view_layout.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Panel} Panel */

const HEADS_TIP = " Then open All heads: which of them attend to the same tokens?";
const TIPS = {
  map: "point at a cell to read its weight, or choose a token to see only what it attends to.",
  lines: "point at a token to see only its lines, or choose it to keep them. Weights below 2 % are hidden.",
  text: "point at a token to tint what it attends to, or choose it to keep the tint.",
  heads: "choose a head to enlarge it.",
  table: "compare two columns: which token gets more weight in all?",
};

/** State by widget, so that a re-rendered view continues where the last one was. @type {Map<string, import("./url_state.js").Sent>} */
const remembered = new Map();

/** The first state with what was sent or remembered, except the step: `stand` turns it into a frame. @param {FrameLayout} frameLayout @param {import("./url_state.js").Sent} [sent] @returns {State} */
const initialState = (frameLayout, { step, ...sent } = {}) => ({ ...firstState(frameLayout), ...sent });

export class AttentionView {
  log = new FrameLog();
  live = false; // whether a training loop sends messages
  waiting = 0; // pending animation frame
  theme = /** @type {import("../shared/theme.js").Theme} */ ("light");
  /** Inputs of the drawn curves. @type {unknown[]} */
  drawn = [];

  /** @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place */
  constructor(place) {
    this.frameLayout = new FrameLayout(place.model.get("header"));
    this.reader = new Reader(this.frameLayout);
    this.address = new Address(place.el, slug("view", this.frameLayout.header.title));
    this.state = initialState(this.frameLayout, remembered.get(this.frameLayout.header.id));
    this.sent = this.visit(this.address.read());
    this.card = new WidgetCard(place, {
      name: "attention",
      title: this.frameLayout.header.title,
      tip: "",
      style: STYLE,
      names: [],
    });
    this.player = new Player(
      () => ({ at: this.state.at, count: this.log.frames.length }),
      (at) => this.go(at),
      () => this.later(),
    );
    this.pickers = new Pickers(this.frameLayout, (changes) => this.set(changes));
    this.more = new OptionsPanel(
      this.frameLayout,
      (changes) => this.compare(changes),
      exportMenu(this),
      this.address.onPage,
    );
    this.transport = new PlaybackControls({
      go: (at) => this.choose(at),
      toggle: () => (this.player.playing ? this.player.pause() : this.player.play()),
      latest: () => this.choose(this.log.frames.length - 1),
    });
    this.curves = new Curves((at) => this.choose(at));
    this.panelView = new PanelView(this.frameLayout, this.pointing(), (choice) => this.enlarge(choice));
    this.gold = checkbox("gold alignment", (gold) => this.set({ gold }));
    this.gold.input.dataset.control = "gold";
    this.legend = new Legend();
    this.next = new NextTokens();
    const { pickers, more, transport, curves, panelView, gold, legend } = this;
    const next = this.frameLayout.next.length ? this.next : null;
    this.layout = new ViewLayout(this.card, { pickers, more, transport, curves, panelView, gold, legend, next }, () =>
      this.later(),
    );
    this.several = this.frameLayout.kinds.some(({ heads, layers }) => heads * layers.length > 1);
    this.words = () => place.model.get("words") ?? {};
  }

  // -- user input

  /** @param {Partial<State>} changes */
  set(changes) {
    const entries = /** @type {[keyof State, unknown][]} */ (Object.entries(changes));
    if (entries.every(([key, value]) => JSON.stringify(value) === JSON.stringify(this.state[key]))) return;
    this.state = validComparison(this.frameLayout, { ...this.state, ...changes });
    const { hover, aim, at, ...kept } = this.state;
    remembered.set(this.frameLayout.header.id, { ...kept, step: this.log.frames[at]?.step });
    const chosen = entries.some(([key]) => !["hover", "over", "aim"].includes(key));
    if (chosen && !this.player.playing) this.address.write(this.text());
    this.later();
  }

  /** The state for the URL. */
  text() {
    return toText(this.state, firstState(this.frameLayout), this.log.frames[this.state.at]?.step ?? 0);
  }

  /** Applies the state in the URL, if it is valid. @param {import("../shared/url_fragment.js").Values | null} values */
  visit(values) {
    const sent = fromText(values, this.frameLayout, firstState(this.frameLayout));
    if (!Object.keys(sent).length) return false;
    remembered.set(this.frameLayout.header.id, sent);
    this.state = initialState(this.frameLayout, sent);
    return true;
  }

  /** @param {number} at */
  go(at) {
    this.set({ at, follow: at === this.log.frames.length - 1 });
  }

  /** @param {number} at */
  choose(at) {
    this.player.pause();
    this.go(at);
  }

  /** Comparisons show two heatmaps or two sets of lines. @param {Partial<State>} changes */
  compare(changes) {
    const { view } = this.state;
    this.set(changes.compare && view !== "lines" ? { ...changes, view: "map" } : changes);
  }

  /** @param {{ layer: number, head: number }} choice */
  enlarge(choice) {
    this.set({ ...choice, view: "map" });
    this.pickers.views[0].node.focus();
  }

  /** @returns {import("./heatmap.js").Handlers} */
  pointing() {
    return {
      hover: (hover, map) => this.set({ hover, over: this.panelView.maps.indexOf(map) }),
      pin: (pin) => this.set({ pin: JSON.stringify(pin) === JSON.stringify(this.state.pin) ? null : pin }),
      aim: (aim) => this.set({ aim }),
    };
  }

  /** Color scale and palette of the panels. @param {Panel[]} panels @param {import("../shared/theme.js").Theme} theme */
  look(panels, theme) {
    const range = this.reader.range(this.log, this.state, panels);
    return { scale: { table: shades(theme, range.low < 0), ...range }, colors: COLORS[theme] };
  }

  // -- external events

  /** Loads a saved log and appends what has arrived since. @param {FrameLog} loaded */
  take(loaded) {
    const before = this.log;
    loaded.append(before);
    this.log = loaded;
    const step = before.frames[this.state.at]?.step ?? remembered.get(this.frameLayout.header.id)?.step;
    this.stand(step);
  }

  /** Called when the URL fragment changes. @param {import("../shared/url_fragment.js").Values} values */
  arrive(values) {
    this.sent = this.visit(values);
    if (!this.sent || !this.log.frames.length) return;
    this.player.pause();
    this.stand(remembered.get(this.frameLayout.header.id)?.step);
  }

  /** Goes to a step, or to the initial frame. @param {number | undefined} step */
  stand(step) {
    const { frames } = this.log;
    if (step === undefined) this.begin();
    else this.state.at = this.state.follow ? frames.length - 1 : nearest(frames, step);
    this.checkCurve();
    this.later();
  }

  /** Finished training starts at its first frame and plays when visible; otherwise shows the last frame. */
  begin() {
    const over = this.log.progress.done && this.log.frames.length > 1;
    Object.assign(this.state, { at: over ? 0 : this.log.frames.length - 1, follow: !over });
    if (over) this.player.whenSeen(this.layout.main);
  }

  /** @param {import("./frames.js").LiveMessage} message @param {DataView[]} buffers */
  hear(message, buffers) {
    this.live = true;
    this.log.hear(message, buffers);
    if (this.state.follow && !this.player.playing) this.state.at = this.log.frames.length - 1;
    this.checkCurve();
    this.drawn = [];
    this.later();
  }

  checkCurve() {
    if (!Object.hasOwn(this.log.series, this.state.curve)) this.state.curve = Object.keys(this.log.series)[0] ?? "loss";
  }

  /** Resets the view. */
  forget() {
    this.player.pause();
    this.state = firstState(this.frameLayout);
    remembered.delete(this.frameLayout.header.id);
    this.address.write({});
    if (this.log.frames.length) this.begin();
    this.player.forget();
    this.checkCurve();
  }

  // -- drawing

  later() {
    this.waiting ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.waiting = 0;
    const { log, state, layout, reader } = this;
    layout.reveal(log.frames.length > 0);
    layout.showProgress(log.progress, this.live);
    this.more.showSpeed(log.progress);
    if (!log.frames.length) return;
    state.at = clamp(state.at, 0, log.frames.length - 1);
    const panels = reader.panels(log, state);
    this.pickers.show(state);
    this.more.show(log, state);
    layout.measure(panels, state.view);
    const { theme } = this;
    const { scale } = this.look(panels, theme);
    this.legend.draw(theme, scale);
    const strips = state.view === "heads" && state.order !== ""; // their colors are not weights
    this.legend.element.style.visibility = strips ? "hidden" : "";
    this.panelView.draw(state, panels, { frames: log.frames, scale, theme, ...layout.room });
    this.drawWords(panels);
    const { kind, sentence, view, compare, difference } = state;
    this.drawTime(layout.sideWidth([kind, sentence, view, compare, difference].join(" ")));
    if (this.sent) this.address.show();
    this.sent = false;
  }

  /** @param {number} width of the curves */
  drawTime(width) {
    const { log, state, frameLayout, curves } = this;
    const { frames, points } = log;
    const some = frames.length > 1 || points.length > 0;
    this.layout.showTime(some);
    if (!some) return;
    const last = Math.max(frames[frames.length - 1].step, points.at(-1) ?? 0);
    const now = [log, frames.length, points.length, width, state.kind, state.layer, state.head, state.curve];
    if (now.some((value, i) => value !== this.drawn[i])) {
      this.drawn = now;
      const bands = curveBands(frameLayout, log, state);
      curves.draw(frames, bands, { last, width, over: measuredOver(frameLayout, bands) });
    }
    const { at, follow } = state;
    this.transport.show({ frames, at, last, playing: this.player.playing, follow, read: curves.show(at) });
  }

  /** @param {Panel[]} panels */
  drawWords(panels) {
    const { state, frameLayout, layout } = this;
    this.gold.show(state.gold);
    this.gold.element.hidden = !frameLayout.gold(state).size;
    const [first] = panels;
    const token = this.panelView.token(state, first);
    if (!this.layout.details.hidden) {
      const { picture } = frameLayout.sentences[state.sentence];
      const drawn = picture ? drawOnPicture(first, token, picture, COLORS[this.theme]) : drawDetails(first, token);
      this.layout.details.replaceChildren(...drawn);
    }
    this.drawNext(token);
    set(this.card.said, { "aria-live": this.player.playing ? "off" : "polite" }); // do not announce every frame
    const over = panels[Math.max(0, state.over)] ?? first;
    const inside = state.hover && state.hover.row < over.rows.length && state.hover.column < over.columns.length;
    layout.showTip(`${TIPS[state.view]}${state.view === "map" && this.several && layout.wide ? HEADS_TIP : ""}`);
    const { frames } = this.log;
    const when = (/** @type {number} */ step) => (frames.length > 1 ? `Step ${step}: ` : "");
    const longest = longestDescription(first, when(frames[frames.length - 1].step));
    this.card.reserve([longest, longestCellDescription(first), longestTokenDescription(first)]);
    if (inside && state.hover && state.view === "map") this.card.say(describeCell(state.hover, over));
    else if (state.view === "text" && (state.aim ?? state.pin)) this.card.say(describeToken(first, token));
    else {
      const shown = describePanel(first, when(frames[state.at].step));
      this.card.say(shown[0].toUpperCase() + shown.slice(1));
    }
  }

  /** The most likely next tokens of a row, if they were recorded. @param {import("./state.js").Token} token */
  drawNext({ axis, index }) {
    const { frameLayout, state, log, next, layout } = this;
    const { query } = frameLayout.kinds[state.kind];
    set(next.element, { hidden: layout.details.hidden || !frameLayout.next.includes(query) });
    if (axis !== "row" || !frameLayout.next.includes(query)) return; // next tokens belong to rows
    const best = frameLayout.likely(log.frames[state.at], state.sentence, index);
    next.draw(frameLayout.rows(state.kind, state.sentence)[index], query === "target_out", best, this.words());
  }
}
