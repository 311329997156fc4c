// An address as a formula with its operands' values: 0,494 = (−0,987)(−0,5) + …

import { isPart, tensorOf } from "./address.js";
import { Decimal } from "./decimal.js";
import { format } from "./numbers.js";
import { valueOf } from "./source.js";

/** @typedef {import("./address.js").Tree} Tree */
/** @typedef {(string | {address: string, text: string})[]} Parts text, and numbers that know their address */
/** @typedef {{source: import("./address.js").Source, marks: import("./numbers.js").Marks}} Written */

const BINDING = { add: 1, sub: 1, neg: 1, mul: 2, div: 3 };
const NAMES = { exp: "exp", ln: "ln", sqrt: "√", tanh: "tanh", gelu: "GELU", max: "max", min: "min" };

/** @type {(address: string, how: Written) => {address: string, text: string}} one number as it is printed */
function leaf(address, { source, marks }) {
  const value = valueOf(address, source);
  const tensor = tensorOf(address);
  const text =
    value === undefined || isPart(value)
      ? address
      : typeof value === "string"
        ? value
        : format(
            value,
            value instanceof Decimal || (tensor === null && Number.isInteger(value))
              ? null
              : Math.abs(value) < 1e-3 && tensor === null
                ? null
                : marks.places,
            marks,
          );
  return { address, text };
}

/** @type {(op: string, vector: Tree, how: Written) => Parts} a sum of elements, written out where they are few */
function reduced(op, vector, { source, marks }) {
  const part = valueOf(vector.text, source);
  if (part === undefined || !isPart(part)) return [`${op} `, vector.text];
  const numbers = part.data
    .flat(Infinity)
    .map((/** @type {number} */ value) => format(value, part.exact ? null : marks.places, marks));
  const listed = numbers.length > 16 ? [...numbers.slice(0, 3), "…", numbers[numbers.length - 1]] : numbers;
  const signed = listed.map((/** @type {string} */ one, /** @type {number} */ i) =>
    i && one.startsWith("−") ? `(${one})` : one,
  );
  if (op === "max" || op === "min") return [`${op}{${listed.join(`${marks.list} `)}}`];
  return op === "sum" ? [signed.join(" + ")] : [`(${signed.join(" + ")}) / ${numbers.length}`];
}

/**
 * The formula of a tree, with brackets around what is negative or binds less than what surrounds it.
 * @param {Tree} tree
 * @param {Written} how
 * @param {number} around
 * @returns {Parts}
 */
export function formula(tree, how, around = 0) {
  const { op, args } = tree;
  if (tree.text === "-inf") return ["−∞"];
  if (!op || op === "label" || op === "count") {
    const one = leaf(tree.text, how);
    return around > 0 && one.text.startsWith("−") ? ["(", one, ")"] : [one];
  }
  if (op === "shown" || op === "argmax") return [leaf(tree.text, how)];
  const binding = /** @type {Record<string, number>} */ (BINDING)[op] ?? 9;
  /** @type {Parts} */
  let parts;
  if (op === "add") parts = args.flatMap((arg, i) => [...(i ? [" + "] : []), ...formula(arg, how, i ? 1.5 : 0)]);
  else if (op === "sub") parts = [...formula(args[0], how, 1), " − ", ...formula(args[1], how, 1.5)];
  else if (op === "neg") parts = ["−", ...formula(args[0], how, 2)];
  else if (op === "mul") parts = args.flatMap((arg, i) => [...(i ? [" · "] : []), ...formula(arg, how, 2)]);
  else if (op === "div") parts = [...formula(args[0], how, 3), " / ", ...formula(args[1], how, 3)];
  else if (op === "square") parts = [...formula(args[0], how, 9), "²"];
  else if (op === "dot") parts = [args[0].text, " · ", args[1].text];
  else if (op === "sum" || op === "mean" || op === "max" || op === "min") parts = reduced(op, args[0], how);
  else parts = [`${/** @type {Record<string, string>} */ (NAMES)[op] ?? op}(`, ...formula(args[0], how), ")"];
  return binding < around ? ["(", ...parts, ")"] : parts;
}
