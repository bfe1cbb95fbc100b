// Luong's local attention to touch: step through a translation, move and widen the window, see what is left.
// Everything is computed here from the model's scores, so it works without a kernel.

const WIDTH = 640;
const ROW = 30;
const TOP = 6;
const BAR = { left: 176, right: 590 };
const STYLE = `
.attnbook-window .written { margin: 0 0 0.5rem; line-height: 1.9; }
.attnbook-window .written b { padding: 0.1rem 0.3rem; border-bottom: 3px solid var(--strong); }
.attnbook-window .written span { padding: 0.1rem 0.3rem; }
.attnbook-window .band { fill: var(--calm); fill-opacity: 0.13; stroke: var(--calm); stroke-dasharray: 5 4; }
.attnbook-window .center { stroke: var(--calm); stroke-width: 2; }
.attnbook-window .bell { fill: none; stroke: var(--calm); stroke-width: 2; }
.attnbook-window .ghost { fill: none; stroke: var(--quiet); stroke-width: 1.5; }
.attnbook-window .bar { fill: var(--strong); }
.attnbook-window .shut { fill-opacity: 0.75; }
.attnbook-window .gold { fill: var(--strong); font-weight: 700; }
.attnbook-window .legend { margin: 0.2rem 0 0.6rem; font-size: 0.9em; }
`;

const NAMES = [["global", "global: every token"], ["local-m", "local-m: centre t"], ["local-p", "local-p: predicted centre"]];

function localWeights(scores, center, halfWidth, bell) {
  const inside = scores.map((_, s) => Math.abs(s - center) <= halfWidth);
  const most = Math.max(...scores.filter((_, s) => inside[s]));
  const shares = scores.map((score, s) => (inside[s] ? Math.exp(score - most) : 0));
  const total = sum(shares) || 1;
  return { inside, weights: shares.map((share, s) => (share / total) * (bell ? gaussian(s, center, halfWidth) : 1)) };
}

const gaussian = (s, center, halfWidth) => Math.exp(-2 * ((s - center) / halfWidth) ** 2);

