// Predictions: what a reader says opens the answer, is judged, and stands beside what came out. The browser remembers it.
const SVG = "http://www.w3.org/2000/svg";
const make = (name, attributes, parent) => {
  const node = name === "svg" || attributes.svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "svg") key === "text" ? (node.textContent = value) : node.setAttribute(key, value);
  parent?.append(node);
  return node;
};
const round = (number) => String(Number(number.toPrecision(4)));
const NEAR = 0.1; // of the scale
const FAR = 0.3;

// "Near: 7 points off." `off` is signed, `scale` the length of the scale.
const verdict = (off, scale, unit, average = "") => {
  const percent = unit === "%";
  const size = Number(Math.abs(off).toPrecision(2));
  const share = Math.abs(off) / scale;
  if (!size) return "Exactly so.";
  const how = share <= NEAR ? "Near" : share <= FAR ? "Not far" : "Far off";
  const things = percent ? (size === 1 ? " point" : " points") : unit && ` ${unit}`;
  return `${how}: ${size}${things} ${off > 0 ? "too high" : "too low"}${average}.`;
};
const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

for (const box of document.querySelectorAll(".predict")) {
  const asked = JSON.parse(box.dataset.asked);
  const answer = box.querySelector(".predict-answer");
  const form = make("div", { class: "predict-form" });
  answer.before(form);
  const ask = { choose, value, draw }[asked.kind](box, asked, form);
  const button = make("button", { type: "button", class: "predict-button", text: "Compare" }, form);
  const said = make("p", { class: "predict-said", role: "status" }, form);
  button.disabled = true;
  ask.onReady = () => (button.disabled = false);
  const compare = () => {
    const { text, ...judged } = ask.compare();
    said.replaceChildren(...[text].flat());
    answer.open = true;
    return judged;
  };
  button.addEventListener("click", () => window.bookProgress.note("predict", asked.item, { ...compare(), said: ask.said() }));
  const before = window.bookProgress.of("predict")[asked.item];
  if (before && ask.restore(before.said)) {
    button.disabled = false;
    compare();
  }
}

function choose(box, asked) {
  const choices = [...box.querySelectorAll(".predict-choice")];
  const inputs = choices.map((choice) => choice.querySelector("input"));
  const texts = choices.map((choice) => choice.querySelector("label").textContent.trim());
  const ask = {};
  for (const input of inputs) input.addEventListener("change", () => ask.onReady());
  ask.said = () => texts[inputs.findIndex((input) => input.checked)];
  ask.restore = (said) => {
    const chosen = inputs[texts.indexOf(said)];
    if (chosen) chosen.checked = true;
    return Boolean(chosen);
  };
  ask.compare = () => {
    const right = Number(asked.right) - 1;
    choices.forEach((choice, i) => {
      choice.dataset.verdict = i === right ? "right" : inputs[i].checked ? "wrong" : "";
    });
    if (inputs[right].checked) return { right: true, text: "As you said." };
    const answer = choices[right].querySelector("label").cloneNode(true).childNodes; // may contain formulas
    return { right: false, text: ["It came out otherwise: ", ...answer, "."] };
  };
  return ask;
}

function value(box, asked, form) {
  const label = make("label", { class: "predict-value" }, form);
  make("span", { text: asked.labels[0] ?? "Your prediction" }, label);
  const { least: min, most: max, step, unit } = asked;
  const input = make("input", { type: "range", min, max, step }, label);
  input.value = (min + max) / 2;
  const shown = make("output", { text: "?" }, label);
  const ask = { said: () => Number(input.value) };
  const set = () => {
    shown.textContent = round(Number(input.value));
    ask.onReady();
  };
  // A click, a tap (which is no click on every phone) or Enter also chooses the place where the handle is.
  for (const name of ["input", "click", "pointerup"]) input.addEventListener(name, set);
  input.addEventListener("keydown", ({ key }) => (key === "Enter" || key === " ") && set());
  ask.restore = (said) => {
    if (!(said >= min && said <= max)) return false;
    input.value = said;
    set();
    return true;
  };
  ask.compare = () => {
    const [right] = asked.right;
    const off = ask.said() - right;
    const text = `You said ${withUnit(shown.textContent, unit)}. It is ${withUnit(round(right), unit)}. ${verdict(off, max - min, unit)}`;
    return { right: Math.abs(off) <= NEAR * (max - min), points: unit === "%" ? [off] : [], text };
  };
  return ask;
}

