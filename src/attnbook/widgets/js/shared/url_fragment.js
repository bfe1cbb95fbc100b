// What a reader has set up, in the fragment of a page's address: `#view-gpt-2.step=40&view-gpt-2.head=1`. Each widget has
// its own name there. In a notebook the address is the notebook's, and is left alone.

/** Text by name. @typedef {Record<string, string>} Values */

const PAUSE = 400; // milliseconds without a change, after which it is written: browsers allow few writes
const MOST = 10_000; // characters that are read

/** Names of this page's widgets. @type {Set<string>} */
const taken = new Set();

/** A widget's name, of what it is and of its title. @param {string} kind @param {string} title */
export const slug = (kind, title) => [kind, ...(title.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join("-").slice(0, 60);

/** A name that no other widget of the page has. @param {string} wanted */
function free(wanted) {
  let [name, count] = [wanted, 1];
  while (taken.has(name)) name = `${wanted}-${++count}`;
  taken.add(name);
  return name;
}

/** What a fragment says, by the names of widgets. @param {string} fragment @returns {Map<string, Values>} */
export function parseFragment(fragment) {
  /** @type {Map<string, Values>} */
  const found = new Map();
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, "").slice(0, MOST))) {
    const [name, rest] = [key.slice(0, key.indexOf(".")), key.slice(key.indexOf(".") + 1)];
    if (!key.includes(".")) continue; // a section of the page
    found.set(name, Object.fromEntries([...Object.entries(found.get(name) ?? {}), [rest, value]]));
  }
  return found;
}

/** @param {Map<string, Values>} named */
export const formatFragment = (named) =>
  String(
    new URLSearchParams(
      [...named].flatMap(([name, values]) => Object.entries(values).map(([key, value]) => [`${name}.${key}`, value])),
    ),
  );

export class Address {
  timer = 0;

  /** @param {Element} el where the widget is drawn @param {string} wanted its name, if no other widget has it */
  constructor(el, wanted) {
    this.el = el;
    this.onPage = el.closest(".attnbook-static") !== null;
    this.name = this.onPage ? free(wanted) : wanted;
  }

  /** What the address says of this widget; null where it says nothing. */
  read() {
    return (this.onPage && parseFragment(location.hash).get(this.name)) || null;
  }

  /** Brings the widget into sight, if it is the first that the address names. */
  show() {
    if (parseFragment(location.hash).keys().next().value === this.name) this.el.scrollIntoView({ block: "center" });
  }

  /** Writes them into the address, once they stay; what it says of other widgets is kept. @param {Values} values */
  write(values) {
    clearTimeout(this.timer);
    if (this.onPage) this.timer = window.setTimeout(() => this.replace(values), PAUSE);
  }

  /** @param {Values} values */
  replace(values) {
    const named = parseFragment(location.hash);
    const some = Object.keys(values).length > 0;
    if (!some && !named.has(this.name)) return; // a section's name stays
    if (some) named.set(this.name, values);
    else named.delete(this.name);
    const fragment = formatFragment(named);
    try {
      history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment && `#${fragment}`}`);
    } catch {} // too many writes, or a page that may not: the address stays as it was
  }

  /** A link to this widget alone, into the clipboard. @param {Values} values @returns {Promise<string>} what a reader is told */
  async copy(values) {
    this.replace(values);
    const link = `${location.href.split("#")[0]}#${formatFragment(new Map([[this.name, values]]))}`;
    try {
      await navigator.clipboard.writeText(link);
      return "The link is in the clipboard.";
    } catch {
      return "The clipboard cannot be reached: the link is this page's address.";
    }
  }

  /** Handlers of another address of the same page. @param {(values: Values) => void} visit @returns {() => void} ends it */
  follow(visit) {
    const hear = () => {
      const values = this.read();
      if (values) visit(values);
    };
    if (this.onPage) addEventListener("hashchange", hear);
    return () => {
      clearTimeout(this.timer);
      removeEventListener("hashchange", hear);
      if (this.onPage) taken.delete(this.name);
    };
  }
}
