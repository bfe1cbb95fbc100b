// What a training in the page computes: settings as JSON on standard input, what happened as JSON on standard output. It
// is asked by tests/support/training_twin.py, which knows what torch computes from the same parameters and lists.
import { readFileSync } from "node:fs";
import { TASKS } from "../../src/attnbook/widgets/js/train/tasks.js";
import { Trainer } from "../../src/attnbook/widgets/js/train/trainer.js";

/** @typedef {import("../../src/attnbook/widgets/js/train/network.js").Parameters} Parameters */

/** @type {(parameters: Parameters, part: "value" | "gradient") => Record<string, number[]>} */
const numbers = (parameters, part) =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, [...parameter[part]]]));

/** @type {(question: {settings: import("../../src/attnbook/widgets/js/train/trainer.js").Settings, steps: number}) => any} */
function answer({ settings, steps }) {
  const trainer = new Trainer(settings);
  const before = numbers(trainer.parameters, "value");
  const lists = Array.from({ length: steps }, () => trainer.draw());
  const told = [trainer.step(lists[0])];
  const gradients = numbers(trainer.parameters, "gradient");
  told.push(...lists.slice(1).map((examples) => trainer.step(examples)));
  return {
    symbols: TASKS[settings.task].symbols.length,
    places: TASKS[settings.task].places,
    before,
    gradients,
    after: numbers(trainer.parameters, "value"),
    lists,
    losses: told.map(({ loss }) => loss),
    right: told.map(({ right }) => right),
    look: { ...trainer.look(), weights: [...trainer.look().weights] },
  };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(answer)));
