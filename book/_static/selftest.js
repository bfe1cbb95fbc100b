// The self-tests of the chapters answer back: choosing an answer says whether it is right, and why.
for (const group of document.querySelectorAll(".self-test fieldset")) {
  const said = group.querySelector(".self-test-said");
  for (const answer of group.querySelectorAll(".self-test-answer"))
    answer.querySelector("input").addEventListener("change", () => {
      const right = answer.dataset.verdict === "right";
      group.dataset.verdict = answer.dataset.verdict;
      for (const other of group.querySelectorAll(".self-test-answer")) other.classList.toggle("chosen", other === answer);
      // The reason is cloned, formulas included; nothing is parsed.
      const why = answer.querySelector(".self-test-why").cloneNode(true).childNodes;
      said.replaceChildren(Object.assign(document.createElement("b"), { textContent: right ? "Right." : "Not quite." }), ...[...why].slice(1));
    });
  group.classList.add("alive");
}
