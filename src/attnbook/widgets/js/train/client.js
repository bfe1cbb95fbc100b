// A training for a page: in a worker made from a Blob, or, where there can be none, beside the page's own work.
import { workerFrom } from "../shared/worker.js";
import { Session } from "./session.js";

/** @typedef {import("./session.js").Order} Order */
/** @typedef {import("./session.js").News} News */
/** @typedef {{order: (order: Order) => void, close: () => void}} Client */

/** @param {string} program of the worker @param {(news: News) => void} tell @returns {Promise<Client>} */
export async function startClient(program, tell) {
  try {
    const worker = await workerFrom(program);
    worker.onmessage = ({ data }) => tell(data);
    return { order: (order) => worker.postMessage(order), close: () => worker.terminate() };
  } catch {
    const session = new Session(tell);
    return { order: (order) => void session.order(order), close: () => void session.order({ run: -1, steps: 0 }) };
  }
}
