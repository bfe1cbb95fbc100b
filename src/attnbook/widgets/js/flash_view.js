// Flash attention: processing tiles in order, with the running state of one query.

import { button, choice, slider } from "./shared/controls.js";
import { set, svg, write } from "./shared/dom.js";
import { softmax } from "./shared/linear_algebra.js";
import { clamp, range, sum } from "./shared/numbers.js";
import { WidgetCard } from "./shared/widget_card.js";

const SIZE = 8;
const CELL = 30;
const SQUARE = { left: 30, top: 40 };
const PACE = 700; // milliseconds per tile
const NAMES = /** @type {const} */ (["tile", "done", "query"]);
const STYLE = `
.flash .cell { fill: var(--weight); stroke: var(--paper); stroke-width: 1; }
.flash .ground { fill: var(--fill); stroke: var(--edge); }
.flash .frame { fill: none; stroke: var(--ink); stroke-width: 2; }
.flash .row { fill: none; stroke: var(--query); stroke-width: 2; }
`;

/** @typedef {{ most: number, total: number, pooled: number }} Running */

/**
 * Online softmax: the running state of a query after `seen` keys, processed in tiles.
 *
 * @param {number[]} scores @param {number[]} values @param {number} tile @param {number} seen
 */
export function online(scores, values, tile, seen) {
  /** @type {Running} */
  let now = { most: Number.NEGATIVE_INFINITY, total: 0, pooled: 0 };
  for (let start = 0; start < seen; start += tile) {
    const part = scores.slice(start, start + tile);
    const most = Math.max(now.most, ...part);
    const shrink = Math.exp(now.most - most);
    const shares = part.map((score) => Math.exp(score - most));
    const pooled = sum(shares.map((share, i) => share * values[start + i]));
    now = { most, total: now.total * shrink + sum(shares), pooled: now.pooled * shrink + pooled };
  }
  return now;
}

/** Number of keys a query has seen after `done` tiles. @param {number} query @param {number} tile @param {number} done */
export function keysSeen(query, tile, done) {
  const wide = SIZE / tile;
  return clamp(done - Math.floor(query / tile) * wide, 0, wide) * tile;
}

/** @param {{ tile: number, done: number, query: number, scores: number[][], values: number[] }} now */
function summary({ tile, done, query, scores, values }) {
  const seen = keysSeen(query, tile, done);
  const { total, pooled } = online(scores[query], values, tile, seen);
  const whole = sum(softmax(scores[query]).map((weight, i) => weight * values[i]));
  const found =
    seen === 0
      ? "has seen no keys yet."
      : `has seen ${seen} of ${SIZE} keys: o / ℓ = ${(pooled / total).toFixed(3)}. The full softmax gives ${whole.toFixed(3)}.`;
  return `Query ${query + 1} ${found} Scores in fast memory: ${done ? tile * tile : 0} of ${SIZE * SIZE}.`;
}

/** The score matrix and the running numbers next to it. @param {SVGSVGElement} picture */
function parts(picture) {
  const side = SIZE * CELL;
  const cells = range(SIZE * SIZE).map((i) =>
    svg("rect", {
      class: "cell",
      x: SQUARE.left + (i % SIZE) * CELL,
      y: SQUARE.top + Math.floor(i / SIZE) * CELL,
      width: CELL,
      height: CELL,
    }),
  );
  const made = {
    cells,
    frame: svg("rect", { class: "frame" }),
    row: svg("rect", { class: "row", x: SQUARE.left, width: side, height: CELL }),
    lines: range(5).map((i) => svg("text", { x: 310, y: 74 + i * 44 })),
  };
  picture.append(
    svg("text", { x: SQUARE.left, y: 24, text: "keys →" }),
    svg("rect", { class: "ground", x: SQUARE.left, y: SQUARE.top, width: side, height: side }),
    ...cells,
    made.row,
    made.frame,
    ...made.lines,
  );
  return made;
}

/** @param {ReturnType<typeof parts>} made @param {Parameters<typeof summary>[0]} now */
function paint(made, { tile, done, query, scores, values }) {
  const wide = SIZE / tile;
  const [down, right] = done ? [Math.floor((done - 1) / wide), (done - 1) % wide] : [-1, -1];
  const largest = Math.max(...scores.flat());
  made.cells.forEach((cell, i) => {
    const [row, column] = [Math.floor(i / SIZE), i % SIZE];
    const inside = Math.floor(row / tile) === down && Math.floor(column / tile) === right;
    const share = Math.exp(scores[row][column] - largest);
    set(cell, { "fill-opacity": inside ? (0.2 + 0.8 * share).toFixed(3) : 0 });
  });
  const place = { x: SQUARE.left + right * tile * CELL, y: SQUARE.top + down * tile * CELL };
  set(made.frame, { ...place, width: tile * CELL, height: tile * CELL, visibility: done ? "visible" : "hidden" });
  set(made.row, { y: SQUARE.top + query * CELL });
  const seen = keysSeen(query, tile, done);
  const { most, total, pooled } = online(scores[query], values, tile, seen);
  const texts = [
    `query ${query + 1}, ${seen} keys seen`,
    `largest m = ${seen ? most.toFixed(2) : "−∞"}`,
    `sum ℓ = ${total.toFixed(3)}`,
    `weighted sum o = ${pooled.toFixed(3)}`,
    `o / ℓ = ${seen ? (pooled / total).toFixed(3) : "–"}`,
  ];
  texts.forEach((text, i) => {
    write(made.lines[i], text);
  });
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const view = new WidgetCard(place, {
    name: "flash",
    title: "One tile at a time",
    tip: "follow query 2: when does its largest score change, and what happens to its sum?",
    style: STYLE,
    names: NAMES,
  });
  const made = parts(view.picture(640, 300));
  const tiles = () => (SIZE / model.get("tile")) ** 2;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing;
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    write(play, "Play");
  };
  const next = () => {
    view.change({ done: Math.min(model.get("done") + 1, tiles()) });
    if (model.get("done") === tiles()) stop();
  };
  const play = button("Play", () => {
    if (playing) return stop();
    if (model.get("done") === tiles()) view.change({ done: 0 });
    write(play, "Stop");
    playing = setInterval(next, PACE);
  });
  const done = slider("Tiles done", { min: 0, max: 16 }, (value) => view.change({ done: value }));
  const sizes = [1, 2, 4, 8].map((n) => /** @type {[number, string]} */ ([n, `${n} × ${n}`]));
  const tile = choice("Tile", sizes, (value) => view.change({ tile: Number(value), done: 0 }));
  const says = (/** @type {number} */ value) => String(value + 1);
  const query = slider("Query", { min: 0, max: SIZE - 1, says }, (value) => view.change({ query: value }));
  view.controls.append(done.element, query.element, tile.element, play);
  const now = () => ({
    tile: model.get("tile"),
    done: model.get("done"),
    query: model.get("query"),
    scores: model.get("scores"),
    values: model.get("values"),
  });
  view.reserve([summary({ ...now(), tile: 8, done: 1, values: now().values.map(() => -10) })]);
  const end = view.start(() => {
    set(done.input, { max: tiles() });
    done.show(model.get("done"));
    tile.show(model.get("tile"));
    query.show(model.get("query"));
    paint(made, now());
    view.say(summary(now()));
  }, stop);
  return () => {
    stop();
    end();
  };
}

export default { render };
