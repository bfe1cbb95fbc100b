// Where one is in a chapter: the contents at the right follow, the head says which section and how many minutes are
// left, and the browser remembers the section, so that the front page can lead back to it.
(() => {
  const article = document.querySelector(".bd-article");
  const sections = [...(article?.querySelectorAll("section[id]") ?? [])].filter((it) => it.querySelector(":scope > :is(h2, h3)"));
  if (!sections.length) return;
  const chapter = article.querySelector(".book-reading");
  const minutes = chapter?.dataset.minutes.split(" ").map(Number);
  const large = sections.filter((section) => section.querySelector(":scope > h2"));
  const headings = new Map(sections.map((section) => [section, section.querySelector("h2, h3")]));
  const links = new Map([...document.querySelectorAll("#pst-page-toc-nav a")].map((link) => [link.hash.slice(1), link]));
  for (const section of sections) if (section.matches(".optional, .optional *")) links.get(section.id)?.classList.add("optional");

  const start = document.querySelector(".header-article-items__start");
  const said = document.createElement("div");
  said.className = "header-article-item book-place";
  if (chapter) start?.append(said);

  const top = () => 0.25 * innerHeight;
  const atEnd = () => scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const current = () => (atEnd() ? sections.at(-1) : sections.findLast((section) => headings.get(section).getBoundingClientRect().top < top()));

  // Minutes of the rest, this section by how much of it is still below.
  const left = (at) => {
    const place = large.indexOf(at);
    const from = place < 0 ? chapter : at;
    const to = large[place + 1] ?? document.querySelector(".prev-next-footer");
    const [begin, end] = [from, to].map((it) => it?.getBoundingClientRect().top ?? 0);
    const read = Math.min(1, Math.max(0, (top() - begin) / (end - begin || 1)));
    return minutes.slice(place + 2).reduce((sum, number) => sum + number, minutes[place + 1] * (1 - read));
  };
  const tell = (section) => {
    const at = section && large.find((it) => it.contains(section));
    const rest = Math.ceil(left(at));
    const where = at ? `section ${large.indexOf(at) + 1} of ${large.length}` : `${large.length} sections`;
    said.textContent = `${where}, ${rest < 2 ? "nearly done" : `${rest} min left`}`;
  };
  const reveal = (section) => {
    const link = links.get(section?.id);
    const bar = link?.closest(".bd-sidebar-secondary");
    if (!bar) return;
    const [own, all] = [link.getBoundingClientRect(), bar.getBoundingClientRect()];
    const bottom = Math.min(all.bottom, innerHeight);
    if (own.top < all.top + 40 || own.bottom > bottom - 40) bar.scrollTop += own.top - (all.top + bottom) / 2;
  };

  // The theme's own mark is at times one section off.
  const mark = () => {
    for (const [name, link] of links) link.classList.toggle("active", name === known?.id);
  };

  let known;
  let marking = 0;
  let waiting = 0;
  let drawn = false;
  const look = () => {
    drawn = false;
    const section = current();
    if (chapter) tell(section);
    clearTimeout(marking);
    marking = setTimeout(mark, 150);
    if (section === known) return;
    known = section;
    reveal(section);
    clearTimeout(waiting);
    if (chapter && section)
      waiting = setTimeout(() => {
        const heading = headings.get(section).cloneNode(true);
        heading.querySelector(".headerlink")?.remove();
        const title = heading.textContent;
        window.bookProgress.stand({ anchor: section.id, title: title.replace(/^([\d.]+)\. /, "$1 ") });
      }, 2000);
  };
  const soon = () => {
    if (!drawn) requestAnimationFrame(look);
    drawn = true;
  };
  for (const name of ["scroll", "resize"]) addEventListener(name, soon, { passive: true });
  addEventListener("load", soon);
  look();
})();
