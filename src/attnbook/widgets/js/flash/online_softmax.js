// FlashAttention on a few tokens with heads of size 1: every state of the fast memory, in order.
import { range, sum } from "../shared/numbers.js";

/** One number per token. @typedef {{ query: number[], key: number[], value: number[] }} Data */
/** Largest score, sum of exponentials and weighted sum of the keys seen so far. @typedef {{ m: number, l: number, o: number }} Running */
/** @typedef {"start" | "load" | "score" | "rescale" | "add"} Phase */

/**
 * What is where after one phase of one block.
 * @typedef {object} Frame
 * @property {Phase} phase
 * @property {number[]} rows indices of the queries in fast memory
 * @property {number[]} columns indices of the keys and values in fast memory
 * @property {number[][]} tile scores or their exponentials by row and column; empty if there are none
 * @property {(Running | null)[]} running by query, null outside the fast memory
 * @property {(number | null)[]} outputs by query, null until written to slow memory
 * @property {number} moved numbers moved between slow and fast memory so far
 */

/** @type {Exclude<Phase, "start">[]} */
export const PHASES = ["load", "score", "rescale", "add"];

/** Numbers that standard attention moves: queries, keys, values and outputs once, scores and weights written and read. @param {number} tokens */
export const standardTraffic = (tokens) => 4 * tokens + 4 * tokens * tokens;

/** All states, the first with an empty fast memory. @param {Data} data @param {number} size of a block @returns {Frame[]} */
export function frames({ query, key, value }, size) {
  /** @type {Frame} */
  let now = { phase: "start", rows: [], columns: [], tile: [], running: [], outputs: [], moved: 0 };
  now = { ...now, running: query.map(() => null), outputs: query.map(() => null) };
  const all = [now];
  const next = (/** @type {Partial<Frame>} */ changes) => {
    now = { ...now, ...changes };
    all.push(now);
  };
  const blocks = range(query.length / size).map((block) => range(size).map((i) => block * size + i));
  for (const rows of blocks)
    for (const columns of blocks) {
      const [first, last] = [columns === blocks[0], columns === blocks[blocks.length - 1]];
      const running = (/** @type {(old: Running, row: number) => Running | null} */ change) =>
        now.running.map((old, i) => (rows.includes(i) ? change(/** @type {Running} */ (old), i) : old));
      const tile = rows.map((i) => columns.map((j) => query[i] * key[j]));
      next({
        phase: "load",
        rows,
        columns,
        running: first ? running(() => ({ m: Number.NEGATIVE_INFINITY, l: 0, o: 0 })) : now.running,
        moved: now.moved + (first ? 3 : 2) * size,
      });
      next({ phase: "score", tile });
      const rescaled = running((old, i) => {
        const m = Math.max(old.m, ...tile[i - rows[0]]);
        return { m, l: old.l * Math.exp(old.m - m), o: old.o * Math.exp(old.m - m) };
      });
      const shares = tile.map((row, i) =>
        row.map((score) => Math.exp(score - /** @type {Running} */ (rescaled[rows[i]]).m)),
      );
      next({ phase: "rescale", tile: shares, running: rescaled });
      const added = running(({ m, l, o }, i) => {
        const own = shares[i - rows[0]];
        return { m, l: l + sum(own), o: o + sum(own.map((share, at) => share * value[columns[at]])) };
      });
      const written = added.map((state, i) => (rows.includes(i) && state ? state.o / state.l : now.outputs[i]));
      next({
        phase: "add",
        tile: [],
        running: last ? running(() => null) : added,
        outputs: last ? written : now.outputs,
        moved: now.moved + (last ? size : 0),
      });
    }
  return all;
}
