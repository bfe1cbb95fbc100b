// The book's search: matching sections, best first, while one types. On the search page each has an excerpt; in the box
// that Ctrl+K opens there are titles only. Also works from disk (file://), where this script and its data are loaded
// when the box is opened (book.js).
import { excerpt } from "./excerpt.js";
import { indexOf } from "./ranking.js";

/** @typedef {ReturnType<ReturnType<typeof indexOf>>[number]} Found */

const IN_BOX = 8; // results
const PAUSE = 80; // milliseconds without a key

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {(Node | string)[]} children
 */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** @type {ReturnType<typeof indexOf> | undefined} */
let known;
const find = (/** @type {string} */ query) => {
  known ??= indexOf(/** @type {any} */ (window).bookSections);
  return known(query);
};
Object.assign(window, { bookSearch: find });

const root = document.documentElement.dataset.content_root ?? "";

/** @param {Found} found @param {boolean} long with an excerpt */
function result({ address, page, title, text, terms }, long) {
  const item = make("li", {}, make("a", { href: root + address, textContent: title || page }));
  if (title) item.append(make("span", { textContent: page }));
  if (!long) return item;
  const shown = make("p");
  for (const { words, marked } of excerpt(text, terms)) {
    shown.append(marked ? make("mark", { textContent: words }) : words);
  }
  item.append(shown);
  return item;
}

/** The sentence about the results. @param {Found[]} found @param {string} query @param {number} shown */
function summary(found, query, shown) {
  if (!found.length) return `Nothing in the book matches “${query}”.`;
  const many =
    found.length > shown ? `The ${shown} best sections` : `${found.length} section${found.length > 1 ? "s" : ""}`;
  return `${many} for “${query}”`;
}

/** Shows results below a field as one types. @param {HTMLInputElement} field @param {Element} place */
function live(field, place, long = false) {
  const most = long ? 29 : IN_BOX;
  const said = make("p", { role: "status" });
  const list = make("ol");
  place.replaceChildren(said, list);
  const show = () => {
    const query = field.value.trim();
    const found = query ? find(query) : [];
    said.textContent = query && summary(found, query, most);
    list.replaceChildren(...found.slice(0, most).map((section) => result(section, long)));
    /** @type {HTMLElement} */ (place).hidden = !query;
  };
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(show, PAUSE);
  });
  show();
}

/** The arrow keys go from the field through the results and back. @param {HTMLElement} box */
function arrows(box) {
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [.../** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("input, #search-live a"))];
    const next = stops[stops.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

function start() {
  const box = /** @type {HTMLElement | null} */ (document.querySelector("#pst-search-dialog"));
  const field = /** @type {HTMLInputElement | null} */ (box?.querySelector("input[type=search]") ?? null);
  if (box && field) {
    const place = make("div", { id: "search-live" });
    box.append(place);
    live(field, place);
    arrows(box);
    place.addEventListener("click", (event) => {
      // A result on this page would leave the box open.
      if (/** @type {Element} */ (event.target).closest("a")) /** @type {HTMLDialogElement} */ (box).close();
    });
  }
  const page = document.querySelector("#search-results");
  if (!page) return;
  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  const own = /** @type {HTMLInputElement} */ (document.querySelector(".bd-search-container form input"));
  own.value = query;
  live(own, page, true);
}
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
