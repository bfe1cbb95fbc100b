// "All code" shows what the page keeps folded or out of sight; the browser remembers it. The tab remembers too: of pages
// opened from a disk Chromium loses now and then, from one page to the next, what it keeps for all tabs.
const kept = () => [sessionStorage, localStorage];
const memory = {
  get: () => kept().map((storage) => storage.getItem("book-code")).find(Boolean),
  set: (value) => kept().forEach((storage) => storage.setItem("book-code", value)),
};
const showCode = (all) => {
  document.documentElement.dataset.code = all ? "all" : "some";
  for (const fold of document.querySelectorAll("details.code-fold")) fold.open = all;
  for (const button of document.querySelectorAll('[data-book="code"]')) button.setAttribute("aria-pressed", String(all));
};
addEventListener("DOMContentLoaded", () => {
  let all = false;
  try {
    all = memory.get() === "all";
  } catch {} // a browser may refuse to remember
  showCode(all);
  for (const button of document.querySelectorAll('[data-book="code"]')) {
    button.hidden = !document.querySelector(".tag_plumbing, .code-fold");
    button.addEventListener("click", () => {
      all = !all;
      showCode(all);
      try {
        memory.set(all ? "all" : "some");
      } catch {}
    });
  }
  // The title of a solution opens it, and leads nowhere.
  for (const link of document.querySelectorAll(".solution > .admonition-title a")) link.replaceWith(...link.childNodes);
});

// The box that Ctrl+K opens searches while one types; what it needs for that is loaded when it is opened.
const loadSearch = () => {
  if (window.bookSearch) return;
  for (const name of ["sections", "search"]) {
    const script = document.createElement("script");
    script.async = false; // in this order
    script.src = `${document.documentElement.dataset.content_root}_static/search/${name}.js`;
    document.head.append(script);
  }
};
addEventListener("DOMContentLoaded", () =>
  document.querySelector("#pst-search-dialog")?.addEventListener("focusin", loadSearch, { once: true }),
);

// What scrolls sideways can be reached by keyboard.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("div.math > .katex-display, .bd-article table, div.cell_output, pre"))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});

// Paper is light, and has the pictures that nobody scrolled to.
const root = document.documentElement;
addEventListener("beforeprint", () => {
  for (const image of document.images) image.loading = "eager";
  root.dataset.onScreen ??= root.dataset.theme;
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = root.dataset.onScreen;
  delete root.dataset.onScreen;
});
