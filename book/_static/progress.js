// What a reader did, kept in the browser's own storage and nowhere else: predictions, self-tests, exercises, the place.
// The tab keeps it too, because Chromium loses at times what it keeps for pages on a disk. Where a browser refuses to
// keep anything, it lasts as long as the page.
window.bookProgress = (() => {
  const NAME = "book-progress";
  const page = location.pathname.split("/").pop().replace(/\.html$/, "");
  let here = { time: 0, pages: {} };
  const stores = () => [localStorage, sessionStorage];
  const read = () => {
    try {
      for (const store of stores()) {
        const kept = JSON.parse(store.getItem(NAME) ?? "null");
        if (kept?.time > here.time && kept.pages) here = kept;
      }
    } catch {}
    return here;
  };
  const changed = new EventTarget();
  const write = () => {
    here.time = Date.now();
    try {
      for (const store of stores()) store.setItem(NAME, JSON.stringify(here));
    } catch {}
    changed.dispatchEvent(new Event("change"));
  };
  const of = (kind) => read().pages[page]?.[kind] ?? {};
  return {
    page,
    all: read,
    of,
    // The first answer counts; what is done can be undone.
    note(kind, item, what) {
      const kept = of(kind);
      if (kind !== "done" && item in kept) return;
      const own = (here.pages[page] ??= {});
      own[kind] = { ...kept, [item]: what };
      write();
    },
    stand(place) {
      read().last = { page, ...place };
      write();
    },
    forget() {
      here = { time: 0, pages: {} };
      try {
        for (const store of stores()) store.removeItem(NAME);
      } catch {}
      changed.dispatchEvent(new Event("change"));
    },
    onChange: (call) => changed.addEventListener("change", call),
  };
})();

// Exercises that are ticked, the results at a chapter's end, and on the front page the way back.
(() => {
  const progress = window.bookProgress;
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const forget = () => {
    const button = make("button", { type: "button", className: "book-forget", textContent: "Forget all my results" });
    button.addEventListener("click", () => {
      progress.forget();
      location.reload();
    });
    return button;
  };
  const count = (kept, judge) => Object.values(kept).filter(judge).length;
  const right = (kept) => count(kept, (it) => it.right);
  const of = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

  const exercises = [...document.querySelectorAll(".exercise.admonition[id]")];
  for (const exercise of exercises) {
    const tick = make("input", { type: "checkbox", checked: Boolean(progress.of("done")[exercise.id]) });
    const title = exercise.querySelector(".admonition-title");
    tick.setAttribute("aria-label", `Done: ${title.textContent.trim()}`);
    tick.addEventListener("change", () => progress.note("done", exercise.id, tick.checked));
    title.append(make("label", { className: "exercise-done" }, tick, "done"));
  }

  // "Your numbers were 12 points too high on average."
  const calibration = (kept) => {
    const offs = Object.values(kept).flatMap(({ points }) => points ?? []);
    if (!offs.length) return "";
    const mean = Math.round(offs.reduce((sum, off) => sum + off, 0) / offs.length);
    const numbers = offs.length === 1 ? "Your number was" : "Your numbers were, on average,";
    if (!mean) return offs.length === 1 ? "Your number was right." : "Your numbers were neither too high nor too low on average.";
    return `${numbers} ${of(Math.abs(mean), "point")} too ${mean > 0 ? "high" : "low"}.`;
  };
  const results = () => {
    const asked = document.querySelectorAll(".predict").length;
    const tests = document.querySelectorAll(".self-test fieldset").length;
    const [predict, test] = [progress.of("predict"), progress.of("test")];
    const made = Object.keys(predict).length;
    const lines = [];
    if (asked) {
      const open = asked - made;
      const so = `${right(predict)} of ${made} right or near${open > 0 ? `, ${open} not made yet` : ""}. ${calibration(predict)}`;
      lines.push(`Predictions: ${made ? so : `none of ${asked} made yet.`}`);
    }
    if (tests) lines.push(`Self-test: ${right(test)} of ${tests} right at the first try.`);
    if (exercises.length) lines.push(`Exercises: ${count(progress.of("done"), Boolean)} of ${exercises.length} done.`);
    return lines;
  };
  const test = document.querySelector(".self-test");
  if (test) {
    const list = make("ul", {});
    const box = make("div", { className: "book-results", role: "group", ariaLabel: "Your results in this chapter" });
    box.append(make("p", { className: "book-results-title", textContent: "Your results in this chapter" }), list, forget());
    const show = () => list.replaceChildren(...results().map((line) => make("li", { textContent: line.trim() })));
    test.after(box);
    progress.onChange(show);
    show();
  }

  const begin = document.querySelector("body:not(.book-single) .bd-article p > .sd-btn");
  const { last, pages } = progress.all();
  if (begin && last && progress.page === "intro") {
    const link = make("a", { className: "sd-btn sd-text-wrap sd-btn-primary book-continue", href: `${last.page}.html#${last.anchor}` });
    link.textContent = `Continue at ${last.title}`;
    const entries = Object.values(pages);
    const sum = (kind, judge) => entries.reduce((all, entry) => all + count(entry[kind] ?? {}, judge), 0);
    const made = sum("predict", () => true);
    const done = sum("done", Boolean);
    const so = [
      made ? `${of(made, "prediction")} made, ${sum("predict", (it) => it.right)} right or near.` : "",
      done ? `${of(done, "exercise")} done.` : "",
      calibration(Object.assign({}, ...entries.map((entry) => entry.predict ?? {}))),
    ];
    begin.closest("p").before(make("p", {}, link), make("p", { className: "book-so-far" }, `${so.filter(Boolean).join(" ")} `, forget()));
  }
})();
