// A translator that answers requests token by token, in a worker or on the page's own thread.

import { topIndices } from "../shared/linear_algebra.js";
import { Intervention } from "./intervention.js";
import { readModelFile } from "./model_file.js";
import { score, write } from "./search.js";
import { EOS } from "./vocabulary.js";

const BEST = 5;
const LONGEST = 30; // maximum length of a translation in ids

/**
 * A translation request: source tokens, a target prefix in ids, changes, and optionally target ids with <eos> to score.
 * @typedef {{source: string[], begin: number[], changes: import("./intervention.js").Changes, judged: number[] | null}} Request
 */

/** A candidate for one output position. @typedef {{id: number, piece: string, p: number}} Candidate */

/**
 * One output token: its probability, the best candidates, and the weights of every module by head.
 * @typedef {Candidate & {best: Candidate[], attention: Record<string, Float32Array[]>}} Row
 */

/** @typedef {{sourcePieces: string[], unknown: boolean[], ids: number[], target: string[], logP: number, judged: number | null}} Outcome */

/** @typedef {{modules: {name: string, heads: number}[], words: string[], kind: string, config: any, parameters: number}} About */

export class Session {
  /** @param {() => Promise<void>} pause yields to other tasks and newer requests */
  constructor(pause) {
    this.pause = pause;
    this.latest = 0;
    this.opened = 0;
  }

  /** @param {BufferSource} file @returns {Promise<About>} */
  async open(file) {
    const own = ++this.opened;
    const translator = await readModelFile(file);
    if (own === this.opened) this.translator = translator; // an older file may finish reading last
    const { model, source, parameters } = translator;
    const { kind, config, modules } = model;
    return { modules, words: source.words, kind, config, parameters };
  }

  /**
   * Decodes token by token; returns null if a newer request arrives.
   * @param {Request} request @param {(row: Row) => void} written @returns {Promise<Outcome | null>}
   */
  async translate({ source: tokens, begin, changes, judged }, written) {
    if (!this.translator) throw new Error("open must be called before translate");
    const { model, source, target } = this.translator;
    const own = ++this.latest;
    await this.pause();
    const ids = source.encode(tokens);
    const intervention = new Intervention(changes);
    const known = begin.filter((id) => id < target.size); // a URL may come from another model
    /** @type {number[]} */
    const found = [];
    let logP = 0;
    const candidate = (/** @type {number} */ id, /** @type {Float32Array} */ all) => ({
      id,
      piece: target.pieces([id])[0],
      p: Math.exp(all[id]),
    });
    for (const { id, logP: all, attention } of write(model, ids, { begin: known, maxLength: LONGEST, intervention })) {
      if (own !== this.latest) return null;
      found.push(id);
      logP += all[id];
      const weights = Object.entries(attention).map(([name, heads]) => [name, heads.map(({ data }) => data)]);
      written({
        ...candidate(id, all),
        best: topIndices(all, BEST).map((i) => candidate(i, all)),
        attention: Object.fromEntries(weights),
      });
      await this.pause();
    }
    if (own !== this.latest) return null;
    return {
      sourcePieces: source.pieces(ids),
      unknown: tokens.map((token) => !source.knows(token)),
      ids: found,
      target: target.decode(found.filter((id) => id !== EOS)),
      logP,
      judged: judged && score(model, ids, judged, intervention),
    };
  }
}

/** Yields to the event loop. */
export const pause = () =>
  /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    })
  );
