// The translation after a change, with differing words marked, and the original translation below it.
import { element } from "../shared/dom.js";
import { changedWords, formatProbability } from "./experiment.js";

export const COMPARE_STYLE = `
.compared { min-height: 112px; }
@container (min-width: 620px) { .compared { min-height: 88px; } }
.compare { display: grid; grid-template-columns: auto 1fr auto; gap: 2px 10px; margin: 0; font-size: 15px; }
.compare dt { color: var(--muted); font-size: 13px; line-height: 1.7; }
.compare dd { margin: 0; }
.compare b { text-decoration: underline; text-underline-offset: 3px; }
.compare .p { font-size: 13px; line-height: 1.7; font-variant-numeric: tabular-nums; white-space: nowrap; }
`;

/** @typedef {{text: string, words: string[], p: number}} Written */

/** Language tag and name of each target language. @type {Record<string, [string, string]>} */
const LANGUAGES = { french: ["fr", "French"], chinese: ["zh", "Chinese"] };

/** @param {string} target */
export function compareLines(target) {
  const [lang, language] = LANGUAGES[target];
  const list = element("dl", { class: "compare" });
  return {
    element: element("div", { class: "compared", role: "group", "aria-label": "Translations" }, list),
    /**
     * @param {Written | null} before @param {Written | null} now translation of the changed model; null without changes
     * @param {number | null} judged probability of `before` under the changed model
     */
    show(before, now, judged) {
      const line = (/** @type {string} */ name, /** @type {Written} */ written, /** @type {string} */ p) => [
        element("dt", { text: name }),
        element("dd", { lang }, ...marked(written, name === "now" && before ? before.words : null)),
        element("dd", { class: "p", text: p }),
      ];
      const was =
        before &&
        (now && judged !== null
          ? `p ${formatProbability(before.p)} → ${formatProbability(judged)}`
          : `p ${formatProbability(before.p)}`);
      list.replaceChildren(
        ...(now ? line("now", now, `p ${formatProbability(now.p)}`) : []),
        ...(before ? line(now ? "before" : language, before, was ?? "") : []),
      );
    },
  };
}

/** The text, with words that are not in `before` in bold. @type {(written: Written, before: string[] | null) => (string | HTMLElement)[]} */
function marked({ text, words }, before) {
  if (!before) return [text];
  const changed = changedWords(before, words);
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let at = 0;
  words.forEach((word, i) => {
    const found = text.toLowerCase().indexOf(word.toLowerCase(), at);
    if (found < 0) return;
    parts.push(text.slice(at, found));
    at = found + word.length;
    const piece = text.slice(found, at);
    parts.push(changed[i] ? element("b", { text: piece }) : piece);
  });
  return [...parts, text.slice(at)];
}
