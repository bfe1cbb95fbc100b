// What a link to a term, a source, an equation or a figure of the page leads to is shown beside it: when the pointer
// rests on it, when the keyboard reaches it, and at the first tap. Everything is cloned from the page, or set as text.
(() => {
  const OPEN = 250; // milliseconds until a resting pointer opens
  const CLOSE = 300; // until it closes, so that it can be entered
  const GAP = 6;
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const clone = (element) => {
    const copy = element.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
    for (const one of copy.querySelectorAll(".headerlink, [data-attnbook-widget], script")) one.remove();
    for (const image of copy.querySelectorAll("img")) image.loading = "eager";
    return copy;
  };
  const follow = (link, text) => make("p", {}, make("a", { href: link.href, textContent: text }));
  const templates = [...document.querySelectorAll("template.book-notes")];

  // The content of a link's note; nothing for any other kind of link.
  const content = (link) => {
    const [page, name] = (link.getAttribute("href") ?? "").split("#");
    if (!name || !link.closest(".bd-article") || link.matches(".headerlink")) return undefined;
    if (page.endsWith("glossary.html")) {
      const note = templates.map(({ content }) => content.querySelector(`[data-note="${CSS.escape(name)}"]`)).find(Boolean);
      return note && [make("b", { textContent: link.textContent }), ...clone(note).childNodes, follow(link, "In the glossary")];
    }
    if (page.endsWith("references.html")) {
      const source = link.dataset.source ?? link.title;
      link.dataset.source = source;
      return source && [make("p", { textContent: source }), follow(link, "In the bibliography")];
    }
    const place = page ? null : document.getElementById(decodeURIComponent(name));
    if (place?.matches("div.math")) return [clone(place), follow(link, "To the equation")];
    if (place?.matches("figure")) return [clone(place), follow(link, "To the figure")];
    return undefined;
  };

  let shown; // { link, note }
  let waiting = 0;
  const close = () => {
    clearTimeout(waiting);
    if (!shown) return;
    shown.link.removeAttribute("aria-describedby");
    shown.note.remove();
    shown = undefined;
  };
  const put = () => {
    const { link, note } = shown;
    const [at, own] = [link.getClientRects()[0] ?? link.getBoundingClientRect(), note.getBoundingClientRect()];
    const below = at.bottom + GAP + own.height <= innerHeight || at.top < own.height + GAP;
    note.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - own.width - 8))}px`;
    note.style.top = `${below ? at.bottom + GAP : at.top - GAP - own.height}px`;
  };
  const open = (link) => {
    clearTimeout(waiting);
    if (shown?.link === link) return;
    const parts = content(link);
    if (!parts) return;
    close();
    link.removeAttribute("title"); // the browser would show it too
    const note = make("div", { className: "book-note", id: "book-note", popover: "manual" }, ...parts);
    link.after(note);
    link.setAttribute("aria-describedby", "book-note");
    shown = { link, note };
    note.showPopover?.(); // above everything, and cut off by nothing
    put();
    note.addEventListener("pointerenter", () => clearTimeout(waiting));
    note.addEventListener("pointerleave", leave);
  };
  const later = (call, time) => {
    clearTimeout(waiting);
    waiting = setTimeout(call, time);
  };
  const leave = ({ pointerType }) => pointerType !== "touch" && later(close, CLOSE);
  const linkOf = (event) => event.target.closest?.("a.reference.internal");

  let pointer = "";
  addEventListener(
    "pointerdown",
    (event) => {
      pointer = event.pointerType;
      if (shown && !shown.note.contains(event.target) && linkOf(event) !== shown.link) close();
    },
    true,
  );
  document.addEventListener("pointerover", (event) => {
    const link = event.pointerType === "touch" ? null : linkOf(event);
    if (link && !shown?.note.contains(link)) later(() => open(link), OPEN);
  });
  document.addEventListener("pointerout", (event) => linkOf(event) && !shown?.note.contains(event.target) && leave(event));
  document.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (shown?.note.contains(event.target)) return;
    if (link?.matches(":focus-visible")) open(link);
    else if (shown && link !== shown.link) close();
  });
  document.addEventListener("click", (event) => {
    const link = linkOf(event);
    if (!link || shown?.note.contains(link)) return;
    if (pointer === "touch" && shown?.link !== link && content(link)) {
      event.preventDefault();
      open(link);
    } else close();
  });
  addEventListener("keydown", (event) => {
    pointer = "";
    if (event.key !== "Escape" || !shown) return;
    const { link, note } = shown;
    if (note.contains(document.activeElement)) link.focus();
    close();
  });
  for (const name of ["scroll", "resize"]) addEventListener(name, () => shown && put(), { capture: true, passive: true });
})();
