// A translator that answers requests token by token, wherever it runs: in a worker or beside the page's own work.

import { topIndices } from "../shared/linear_algebra.js";
import { Intervention } from "./intervention.js";
import { readModelFile } from "./model_file.js";
import { score, write } from "./search.js";
import { EOS } from "./vocabulary.js";

const BEST = 5;
const LONGEST = 30; // ids of a translation

/**
 * What to translate: tokens of the source; ids that the target begins with; what is changed; and ids, with <eos>,
 * whose probability is wanted too.
 * @typedef {{source: string[], begin: number[], changes: import("./intervention.js").Changes, judged: number[] | null}} Request
 */

/** A token that could have been written. @typedef {{id: number, piece: string, p: number}} Candidate */

/**
 * One row: what was written, its probability, the best in its place, and every module's weights by head.
 * @typedef {Candidate & {best: Candidate[], attention: Record<string, Float32Array[]>}} Row
 */

/** @typedef {{sourcePieces: string[], unknown: boolean[], ids: number[], target: string[], logP: number, judged: number | null}} Outcome */

/** @typedef {{modules: {name: string, heads: number}[], words: string[], kind: string, config: any, parameters: number}} About */

export class Session {
  /** @param {() => Promise<void>} pause lets other work, and newer requests, come in between */
  constructor(pause) {
    this.pause = pause;
    this.latest = 0;
    this.opened = 0;
  }

  /** @param {BufferSource} file @returns {Promise<About>} */
  async open(file) {
    const own = ++this.opened;
    const translator = await readModelFile(file);
    if (own === this.opened) this.translator = translator; // of two, the file that came first may be read last
    const { model, source, parameters } = translator;
    const { kind, config, modules } = model;
    return { modules, words: source.words, kind, config, parameters };
  }

  /**
   * Writes one token after another, until a newer request comes; then the result is null.
   * @param {Request} request @param {(row: Row) => void} written @returns {Promise<Outcome | null>}
   */
  async translate({ source: tokens, begin, changes, judged }, written) {
    if (!this.translator) throw new Error("there is no model yet: wanted one that was opened");
    const { model, source, target } = this.translator;
    const own = ++this.latest;
    await this.pause();
    const ids = source.encode(tokens);
    const intervention = new Intervention(changes);
    const known = begin.filter((id) => id < target.size); // an address may come from another model
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

/** Ends the current task, so that the events of others come first. */
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
