// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those.

// src/attnbook/widgets/js/engine/text.js
var TOKENS = {
  english: /o'clock|n't|'[\p{L}\p{N}_]+|[\p{L}\p{N}_]+(?=n't)|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu,
  french: /aujourd'hui|[\p{L}\p{N}_]+'|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_\s]/gu
};
var tokenize = (text, language) => text.toLowerCase().replaceAll("’", "'").match(TOKENS[language]) ?? [];
function join(tokens, language, capitals) {
  if (language === "chinese") return tokens.join("");
  const named = new Set(capitals);
  const words2 = tokens.map((token) => named.has(token) ? capital(token) : token).join(" ");
  const text = language === "english" ? words2.replace(/ (n't|'[\p{L}\p{N}_]+|[.,?])/gu, "$1") : words2.replaceAll("' ", "'").replace(/ ([.,])/g, "$1").replaceAll(" ?", " ?");
  return capital(text);
}
var capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);

// text:src/attnbook/widgets/js/engine/worker.js
var worker_default = '"use strict";\n(() => {\n  // src/attnbook/widgets/js/engine/intervention.js\n  var Intervention = class {\n    /** @param {Changes} [changes] */\n    constructor({ cells = [], heads = [], temperatures = {}, positions = true } = {}) {\n      for (const [module, value] of Object.entries(temperatures))\n        if (!(value > 0 && value < Infinity)) throw new Error(`temperatures[${module}] is ${value}: wanted above 0`);\n      for (const { weight } of cells)\n        if (weight !== null && !(weight >= 0 && weight <= 1))\n          throw new Error(`weight is ${weight}: wanted 0 to 1, or null`);\n      this.cells = cells;\n      this.heads = heads;\n      this.temperatures = temperatures;\n      this.positions = positions;\n    }\n    /** The cells of one row. @type {(module: string, head: number, row: number) => Cell[]} */\n    cellsOf(module, head, row2) {\n      return this.cells.filter(\n        (cell) => cell.module === module && (cell.head ?? head) === head && (cell.row ?? row2) === row2\n      );\n    }\n    /**\n     * The weights of one row: masked softmax, with what is changed. A row with no allowed key gives zeros.\n     * @param {string} module @param {number} head @param {number} row\n     * @param {Float32Array} scores one for each key\n     * @param {(key: number) => boolean} [allowed] the model\'s own mask\n     */\n    softmax(module, head, row2, scores, allowed = () => true) {\n      const weights = new Float32Array(scores.length);\n      if (this.heads.some((off) => off.module === module && off.head === head)) return weights;\n      const cells = this.cellsOf(module, head, row2);\n      const forbidden = new Set(cells.filter(({ weight }) => weight === null).map(({ column }) => column));\n      const keys = [...scores.keys()].filter((key) => allowed(key) && !forbidden.has(key));\n      const heat = this.temperatures[module] ?? 1;\n      const most = Math.max(...keys.map((key) => scores[key]));\n      const shares = keys.map((key) => Math.exp((scores[key] - most) / heat));\n      const total = shares.reduce((sum, share2) => sum + share2, 0);\n      for (const [i, key] of keys.entries()) weights[key] = shares[i] / total;\n      const forced = /* @__PURE__ */ new Map();\n      for (const { column, weight } of cells) if (weight !== null && keys.includes(column)) forced.set(column, weight);\n      if (forced.size) share(weights, forced);\n      return weights;\n    }\n  };\n  function share(weights, forced) {\n    let [left, others] = [1, 0];\n    for (const weight of forced.values()) left -= weight;\n    for (const [key, weight] of weights.entries()) others += forced.has(key) ? 0 : weight;\n    const factor = others > 0 ? Math.max(0, left) / others : 0;\n    for (const [key, weight] of weights.entries()) weights[key] = forced.get(key) ?? weight * factor;\n  }\n  var NONE = new Intervention();\n\n  // src/attnbook/widgets/js/engine/tensor.js\n  var matrix = (rows, cols, data = new Float32Array(rows * cols)) => ({ rows, cols, data });\n  var row = (x, i) => x.data.subarray(i * x.cols, (i + 1) * x.cols);\n  var rowMatrix = (x, i) => matrix(1, x.cols, row(x, i));\n  function stack(rows) {\n    const all = matrix(rows.length, rows[0].length);\n    for (const [i, values] of rows.entries()) all.data.set(values, i * all.cols);\n    return all;\n  }\n  function beside(...parts) {\n    const cols = parts.reduce((total, part) => total + part.cols, 0);\n    const all = matrix(parts[0].rows, cols);\n    let left = 0;\n    for (const part of parts) {\n      for (let i = 0; i < part.rows; i++) all.data.set(row(part, i), i * cols + left);\n      left += part.cols;\n    }\n    return all;\n  }\n  function dot(a, i, b, j, n) {\n    let [s0, s1, s2, s3] = [0, 0, 0, 0];\n    const whole = n - n % 4;\n    for (let k = 0; k < whole; k += 4) {\n      s0 += a[i + k] * b[j + k];\n      s1 += a[i + k + 1] * b[j + k + 1];\n      s2 += a[i + k + 2] * b[j + k + 2];\n      s3 += a[i + k + 3] * b[j + k + 3];\n    }\n    for (let k = whole; k < n; k++) s0 += a[i + k] * b[j + k];\n    return s0 + s1 + (s2 + s3);\n  }\n  function linear(x, weight, bias) {\n    if (x.cols !== weight.cols) throw new Error(`x has ${x.cols} columns: wanted ${weight.cols}, as the weight`);\n    const out = matrix(x.rows, weight.rows);\n    for (let o = 0; o < weight.rows; o++) {\n      const added = bias ? bias.data[o] : 0;\n      for (let i = 0; i < x.rows; i++)\n        out.data[i * out.cols + o] = dot(x.data, i * x.cols, weight.data, o * weight.cols, x.cols) + added;\n    }\n    return out;\n  }\n  var map = (x, change) => matrix(x.rows, x.cols, x.data.map(change));\n  var tanh = (x) => map(x, Math.tanh);\n  var sigmoid = (x) => 1 / (1 + Math.exp(-x));\n  function add(x, y) {\n    const out = matrix(x.rows, x.cols);\n    for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[i] + y.data[i];\n    return out;\n  }\n  function mix(weights, rows, left, right) {\n    const sums = new Float64Array(right - left);\n    rows.forEach((values, j) => {\n      const weight = weights[j];\n      if (weight !== 0) for (let k = left; k < right; k++) sums[k - left] += weight * values[k];\n    });\n    return Float32Array.from(sums);\n  }\n  function logSoftmax(scores) {\n    let most = -Infinity;\n    for (const score2 of scores) most = Math.max(most, score2);\n    let total = 0;\n    for (const score2 of scores) total += Math.exp(score2 - most);\n    const shift = most + Math.log(total);\n    return scores.map((score2) => score2 - shift);\n  }\n  function argmax(values) {\n    let best = 0;\n    for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;\n    return best;\n  }\n  function largest(values, count) {\n    const best = [];\n    for (let i = 0; i < values.length; i++) {\n      if (best.length === count && !(values[i] > values[best[count - 1]])) continue;\n      let at = best.length;\n      while (at > 0 && values[i] > values[best[at - 1]]) at--;\n      best.splice(at, 0, i);\n      if (best.length > count) best.pop();\n    }\n    return best;\n  }\n\n  // src/attnbook/widgets/js/engine/layers.js\n  function weightOf(weights, name) {\n    const found = weights.get(name);\n    if (!found) throw new Error(`the model has no weight ${name}`);\n    return found;\n  }\n  function linearLayer(weights, name) {\n    const weight = weightOf(weights, `${name}.weight`);\n    const bias = weights.get(`${name}.bias`);\n    return (x) => linear(x, weight, bias);\n  }\n  function embeddingLayer(weights, name) {\n    const table = weightOf(weights, `${name}.weight`);\n    return (ids) => {\n      const out = matrix(ids.length, table.cols);\n      ids.forEach((id, i) => {\n        if (!(Number.isInteger(id) && id >= 0 && id < table.rows))\n          throw new Error(`ids has ${id}: wanted 0 <= id < ${table.rows}`);\n        out.data.set(row(table, id), i * table.cols);\n      });\n      return out;\n    };\n  }\n  function normLayer(weights, name) {\n    const gain = weightOf(weights, `${name}.weight`).data;\n    const bias = weightOf(weights, `${name}.bias`).data;\n    return (x) => {\n      const out = matrix(x.rows, x.cols);\n      for (let i = 0; i < x.rows; i++) {\n        const values = row(x, i);\n        let [mean, variance] = [0, 0];\n        for (const value of values) mean += value / x.cols;\n        for (const value of values) variance += (value - mean) ** 2 / x.cols;\n        const scale = 1 / Math.sqrt(variance + 1e-5);\n        const normed = row(out, i);\n        for (let k = 0; k < x.cols; k++) normed[k] = (values[k] - mean) * scale * gain[k] + bias[k];\n      }\n      return out;\n    };\n  }\n  function gruCell(weights, name, suffix = "") {\n    const [fromInput, fromState, inputBias, stateBias] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(\n      (part) => weightOf(weights, `${name}.${part}${suffix}`)\n    );\n    return (x, hidden) => {\n      const size = hidden.cols;\n      const a = linear(x, fromInput, inputBias).data;\n      const b = linear(hidden, fromState, stateBias).data;\n      const after = matrix(1, size);\n      for (let k = 0; k < size; k++) {\n        const reset = sigmoid(a[k] + b[k]);\n        const update = sigmoid(a[size + k] + b[size + k]);\n        const fresh = Math.tanh(a[2 * size + k] + reset * b[2 * size + k]);\n        after.data[k] = (1 - update) * fresh + update * hidden.data[k];\n      }\n      return after;\n    };\n  }\n  function feedForward(weights, name) {\n    const [first, second] = ["W_1", "W_2"].map((part) => linearLayer(weights, `${name}.${part}`));\n    return (x) => second(map(first(x), (value) => Math.max(0, value)));\n  }\n  function addNorm(weights, name, preNorm) {\n    const norm = normLayer(weights, `${name}.norm`);\n    return preNorm ? (x, sublayer) => add(x, sublayer(norm(x))) : (x, sublayer) => norm(add(x, sublayer(x)));\n  }\n\n  // src/attnbook/widgets/js/engine/recurrent.js\n  function recurrentNetwork(weights, options, { start, step }) {\n    const read = gruEncoder(weights, options);\n    const embed = embeddingLayer(weights, "decoder.embedding");\n    const head = linearLayer(weights, "head");\n    return {\n      encode(ids) {\n        const { memory, hidden } = read(ids);\n        const state = { position: 0, memory, key: memory, hidden, fed: matrix(1, 0) };\n        return { state: start(state), attention: {} };\n      },\n      decode(id, before, intervention) {\n        const { features, state, attention } = step(embed([id]), before, intervention);\n        return { logits: head(features).data, state: { ...state, position: before.position + 1 }, attention };\n      }\n    };\n  }\n  function gruEncoder(weights, { num_layers, num_hiddens, bidirectional }) {\n    const embed = embeddingLayer(weights, "encoder.embedding");\n    const directions = bidirectional ? ["", "_reverse"] : [""];\n    const layers = Array.from({ length: num_layers }, (_, l) => ({\n      cells: directions.map((direction) => gruCell(weights, "encoder.rnn", `_l${l}${direction}`)),\n      bridge: bidirectional ? linearLayer(weights, `encoder.bridge.${l}`) : null\n    }));\n    return (ids) => {\n      let memory = embed(ids);\n      const hidden = layers.map(({ cells, bridge }) => {\n        const ends = cells.map((cell, d) => run(cell, memory, num_hiddens, d === 1));\n        memory = beside(...ends.map(({ states }) => states));\n        const { last } = ends[ends.length - 1];\n        return bridge ? tanh(bridge(last)) : last;\n      });\n      return { memory, hidden };\n    };\n  }\n  function run(cell, x, size, backward) {\n    const states = [];\n    let last = matrix(1, size);\n    for (let t = 0; t < x.rows; t++) {\n      const place = backward ? x.rows - 1 - t : t;\n      last = cell(rowMatrix(x, place), last);\n      states[place] = last.data;\n    }\n    return { states: stack(states), last };\n  }\n  var cellStack = (cells) => (x, hidden) => {\n    let input = x;\n    return cells.map((cell, l) => input = cell(input, hidden[l]));\n  };\n  var decoderStack = (weights, layers) => cellStack(Array.from({ length: layers }, (_, l) => gruCell(weights, `decoder.stack.cells.${l}`)));\n  function seq2seqDecoder(weights, { num_layers }) {\n    const advance = cellStack(Array.from({ length: num_layers }, (_, l) => gruCell(weights, "decoder.rnn", `_l${l}`)));\n    return {\n      start: (state) => ({ ...state, fed: state.hidden[num_layers - 1] }),\n      step(word, state) {\n        const hidden = advance(beside(word, state.fed), state.hidden);\n        return { features: hidden[num_layers - 1], state: { ...state, hidden }, attention: {} };\n      }\n    };\n  }\n\n  // src/attnbook/widgets/js/engine/scoring.js\n  function scoredAttention(weights, name, score2, scaled) {\n    const { projectKey, scoresOf } = score2 === "concat" ? additive(weights, name) : product(weights, name, score2, scaled);\n    return {\n      name,\n      projectKey,\n      attend(query, key, memory, position, intervention, { allowed, scale } = {}) {\n        const found = intervention.softmax(name, 0, position, scoresOf(query, key), allowed);\n        if (scale) for (let i = 0; i < found.length; i++) found[i] *= scale(i);\n        const rows = Array.from({ length: memory.rows }, (_, i) => row(memory, i));\n        return {\n          context: matrix(1, memory.cols, mix(found, rows, 0, memory.cols)),\n          weights: matrix(1, memory.rows, found)\n        };\n      }\n    };\n  }\n  function additive(weights, name) {\n    const [query, key] = ["W_q", "W_k"].map((part) => linearLayer(weights, `${name}.${part}`));\n    const value = weightOf(weights, `${name}.w_v.weight`).data;\n    return {\n      projectKey: key,\n      scoresOf(q, projected) {\n        const asked = query(q).data;\n        return Float32Array.from({ length: projected.rows }, (_, i) => {\n          const offered = row(projected, i);\n          let sum = 0;\n          for (let k = 0; k < asked.length; k++) sum += value[k] * Math.tanh(asked[k] + offered[k]);\n          return sum;\n        });\n      }\n    };\n  }\n  function product(weights, name, score2, scaled) {\n    return {\n      projectKey: score2 === "general" ? linearLayer(weights, `${name}.W`) : (memory) => memory,\n      scoresOf: (q, projected) => Float32Array.from(\n        { length: projected.rows },\n        (_, i) => dot(q.data, 0, rowMatrix(projected, i).data, 0, q.cols) / (scaled ? Math.sqrt(q.cols) : 1)\n      )\n    };\n  }\n\n  // src/attnbook/widgets/js/engine/bahdanau.js\n  function bahdanauDecoder(weights, { num_layers, readout }) {\n    const crossAttention = scoredAttention(weights, "decoder.cross_attention", "concat", false);\n    const advance = decoderStack(weights, num_layers);\n    const pairs = readout === "maxout" ? linearLayer(weights, "decoder.maxout") : null;\n    return {\n      start: (state) => ({ ...state, key: crossAttention.projectKey(state.memory) }),\n      step(word, state, intervention) {\n        const query = state.hidden[num_layers - 1];\n        const looked = crossAttention.attend(query, state.key, state.memory, state.position, intervention);\n        const hidden = advance(beside(looked.context, word), state.hidden);\n        const features = pairs ? maxout(pairs(beside(query, word, looked.context))) : hidden[num_layers - 1];\n        return { features, state: { ...state, hidden }, attention: { [crossAttention.name]: [looked.weights] } };\n      }\n    };\n  }\n  var maxout = (x) => matrix(\n    1,\n    x.cols / 2,\n    Float32Array.from({ length: x.cols / 2 }, (_, k) => Math.max(x.data[2 * k], x.data[2 * k + 1]))\n  );\n\n  // src/attnbook/widgets/js/engine/luong.js\n  function luongDecoder(weights, { num_layers, num_hiddens, score: score2, scaled, window, half_width, input_feeding }) {\n    const crossAttention = scoredAttention(weights, "decoder.cross_attention", score2, scaled);\n    const advance = decoderStack(weights, num_layers);\n    const combine = linearLayer(weights, "decoder.W_c");\n    const center = window === "local-p" ? predictedCenter(weights) : null;\n    const windowAt = (query, state) => {\n      if (window === "global") return {};\n      const place = center ? center(query, state.memory.rows) : state.position;\n      return {\n        allowed: (key) => Math.abs(key - place) <= half_width,\n        scale: center ? (key) => Math.exp(-2 * ((key - place) / half_width) ** 2) : void 0\n      };\n    };\n    return {\n      start: (state) => ({\n        ...state,\n        key: crossAttention.projectKey(state.memory),\n        fed: matrix(1, input_feeding ? num_hiddens : 0)\n      }),\n      step(word, state, intervention) {\n        const hidden = advance(beside(word, state.fed), state.hidden);\n        const query = hidden[num_layers - 1];\n        const { context, weights: seen } = crossAttention.attend(\n          query,\n          state.key,\n          state.memory,\n          state.position,\n          intervention,\n          windowAt(query, state)\n        );\n        const features = tanh(combine(beside(context, query)));\n        const fed = input_feeding ? features : state.fed;\n        return { features, state: { ...state, hidden, fed }, attention: { [crossAttention.name]: [seen] } };\n      }\n    };\n  }\n  function predictedCenter(weights) {\n    const [inner, outer] = ["W_p", "v_p"].map((part) => linearLayer(weights, `decoder.center.${part}`));\n    return (query, length) => length * sigmoid(outer(tanh(inner(query))).data[0]);\n  }\n\n  // src/attnbook/widgets/js/engine/positional.js\n  var frequency = (j, size) => 1e4 ** (-2 * j / size);\n  var sinusoidal = (position, size) => Float32Array.from({ length: size }, (_, k) => {\n    const angle = position * frequency(k >> 1, size);\n    return k % 2 ? Math.cos(angle) : Math.sin(angle);\n  });\n  function turn(x, heads, offset) {\n    const size = x.cols / heads;\n    const out = matrix(x.rows, x.cols);\n    for (let i = 0; i < x.rows; i++)\n      for (let k = 0; k < x.cols; k += 2) {\n        const angle = (offset + i) * frequency(k % size / 2, size);\n        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];\n        const [even, odd] = [x.data[i * x.cols + k], x.data[i * x.cols + k + 1]];\n        out.data[i * x.cols + k] = even * cos - odd * sin;\n        out.data[i * x.cols + k + 1] = even * sin + odd * cos;\n      }\n    return out;\n  }\n\n  // src/attnbook/widgets/js/engine/multihead.js\n  function multiHead(weights, name, heads, rotary = false) {\n    const [query, key, value, output] = ["W_q", "W_k", "W_v", "W_o"].map(\n      (part) => linearLayer(weights, `${name}.${part}`)\n    );\n    const placed = (x, offset, { positions }) => rotary && positions ? turn(x, heads, offset) : x;\n    return {\n      name,\n      project: (x, offset, intervention) => ({\n        keys: rowsOf(placed(key(x), offset, intervention)),\n        values: rowsOf(value(x))\n      }),\n      attend(x, { keys, values }, offset, intervention, causal = false) {\n        const q = placed(query(x), offset, intervention);\n        const size = q.cols / heads;\n        const merged = matrix(q.rows, q.cols);\n        const seen = Array.from({ length: heads }, () => matrix(q.rows, keys.length));\n        for (let i = 0; i < q.rows; i++) {\n          const allowed = causal ? (j) => j <= offset + i : void 0;\n          for (let h = 0; h < heads; h++) {\n            const left = h * size;\n            const scores = Float32Array.from(\n              keys,\n              (k) => dot(q.data, i * q.cols + left, k, left, size) / Math.sqrt(size)\n            );\n            const found = intervention.softmax(name, h, offset + i, scores, allowed);\n            row(seen[h], i).set(found);\n            row(merged, i).set(mix(found, values, left, left + size), left);\n          }\n        }\n        return { pooled: output(merged), weights: seen };\n      }\n    };\n  }\n  var rowsOf = (x) => Array.from({ length: x.rows }, (_, i) => row(x, i));\n\n  // src/attnbook/widgets/js/engine/transformer.js\n  function transformerNetwork(weights, options) {\n    const numbers = Array.from({ length: options.num_layers }, (_, l) => l);\n    const encoder = numbers.map((l) => encoderLayer(weights, `encoder.${l}`, options));\n    const decoder = numbers.map((l) => decoderLayer(weights, `decoder.${l}`, options));\n    const [embedSource, embedTarget] = ["source", "target"].map((side) => embedding(weights, side, options));\n    const [encoderNorm, decoderNorm] = ["encoder_norm", "decoder_norm"].map(\n      (name) => options.pre_norm ? normLayer(weights, name) : (x) => x\n    );\n    const head = linearLayer(weights, "head");\n    return {\n      encode(ids, intervention) {\n        const attention = {};\n        let x = embedSource(ids, 0, intervention);\n        for (const layer of encoder) x = layer(x, attention, intervention);\n        const memory = encoderNorm(x);\n        const source = decoder.map(({ crossAttention }) => crossAttention.project(memory, 0, intervention));\n        return { state: { position: 0, source, target: numbers.map(() => ({ keys: [], values: [] })) }, attention };\n      },\n      decode(id, state, intervention) {\n        const attention = {};\n        let x = embedTarget([id], state.position, intervention);\n        const target = decoder.map((layer, l) => {\n          const { output, seen } = layer.step(x, state.source[l], state.target[l], attention, intervention);\n          x = output;\n          return seen;\n        });\n        return {\n          logits: head(decoderNorm(x)).data,\n          state: { ...state, position: state.position + 1, target },\n          attention\n        };\n      }\n    };\n  }\n  function encoderLayer(weights, name, { num_heads, pre_norm, positions }) {\n    const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");\n    const forward = feedForward(weights, `${name}.feed_forward`);\n    const [first, second] = [1, 2].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));\n    return (x, attention, intervention) => {\n      const mixed = first(x, (y) => {\n        const looked = selfAttention.attend(y, selfAttention.project(y, 0, intervention), 0, intervention);\n        attention[selfAttention.name] = looked.weights;\n        return looked.pooled;\n      });\n      return second(mixed, forward);\n    };\n  }\n  function decoderLayer(weights, name, { num_heads, pre_norm, positions }) {\n    const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");\n    const crossAttention = multiHead(weights, `${name}.cross_attention`, num_heads);\n    const forward = feedForward(weights, `${name}.feed_forward`);\n    const [first, second, third] = [1, 2, 3].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));\n    return {\n      crossAttention,\n      step(x, source, past, attention, intervention) {\n        const position = past.keys.length;\n        let seen = past;\n        const looked = first(x, (y) => {\n          const now = selfAttention.project(y, position, intervention);\n          seen = { keys: [...past.keys, ...now.keys], values: [...past.values, ...now.values] };\n          const { pooled, weights: back } = selfAttention.attend(y, seen, position, intervention, true);\n          attention[selfAttention.name] = back;\n          return pooled;\n        });\n        const read = second(looked, (y) => {\n          const { pooled, weights: across } = crossAttention.attend(y, source, position, intervention);\n          attention[crossAttention.name] = across;\n          return pooled;\n        });\n        return { output: third(read, forward), seen };\n      }\n    };\n  }\n  function embedding(weights, side, { d_model, positions }) {\n    const lookUp = embeddingLayer(weights, `${side}_embedding`);\n    const learned = positions === "learned" ? weightOf(weights, `${side}_positions.embedding.weight`) : null;\n    const positionAt = (position) => learned ? row(learned, position) : sinusoidal(position, d_model);\n    return (ids, offset, intervention) => {\n      const words2 = lookUp(ids);\n      const out = matrix(words2.rows, d_model);\n      const added = positions !== "rotary" && intervention.positions;\n      for (let i = 0; i < out.rows; i++) {\n        const place = added ? positionAt(offset + i) : null;\n        for (let k = 0; k < d_model; k++)\n          row(out, i)[k] = words2.data[i * d_model + k] * Math.sqrt(d_model) + (place ? place[k] : 0);\n      }\n      return out;\n    };\n  }\n\n  // src/attnbook/widgets/js/engine/model.js\n  var FAMILIES = {\n    Seq2Seq: (weights, config) => recurrentNetwork(weights, config, seq2seqDecoder(weights, config)),\n    Bahdanau: (weights, config) => recurrentNetwork(weights, config, bahdanauDecoder(weights, config)),\n    Luong: (weights, config) => recurrentNetwork(weights, config, luongDecoder(weights, config)),\n    Transformer: transformerNetwork\n  };\n  var Model = class {\n    /** @param {Parts} parts */\n    constructor({ kind, config, weights }) {\n      if (!Object.hasOwn(FAMILIES, kind))\n        throw new Error(`model is ${kind}: wanted one of ${Object.keys(FAMILIES).join(", ")}`);\n      this.kind = kind;\n      this.config = config;\n      this.maxLength = config.positions === "learned" ? config.max_length : Infinity;\n      this.network = FAMILIES[kind](weights, config);\n      this.modules = attentionModules(kind, config);\n    }\n    /** Read a sentence of at least one id. @param {number[]} ids @param {Intervention} [intervention] */\n    encode(ids, intervention = NONE) {\n      if (!ids.length || ids.length > this.maxLength)\n        throw new Error(`ids has length ${ids.length}: wanted 1 to ${this.maxLength}`);\n      return this.network.encode(ids, intervention);\n    }\n    /**\n     * Go on by one token: logits of the next, the state behind it, and where every attention module looked.\n     * @param {number} id @param {any} state from `encode` or `decode`, which it leaves as it is\n     * @param {Intervention} [intervention]\n     */\n    decode(id, state, intervention = NONE) {\n      if (state.position >= this.maxLength)\n        throw new Error(`the target reaches length ${state.position + 1}: wanted at most ${this.maxLength}`);\n      return this.network.decode(id, state, intervention);\n    }\n  };\n  function attentionModules(kind, config) {\n    if (kind === "Seq2Seq") return [];\n    if (kind !== "Transformer") return [{ name: "decoder.cross_attention", heads: 1 }];\n    const layers = Array.from({ length: config.num_layers }, (_, l) => l);\n    const names = [\n      ...layers.map((l) => `encoder.${l}.self_attention`),\n      ...layers.flatMap((l) => [`decoder.${l}.self_attention`, `decoder.${l}.cross_attention`])\n    ];\n    return names.map((name) => ({ name, heads: config.num_heads }));\n  }\n\n  // src/attnbook/widgets/js/engine/vocabulary.js\n  var SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];\n  var [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];\n  var vocabularyFrom = (data) => data.kind === "subwords" ? subwords(data.symbols, data.merges) : words(data.words);\n  function sentenceIds(ids) {\n    const end = ids.indexOf(EOS);\n    return (end < 0 ? ids : ids.slice(0, end)).filter((id) => id !== PAD && id !== BOS);\n  }\n  function words(list) {\n    const ids = new Map(list.map((word, i) => [word, i + SPECIALS.length]));\n    const pieces = (found) => found.map((id) => SPECIALS[id] ?? list[id - SPECIALS.length]);\n    return {\n      kind: "words",\n      size: list.length + SPECIALS.length,\n      knows: (token) => ids.has(token),\n      words: list,\n      encode: (tokens) => tokens.map((token) => ids.get(token) ?? UNK),\n      decode: (found) => pieces(sentenceIds(found)),\n      pieces\n    };\n  }\n  function subwords(symbols, merges) {\n    const ids = new Map(symbols.map((symbol, i) => [symbol, i + SPECIALS.length]));\n    const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));\n    const [characterOf, byteOf] = byteCharacters();\n    const bytes = symbols.map((symbol) => Uint8Array.from(symbol, (character) => byteOf.get(character) ?? 0));\n    function encodeToken(token) {\n      const parts = Array.from(new TextEncoder().encode(` ${token}`), (byte) => characterOf[byte]);\n      for (; ; ) {\n        let [best, at] = [Infinity, -1];\n        for (let i = 0; i + 1 < parts.length; i++) {\n          const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;\n          if (rank < best) [best, at] = [rank, i];\n        }\n        if (at < 0) return parts.map((part) => Number(ids.get(part)));\n        parts.splice(at, 2, parts[at] + parts[at + 1]);\n      }\n    }\n    const decode = (found) => {\n      const unknown = [...new TextEncoder().encode(" <unk> ")];\n      const spelled = sentenceIds(found).flatMap((id) => id === UNK ? unknown : [...bytes[id - SPECIALS.length]]);\n      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(spelled)).split(" ").filter(Boolean);\n    };\n    return {\n      kind: "subwords",\n      size: symbols.length + SPECIALS.length,\n      knows: () => true,\n      words: [],\n      encode: (tokens) => tokens.flatMap(encodeToken),\n      decode,\n      pieces: (found) => found.map((id) => SPECIALS[id] ?? label(bytes[id - SPECIALS.length]))\n    };\n  }\n  function byteCharacters() {\n    let next = 256;\n    const characters = Array.from({ length: 256 }, (_, byte) => {\n      const printable = byte >= 33 && byte <= 126 || byte >= 161 && byte <= 172 || byte >= 174;\n      return String.fromCharCode(printable ? byte : next++);\n    });\n    return [characters, new Map(characters.map((character, byte) => [character, byte]))];\n  }\n  function label(spelled) {\n    let text = "";\n    for (let at = 0; at < spelled.length; ) {\n      const length = characterLength(spelled, at);\n      text += length ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(spelled.subarray(at, at + length)) : `⟨${spelled[at].toString(16).padStart(2, "0")}⟩`;\n      at += length || 1;\n    }\n    return text.replaceAll(" ", "▁");\n  }\n  function characterLength(spelled, at) {\n    for (let length = 1; length <= 4 && at + length <= spelled.length; length++) {\n      try {\n        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(spelled.subarray(at, at + length));\n        return length;\n      } catch {\n      }\n    }\n    return 0;\n  }\n\n  // src/attnbook/widgets/js/engine/page_file.js\n  var FORMAT = "attnbook-page-1";\n  async function readPage(file) {\n    const content = new DataView(await inflate(file));\n    const length = content.getUint32(0, true);\n    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(content.buffer, 4, length)));\n    if (header.format !== FORMAT) throw new Error(`the file\'s format is ${header.format}: wanted ${FORMAT}`);\n    const weights = /* @__PURE__ */ new Map();\n    let [at, parameters] = [4 + length, 0];\n    for (\n      const entry of\n      /** @type {Entry[]} */\n      header.tensors\n    ) {\n      const [rows, cols] = entry.shape.length === 2 ? entry.shape : [1, entry.shape[0]];\n      const decoded = matrix(\n        rows,\n        cols,\n        entry.kind === "int8" ? int8(content, at, rows, cols) : fp16(content, at, rows * cols)\n      );\n      at += entry.kind === "int8" ? rows * (2 + cols) : 2 * rows * cols;\n      parameters += rows * cols;\n      weights.set(entry.name, decoded);\n    }\n    if (at !== content.byteLength) throw new Error(`the file has ${content.byteLength} bytes: wanted ${at}`);\n    for (const [name, original] of Object.entries(header.aliases)) weights.set(name, weights.get(original));\n    const [source, target] = header.vocabularies.map(vocabularyFrom);\n    return { model: new Model({ kind: header.model, config: header.config, weights }), source, target, parameters };\n  }\n  async function inflate(file) {\n    const stream = new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"));\n    try {\n      return await new Response(stream).arrayBuffer();\n    } catch (error) {\n      throw new Error("the model\'s file is damaged, or none", { cause: error });\n    }\n  }\n  function int8(content, at, rows, cols) {\n    const scales = fp16(content, at, rows);\n    const whole = new Int8Array(content.buffer, at + 2 * rows, rows * cols);\n    const values = new Float32Array(whole.length);\n    for (let i = 0; i < rows; i++) for (let k = i * cols; k < (i + 1) * cols; k++) values[k] = whole[k] * scales[i];\n    return values;\n  }\n  function fp16(content, at, count) {\n    const values = new Float32Array(count);\n    for (let i = 0; i < count; i++) values[i] = half(content.getUint16(at + 2 * i, true));\n    return values;\n  }\n  function half(bits) {\n    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];\n    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));\n  }\n\n  // src/attnbook/widgets/js/engine/search.js\n  function* write(model, source, { begin = [], maxLength = 100, intervention = NONE } = {}) {\n    let { state } = model.encode(source, intervention);\n    let last = BOS;\n    for (let step = 0; step < Math.min(maxLength, model.maxLength) && last !== EOS; step++) {\n      const next = model.decode(last, state, intervention);\n      last = begin[step] ?? argmax(next.logits);\n      state = next.state;\n      yield { id: last, logP: logSoftmax(next.logits), attention: next.attention };\n    }\n  }\n  function score(model, source, target, intervention = NONE) {\n    let total = 0;\n    for (const { id, logP } of write(model, source, { begin: target, maxLength: target.length, intervention }))\n      total += logP[id];\n    return total;\n  }\n\n  // src/attnbook/widgets/js/engine/session.js\n  var BEST = 5;\n  var LONGEST = 30;\n  var Session = class {\n    /** @param {() => Promise<void>} pause lets other work, and newer requests, come in between */\n    constructor(pause2) {\n      this.pause = pause2;\n      this.latest = 0;\n    }\n    /** @param {BufferSource} file @returns {Promise<About>} */\n    async open(file) {\n      this.translator = await readPage(file);\n      const { model, source, parameters } = this.translator;\n      const { kind, config, modules } = model;\n      return { modules, words: source.words, kind, config, parameters };\n    }\n    /**\n     * Writes one token after another, until a newer request comes; then the result is null.\n     * @param {Request} request @param {(row: Row) => void} written @returns {Promise<Outcome | null>}\n     */\n    async translate({ source: tokens, begin, changes, judged }, written) {\n      if (!this.translator) throw new Error("there is no model yet: wanted one that was opened");\n      const { model, source, target } = this.translator;\n      const own = ++this.latest;\n      await this.pause();\n      const ids = source.encode(tokens);\n      const intervention = new Intervention(changes);\n      const found = [];\n      let logP = 0;\n      const candidate = (id, all) => ({\n        id,\n        piece: target.pieces([id])[0],\n        p: Math.exp(all[id])\n      });\n      for (const { id, logP: all, attention } of write(model, ids, { begin, maxLength: LONGEST, intervention })) {\n        if (own !== this.latest) return null;\n        found.push(id);\n        logP += all[id];\n        const weights = Object.entries(attention).map(([name, heads]) => [name, heads.map(({ data }) => data)]);\n        written({\n          ...candidate(id, all),\n          best: largest(all, BEST).map((i) => candidate(i, all)),\n          attention: Object.fromEntries(weights)\n        });\n        await this.pause();\n      }\n      if (own !== this.latest) return null;\n      return {\n        sourcePieces: source.pieces(ids),\n        unknown: tokens.map((token) => !source.knows(token)),\n        ids: found,\n        target: target.decode(found.filter((id) => id !== EOS)),\n        logP,\n        judged: judged && score(model, ids, judged, intervention)\n      };\n    }\n  };\n  var pause = () => (\n    /** @type {Promise<void>} */\n    new Promise((resolve) => {\n      const { port1, port2 } = new MessageChannel();\n      port1.onmessage = () => {\n        port1.close();\n        resolve();\n      };\n      port2.postMessage(null);\n    })\n  );\n\n  // src/attnbook/widgets/js/engine/worker.js\n  var session = new Session(pause);\n  self.onmessage = async ({ data: { number, file, request } }) => {\n    try {\n      const result = file ? await session.open(file) : await session.translate(request, (row2) => postMessage({ number, row: row2 }));\n      postMessage({ number, result });\n    } catch (error) {\n      postMessage({ number, error: String(error) });\n    }\n  };\n})();\n';

