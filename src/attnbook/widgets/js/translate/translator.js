// The models of one widget, loaded on demand; one request at a time.
import { startClient } from "../engine/client.js";

/** @typedef {import("../engine/session.js").About} About */
/** @typedef {import("../engine/client.js").Client} Client */
/** A model's bytes or a function that loads them. @typedef {DataView | (() => Promise<DataView>)} Source */

export class Translator {
  /** @param {string} program of the worker @param {Source[]} sources one per training stage */
  constructor(program, sources) {
    this.program = program;
    this.sources = sources;
    /** @type {Promise<Client> | null} */
    this.client = null;
    this.stage = -1;
    /** @type {Promise<About> | null} */
    this.about = null;
  }

  /** Opens the model of a stage. @param {number} stage @returns {Promise<About>} */
  open(stage) {
    if (this.stage === stage && this.about) return this.about;
    this.client ??= startClient(this.program);
    this.stage = stage;
    const source = this.sources[stage];
    /** @type {Promise<About>} */
    const about = Promise.all([this.client, typeof source === "function" ? source() : source]).then(
      ([client, view]) => {
        if (this.about && this.about !== about) return this.about; // loaded too late: another model has been requested
        const { buffer, byteOffset, byteLength } = view;
        return client.open(/** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + byteLength)));
      },
    );
    about.catch(() => {
      if (this.about === about) this.stage = -1; // allow a retry
    });
    this.about = about;
    return about;
  }

  /** @type {Client["translate"]} */
  async translate(request, written) {
    const client = await this.client;
    return client ? client.translate(request, written) : null;
  }

  async close() {
    (await this.client)?.close();
  }
}
