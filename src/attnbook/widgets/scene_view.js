// A table with things on it. Saliency and intention share out the light. Everything is computed here.

const COLUMNS = 3;
const CELL = { width: 213, height: 176 };
const STYLE = `
.attnbook-scene { --red: #c62828; --paper: #fbf8ef; --glow: #f2b632; }
.attnbook-scene[data-theme=dark] { --red: #ff6f61; --paper: #34343c; --glow: #8f6d0c; }
.attnbook-scene .glow { fill: var(--glow); }
.attnbook-scene .thing * { stroke: currentColor; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; fill: none; }
.attnbook-scene .thing .body { fill: var(--paper); }
.attnbook-scene .thing .red { fill: var(--red); }
.attnbook-scene .thing[data-gone=true] { opacity: 0.15; }
.attnbook-scene .bar { fill: var(--strong); }
.attnbook-scene .rail { fill: currentColor; fill-opacity: 0.15; }
.attnbook-scene fieldset { border: 0; padding: 0; margin: 0.4rem 0 0; display: flex; flex-wrap: wrap; gap: 0 1rem; }
.attnbook-scene legend { padding: 0; font: inherit; margin: 0; }
.attnbook-scene .controls { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
.attnbook-scene fieldset label.tick { min-width: 6rem; }
`;
// Paths in a box of 100 x 100; "body" takes the paint.
const SHAPES = {
  cup: [["body", "M22 34H70L64 86H28Z"], ["", "M69 44C92 42 92 70 66 70"]],
  newspaper: [["body", "M14 22H86V84H14Z"], ["", "M22 34H78M22 48H46M22 58H46M22 68H46M54 48H78M54 58H78M54 68H78"]],
  book: [["body", "M50 32C38 22 22 22 10 26V80C22 76 38 76 50 86C62 76 78 76 90 80V26C78 22 62 22 50 32Z"], ["", "M50 32V86M20 40L40 44M20 52L40 56M60 44L80 40M60 56L80 52"]],
  lamp: [["body", "M36 12H64L82 48H18Z"], ["", "M50 48V84M32 86H68M22 60L14 68M78 60L86 68"]],
  plant: [["body", "M32 62H68L62 90H38Z"], ["", "M50 62V28M50 44C30 44 24 30 24 18C42 20 50 30 50 44M50 52C68 52 76 40 76 26C60 28 50 38 50 52"]],
  bottle: [["body", "M42 8H58V30C68 36 70 42 70 50V90H30V50C30 42 32 36 42 30Z"], ["", "M30 58H70M30 74H70"]],
};
const WISHES = [["0", "nothing in particular"], ["printed", "something to read"], ["drink", "something to drink"], ["red", "something red"], ["own", "as the sliders say"]];

function saliency(keys) {
  return keys.map((key, i) => {
    const others = keys.filter((_, j) => j !== i);
    if (!others.length) return 0;
    return Math.hypot(...key.map((x, f) => x - sum(others.map((other) => other[f])) / others.length));
  });
}