// src/attnbook/colours.json
var colours_default = {
  light: {
    query: "#be490f",
    key: "#a22496",
    value: "#0b5740",
    weight: "#265bc6",
    ink: "#1a1d21",
    muted: "#4a5260",
    line: "#8a919c",
    fill: "#f3f5f8",
    paper: "#ffffff"
  },
  dark: {
    query: "#e0924a",
    key: "#efb8fb",
    value: "#7ff09a",
    weight: "#7d96ff",
    ink: "#e8eaed",
    muted: "#b3bac6",
    line: "#757c88",
    fill: "#23272e",
    paper: "#14161a"
  }
};

// src/attnbook/widgets/js/shared/colours.js
var COLOURS = colours_default;
function paintTheme(node, theme) {
  node.dataset.theme = theme;
  for (const [name, colour] of Object.entries(COLOURS[theme])) node.style.setProperty(`--${name}`, colour);
}

// src/attnbook/widgets/js/shared/dom.js
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") write(node, String(value ?? ""));
    else if (value === false || value == null) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function element(tag, attributes = {}, ...children) {
  const node = set(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}
var SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes = {}, ...children) {
  const node = set(document.createElementNS(SVG, tag), attributes);
  node.append(...children);
  return node;
}

// src/attnbook/widgets/js/shared/controls.js
var LINEAR = { to: (value) => value, from: (place) => place };
var LOGARITHM = { to: Math.log, from: Math.exp };
function slider(name, { min, max, step = 1, scale = LINEAR, says = String }, chosen) {
  const input = element("input", { type: "range", min, max, step });
  const value = element("span", { class: "value", "aria-hidden": "true" });
  const words2 = element("span", { class: "words" }, element("span", { text: name }), value);
  input.addEventListener("input", () => chosen(scale.from(Number(input.value))));
  return {
    element: element("label", { class: "field" }, words2, input),
    input,
    /** @param {number} now */
    show(now) {
      input.value = String(scale.to(now));
      set(input, { "aria-valuetext": says(now) });
      write(value, says(now));
    }
  };
}
function choice(name, options, chosen) {
  const input = element("select");
  input.addEventListener("change", () => chosen(input.value));
  const own = {
    element: element("label", { class: "field" }, element("span", { class: "words", text: name }), input),
    input,
    /** @param {Iterable<[string | number, string | number]>} list */
    offer(list) {
      input.replaceChildren(...Array.from(list, ([value, text]) => new Option(String(text), String(value))));
    },
    /** A value that the list does not offer is offered from now on. @param {string | number} now */
    show(now) {
      const value = String(now);
      if (![...input.options].some((option) => option.value === value)) input.append(new Option(value, value));
      input.value = value;
    }
  };
  own.offer(options);
  return own;
}
function checkbox(name, chosen) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => chosen(input.checked));
  return {
    element: element("label", { class: "check" }, input, element("span", { text: name })),
    input,
    /** @param {boolean} on */
    show(on) {
      input.checked = on;
    }
  };
}
function button(name, pressed) {
  const node = element("button", { type: "button", text: name });
  node.addEventListener("click", pressed);
  return node;
}

