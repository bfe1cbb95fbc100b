// Widget state in the URL fragment of a page, such as `#view-gpt-2.step=40&view-gpt-2.head=1`. Each widget has its own
// prefix. In a notebook the URL belongs to the notebook and is left alone.

/** Text by name. @typedef {Record<string, string>} Values */

const PAUSE = 400; // milliseconds without a change before the URL is updated; browsers limit the rate of updates
const MOST = 10_000; // characters of the fragment that are parsed

/** Names of the widgets on this page. @type {Set<string>} */
const taken = new Set();

/** A name for a widget, from its kind and title. @param {string} kind @param {string} title */
export const slug = (kind, title) => [kind, ...(title.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join("-").slice(0, 60);

/** A name that no other widget on the page uses. @param {string} wanted */
function free(wanted) {
  let [name, count] = [wanted, 1];
  while (taken.has(name)) name = `${wanted}-${++count}`;
  taken.add(name);
  return name;
}

/** Parses a fragment into values by widget name. @param {string} fragment @returns {Map<string, Values>} */
export function parseFragment(fragment) {
  /** @type {Map<string, Values>} */
  const found = new Map();
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, "").slice(0, MOST))) {
    const [name, rest] = [key.slice(0, key.indexOf(".")), key.slice(key.indexOf(".") + 1)];
    if (!key.includes(".")) continue; // the anchor of a section
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

  /** @param {Element} el where the widget is drawn @param {string} wanted its name, unless another widget uses it */
  constructor(el, wanted) {
    this.el = el;
    this.onPage = el.closest(".attnbook-static") !== null;
    this.name = this.onPage ? free(wanted) : wanted;
  }

  /** The values of this widget in the URL, or null. */
  read() {
    return (this.onPage && parseFragment(location.hash).get(this.name)) || null;
  }

  /** Scrolls to the widget if it is the first one named in the URL. */
  show() {
    if (parseFragment(location.hash).keys().next().value === this.name) this.el.scrollIntoView({ block: "center" });
  }

  /** Writes the values to the URL after a pause and keeps those of other widgets. @param {Values} values */
  write(values) {
    clearTimeout(this.timer);
    if (this.onPage) this.timer = window.setTimeout(() => this.replace(values), PAUSE);
  }

  /** @param {Values} values */
  replace(values) {
    const named = parseFragment(location.hash);
    const some = Object.keys(values).length > 0;
    if (!some && !named.has(this.name)) return; // keep the anchor of a section
    if (some) named.set(this.name, values);
    else named.delete(this.name);
    const fragment = formatFragment(named);
    try {
      history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment && `#${fragment}`}`);
    } catch {} // too many updates, or not allowed on this page: the URL stays as it is
  }

  /** Copies a link to this widget alone to the clipboard. @param {Values} values @returns {Promise<string>} a status message */
  async copy(values) {
    this.replace(values);
    const link = `${location.href.split("#")[0]}#${formatFragment(new Map([[this.name, values]]))}`;
    try {
      await navigator.clipboard.writeText(link);
      return "Link copied.";
    } catch {
      return "Cannot access the clipboard. Copy the link from the address bar.";
    }
  }

  /** Calls `visit` when the fragment of the page changes. @param {(values: Values) => void} visit @returns {() => void} stops listening */
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
