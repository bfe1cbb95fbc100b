// The boxes of the map from the bottom up, and the arrays that each of them opens into.

/** @typedef {"encoder" | "decoder"} Side */
/** @typedef {{d_model: number, num_heads: number, d_ff: number, num_layers: number, pre_norm: boolean, positions: string}} Config */
/** How the numbers of an array are computed. @typedef {"lookup" | "scale" | "position" | "add" | "linear" | "rotate" | "score" | "weight" | "mix" | "relu" | "norm" | "logit" | "probability"} How */

/**
 * A box. Its `parts` have a switch each, and `topic` names what it is about, for a link to the section.
 * @typedef {{id: string, side: Side, label: string, name: string, does: string, topic: string, parts: string[], layered: boolean}} Box
 */

/**
 * One array of a box. `rows` and `columns` are tokens of the source or the target; columns without tokens are features.
 * @typedef {object} ArraySpec
 * @property {string} id
 * @property {string} tab
 * @property {string} title
 * @property {string} says
 * @property {string} name in the trace
 * @property {How} how
 * @property {"source" | "target" | "words"} rows
 * @property {"source" | "target" | null} [columns]
 * @property {"query" | "key" | "value" | "weight" | "ink"} [role]
 * @property {boolean} [headed] only the columns of one head
 * @property {string} [input] name of the array that it is computed from
 * @property {string} [other] name of a second such array
 * @property {string} [module] name of the weights
 */

const ATTENTION = {
  encoder: {
    self_attention: ["self-attention", "Encoder self-attention", "Every source token attends to every source token."],
  },
  decoder: {
    self_attention: [
      "masked self-att.",
      "Masked self-attention",
      "Every target token attends to itself and the target tokens before it.",
    ],
    cross_attention: [
      "cross-attention",
      "Cross-attention",
      "Every target token attends to the encoder's output, the only path from source to target.",
    ],
  },
};

/** Short names of the parts that can be switched off. @type {Record<string, string>} */
export const PARTS = {
  positions: "positions",
  "encoder.self_attention": "encoder self-attention",
  "encoder.feed_forward": "encoder feed-forward",
  "decoder.self_attention": "masked self-attention",
  "decoder.cross_attention": "cross-attention",
  "decoder.feed_forward": "decoder feed-forward",
  residual: "residual",
  norm: "norm",
};

/** The boxes of one stack from the bottom up. @param {Side} side @param {Config} config @returns {Box[]} */
export function stackOf(side, { pre_norm, positions }) {
  const tokens = side === "encoder" ? "source" : "target";
  /** @type {(id: string, label: string, name: string, does: string, more?: Partial<Box>) => Box} */
  const box = (id, label, name, does, more = {}) => ({
    ...{ id: `${side}.${id}`, side, label, name, does, topic: id, parts: [], layered: true },
    ...more,
  });
  const stack = [
    box("embedding", "embedding", "Embedding", `Looks up one row of a table for each ${tokens} token.`, {
      layered: false,
    }),
  ];
  const added = { layered: false, parts: ["positions"] };
  if (positions !== "rotary")
    stack.push(box("positions", "+ positions", "Positions", "Adds an encoding of each token's position.", added));
  const forward = ["feed-forward", "Feed-forward", `Two linear layers, applied to each ${tokens} token separately.`];
  const sublayers = { ...ATTENTION[side], feed_forward: forward };
  for (const [i, [id, [label, name, does]]] of Object.entries(sublayers).entries()) {
    const before = box(`norm_${i + 1}`, "norm", "Norm", "Normalizes each row before the sublayer reads it.", {
      ...{ topic: "add_norm", parts: ["norm"] },
    });
    const between = box(id, label, name, does, { topic: `${side}.${id}`, parts: [`${side}.${id}`] });
    const after = pre_norm
      ? box(`add_${i + 1}`, "add", "Add", "Adds the sublayer's output to its input: the residual.", {
          ...{ topic: "add_norm", parts: ["residual"] },
        })
      : box(`add_norm_${i + 1}`, "add & norm", "Add & norm", "Adds the sublayer's input, then normalizes each row.", {
          ...{ topic: "add_norm", parts: ["residual", "norm"] },
        });
    stack.push(...(pre_norm ? [before, between, after] : [between, after]));
  }
  if (pre_norm)
    stack.push(
      box("norm", "norm", "Last norm", "Normalizes the rows that leave the stack.", {
        ...{ layered: false, topic: "add_norm" },
      }),
    );
  if (side === "decoder")
    stack.push(
      box("head", "linear, softmax", "Linear, softmax", "Scores every word of the vocabulary as the next word.", {
        ...{ layered: false, topic: "head" },
      }),
    );
  return stack;
}