// src/attnbook/widgets/js/shared/style.js
var FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";
var STYLE = `
:host { display: block; }
.card { --edge: color-mix(in srgb, var(--line) 45%, var(--paper)); box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 10px 14px 12px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 10px; font: 14px/1.45 ${FONT}; text-align: left; container-type: inline-size; }
.card [hidden] { display: none; }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 6px; }
.title { font-weight: 650; }
.figure svg { display: block; width: 100%; height: auto; user-select: none; -webkit-user-select: none; }
.figure svg text { fill: var(--ink); font: var(--label, 13px) ${FONT}; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 4px 16px; align-items: end; margin: 6px 0; }
.controls:empty { display: none; }
.field { display: flex; flex-direction: column; gap: 1px; min-width: 0; font-size: 13px; color: var(--muted); }
.words { display: flex; justify-content: space-between; gap: 8px; white-space: nowrap; }
.words > *, .field > .words { overflow: hidden; text-overflow: ellipsis; }
.words > :first-child { flex: 1 0 auto; }
.value { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.check { display: inline-flex; align-items: center; gap: 7px; min-height: 32px; font-size: 13px; cursor: pointer; }
.check input { width: 18px; height: 18px; margin: 0; flex: none; accent-color: var(--weight); }
input[type=range] { width: 100%; height: 28px; margin: 0; accent-color: var(--weight); cursor: pointer; }
button, select { font: inherit; font-size: 13px; min-height: 32px; padding: 2px 10px; color: var(--ink); background: var(--fill);
  border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
select { width: 100%; box-sizing: border-box; text-overflow: ellipsis; }
button:hover:not(:disabled), select:hover { border-color: var(--muted); }
button:disabled, select:disabled, input:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.said { display: grid; margin-top: 6px; font-variant-numeric: tabular-nums; }
.said > * { grid-area: 1 / 1; }
.said > [aria-hidden] { visibility: hidden; padding-right: 4em; }
p { margin: 6px 0 0; }
.tip, .legend { color: var(--muted); font-size: 13px; }
`;

// src/attnbook/widgets/js/shared/theme.js
function pageTheme(element2) {
  const html = document.documentElement;
  const { body } = document;
  const named = html.dataset.theme ?? html.dataset.mode ?? html.getAttribute("theme") ?? "";
  if (/dark/.test(named)) return "dark";
  if (/light/.test(named)) return "light";
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast(?!-light))/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  for (let behind = (
    /** @type {Element | null} */
    element2
  ); behind; behind = behind.parentElement) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(behind).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110 ? "dark" : "light";
  }
  const follows = /dark/.test(getComputedStyle(html).colorScheme);
  return follows && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
function followTheme(element2, changed) {
  const tell = () => changed(pageTheme(element2));
  const observer = new MutationObserver(tell);
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", tell);
  tell();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", tell);
  };
}

