// The self-tests of the chapters answer back: choosing an answer says whether it is right, and why. The browser
// remembers the first choice.
for (const group of document.querySelectorAll(".self-test fieldset")) {
  const said = group.querySelector(".self-test-said");
  const answers = [...group.querySelectorAll(".self-test-answer")];
  const judge = (answer) => {
    const right = answer.dataset.verdict === "right";
    group.dataset.verdict = answer.dataset.verdict;
    for (const other of answers) other.classList.toggle("chosen", other === answer);
    // The reason is cloned, formulas included; nothing is parsed.
    const why = answer.querySelector(".self-test-why").cloneNode(true).childNodes;
    said.replaceChildren(Object.assign(document.createElement("b"), { textContent: right ? "Right." : "Not quite." }), ...[...why].slice(1));
    return right;
  };
  answers.forEach((answer, chosen) => {
    answer.querySelector("input").addEventListener("change", () => {
      const right = judge(answer);
      window.bookProgress.note("test", group.dataset.item, { chosen, right });
    });
  });
  group.classList.add("alive");
  const before = answers[window.bookProgress.of("test")[group.dataset.item]?.chosen];
  if (before) {
    before.querySelector("input").checked = true;
    judge(before);
  }
}