/** All boxes in the order of the computation. @param {Config} config */
export const boxesOf = (config) => [...stackOf("encoder", config), ...stackOf("decoder", config)];

/** @param {Box} box @param {Config} config @param {number} layer @returns {ArraySpec[]} */
export function arraysOf(box, config, layer) {
  const id = box.id.slice(box.side.length + 1);
  const tokens = box.side === "encoder" ? "source" : "target";
  const module = `${box.side}.${layer}.${id}`;
  if (id === "embedding") return embeddingArrays(tokens, config);
  if (id === "positions") return positionArrays(tokens);
  if (id.endsWith("attention")) return attentionArrays(module, tokens, id === "cross_attention", config);
  if (id === "feed_forward") return networkArrays(module, tokens);
  if (id === "head") return headArrays();
  if (id === "norm") return [normalized(`${box.side}_norm`, tokens, `${box.side}_norm.input`)];
  return normArrays(box.side, layer, id, tokens, config.pre_norm);
}

/** @param {"source" | "target"} rows @param {Config} config @returns {ArraySpec[]} */
const embeddingArrays = (rows, { d_model }) => [
  {
    ...{ id: "embedding", tab: "row of the table", title: "embeddings", rows, how: "lookup" },
    ...{ name: `${rows}.embedding`, says: "Each id is looked up: one learned row for each token." },
  },
  {
    ...{ id: "scaled", tab: `times √${d_model}`, title: `embeddings times √${d_model}`, rows, how: "scale" },
    ...{ name: `${rows}.scaled`, input: `${rows}.embedding` },
    says: `The rows are multiplied by √d_model = √${d_model}.`,
  },
];

/** @param {"source" | "target"} rows @returns {ArraySpec[]} */
const positionArrays = (rows) => [
  {
    ...{ id: "position", tab: "positions", title: "position encodings", rows, how: "position" },
    ...{ name: `${rows}.position`, says: "One row for each position, whatever the word." },
  },
  {
    ...{ id: "sum", tab: "sum", title: "embedding + position", rows, how: "add", name: `${rows}.sum` },
    ...{ input: `${rows}.scaled`, other: `${rows}.position`, says: "The sum enters the first layer." },
  },
];

/**
 * @param {string} module @param {"source" | "target"} rows @param {boolean} cross @param {Config} config
 * @returns {ArraySpec[]}
 */
