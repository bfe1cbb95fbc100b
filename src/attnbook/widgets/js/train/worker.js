// Runs training behind a port: commands in, progress messages out.
import { Session } from "./session.js";

/** @param {import("../shared/worker.js").Port} port */
export function serve(port) {
  const session = new Session((news) => port.postMessage(news));
  port.onmessage = ({ data }) => void session.order(data);
}
