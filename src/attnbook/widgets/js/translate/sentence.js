// The input field, with completion of known words and a note below.
import { element, set, write } from "../shared/dom.js";

export const LONGEST = 120; // characters of a sentence
const OFFERED = 5;
const FRAGMENT = /[\p{L}\p{N}'’-]+$/u;

export const SENTENCE_STYLE = `
.sentence { position: relative; }
.sentence input { width: 100%; box-sizing: border-box; font: inherit; font-size: 16px; min-height: max(38px, var(--touch)); padding: 4px 10px;
  color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.sentence ul { position: absolute; z-index: 2; left: 0; top: 100%; margin: 2px 0 0; padding: 4px; list-style: none; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; box-shadow: 0 4px 14px #0004; min-width: 9rem; }
.sentence li { display: flex; align-items: center; min-height: var(--touch); padding: 4px 10px; box-sizing: border-box; border-radius: 4px; cursor: pointer; font-size: 15px; }
.sentence li[aria-selected=true] { background: var(--weight); color: var(--paper); }
.note { min-height: 2.9em; margin: 2px 0; font-size: 13px; color: var(--muted); overflow-wrap: anywhere; }
@container (min-width: 620px) { .note { min-height: 1.45em; } }
.note.warns { color: var(--ink); font-weight: 600; }
`;

/** The completion list below the field. @param {HTMLInputElement} input @param {(word: string, from: number, to: number) => void} take */
function offers(input, take) {
  const list = element("ul", { role: "listbox", id: "offers", "aria-label": "Known words", hidden: true });
  /** @type {string[]} */
  let offered = [];
  let active = -1;

  function show() {
    set(input, {
      "aria-expanded": String(offered.length > 0),
      "aria-activedescendant": active >= 0 ? `offer-${active}` : null,
    });
    set(list, { hidden: !offered.length });
    const option = (/** @type {string} */ word, /** @type {number} */ i) =>
      element("li", { role: "option", id: `offer-${i}`, "aria-selected": String(i === active), text: word });
    list.replaceChildren(...offered.map(option));
  }
  /** The partial word before the caret. */
  const fragment = () => FRAGMENT.exec(input.value.slice(0, input.selectionStart ?? 0))?.[0] ?? "";
  const choose = (/** @type {string} */ word) => {
    const caret = input.selectionStart ?? input.value.length;
    take(word, caret - fragment().length, caret);
  };
  list.addEventListener("mousedown", (event) => event.preventDefault()); // keep the focus in the field
  list.addEventListener("click", (event) => {
    const place = [...list.children].indexOf(/** @type {Element} */ (event.target));
    if (place >= 0) choose(offered[place]);
  });
  return {
    element: list,
    /** @param {string[]} words */
    from(words) {
      const begun = fragment().toLowerCase().replaceAll("’", "'");
      offered = begun ? words.filter((word) => word.startsWith(begun) && word !== begun).slice(0, OFFERED) : [];
      active = -1;
      show();
    },
    close() {
      offered = [];
      show();
    },
    /** @param {KeyboardEvent} event */
    press(event) {
      if (event.key === "Escape" || (event.key === "Enter" && active < 0)) return this.close();
      if (event.key === "Enter") return choose(offered[active]);
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (!step || !offered.length) return;
      event.preventDefault();
      active = active < 0 && step < 0 ? offered.length - 1 : (active + step + offered.length) % offered.length;
      show();
    },
  };
}

/**
 * @param {{ typed: (text: string) => void, asked: () => void }} on `asked`: the field was focused and needs a model
 */
export function sentenceField({ typed, asked }) {
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": "English sentence to translate",
    "aria-autocomplete": "list",
    "aria-controls": "offers",
    "aria-expanded": "false",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: LONGEST,
    enterkeyhint: "go",
  });
  const note = element("div", { class: "note", role: "status" });
  /** @type {string[]} */
  let words = [];
  const list = offers(input, (word, from, to) => {
    input.setRangeText(`${word} `, from, to, "end");
    list.close();
    typed(input.value);
  });
  input.addEventListener("focus", asked);
  input.addEventListener("blur", () => list.close());
  input.addEventListener("input", () => {
    list.from(words);
    typed(input.value);
  });
  input.addEventListener("keydown", (event) => list.press(event));
  return {
    element: element("div", {}, element("div", { class: "sentence" }, input, list.element), note),
    input,
    /** @param {string} text */
    show(text) {
      if (input.value !== text) input.value = text;
    },
    /** @param {string[]} known */
    knows(known) {
      words = known;
    },
    /** @param {string} text @param {boolean} [warns] */
    say(text, warns = false) {
      write(note, text);
      note.classList.toggle("warns", warns);
    },
  };
}
