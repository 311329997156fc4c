// Addresses are expressions: "toy/z[t=5,v=␣telhado]", "div(exp(toy/z[t=5,v=o]),sum(toy/exp_z[t=5]))". Here
// they are read once and evaluated as often as the toy changes. Printed digits stay exact decimals; all else
// is floating point, as in the model.

import { Decimal } from "./decimal.js";
import { gelu } from "./ops.js";

/** @typedef {number | Decimal | string | Part} Result a number, printed digits, a label, or a tensor */
/** @typedef {{name: string, labels: (string | number)[]}} Axis */
/** @typedef {{axes: Axis[], data: any, exact: boolean}} Part a tensor, or what is left of it */
/** @typedef {{found: Map<string, Result | undefined>, tensor: (run: string, name: string) => Part, count: (address: string) => Decimal}} Source */
/** @typedef {{run: string, name: string, at: Record<string, string>}} Path a tensor's address in its parts */
/** @typedef {{op: string, args: Tree[], text: string, path: Path | null}} Tree a call (`op`, its arguments) or a leaf */

/** What the live toy cannot know: another run's value, a count that was not handed over. */
export class Unknown extends Error {}

/** @type {Map<string, Tree>} */
const known = new Map();

/**
 * @param {string} text an address
 * @returns {Tree}
 */
export function parsed(text) {
  let tree = known.get(text);
  if (!tree) {
    const call = /^([a-z]+)\((.*)\)$/s.exec(text);
    tree = {
      op: call ? call[1] : "",
      args: call ? split(call[2]).map(parsed) : [],
      text,
      path: call ? null : tensorOf(text),
    };
    known.set(text, tree);
  }
  return tree;
}

