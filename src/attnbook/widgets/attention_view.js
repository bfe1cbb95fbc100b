// Attention on a page: a heatmap between tokens, over the steps of training. One ES module, no imports.

// ---- the data: what encoding.py writes ----

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function decode(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const length = view.getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = 4 + length;
  const codes = await inflate(bytes.subarray(start, start + index.frames));
  const numbers = new Float32Array((await inflate(bytes.subarray(start + index.frames))).buffer);
  for (let i = index.size; i < codes.length; i++) codes[i] += codes[i - index.size];
  const frames = index.steps.map((step, i) => ({
    step,
    codes: codes.subarray(i * index.size, (i + 1) * index.size),
    measures: numbers.subarray(i * index.measures, (i + 1) * index.measures),
  }));
  let at = frames.length * index.measures;
  const column = () => numbers.subarray(at, (at += index.points));
  const points = column();
  const series = Object.fromEntries(index.series.map((name) => [name, column()]));
  return { frames, points, series, progress: index.progress };
}

const weightOf = (code) => (code / 255) ** 2;

// ---- the page ----

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function render({ model, el }) {
  const canvas = make("canvas");
  const columns = make("div"), rows = make("div");
  const slider = make("input", { type: "range", min: 0, max: 0, value: 0, ariaLabel: "training step" });
  const said = make("p", { role: "status" });
  el.append(make("label", {}, "step ", slider), columns, make("div", { style: "display: flex" }, rows, canvas), said);
  const cell = 26;
  let log = { frames: [] };

  const kind = () => model.get("header").kinds[0];
  const axes = () => model.get("header").sentences[0].axes;
  function draw() {
    const frame = log.frames[slider.value];
    if (!frame) return;
    const queries = axes()[kind().query], keys = axes()[kind().key];
    const offset = (kind().layers.length - 1) * kind().heads * queries.length * keys.length;
    canvas.width = keys.length * cell;
    canvas.height = queries.length * cell;
    const context = canvas.getContext("2d");
    for (let i = 0; i < queries.length * keys.length; i++) {
      context.fillStyle = `rgb(20 60 130 / ${weightOf(frame.codes[offset + i])})`;
      context.fillRect((i % keys.length) * cell, Math.floor(i / keys.length) * cell, cell - 1, cell - 1);
    }
    rows.replaceChildren(...queries.map((token) => make("div", { textContent: token, style: `height: ${cell}px` })));
    columns.textContent = keys.join("  ");
    said.textContent = `step ${frame.step}`;
    canvas.onpointermove = ({ offsetX, offsetY }) => {
      const row = Math.floor(offsetY / cell), column = Math.floor(offsetX / cell);
      const weight = weightOf(frame.codes[offset + row * keys.length + column]);
      said.textContent = `step ${frame.step}: “${queries[row]}” looks at “${keys[column]}” with weight ${weight.toFixed(2)}`;
    };
  }
  async function load() {
    log = await decode(model.get("data"));
    slider.max = log.frames.length - 1;
    slider.value = slider.max;
    draw();
  }
  slider.addEventListener("input", draw);
  model.on("change:data", load);
  load();
  return () => model.off("change:data", load);
}

export default { render };
