// Kernel regression to touch: drag the query and the width, see the weights and the prediction follow.
// Everything is computed here, so it works without a kernel.

const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (Math.abs(u) <= 1 ? 1 : 0),
  epanechnikov: (u) => Math.max(0, 1 - u * u),
};
const KERNEL_NAMES = [["gaussian", "Gaussian"], ["boxcar", "boxcar"], ["epanechnikov", "Epanechnikov"]];
const WIDTH = 640;
const PLOT = { left: 40, right: 628, top: 12, bottom: 250 };
const BARS = { top: 268, bottom: 330 };
const STYLE = `
.attnbook-kernel svg { touch-action: pan-y; cursor: ew-resize; }
.attnbook-kernel .axis { stroke: currentColor; stroke-opacity: 0.45; }
.attnbook-kernel .truth { fill: none; stroke: currentColor; stroke-opacity: 0.6; stroke-dasharray: 5 4; stroke-width: 1.5; }
.attnbook-kernel .fit { fill: none; stroke: var(--calm); stroke-width: 2.5; }
.attnbook-kernel .point { fill: var(--strong); stroke: currentColor; stroke-opacity: 0.55; }
.attnbook-kernel .bar { stroke: var(--strong); stroke-width: 3; }
.attnbook-kernel .query { stroke: var(--strong); stroke-width: 2; }
.attnbook-kernel .band { fill: var(--strong); fill-opacity: 0.1; }
.attnbook-kernel .grip { fill: var(--strong); cursor: col-resize; }
.attnbook-kernel .mark { fill: var(--calm); stroke: currentColor; }
`;

function attentionWeights(keys, query, width, kernel) {
  const distances = keys.map((key) => (key - query) / width);
  // The Gaussian's nearest key is subtracted in the exponent, as softmax does, so that no sum vanishes.
  const nearest = kernel === "gaussian" ? Math.min(...distances.map((u) => u * u)) : 0;
  const similar = distances.map((u) => (kernel === "gaussian" ? Math.exp((nearest - u * u) / 2) : KERNELS[kernel](u)));
  const total = sum(similar);
  return total > 0 ? similar.map((value) => value / total) : null;
}

const weightedMean = (weights, values) => sum(weights.map((weight, i) => weight * values[i]));

