// What addresses mean on this page: the tensors of the toy as it runs, with the labels of their axes.

import { Unknown, evaluate, parsed, tensorOf } from "./address.js";
import { Decimal } from "./decimal.js";

/** @typedef {import("./address.js").Source} Source */
/** @typedef {import("./address.js").Result} Result */

/**
 * A source of the run `toy` for one trace. Other runs are other toys: Unknown.
 * @param {import("./edits.js").Trace} trace
 * @param {number[]} prompt
 * @param {import("./state.js").Toy} toy
 * @returns {Source}
 */
export function sourceOf(trace, prompt, toy) {
  /** @type {Map<string, import("./address.js").Part>} */
  const parts = new Map();
  /** @type {(length: number) => number[]} */
  const counted = (length) => Array.from({ length }, (_, i) => i + 1);
  /** @type {Record<string, {axes: string[], data: any}>} */
  const identities = { // which token each position reads, as values; ids count from 0
    ids: { axes: ["t"], data: prompt },
    id_of: { axes: ["v"], data: toy.vocabulary.map((_, id) => id) },
    one_hot: { axes: ["t", "v"], data: prompt.map((id) => toy.vocabulary.map((_, at) => Number(at === id))) },
  };

  /** @type {(name: string) => import("./address.js").Part} */
  function part(name) {
    const exact = name in toy.parameters || name in identities;
    const data = name in identities ? identities[name].data : trace.get(name);
    if (data === undefined) throw new Unknown(name);
    const axes = name in identities ? identities[name].axes : toy.names[name].axes;
    let level = data;
    return {
      data, exact, axes: axes.map((axis) => {
        const labels = axis === "v" ? toy.vocabulary : counted(level.length);
        level = level[0];
        return { name: axis, labels };
      }),
    };
  }

  return {
    found: new Map(),
    tensor(run, name) {
      if (run !== "toy") throw new Unknown(run);
      const found = parts.get(name) ?? part(name);
      parts.set(name, found);
      return found;
    },
    count(address) {
      if (!(address in toy.counted)) throw new Unknown(address);
      return Decimal.of(toy.counted[address]);
    },
  };
}

/** @type {(text: string, source: Source) => Result | undefined} undefined where the toy cannot know it */
export function valueOf(text, source) {
  if (source.found.has(text)) return source.found.get(text); // a page prints the same value at many places
  let value;
  try {
    value = evaluate(parsed(text), source);
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
  }
  source.found.set(text, value);
  return value;
}

/** @type {(tree: import("./address.js").Tree) => boolean} whether a change of the toy can reach it */
export function depends(tree) {
  if (tree.op === "label" || (tree.op === "count" && tree.args[0].text.startsWith("toy."))) return false;
  if (/^tokens\/toy\/(text|ids|sizes\/(characters|tokens)|back)\b|^averages\//.test(tree.text)) return true;
  return tree.args.length ? tree.args.some(depends) : tensorOf(tree.text) !== null;
}
