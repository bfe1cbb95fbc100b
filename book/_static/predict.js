// Predictions: what a reader says opens the answer, and stands beside what came out.
const SVG = "http://www.w3.org/2000/svg";
const make = (name, attributes, parent) => {
  const node = name === "svg" || attributes.svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "svg") key === "text" ? (node.textContent = value) : node.setAttribute(key, value);
  parent?.append(node);
  return node;
};

for (const box of document.querySelectorAll(".predict")) {
  const asked = JSON.parse(box.dataset.asked);
  const answer = box.querySelector(".predict-answer");
  const form = make("div", { class: "predict-form" });
  answer.before(form);
  const ask = { choose, value, draw }[asked.kind](box, asked, form);
  const button = make("button", { type: "button", class: "predict-button", text: "Compare" }, form);
  const said = make("p", { class: "predict-said", role: "status" }, form);
  button.disabled = !ask.ready;
  ask.onReady = () => (button.disabled = false);
  button.addEventListener("click", () => {
    said.textContent = ask.compare();
    answer.open = true;
  });
}

function choose(box, asked) {
  const choices = [...box.querySelectorAll(".predict-choice")];
  const ask = { ready: false };
  for (const choice of choices) choice.querySelector("input").addEventListener("change", () => ask.onReady());
  ask.compare = () => {
    const chosen = choices.findIndex((choice) => choice.querySelector("input").checked);
    const right = Number(asked.right) - 1;
    choices.forEach((choice, i) => {
      choice.dataset.verdict = i === right ? "right" : i === chosen ? "wrong" : "";
    });
    return chosen === right ? "As you said." : `It came out otherwise: ${choices[right].textContent.trim()}.`;
  };
  return ask;
}

function value(box, asked, form) {
  const label = make("label", { class: "predict-value" }, form);
  make("span", { text: asked.labels[0] ?? "Your prediction" }, label);
  const { least: min, most: max, step } = asked;
  const input = make("input", { type: "range", min, max, step }, label);
  input.value = (min + max) / 2;
  const shown = make("output", { text: input.value }, label);
  const ask = { ready: false };
  input.addEventListener("input", () => {
    shown.textContent = input.value;
    ask.onReady();
  });
  ask.compare = () => `You said ${input.value}. It is ${asked.right[0]}.`;
  return ask;
}

// A curve to draw: one handle a place, moved by pointer or arrow keys.
function draw(box, asked, form) {
  const [width, height, left, bottom, top] = [320, 200, 44, 44, 12];
  const { places, least, most } = asked;
  const x = (i) => left + 14 + (i * (width - left - 30)) / (places.length - 1);
  const y = (number) => top + ((most - number) / (most - least)) * (height - top - bottom);
  const picture = make("svg", { viewBox: `0 0 ${width} ${height}`, class: "predict-curve", role: "group", "aria-label": "Your prediction, one handle for each place" }, form);
  const add = (name, attributes, parent = picture) => make(name, { svg: true, ...attributes }, parent);
  add("path", { d: `M${left} ${top}V${height - bottom}H${width - 4}`, class: "axis" });
  for (const number of [least, (least + most) / 2, most]) add("text", { x: left - 6, y: y(number) + 4, "text-anchor": "end", text: String(number) });
  places.forEach((place, i) => add("text", { x: x(i), y: height - bottom + 16, "text-anchor": "middle", text: String(place) }));
  add("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle", text: asked.labels[0] ?? "" });
  const line = add("path", { class: "mine" });
  const truth = add("path", { class: "truth" });
  const guesses = places.map(() => (least + most) / 2);
  const ask = { ready: false };
  const handles = places.map((place, i) => {
    const handle = add("circle", { cx: x(i), r: 9, tabindex: 0, role: "slider", "aria-label": `${asked.labels[1] ?? "value"} at ${place}`, "aria-valuemin": least, "aria-valuemax": most });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(i, guesses[i] + step * asked.step);
    });
    return handle;
  });
  const move = (i, to) => {
    guesses[i] = Math.min(most, Math.max(least, Math.round(to / asked.step) * asked.step));
    show();
    ask.onReady?.();
  };
  const show = () => {
    line.setAttribute("d", `M${guesses.map((guess, i) => `${x(i)} ${y(guess)}`).join("L")}`);
    handles.forEach((handle, i) => {
      handle.setAttribute("cy", y(guesses[i]));
      handle.setAttribute("aria-valuenow", guesses[i]);
    });
  };
  const follow = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const nearest = places.map((_, i) => Math.abs(x(i) - at.x)).reduce((best, far, i, all) => (far < all[best] ? i : best), 0);
    move(nearest, most - ((at.y - top) / (height - top - bottom)) * (most - least));
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    follow(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) follow(event);
  });
  show();
  ask.compare = () => {
    truth.setAttribute("d", `M${asked.right.map((number, i) => `${x(i)} ${y(number)}`).join("L")}`);
    return `You drew ${guesses.join(", ")} (dashed). It is ${asked.right.join(", ")}.`;
  };
  return ask;
}