function attentionArrays(module, rows, cross, { positions }) {
  const columns = cross || rows === "source" ? "source" : "target";
  const rotary = positions === "rotary" && !cross;
  const from = cross ? "the encoder's output" : "its row";
  /** @type {(id: "q" | "k" | "v", role: "query" | "key" | "value", plural: string) => ArraySpec[]} */
  const projected = (id, role, plural) => {
    const turns = rotary && id !== "v";
    const common = { rows: id === "q" ? rows : columns, role, headed: true };
    const read = id === "q" ? "its row" : from;
    /** @type {ArraySpec} */
    const linear = {
      ...{
        ...common,
        id: turns ? `${id}_unrotated` : id,
        tab: turns ? `${id.toUpperCase()} before` : id.toUpperCase(),
      },
      ...{ title: turns ? `${plural} before the rotation` : plural, how: "linear", module: `${module}.W_${id}` },
      ...{ name: `${module}.${id}${turns ? "_unrotated" : ""}`, input: `${module}.${id === "q" ? "input" : "memory"}` },
      says: `Each token's ${role}: W_${id} times ${read}; these columns are this head's.`,
    };
    if (!turns) return [linear];
    const says = `Each pair of numbers is rotated by an angle that grows with the position.`;
    const title = `${plural}, rotated`;
    return [
      linear,
      { ...common, id, tab: id.toUpperCase(), title, how: "rotate", name: `${module}.${id}`, input: linear.name, says },
    ];
  };
  const hidden = rows === "target" && !cross ? " Hatched: the mask hides the future." : "";
  return [
    ...projected("q", "query", "queries"),
    ...projected("k", "key", "keys"),
    ...projected("v", "value", "values"),
    {
      ...{ id: "scores", tab: "scores", title: "scores", how: "score", rows, columns, role: "ink" },
      ...{ name: `${module}.scores`, input: `${module}.q`, other: `${module}.k` },
      says: `Each query (row) dot each key (column), divided by √head_dim.${hidden}`,
    },
    {
      ...{ id: "weights", tab: "weights", title: "attention weights", how: "weight", rows, columns, role: "weight" },
      ...{ name: `${module}.weights`, input: `${module}.scores` },
      says: `Softmax of each row of scores: shares that sum to 1.${hidden}`,
    },
    {
      ...{ id: "mixed", tab: "mixed", title: "mixed values", how: "mix", rows, role: "value", headed: true },
      ...{ name: `${module}.mixed`, input: `${module}.weights`, other: `${module}.v` },
      says: "Each row is the mean of the value rows, weighted by the attention weights.",
    },
    {
      ...{ id: "output", tab: "× W_o", title: "all heads times W_o", how: "linear", rows, role: "ink" },
      ...{ name: `${module}.output`, input: `${module}.mixed`, module: `${module}.W_o` },
      says: "The heads are put side by side, and W_o mixes them.",
    },
  ];
}

/** @param {string} module @param {"source" | "target"} rows @returns {ArraySpec[]} */
const networkArrays = (module, rows) => [
  {
    ...{ id: "hidden", tab: "hidden units", title: "hidden units", how: "relu", rows, name: `${module}.hidden` },
    ...{
      input: `${module}.input`,
      module: `${module}.W_1`,
      says: "W_1 widens each row; the ReLU sets negative numbers to 0.",
    },
  },
  {
    ...{ id: "output", tab: "× W_2", title: "output", how: "linear", rows, name: `${module}.output` },
    ...{
      input: `${module}.hidden`,
      module: `${module}.W_2`,
      says: "W_2 adds up the columns of the units that are on.",
    },
  },
];

/** @returns {ArraySpec[]} */
const headArrays = () => [
  {
    ...{ id: "logits", tab: "logits", title: "highest logits", how: "logit", rows: "words", role: "ink" },
    ...{ name: "head.logits", input: "head.input", module: "head" },
    says: "One score for each word of the vocabulary; these are the highest.",
  },
  {
    ...{ id: "probabilities", tab: "probabilities", title: "next word's probabilities", how: "probability" },
    ...{ name: "head.logits", input: "head.logits", rows: "words", role: "weight" },
    says: "Softmax over all words of the vocabulary; the most probable one is written.",
  },
];

/** @param {string} name @param {"source" | "target"} rows @param {string} input @returns {ArraySpec} */
const normalized = (name, rows, input) => ({
  ...{ id: "normalized", tab: "normalized", title: "normalized", how: "norm", rows, name: `${name}.normalized`, input },
  ...{
    module: name.includes(".") ? `${name}.norm` : name,
    says: "Each row: mean 0 and deviation 1, then stretched by γ and shifted by β.",
  },
});

/**
 * @param {Side} side @param {number} layer @param {string} id @param {"source" | "target"} rows @param {boolean} preNorm
 * @returns {ArraySpec[]}
 */
function normArrays(side, layer, id, rows, preNorm) {
  const name = `${side}.${layer}.add_norm_${id.slice(-1)}`;
  /** @type {ArraySpec} */
  const sum = {
    ...{ id: "sum", tab: "sum", title: "input + sublayer's output", how: "add", rows, name: `${name}.sum` },
    ...{ input: `${name}.input`, other: `${name}.change`, says: "The sublayer's output is added to its input." },
  };
  if (!preNorm) return [sum, normalized(name, rows, `${name}.sum`)];
  return id.startsWith("add") ? [sum] : [normalized(name, rows, `${name}.input`)];
}
