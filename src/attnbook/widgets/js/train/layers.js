// Layers with hand-written backward passes. A layer keeps its activations between `forward` and `backward` in arrays that
// are allocated once. `backward` takes the gradient with respect to the output, accumulates the gradients of the
// parameters, and returns the gradient with respect to the input.
import { addMatmulTransposed, LAYER_NORM_EPSILON, moments, transposeInto } from "../shared/linear_algebra.js";

/** A trainable parameter and its gradient. @typedef {{value: Float64Array, gradient: Float64Array}} Parameter */
/** @typedef {{forward: (x: Float64Array) => Float64Array, backward: (g: Float64Array) => Float64Array}} Layer */

/** y = x W^T + b. @param {{weight: Parameter, bias?: Parameter}} parameters @param {number} rows @param {number} ins @param {number} outs @returns {Layer} */
export function linearLayer({ weight, bias }, rows, ins, outs) {
  const [out, columnsOut] = [0, 1].map(() => new Float64Array(rows * outs));
  const [back, columnsIn] = [0, 1].map(() => new Float64Array(rows * ins));
  const weightColumns = new Float64Array(ins * outs);
  let input = /** @type {Float64Array} */ (back);
  return {
    forward(x) {
      input = x;
      out.fill(0);
      if (bias) for (let at = 0; at < out.length; at += outs) out.set(bias.value, at);
      addMatmulTransposed(x, weight.value, out, rows, ins, outs);
      return out;
    },
    backward(g) {
      transposeInto(g, columnsOut, rows, outs);
      addMatmulTransposed(columnsOut, transposeInto(input, columnsIn, rows, ins), weight.gradient, outs, rows, ins);
      if (bias)
        for (let at = 0; at < g.length; at += outs) for (let o = 0; o < outs; o++) bias.gradient[o] += g[at + o];
      addMatmulTransposed(g, transposeInto(weight.value, weightColumns, outs, ins), back.fill(0), rows, outs, ins);
      return back;
    },
  };
}

/** max(0, x). @param {number} size @returns {Layer} */
export function reluLayer(size) {
  const [out, back] = [new Float64Array(size), new Float64Array(size)];
  return {
    forward(x) {
      for (let i = 0; i < size; i++) out[i] = Math.max(0, x[i]);
      return out;
    },
    backward(g) {
      for (let i = 0; i < size; i++) back[i] = out[i] > 0 ? g[i] : 0;
      return back;
    },
  };
}

/**
 * y = gain * z + shift with z = (x - mean) / sqrt(variance + epsilon) in every row. Mean and variance depend on
 * x, so with h = g * gain the backward pass subtracts mean(h) and z * mean(h z).
 * @param {{gain: Parameter, shift: Parameter}} parameters @param {number} rows @param {number} cols @returns {Layer}
 */
export function layerNormLayer({ gain, shift }, rows, cols) {
  const [z, out, back] = [0, 1, 2].map(() => new Float64Array(rows * cols));
  const scales = new Float64Array(rows);
  return {
    forward(x) {
      for (let r = 0, at = 0; r < rows; r++, at += cols) {
        const { mean, variance } = moments(x, at, cols);
        scales[r] = 1 / Math.sqrt(variance + LAYER_NORM_EPSILON);
        for (let k = 0; k < cols; k++) {
          z[at + k] = (x[at + k] - mean) * scales[r];
          out[at + k] = z[at + k] * gain.value[k] + shift.value[k];
        }
      }
      return out;
    },
    backward(g) {
      for (let r = 0, at = 0; r < rows; r++, at += cols) {
        let mean = 0;
        let along = 0;
        for (let k = 0; k < cols; k++) {
          gain.gradient[k] += g[at + k] * z[at + k];
          shift.gradient[k] += g[at + k];
          back[at + k] = g[at + k] * gain.value[k];
          mean += back[at + k] / cols;
          along += (back[at + k] * z[at + k]) / cols;
        }
        for (let k = at; k < at + cols; k++) back[k] = (back[k] - mean - z[k] * along) * scales[r];
      }
      return back;
    },
  };
}

/**
 * Mean cross-entropy in nats, and its gradient with respect to the logits: (softmax - one-hot) / rows.
 * @param {Float64Array} logits @param {ArrayLike<number>} answers @param {number} classes
 */
export function crossEntropy(logits, answers, classes) {
  const gradient = new Float64Array(logits.length);
  const best = new Int32Array(answers.length);
  let loss = 0;
  for (let r = 0, at = 0; r < answers.length; r++, at += classes) {
    const row = logits.subarray(at, at + classes);
    for (let c = 1; c < classes; c++) if (row[c] > row[best[r]]) best[r] = c;
    let total = 0;
    for (let c = 0; c < classes; c++) total += gradient[at + c] = Math.exp(row[c] - row[best[r]]);
    for (let c = 0; c < classes; c++) gradient[at + c] /= total * answers.length;
    gradient[at + answers[r]] -= 1 / answers.length;
    loss += (Math.log(total) + row[best[r]] - row[answers[r]]) / answers.length;
  }
  return { loss, best, gradient };
}
