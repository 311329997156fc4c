// A checkpoint of GPT-2's layout, in the Hugging Face implementation's names, as our parameters
// (toymodel/checkpoint.py).

import { Damaged } from "./safetensors.js";

/** @typedef {import("./safetensors.js").Tensor} Tensor */
/** @typedef {import("../toy/model.js").Vector} Vector */
/** @typedef {import("../toy/model.js").Matrix} Matrix */
/**
 * @typedef {import("../toy/model.js").Config & {vocabulary_size: number, context_length: number, width: number,
 *   heads: number, blocks: number, mlp_width: number}} Config
 */
/** @typedef {{config: Config, parameters: import("../toy/model.js").Parameters}} Model */

const PREFIX = /^transformer\./;
const MASK = /\.attn\.(masked_)?bias$/; // older files carry the causal mask along
const OUTPUT = "lm_head.weight";

/** Their settings to ours. @type {[theirs: string, ours: keyof Config][]} */
const SIZES = [
  ["vocab_size", "vocabulary_size"],
  ["n_positions", "context_length"],
  ["n_embd", "width"],
  ["n_head", "heads"],
  ["n_layer", "blocks"],
];
/** What the other settings must be for the model to be GPT-2's. @type {Record<string, any[]>} */
const SETTLED = {
  model_type: ["gpt2"],
  activation_function: ["gelu_new", "gelu_pytorch_tanh"],
  scale_attn_weights: [true],
  scale_attn_by_inverse_layer_idx: [false],
  add_cross_attention: [false],
};

/** @type {(settings: Record<string, any>) => Config} config.json in our names; throws Damaged */
export function configOf(settings) {
  for (const [name, accepted] of Object.entries(SETTLED)) {
    if (!accepted.includes(settings[name] ?? accepted[0]))
      throw new Damaged(`config.json: ${name} is ${settings[name]}; GPT-2 has ${accepted[0]}`);
  }
  /** @type {any} */
  const sizes = Object.fromEntries(SIZES.map(([theirs, ours]) => [ours, settings[theirs]]));
  sizes.mlp_width = settings.n_inner ?? 4 * sizes.width;
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isInteger(size) || size < 1)
      throw new Damaged(`config.json: ${name}: expected a positive whole number, got ${size}`);
  }
  if (sizes.width % sizes.heads) throw new Damaged(`config.json: ${sizes.heads} heads do not divide ${sizes.width}`);
  const epsilon = settings.layer_norm_epsilon ?? 1e-5;
  if (!(epsilon > 0)) throw new Damaged(`config.json: layer_norm_epsilon: expected a positive number, got ${epsilon}`);
  return { ...sizes, epsilon, tied_output: settings.tie_word_embeddings ?? true, shift_logits: true };
}

/**
 * The model that a file's tensors make. Throws Damaged for a tensor that is missing or has another shape, and for one
 * that nobody asks for.
 * @param {Record<string, any>} settings of config.json
 * @param {Map<string, Tensor>} tensors
 * @returns {Model}
 */
export function modelOf(settings, tensors) {
  const config = configOf(settings);
  const given = new Map([...tensors].map(([name, value]) => [name.replace(PREFIX, ""), value]));
  const asked = new Set();

  /** @type {(name: string, ...shape: number[]) => Float32Array} */
  function values(name, ...shape) {
    const found = given.get(name);
    if (!found) throw new Damaged(`the tensor ${name} is missing`);
    if (found.shape.join() !== shape.join())
      throw new Damaged(`${name}: expected the shape ${shape.join(" × ")}, got ${found.shape.join(" × ")}`);
    asked.add(name);
    return found.values;
  }

  const { width: d, heads, mlp_width: u, vocabulary_size, context_length } = config;
  /** @type {(name: string, length?: number) => Vector} */
  const vector = (name, length = d) => Array.from(values(name, length));
  /** @type {(name: string, rows: number, columns: number) => Matrix} */
  const matrix = (name, rows, columns) => columnsOf(values(name, rows, columns), columns, 0, columns);

  /** @type {(number: number) => import("../toy/model.js").BlockParameters} */
  function block(number) {
    const at = `h.${number}`;
    const joined = values(`${at}.attn.c_attn.weight`, d, 3 * d); // queries, keys and values side by side
    const biases = vector(`${at}.attn.c_attn.bias`, 3 * d);
    const c = d / heads;
    /** @type {(part: number) => number[]} the first column of each head of the queries, the keys or the values */
    const starts = (part) => Array.from({ length: heads }, (_, head) => part * d + head * c);
    const [W_q, W_k, W_v] = [0, 1, 2].map((part) => starts(part).map((from) => columnsOf(joined, 3 * d, from, c)));
    const [b_q, b_k, b_v] = [0, 1, 2].map((part) => starts(part).map((from) => biases.slice(from, from + c)));
    return {
      ...{ W_q, W_k, W_v, b_q, b_k, b_v },
      W_O: matrix(`${at}.attn.c_proj.weight`, d, d),
      b_O: vector(`${at}.attn.c_proj.bias`),
      gain_a: vector(`${at}.ln_1.weight`),
      bias_a: vector(`${at}.ln_1.bias`),
      gain_g: vector(`${at}.ln_2.weight`),
      bias_g: vector(`${at}.ln_2.bias`),
      W_1: matrix(`${at}.mlp.c_fc.weight`, d, u),
      b_1: vector(`${at}.mlp.c_fc.bias`, u),
      W_2: matrix(`${at}.mlp.c_proj.weight`, u, d),
      b_2: vector(`${at}.mlp.c_proj.bias`),
    };
  }

  const parameters = {
    E: matrix("wte.weight", vocabulary_size, d),
    P: matrix("wpe.weight", context_length, d),
    blocks: Array.from({ length: config.blocks }, (_, number) => block(number)),
    gain_f: vector("ln_f.weight"),
    bias_f: vector("ln_f.bias"),
    W_U: config.tied_output ? [] : transposed(matrix(OUTPUT, vocabulary_size, d)),
  };
  const strange = [...given.keys()].find((name) => !asked.has(name) && name !== OUTPUT && !MASK.test(name));
  if (strange) throw new Damaged(`unknown tensor ${strange}; does config.json leave out blocks?`);
  return { config, parameters };
}

/** @type {(values: Float32Array, width: number, from: number, count: number) => Matrix} some columns of a matrix */
function columnsOf(values, width, from, count) {
  const rows = Array.from({ length: values.length / width }, (_, row) => row * width + from);
  return rows.map((start) => Array.from(values.subarray(start, start + count)));
}

/** @type {(x: Matrix) => Matrix} (n, i) -> (i, n) */
const transposed = (x) => x[0].map((_, i) => x.map((row) => row[i]));
