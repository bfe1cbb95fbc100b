// Runs a program in a worker created from its source text or, where workers are forbidden, on the page's own thread. A page
// opened from disk cannot load a worker by URL. `tools/bundle.mjs` makes the source text: it defines `program`, whose
// `serve` takes a port.

/** @typedef {{postMessage: (message: any) => void, onmessage: ((event: MessageEvent) => any) | null}} Port */

/**
 * Starts the program; returns a port to it and a function that stops it.
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

/** A worker that is ready; rejects if the page's content security policy forbids workers. @param {string} program @returns {Promise<Worker>} */
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
