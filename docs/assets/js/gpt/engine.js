// What the laboratory asks of a model: a forward pass with parts switched off, what each block would already
// answer, and writing on.

import { silence, zeros } from "../toy/edits.js";
import { distribution, draw } from "../toy/generate.js";
import { logits, unembed } from "../toy/model.js";
import { cache } from "./cache.js";
import { uniforms } from "./random.js";

/** @typedef {import("./checkpoint.js").Model} Model */
/** @typedef {import("../toy/model.js").Vector} Vector */
/** @typedef {import("../toy/model.js").Matrix} Matrix */
/** @typedef {import("../toy/model.js").Recorder} Recorder */
/** Attention that is switched off: all of a block's, or one head's; both count from 1. @typedef {{block: number, head?: number}} Off */
/**
 * Logits (t, v), each block's attention weights (head, t, s) and output y (t, d), and what each block's y would
 * answer after the last token: the final norm and the output applied to it (v). nostalgebraist, "interpreting GPT:
 * the logit lens" (2020).
 * @typedef {{z: Matrix, weights: Matrix[][], y: Matrix[], lens: Vector[]}} Run
 */
/** @typedef {{temperature: number, top_k: number, seed: number | null}} How without a seed the likeliest each time */

/** @type {Recorder} */
const silent = (_, value) => value;

/** @type {(off: Off[], record: Recorder) => Recorder} zeros in the place of what is switched off */
const without = (off, record) => (name, value, block) => {
  /** @type {any} */
  let edited = value;
  for (const one of off) {
    if (one.block !== block) continue;
    if (name === "att" && !one.head) edited = zeros(edited);
    if (name === "head_outputs" && one.head) edited = silence(one.head)(edited, new Map());
  }
  return record(name, edited, block);
};

/**
 * @param {Model} model
 * @param {number[]} ids
 * @param {Off[]} off
 * @returns {Run}
 */
export function run({ config, parameters }, ids, off = []) {
  /** @type {{weights: Matrix[][], y: Matrix[]}} */
  const kept = { weights: [], y: [] };
  /** @type {Recorder} */
  const keep = (name, value, block) => {
    if (name === "weights" || name === "y") kept[name][Number(block) - 1] = /** @type {any} */ (value);
    return value;
  };
  const z = logits(ids, parameters, config, without(off, keep));
  return { ...kept, z, lens: kept.y.map((y) => unembed(y.slice(-1), parameters, config, silent)[0]) };
}

/**
 * The tokens that follow, one after another, until the context is full: each one's id, and its share in the
 * distribution it was chosen from (toymodel/generate.py). Each step computes one row; the others' keys and values are
 * kept, which is right with attention switched off, too: that changes a row by itself.
 * @param {Model} model
 * @param {number[]} ids
 * @param {Off[]} off
 * @param {How} how
 * @returns {Generator<{id: number, p: number}, void>}
 */
export function* written({ config, parameters }, ids, off, { temperature, top_k, seed }) {
  const record = cache(parameters.P, without(off, silent));
  const random = seed === null ? () => null : uniforms(seed);
  let fresh = ids;
  for (let length = ids.length; length < config.context_length; length += 1) {
    const z = logits(fresh, parameters, config, record);
    const p = distribution(z[z.length - 1], { temperature, top_k, top_p: 1, random: null });
    const id = draw(p, random());
    yield { id, p: p[id] };
    fresh = [id];
  }
}
