// Choosing the next token (toymodel/generate.py).

import { softmax, total } from "./ops.js";

/** @typedef {{temperature: number, top_k: number, top_p: number, random: number | null}} Sampling */

/** @type {(p: number[]) => number[]} ids, the likeliest first; among equals the vocabulary's order decides */
const likeliest = (p) => p.map((_, id) => id).sort((a, b) => p[b] - p[a] || a - b);

/** @type {(p: number[], ids: number[]) => number[]} only these, divided by their sum */
function keep(p, ids) {
  const whole = total(ids.map((id) => p[id]).sort((a, b) => a - b));
  return p.map((share, id) => (ids.includes(id) ? share / whole : 0));
}

/**
 * Logits (v) to the probabilities (v) that a token is drawn from. The logits are divided by the temperature;
 * then only the `top_k` likeliest stay; then, of these, only the likeliest whose shares first reach `top_p`
 * together, the one that crosses it included. At temperature 0 everything is on the largest logit.
 * @param {number[]} z
 * @param {Sampling} sampling
 * @returns {number[]}
 */
export function distribution(z, { temperature, top_k, top_p }) {
  const largest = Math.max(...z);
  if (temperature === 0) return z.map((_, id) => (id === z.indexOf(largest) ? 1 : 0));
  let p = softmax(z.map((value) => (value - largest) / temperature));
  if (top_k < p.length) p = keep(p, likeliest(p).slice(0, top_k));
  if (top_p < 1) {
    let before = 0;
    const kept = likeliest(p).filter((id) => {
      const stays = before < top_p;
      before += p[id];
      return stays;
    });
    p = keep(p, kept);
  }
  return p;
}

/**
 * The id at which the shares, added up in the vocabulary's order, pass the random number in [0, 1); the
 * largest share without one.
 * @param {number[]} p
 * @param {number | null} random
 * @returns {number}
 */
export function draw(p, random) {
  if (random === null) return p.indexOf(Math.max(...p));
  let sum = 0;
  const passed = p.findIndex((share) => (sum += share) > random && share > 0);
  return passed >= 0 ? passed : p.findLastIndex((share) => share > 0); // the whole sum can lie a little below 1
}
