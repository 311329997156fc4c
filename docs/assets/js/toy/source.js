// What addresses mean on this page: the tensors of the toy as it runs, with the labels of their axes.

import { Unknown, evaluate, parsed, tensorOf } from "./address.js";
import { Decimal } from "./decimal.js";
import { RUNS } from "./edits.js";
import { run } from "./state.js";

/** @typedef {import("./address.js").Source} Source */
/** @typedef {import("./address.js").Result} Result */

/**
 * A source of the toy in a state, and of the runs that pages compare it with: the same weights and switches, with
 * one more thing off, or on a text of their own. What no run has is Unknown.
 * @param {import("./state.js").State} state
 * @param {import("./edits.js").Trace} trace of that state
 * @param {import("./state.js").Toy} toy
 * @returns {Source}
 */
export function sourceOf(state, trace, toy) {
  /** @type {Map<string, import("./address.js").Part>} */
  const parts = new Map();
  /** @type {Map<string, {trace: import("./edits.js").Trace, prompt: number[]}>} */
  const runs = new Map([["toy", { trace, prompt: state.prompt }]]);
  /** @type {(length: number) => number[]} */
  const counted = (length) => Array.from({ length }, (_, i) => i + 1);

  /** @type {(name: string) => {trace: import("./edits.js").Trace, prompt: number[]}} */
  function performed(name) {
    let one = runs.get(name);
    if (!one) {
      if (!RUNS[name]) throw new Unknown(name);
      const own = toy.runs[name];
      const prompt = own.join() === toy.prompt.join() ? state.prompt : own;
      one = { prompt, trace: run({ ...state, prompt, switches: new Set([...state.switches, ...RUNS[name]]) }, toy) };
      runs.set(name, one);
    }
    return one;
  }

  /** @type {Record<string, (prompt: number[]) => {axes: string[], data: any}>} */
  const identities = {
    // which token each position reads, as values; ids count from 0
    ids: (prompt) => ({ axes: ["t"], data: prompt }),
    id_of: () => ({ axes: ["v"], data: toy.vocabulary.map((_, id) => id) }),
    one_hot: (prompt) => ({
      axes: ["t", "v"],
      data: prompt.map((id) => toy.vocabulary.map((_, at) => Number(at === id))),
    }),
  };

  /** @type {(from: string, name: string) => import("./address.js").Part} */
  function part(from, name) {
    const one = performed(from);
    const known = identities[name]?.(one.prompt) ?? { axes: toy.names[name]?.axes, data: one.trace.get(name) };
    if (known.data === undefined) throw new Unknown(name);
    let level = known.data;
    return {
      data: known.data,
      exact: name in toy.parameters || name in identities,
      axes: known.axes.map((axis) => {
        const labels = axis === "v" ? toy.vocabulary : counted(level.length);
        level = level[0];
        return { name: axis, labels };
      }),
    };
  }

  return {
    found: new Map(),
    tensor(from, name) {
      const key = `${from}/${name}`;
      const found = parts.get(key) ?? part(from, name);
      parts.set(key, found);
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
