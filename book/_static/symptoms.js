// The page of symptoms: a filter by words and by group, and the entry that an address names is open.
(() => {
  const entries = [...document.querySelectorAll("details.symptom")].map((entry) => ({
    entry,
    section: entry.closest("section"),
    text: [...entry.children].map((part) => (part.matches(".symptom-program") ? "" : part.textContent)).join(" ").toLowerCase(),
  }));
  const sections = [...new Set(entries.map(({ section }) => section))];
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const search = make("input", { type: "search", autocomplete: "off", spellcheck: false });
  const said = make("output", {});
  said.setAttribute("aria-live", "polite");
  const title = (section) => section.querySelector("h2").firstChild.textContent.trim();
  const chips = [undefined, ...sections].map((section) => {
    const chip = make("button", { type: "button", textContent: section ? title(section) : "All groups" });
    chip.setAttribute("aria-pressed", String(!section));
    chip.addEventListener("click", () => choose(section));
    return { chip, section };
  });
  const all = make("button", { type: "button", textContent: "Open all" });

  let chosen;
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { entry, section, text } of entries) {
      entry.hidden = (chosen && section !== chosen) || !words.every((word) => text.includes(word));
      shown += entry.hidden ? 0 : 1;
    }
    for (const section of sections) section.hidden = !section.querySelector("details.symptom:not([hidden])");
    said.textContent = shown
      ? `${shown} of ${entries.length} symptoms`
      : `No symptom has all of these words. Try fewer${chosen ? ", or all groups" : ""}.`;
  };
  const choose = (section) => {
    chosen = section;
    for (const other of chips) other.chip.setAttribute("aria-pressed", String(other.section === section));
    show();
  };
  search.addEventListener("input", show);
  all.addEventListener("click", () => {
    const open = all.textContent === "Open all";
    for (const { entry } of entries) entry.open = open;
    all.textContent = open ? "Close all" : "Open all";
  });

  const tools = make(
    "div",
    { className: "symptom-tools", role: "search", ariaLabel: "Filter the symptoms" },
    make("label", {}, "What do you see? ", search),
    make("div", { className: "symptom-chips", role: "group", ariaLabel: "Group" }, ...chips.map(({ chip }) => chip)),
    make("div", { className: "symptom-said" }, said, all),
  );
  sections[0].before(tools);
  show();

  // A link to an entry opens it, also one that the filter hides.
  const reveal = () => {
    const found = entries.find(({ entry }) => `#${entry.id}` === decodeURIComponent(location.hash));
    if (!found) return;
    if (found.entry.hidden) {
      search.value = "";
      choose(undefined);
    }
    found.entry.open = true;
    found.entry.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