function render({ model, el }) {
  const keys = model.get("key");
  const values = model.get("value");
  const grid = model.get("grid");
  const truth = model.get("truth");
  const [low, high] = [Math.min(...grid, ...keys), Math.max(...grid, ...keys)];
  const heights = [...values, ...truth];
  const margin = 0.04 * (Math.max(...heights) - Math.min(...heights));
  const [bottom, top] = [Math.min(...heights) - margin, Math.max(...heights) + margin];
  const x = (value) => PLOT.left + ((value - low) / (high - low || 1)) * (PLOT.right - PLOT.left);
  const y = (value) => PLOT.bottom - ((value - bottom) / (top - bottom || 1)) * (PLOT.bottom - PLOT.top);
  const fromX = (pixel) => low + ((pixel - PLOT.left) / (PLOT.right - PLOT.left)) * (high - low);
  const line = (ys) => {
    let pen = "M";
    return ys.map((v, i) => (v === null ? ((pen = "M"), "") : `${pen}${x(grid[i]).toFixed(1)} ${y(v).toFixed(1)}${((pen = "L"), "")}`)).join("");
  };

  const { root, keepLabels, drawOn } = frame(el, "attnbook-kernel", STYLE);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} 346`, role: "img", "aria-label": model.get("alt") }, root);
  const band = svg("rect", { class: "band", y: PLOT.top, height: PLOT.bottom - PLOT.top }, picture);
  svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: PLOT.bottom, y2: PLOT.bottom }, picture);
  svg("line", { class: "axis", x1: PLOT.left, x2: PLOT.right, y1: BARS.bottom, y2: BARS.bottom }, picture);
  svg("path", { class: "truth", d: line(truth) }, picture);
  const fit = svg("path", { class: "fit" }, picture);
  const queryLine = svg("line", { class: "query", y1: PLOT.top, y2: BARS.bottom }, picture);
  const points = values.map((value, i) => svg("circle", { class: "point", cx: x(keys[i]), cy: y(value) }, picture));
  const bars = keys.map((key) => svg("line", { class: "bar", x1: x(key), x2: x(key), y1: BARS.bottom }, picture));
  const mark = svg("circle", { class: "mark", r: 6 }, picture);
  const grip = svg("circle", { class: "grip", r: 9, cy: PLOT.bottom }, picture);
  for (const [text, at] of [["value", PLOT.top + 10], ["weight", BARS.top + 6]])
    svg("text", { x: PLOT.left + 4, y: at }, picture).textContent = text;
  for (let tick = Math.ceil(low); tick <= high; tick++)
    svg("text", { x: x(tick), y: 344, "text-anchor": "middle" }, picture).textContent = tick;
  for (let tick = Math.ceil(bottom); tick <= top; tick++)
    svg("text", { x: PLOT.left - 8, y: y(tick) + 4, "text-anchor": "end" }, picture).textContent = tick;

  const controls = element("div", { className: "controls" }, root);
  const queryInput = slider(controls, "Query x", low, high, 0.01);
  const widthInput = slider(controls, "Width h", Math.log(0.02), Math.log(high - low), 0.01);
  const kernelInput = choice(controls, "Kernel", KERNEL_NAMES);
  const said = spoken(root);

  const change = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function draw() {
    const [query, width, kernel] = ["query", "width", "kernel"].map((name) => model.get(name));
    const weights = attentionWeights(keys, query, width, kernel);
    const shares = weights ?? keys.map(() => 0);
    const most = Math.max(...shares) || 1;
    fit.setAttribute(
      "d",
      line(grid.map((at) => { const w = attentionWeights(keys, at, width, kernel); return w && weightedMean(w, values); })),
    );
    shares.forEach((share, i) => {
      const relative = Math.sqrt(share / most);
      points[i].setAttribute("r", (2.5 + 5.5 * relative).toFixed(2));
      points[i].setAttribute("fill-opacity", (0.08 + 0.92 * relative).toFixed(3));
      bars[i].setAttribute("y2", (BARS.bottom - (share / most) * (BARS.bottom - BARS.top)).toFixed(1));
    });
    queryLine.setAttribute("x1", x(query));
    queryLine.setAttribute("x2", x(query));
    const [from, to] = [query - width, query + width].map((edge) => clamp(x(edge), PLOT.left, PLOT.right));
    band.setAttribute("x", from);
    band.setAttribute("width", to - from);
    grip.setAttribute("cx", query + width <= high ? to : from);
    mark.setAttribute("visibility", weights ? "visible" : "hidden");
    queryInput.value = query;
    queryInput.setAttribute("aria-valuetext", query.toFixed(2));
    widthInput.value = Math.log(width);
    widthInput.setAttribute("aria-valuetext", width.toFixed(2));
    kernelInput.value = kernel;
    if (!weights) {
      said.textContent = `At x = ${query.toFixed(2)} no measurement lies within the width ${width.toFixed(2)}: there is nothing to average.`;
      return;
    }
    const predicted = weightedMean(weights, values);
    mark.setAttribute("cx", x(query));
    mark.setAttribute("cy", y(predicted));
    const effective = 1 / sum(shares.map((share) => share * share));
    said.textContent =
      `At x = ${query.toFixed(2)} with width ${width.toFixed(2)} the prediction is ${predicted.toFixed(2)}. ` +
      `The measurement heeded most gets ${(100 * most).toFixed(0)} % of the weight; ` +
      `the weights are spread as over ${effective.toFixed(1)} equal ones.`;
  }

  let dragged = null;
  const pixel = (event) => {
    const box = picture.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * WIDTH;
  };
  const drag = (event) => {
    if (dragged === "query") change("query", clamp(fromX(pixel(event)), low, high));
    if (dragged === "width") change("width", clamp(Math.abs(fromX(pixel(event)) - model.get("query")), 0.02, high - low));
  };
  picture.addEventListener("pointerdown", (event) => {
    dragged = event.target === grip ? "width" : "query";
    picture.setPointerCapture(event.pointerId);
    drag(event);
  });
  picture.addEventListener("pointermove", drag);
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => (dragged = null));
  queryInput.addEventListener("input", () => change("query", Number(queryInput.value)));
  widthInput.addEventListener("input", () => change("width", Math.exp(Number(widthInput.value))));
  kernelInput.addEventListener("change", () => change("kernel", kernelInput.value));

  keepLabels(picture);
  return drawOn(model, ["query", "width", "kernel"], draw);
}

export default { render };
