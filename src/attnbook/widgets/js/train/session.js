// Training in time slices, in a worker or on the page's own thread.
import { pause } from "../engine/session.js";
import { Trainer } from "./trainer.js";

/** @typedef {import("./trainer.js").Settings} Settings */
/** @typedef {import("./trainer.js").Step} Step */
/** @typedef {ReturnType<Trainer["look"]>} Look */
/** A progress message: steps since the last message, and the current predictions. @typedef {{run: number, news: Step[], look: Look}} News */
/** A command: `open` starts a new run; train for `steps` more steps, 0 stops. @typedef {{run: number, open?: Settings, steps: number}} Order */

const SLICE = 8; // milliseconds of work before yielding
const TELL = 40; // milliseconds between progress messages

export class Session {
  /** @param {(news: News) => void} tell */
  constructor(tell) {
    this.tell = tell;
    this.left = 0;
    this.busy = false;
  }

  /** @param {Order} order */
  order({ run, open, steps }) {
    if (open) this.trainer = new Trainer(open);
    this.run = run;
    this.left = steps;
    if (this.left > 0 && !this.busy) return this.work();
  }

  async work() {
    this.busy = true;
    /** @type {Step[]} */
    let news = [];
    let [told, run, trainer] = [performance.now(), this.run, this.trainer];
    while (this.left > 0 && trainer) {
      const end = performance.now() + SLICE;
      do news.push(trainer.step());
      while (--this.left > 0 && performance.now() < end);
      if (this.left === 0 || performance.now() > told + TELL) {
        this.tell({ run: run ?? 0, news, look: trainer.look() });
        [news, told] = [[], performance.now()];
      }
      await pause();
      if (run !== this.run) [news, run, trainer] = [[], this.run, this.trainer];
    }
    if (news.length && trainer) this.tell({ run: run ?? 0, news, look: trainer.look() });
    this.busy = false;
  }
}
