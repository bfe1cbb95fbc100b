// The steps of the layer: the matrices they show, and a description of the followed token.
import { moments } from "../shared/linear_algebra.js";

/** @typedef {import("./forward_steps.js").Values} Values */
/** @typedef {{ title: string, rows: number[][], names?: string[], role?: string }} Shown a matrix with optional column names */
/**
 * @typedef {object} Followed
 * @property {Values} s values of the layer
 * @property {string[]} tokens
 * @property {number} i index of the followed token
 * @property {boolean} placed whether positions are added
 */

/** @param {number[][]} a */
export const shape = (a) => `${a.length} × ${a[0].length}`;
const best = (/** @type {number[]} */ row) => row.indexOf(Math.max(...row));
const word = (/** @type {Followed} */ { tokens, i }) => `“${tokens[i]}”`;

/** Compares the row of the token with that of the same word elsewhere. @param {Followed} at @param {number[][]} rows */
function twins({ tokens, i }, rows) {
  const twin = tokens.findIndex((token, j) => token === tokens[i] && j !== i);
  if (twin < 0) return "";
  const same = rows[i].every((v, c) => Math.abs(v - rows[twin][c]) < 1e-9);
  return ` The row is ${same ? "equal to" : "different from"} that of the other “${tokens[i]}” at position ${twin}.`;
}

/** @type {{ name: string, maps: (at: Followed) => Shown[], says: (at: Followed) => string }[]} */
export const STEPS = [
  {
    name: "embedding",
    maps: ({ s }) => [
      { title: "embedding row", rows: s.embedding },
      { title: `times √${s.x[0].length}`, rows: s.scaled },
    ],
    says: (at) => {
      const size = at.s.x[0].length;
      return `The id of ${word(at)} is looked up: ${size} numbers, multiplied by √${size}.${twins(at, at.s.scaled)}`;
    },
  },
  {
    name: "+ position",
    maps: ({ s }) => [
      { title: "embedding", rows: s.scaled },
      { title: "position", rows: s.positions },
      { title: "sum: input of the layer", rows: s.x },
    ],
    says: (at) => {
      const added = `The encoding of position ${at.i} is added to ${word(at)}.`;
      return (at.placed ? added : "Positions are off: nothing is added.") + twins(at, at.s.x);
    },
  },
  {
    name: "queries, keys, values",
    maps: ({ s }) => [
      { title: "queries Q", rows: s.q, role: "query" },
      { title: "keys K", rows: s.k, role: "key" },
      { title: "values V", rows: s.v, role: "value" },
    ],
    says: ({ s }) => {
      const head = s.q[0].length / s.scores.length;
      const next = s.scores.length > 1 ? `, head 2 with the next ${head}.` : ".";
      return `Three matrices map each row to a query, a key and a value. Head 1 uses the first ${head} columns${next}`;
    },
  },
  {
    name: "scores",
    maps: ({ s, tokens }) => s.scores.map((rows, h) => ({ title: `scores of head ${h + 1}`, rows, names: tokens })),
    says: (at) => {
      const { s, tokens, i } = at;
      const highest = s.scores.map(
        (rows, h) => `In head ${h + 1} “${tokens[best(rows[i])]}” scores highest, ${Math.max(...rows[i]).toFixed(2)}.`,
      );
      const head = s.q[0].length / s.scores.length;
      return `The query of ${word(at)} dot every key, divided by √${head}. ${highest.join(" ")}`;
    },
  },
  {
    name: "softmax",
    maps: ({ s, tokens }) => s.attention.map((rows, h) => ({ title: `weights of head ${h + 1}`, rows, names: tokens })),
    says: (at) => {
      const { s, tokens, i } = at;
      const given = s.attention.map(
        (rows, h) =>
          `Head ${h + 1}: ${word(at)} gives “${tokens[best(rows[i])]}” ${(100 * Math.max(...rows[i])).toFixed(0)} %.`,
      );
      return `Softmax turns each row of scores into weights that sum to 1. ${given.join(" ")}`;
    },
  },
  {
    name: "heads joined",
    maps: ({ s }) => [
      { title: "concatenated heads", rows: s.joined },
      { title: "times W_o", rows: s.attended },
    ],
    says: (at) => {
      const heads = at.s.scores.length;
      const numbers = `${heads} times ${at.s.joined[0].length / heads} numbers`;
      return `Each head computes the weighted mean of its values: ${numbers} for ${word(at)}. W_o mixes the heads.`;
    },
  },
  {
    name: "add & norm",
    maps: ({ s }) => [
      { title: "input", rows: s.x },
      { title: "plus attention", rows: s.added },
      { title: "normalized", rows: s.y },
    ],
    says: (at) => {
      const [from, to] = [at.s.added, at.s.y].map((rows) => Math.sqrt(moments(rows[at.i]).variance).toFixed(2));
      const added = `The heads' output is added to the row of ${word(at)}, which is then normalized`;
      return `${added}: its standard deviation goes from ${from} to ${to}.`;
    },
  },
  {
    name: "feed-forward",
    maps: ({ s }) => [
      { title: "hidden, after ReLU", rows: s.hidden },
      { title: "projected back", rows: s.narrow },
    ],
    says: (at) => {
      const [size, row] = [at.s.x[0].length, at.s.hidden[at.i]];
      const open = `${row.filter((v) => v > 0).length} of ${row.length}`;
      const layers = `The same two linear layers for every token: ${size} → ${row.length} → ${size}.`;
      return `${layers} For ${word(at)}, ${open} hidden units are positive.`;
    },
  },
  {
    name: "add & norm",
    maps: ({ s }) => [
      { title: "before", rows: s.y },
      { title: "plus feed-forward", rows: s.again },
      { title: "normalized: output of the layer", rows: s.out },
    ],
    says: (at) => {
      const shapes = `${shape(at.s.x)} in and ${shape(at.s.out)} out`;
      return `Added and normalized again. ${shapes}, so layers can be stacked.${twins(at, at.s.out)}`;
    },
  },
];
