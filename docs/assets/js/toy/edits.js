// Switches: interventions in the computation, as toymodel/runs.py and its recorder know them. An edit takes
// the value that was computed and the trace so far, and gives the value that the computation goes on with.

/** @typedef {any} Value nested arrays of numbers, in the order of the name's axes */
/** @typedef {Map<string, Value>} Trace */
/** @typedef {(value: Value, trace: Trace) => Value} Edit */
/** @typedef {{code: string, edits: Record<string, Edit>}} Switch */

/** @type {(value: Value) => Value} zeros of the same shape */
export const zeros = (value) => (Array.isArray(value) ? value.map(zeros) : 0);

/** @type {(head: number) => Edit} zeros in place of one head's outputs, counted from 1 */
export const silence = (head) => (outputs) =>
  outputs.map((/** @type {Value} */ one, /** @type {number} */ at) => (at === head - 1 ? zeros(one) : one));

/** @type {(name: string) => Edit} the recorded value of another name in its place */
const instead = (name) => (_, trace) => trace.get(name);

/**
 * Every switch: the letter that stands for it in an address, and what it does. Tied output is no edit but
 * another configuration.
 * @type {Record<string, Switch>}
 */
export const SWITCHES = {
  no_attention: { code: "a", edits: { att: zeros } },
  head_1_off: { code: "b", edits: { head_outputs: silence(1) } },
  head_2_off: { code: "c", edits: { head_outputs: silence(2) } },
  no_mask: { code: "d", edits: { masked_scores: instead("scaled_scores") } },
  no_scaling: { code: "e", edits: { scaled_scores: instead("scores") } },
  no_positions: { code: "f", edits: { position_embedding: zeros } },
  no_residual: { code: "g", edits: { h: instead("att"), y: instead("m") } },
  no_mlp: { code: "h", edits: { m: zeros } },
  no_norm: { code: "i", edits: { a: instead("x"), g: instead("h"), f: instead("y") } },
  tied_output: { code: "j", edits: {} },
};

/**
 * The runs that pages compare the toy with (toymodel/runs.py): what each switches off.
 * @type {Record<string, string[]>}
 */
export const RUNS = {
  toy: [],
  "toy.dog": [],
  "toy.beginning": [],
  "toy.swapped": [],
  "toy.whole": [],
  "toy.tied": ["tied_output"],
  "toy.attention_off": ["no_attention"],
  "toy.no_mask": ["no_mask"],
  "toy.no_scaling": ["no_scaling"],
  "toy.head_1_only": ["head_2_off"],
  "toy.head_2_only": ["head_1_off"],
  "toy.positions_off": ["no_positions"],
  "toy.beginning_no_mask": ["no_mask"],
  "toy.swapped_positions_off": ["no_positions"],
};

/**
 * A recorder that keeps every value by its name, after the edits of the switches that are on.
 * @param {Iterable<string>} on
 * @returns {{trace: Trace, record: import("./model.js").Recorder}}
 */
export function recorder(on) {
  /** @type {Trace} */
  const trace = new Map();
  const active = [...on].map((name) => SWITCHES[name].edits);
  return {
    trace,
    record: (name, value) => {
      const edited = active.reduce((current, edits) => (edits[name] ? edits[name](current, trace) : current), value);
      trace.set(name, edited);
      return edited;
    },
  };
}
