// A program that works beside a page: in a worker made from its text, or, where there can be none, between the page's own
// events. A page opened from the disk may load neither by its address. `tools/bundle.mjs` makes the text: it defines
// `program`, whose `serve` takes a port.

/** @typedef {{postMessage: (message: any) => void, onmessage: ((event: MessageEvent) => any) | null}} Port */

/**
 * A port to the program, and what ends it.
 * @param {string} program @returns {Promise<{port: Port, end: () => void}>}
 */
export async function startWorker(program) {
  try {
    const worker = await inWorker(program);
    return { port: worker, end: () => worker.terminate() };
  } catch {
    const { serve } = (await withAddress(`${program}\nexport default program;`, (url) => import(url))).default;
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    return { port: port1, end: () => port1.close() };
  }
}

/** A worker that has said hello; rejects where the page's policy allows none. @param {string} program @returns {Promise<Worker>} */
const inWorker = (program) =>
  withAddress(`${program}\nprogram.serve(self);\npostMessage(null);`, async (url) => {
    const worker = new Worker(url);
    await new Promise((resolve, reject) => {
      worker.onmessage = resolve;
      worker.onerror = reject;
    });
    return worker;
  });

/** @template Result @param {string} text @param {(url: string) => Promise<Result>} use @returns {Promise<Result>} */
function withAddress(text, use) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return use(url).finally(() => URL.revokeObjectURL(url));
}
