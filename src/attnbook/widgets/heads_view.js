// The heads of a layer to switch on and off. The score of every set of heads was computed with the model beforehand,
// so what is said here is exact, and needs no kernel.

const WIDTH = 640;
const ROW = 30;
const TOP = 58;
const LEFT = 176;
const STYLE = `
.attnbook-heads .written { margin: 0 0 0.5rem; line-height: 1.9; }
.attnbook-heads .written b { padding: 0.1rem 0.3rem; border-bottom: 3px solid var(--strong); }
.attnbook-heads .written span { padding: 0.1rem 0.3rem; }
.attnbook-heads .column { stroke: var(--quiet); stroke-width: 1; }
.attnbook-heads .bar { fill: var(--strong); stroke: var(--strong); stroke-width: 1.5; }
.attnbook-heads .bar.off { fill: none; stroke: var(--quiet); }
.attnbook-heads text.off { text-decoration: line-through; }
.attnbook-heads .scale { fill: none; stroke: var(--quiet); }
.attnbook-heads .score { fill: var(--calm); }
.attnbook-heads .full { stroke: currentColor; stroke-width: 3; }
.attnbook-heads .heads { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; align-items: center; border: 0; margin: 0.4rem 0; padding: 0; }
.attnbook-heads legend { font-size: inherit; margin: 0; padding: 0; }
.attnbook-heads .legend { margin: 0.2rem 0 0.4rem; font-size: 0.9em; }
`;

const isOn = (set, head) => ((set >> head) & 1) === 1;
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

function render({ model, el }) {
  const layers = model.get("layers");
  const name = model.get("score_name");
  const { root, keepLabels, drawOn } = frame(el, "attnbook-heads", STYLE);
  const layerInput = choice(element("div", { className: "controls" }, root), "Layer", Object.keys(layers).map((key) => [key, key]));
  const written = element("p", { className: "written" }, root);
  const picture = svg("svg", { role: "img" }, root);
  element("p", { className: "legend", textContent: `Each column is a head, each bar its weight on the token of that row. Under its name: what ${name} loses when this head alone is taken out.` }, root);
  const queryInput = slider(element("div", { className: "controls" }, root), "Query: the token that looks", 0, 1, 1);
  const heads = element("fieldset", { className: "heads" }, root);
  const scale = svg("svg", { viewBox: `0 0 ${WIDTH} 44`, role: "img" }, root);
  svg("rect", { class: "scale", x: 1, y: 4, width: WIDTH - 2, height: 24 }, scale);
  const score = svg("rect", { class: "score", x: 1, y: 4, height: 24 }, scale);
  const full = svg("line", { class: "full", y1: 0, y2: 32 }, scale);
  const said = spoken(root);

  const change = (values) => {
    for (const [key, value] of Object.entries(values)) model.set(key, value);
    model.save_changes();
  };
  const now = () => layers[model.get("layer")];

  function draw() {
    const { weights, scores, query: queries, key: keys } = now();
    const all = scores.length - 1;
    const set = model.get("on") & all;
    const query = clamp(model.get("query"), 0, queries.length - 1);
    const width = (WIDTH - LEFT) / weights.length;

    written.replaceChildren(...queries.flatMap((token, t) => [element(t === query ? "b" : "span", { textContent: token }), " "]));
    picture.replaceChildren();
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${TOP + ROW * keys.length + 4}`);
    picture.setAttribute("aria-label", `Weights of ${weights.length} heads for the query ${queries[query]}`);
    keys.forEach((token, k) => {
      svg("text", { x: LEFT - 10, y: TOP + (k + 0.5) * ROW, "text-anchor": "end", "dominant-baseline": "central" }, picture).textContent = token;
    });
    weights.forEach((head, i) => {
      const left = LEFT + i * width;
      const on = isOn(set, i);
      svg("text", { x: left + 4, y: 20, class: on ? "" : "off" }, picture).textContent = weights.length > 5 ? i + 1 : `head ${i + 1}`;
      svg("text", { x: left + 4, y: 46 }, picture).textContent = (scores[all & ~(1 << i)] - scores[all]).toFixed(1).replace("-", "−");
      svg("line", { class: "column", x1: left, x2: left, y1: TOP, y2: TOP + ROW * keys.length }, picture);
      head[query].forEach((weight, k) =>
        svg("rect", { class: `bar ${on ? "" : "off"}`, x: left, y: TOP + k * ROW + 7, height: ROW - 14, width: (weight * (width - 14)).toFixed(2) }, picture),
      );
    });

    if (boxes.length !== weights.length) buildHeads();
    layerInput.value = model.get("layer");
    queryInput.max = queries.length - 1;
    queryInput.value = query;
    queryInput.setAttribute("aria-valuetext", queries[query]);
    boxes.forEach((box, i) => (box.checked = isOn(set, i)));
    score.setAttribute("width", ((scores[set] / 100) * (WIDTH - 2)).toFixed(1));
    for (const end of ["x1", "x2"]) full.setAttribute(end, 1 + (scores[all] / 100) * (WIDTH - 2));
    const off = weights.map((_, i) => i + 1).filter((_, i) => !isOn(set, i));
    const words = off.length === 0 ? "all heads on" : off.length === weights.length ? "no head on" : `head${off.length > 1 ? "s" : ""} ${listed(off)} taken out`;
    scale.setAttribute("aria-label", `${name} ${scores[set].toFixed(1)} of 100`);
    said.textContent =
      `${model.get("layer")}, ${words}: ${name} is ${scores[set].toFixed(1)}` +
      (set === all ? "." : `, ${Math.abs(scores[all] - scores[set]).toFixed(1)} ${scores[set] <= scores[all] ? "below" : "above"} that of all heads (${scores[all].toFixed(1)}, the upright line).`);
  }

  let boxes = [];
  function buildHeads() {
    heads.replaceChildren(element("legend", { textContent: "Heads that are on" }));
    boxes = now().weights.map((_, i) => {
      const box = checkbox(heads, `Head ${i + 1}`);
      box.addEventListener("change", () => change({ on: model.get("on") ^ (1 << i) }));
      return box;
    });
    element("button", { type: "button", textContent: "All on" }, heads).addEventListener("click", () => change({ on: now().scores.length - 1 }));
  }

  layerInput.addEventListener("change", () => {
    const next = layers[layerInput.value];
    change({ on: next.scores.length - 1, query: Math.min(model.get("query"), next.query.length - 1), layer: layerInput.value });
  });
  queryInput.addEventListener("input", () => change({ query: Number(queryInput.value) }));
  keepLabels(picture, 520, 15);
  return drawOn(model, ["layer", "query", "on"], draw);
}

export default { render };
