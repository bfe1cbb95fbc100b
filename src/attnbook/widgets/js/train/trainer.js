// Training with Adam, each step on freshly drawn lists.
import { firstParameters, network } from "./network.js";
import { randomFrom } from "./random.js";
import { TASKS } from "./tasks.js";

/** @typedef {import("./network.js").Choices & {task: string, rate: number, seed: number}} Settings */
/** @typedef {{loss: number, right: number, guess: number}} Step accuracy of the model and of guessing, 0 to 1 */

const BATCH = 16;
const [BETA_1, BETA_2, EPSILON] = [0.9, 0.99, 1e-8];

export class Trainer {
  /** @param {Settings} settings */
  constructor(settings) {
    const { task, layers, rate, seed } = settings;
    this.task = TASKS[task];
    this.rate = rate;
    this.random = randomFrom(seed);
    this.parameters = firstParameters(this.task, layers, this.random);
    this.network = network(this.parameters, this.task, settings, BATCH);
    this.shown = this.task.draw(this.random);
    this.viewer = network(this.parameters, this.task, settings, 1);
    this.steps = 0;
    this.moments = Object.values(this.parameters).map(({ value }) => ({
      first: new Float64Array(value.length),
      second: new Float64Array(value.length),
    }));
  }

  get size() {
    return Object.values(this.parameters).reduce((size, { value }) => size + value.length, 0);
  }

  draw() {
    return Array.from({ length: BATCH }, () => this.task.draw(this.random));
  }

  /** One step of Adam on new lists. @returns {Step} */
  step(examples = this.draw()) {
    const { loss, best, backward } = this.network.forward(examples);
    const answers = examples.flatMap((example) => example.answers);
    const right = answers.filter((answer, i) => answer === best[i]).length / answers.length;
    for (const { gradient } of Object.values(this.parameters)) gradient.fill(0);
    backward();
    this.change();
    return { loss, right, guess: guessed(examples) };
  }

  /** Adam's update from the current gradients. */
  change() {
    this.steps++;
    const rate = (this.rate * Math.sqrt(1 - BETA_2 ** this.steps)) / (1 - BETA_1 ** this.steps);
    const epsilon = EPSILON * Math.sqrt(1 - BETA_2 ** this.steps);
    Object.values(this.parameters).forEach(({ value, gradient }, p) => {
      const { first, second } = this.moments[p];
      for (let i = 0; i < value.length; i++) {
        const slope = gradient[i];
        first[i] += (1 - BETA_1) * (slope - first[i]);
        second[i] += (1 - BETA_2) * (slope * slope - second[i]);
        value[i] -= (rate * first[i]) / (Math.sqrt(second[i]) + epsilon);
      }
    });
  }

  /** Predictions and weights (by slot, head and place) for one fixed list. */
  look() {
    const { best } = this.viewer.forward([this.shown]);
    return { example: this.shown, best: [...best], weights: Float32Array.from(this.viewer.weights) };
  }
}

/** Accuracy of always answering with the list's most frequent answer. @param {import("./tasks.js").Example[]} examples */
function guessed(examples) {
  const shares = examples.map(({ answers }) => {
    const most = Math.max(...answers.map((answer) => answers.filter((other) => other === answer).length));
    return most / answers.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