// src/attnbook/widgets/js/shared/card.js
var first = /* @__PURE__ */ new WeakMap();
var Card = class {
  /**
   * @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place
   * @param {Options} options
   */
  constructor({ model, el }, { name, title, tip, style, names }) {
    if (!first.has(model)) first.set(model, Object.fromEntries(names.map((key) => [key, model.get(key)])));
    this.model = model;
    this.names = names;
    this.figure = element("div", { class: "figure" });
    this.controls = element("div", { class: "controls" });
    this.forget = () => {
    };
    this.redraw = () => {
    };
    this.longest = element("span", { "aria-hidden": "true" });
    this.said = element("output", { "aria-live": "polite" });
    this.root = element(
      "section",
      { class: `card ${name}`, "aria-label": title },
      element(
        "header",
        {},
        element("span", { class: "title", text: title }),
        button("Reset", () => this.reset())
      ),
      this.figure,
      this.controls,
      element("div", { class: "said" }, this.longest, this.said),
      element("p", { class: "tip" }, element("b", { text: "Try this: " }), tip)
    );
    this.host = element("div", { "data-lm-suppress-shortcuts": "true" });
    this.host.addEventListener("keydown", (event) => event.stopPropagation());
    this.host.attachShadow({ mode: "open" }).append(element("style", { text: STYLE + style }), this.root);
    el.append(this.host);
    this.sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) keepLabels(
        /** @type {SVGSVGElement} */
        target
      );
    });
  }
  /** Changes the model. @param {Record<string, unknown>} changes */
  change(changes) {
    for (const [key, value] of Object.entries(changes)) this.model.set(key, value);
    this.model.save_changes();
  }
  reset() {
    this.forget();
    if (this.names.length) this.change(first.get(this.model) ?? {});
    this.redraw();
  }
  /**
   * A picture that is as wide as the card.
   *
   * @param {number} width @param {number} height of what is drawn
   * @param {{ label?: string, wide?: number, size?: number }} [options] `size`: of its labels in pixels, also where the
   *   picture is narrower than `wide` pixels
   */
  picture(width, height, { label: label3 = this.model.get("alt"), wide = 520, size = 13 } = {}) {
    const data = { "data-wide": wide, "data-size": size };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label3, ...data });
    this.figure.append(picture);
    this.sizes.observe(picture);
    return picture;
  }
  /** Says what is seen. @param {string} text */
  say(text) {
    write(this.said, text);
    this.reserve([text]);
  }
  /** Keeps room for the longest of these texts, wherever its lines break: nothing below moves. @param {string[]} texts */
  reserve(texts) {
    for (const text of texts) if (text.length > (this.longest.textContent ?? "").length) write(this.longest, text);
  }
  /**
   * Draws now, and whenever the model or the theme changes.
   *
   * @param {(theme: import("./theme.js").Theme) => void} draw
   * @param {() => void} [forget] puts back what Reset does not find in the model
   * @returns {() => void} ends it
   */
  start(draw, forget = () => {
  }) {
    this.forget = forget;
    this.redraw = () => draw(this.root.dataset.theme === "dark" ? "dark" : "light");
    const events = this.names.map((key) => `change:${key}`).join(" ");
    if (events) this.model.on(events, this.redraw);
    const unfollow = followTheme(this.host, (theme) => {
      if (theme === this.root.dataset.theme) return;
      paintTheme(this.root, theme);
      this.redraw();
    });
    return () => {
      if (events) this.model.off(events, this.redraw);
      unfollow();
      this.sizes.disconnect();
      this.host.remove();
    };
  }
};
function keepLabels(picture) {
  const wide = Number(picture.dataset.wide);
  const factor = Math.max(1, wide / (picture.clientWidth || wide));
  picture.style.setProperty("--label", `${Number(picture.dataset.size) * factor}px`);
}

// src/attnbook/widgets/js/translate/state.js
var fresh = (sentence, stage) => ({
  sentence,
  stage,
  begin: [],
  cells: [],
  heads: [],
  temperature: 1,
  positions: true,
  swap: null
});
var isChanged = ({ begin, cells: cells2, heads, temperature, positions, swap }) => begin.length + cells2.length + heads.length > 0 || temperature !== 1 || !positions || swap !== null;
var changesOf = ({ cells: cells2, heads, temperature, positions }, modules) => ({
  cells: cells2,
  heads,
  temperatures: temperature === 1 ? {} : Object.fromEntries(modules.map((name) => [name, temperature])),
  positions
});
function swapped(list, swap) {
  if (swap === null || swap + 1 >= list.length) return list;
  const copy = [...list];
  [copy[swap], copy[swap + 1]] = [list[swap + 1], list[swap]];
  return copy;
}
var toAddress = (name, experiment) => `#${name}=${encodeURIComponent(JSON.stringify(experiment))}`;
function fromAddress(name, hash, first2, stages) {
  if (!hash.startsWith(`#${name}=`)) return null;
  try {
    const found = JSON.parse(decodeURIComponent(hash.slice(name.length + 2)));
    const whole = (n) => Number.isInteger(n) && Number(n) >= 0;
    const cell = (c) => typeof c?.module === "string" && [c.head, c.row].every((n) => n === null || whole(n)) && whole(c.column) && (c.weight === null || c.weight >= 0 && c.weight <= 1);
    return {
      sentence: typeof found.sentence === "string" ? found.sentence.slice(0, 300) : first2.sentence,
      stage: whole(found.stage) && found.stage < stages ? found.stage : first2.stage,
      begin: Array.isArray(found.begin) ? found.begin.filter(whole).slice(0, 30) : [],
      cells: Array.isArray(found.cells) ? found.cells.filter(cell).slice(0, 100) : [],
      heads: Array.isArray(found.heads) ? found.heads.filter((h) => typeof h?.module === "string" && whole(h.head)) : [],
      temperature: found.temperature >= 0.1 && found.temperature <= 10 ? found.temperature : 1,
      positions: found.positions !== false,
      swap: whole(found.swap) ? found.swap : null
    };
  } catch {
    return null;
  }
}
function changedWords(before, now) {
  const common = Array.from({ length: before.length + 1 }, () => new Array(now.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i][j] = before[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const changed = new Array(now.length).fill(true);
  for (let i = 0, j = 0; i < before.length && j < now.length; ) {
    if (before[i] === now[j]) {
      changed[j] = false;
      i++;
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return changed;
}
var inWords = (p) => p >= 0.0995 ? p.toFixed(2) : p >= 95e-5 ? p.toFixed(3) : p > 0 ? p.toExponential(0) : "0";

// src/attnbook/widgets/js/translate/compare.js
var COMPARE_STYLE = `
.compared { height: 86px; overflow: auto; }
.compare { display: grid; grid-template-columns: auto 1fr auto; gap: 2px 10px; margin: 0; font-size: 15px; }
.compare dt { color: var(--muted); font-size: 13px; line-height: 1.7; }
.compare dd { margin: 0; }
.compare b { text-decoration: underline; text-underline-offset: 3px; }
.compare .p { font-size: 13px; line-height: 1.7; font-variant-numeric: tabular-nums; white-space: nowrap; }
`;
function compareLines() {
  const list = element("dl", { class: "compare" });
  return {
    element: element("div", { class: "compared", role: "group", "aria-label": "Translations", tabindex: 0 }, list),
    /**
     * @param {Written | null} before @param {Written | null} now of the changed model; null where nothing is changed
     * @param {number | null} judged the probability of `before` for the changed model
     */
    show(before, now, judged) {
      const line = (name, written, p) => [
        element("dt", { text: name }),
        element("dd", { lang: "fr" }, ...marked(written, name === "now" && before ? before.words : null)),
        element("dd", { class: "p", text: p })
      ];
      const was = before && (now && judged !== null ? `p ${inWords(before.p)} → ${inWords(judged)}` : `p ${inWords(before.p)}`);
      list.replaceChildren(
        ...before ? line(now ? "before" : "French", before, was ?? "") : [],
        ...now ? line("now", now, `p ${inWords(now.p)}`) : []
      );
    }
  };
}
function marked({ text, words: words2 }, before) {
  if (!before) return [text];
  const changed = changedWords(before, words2);
  const parts = [];
  let at = 0;
  words2.forEach((word, i) => {
    const found = text.toLowerCase().indexOf(word.toLowerCase(), at);
    if (found < 0) return;
    parts.push(text.slice(at, found));
    at = found + word.length;
    const piece = text.slice(found, at);
    parts.push(changed[i] ? element("b", { text: piece }) : piece);
  });
  return [...parts, text.slice(at)];
}

// src/attnbook/widgets/js/translate/copies.js
var LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font", "text-decoration"];
function toSvg(drawing, background) {
  const copy = (
    /** @type {SVGSVGElement} */
    drawing.cloneNode(true)
  );
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const originals = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    node.setAttribute("style", LOOKS.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; "));
    node.removeAttribute("class");
  });
  copy.style.background = background;
  return new XMLSerializer().serializeToString(copy);
}
async function toPng(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("the picture could not be drawn")));
  });
}
function saveButtons({ drawing, background, data, link }) {
  const save = (kind, make) => button(kind, async () => download(`attention.${kind.toLowerCase()}`, await make()));
  const picture = () => {
    const found = drawing();
    if (!found) throw new Error("there is no picture yet");
    return toSvg(found, background());
  };
  const copy = () => navigator.clipboard?.writeText(link?.() ?? "");
  return [
    ...link ? [button("Copy link", copy)] : [],
    save("PNG", () => toPng(picture())),
    save("SVG", () => new Blob([picture()], { type: "image/svg+xml" })),
    save("JSON", () => new Blob([JSON.stringify(data(), null, 1)], { type: "application/json" }))
  ];
}
function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// src/attnbook/widgets/js/translate/panels.js
var PANEL_STYLE = `
.panel { display: flex; flex-direction: column; gap: 6px; height: 250px; }
.tabs { display: flex; gap: 4px; }
.tabs button { flex: 1; }
.tabs [aria-selected=true] { background: var(--weight); color: var(--paper); border-color: var(--weight); }
.panel [role=tabpanel]:not([hidden]) { flex: 1; min-height: 0; overflow: auto; display: flex; flex-direction: column; gap: 4px; }
.panel .about { font-size: 13px; color: var(--muted); min-height: 1.4em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.candidate { display: grid; grid-template-columns: 7rem 1fr 3.4rem; gap: 8px; align-items: center; text-align: left; min-height: 32px; }
.candidate i { height: 8px; border-radius: 4px; background: var(--weight); min-width: 1px; }
.candidate.taken { border-color: var(--ink); font-weight: 650; }
.candidate .p { text-align: right; font-variant-numeric: tabular-nums; }
.changes { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 10px; align-items: center; }
.changes > .wide { grid-column: 1 / -1; }
`;
function tabs(pages) {
  const heads = pages.map(
    ({ id, name }) => set(
      button(name, () => choose(id)),
      { role: "tab", "aria-controls": `tab-${id}`, id: `head-${id}` }
    )
  );
  for (const { id, content } of pages)
    set(content, { role: "tabpanel", id: `tab-${id}`, "aria-labelledby": `head-${id}` });
  function choose(chosen) {
    pages.forEach(({ id, content }, i) => {
      set(heads[i], { "aria-selected": String(id === chosen), tabindex: id === chosen ? 0 : -1 });
      set(content, { hidden: id !== chosen });
    });
  }
  const bar = element("div", { class: "tabs", role: "tablist" }, ...heads);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const now = heads.indexOf(
      /** @type {HTMLButtonElement} */
      event.target
    );
    const next = (now + step + heads.length) % heads.length;
    choose(pages[next].id);
    heads[next].focus();
  });
  choose(pages[0].id);
  return element("div", { class: "panel" }, bar, ...pages.map(({ content }) => content));
}
function alternatives(take) {
  const about = element("div", { class: "about" });
  const list = element("div", { class: "changes" });
  set(list, { style: "grid-template-columns: 1fr; gap: 4px" });
  return {
    element: element("div", {}, about, list),
    /** @param {(Candidate & {best: Candidate[]}) | undefined} row */
    show(row2) {
      write(about, row2 ? `In place of “${row2.piece}” it could have written:` : "");
      const most = row2 ? row2.best[0].p : 1;
      list.replaceChildren(
        ...(row2?.best ?? []).map(({ id, piece, p }) => {
          const node = set(
            button("", () => take(id)),
            { class: id === row2?.id ? "candidate taken" : "candidate" }
          );
          const bar = element("i");
          bar.style.width = `${100 * p / most}%`;
          node.append(element("span", { text: piece }), bar, element("span", { class: "p", text: inWords(p) }));
          return node;
        })
      );
    }
  };
}
function changePanel({ modules, config }, on) {
  const cross = modules.filter(({ name }) => name.endsWith("cross_attention"));
  const about = element("div", { class: "about wide" });
  let everywhere = false;
  const all = checkbox("for every written word", (value) => {
    everywhere = value;
  });
  const forbid = button("Forbid to look", () => on.cell(null, everywhere));
  const force = button("Look only here", () => on.cell(1, everywhere));
  const undo = button("Undo all changes", on.undo);
  const swap = button("Swap with next", on.swap);
  const heat = slider(
    "Softmax: sharp to soft",
    {
      min: Math.log(0.1),
      max: Math.log(10),
      step: 0.05,
      scale: LOGARITHM,
      says: (value) => `× ${(1 / value).toFixed(2)}`
    },
    (value) => on.change({ temperature: Math.abs(Math.log(value)) < 0.03 ? 1 : value })
  );
  const positions = checkbox("Positions", (value) => on.change({ positions: value }));
  const off = checkbox("this head is off", on.headOff);
  const looks = choice("Layer and head", viewsOf(cross), (value) => on.view(...fromKey(value)));
  heat.element.classList.add("wide");
  const several = cross.some(({ heads }) => heads > 1);
  const parts = [about, forbid, force, all.element, swap, heat.element];
  if (several) parts.push(off.element);
  if (config.positions) parts.push(positions.element);
  parts.push(undo);
  return {
    element: element("div", {}, element("div", { class: "changes" }, ...parts)),
    looks,
    /** @param {Chosen} now */
    show({ about: cell, sourceWord, last, view, experiment }) {
      write(about, cell || "Choose a cell: a written word, and a word that it looks at.");
      for (const node of [forbid, force]) node.disabled = !cell || !cross.length;
      swap.disabled = experiment.swap === null && (!sourceWord || last);
      write(swap, experiment.swap === null ? "Swap with next" : "Swap back");
      heat.show(experiment.temperature);
      heat.input.disabled = !cross.length;
      positions.show(experiment.positions);
      looks.show(toKey(view.name, view.head));
      off.input.disabled = view.head === null;
      off.show(experiment.heads.some(({ module, head }) => module === view.name && head === view.head));
    }
  };
}
var toKey = (name, head) => `${name}/${head ?? ""}`;
var fromKey = (key) => [key.split("/")[0], key.endsWith("/") ? null : Number(key.split("/")[1])];
var viewsOf = (modules) => modules.flatMap(({ name, heads }, layer) => [
  /** @type {[string, string]} */
  [toKey(name, null), `layer ${layer + 1}, mean of all heads`],
  ...Array.from(
    { length: heads > 1 ? heads : 0 },
    (_, h) => (
      /** @type {[string, string]} */
      [toKey(name, h), `layer ${layer + 1}, head ${h + 1}`]
    )
  )
]);

