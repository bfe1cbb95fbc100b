// The tokens of a text in a box of fixed height, each with a number under it.
import { element, set, write } from "../shared/dom.js";

/** @typedef {{text: string, note: string, tint?: number, kind?: string, label?: string}} Token */

export const TOKENS_STYLE = `
.tokens { display: flex; flex-wrap: wrap; align-content: flex-start; gap: 2px; box-sizing: border-box; height: 86px; padding: 2px; overflow-y: auto;
  border: 1px solid var(--edge); border-radius: 6px; }
.tokens > * { display: grid; grid-template-rows: 21px 15px; justify-items: center; box-sizing: border-box; height: 38px; min-height: 0; min-width: 30px; padding: 0 5px; margin: 0; font-size: 14px;
  line-height: 21px; color: var(--ink); background: none; border: 1px solid transparent; border-bottom: 3px solid transparent; border-radius: 4px; white-space: nowrap; }
.tokens > * > :last-child { font-size: 11px; line-height: 13px; color: var(--ink); font-variant-numeric: tabular-nums; }
.tokens button:hover { background: var(--fill); }
.tokens .prompt > :first-child { color: var(--muted); }
.tokens [aria-pressed=true] { border-color: var(--query); }
.tokens .later { opacity: 0.75; }
@media (forced-colors: active) { .card .tokens > * { forced-color-adjust: none; color: var(--ink); background: var(--paper); } .tokens { background: var(--paper); forced-color-adjust: none; } }
`;

/**
 * A row of tokens; those of a row that can be chosen from are buttons.
 * @param {string} name @param {((index: number) => void) | null} chosen
 */
export function tokenRow(name, chosen) {
  const tag = chosen ? "button" : "span";
  const box = element("div", { class: "tokens", role: "group", "aria-label": name, tabindex: chosen ? null : 0 });
  if (chosen)
    box.addEventListener("click", ({ target }) => {
      const at = [...box.children].findIndex((node) => node.contains(/** @type {Node} */ (target)));
      if (at >= 0) chosen(at);
    });
  const made = () => {
    const node = element(tag, chosen ? { type: "button" } : {}, element("span"), element("span"));
    box.append(node);
  };
  return {
    element: box,
    /** @param {Token[]} tokens @param {number} [now] index of the chosen token */
    show(tokens, now = -1) {
      while (box.childElementCount > tokens.length) box.lastElementChild?.remove();
      while (box.childElementCount < tokens.length) made();
      for (const [i, { text, note, tint = 0, kind = "", label = "" }] of tokens.entries()) {
        const node = /** @type {HTMLElement} */ (box.children[i]);
        write(node.children[0], text);
        write(node.children[1], note);
        set(node, {
          class: kind,
          "aria-pressed": chosen ? String(i === now) : null,
          "aria-description": label || null,
        });
        node.style.background = tint
          ? `color-mix(in srgb, var(--weight) ${(40 * tint).toFixed(1)}%, var(--paper))`
          : "";
      }
      const last = box.lastElementChild;
      if (now < 0 || now === tokens.length - 1)
        box.scrollTop = last instanceof HTMLElement ? last.offsetTop - box.offsetTop : 0;
    },
  };
}
