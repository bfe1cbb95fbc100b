// Plays the frames on request, and once when the widget scrolls into view.
import { clamp } from "../shared/numbers.js";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Player {
  timer = 0;
  /** @type {IntersectionObserver | null} */
  sight = null;

  /** @param {() => { at: number, count: number }} where @param {(at: number) => void} go @param {() => void} changed */
  constructor(where, go, changed) {
    this.where = where;
    this.go = go;
    this.changed = changed;
  }

  get playing() {
    return this.timer !== 0;
  }

  play() {
    const { at, count } = this.where();
    if (count < 2 || this.playing) return;
    if (at === count - 1) this.go(0);
    this.timer = window.setInterval(() => this.step(), calm() ? 600 : clamp(8000 / count, 60, 400));
    this.changed();
  }

  step() {
    const { at, count } = this.where();
    this.go(Math.min(at + 1, count - 1));
    if (at + 1 >= count - 1) this.pause();
  }

  /** Stops and disables autoplay. */
  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.forget();
    this.changed();
  }

  /** Plays once most of an element is visible, unless reduced motion is preferred. @param {Element} element */
  whenSeen(element) {
    if (calm()) return;
    this.sight = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.forget();
        this.play();
      },
      { threshold: 0.6 },
    );
    this.sight.observe(element);
  }

  forget() {
    this.sight?.disconnect();
    this.sight = null;
  }
}
