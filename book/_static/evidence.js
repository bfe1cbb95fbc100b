// A mark opens a card with the protocol of its comparison. Without scripts it is a link to the entry on the page Evidence.
const openCard = (mark, content) => {
  const card = document.createElement("dialog");
  card.className = "evidence-dialog";
  card.append(content.cloneNode(true));
  const title = card.querySelector("h2");
  title.id = "evidence-dialog-title";
  card.setAttribute("aria-labelledby", title.id);
  const foot = document.createElement("form");
  foot.method = "dialog";
  const all = document.createElement("a");
  all.href = mark.href;
  all.textContent = "On the page Evidence";
  const close = document.createElement("button");
  close.textContent = "Close";
  foot.append(all, close);
  card.append(foot);
  card.addEventListener("click", (event) => {
    if (event.target === card) card.close(); // the backdrop
  });
  card.addEventListener("close", () => {
    card.remove();
    mark.focus();
  });
  document.body.append(card);
  card.showModal();
  close.focus();
  card.scrollTop = 0;
};
// On the page Evidence, the entry that an address names is unfolded.
const unfold = () => {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = entry?.querySelector(":scope > details.evidence-fold");
  if (fold) fold.open = true;
};
addEventListener("hashchange", unfold);
unfold();
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.("a.evidence");
  if (!mark || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const found = [...document.querySelectorAll("template.evidence-card")].find(
    (card) => card.dataset.evidence === mark.dataset.evidence,
  );
  if (!found) return;
  event.preventDefault();
  openCard(mark, found.content);
});
