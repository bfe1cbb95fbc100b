// A session in a worker: orders come in as messages, news go out.
import { Session } from "./session.js";

const session = new Session((news) => postMessage(news));

self.onmessage = ({ data }) => void session.order(data);
