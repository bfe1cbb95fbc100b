// The page's side of a translator that runs behind a port.
import { startWorker } from "../shared/worker.js";

/** @typedef {import("./session.js").Request} Request */
/** @typedef {import("./session.js").Row} Row */
/** @typedef {import("./session.js").Outcome} Outcome */
/** @typedef {import("./session.js").About} About */

/**
 * @typedef {object} Client
 * @property {(file: ArrayBuffer) => Promise<About>} open
 * @property {(request: Request, written: (row: Row) => void) => Promise<Outcome | null>} translate null if a newer
 *   request replaced it
 * @property {() => void} close
 */

/** @type {(program: string) => Promise<Client>} */
export async function startClient(program) {
  const { port, end } = await startWorker(program);
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void, written?: (row: Row) => void}>} */
  const open = new Map();
  let last = 0;
  port.onmessage = ({ data: { number, row, result, error } }) => {
    const asked = open.get(number);
    if (row) asked?.written?.(row);
    else {
      open.delete(number);
      if (error) asked?.reject(new Error(error));
      else asked?.resolve(result);
    }
  };
  /** @type {(message: object, written?: (row: Row) => void) => Promise<any>} */
  const ask = (message, written) =>
    new Promise((resolve, reject) => {
      open.set(++last, { resolve, reject, written });
      port.postMessage({ number: last, ...message });
    });
  return {
    open: (file) => ask({ file }),
    translate: (request, written) => ask({ request }, written),
    close: end,
  };
}
