// A sentence as a row of token buttons, one of them selected.
import { element, set, write } from "./dom.js";

export const TOKEN_BUTTONS_STYLE = `
.written { display: grid; grid-template-columns: minmax(0, 1fr); overflow-wrap: anywhere; margin-bottom: 6px; line-height: 1.9; }
.written p { grid-area: 1 / 1; margin: 0; }
.written [aria-hidden] { visibility: hidden; }
.written button { min-width: 26px; max-width: 100%; min-height: max(26px, var(--touch)); margin: 0 1px; padding: 0 5px; background: none; border: 0; border-bottom: 3px solid transparent;
  border-radius: 4px 4px 0 0; }
.written button:hover { background: var(--fill); }
.written button[aria-pressed=true] { border-color: var(--query); -webkit-text-stroke: 0.4px; }
.written button.later { color: var(--muted); }
`;

const tokenButton = () => element("button", { type: "button" });

/**
 * A line of tokens. The selected one is emboldened by a stroke, which does not move the others.
 *
 * @param {string} name
 * @param {string[][]} sentences that may be shown, to reserve space
 * @param {(index: number) => void} chosen
 */
export function tokenButtons(name, sentences, chosen) {
  const line = element("p", { role: "group", "aria-label": name });
  line.addEventListener("click", ({ target }) => {
    const at = [...line.children].indexOf(/** @type {Element} */ (target));
    if (at >= 0) chosen(at);
  });
  const room = sentences.map((tokens) =>
    element("p", { "aria-hidden": "true" }, ...tokens.map((text) => set(tokenButton(), { text, tabindex: -1 }))),
  );
  return {
    element: element("div", { class: "written" }, ...room, line),
    /** @param {string[]} tokens @param {number} now @param {boolean} [fade] gray out the tokens after the selected one */
    show(tokens, now, fade = false) {
      if (line.childElementCount !== tokens.length) line.replaceChildren(...tokens.map(tokenButton));
      tokens.forEach((token, i) => {
        const node = line.children[i];
        write(node, token);
        set(node, { "aria-pressed": String(i === now), class: fade && i > now ? "later" : "" });
      });
    },
  };
}
