// Playback controls: play, previous and next frame, follow the latest, and a step slider.
import { button, greyOut } from "../shared/controls.js";
import { element, set, svg, write } from "../shared/dom.js";
import { clamp } from "../shared/numbers.js";
import { nearest } from "./frames.js";

const ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  back: "M11 3v10L5 8z",
  next: "M5 3v10l6-5z",
  latest: "M3 3v10l6-5zM10 3h2.5v10H10z",
};

/** @param {keyof typeof ICONS} icon @param {string} text @param {() => void} pressed */
function iconButton(icon, text, pressed) {
  const path = svg("path", { d: ICONS[icon] });
  const drawing = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
  const node = set(button("", pressed), { "data-control": icon, "aria-label": text, title: text });
  node.append(drawing);
  return node;
}

/**
 * @typedef {object} Handlers
 * @property {(at: number) => void} go to a frame
 * @property {() => void} toggle playing
 * @property {() => void} latest follow the latest frame
 */

export class PlaybackControls {
  /** @type {import("./frames.js").Frame[]} */
  frames = [];
  at = 0;

  /** @param {Handlers} on */
  constructor(on) {
    this.on = on;
    this.play = iconButton("play", "Play", on.toggle);
    this.back = iconButton("back", "Previous frame", () => this.go(this.at - 1));
    this.next = iconButton("next", "Next frame", () => this.go(this.at + 1));
    this.latest = iconButton("latest", "Follow the latest step", on.latest);
    this.slider = element("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": "Training step" });
    this.slider.addEventListener("input", () => this.go(nearest(this.frames, Number(this.slider.value))));
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.step = element("span", { class: "step" });
    const parts = [this.play, this.back, this.next, this.latest, this.slider, this.step];
    this.element = element("div", { class: "transport", role: "group", "aria-label": "Training steps" }, ...parts);
  }

  /** @param {number} at */
  go(at) {
    this.at = clamp(at, 0, this.frames.length - 1); // immediately: the next key may come before the next redraw
    this.on.go(this.at);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const last = this.frames.length - 1;
    const page = Math.max(1, Math.round(last / 10));
    /** @type {Record<string, number>} */
    const moves = {
      ...{ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 },
      ...{ PageUp: page, PageDown: -page, Home: -last, End: last },
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.go(this.at + moves[event.key]);
  }

  /**
   * @param {{ frames: import("./frames.js").Frame[], at: number, last: number, playing: boolean, follow: boolean,
   *   read: string }} now `last`: last step on the slider; `read`: values of the curves as text
   */
  show({ frames, at, last, playing, follow, read }) {
    Object.assign(this, { frames, at });
    const { step } = frames[at];
    set(this.slider, { min: frames[0].step, max: Math.max(last, frames[0].step + 1) });
    this.slider.value = String(step);
    set(this.slider, { "aria-valuetext": `step ${step}, frame ${at + 1} of ${frames.length}. ${read}` });
    write(this.step, `step ${step}`);
    this.step.style.minWidth = `${5 + String(last).length}ch`;
    greyOut(this.back, at === 0);
    greyOut(this.next, at === frames.length - 1);
    greyOut(this.latest, follow && at === frames.length - 1);
    const name = playing ? "Pause" : "Play";
    set(this.play, { "aria-label": name, title: name });
    if (this.play.dataset.icon !== name) {
      this.play.dataset.icon = name;
      this.play.querySelector("path")?.setAttribute("d", ICONS[playing ? "pause" : "play"]);
    }
  }
}
