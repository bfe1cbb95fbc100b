// Serves translation requests over a port: requests in, rows and results out.
import { pause, Session } from "./session.js";

/** @param {import("../shared/worker.js").Port} port */
export function serve(port) {
  const session = new Session(pause);
  port.onmessage = async ({ data: { number, file, request } }) => {
    try {
      const result = file
        ? await session.open(file)
        : await session.translate(request, (row) => port.postMessage({ number, row }));
      port.postMessage({ number, result });
    } catch (error) {
      port.postMessage({ number, error: String(error) });
    }
  };
}
