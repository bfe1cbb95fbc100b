// Weights of one query at a size and a temperature, and what their entropy and derivative do. All computed here.

const BARS = { left: 44, right: 628, top: 24, bottom: 130 };
const PLOT = { left: 44, right: 628, top: 172, bottom: 300 };
const [COLD, HOT, POINTS] = [Math.log(0.05), Math.log(20), 121];
const STYLE = `
.attnbook-softmax .controls { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
.attnbook-softmax .axis { stroke: currentColor; stroke-opacity: 0.5; }
.attnbook-softmax .bar { fill: var(--strong); }
.attnbook-softmax .entropy { fill: none; stroke: var(--calm); stroke-width: 2.5; }
.attnbook-softmax .derivative { fill: none; stroke: var(--strong); stroke-width: 2.5; stroke-dasharray: 7 4; }
.attnbook-softmax .here { stroke: currentColor; stroke-width: 1.5; }
.attnbook-softmax .dot-entropy { fill: var(--calm); }
.attnbook-softmax .dot-derivative { fill: var(--strong); }
`;

// Entropy in nats, and the Frobenius norm of diag(w) - w w^T. On its diagonal stands w (1 - w), and 1 - w is taken as
// the sum of the others: a difference of nearly equal numbers would be noise.
function measures(weights) {
  const derivative = weights.flatMap((a, i) => weights.map((b, j) => a * (i === j ? sum(weights.filter((_, k) => k !== i)) : b)));
  return {
    entropy: -sum(weights.map((w) => (w > 0 ? w * Math.log(w) : 0))),
    derivative: Math.hypot(...derivative),
  };
}

function render({ model, el }) {
  const products = model.get("products");
  const sizes = model.get("sizes");
  const count = products[0][0].length;
  const { root, keepLabels, drawOn } = frame(el, "attnbook-softmax", STYLE);
  const picture = svg("svg", { viewBox: "0 0 640 336", role: "img", "aria-label": model.get("alt") }, root);
  keepLabels(picture, 600);
  const text = (x, y, words, anchor = "middle") => (svg("text", { x, y, "text-anchor": anchor }, picture).textContent = words);
  const x = (logarithm) => PLOT.left + ((logarithm - COLD) / (HOT - COLD)) * (PLOT.right - PLOT.left);
  const y = (share) => PLOT.bottom - share * (PLOT.bottom - PLOT.top);
  for (const box of [BARS, PLOT]) {
    svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }, picture);
    text(box.left - 6, box.top + 8, "1", "end");
    text(box.left - 6, box.bottom, "0", "end");
  }
  text(BARS.left, 16, "weights of the keys", "start");
  text(PLOT.left, 162, "entropy (line), derivative (dashed)", "start");
  for (const tick of [0.1, 1, 10]) text(x(Math.log(tick)), 318, String(tick));
  text(PLOT.right, 333, "temperature", "end");
  const step = (BARS.right - BARS.left) / count;
  const bars = Array.from({ length: count }, (_, i) => svg("rect", { class: "bar", x: BARS.left + (i + 0.2) * step, width: 0.6 * step }, picture));
  const lines = { entropy: svg("path", { class: "entropy" }, picture), derivative: svg("path", { class: "derivative" }, picture) };
  const here = svg("line", { class: "here", y1: PLOT.top, y2: PLOT.bottom }, picture);
  const dots = { entropy: svg("circle", { class: "dot-entropy", r: 6 }, picture), derivative: svg("circle", { class: "dot-derivative", r: 6 }, picture) };

  const controls = element("div", { className: "controls" }, root);
  const sizeInput = slider(controls, "Size d of query and keys", 0, sizes.length - 1, 1);
  const temperatureInput = slider(controls, "Temperature", COLD, HOT, 0.01);
  const scaledInput = checkbox(controls, "Divide by √d");
  const again = element("button", { type: "button", textContent: "Another query" }, controls);
  const said = spoken(root);
  const change = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function draw() {
    const [size, temperature, scaled, shown] = ["size", "temperature", "scaled", "shown"].map((name) => model.get(name));
    const scores = products[shown][sizes.indexOf(size)].map((score) => score / (scaled ? Math.sqrt(size) : 1));
    const at = (heat) => softmax(scores.map((score) => score / heat));
    // Both curves as shares of the most there can be: log m for the entropy, 1/2 for the norm of the derivative.
    const shares = (weights) => {
      const { entropy, derivative } = measures(weights);
      return { entropy: entropy / Math.log(count), derivative: 2 * derivative };
    };
    const weights = at(temperature);
    weights.forEach((weight, i) => {
      const height = weight * (BARS.bottom - BARS.top);
      bars[i].setAttribute("y", (BARS.bottom - height).toFixed(2));
      bars[i].setAttribute("height", height.toFixed(2));
    });
    const grid = Array.from({ length: POINTS }, (_, i) => COLD + (i / (POINTS - 1)) * (HOT - COLD));
    const curve = grid.map((logarithm) => shares(at(Math.exp(logarithm))));
    const now = shares(weights);
    const place = x(Math.log(temperature));
    here.setAttribute("x1", place);
    here.setAttribute("x2", place);
    for (const name of ["entropy", "derivative"]) {
      lines[name].setAttribute("d", curve.map((share, i) => `${i ? "L" : "M"}${x(grid[i]).toFixed(1)} ${y(share[name]).toFixed(1)}`).join(""));
      dots[name].setAttribute("cx", place);
      dots[name].setAttribute("cy", y(now[name]));
    }
    sizeInput.value = sizes.indexOf(size);
    sizeInput.setAttribute("aria-valuetext", String(size));
    temperatureInput.value = Math.log(temperature);
    temperatureInput.setAttribute("aria-valuetext", temperature.toFixed(2));
    scaledInput.checked = scaled;
    const { entropy, derivative } = measures(weights);
    said.textContent =
      `Size ${size}, temperature ${temperature.toFixed(2)}, ${scaled ? "divided" : "not divided"} by √d: ` +
      `the largest weight is ${Math.max(...weights).toFixed(3)}, spread as over ${Math.exp(entropy).toFixed(2)} equal ones; ` +
      `the derivative has norm ${derivative < 0.001 ? derivative.toExponential(1) : derivative.toFixed(3)}.`;
  }

  sizeInput.addEventListener("input", () => change("size", sizes[Number(sizeInput.value)]));
  temperatureInput.addEventListener("input", () => change("temperature", clamp(Math.exp(Number(temperatureInput.value)), 0.05, 20)));
  scaledInput.addEventListener("change", () => change("scaled", scaledInput.checked));
  again.addEventListener("click", () => change("shown", (model.get("shown") + 1) % products.length));
  return drawOn(model, ["size", "temperature", "scaled", "shown"], draw);
}

export default { render };
