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
// What one reads stays where it is, whatever opens above it.
const steady = (change) => {
  const read = [...document.querySelectorAll(".bd-article :is(h1, h2, h3, p, li, figure)")].find((it) => it.getBoundingClientRect().top > 60 && it.checkVisibility());
  const before = read?.getBoundingClientRect().top;
  const correct = () => read && scrollBy({ top: read.getBoundingClientRect().top - before, behavior: "instant" });
  change();
  correct();
  requestAnimationFrame(() => requestAnimationFrame(correct)); // the browser's own anchor moved it too
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
      steady(() => showCode(all));
      try {
        memory.set(all ? "all" : "some");
      } catch {}
    });
  }
  // From a folder a browser shows a notebook as text, whatever the link asks for.
  for (const link of location.protocol === "file:" ? document.querySelectorAll('[data-book="notebook"]') : []) {
    const how = "Right-click and choose “Save link as…” to keep this chapter as a notebook";
    link.title = how;
    link.setAttribute("aria-label", `Notebook: ${how}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const said = Object.assign(document.createElement("p"), { className: "book-note", textContent: `${how}.` });
      said.setAttribute("role", "status");
      const { left, bottom } = link.getBoundingClientRect();
      said.style.left = `${Math.max(8, Math.min(left, innerWidth - 280))}px`;
      said.style.top = `${bottom + 6}px`;
      said.style.maxWidth = "16rem";
      document.body.append(said);
      setTimeout(() => said.remove(), 6000);
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

// What scrolls sideways can be reached by keyboard, and shows that it continues (`data-more`, see book.css). What is in a
// closed fold has no width yet, so each is looked at again when it gets one.
addEventListener("load", () => {
  const look = (wide) => {
    const hidden = wide.scrollWidth - wide.clientWidth;
    if (hidden > 0 && wide.clientWidth) wide.tabIndex = 0;
    wide.toggleAttribute("data-more", hidden - wide.scrollLeft > 2);
  };
  const sized = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target)));
  for (const wide of document.querySelectorAll("div.math > .katex-display, .pst-scrollable-table-container, .bd-article table, div.cell_output, pre")) {
    sized.observe(wide);
    wide.addEventListener("scroll", () => look(wide), { passive: true });
  }
});

// Paper is light, and has the pictures that were not scrolled into view.
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
