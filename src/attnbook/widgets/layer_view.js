// One sentence on its way through one encoder layer: nine steps, each with the values it makes.
// Everything is computed here from the layer's weights, so it works without a kernel.

const STEPS = [
  "embedding", "+ position", "queries, keys, values", "scores", "softmax", "heads joined", "add & norm", "feed-forward", "add & norm",
];
const WIDTH = 640, LEFT = 96, RIGHT = 632, ROW = 27, HEAD = 26, GAP = 12;
const STYLE = `
.attnbook-layer .bar { display: flex; gap: 0.5rem; margin-bottom: 0.4rem; }
.attnbook-layer .bar button { flex: 1; }
.attnbook-layer svg { margin-top: 0.4rem; touch-action: pan-y; }
.attnbook-layer .plus { fill: var(--strong); }
.attnbook-layer .minus { fill: var(--calm); }
.attnbook-layer .edge { fill: none; stroke: currentColor; stroke-opacity: 0.35; }
.attnbook-layer .followed { fill: none; stroke: currentColor; stroke-width: 2.5; }
.attnbook-layer output { min-height: 4.5em; }
.attnbook-layer svg text.title { font-weight: 600; }
`;

const transposed = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const times = (a, b) => { const columns = transposed(b); return a.map((row) => columns.map((column) => sum(row.map((v, i) => v * column[i])))); };
const plus = (a, b) => a.map((row, i) => row.map((v, j) => v + b[i][j]));
const linear = (x, weight, bias) => times(x, transposed(weight)).map((row) => row.map((v, j) => v + bias[j]));
const columns = (a, from, to) => a.map((row) => row.slice(from, to));
const deviation = (row) => { const m = sum(row) / row.length; return Math.sqrt(sum(row.map((v) => (v - m) ** 2)) / row.length); };

function layerNorm(x, gain, shift) {
  return x.map((row) => {
    const mean = sum(row) / row.length;
    const scale = Math.sqrt(deviation(row) ** 2 + 1e-5);
    return row.map((v, j) => ((v - mean) / scale) * gain[j] + shift[j]);
  });
}

// All values of the layer, in the order of the steps.
function walk(embedding, positions, w, numHeads) {
  const get = (name) => [w[`${name}.weight`], w[`${name}.bias`]];
  const size = embedding[0].length, head = size / numHeads;
  const scaled = embedding.map((row) => row.map((v) => v * Math.sqrt(size)));
  const x = plus(scaled, positions);
  const [q, k, v] = ["q", "k", "v"].map((name) => linear(x, ...get(`self_attention.W_${name}`)));
  const heads = Array.from({ length: numHeads }, (_, h) => [q, k, v].map((a) => columns(a, h * head, (h + 1) * head)));
  const scores = heads.map(([hq, hk]) => times(hq, transposed(hk)).map((row) => row.map((s) => s / Math.sqrt(head))));
  const weights = scores.map((rows) => rows.map(softmax));
  const pooled = heads.map(([, , hv], h) => times(weights[h], hv));
  const joined = x.map((_, i) => pooled.flatMap((rows) => rows[i]));
  const attended = linear(joined, ...get("self_attention.W_o"));
  const added = plus(x, attended);
  const y = layerNorm(added, ...get("add_norm_1.norm"));
  const hidden = linear(y, ...get("feed_forward.W_1")).map((row) => row.map((value) => Math.max(0, value)));
  const thought = linear(hidden, ...get("feed_forward.W_2"));
  const again = plus(y, thought);
  const out = layerNorm(again, ...get("add_norm_2.norm"));
  return { embedding, scaled, positions, x, q, k, v, scores, weights, joined, attended, added, y, hidden, thought, again, out };
}

