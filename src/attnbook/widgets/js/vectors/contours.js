// Contour lines of a scalar field on a grid.

/** @typedef {[number, number]} Point in grid cells from the upper left corner */

/** @typedef {[Point, Point]} Piece of a line within one triangle */

/** Round levels around zero, at most `most` on each side. @param {number[][]} heights @param {number} most */
export function levels(heights, most) {
  const largest = Math.max(...heights.flat().map(Math.abs));
  const distance = [0.1, 0.2, 0.5, 1, 2, 5].find((d) => largest / d <= most) ?? largest / most;
  const count = Math.max(0, Math.ceil(largest / distance) - 1);
  return Array.from({ length: 2 * count + 1 }, (_, i) => Number(((i - count) * distance).toFixed(6)));
}

/**
 * The pieces of one contour line. Each cell is split into two triangles with linear interpolation; a line crosses two
 * sides of a triangle or none.
 *
 * @param {number[][]} heights rows of the grid's corners
 * @param {number} level
 * @returns {Piece[]}
 */
export function contour(heights, level) {
  /** @type {Piece[]} */
  const pieces = [];
  for (let row = 0; row + 1 < heights.length; row++)
    for (let column = 0; column + 1 < heights[row].length; column++)
      for (const third of /** @type {Point[]} */ ([
        [column + 1, row],
        [column, row + 1],
      ])) {
        const crossed = crossings([[column, row], third, [column + 1, row + 1]], heights, level);
        if (crossed.length === 2) pieces.push([crossed[0], crossed[1]]);
      }
  return pieces;
}

/** The pieces, joined at their common ends to lines as long as possible. @param {Piece[]} pieces @returns {Point[][]} */
export function joined(pieces) {
  const name = (/** @type {Point} */ [x, y]) => `${x.toFixed(4)} ${y.toFixed(4)}`;
  /** Pieces that are not yet part of a line, by the names of their ends. @type {Map<string, Set<Piece>>} */
  const left = new Map();
  for (const piece of pieces)
    for (const end of piece) left.set(name(end), (left.get(name(end)) ?? new Set()).add(piece));
  const take = (/** @type {Piece} */ piece) => {
    for (const end of piece) left.get(name(end))?.delete(piece);
  };
  /** The line that begins at a point, without it. @param {Point} end */
  const follow = (end) => {
    const line = [];
    for (let [piece] = left.get(name(end)) ?? []; piece; [piece] = left.get(name(end)) ?? []) {
      take(piece);
      end = name(piece[0]) === name(end) ? piece[1] : piece[0];
      line.push(end);
    }
    return line;
  };
  return pieces.flatMap((piece) => {
    if (!left.get(name(piece[0]))?.has(piece)) return [];
    take(piece);
    return [[...follow(piece[0]).reverse(), ...piece, ...follow(piece[1])]];
  });
}

/** Points where a level crosses the sides of a triangle. @param {Point[]} corners @param {number[][]} heights @param {number} level */
function crossings(corners, heights, level) {
  return corners.flatMap(([x0, y0], i) => {
    const [x1, y1] = corners[(i + 1) % 3];
    const [below, above] = [heights[y0][x0] - level, heights[y1][x1] - level];
    if (below < 0 === above < 0) return [];
    const share = below / (below - above);
    return [/** @type {Point} */ ([x0 + share * (x1 - x0), y0 + share * (y1 - y0)])];
  });
}
