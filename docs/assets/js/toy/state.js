// What a reader has changed: the prompt, switches, how a token is drawn, single weights. A state is never
// altered, only followed by another, so that undoing is taking one back.

import { recorder } from "./edits.js";
import { forward } from "./model.js";

/**
 * @typedef {{prompt: number[], switches: Set<string>, sampling: import("./generate.js").Sampling,
 *   weights: Map<string, Map<number, number>>}} State weights: by name, by place in the flattened tensor
 */
/**
 * What the build writes about the toy (worked/alive.py).
 * @typedef {{fingerprint: string, vocabulary: string[], merges: string[][], prompt: number[], continuation: number,
 *   epsilon: number, width: number, head_width: number, units: number, parameters: Record<string, any>,
 *   names: Record<string, {axes: string[], family: string}>, counted: Record<string, number>,
 *   made: Record<string, {page: string, hash: string}>, runs: Record<string, number[]>}} Data
 */
/** @typedef {ReturnType<typeof toyOf>} Toy */
/** @typedef {ReturnType<typeof live>} Live */

/**
 * The toy as the site tells of it, from the data that the build wrote.
 * @param {Data} data
 */
export function toyOf(data) {
  const names = Object.keys(data.parameters);
  const sizes = Object.fromEntries(names.map((name) => [name, flat(data.parameters[name]).length]));
  return {
    ...data,
    sizes,
    longest: data.parameters.P.length,
    /** @returns {State} */
    initial: () => ({
      prompt: [...data.prompt],
      switches: new Set(),
      sampling: { temperature: 1, top_k: data.vocabulary.length, top_p: 1, random: null },
      weights: new Map(names.map((name) => [name, new Map()])),
    }),
  };
}

/** @type {(value: any) => number[]} */
export const flat = (value) => (Array.isArray(value) ? value.flat(Infinity) : [value]);

/** @type {(state: State) => State} a state that may be altered before anyone else has seen it */
export const copy = (state) => ({
  prompt: [...state.prompt],
  switches: new Set(state.switches),
  sampling: { ...state.sampling },
  weights: new Map([...state.weights].map(([name, cells]) => [name, new Map(cells)])),
});

/** @type {(value: any, cells: Map<number, number>) => any} the same nesting, with some numbers replaced */
function replaced(value, cells) {
  let place = 0;
  /** @type {(part: any) => any} */
  const walk = (part) => (Array.isArray(part) ? part.map(walk) : (cells.get(place++) ?? part));
  return cells.size ? walk(value) : value;
}

/**
 * Run the toy in a state: every recorded value by its name, the parameters among them.
 * @param {State} state
 * @param {Toy} toy
 * @returns {import("./edits.js").Trace}
 */
export function run(state, toy) {
  /** @type {any} */
  const parameters = {};
  for (const name of Object.keys(toy.parameters)) {
    parameters[name] = replaced(toy.parameters[name], state.weights.get(name) ?? new Map());
  }
  const { trace, record } = recorder(state.switches);
  const config = { epsilon: toy.epsilon, tied_output: state.switches.has("tied_output") };
  const whole = state.prompt.join() === toy.prompt.join(); // only then it is known what follows
  const w = { ...parameters, blocks: [parameters] };
  forward(state.prompt, w, config, record, [...state.prompt.slice(1), ...(whole ? [toy.continuation] : [])]);
  return new Map([...Object.entries(parameters), ...trace]);
}

/**
 * The toy that is running on this page. Whoever subscribes is called after every change.
 * @param {Toy} toy
 */
export function live(toy) {
  const original = run(toy.initial(), toy);
  let state = toy.initial();
  let trace = original;
  /** @type {State[]} */
  const past = [];
  /** @type {(() => void)[]} */
  const listeners = [];

  /** @param {State} next @param {...State} before what undoing goes back to */
  function become(next, ...before) {
    trace = run(next, toy); // first: a state that does not run is not taken
    past.push(...before);
    state = next;
    listeners.forEach((listener) => listener());
  }

  return {
    toy,
    original,
    get state() {
      return state;
    },
    get trace() {
      return trace;
    },
    get canUndo() {
      return past.length > 0;
    },
    /** @param {() => void} listener */
    subscribe: (listener) => {
      listeners.push(listener);
    },
    /** Change a copy of the state. @param {(state: State) => void} change */
    change(change) {
      const next = copy(state);
      change(next);
      become(next, state);
    },
    /** @param {State} next */
    open: (next) => become(next),
    undo() {
      const before = past.pop();
      if (before) become(before);
    },
    reset() {
      this.change((next) => Object.assign(next, toy.initial()));
    },
    /** Give one weight, by its place in the flattened tensor, a value; its own takes the change back. @param {string} name @param {number} place @param {number} value */
    setWeight(name, place, value) {
      this.change((next) => {
        const cells = /** @type {Map<number, number>} */ (next.weights.get(name));
        if (flat(toy.parameters[name])[place] === value) cells.delete(place);
        else cells.set(place, value);
      });
    },
  };
}