function render({ model, el }) {
  const [names, features, offers, value] = ["names", "features", "offers", "value"].map((name) => model.get(name));
  const red = features.indexOf("red");
  const present = names.map(() => true);
  let painted = false;
  const { root, keepLabels, drawOn } = frame(el, "attnbook-scene", STYLE);
  const rows = Math.ceil(names.length / COLUMNS);
  const picture = svg("svg", { viewBox: `0 0 ${COLUMNS * CELL.width} ${rows * CELL.height}`, role: "img", "aria-label": model.get("alt") }, root);
  keepLabels(picture, 600);
  const things = names.map((name, i) => {
    const left = (i % COLUMNS) * CELL.width;
    const group = svg("g", { transform: `translate(${left} ${Math.floor(i / COLUMNS) * CELL.height})` }, picture);
    const glow = svg("ellipse", { class: "glow", cx: CELL.width / 2, cy: 66, rx: 96, ry: 64 }, group);
    const drawing = svg("g", { class: "thing", transform: `translate(${CELL.width / 2 - 50} 14)` }, group);
    const paths = SHAPES[name].map(([kind, d]) => svg("path", { class: kind, d }, drawing));
    svg("rect", { class: "rail", x: 30, y: 158, width: CELL.width - 60, height: 8 }, group);
    const bar = svg("rect", { class: "bar", x: 30, y: 158, height: 8 }, group);
    const words = svg("text", { class: "share", x: CELL.width / 2, y: 148, "text-anchor": "middle" }, group);
    return { glow, drawing, body: paths[0], bar, words };
  });

  const controls = element("div", { className: "controls" }, root);
  const wish = choice(controls, "I want", WISHES.filter(([name]) => name === "0" || name === "own" || features.includes(name)));
  const wanted = features.map((name) => slider(controls, `Query: ${name}`, -6, 6, 0.5));
  const pull = slider(controls, "Pull of saliency", 0, 5, 0.1);
  const paint = red < 0 ? null : checkbox(controls, "Paint everything red");
  const table = element("fieldset", {}, root);
  element("legend", { textContent: "On the table" }, table);
  const ticks = names.map((name) => Object.assign(checkbox(table, name), { checked: true }));
  const said = spoken(root);

  const change = (name, to) => {
    model.set(name, to);
    model.save_changes();
  };

  function draw() {
    const query = model.get("query");
    const keys = model.get("key").map((key) => key.map((x, f) => (painted && f === red ? 1 : x)));
    const there = names.map((_, i) => i).filter((i) => present[i]);
    const drawn = saliency(there.map((i) => keys[i]));
    const shares = softmax(there.map((i, n) => sum(keys[i].map((x, f) => x * query[f])) + model.get("pull") * drawn[n]));
    const weights = names.map(() => 0);
    there.forEach((i, n) => (weights[i] = shares[n]));
    things.forEach(({ glow, drawing, body, bar, words }, i) => {
      glow.setAttribute("fill-opacity", (0.9 * weights[i] ** 0.75).toFixed(3));
      drawing.dataset.gone = !present[i];
      body.setAttribute("class", keys[i][red] > 0.5 ? "body red" : "body");
      bar.setAttribute("width", (weights[i] * (CELL.width - 60)).toFixed(2));
      words.textContent = `${names[i]} ${present[i] ? `${(100 * weights[i]).toFixed(0)} %` : "–"}`;
    });
    wanted.forEach((input, f) => {
      input.value = query[f];
      input.setAttribute("aria-valuetext", query[f].toFixed(1));
    });
    pull.value = model.get("pull");
    pull.setAttribute("aria-valuetext", model.get("pull").toFixed(1));
    const asked = features.filter((_, f) => query[f] !== 0);
    const preset = WISHES.find(([name]) => name === (asked.length ? asked[0] : "0") && asked.length < 2);
    wish.value = preset && (!asked.length || query[features.indexOf(asked[0])] === 4) ? preset[0] : "own";
    if (!there.length) {
      said.textContent = "The table is empty: there is nothing to look at, and no weight to give.";
      return;
    }
    const [first, second] = there.slice().sort((a, b) => weights[b] - weights[a]);
    const mean = offers.map((offer, o) => `${sum(weights.map((w, i) => w * value[i][o])).toFixed(1)} ${offer}`).join(" and ");
    said.textContent =
      `The ${names[first]} gets ${(100 * weights[first]).toFixed(0)} % of the weight` +
      `${second === undefined ? "" : `, the ${names[second]} ${(100 * weights[second]).toFixed(0)} %`}. ` +
      `The weighted mean of the values: ${mean}.`;
  }

  wish.addEventListener("change", () => {
    if (wish.value !== "own") change("query", features.map((name) => (name === wish.value ? 4 : 0)));
  });
  wanted.forEach((input, f) =>
    input.addEventListener("input", () => change("query", model.get("query").map((x, g) => (g === f ? Number(input.value) : x)))),
  );
  pull.addEventListener("input", () => change("pull", Number(pull.value)));
  paint?.addEventListener("change", () => {
    painted = paint.checked;
    draw();
  });
  ticks.forEach((tick, i) =>
    tick.addEventListener("change", () => {
      present[i] = tick.checked;
      draw();
    }),
  );
  return drawOn(model, ["query", "pull"], draw);
}

export default { render };
