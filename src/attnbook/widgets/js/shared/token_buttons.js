// A sentence whose tokens can be chosen.
import { element, set, write } from "./dom.js";

export const TOKEN_BUTTONS_STYLE = `
.written { display: grid; grid-template-columns: minmax(0, 1fr); overflow-wrap: anywhere; margin-bottom: 6px; line-height: 1.9; }
.written p { grid-area: 1 / 1; margin: 0; }
.written [aria-hidden] { visibility: hidden; }
.written button { min-width: 26px; max-width: 100%; min-height: 26px; margin: 0 1px; padding: 0 5px; background: none; border: 0; border-bottom: 3px solid transparent;
  border-radius: 4px 4px 0 0; }
.written button:hover { background: var(--fill); }
.written button[aria-pressed=true] { border-color: var(--query); -webkit-text-stroke: 0.4px; }
.written button.later { color: var(--muted); }
`;

const tokenButton = () => element("button", { type: "button" });

/**
 * A line of tokens, of which one is chosen. Bold is drawn by a stroke: it moves no other token.
 *
 * @param {string} name
 * @param {string[][]} sentences that will be shown; there is room for each of them
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
    /** @param {string[]} tokens @param {number} now @param {boolean} [fade] what comes later is not there yet */
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