/** @type {(text: string) => string[]} at the commas that stand inside no bracket */
function split(text) {
  const parts = [];
  let [depth, start] = [0, 0];
  for (let place = 0; place < text.length; place += 1) {
    const char = text[place];
    if (char === "(" || char === "[") depth += 1;
    if (char === ")" || char === "]") depth -= 1;
    if (char === "," && depth === 0) {
      parts.push(text.slice(start, place));
      start = place + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/**
 * A tensor's address in its parts, or null: `toy/z[t=5,v=o]` is of the run `toy`, `z`, at t=5 and v=o.
 * @param {string} text
 * @returns {Path | null}
 */
export function tensorOf(text) {
  const path = /^([a-z0-9_.]+)\/(\w+)(?:\[(.*)\])?$/.exec(text);
  if (!path || path[1] === "counted" || path[1] === "site" || path[1] === "tokens" || path[1] === "averages")
    return null;
  const at = Object.fromEntries(
    split(path[3] ?? "")
      .filter(Boolean)
      .map((one) => one.split("=")),
  );
  return { run: path[1], name: path[2], at };
}

/** @type {(label: string | number) => string} as it stands in an address (worked/address.py, `encoded`) */
export const encoded = (label) =>
  String(label).replace(
    /[,[\]+=%()"'&]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/**
 * The value of an address. Throws Unknown for what the source does not have.
 * @param {Tree} tree
 * @param {Source} source
 * @returns {Result}
 */
export function evaluate(tree, source) {
  if (tree.op === "label" || tree.op === "count") {
    const part = evaluate(tree.args[0], source);
    const labels = isPart(part) ? part.axes.find((axis) => axis.name === tree.args[1].text)?.labels : undefined;
    const found = tree.op === "count" ? labels?.length : labels?.[Number(tree.args[2].text) - 1];
    if (typeof found !== "number") throw new Unknown(tree.text);
    return Decimal.of(found);
  }
  if (tree.op) {
    const operation = OPERATIONS[tree.op];
    if (!operation) throw new Unknown(tree.text);
    return operation(tree.args.map((arg) => evaluate(arg, source)));
  }
  if (tree.path) return narrowed(source.tensor(tree.path.run, tree.path.name), tree.path.at);
  if (tree.text === "-inf") return -Infinity;
  if (tree.text === "pi") return Math.PI;
  if (/^-?[\d.]+(e-?\d+)?$/.test(tree.text)) return Decimal.of(Number(tree.text));
  return source.count(tree.text);
}

/** @type {(label: string, labels: (string | number)[]) => number} positions count from 1; tokens stand encoded */
const placeOf = (label, labels) =>
  typeof labels[0] === "number"
    ? Number(label) <= labels.length
      ? Number(label) - 1
      : -1
    : labels.findIndex((one) => encoded(one) === label);

/** @type {(part: Part, at: Record<string, string>) => Result} */
function narrowed(part, at) {
  let { axes, data } = part;
  for (const [axis, coordinate] of Object.entries(at)) {
    const depth = axes.findIndex((one) => one.name === axis);
    if (depth < 0) throw new Unknown(axis);
    const labels = axes[depth].labels;
    const several = coordinate.includes("+");
    const places = several
      ? coordinate.split("+").map((label) => placeOf(label, labels))
      : [placeOf(coordinate, labels)];
    if (places.includes(-1)) throw new Unknown(coordinate);
    /** @type {(level: any, depth: number) => any} */
    const take = (level, deep) => {
      if (deep) return level.map((/** @type {any} */ one) => take(one, deep - 1));
      return several ? places.map((place) => level[place]) : level[places[0]];
    };
    data = take(data, depth);
    const kept = several ? [{ name: axis, labels: places.map((place) => labels[place]) }] : [];
    axes = [...axes.slice(0, depth), ...kept, ...axes.slice(depth + 1)];
  }
  if (axes.length) return { axes, data, exact: part.exact };
  if (data === undefined) throw new Unknown("not at this position");
  return part.exact ? Decimal.of(data) : data;
}

/** @type {(value: Result) => value is Part} */
export const isPart = (value) => typeof value === "object" && !(value instanceof Decimal);

/** @type {(value: Result) => number[]} every element of a tensor */
const values = (value) => {
  if (!isPart(value)) throw new Unknown("not a tensor");
  return value.axes.length > 1 ? value.data.flat(Infinity) : value.data;
};

/** @type {(numbers: number[]) => number} */
const added = (numbers) => numbers.reduce((a, b) => a + b, 0);

/**
 * On numbers, exactly where all are printed digits and the operation allows it; on a vector, element by element.
 * @type {(plain: (...n: number[]) => number, exact?: (...d: Decimal[]) => Decimal) => (args: Result[]) => Result}
 */
const ofNumbers = (plain, exact) => (args) => {
  const [first, ...others] = args;
  if (isPart(first)) {
    const right = others.map(Number);
    return { axes: first.axes, data: values(first).map((value) => plain(value, ...right)), exact: false };
  }
  if (exact && args.every((arg) => arg instanceof Decimal)) return exact(.../** @type {Decimal[]} */ (args));
  return plain(...args.map(Number));
};

/** @type {(reduce: (numbers: number[]) => number) => (args: Result[]) => Result} a weight stays an exact number */
const ofElements =
  (reduce) =>
  ([part]) => {
    const result = reduce(values(part));
    return isPart(part) && part.exact ? Decimal.of(result) : result;
  };

/** @type {Record<string, (args: Result[]) => Result>} */
const OPERATIONS = {
  add: ofNumbers(
    (...terms) => added(terms),
    (...terms) => terms.reduce((a, b) => a.plus(b)),
  ),
  sub: ofNumbers(
    (a, b) => a - b,
    (a, b) => a.plus(b.negated()),
  ),
  mul: ofNumbers(
    (...factors) => factors.reduce((a, b) => a * b),
    (...factors) => factors.reduce((a, b) => a.times(b)),
  ),
  div: ofNumbers((a, b) => a / b),
  neg: ofNumbers(
    (a) => -a,
    (a) => a.negated(),
  ),
  exp: ofNumbers(Math.exp),
  ln: ofNumbers(Math.log),
  sqrt: ofNumbers(Math.sqrt),
  tanh: ofNumbers(Math.tanh),
  sum: ([part]) => added(values(part)),
  mean: ([part]) => added(values(part)) / values(part).length,
  max: ofElements((numbers) => Math.max(...numbers)),
  min: ofElements((numbers) => Math.min(...numbers)),
  square: ofNumbers(
    (a) => a * a,
    (a) => a.times(a),
  ),
  gelu: ofNumbers(gelu),
  dot: ([a, b]) => added(values(a).map((value, i) => value * values(b)[i])),
  shown: ([value, places]) => {
    if (value instanceof Decimal) return value.to(Number(places));
    return Number.isFinite(value) ? Decimal.rounded(Number(value), Number(places)) : value;
  },
  argmax: ([part]) => {
    const numbers = values(part);
    const largest = Math.max(...numbers);
    if (!isPart(part) || numbers.filter((one) => one === largest).length > 1) throw new Unknown("no single largest");
    return part.axes[0].labels[numbers.indexOf(largest)];
  },
};
