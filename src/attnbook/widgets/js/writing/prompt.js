// What a text begins with: one of some prompts, or words that the reader types.
import { tokenize } from "../engine/text.js";
import { choice } from "../shared/controls.js";
import { element } from "../shared/dom.js";

export const PROMPT_STYLE = `
.field input[type=text] { box-sizing: border-box; width: 100%; min-height: max(32px, var(--touch)); padding: 2px 8px; font: inherit; font-size: 16px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; }
`;

const MOST = 16; // tokens of a prompt

/** The tokens of a prompt that the model knows, and what it leaves out. @param {string} text @param {import("../engine/vocabulary.js").Vocabulary} vocabulary */
export function promptTokens(text, vocabulary) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const all = words.flatMap((word) => (vocabulary.knows(word) ? [word] : tokenize(word, "english")));
  const tokens = all.slice(0, MOST);
  const unknown = tokens.filter((token) => !vocabulary.knows(token)).join(", ");
  const names = unknown.length > 24 ? `${unknown.slice(0, 23)}…` : unknown;
  const long = all.length > MOST ? ` Only the first ${MOST} tokens are read.` : "";
  return { known: tokens.filter(vocabulary.knows), left: names ? ` Unknown and left out: ${names}.` : long };
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
