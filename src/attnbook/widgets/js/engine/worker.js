// A session in a worker: requests come in as messages, rows and results go out.
import { pause, Session } from "./session.js";

const session = new Session(pause);

self.onmessage = async ({ data: { number, file, request } }) => {
  try {
    const result = file
      ? await session.open(file)
      : await session.translate(request, (row) => postMessage({ number, row }));
    postMessage({ number, result });
  } catch (error) {
    postMessage({ number, error: String(error) });
  }
};
