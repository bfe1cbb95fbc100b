// What a text begins with: one of some prompts, or words that the reader types.
import { tokenize } from "../engine/text.js";
import { choice } from "../shared/controls.js";
import { element } from "../shared/dom.js";

export const PROMPT_STYLE = `
.field input[type=text] { box-sizing: border-box; width: 100%; min-height: max(32px, var(--touch)); padding: 2px 8px; font: inherit; font-size: 16px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; }
`;

/** The tokens of a prompt that the model knows, and those that it does not know. @param {string} text @param {import("../engine/vocabulary.js").Vocabulary} vocabulary */
export function promptTokens(text, vocabulary) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const tokens = words.flatMap((word) => (vocabulary.knows(word) ? [word] : tokenize(word, "english"))).slice(0, 16);
  return { known: tokens.filter(vocabulary.knows), unknown: tokens.filter((token) => !vocabulary.knows(token)) };
}

/** Two controls. @param {string[]} prompts @param {(prompt: string) => void} chosen */
export function promptControls(prompts, chosen) {
  const label = (/** @type {string} */ prompt) => /** @type {[string, string]} */ ([prompt, prompt || "(nothing)"]);
  const pick = choice("Prompt", prompts.map(label), chosen);
  const input = element("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  input.addEventListener("change", () => chosen(input.value.trim()));
  return {
    elements: [
      pick.element,
      element("label", { class: "field" }, element("span", { class: "words", text: "or type your own" }), input),
    ],
    /** @param {string} prompt */
    show(prompt) {
      if (!prompts.includes(prompt)) pick.offer([...prompts, prompt].map(label));
      pick.show(prompt);
      input.value = prompt;
    },
  };
}