function render({ model, el }) {
  const tokens = model.get("tokens");
  const table = model.get("positions");
  const numHeads = model.get("num_heads");
  const none = table.map((row) => row.map(() => 0));
  const n = tokens.length, size = table[0].length;
  const shape = (a) => `${a.length} × ${a[0].length}`;

  const { root, keepLabels, drawOn } = frame(el, "attnbook-layer", STYLE);
  const bar = element("div", { className: "bar" }, root);
  const back = element("button", { type: "button", textContent: "◀ Back" }, bar);
  const next = element("button", { type: "button", textContent: "Next ▶" }, bar);
  const controls = element("div", { className: "controls" }, root);
  const stepInput = slider(controls, "Step", 0, STEPS.length - 1, 1);
  const tokenInput = choice(controls, "Follow the token", tokens.map((token, i) => [i, `${i}: ${token}`]));
  const positionInput = checkbox(controls, "with positions");
  positionInput.checked = true;
  const said = spoken(root);
  const rows = Math.max(3 * n, numHeads * n);
  const height = rows * ROW + Math.max(3, numHeads) * (HEAD + GAP);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img" }, root);

  // One heatmap; returns where it ends. A cell's number stands in it where there is room, and in its title always.
  function map(top, title, values, names = null) {
    const many = values[0].length, width = (RIGHT - LEFT) / many;
    const most = Math.max(...values.flat().map(Math.abs), 1e-9);
    svg("text", { class: "title", x: LEFT, y: top + 17 }, picture).textContent = `${title} (${shape(values)})`;
    const group = svg("g", { class: "map", transform: `translate(0 ${top + HEAD})` }, picture);
    values.forEach((row, i) => {
      const label = svg("text", { x: LEFT - 8, y: i * ROW + 18, "text-anchor": "end" }, group);
      label.textContent = tokens[i].length > 8 ? `${tokens[i].slice(0, 7)}…` : tokens[i];
      row.forEach((value, j) => {
        const cell = svg("rect", {
          class: value < 0 ? "minus" : "plus", x: LEFT + j * width, y: i * ROW, width, height: ROW,
          "fill-opacity": (0.55 * Math.abs(value) / most).toFixed(3),
        }, group);
        svg("title", {}, cell).textContent = `${tokens[i]}, ${names ? names[j] : j}: ${value.toFixed(3)}`;
        if (many <= 8)
          svg("text", { x: LEFT + (j + 0.5) * width, y: i * ROW + 18, "text-anchor": "middle", "pointer-events": "none" }, group)
            .textContent = value.toFixed(names ? 2 : 1).replace(/^-(0\.0+)$/, "$1");
      });
    });
    svg("rect", { class: "edge", x: LEFT, y: 0, width: RIGHT - LEFT, height: n * ROW }, group);
    svg("rect", { class: "followed", x: LEFT, y: Number(tokenInput.value) * ROW, width: RIGHT - LEFT, height: ROW }, group);
    return top + HEAD + n * ROW + GAP;
  }

  // What each step shows, and what it says about the followed token i.
  function explain(step, s, i) {
    const word = `“${tokens[i]}”`;
    const best = (row) => row.indexOf(Math.max(...row));
    const twin = tokens.findIndex((token, j) => token === tokens[i] && j !== i);
    const same = (rows) => twin >= 0 && rows[i].every((v, c) => Math.abs(v - rows[twin][c]) < 1e-9);
    const twins = (rows) =>
      twin < 0 ? "" : ` It is ${same(rows) ? "the same row as" : "another row than"} that of the other ${word}, at position ${twin}.`;
    const head = size / numHeads;
    return [
      () => [[["row of the table", s.embedding], [`times √${size}`, s.scaled]],
        `Each id is looked up: ${word} becomes ${size} numbers, which are multiplied by √${size}.${twins(s.scaled)}`],
      () => [[["embedding", s.scaled], ["position", s.positions], ["sum: enters the layer", s.x]],
        (positionInput.checked ? `The row of position ${i} is added to ${word}.` : "The positions are switched off: nothing is added.") + twins(s.x)],
      () => [[["queries Q", s.q], ["keys K", s.k], ["values V", s.v]],
        `Three matrices make a query, a key and a value of each row. Head 1 works with the first ${head} columns` +
          (numHeads > 1 ? `, head 2 with the next ${head}.` : ".")],
      () => [s.scores.map((rows, h) => [`scores of head ${h + 1}`, rows, tokens]),
        `The query of ${word} times every key, divided by √${head}. ` +
          s.scores.map((rows, h) => `In head ${h + 1} “${tokens[best(rows[i])]}” scores highest, ${rows[i][best(rows[i])].toFixed(2)}.`).join(" ")],
      () => [s.weights.map((rows, h) => [`weights of head ${h + 1}`, rows, tokens]),
        `Each row of scores becomes weights that sum to one. ` +
          s.weights.map((rows, h) => `Head ${h + 1}: ${word} gives “${tokens[best(rows[i])]}” ${(100 * rows[i][best(rows[i])]).toFixed(0)} %.`).join(" ")],
      () => [[["heads side by side", s.joined], ["times W_o", s.attended]],
        `Each head takes the mean of its values with these weights: ${numHeads} times ${head} numbers for ${word}. W_o mixes the heads.`],
      () => [[["entered", s.x], ["plus attention", s.added], ["normalised", s.y]],
        `What attention found is added to what ${word} was; then the row is normalised: its deviation goes from ${deviation(s.added[i]).toFixed(2)} to ${deviation(s.y[i]).toFixed(2)}.`],
      () => [[["hidden, after ReLU", s.hidden], ["narrow again", s.thought]],
        `The same two layers for every token, ${size} → ${s.hidden[0].length} → ${size}. Of the hidden units of ${word}, ${s.hidden[i].filter((v) => v > 0).length} of ${s.hidden[0].length} are not cut off.`],
      () => [[["before", s.y], ["plus feed-forward", s.again], ["normalised: leaves the layer", s.out]],
        `Added and normalised again. ${shape(s.x)} came in and ${shape(s.out)} goes out, so another layer can follow.${twins(s.out)}`],
    ][step]();
  }

  function draw() {
    const step = model.get("step");
    const positions = positionInput.checked ? table : none;
    const values = walk(model.get("embedding"), positions, model.get("weights"), numHeads);
    const [maps, sentence] = explain(step, values, Number(tokenInput.value));
    picture.replaceChildren();
    maps.reduce((top, [title, rows, names]) => map(top, title, rows, names), 0);
    picture.setAttribute("aria-label", `Step ${step + 1}, ${STEPS[step]}: ${maps.map(([title, rows]) => `${title}, ${shape(rows)}`).join("; ")}`);
    stepInput.value = step;
    stepInput.setAttribute("aria-valuetext", `${step + 1} of ${STEPS.length}: ${STEPS[step]}`);
    said.textContent = `Step ${step + 1} of ${STEPS.length}, ${STEPS[step]}. ${sentence}`;
  }

  const go = (step) => {
    model.set("step", clamp(step, 0, STEPS.length - 1));
    model.save_changes();
  };
  back.addEventListener("click", () => go(model.get("step") - 1));
  next.addEventListener("click", () => go(model.get("step") + 1));
  stepInput.addEventListener("input", () => go(Number(stepInput.value)));
  tokenInput.addEventListener("change", draw);
  positionInput.addEventListener("change", draw);

  keepLabels(picture);
  return drawOn(model, ["step"], draw);
}

export default { render };
