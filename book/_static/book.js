// On a page opened from the disk a browser refuses to fetch the pages behind search results: list them without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// What scrolls sideways can be reached by keyboard.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("div.math > .katex-display, .bd-article table, div.cell_output, pre"))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});
