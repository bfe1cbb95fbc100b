// Recorded frames and scalars: decoded from the format of encoding.py, and extended while training runs.

/** @typedef {{ step: number, codes: Uint8Array, measures: Float32Array }} Frame */
/**
 * @typedef {object} Progress
 * @property {number} [step]
 * @property {number} [total]
 * @property {number} [tokens_per_second]
 * @property {number} [seconds]
 * @property {number} [seconds_left]
 * @property {boolean} [done]
 */
/**
 * @typedef {object} LiveMessage
 * @property {number[]} steps of the new frames
 * @property {[number, Record<string, number>][]} points
 * @property {string[]} series
 * @property {Progress} progress
 */

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The index of the frame nearest to a step. @param {{ step: number }[]} frames @param {number} step */
export function nearest(frames, step) {
  let best = 0;
  for (const [i, frame] of frames.entries())
    if (Math.abs(frame.step - step) < Math.abs(frames[best].step - step)) best = i;
  return best;
}

export class FrameLog {
  /** @type {Frame[]} */
  frames = [];
  /** Steps of the scalars. @type {number[]} */
  points = [];
  /** Scalars by name, one value per point. @type {Record<string, number[]>} */
  series = {};
  /** @type {Progress} */
  progress = {};

  /** Adds a message from a running training loop. @param {LiveMessage} message @param {DataView[]} buffers */
  hear(message, buffers) {
    const copy = (/** @type {DataView} */ part) =>
      part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength);
    for (const [i, step] of message.steps.entries()) {
      const [codes, measures] = buffers.slice(2 * i, 2 * i + 2).map(copy);
      if (step > (this.frames.at(-1)?.step ?? -1))
        this.frames.push({ step, codes: new Uint8Array(codes), measures: new Float32Array(measures) });
    }
    for (const name of message.series) this.series[name] ??= this.points.map(() => Number.NaN);
    for (const [step, scalars] of message.points) {
      if (step <= (this.points.at(-1) ?? -1)) continue;
      this.points.push(step);
      for (const [name, values] of Object.entries(this.series)) values.push(scalars[name] ?? Number.NaN);
    }
    this.progress = message.progress;
  }

  /** Appends the later frames and points of another log. @param {FrameLog} other */
  append(other) {
    const last = this.frames.at(-1)?.step ?? -1;
    const lastPoint = this.points.at(-1) ?? -1;
    this.frames.push(...other.frames.filter((frame) => frame.step > last));
    const newer = other.points.flatMap((point, i) => (point > lastPoint ? [i] : []));
    for (const [name, values] of Object.entries(this.series))
      values.push(...newer.map((i) => other.series[name]?.[i] ?? Number.NaN));
    this.points.push(...newer.map((i) => other.points[i]));
  }
}

/** Decodes a log; encoding.py defines the format. @param {DataView<ArrayBuffer>} view */
export async function decode(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const length = view.getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = 4 + length;
  const codes = await inflate(bytes.subarray(start, start + index.frames));
  const numbers = new Float32Array((await inflate(bytes.subarray(start + index.frames))).buffer);
  for (let i = index.size; i < codes.length; i++) codes[i] += codes[i - index.size]; // wraps around at 256
  const log = new FrameLog();
  log.frames = index.steps.map((/** @type {number} */ step, /** @type {number} */ i) => ({
    step,
    codes: codes.subarray(i * index.size, (i + 1) * index.size),
    measures: numbers.subarray(i * index.measures, (i + 1) * index.measures),
  }));
  let at = log.frames.length * index.measures;
  const column = () => {
    at += index.points;
    return Array.from(numbers.subarray(at - index.points, at));
  };
  log.points = column();
  log.series = Object.fromEntries(index.series.map((/** @type {string} */ name) => [name, column()]));
  log.progress = index.progress;
  return log;
}
