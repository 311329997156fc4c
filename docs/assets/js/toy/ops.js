// The operations of a transformer, each as its formula, on plain arrays of numbers.

/** @typedef {number[]} Vector */
/** @typedef {number[][]} Matrix */

/** @type {(x: Matrix, W: Matrix) => Matrix} (n, i), (i, o) -> (n, o), term by term along i; W is read row by row */
export const product = (x, W) =>
  x.map((row) => {
    const sums = new Float64Array(W[0].length);
    for (let i = 0; i < row.length; i += 1) {
      const [value, weights] = [row[i], W[i]];
      for (let o = 0; o < sums.length; o += 1) sums[o] += value * weights[o];
    }
    return [...sums];
  });

/** @type {(x: Matrix, y: Matrix) => Matrix} each row with each row: (n, i), (o, i) -> (n, o), x times y transposed */
export const dots = (x, y) =>
  x.map((row) =>
    y.map((other) => {
      let sum = 0;
      for (let i = 0; i < row.length; i += 1) sum += row[i] * other[i];
      return sum;
    }),
  );

/** @type {(x: Matrix, y: Matrix) => Matrix} element by element */
export const sum = (x, y) => x.map((row, n) => row.map((value, i) => value + y[n][i]));

/** @type {(x: Matrix, b?: Vector) => Matrix} the same b for each row, where there is one */
export const plusBias = (x, b) => (b ? each(x, (value, i) => value + b[i]) : x);

/** @type {(x: Matrix, f: (value: number, column: number, row: number) => number) => Matrix} */
export const each = (x, f) => x.map((row, n) => row.map((value, i) => f(value, i, n)));

/** @type {(row: Vector) => number} */
export const total = (row) => row.reduce((a, b) => a + b, 0);

/**
 * Each row less its mean, divided by its deviation: the root of the population variance plus epsilon; then gain
 * and bias, where there are any. Records `{of}_mean` and `{of}_deviation`, one number a row. Ba, Kiros and Hinton
 * (2016), equations 3 and 4.
 * @param {Matrix} x
 * @param {Vector | undefined} gain
 * @param {Vector | undefined} bias
 * @param {number} epsilon
 * @param {import("./model.js").Recorder} record
 * @param {string} of
 * @returns {Matrix}
 */
export function layerNorm(x, gain, bias, epsilon, record, of) {
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
  const normed = each(centred, (value, _, n) => value / deviation[n]);
  return plusBias(gain ? each(normed, (value, i) => value * gain[i]) : normed, bias);
}

/** @type {(row: Vector) => Vector} each entry divided by the sum of all */
export function shares(row) {
  const whole = total(row);
  return row.map((value) => value / whole);
}

/** @type {(scores: Vector) => Vector} shares that sum to 1; minus infinity gets exactly 0 */
export function softmax(scores) {
  const largest = Math.max(...scores);
  return shares(scores.map((score) => Math.exp(score - largest)));
}

/** @type {(u: number) => number} Hendrycks and Gimpel (2016), section 2, the form with tanh */
export const gelu = (u) => 0.5 * u * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (u + 0.044715 * u ** 3)));

/** @type {(z: Vector, target: number) => number} -ln softmax(z)[target], in nats, which neither over- nor underflows */
export function crossEntropy(z, target) {
  const largest = Math.max(...z);
  return largest + Math.log(total(z.map((value) => Math.exp(value - largest)))) - z[target];
}
