// The model: token ids in, probabilities of the next token out. The same computation as toymodel/model.py,
// stage by stage and letter by letter; every stage hands its value to `record`, which returns the value
// that the computation goes on with. The names and their axes are the registry's.

import { crossEntropy, dots, each, gelu, layerNorm, plusBias, product, shares, softmax, sum } from "./ops.js";

/** @typedef {import("./ops.js").Vector} Vector */
/** @typedef {import("./ops.js").Matrix} Matrix */
/** @typedef {<T>(name: string, value: T, block?: number) => T} Recorder */
/** @typedef {{epsilon: number, tied_output: boolean, shift_logits?: boolean}} Config */
/**
 * A block's parameters by their names: W_q, W_k, W_v (head, d, c), W_O (j, d), W_1 (d, u), b_1 (u), W_2 (u, d),
 * b_2 (d), and where the model has them b_q, b_k, b_v (head, c), b_O (d), gains and biases of the norms (d).
 * @typedef {{W_q: Matrix[], W_k: Matrix[], W_v: Matrix[], W_O: Matrix, W_1: Matrix, b_1: Vector, W_2: Matrix, b_2: Vector,
 *   b_q?: Vector[], b_k?: Vector[], b_v?: Vector[], b_O?: Vector, gain_a?: Vector, bias_a?: Vector, gain_g?: Vector,
 *   bias_g?: Vector}} BlockParameters
 */
/**
 * All of them: E (v, d), P (slot, d), the blocks', and W_U (d, v) where the output is not tied to E.
 * @typedef {{E: Matrix, P: Matrix, blocks: BlockParameters[], W_U: Matrix, gain_f?: Vector, bias_f?: Vector}} Parameters
 */

/** @type {(tokens: number[], w: Parameters, record: Recorder) => Matrix} ids to vectors (t, d) */
function embed(tokens, w, record) {
  if (tokens.length > w.P.length) throw new RangeError(`expected at most ${w.P.length} tokens, got ${tokens.length}`);
  const token_embedding = record(
    "token_embedding",
    tokens.map((id) => w.E[id]),
  ); // t, d
  const position_embedding = record(
    "position_embedding",
    tokens.map((_, t) => w.P[t]),
  ); // t, d
  return record("x", sum(token_embedding, position_embedding)); // t, d
}

/** @type {(a: Matrix, w: BlockParameters, record: Recorder) => Matrix} causal multi-head attention, (t, d) -> (t, d) */
function attention(a, w, record) {
  const q = record(
    "q",
    w.W_q.map((W, head) => plusBias(product(a, W), w.b_q?.[head])),
  ); // head, t, c
  const k = record(
    "k",
    w.W_k.map((W, head) => plusBias(product(a, W), w.b_k?.[head])),
  ); // head, s, c
  const v = record(
    "v",
    w.W_v.map((W, head) => plusBias(product(a, W), w.b_v?.[head])),
  ); // head, s, c
  const scores = record(
    "scores",
    q.map((one, head) => dots(one, k[head])),
  ); // head, t, s
  const width = Math.sqrt(q[0][0].length);
  const scaled_scores = record(
    "scaled_scores",
    scores.map((one) => each(one, (score) => score / width)),
  ); // head, t, s
  const before = k[0].length - a.length; // positions that are only read: those in a cache
  const masked_scores = record(
    "masked_scores",
    scaled_scores.map((one) => each(one, (score, s, t) => (s > t + before ? -Infinity : score))),
  ); // head, t, s
  const weights = record(
    "weights",
    masked_scores.map((one) => one.map(softmax)),
  ); // head, t, s
  const head_outputs = record(
    "head_outputs",
    weights.map((one, head) => product(one, v[head])),
  ); // head, t, c
  const concatenated = record(
    "concatenated",
    a.map((_, t) => head_outputs.flatMap((one) => one[t])),
  ); // t, j
  return record("att", plusBias(product(concatenated, w.W_O), w.b_O)); // t, d
}

/** @type {(g: Matrix, w: BlockParameters, record: Recorder) => Matrix} two layers with GELU between, (t, d) -> (t, d) */
function mlp(g, w, record) {
  const pre_activation = record("pre_activation", plusBias(product(g, w.W_1), w.b_1)); // t, u
  const activation = record("activation", each(pre_activation, gelu)); // t, u
  return record("m", plusBias(product(activation, w.W_2), w.b_2)); // t, d
}

/** @type {(x: Matrix, w: BlockParameters, epsilon: number, record: Recorder) => Matrix} (t, d) -> (t, d) */
function block(x, w, epsilon, record) {
  const a = record("a", layerNorm(x, w.gain_a, w.bias_a, epsilon, record, "x")); // t, d
  const att = attention(a, w, record); // t, d
  const h = record("h", sum(x, att)); // t, d
  const g = record("g", layerNorm(h, w.gain_g, w.bias_g, epsilon, record, "h")); // t, d
  const m = mlp(g, w, record); // t, d
  return record("y", sum(h, m)); // t, d
}

/** @type {(y: Matrix, w: Parameters, config: Config, record: Recorder) => Matrix} (t, d) to logits (t, v) */
export function unembed(y, w, config, record) {
  const f = record("f", layerNorm(y, w.gain_f, w.bias_f, config.epsilon, record, "y")); // t, d
  return record("z", config.tied_output ? dots(f, w.E) : product(f, w.W_U)); // t, v
}

/** @type {(z: Matrix, config: Config, record: Recorder) => Matrix} logits to probabilities: softmax, (t, v) -> (t, v) */
function predict(z, config, record) {
  const shift = z.map((row) => (config.shift_logits ? Math.max(...row) : 0)); // t
  const exp_z = record(
    "exp_z",
    each(z, (value, _, t) => Math.exp(value - shift[t])),
  ); // t, v
  return record("p", exp_z.map(shares)); // t, v
}

/** @type {(tokens: number[], w: Parameters, config: Config, record: Recorder) => Matrix} ids to logits (t, v) */
export function logits(tokens, w, config, record) {
  let stream = embed(tokens, w, record); // t, d
  w.blocks.forEach((one, at) => {
    stream = block(stream, one, config.epsilon, (name, value) => record(name, value, at + 1)); // t, d
  });
  return unembed(stream, w, config, record); // t, v
}

/**
 * Token ids to probabilities (t, v) of the token that follows each. `targets` are the ids that do follow, as
 * far as they are known: the last position's is not, unless someone gives it. Records the loss of those.
 * @param {number[]} tokens
 * @param {Parameters} w
 * @param {Config} config
 * @param {Recorder} record
 * @param {number[]} targets
 * @returns {Matrix}
 */
export function forward(tokens, w, config, record, targets = []) {
  const z = logits(tokens, w, config, record); // t, v
  const p = predict(z, config, record); // t, v
  record(
    "loss",
    targets.map((target, t) => crossEntropy(z[t], target)),
  ); // t
  return p;
}