function render({ model, el }) {
  const [scores, centers, source, target, gold] = ["scores", "centers", "source", "target", "gold"].map((name) => model.get(name));
  const height = 2 * TOP + ROW * source.length;
  const y = (s) => TOP + (s + 0.5) * ROW;
  const x = (weight) => BAR.left + weight * (BAR.right - BAR.left);
  const { root, keepLabels, drawOn } = frame(el, "attnbook-window", STYLE);

  const written = element("p", { className: "written" }, root);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": model.get("alt") }, root);
  const band = svg("rect", { class: "band", x: 2, width: WIDTH - 4 }, picture);
  const labels = source.map((token, s) => {
    const label = svg("text", { x: BAR.left - 10, y: y(s), "text-anchor": "end", "dominant-baseline": "central" }, picture);
    label.textContent = token;
    return label;
  });
  const bars = source.map((_, s) => svg("rect", { class: "bar", x: BAR.left, y: y(s) - 8, height: 16 }, picture));
  const ghosts = source.map((_, s) => svg("rect", { class: "ghost", x: BAR.left, y: y(s) - 11, height: 22 }, picture));
  const bell = svg("path", { class: "bell" }, picture);
  const middle = svg("line", { class: "center", x1: BAR.left - 6, x2: WIDTH - 2 }, picture);
  element("p", { className: "legend", textContent: "Filled: the weight inside the window. Outlined: the weight of global attention. Bold: the gold source token." }, root);

  const controls = element("div", { className: "controls" }, root);
  const windowInput = choice(controls, "Window", NAMES);
  const stepInput = slider(controls, "Step t: the token that is written", 0, target.length - 1, 1);
  const widthInput = slider(controls, "Half width D", 1, Math.max(10, model.get("half_width")), 1);
  const centerInput = slider(controls, "Centre p of local-p", 0, source.length - 1, 0.1);
  const back = element("button", { type: "button", textContent: "Centre as predicted" }, controls);
  const said = spoken(root);
  let moved = null; // the reader's own centre for this step

  function draw() {
    const [kind, step, halfWidth] = ["window", "step", "half_width"].map((name) => model.get(name));
    const everywhere = softmax(scores[step]);
    const free = kind === "local-p";
    const center = free ? (moved ?? centers[step]) : step;
    const { inside, weights } =
      kind === "global" ? { inside: everywhere.map(() => true), weights: everywhere } : localWeights(scores[step], center, halfWidth, free);
    const sources = gold.filter(([, t]) => t === step).map(([s]) => s);

    written.replaceChildren(
      "Writing: ",
      ...target.flatMap((token, t) => [element(t === step ? "b" : "span", { textContent: token, style: t > step ? "opacity: 0.7" : "" }), " "]),
    );
    source.forEach((_, s) => {
      bars[s].setAttribute("width", (x(weights[s]) - BAR.left).toFixed(2));
      ghosts[s].setAttribute("width", (x(everywhere[s]) - BAR.left).toFixed(2));
      labels[s].setAttribute("class", `${inside[s] ? "" : "shut"} ${sources.includes(s) ? "gold" : ""}`);
    });
    const [from, to] = [center - halfWidth, center + halfWidth].map((edge) => clamp(y(edge), 1, height - 1));
    for (const node of [band, middle]) node.setAttribute("visibility", kind === "global" || center > source.length - 0.5 ? "hidden" : "visible");
    band.setAttribute("y", from);
    band.setAttribute("height", to - from);
    middle.setAttribute("y1", y(center));
    middle.setAttribute("y2", y(center));
    const path = [];
    for (let s = center - halfWidth; s <= center + halfWidth + 1e-9; s += halfWidth / 20)
      if (y(s) >= 0 && y(s) <= height) path.push(`${x(gaussian(s, center, halfWidth)).toFixed(1)} ${y(s).toFixed(1)}`);
    bell.setAttribute("d", free && path.length ? `M${path.join("L")}` : "");

    windowInput.value = kind;
    stepInput.value = step;
    stepInput.setAttribute("aria-valuetext", `${step}: ${target[step]}`);
    widthInput.value = halfWidth;
    widthInput.disabled = kind === "global";
    centerInput.value = center;
    centerInput.disabled = !free;
    centerInput.setAttribute("aria-valuetext", center.toFixed(1));
    back.disabled = !free || moved === null;

    const seen = inside.filter(Boolean).length;
    const kept = sum(everywhere.filter((_, s) => inside[s]));
    const best = weights.indexOf(Math.max(...weights));
    const where = kind === "global" ? "" : ` around ${center.toFixed(1)}, with D = ${halfWidth},`;
    said.textContent =
      seen === 0
        ? `Step ${step}, “${target[step]}”: the window${where} lies outside the sentence. There is nothing to look at, and the context is zero.`
        : `Step ${step}, “${target[step]}”: the window${where} holds ${seen} of ${source.length} tokens, so ${seen} scores are needed. ` +
          `They had ${(100 * kept).toFixed(0)} % of the global weight. The weights now add up to ${sum(weights).toFixed(2)}; ` +
          `the largest, ${weights[best].toFixed(2)}, is on “${source[best]}”${sources.includes(best) ? ", a gold token" : ""}.`;
  }

  const change = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  windowInput.addEventListener("change", () => change("window", windowInput.value));
  widthInput.addEventListener("input", () => change("half_width", Number(widthInput.value)));
  stepInput.addEventListener("input", () => {
    moved = null;
    change("step", Number(stepInput.value));
  });
  centerInput.addEventListener("input", () => {
    moved = Number(centerInput.value);
    draw();
  });
  back.addEventListener("click", () => {
    moved = null;
    draw();
  });
  keepLabels(picture, 520, 15);
  return drawOn(model, ["window", "step", "half_width"], draw);
}

export default { render };
