// Sinusoidal positions to touch: the table, one row of it, and that row's dot product with every other.

const LENGTH = 100;
const BASES = [10, 100, 1000, 10000, 100000];
const WIDTH = 640;
const TABLE = { left: 46, right: 628, top: 24, bottom: 204 };
const ROW = { top: 236, bottom: 316 };
const DOT = { top: 352, bottom: 452 };
const COLOURS = {
  light: { high: [179, 64, 14], zero: [255, 255, 255], low: [28, 107, 176] },
  dark: { high: [255, 157, 110], zero: [30, 30, 30], low: [127, 191, 255] },
};
const STYLE = `
.attnbook-position svg { touch-action: pan-x; cursor: ns-resize; }
.attnbook-position image { image-rendering: pixelated; }
.attnbook-position .edge { fill: none; stroke: var(--quiet); }
.attnbook-position .chosen { fill: none; stroke: currentColor; stroke-width: 2; }
.attnbook-position .axis { stroke: var(--quiet); }
.attnbook-position .sine { fill: var(--strong); }
.attnbook-position .cosine { fill: var(--calm); }
.attnbook-position .dots { fill: none; stroke: var(--calm); stroke-width: 2; }
.attnbook-position .here { stroke: currentColor; stroke-dasharray: 4 3; }
`;

