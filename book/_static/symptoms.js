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
  // Entries that contain the most of the words are shown; usually these contain all of them.
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.map(({ section, text }) =>
      chosen && section !== chosen ? -1 : words.filter((word) => text.includes(word)).length,
    );
    const most = Math.max(...found);
    const none = words.length > 0 && most === 0;
    entries.forEach(({ entry }, i) => {
      entry.hidden = none || found[i] < most;
    });
    for (const section of sections) section.hidden = !section.querySelector("details.symptom:not([hidden])");
    const shown = entries.filter(({ entry }) => !entry.hidden).length;
    said.textContent = none
      ? `No symptom has any of these words. Try others${chosen ? ", or all groups" : ""}.`
      : most < words.length
        ? `No symptom has all of these words. ${shown} of ${entries.length} symptoms have ${most} of them.`
        : `${shown} of ${entries.length} symptoms`;
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

  // A link to a group or an entry shows it, also if the filter hides it; an entry is opened, too.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const [entry, section] = [target?.closest("details.symptom"), sections.find((each) => each === target)];
    if (!entry && !section?.hidden) return;
    if ((entry ?? section).hidden) {
      search.value = "";
      choose(undefined);
    }
    if (entry) entry.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("click", ({ target }) => target.closest("a")?.hash === location.hash && reveal()); // the address stays
  reveal();
})();
