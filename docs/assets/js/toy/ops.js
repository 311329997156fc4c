// The operations of a transformer, each as its formula, on plain arrays of numbers.

/** @typedef {number[]} Vector */
/** @typedef {number[][]} Matrix */

/** @type {(x: Matrix, W: Matrix) => Matrix} (n, i), (i, o) -> (n, o) */
export const product = (x, W) =>
  x.map((row) => W[0].map((_, o) => row.reduce((sum, value, i) => sum + value * W[i][o], 0)));

/** @type {(x: Matrix) => Matrix} (n, i) -> (i, n) */
export const transposed = (x) => x[0].map((_, i) => x.map((row) => row[i]));

/** @type {(x: Matrix, y: Matrix) => Matrix} element by element */
export const sum = (x, y) => x.map((row, n) => row.map((value, i) => value + y[n][i]));

/** @type {(x: Matrix, b: Vector) => Matrix} the same b for each row */
export const plusBias = (x, b) => x.map((row) => row.map((value, i) => value + b[i]));

/** @type {(x: Matrix, f: (value: number, column: number, row: number) => number) => Matrix} */
export const each = (x, f) => x.map((row, n) => row.map((value, i) => f(value, i, n)));

/** @type {(row: Vector) => number} */
export const total = (row) => row.reduce((a, b) => a + b, 0);

/**
 * Each row less its mean, divided by its deviation: the root of the population variance plus epsilon.
 * Records `{of}_mean` and `{of}_deviation`, one number a row. Ba, Kiros and Hinton (2016), equations 3 and 4.
 * @param {Matrix} x
 * @param {number} epsilon
 * @param {import("./model.js").Recorder} record
 * @param {string} of
 * @returns {Matrix}
 */
export function layerNorm(x, epsilon, record, of) {
  const mean = record(
    `${of}_mean`,
    x.map((row) => total(row) / row.length),
  );
  const centred = each(x, (value, _, n) => value - mean[n]);
  const variance = centred.map((row) => total(row.map((value) => value * value)) / row.length);
  const deviation = record(
    `${of}_deviation`,
    variance.map((value) => Math.sqrt(value + epsilon)),
  );
  return each(centred, (value, _, n) => value / deviation[n]);
}

/** @type {(scores: Vector) => Vector} shares that sum to 1; minus infinity gets exactly 0 */
export function softmax(scores) {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  return exponentials.map((value) => value / total(exponentials));
}

/** @type {(u: number) => number} Hendrycks and Gimpel (2016), section 2, the form with tanh */
export const gelu = (u) => 0.5 * u * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (u + 0.044715 * u ** 3)));

/** @type {(z: Vector, target: number) => number} -ln softmax(z)[target], in nats, which neither over- nor underflows */
export function crossEntropy(z, target) {
  const largest = Math.max(...z);
  return largest + Math.log(total(z.map((value) => Math.exp(value - largest)))) - z[target];
}