// src/attnbook/widgets/js/translate/picture.js
var PICTURE_STYLE = `
.picture { height: 194px; overflow: auto; }
@container (min-width: 620px) { .picture { height: 350px; } }
.picture:focus-visible { outline-offset: -2px; }
.picture svg { width: auto; height: auto; }
.picture text { font-size: 13px; }
.picture .row { fill: var(--query); }
.picture .column { fill: var(--key); }
.picture .changed { font-weight: 700; text-decoration: underline; }
.picture .unknown { text-decoration: underline dashed; }
.picture .row, .picture .column { cursor: pointer; }
.picture .field { fill: var(--fill); }
.picture .weight { fill: var(--weight); pointer-events: none; }
.picture .hit { fill: transparent; cursor: pointer; }
.picture .chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.picture .band { fill: var(--fill); }
.picture .mark { stroke: var(--ink); stroke-width: 2.5; fill: none; pointer-events: none; }
.picture .line { fill: none; stroke: var(--weight); }
.picture .line.faint { stroke-opacity: 0.25; }
`;
var STEP = 24;
var SPACE = 8;
var label = (text, most = 12) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
function attentionPicture(choose) {
  const box = element("div", { class: "picture", tabindex: 0, role: "group", "aria-roledescription": "attention" });
  let scene;
  box.addEventListener("click", (event) => {
    const { row: row2, column } = (
      /** @type {SVGElement} */
      event.target.dataset
    );
    if (row2 !== void 0 || column !== void 0)
      choose(row2 === void 0 ? scene.chosen.row : Number(row2), column === void 0 ? null : Number(column));
  });
  box.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move || !scene.rows.length) return;
    event.preventDefault();
    const { row: row2, column } = scene.chosen;
    const within = (place, count) => Math.min(Math.max(place, 0), count - 1);
    const next = column === null ? move[1] ? 0 : null : within(column + move[1], scene.columns.length);
    choose(within(row2 + move[0], scene.rows.length), next);
  });
  return {
    element: box,
    /** @param {Scene} now */
    draw(now) {
      scene = now;
      const drawing = now.kind === "cells" ? cells(now, box.clientWidth) : lines(now, box.clientWidth);
      set(box, { "aria-label": inWords2(now) });
      box.replaceChildren(drawing);
    }
  };
}
function inWords2({ columns, rows, weights }) {
  const looks = rows.map(({ piece }, i) => {
    const row2 = weights[i] ? Array.from(weights[i]) : [];
    const most = row2.indexOf(Math.max(...row2));
    return row2.length ? `${piece} at ${columns[most]}, ${row2[most].toFixed(2)}` : piece;
  });
  return `Where each word looked most: ${looks.join("; ")}. Arrow keys choose a word and what it looks at.`;
}
function cells({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const [left, top] = [92, 66];
  const size = Math.min(46, Math.max(STEP, (width - left - 22) / Math.max(1, columns.length)));
  const [across, down] = [left + columns.length * size + 22, top + rows.length * STEP + 4];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  columns.forEach((word, j) => {
    const [x, y] = [left + (j + 0.5) * size, top - 6];
    const name = unknown[j] ? "column unknown" : "column";
    const text = label(word, 11);
    drawing.append(svg("text", { class: name, x, y, transform: `rotate(-50 ${x} ${y})`, "data-column": j, text }));
  });
  rows.forEach(({ piece }, i) => {
    const y = top + i * STEP;
    drawing.append(rowLabel(piece, changed[i], { x: left - SPACE, y: y + 16, row: i, anchor: "end" }));
    columns.forEach((_, j) => {
      const x = left + j * size;
      const at = { x: x + 1, y: y + 1, width: size - 2, height: STEP - 2, rx: 2 };
      const weight = weights[i]?.[j] ?? 0;
      drawing.append(
        svg("rect", { class: "field", ...at }),
        svg("rect", { class: "weight", ...at, "fill-opacity": Math.sqrt(weight).toFixed(3) }),
        svg("rect", { class: "hit", x, y, width: size, height: STEP, "data-row": i, "data-column": j }),
        ...marks(mark(i, j), x, y, size)
      );
    });
  });
  if (chosen.row < rows.length) {
    const wide = chosen.column === null ? { x: left, width: columns.length * size } : { x: left + chosen.column * size, width: size };
    drawing.append(svg("rect", { class: "chosen", ...wide, y: top + chosen.row * STEP, height: STEP, rx: 3 }));
  }
  return drawing;
}
function marks(mark, x, y, size) {
  const [middle, centre] = [x + size / 2, y + STEP / 2];
  if (mark === "forbidden")
    return [svg("path", { class: "mark", d: `M${middle - 5} ${centre - 5}l10 10m0 -10l-10 10` })];
  if (mark === "forced") return [svg("circle", { class: "mark", cx: middle, cy: centre, r: 6 })];
  return [];
}
var rowLabel = (piece, changed, { x, y, row: row2, anchor }) => svg("text", {
  class: changed ? "row changed" : "row",
  x,
  y,
  "text-anchor": anchor,
  "data-row": row2,
  text: label(piece)
});
function lines({ columns, unknown, rows, weights, changed, mark, chosen }, width) {
  const across = Math.min(width - 16, 420);
  const down = Math.max(columns.length, rows.length) * STEP + 8;
  const [from, to] = [across * 0.34, across * 0.66];
  const drawing = svg("svg", { width: across, height: down, viewBox: `0 0 ${across} ${down}` });
  const band = (x, i) => svg("rect", { class: "band", x, y: i * STEP + 2, width: across - to, height: STEP - 2, rx: 4 });
  if (chosen.row < rows.length) drawing.append(band(to, chosen.row));
  if (chosen.column !== null) drawing.append(band(0, chosen.column));
  rows.forEach((_, i) => {
    columns.forEach((_2, j) => {
      const weight = weights[i]?.[j] ?? 0;
      if (weight < 0.04) return;
      const [y0, y1, middle] = [(j + 0.5) * STEP + 1, (i + 0.5) * STEP + 1, (from + to) / 2];
      const d = `M${from + SPACE} ${y0}C${middle} ${y0} ${middle} ${y1} ${to - SPACE} ${y1}`;
      drawing.append(
        svg("path", {
          class: i === chosen.row ? "line" : "line faint",
          d,
          "stroke-width": (1 + 4 * weight).toFixed(1)
        })
      );
    });
  });
  columns.forEach((word, j) => {
    const name = `column${unknown[j] ? " unknown" : ""}`;
    drawing.append(
      svg("text", {
        class: name,
        x: from,
        y: j * STEP + 18,
        "text-anchor": "end",
        "data-column": j,
        text: label(word)
      })
    );
    drawing.append(...marks(mark(chosen.row, j), from + SPACE - 12, j * STEP + 1, STEP));
  });
  rows.forEach(({ piece }, i) => {
    drawing.append(rowLabel(piece, changed[i], { x: to, y: i * STEP + 18, row: i, anchor: "start" }));
  });
  return drawing;
}

// src/attnbook/widgets/js/translate/runner.js
var ARRIVAL = 280;
var Runner = class {
  /**
   * @param {import("./translator.js").Translator} translator
   * @param {string[]} modules whose softmax a temperature changes
   * @param {(news: "word" | "end") => void} tell
   */
  constructor(translator, modules, tell) {
    this.translator = translator;
    this.modules = modules;
    this.tell = tell;
    this.number = 0;
    this.tokens = [];
    this.clear();
  }
  clear() {
    this.rows = [];
    this.trained = [];
    this.source = [];
    this.before = null;
    this.now = null;
  }
  /** The sentence that is there already: word after word, or at once. @param {{rows: Row[], outcome: Outcome}} recorded @param {boolean} still */
  arrive({ rows, outcome }, still) {
    const own = ++this.number;
    this.source = outcome.sourcePieces;
    const show = (count) => {
      if (own !== this.number) return;
      this.rows = rows.slice(0, count);
      const ended = count === rows.length;
      if (ended) [this.before, this.trained] = [outcome, rows];
      else setTimeout(show, ARRIVAL, count + 1);
      this.tell(ended ? "end" : "word");
    };
    show(still ? rows.length : 1);
  }
  /** @param {Experiment} experiment @param {boolean} known its sentence and stage are those of the run before */
  async translate(experiment, known) {
    const own = ++this.number;
    this.tokens = tokenize(experiment.sentence, "english");
    this.now = null;
    if (!known || !this.tokens.length) this.before = null;
    if (!this.tokens.length) this.clear();
    else {
      await this.translator.open(experiment.stage);
      if (own === this.number) await this.both(experiment, own);
    }
    if (own === this.number) this.tell("end");
  }
  /** @param {Experiment} experiment @param {number} own */
  async both(experiment, own) {
    if (!this.before) {
      this.before = await this.write({ source: this.tokens, begin: [], changes: {}, judged: null }, own);
      if (own === this.number) this.trained = this.rows;
    } else [this.rows, this.source] = [this.trained, this.before.sourcePieces];
    if (own !== this.number || !this.before || !isChanged(experiment)) return;
    const changes = changesOf(experiment, this.modules);
    const source = swapped(this.tokens, experiment.swap);
    this.now = await this.write({ source, begin: experiment.begin, changes, judged: this.before.ids }, own);
  }
  /** @param {import("../engine/session.js").Request} request @param {number} own */
  async write(request, own) {
    const rows = [];
    this.source = request.source;
    const outcome = await this.translator.translate(request, (row2) => {
      if (own !== this.number) return;
      rows.push(row2);
      this.rows = rows;
      this.tell("word");
    });
    if (outcome && own === this.number) this.source = outcome.sourcePieces;
    return outcome;
  }
};

// src/attnbook/widgets/js/translate/sentence.js
var OFFERED = 5;
var FRAGMENT = /[\p{L}\p{N}'’-]+$/u;
var SENTENCE_STYLE = `
.sentence { position: relative; }
.sentence input { width: 100%; box-sizing: border-box; font: inherit; font-size: 16px; min-height: 38px; padding: 4px 10px;
  color: var(--ink); background: var(--fill); border: 1px solid var(--edge); border-radius: 6px; }
.sentence ul { position: absolute; z-index: 2; left: 0; top: 100%; margin: 2px 0 0; padding: 4px; list-style: none; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; box-shadow: 0 4px 14px #0004; min-width: 9rem; }
.sentence li { padding: 4px 10px; border-radius: 4px; cursor: pointer; font-size: 15px; }
.sentence li[aria-selected=true] { background: var(--weight); color: var(--paper); }
.note { min-height: 1.45em; font-size: 13px; color: var(--muted); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.note.warns { color: var(--ink); font-weight: 600; }
`;
function offers(input, take) {
  const list = element("ul", { role: "listbox", id: "offers", "aria-label": "Words it knows", hidden: true });
  let offered = [];
  let active = -1;
  function show() {
    set(input, {
      "aria-expanded": String(offered.length > 0),
      "aria-activedescendant": active >= 0 ? `offer-${active}` : null
    });
    set(list, { hidden: !offered.length });
    const option = (word, i) => element("li", { role: "option", id: `offer-${i}`, "aria-selected": String(i === active), text: word });
    list.replaceChildren(...offered.map(option));
  }
  const fragment = () => FRAGMENT.exec(input.value.slice(0, input.selectionStart ?? 0))?.[0] ?? "";
  const choose = (word) => {
    const caret = input.selectionStart ?? input.value.length;
    take(word, caret - fragment().length, caret);
  };
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const place = [...list.children].indexOf(
      /** @type {Element} */
      event.target
    );
    if (place >= 0) choose(offered[place]);
  });
  return {
    element: list,
    /** @param {string[]} words */
    from(words2) {
      const begun = fragment().toLowerCase().replaceAll("’", "'");
      offered = begun ? words2.filter((word) => word.startsWith(begun) && word !== begun).slice(0, OFFERED) : [];
      active = -1;
      show();
    },
    close() {
      offered = [];
      show();
    },
    /** @param {KeyboardEvent} event */
    press(event) {
      if (event.key === "Escape" || event.key === "Enter" && active < 0) return this.close();
      if (event.key === "Enter") return choose(offered[active]);
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (!step || !offered.length) return;
      event.preventDefault();
      active = active < 0 && step < 0 ? offered.length - 1 : (active + step + offered.length) % offered.length;
      show();
    }
  };
}
function sentenceField({ typed, asked }) {
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": "English sentence to translate",
    "aria-autocomplete": "list",
    "aria-controls": "offers",
    "aria-expanded": "false",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: 120,
    enterkeyhint: "go"
  });
  const note = element("div", { class: "note", role: "status" });
  let words2 = [];
  const list = offers(input, (word, from, to) => {
    input.setRangeText(`${word} `, from, to, "end");
    list.close();
    typed(input.value);
  });
  input.addEventListener("focus", asked);
  input.addEventListener("blur", () => list.close());
  input.addEventListener("input", () => {
    list.from(words2);
    typed(input.value);
  });
  input.addEventListener("keydown", (event) => list.press(event));
  return {
    element: element("div", {}, element("div", { class: "sentence" }, input, list.element), note),
    input,
    /** @param {string} text */
    show(text) {
      if (input.value !== text) input.value = text;
    },
    /** @param {string[]} known */
    knows(known) {
      words2 = known;
    },
    /** @param {string} text @param {boolean} [warns] */
    say(text, warns = false) {
      write(note, text);
      set(note, { title: text });
      note.classList.toggle("warns", warns);
    }
  };
}

// src/attnbook/widgets/js/shared/worker.js
async function workerFrom(program) {
  const url = URL.createObjectURL(new Blob([`${program}
postMessage(null);`], { type: "text/javascript" }));
  const worker = new Worker(url);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  }).finally(() => URL.revokeObjectURL(url));
  return worker;
}