// A curve to draw: one handle a place, moved by pointer or keys. A thumb that starts beside the handles and goes up or
// down scrolls the page; one that goes sideways draws.
function draw(box, asked, form) {
  const [width, height, left, bottom, top] = [320, 216, 44, 44, 28];
  const { places, least, most, unit } = asked;
  const x = (i) => left + 14 + (i * (width - left - 30)) / (places.length - 1);
  const y = (number) => top + ((most - number) / (most - least)) * (height - top - bottom);
  const picture = make("svg", { viewBox: `0 0 ${width} ${height}`, class: "predict-curve", role: "group", "aria-label": "Your prediction, one handle for each place" }, form);
  const add = (name, attributes, parent = picture) => make(name, { svg: true, ...attributes }, parent);
  add("path", { d: `M${left} ${top}V${height - bottom}H${width - 4}`, class: "axis" });
  for (const number of [least, (least + most) / 2, most]) add("text", { x: left - 6, y: y(number) + 4, "text-anchor": "end", text: round(number) });
  places.forEach((place, i) => add("text", { x: x(i), y: height - bottom + 16, "text-anchor": "middle", text: String(place) }));
  add("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle", text: asked.labels[0] ?? "" });
  add("text", { x: 4, y: 14, text: asked.labels[1] ?? "" });
  const line = add("path", { class: "mine" });
  const truth = add("path", { class: "truth" });
  const legend = make("p", { class: "predict-legend" }, form);
  make("span", { class: "mine", text: "your prediction" }, legend);
  make("span", { class: "truth", text: "what came out" }, legend).hidden = true;
  const guesses = places.map(() => (least + most) / 2);
  const ask = { said: () => guesses };
  const handles = places.map((place, i) => {
    const handle = add("circle", { cx: x(i), r: 9, tabindex: 0, role: "slider", "aria-label": `${asked.labels[1] ?? "value"} at ${place}`, "aria-valuemin": least, "aria-valuemax": most });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -Infinity, End: Infinity, Enter: 0, " ": 0 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      move(i, Math.abs(step) === Infinity ? (step > 0 ? most : least) : guesses[i] + step * asked.step);
    });
    return handle;
  });
  const move = (i, to) => {
    guesses[i] = Number(round(Math.min(most, Math.max(least, Math.round(to / asked.step) * asked.step))));
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
  let tapped = false;
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    tapped = event.pointerType === "touch" && !handles.includes(event.target);
    if (!tapped) follow(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) follow(event);
  });
  picture.addEventListener("pointerup", (event) => tapped && follow(event));
  show();
  ask.restore = (said) => {
    if (said?.length !== places.length) return false;
    said.forEach((guess, i) => move(i, guess));
    return true;
  };
  ask.compare = () => {
    truth.setAttribute("d", `M${asked.right.map((number, i) => `${x(i)} ${y(number)}`).join("L")}`);
    legend.lastChild.hidden = false;
    const offs = guesses.map((guess, i) => guess - asked.right[i]);
    const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    const [off, far] = [mean(offs), mean(offs.map(Math.abs))];
    const scale = most - least;
    const how = far <= NEAR * scale ? "Near" : far <= FAR * scale ? "Not far" : "Far off";
    const size = (number) => withUnit(String(Number(number.toPrecision(2))), unit === "%" ? "points" : unit);
    const trend = Math.abs(off) > far / 2 ? `, and mostly too ${off > 0 ? "high" : "low"}` : "";
    const text = `You drew ${guesses.map(round).join(", ")}. It is ${asked.right.map(round).join(", ")}. ${how}: ${size(far)} off on average${trend}.`;
    return { right: far <= NEAR * scale, points: unit === "%" ? [off] : [], text };
  };
  return ask;
}