function encoding(position, size, base) {
  return Array.from({ length: size }, (_, entry) => {
    const angle = position * base ** (-(entry - (entry % 2)) / size);
    return entry % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

const dot = (a, b) => sum(a.map((value, entry) => value * b[entry]));

// The table as a picture of one pixel an entry.
function picture(rows, colours) {
  const canvas = element("canvas", { width: rows[0].length, height: rows.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  rows.flat().forEach((value, at) => {
    const end = value < 0 ? colours.low : colours.high;
    for (let c = 0; c < 3; c++) image.data[4 * at + c] = colours.zero[c] + Math.abs(value) * (end[c] - colours.zero[c]);
    image.data[4 * at + 3] = 255;
  });
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function render({ model, el }) {
  const { root, keepLabels, drawOn } = frame(el, "attnbook-position", STYLE, () => drawTable());
  const view = svg("svg", { viewBox: `0 0 ${WIDTH} 474`, role: "img", "aria-label": model.get("alt") }, root);
  const wide = TABLE.right - TABLE.left;
  const high = TABLE.bottom - TABLE.top;
  const box = { x: TABLE.left, y: TABLE.top, width: wide, height: high };
  const table = svg("image", { ...box, preserveAspectRatio: "none" }, view);
  svg("rect", { ...box, class: "edge" }, view);
  const chosen = svg("rect", { class: "chosen", x: TABLE.left - 2, width: wide + 4, height: high / LENGTH + 4 }, view);
  const bars = svg("g", {}, view);
  const middle = (part) => (part.top + part.bottom) / 2;
  for (const part of [ROW, DOT])
    svg("line", { class: "axis", x1: TABLE.left, x2: TABLE.right, y1: middle(part), y2: middle(part) }, view);
  const curve = svg("path", { class: "dots" }, view);
  const here = svg("line", { class: "here", y1: DOT.top, y2: DOT.bottom }, view);
  const text = (x, y, words, anchor = "end") => {
    const node = svg("text", { x, y, "text-anchor": anchor }, view);
    node.textContent = words;
    return node;
  };
  text(TABLE.left, 16, "entries, fast waves first →", "start");
  text(TABLE.left - 6, TABLE.top + 10, 0);
  text(TABLE.left - 6, TABLE.bottom, LENGTH - 1);
  const rowTitle = text(TABLE.left, ROW.top - 10, "", "start");
  const dotTitle = text(TABLE.left, DOT.top - 14, "", "start");
  for (const [part, top, low] of [[ROW, 1, -1], [DOT, "d/2", "−d/2"]]) {
    text(TABLE.left - 6, part.top + 8, top);
    text(TABLE.left - 6, part.bottom + 2, low);
  }
  const column = (position) => TABLE.left + ((position + 0.5) / LENGTH) * wide;
  for (const position of [0, 25, 50, 75, 99]) text(column(position), 470, position, "middle");

  const controls = element("div", { className: "controls" }, root);
  const positionInput = slider(controls, "Position i", 0, LENGTH - 1, 1);
  const sizeInput = slider(controls, "Size d", 1, 128, 1);
  const baseInput = choice(controls, "Base", BASES.map((base) => [base, base.toLocaleString("en")]));
  const said = spoken(root);
  let rows = [];

  const change = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  function drawTable() {
    table.setAttribute("href", picture(rows, COLOURS[root.dataset.theme]));
  }

  function draw() {
    const [size, base, position] = ["d_model", "base", "position"].map((name) => model.get(name));
    if (rows[0]?.length !== size || rows.base !== base) {
      rows = Array.from({ length: LENGTH }, (_, i) => encoding(i, size, base));
      rows.base = base;
      drawTable();
    }
    chosen.setAttribute("y", TABLE.top + (position / LENGTH) * high - 2);
    const step = wide / size;
    bars.replaceChildren();
    rows[position].forEach((value, entry) => {
      const height = (Math.abs(value) * (ROW.bottom - ROW.top)) / 2;
      svg("rect", {
        class: entry % 2 ? "cosine" : "sine",
        x: TABLE.left + (entry + 0.1) * step,
        width: 0.8 * step,
        y: middle(ROW) - (value > 0 ? height : 0),
        height,
      }, bars);
    });
    const dots = rows.map((row) => dot(row, rows[position]));
    const scale = (DOT.bottom - DOT.top) / 2 / Math.max(size / 2, ...dots.map(Math.abs));
    curve.setAttribute("d", "M" + dots.map((value, i) => `${column(i).toFixed(1)} ${(middle(DOT) - value * scale).toFixed(2)}`).join("L"));
    here.setAttribute("x1", column(position));
    here.setAttribute("x2", column(position));
    rowTitle.textContent = `row ${position}: its sines and cosines, side by side`;
    dotTitle.textContent = `dot product of position ${position} with every position`;
    for (const [input, value] of [[positionInput, position], [sizeInput, size], [baseInput, base]]) input.value = value;
    const slowest = 2 * Math.PI * base ** ((2 * Math.ceil(size / 2) - 2) / size);
    const far = position < LENGTH / 2 ? LENGTH - 1 : 0;
    const next = position === LENGTH - 1 ? position - 1 : position + 1;
    said.textContent =
      `Position ${position}, size ${size}, base ${base}: ${slowest < 6.35 ? "the wave is 6.3" : `the waves are 6.3 to ${slowest.toFixed(1)}`} positions long. ` +
      `The dot product with itself is ${dots[position].toFixed(2)}, with position ${next} it is ${dots[next].toFixed(2)}, ` +
      `and with position ${far} it is ${dots[far].toFixed(2)}.`;
  }

  let dragged = false;
  const drag = (event) => {
    if (!dragged) return;
    const shown = view.getBoundingClientRect();
    const y = ((event.clientY - shown.top) / shown.width) * WIDTH;
    change("position", clamp(Math.floor(((y - TABLE.top) / high) * LENGTH), 0, LENGTH - 1));
  };
  view.addEventListener("pointerdown", (event) => {
    const shown = view.getBoundingClientRect();
    dragged = ((event.clientY - shown.top) / shown.width) * WIDTH <= TABLE.bottom + 10;
    if (dragged) view.setPointerCapture(event.pointerId);
    drag(event);
  });
  view.addEventListener("pointermove", drag);
  for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, () => (dragged = false));
  positionInput.addEventListener("input", () => change("position", Number(positionInput.value)));
  sizeInput.addEventListener("input", () => change("d_model", Number(sizeInput.value)));
  baseInput.addEventListener("change", () => change("base", Number(baseInput.value)));
  keepLabels(view);
  return drawOn(model, ["d_model", "base", "position"], draw);
}

export default { render };