// src/attnbook/widgets/js/engine/intervention.js
var Intervention = class {
  /** @param {Changes} [changes] */
  constructor({ cells: cells2 = [], heads = [], temperatures = {}, positions = true } = {}) {
    for (const [module, value] of Object.entries(temperatures))
      if (!(value > 0 && value < Infinity)) throw new Error(`temperatures[${module}] is ${value}: wanted above 0`);
    for (const { weight } of cells2)
      if (weight !== null && !(weight >= 0 && weight <= 1))
        throw new Error(`weight is ${weight}: wanted 0 to 1, or null`);
    this.cells = cells2;
    this.heads = heads;
    this.temperatures = temperatures;
    this.positions = positions;
  }
  /** The cells of one row. @type {(module: string, head: number, row: number) => Cell[]} */
  cellsOf(module, head, row2) {
    return this.cells.filter(
      (cell) => cell.module === module && (cell.head ?? head) === head && (cell.row ?? row2) === row2
    );
  }
  /**
   * The weights of one row: masked softmax, with what is changed. A row with no allowed key gives zeros.
   * @param {string} module @param {number} head @param {number} row
   * @param {Float32Array} scores one for each key
   * @param {(key: number) => boolean} [allowed] the model's own mask
   */
  softmax(module, head, row2, scores, allowed = () => true) {
    const weights = new Float32Array(scores.length);
    if (this.heads.some((off) => off.module === module && off.head === head)) return weights;
    const cells2 = this.cellsOf(module, head, row2);
    const forbidden = new Set(cells2.filter(({ weight }) => weight === null).map(({ column }) => column));
    const keys = [...scores.keys()].filter((key) => allowed(key) && !forbidden.has(key));
    const heat = this.temperatures[module] ?? 1;
    const most = Math.max(...keys.map((key) => scores[key]));
    const shares = keys.map((key) => Math.exp((scores[key] - most) / heat));
    const total = shares.reduce((sum, share2) => sum + share2, 0);
    for (const [i, key] of keys.entries()) weights[key] = shares[i] / total;
    const forced = /* @__PURE__ */ new Map();
    for (const { column, weight } of cells2) if (weight !== null && keys.includes(column)) forced.set(column, weight);
    if (forced.size) share(weights, forced);
    return weights;
  }
};
function share(weights, forced) {
  let [left, others] = [1, 0];
  for (const weight of forced.values()) left -= weight;
  for (const [key, weight] of weights.entries()) others += forced.has(key) ? 0 : weight;
  const factor = others > 0 ? Math.max(0, left) / others : 0;
  for (const [key, weight] of weights.entries()) weights[key] = forced.get(key) ?? weight * factor;
}
var NONE = new Intervention();

// src/attnbook/widgets/js/engine/tensor.js
var matrix = (rows, cols, data = new Float32Array(rows * cols)) => ({ rows, cols, data });
var row = (x, i) => x.data.subarray(i * x.cols, (i + 1) * x.cols);
var rowMatrix = (x, i) => matrix(1, x.cols, row(x, i));
function stack(rows) {
  const all = matrix(rows.length, rows[0].length);
  for (const [i, values] of rows.entries()) all.data.set(values, i * all.cols);
  return all;
}
function beside(...parts) {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const all = matrix(parts[0].rows, cols);
  let left = 0;
  for (const part of parts) {
    for (let i = 0; i < part.rows; i++) all.data.set(row(part, i), i * cols + left);
    left += part.cols;
  }
  return all;
}
function dot(a, i, b, j, n) {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = n - n % 4;
  for (let k = 0; k < whole; k += 4) {
    s0 += a[i + k] * b[j + k];
    s1 += a[i + k + 1] * b[j + k + 1];
    s2 += a[i + k + 2] * b[j + k + 2];
    s3 += a[i + k + 3] * b[j + k + 3];
  }
  for (let k = whole; k < n; k++) s0 += a[i + k] * b[j + k];
  return s0 + s1 + (s2 + s3);
}
function linear(x, weight, bias) {
  if (x.cols !== weight.cols) throw new Error(`x has ${x.cols} columns: wanted ${weight.cols}, as the weight`);
  const out = matrix(x.rows, weight.rows);
  for (let o = 0; o < weight.rows; o++) {
    const added = bias ? bias.data[o] : 0;
    for (let i = 0; i < x.rows; i++)
      out.data[i * out.cols + o] = dot(x.data, i * x.cols, weight.data, o * weight.cols, x.cols) + added;
  }
  return out;
}
var map = (x, change) => matrix(x.rows, x.cols, x.data.map(change));
var tanh = (x) => map(x, Math.tanh);
var sigmoid = (x) => 1 / (1 + Math.exp(-x));
function add(x, y) {
  const out = matrix(x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[i] + y.data[i];
  return out;
}
function mix(weights, rows, left, right) {
  const sums = new Float64Array(right - left);
  rows.forEach((values, j) => {
    const weight = weights[j];
    if (weight !== 0) for (let k = left; k < right; k++) sums[k - left] += weight * values[k];
  });
  return Float32Array.from(sums);
}
function logSoftmax(scores) {
  let most = -Infinity;
  for (const score2 of scores) most = Math.max(most, score2);
  let total = 0;
  for (const score2 of scores) total += Math.exp(score2 - most);
  const shift = most + Math.log(total);
  return scores.map((score2) => score2 - shift);
}
function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
function largest(values, count) {
  const best = [];
  for (let i = 0; i < values.length; i++) {
    if (best.length === count && !(values[i] > values[best[count - 1]])) continue;
    let at = best.length;
    while (at > 0 && values[i] > values[best[at - 1]]) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

// src/attnbook/widgets/js/engine/layers.js
function weightOf(weights, name) {
  const found = weights.get(name);
  if (!found) throw new Error(`the model has no weight ${name}`);
  return found;
}
function linearLayer(weights, name) {
  const weight = weightOf(weights, `${name}.weight`);
  const bias = weights.get(`${name}.bias`);
  return (x) => linear(x, weight, bias);
}
function embeddingLayer(weights, name) {
  const table = weightOf(weights, `${name}.weight`);
  return (ids) => {
    const out = matrix(ids.length, table.cols);
    ids.forEach((id, i) => {
      if (!(Number.isInteger(id) && id >= 0 && id < table.rows))
        throw new Error(`ids has ${id}: wanted 0 <= id < ${table.rows}`);
      out.data.set(row(table, id), i * table.cols);
    });
    return out;
  };
}
function normLayer(weights, name) {
  const gain = weightOf(weights, `${name}.weight`).data;
  const bias = weightOf(weights, `${name}.bias`).data;
  return (x) => {
    const out = matrix(x.rows, x.cols);
    for (let i = 0; i < x.rows; i++) {
      const values = row(x, i);
      let [mean, variance] = [0, 0];
      for (const value of values) mean += value / x.cols;
      for (const value of values) variance += (value - mean) ** 2 / x.cols;
      const scale = 1 / Math.sqrt(variance + 1e-5);
      const normed = row(out, i);
      for (let k = 0; k < x.cols; k++) normed[k] = (values[k] - mean) * scale * gain[k] + bias[k];
    }
    return out;
  };
}
function gruCell(weights, name, suffix = "") {
  const [fromInput, fromState, inputBias, stateBias] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"].map(
    (part) => weightOf(weights, `${name}.${part}${suffix}`)
  );
  return (x, hidden) => {
    const size = hidden.cols;
    const a = linear(x, fromInput, inputBias).data;
    const b = linear(hidden, fromState, stateBias).data;
    const after = matrix(1, size);
    for (let k = 0; k < size; k++) {
      const reset = sigmoid(a[k] + b[k]);
      const update = sigmoid(a[size + k] + b[size + k]);
      const fresh2 = Math.tanh(a[2 * size + k] + reset * b[2 * size + k]);
      after.data[k] = (1 - update) * fresh2 + update * hidden.data[k];
    }
    return after;
  };
}
function feedForward(weights, name) {
  const [first2, second] = ["W_1", "W_2"].map((part) => linearLayer(weights, `${name}.${part}`));
  return (x) => second(map(first2(x), (value) => Math.max(0, value)));
}
function addNorm(weights, name, preNorm) {
  const norm = normLayer(weights, `${name}.norm`);
  return preNorm ? (x, sublayer) => add(x, sublayer(norm(x))) : (x, sublayer) => norm(add(x, sublayer(x)));
}

// src/attnbook/widgets/js/engine/recurrent.js
function recurrentNetwork(weights, options, { start, step }) {
  const read = gruEncoder(weights, options);
  const embed = embeddingLayer(weights, "decoder.embedding");
  const head = linearLayer(weights, "head");
  return {
    encode(ids) {
      const { memory, hidden } = read(ids);
      const state = { position: 0, memory, key: memory, hidden, fed: matrix(1, 0) };
      return { state: start(state), attention: {} };
    },
    decode(id, before, intervention) {
      const { features, state, attention } = step(embed([id]), before, intervention);
      return { logits: head(features).data, state: { ...state, position: before.position + 1 }, attention };
    }
  };
}
function gruEncoder(weights, { num_layers, num_hiddens, bidirectional }) {
  const embed = embeddingLayer(weights, "encoder.embedding");
  const directions = bidirectional ? ["", "_reverse"] : [""];
  const layers = Array.from({ length: num_layers }, (_, l) => ({
    cells: directions.map((direction) => gruCell(weights, "encoder.rnn", `_l${l}${direction}`)),
    bridge: bidirectional ? linearLayer(weights, `encoder.bridge.${l}`) : null
  }));
  return (ids) => {
    let memory = embed(ids);
    const hidden = layers.map(({ cells: cells2, bridge }) => {
      const ends = cells2.map((cell, d) => run(cell, memory, num_hiddens, d === 1));
      memory = beside(...ends.map(({ states }) => states));
      const { last } = ends[ends.length - 1];
      return bridge ? tanh(bridge(last)) : last;
    });
    return { memory, hidden };
  };
}
function run(cell, x, size, backward) {
  const states = [];
  let last = matrix(1, size);
  for (let t = 0; t < x.rows; t++) {
    const place = backward ? x.rows - 1 - t : t;
    last = cell(rowMatrix(x, place), last);
    states[place] = last.data;
  }
  return { states: stack(states), last };
}
var cellStack = (cells2) => (x, hidden) => {
  let input = x;
  return cells2.map((cell, l) => input = cell(input, hidden[l]));
};
var decoderStack = (weights, layers) => cellStack(Array.from({ length: layers }, (_, l) => gruCell(weights, `decoder.stack.cells.${l}`)));
function seq2seqDecoder(weights, { num_layers }) {
  const advance = cellStack(Array.from({ length: num_layers }, (_, l) => gruCell(weights, "decoder.rnn", `_l${l}`)));
  return {
    start: (state) => ({ ...state, fed: state.hidden[num_layers - 1] }),
    step(word, state) {
      const hidden = advance(beside(word, state.fed), state.hidden);
      return { features: hidden[num_layers - 1], state: { ...state, hidden }, attention: {} };
    }
  };
}

// src/attnbook/widgets/js/engine/scoring.js
function scoredAttention(weights, name, score2, scaled) {
  const { projectKey, scoresOf } = score2 === "concat" ? additive(weights, name) : product(weights, name, score2, scaled);
  return {
    name,
    projectKey,
    attend(query, key, memory, position, intervention, { allowed, scale } = {}) {
      const found = intervention.softmax(name, 0, position, scoresOf(query, key), allowed);
      if (scale) for (let i = 0; i < found.length; i++) found[i] *= scale(i);
      const rows = Array.from({ length: memory.rows }, (_, i) => row(memory, i));
      return {
        context: matrix(1, memory.cols, mix(found, rows, 0, memory.cols)),
        weights: matrix(1, memory.rows, found)
      };
    }
  };
}
function additive(weights, name) {
  const [query, key] = ["W_q", "W_k"].map((part) => linearLayer(weights, `${name}.${part}`));
  const value = weightOf(weights, `${name}.w_v.weight`).data;
  return {
    projectKey: key,
    scoresOf(q, projected) {
      const asked = query(q).data;
      return Float32Array.from({ length: projected.rows }, (_, i) => {
        const offered = row(projected, i);
        let sum = 0;
        for (let k = 0; k < asked.length; k++) sum += value[k] * Math.tanh(asked[k] + offered[k]);
        return sum;
      });
    }
  };
}
function product(weights, name, score2, scaled) {
  return {
    projectKey: score2 === "general" ? linearLayer(weights, `${name}.W`) : (memory) => memory,
    scoresOf: (q, projected) => Float32Array.from(
      { length: projected.rows },
      (_, i) => dot(q.data, 0, rowMatrix(projected, i).data, 0, q.cols) / (scaled ? Math.sqrt(q.cols) : 1)
    )
  };
}

// src/attnbook/widgets/js/engine/bahdanau.js
function bahdanauDecoder(weights, { num_layers, readout }) {
  const crossAttention = scoredAttention(weights, "decoder.cross_attention", "concat", false);
  const advance = decoderStack(weights, num_layers);
  const pairs = readout === "maxout" ? linearLayer(weights, "decoder.maxout") : null;
  return {
    start: (state) => ({ ...state, key: crossAttention.projectKey(state.memory) }),
    step(word, state, intervention) {
      const query = state.hidden[num_layers - 1];
      const looked = crossAttention.attend(query, state.key, state.memory, state.position, intervention);
      const hidden = advance(beside(looked.context, word), state.hidden);
      const features = pairs ? maxout(pairs(beside(query, word, looked.context))) : hidden[num_layers - 1];
      return { features, state: { ...state, hidden }, attention: { [crossAttention.name]: [looked.weights] } };
    }
  };
}
var maxout = (x) => matrix(
  1,
  x.cols / 2,
  Float32Array.from({ length: x.cols / 2 }, (_, k) => Math.max(x.data[2 * k], x.data[2 * k + 1]))
);

// src/attnbook/widgets/js/engine/luong.js
function luongDecoder(weights, { num_layers, num_hiddens, score: score2, scaled, window, half_width, input_feeding }) {
  const crossAttention = scoredAttention(weights, "decoder.cross_attention", score2, scaled);
  const advance = decoderStack(weights, num_layers);
  const combine = linearLayer(weights, "decoder.W_c");
  const center = window === "local-p" ? predictedCenter(weights) : null;
  const windowAt = (query, state) => {
    if (window === "global") return {};
    const place = center ? center(query, state.memory.rows) : state.position;
    return {
      allowed: (key) => Math.abs(key - place) <= half_width,
      scale: center ? (key) => Math.exp(-2 * ((key - place) / half_width) ** 2) : void 0
    };
  };
  return {
    start: (state) => ({
      ...state,
      key: crossAttention.projectKey(state.memory),
      fed: matrix(1, input_feeding ? num_hiddens : 0)
    }),
    step(word, state, intervention) {
      const hidden = advance(beside(word, state.fed), state.hidden);
      const query = hidden[num_layers - 1];
      const { context, weights: seen } = crossAttention.attend(
        query,
        state.key,
        state.memory,
        state.position,
        intervention,
        windowAt(query, state)
      );
      const features = tanh(combine(beside(context, query)));
      const fed = input_feeding ? features : state.fed;
      return { features, state: { ...state, hidden, fed }, attention: { [crossAttention.name]: [seen] } };
    }
  };
}
function predictedCenter(weights) {
  const [inner, outer] = ["W_p", "v_p"].map((part) => linearLayer(weights, `decoder.center.${part}`));
  return (query, length) => length * sigmoid(outer(tanh(inner(query))).data[0]);
}

// src/attnbook/widgets/js/engine/positional.js
var frequency = (j, size) => 1e4 ** (-2 * j / size);
var sinusoidal = (position, size) => Float32Array.from({ length: size }, (_, k) => {
  const angle = position * frequency(k >> 1, size);
  return k % 2 ? Math.cos(angle) : Math.sin(angle);
});
function turn(x, heads, offset) {
  const size = x.cols / heads;
  const out = matrix(x.rows, x.cols);
  for (let i = 0; i < x.rows; i++)
    for (let k = 0; k < x.cols; k += 2) {
      const angle = (offset + i) * frequency(k % size / 2, size);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const [even, odd] = [x.data[i * x.cols + k], x.data[i * x.cols + k + 1]];
      out.data[i * x.cols + k] = even * cos - odd * sin;
      out.data[i * x.cols + k + 1] = even * sin + odd * cos;
    }
  return out;
}

// src/attnbook/widgets/js/engine/multihead.js
function multiHead(weights, name, heads, rotary = false) {
  const [query, key, value, output] = ["W_q", "W_k", "W_v", "W_o"].map(
    (part) => linearLayer(weights, `${name}.${part}`)
  );
  const placed = (x, offset, { positions }) => rotary && positions ? turn(x, heads, offset) : x;
  return {
    name,
    project: (x, offset, intervention) => ({
      keys: rowsOf(placed(key(x), offset, intervention)),
      values: rowsOf(value(x))
    }),
    attend(x, { keys, values }, offset, intervention, causal = false) {
      const q = placed(query(x), offset, intervention);
      const size = q.cols / heads;
      const merged = matrix(q.rows, q.cols);
      const seen = Array.from({ length: heads }, () => matrix(q.rows, keys.length));
      for (let i = 0; i < q.rows; i++) {
        const allowed = causal ? (j) => j <= offset + i : void 0;
        for (let h = 0; h < heads; h++) {
          const left = h * size;
          const scores = Float32Array.from(
            keys,
            (k) => dot(q.data, i * q.cols + left, k, left, size) / Math.sqrt(size)
          );
          const found = intervention.softmax(name, h, offset + i, scores, allowed);
          row(seen[h], i).set(found);
          row(merged, i).set(mix(found, values, left, left + size), left);
        }
      }
      return { pooled: output(merged), weights: seen };
    }
  };
}
var rowsOf = (x) => Array.from({ length: x.rows }, (_, i) => row(x, i));

// src/attnbook/widgets/js/engine/transformer.js
function transformerNetwork(weights, options) {
  const numbers = Array.from({ length: options.num_layers }, (_, l) => l);
  const encoder = numbers.map((l) => encoderLayer(weights, `encoder.${l}`, options));
  const decoder = numbers.map((l) => decoderLayer(weights, `decoder.${l}`, options));
  const [embedSource, embedTarget] = ["source", "target"].map((side) => embedding(weights, side, options));
  const [encoderNorm, decoderNorm] = ["encoder_norm", "decoder_norm"].map(
    (name) => options.pre_norm ? normLayer(weights, name) : (x) => x
  );
  const head = linearLayer(weights, "head");
  return {
    encode(ids, intervention) {
      const attention = {};
      let x = embedSource(ids, 0, intervention);
      for (const layer of encoder) x = layer(x, attention, intervention);
      const memory = encoderNorm(x);
      const source = decoder.map(({ crossAttention }) => crossAttention.project(memory, 0, intervention));
      return { state: { position: 0, source, target: numbers.map(() => ({ keys: [], values: [] })) }, attention };
    },
    decode(id, state, intervention) {
      const attention = {};
      let x = embedTarget([id], state.position, intervention);
      const target = decoder.map((layer, l) => {
        const { output, seen } = layer.step(x, state.source[l], state.target[l], attention, intervention);
        x = output;
        return seen;
      });
      return {
        logits: head(decoderNorm(x)).data,
        state: { ...state, position: state.position + 1, target },
        attention
      };
    }
  };
}
function encoderLayer(weights, name, { num_heads, pre_norm, positions }) {
  const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");
  const forward = feedForward(weights, `${name}.feed_forward`);
  const [first2, second] = [1, 2].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));
  return (x, attention, intervention) => {
    const mixed = first2(x, (y) => {
      const looked = selfAttention.attend(y, selfAttention.project(y, 0, intervention), 0, intervention);
      attention[selfAttention.name] = looked.weights;
      return looked.pooled;
    });
    return second(mixed, forward);
  };
}
function decoderLayer(weights, name, { num_heads, pre_norm, positions }) {
  const selfAttention = multiHead(weights, `${name}.self_attention`, num_heads, positions === "rotary");
  const crossAttention = multiHead(weights, `${name}.cross_attention`, num_heads);
  const forward = feedForward(weights, `${name}.feed_forward`);
  const [first2, second, third] = [1, 2, 3].map((i) => addNorm(weights, `${name}.add_norm_${i}`, pre_norm));
  return {
    crossAttention,
    step(x, source, past, attention, intervention) {
      const position = past.keys.length;
      let seen = past;
      const looked = first2(x, (y) => {
        const now = selfAttention.project(y, position, intervention);
        seen = { keys: [...past.keys, ...now.keys], values: [...past.values, ...now.values] };
        const { pooled, weights: back } = selfAttention.attend(y, seen, position, intervention, true);
        attention[selfAttention.name] = back;
        return pooled;
      });
      const read = second(looked, (y) => {
        const { pooled, weights: across } = crossAttention.attend(y, source, position, intervention);
        attention[crossAttention.name] = across;
        return pooled;
      });
      return { output: third(read, forward), seen };
    }
  };
}
function embedding(weights, side, { d_model, positions }) {
  const lookUp = embeddingLayer(weights, `${side}_embedding`);
  const learned = positions === "learned" ? weightOf(weights, `${side}_positions.embedding.weight`) : null;
  const positionAt = (position) => learned ? row(learned, position) : sinusoidal(position, d_model);
  return (ids, offset, intervention) => {
    const words2 = lookUp(ids);
    const out = matrix(words2.rows, d_model);
    const added = positions !== "rotary" && intervention.positions;
    for (let i = 0; i < out.rows; i++) {
      const place = added ? positionAt(offset + i) : null;
      for (let k = 0; k < d_model; k++)
        row(out, i)[k] = words2.data[i * d_model + k] * Math.sqrt(d_model) + (place ? place[k] : 0);
    }
    return out;
  };
}

