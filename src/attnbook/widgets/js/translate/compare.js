// The translation after a change, with differing words marked, and the original translation below it.
import { element } from "../shared/dom.js";
import { changedWords, formatProbability } from "./experiment.js";

export const COMPARE_STYLE = `
.compared { min-height: 106px; overflow-wrap: anywhere; }
.compared.stale .compare { opacity: 0.35; }
.compare { display: grid; grid-template-columns: 1fr auto; gap: 0 10px; margin: 0; align-items: baseline; }
.compare dd:not(.p) { grid-column: 1 / -1; }
.compare dt, .compare .p { color: var(--muted); font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.compare dd { margin: 0; }
.compare .large { font-size: 18px; line-height: 1.3; font-weight: 600; }
.compare .large.long { font-size: 15px; }
.compare .small { font-size: 14px; color: var(--muted); }
.compare b { font-weight: inherit; background: color-mix(in srgb, var(--weight) 22%, transparent); border-radius: 3px; padding: 0 2px; }
.compare u { text-decoration: underline wavy var(--query) 1px; text-underline-offset: 4px; }
@container (min-width: 620px) {
  .compared { min-height: 68px; }
  .compare { grid-template-columns: auto 1fr auto; row-gap: 2px; }
  .compare dd:not(.p) { grid-column: 2; }
  .compare dt { grid-column: 1; }
  .compare .p { grid-column: 3; grid-row: 1; }
  .compare .p:nth-of-type(2n + 3) { grid-row: 2; }
  .compare dt:nth-of-type(2), .compare .small { grid-row: 2; }
  .compare .large { font-size: 22px; }
  .compare .large.long { font-size: 17px; }
}
@media (forced-colors: active) { .compare b { forced-color-adjust: none; background: Highlight; color: HighlightText; } }
`;

const LONG = 56; // characters that fit on one line in the large type

/** `unsure`: the words that got a small probability. @typedef {{text: string, words: string[], p: number, unsure: boolean[]}} Written */

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
      const line = (
        /** @type {string} */ name,
        /** @type {Written} */ written,
        /** @type {string} */ p,
        large = true,
      ) => {
        const size = large ? `large${written.text.length > LONG ? " long" : ""}` : "small";
        const parts = large ? marked(written, name === "now" && before ? before.words : null) : [written.text];
        return [
          element("dt", { text: name }),
          element("dd", { class: "p", text: p }),
          element("dd", { lang, class: size }, ...parts),
        ];
      };
      const was =
        before &&
        (now && judged !== null
          ? `p ${formatProbability(before.p)} → ${formatProbability(judged)}`
          : `p ${formatProbability(before.p)}`);
      list.replaceChildren(
        ...(now ? line("now", now, `p ${formatProbability(now.p)}`) : []),
        ...(before ? line(now ? "before" : language, before, was ?? "", !now) : []),
      );
    },
  };
}

/** The text; words that are not in `before` are in `b`, words the model was unsure of in `u`. @type {(written: Written, before: string[] | null) => (string | HTMLElement)[]} */
function marked({ text, words, unsure }, before) {
  const changed = before ? changedWords(before, words) : [];
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let at = 0;
  words.forEach((word, i) => {
    const found = text.toLowerCase().indexOf(word.toLowerCase(), at);
    if (found < 0) return;
    parts.push(text.slice(at, found));
    at = found + word.length;
    const piece = text.slice(found, at);
    const inner = unsure[i] ? element("u", { text: piece }) : piece;
    parts.push(changed[i] ? element("b", {}, inner) : inner);
  });
  return [...parts, text.slice(at)];
}