// src/attnbook/widgets/js/engine/model.js
var FAMILIES = {
  Seq2Seq: (weights, config) => recurrentNetwork(weights, config, seq2seqDecoder(weights, config)),
  Bahdanau: (weights, config) => recurrentNetwork(weights, config, bahdanauDecoder(weights, config)),
  Luong: (weights, config) => recurrentNetwork(weights, config, luongDecoder(weights, config)),
  Transformer: transformerNetwork
};
var Model = class {
  /** @param {Parts} parts */
  constructor({ kind, config, weights }) {
    if (!Object.hasOwn(FAMILIES, kind))
      throw new Error(`model is ${kind}: wanted one of ${Object.keys(FAMILIES).join(", ")}`);
    this.kind = kind;
    this.config = config;
    this.maxLength = config.positions === "learned" ? config.max_length : Infinity;
    this.network = FAMILIES[kind](weights, config);
    this.modules = attentionModules(kind, config);
  }
  /** Read a sentence of at least one id. @param {number[]} ids @param {Intervention} [intervention] */
  encode(ids, intervention = NONE) {
    if (!ids.length || ids.length > this.maxLength)
      throw new Error(`ids has length ${ids.length}: wanted 1 to ${this.maxLength}`);
    return this.network.encode(ids, intervention);
  }
  /**
   * Go on by one token: logits of the next, the state behind it, and where every attention module looked.
   * @param {number} id @param {any} state from `encode` or `decode`, which it leaves as it is
   * @param {Intervention} [intervention]
   */
  decode(id, state, intervention = NONE) {
    if (state.position >= this.maxLength)
      throw new Error(`the target reaches length ${state.position + 1}: wanted at most ${this.maxLength}`);
    return this.network.decode(id, state, intervention);
  }
};
function attentionModules(kind, config) {
  if (kind === "Seq2Seq") return [];
  if (kind !== "Transformer") return [{ name: "decoder.cross_attention", heads: 1 }];
  const layers = Array.from({ length: config.num_layers }, (_, l) => l);
  const names = [
    ...layers.map((l) => `encoder.${l}.self_attention`),
    ...layers.flatMap((l) => [`decoder.${l}.self_attention`, `decoder.${l}.cross_attention`])
  ];
  return names.map((name) => ({ name, heads: config.num_heads }));
}

// src/attnbook/widgets/js/engine/vocabulary.js
var SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];
var [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];
var vocabularyFrom = (data) => data.kind === "subwords" ? subwords(data.symbols, data.merges) : words(data.words);
function sentenceIds(ids) {
  const end = ids.indexOf(EOS);
  return (end < 0 ? ids : ids.slice(0, end)).filter((id) => id !== PAD && id !== BOS);
}
function words(list) {
  const ids = new Map(list.map((word, i) => [word, i + SPECIALS.length]));
  const pieces = (found) => found.map((id) => SPECIALS[id] ?? list[id - SPECIALS.length]);
  return {
    kind: "words",
    size: list.length + SPECIALS.length,
    knows: (token) => ids.has(token),
    words: list,
    encode: (tokens) => tokens.map((token) => ids.get(token) ?? UNK),
    decode: (found) => pieces(sentenceIds(found)),
    pieces
  };
}
function subwords(symbols, merges) {
  const ids = new Map(symbols.map((symbol, i) => [symbol, i + SPECIALS.length]));
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  const [characterOf, byteOf] = byteCharacters();
  const bytes = symbols.map((symbol) => Uint8Array.from(symbol, (character) => byteOf.get(character) ?? 0));
  function encodeToken(token) {
    const parts = Array.from(new TextEncoder().encode(` ${token}`), (byte) => characterOf[byte]);
    for (; ; ) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return parts.map((part) => Number(ids.get(part)));
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
  }
  const decode = (found) => {
    const unknown = [...new TextEncoder().encode(" <unk> ")];
    const spelled = sentenceIds(found).flatMap((id) => id === UNK ? unknown : [...bytes[id - SPECIALS.length]]);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(spelled)).split(" ").filter(Boolean);
  };
  return {
    kind: "subwords",
    size: symbols.length + SPECIALS.length,
    knows: () => true,
    words: [],
    encode: (tokens) => tokens.flatMap(encodeToken),
    decode,
    pieces: (found) => found.map((id) => SPECIALS[id] ?? label2(bytes[id - SPECIALS.length]))
  };
}
function byteCharacters() {
  let next = 256;
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const printable = byte >= 33 && byte <= 126 || byte >= 161 && byte <= 172 || byte >= 174;
    return String.fromCharCode(printable ? byte : next++);
  });
  return [characters, new Map(characters.map((character, byte) => [character, byte]))];
}
function label2(spelled) {
  let text = "";
  for (let at = 0; at < spelled.length; ) {
    const length = characterLength(spelled, at);
    text += length ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(spelled.subarray(at, at + length)) : `⟨${spelled[at].toString(16).padStart(2, "0")}⟩`;
    at += length || 1;
  }
  return text.replaceAll(" ", "▁");
}
function characterLength(spelled, at) {
  for (let length = 1; length <= 4 && at + length <= spelled.length; length++) {
    try {
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(spelled.subarray(at, at + length));
      return length;
    } catch {
    }
  }
  return 0;
}

// src/attnbook/widgets/js/engine/page_file.js
var FORMAT = "attnbook-page-1";
async function readPage(file) {
  const content = new DataView(await inflate(file));
  const length = content.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(content.buffer, 4, length)));
  if (header.format !== FORMAT) throw new Error(`the file's format is ${header.format}: wanted ${FORMAT}`);
  const weights = /* @__PURE__ */ new Map();
  let [at, parameters] = [4 + length, 0];
  for (
    const entry of
    /** @type {Entry[]} */
    header.tensors
  ) {
    const [rows, cols] = entry.shape.length === 2 ? entry.shape : [1, entry.shape[0]];
    const decoded = matrix(
      rows,
      cols,
      entry.kind === "int8" ? int8(content, at, rows, cols) : fp16(content, at, rows * cols)
    );
    at += entry.kind === "int8" ? rows * (2 + cols) : 2 * rows * cols;
    parameters += rows * cols;
    weights.set(entry.name, decoded);
  }
  if (at !== content.byteLength) throw new Error(`the file has ${content.byteLength} bytes: wanted ${at}`);
  for (const [name, original] of Object.entries(header.aliases)) weights.set(name, weights.get(original));
  const [source, target] = header.vocabularies.map(vocabularyFrom);
  return { model: new Model({ kind: header.model, config: header.config, weights }), source, target, parameters };
}
async function inflate(file) {
  const stream = new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return await new Response(stream).arrayBuffer();
  } catch (error) {
    throw new Error("the model's file is damaged, or none", { cause: error });
  }
}
function int8(content, at, rows, cols) {
  const scales = fp16(content, at, rows);
  const whole = new Int8Array(content.buffer, at + 2 * rows, rows * cols);
  const values = new Float32Array(whole.length);
  for (let i = 0; i < rows; i++) for (let k = i * cols; k < (i + 1) * cols; k++) values[k] = whole[k] * scales[i];
  return values;
}
function fp16(content, at, count) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = half(content.getUint16(at + 2 * i, true));
  return values;
}
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

// src/attnbook/widgets/js/engine/search.js
function* write2(model, source, { begin = [], maxLength = 100, intervention = NONE } = {}) {
  let { state } = model.encode(source, intervention);
  let last = BOS;
  for (let step = 0; step < Math.min(maxLength, model.maxLength) && last !== EOS; step++) {
    const next = model.decode(last, state, intervention);
    last = begin[step] ?? argmax(next.logits);
    state = next.state;
    yield { id: last, logP: logSoftmax(next.logits), attention: next.attention };
  }
}
function score(model, source, target, intervention = NONE) {
  let total = 0;
  for (const { id, logP } of write2(model, source, { begin: target, maxLength: target.length, intervention }))
    total += logP[id];
  return total;
}

// src/attnbook/widgets/js/engine/session.js
var BEST = 5;
var LONGEST = 30;
var Session = class {
  /** @param {() => Promise<void>} pause lets other work, and newer requests, come in between */
  constructor(pause2) {
    this.pause = pause2;
    this.latest = 0;
  }
  /** @param {BufferSource} file @returns {Promise<About>} */
  async open(file) {
    this.translator = await readPage(file);
    const { model, source, parameters } = this.translator;
    const { kind, config, modules } = model;
    return { modules, words: source.words, kind, config, parameters };
  }
  /**
   * Writes one token after another, until a newer request comes; then the result is null.
   * @param {Request} request @param {(row: Row) => void} written @returns {Promise<Outcome | null>}
   */
  async translate({ source: tokens, begin, changes, judged }, written) {
    if (!this.translator) throw new Error("there is no model yet: wanted one that was opened");
    const { model, source, target } = this.translator;
    const own = ++this.latest;
    await this.pause();
    const ids = source.encode(tokens);
    const intervention = new Intervention(changes);
    const found = [];
    let logP = 0;
    const candidate = (id, all) => ({
      id,
      piece: target.pieces([id])[0],
      p: Math.exp(all[id])
    });
    for (const { id, logP: all, attention } of write2(model, ids, { begin, maxLength: LONGEST, intervention })) {
      if (own !== this.latest) return null;
      found.push(id);
      logP += all[id];
      const weights = Object.entries(attention).map(([name, heads]) => [name, heads.map(({ data }) => data)]);
      written({
        ...candidate(id, all),
        best: largest(all, BEST).map((i) => candidate(i, all)),
        attention: Object.fromEntries(weights)
      });
      await this.pause();
    }
    if (own !== this.latest) return null;
    return {
      sourcePieces: source.pieces(ids),
      unknown: tokens.map((token) => !source.knows(token)),
      ids: found,
      target: target.decode(found.filter((id) => id !== EOS)),
      logP,
      judged: judged && score(model, ids, judged, intervention)
    };
  }
};
var pause = () => (
  /** @type {Promise<void>} */
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  })
);

// src/attnbook/widgets/js/engine/client.js
async function startClient(program) {
  try {
    return await inWorker(program);
  } catch {
    const session = new Session(pause);
    return {
      open: (file) => session.open(file),
      translate: (request, written) => session.translate(request, written),
      close() {
      }
    };
  }
}
async function inWorker(program) {
  const worker = await workerFrom(program);
  const open = /* @__PURE__ */ new Map();
  let last = 0;
  worker.onmessage = ({ data: { number, row: row2, result, error } }) => {
    const asked = open.get(number);
    if (row2) asked?.written?.(row2);
    else {
      open.delete(number);
      if (error) asked?.reject(new Error(error));
      else asked?.resolve(result);
    }
  };
  const ask = (message, written) => new Promise((resolve, reject) => {
    open.set(++last, { resolve, reject, written });
    worker.postMessage({ number: last, ...message });
  });
  return {
    open: (file) => ask({ file }),
    translate: (request, written) => ask({ request }, written),
    close: () => worker.terminate()
  };
}

// src/attnbook/widgets/js/translate/translator.js
var Translator = class {
  /** @param {string} program of the worker @param {Source[]} sources one for each stage of training */
  constructor(program, sources) {
    this.program = program;
    this.sources = sources;
    this.client = null;
    this.stage = -1;
    this.about = null;
  }
  /** The model of a stage, read and ready. @param {number} stage @returns {Promise<About>} */
  open(stage) {
    if (this.stage === stage && this.about) return this.about;
    this.client ??= startClient(this.program);
    this.stage = stage;
    const source = this.sources[stage];
    const about = Promise.all([this.client, typeof source === "function" ? source() : source]).then(
      ([client, view]) => client.open(
        /** @type {ArrayBuffer} */
        view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)
      )
    );
    about.catch(() => {
      this.stage = -1;
    });
    this.about = about;
    return about;
  }
  /** @type {Client["translate"]} */
  async translate(request, written) {
    const client = await this.client;
    return client ? client.translate(request, written) : null;
  }
  async close() {
    (await this.client)?.close();
  }
};

// src/attnbook/widgets/js/translate_view.js
var STYLE2 = `
.translate { max-width: 56rem; }
.columns { display: grid; gap: 4px 18px; grid-template-columns: minmax(0, 1fr); }
@container (min-width: 620px) { .columns { grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); } }
.bar { display: flex; gap: 16px; align-items: end; margin: 2px 0 6px; }
.bar .field { flex: 1; max-width: 24rem; }
.translate .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.translate .controls { margin: 0; }
${SENTENCE_STYLE}${PICTURE_STYLE}${PANEL_STYLE}${COMPARE_STYLE}`;
var TranslateView = class {
  /** @param {RenderProps} place */
  constructor(place) {
    const { model, el } = place;
    this.model = model;
    this.name = model.get("name");
    this.steps = /** @type {number[]} */
    model.get("steps");
    this.first = fresh(model.get("sentence"), this.steps.length - 1);
    this.onPage = el.closest(".attnbook-static") !== null;
    const sent = this.onPage ? fromAddress(this.name, location.hash, this.first, this.steps.length) : null;
    this.experiment = sent ?? this.first;
    this.modules = /** @type {{name: string, heads: number}[]} */
    model.get("modules");
    this.cross = this.modules.map(({ name }) => name).filter((name) => name.endsWith("cross_attention"));
    this.view = { name: this.cross[this.cross.length - 1] ?? "", head: (
      /** @type {number | null} */
      null
    ) };
    this.chosen = { row: 0, column: (
      /** @type {number | null} */
      null
    ) };
    this.kind = /** @type {"cells" | "lines"} */
    "lines";
    this.translator = new Translator(worker_default, model.get("weights"));
    this.runner = new Runner(this.translator, this.cross, (news) => this.hear(news));
    this.field = sentenceField({
      typed: (sentence) => this.set(fresh(sentence, this.experiment.stage)),
      asked: () => void this.open()
    });
    this.touched = false;
    this.picture = attentionPicture((row2, column) => {
      this.touched = true;
      this.chosen = { row: row2, column };
      this.draw();
    });
    this.alternatives = alternatives((id) => this.take(id));
    this.changes = changePanel({ modules: this.modules, config: model.get("config") }, this.changers());
    this.compare = compareLines();
    this.stages = slider(
      "Training step",
      { min: 0, max: this.steps.length - 1, says: (stage) => this.steps[stage].toLocaleString("en") },
      (stage) => this.set({ ...fresh(this.experiment.sentence, stage) })
    );
    const options = { name: "translate", title: model.get("title"), tip: model.get("tip"), style: STYLE2 };
    this.card = new Card(place, { ...options, names: ["sentence"] });
    this.lay();
    if (sent) {
      this.set(sent);
      el.scrollIntoView({ block: "center" });
    } else {
      this.field.show(this.first.sentence);
      this.runner.arrive(model.get("recorded"), matchMedia("(prefers-reduced-motion: reduce)").matches);
    }
  }
  /** Puts the parts into the card. */
  lay() {
    const panel = tabs([
      { id: "words", name: "Words", content: this.alternatives.element },
      { id: "change", name: "Change", content: this.changes.element },
      {
        id: "keep",
        name: "Keep",
        content: element("div", {}, element("div", { class: "changes" }, ...this.saves()))
      }
    ]);
    this.card.figure.append(
      this.field.element,
      element("div", { class: "bar" }, ...this.bar()),
      element("div", { class: "columns" }, this.picture.element, element("div", {}, this.compare.element, panel))
    );
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.picture.element);
  }
  /** What is shown: the step of training, and the attention of which head, and how. */
  bar() {
    const kinds = choice(
      "Attention as",
      [
        ["lines", "lines"],
        ["cells", "cells"]
      ],
      (kind) => {
        this.kind = kind === "cells" ? "cells" : "lines";
        this.draw();
      }
    );
    const several = this.modules.some(({ heads }) => heads > 1);
    return [
      ...this.steps.length > 1 ? [this.stages.element] : [],
      ...several ? [this.changes.looks.element] : [],
      ...this.cross.length ? [kinds.element] : []
    ];
  }
  saves() {
    return saveButtons({
      drawing: () => this.picture.element.querySelector("svg"),
      background: () => getComputedStyle(this.card.root).backgroundColor,
      data: () => this.data(),
      link: this.onPage ? () => location.href.split("#")[0] + toAddress(this.name, this.experiment) : null
    });
  }
  /** What the controls of the panel do. */
  changers() {
    return {
      /** @param {number | null} weight @param {boolean} all */
      cell: (weight, all) => this.changeCell(weight, all),
      undo: () => this.set(fresh(this.experiment.sentence, this.experiment.stage)),
      /** @param {string} name @param {number | null} head */
      view: (name, head) => {
        this.view = { name, head };
        this.draw();
      },
      /** @param {Partial<Experiment>} changes */
      change: (changes) => this.set({ ...this.experiment, ...changes }),
      /** @param {boolean} off */
      headOff: (off) => this.turnHead(off),
      swap: () => this.set({ ...this.experiment, swap: this.experiment.swap === null ? this.chosen.column : null })
    };
  }
  /** Another experiment. @param {Experiment} experiment */
  async set(experiment) {
    this.touched &&= experiment.sentence === this.experiment.sentence;
    const known = experiment.sentence === this.experiment.sentence && experiment.stage === this.experiment.stage;
    this.experiment = experiment;
    if (this.onPage) history.replaceState(null, "", toAddress(this.name, experiment));
    this.field.show(experiment.sentence);
    try {
      await this.runner.translate(experiment, known);
    } catch (error) {
      this.fail(error);
    }
  }
  async open() {
    try {
      const { words: words2 } = await this.translator.open(this.experiment.stage);
      this.field.knows(words2);
      this.note(words2.length);
    } catch (error) {
      this.fail(error);
    }
  }
  /** @param {unknown} error */
  fail(error) {
    this.field.say(`The model cannot be loaded: ${error instanceof Error ? error.message : error}`, true);
  }
  /** From the chosen row on with another word. @param {number} id */
  take(id) {
    const begin = this.runner.rows.slice(0, this.chosen.row).map((row2) => row2.id);
    this.set({ ...this.experiment, begin: [...begin, id] });
  }
  /** @param {number | null} weight @param {boolean} all of the rows */
  changeCell(weight, all) {
    const { row: row2, column } = this.chosen;
    if (column === null) return;
    const { name, head } = this.view;
    const modules = head === null ? this.cross : [name];
    const cells2 = modules.map((module) => ({ module, head, row: all ? null : row2, column, weight }));
    const others = this.experiment.cells.filter(
      (cell) => !(cell.column === column && (all || cell.row === row2) && modules.includes(cell.module))
    );
    this.set({ ...this.experiment, cells: [...others, ...cells2] });
  }
  /** @param {boolean} off */
  turnHead(off) {
    const { name, head } = this.view;
    if (head === null) return;
    const others = this.experiment.heads.filter((other) => other.module !== name || other.head !== head);
    this.set({ ...this.experiment, heads: off ? [...others, { module: name, head }] : others });
  }
  /** @param {"word" | "end"} news */
  hear(news) {
    const { rows, before, now } = this.runner;
    if (news === "end") this.chosen.row = Math.max(0, Math.min(this.chosen.row, rows.length - 1));
    if (!this.touched) this.chosen.row = news === "word" ? rows.length - 1 : leastSure(rows);
    if (news === "end") {
      this.note();
      const [was, is] = [before && this.text(before), now && this.text(now)];
      this.card.say(is ? `It wrote “${was}”. Changed, it writes “${is}”.` : was ? `It writes “${was}”.` : "");
    }
    this.draw();
  }
  /** What the field says about its words. @param {number} [known] */
  note(known) {
    const { tokens, before } = this.runner;
    const strange = before ? tokens.filter((_, i) => before.unknown[i]).map((word) => `“${word}”`) : [];
    if (strange.length)
      this.field.say(`It does not know ${strange.join(", ")}, and reads <unk>, “unknown”, there.`, true);
    else if (known)
      this.field.say(`It knows ${known.toLocaleString("en")} words; those that fit are offered as you type.`);
    else if (!this.translator.about) this.field.say("Type a sentence: it translates as you write.");
  }
  /** @param {Outcome} outcome */
  text(outcome) {
    return join(outcome.target, this.model.get("target"), this.model.get("capitals"));
  }
  data() {
    const written = this.runner.rows.map(({ attention, ...row2 }) => {
      const plain = Object.entries(attention).map(([name, heads]) => [name, heads.map((head) => [...head])]);
      return { ...row2, attention: Object.fromEntries(plain) };
    });
    const step = this.steps.length > 1 ? { step: this.steps[this.experiment.stage] } : {};
    return { experiment: this.experiment, ...step, source: this.runner.source, written };
  }
  /** Weights of every row: of the chosen head, or the mean of all. */
  weights() {
    const { name, head } = this.view;
    return this.runner.rows.map(({ attention }) => {
      const heads = attention[name] ?? [];
      if (head !== null) return heads[head] ?? [];
      return Array.from(heads[0] ?? [], (_, j) => heads.reduce((sum, one) => sum + one[j], 0) / heads.length);
    });
  }
  draw() {
    const { experiment, chosen, runner, view } = this;
    const { rows, source, before, now } = runner;
    const weights = this.weights();
    const pieces = rows.map(({ piece }) => piece);
    const old = isChanged(experiment) && before ? runner.trained.map(({ piece }) => piece) : pieces;
    const cells2 = experiment.cells.filter(
      ({ module, head }) => module === view.name && (head === null || head === view.head)
    );
    this.picture.draw({
      columns: source,
      unknown: source.map((piece) => piece === "<unk>"),
      rows,
      weights,
      changed: changedWords(old, pieces),
      mark(row3, column) {
        const cell = cells2.filter((one) => one.column === column && (one.row ?? row3) === row3).pop();
        return cell ? cell.weight === null ? "forbidden" : "forced" : null;
      },
      chosen,
      kind: this.kind
    });
    const row2 = rows[chosen.row];
    this.alternatives.show(row2);
    const word = chosen.column === null ? null : source[chosen.column] ?? null;
    const weight = inWords(weights[chosen.row]?.[chosen.column ?? 0] ?? 0);
    const about = word && row2 ? `“${row2.piece}” looks at “${word}”: ${weight}` : "";
    this.changes.show({ about, sourceWord: word, last: chosen.column === source.length - 1, view, experiment });
    this.stages.show(experiment.stage);
    const written = (one) => one && { text: this.text(one), words: one.target, p: Math.exp(one.logP) };
    this.compare.show(written(before), written(now), now?.judged == null ? null : Math.exp(now.judged));
  }
};
var leastSure = (rows) => rows.reduce((least, { p }, i) => p < rows[least].p ? i : least, 0);
function render(place) {
  const view = new TranslateView(place);
  const stop = view.card.start(
    () => view.draw(),
    () => void view.set(view.first)
  );
  return () => {
    view.resized?.disconnect();
    void view.translator.close();
    stop();
  };
}
var translate_view_default = { render };
export {
  translate_view_default as default
};
