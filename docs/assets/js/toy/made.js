// How each tensor is made: for one element, the address of the computation that leads to it, in the language
// of the pages' own addresses. What is shown as a formula is so the very thing that is evaluated.

import { encoded } from "./address.js";

/** @typedef {Record<string, string>} At coordinates by axis */
/** @typedef {{at: At, cell: (name: string, at: Record<string, string | number>) => string,
 *   length: number, tokens: string[], toy: import("./state.js").Toy, state: import("./state.js").State}} Case */

/** @type {(op: string, ...args: string[]) => string} */
const call = (op, ...args) => `${op}(${args.join(",")})`;

/** @type {(length: number) => number[]} */
const counted = (length) => Array.from({ length }, (_, i) => i + 1);

/** @type {(length: number, term: (place: number) => string) => string} */
const added = (length, term) => call("add", ...counted(length).map(term));

/** @type {(from: string) => Record<string, (one: Case) => string>} the norm of `from`: mean, deviation, result */
const norm = (from, to = { x: "a", h: "g", y: "f" }[from] ?? "") => ({
  [`${from}_mean`]: ({ at, cell, toy }) =>
    call(
      "div",
      added(toy.width, (d) => cell(from, { t: at.t, d })),
      "counted/toy.width",
    ),
  [`${from}_deviation`]: ({ at, cell, toy }) =>
    call(
      "sqrt",
      call(
        "add",
        call(
          "div",
          added(toy.width, (d) =>
            call("square", call("sub", cell(from, { t: at.t, d }), cell(`${from}_mean`, { t: at.t }))),
          ),
          "counted/toy.width",
        ),
        "counted/toy.epsilon",
      ),
    ),
  [to]: ({ at, cell }) =>
    call("div", call("sub", cell(from, at), cell(`${from}_mean`, { t: at.t })), cell(`${from}_deviation`, { t: at.t })),
});

/** @type {(axis: "t" | "s", name: string) => (one: Case) => string} a head's projection of the normalised rows */
const projection =
  (axis, name) =>
  ({ at, cell, toy }) =>
    added(toy.width, (d) => call("mul", cell("a", { t: at[axis], d }), cell(name, { head: at.head, d, c: at.c })));

/** @type {Record<string, (one: Case) => string>} */
export const MADE = {
  token_embedding: ({ at, cell, tokens }) => cell("E", { v: encoded(tokens[Number(at.t) - 1]), d: at.d }),
  position_embedding: ({ at, cell }) => cell("P", { slot: at.t, d: at.d }),
  x: ({ at, cell }) => call("add", cell("token_embedding", at), cell("position_embedding", at)),
  ...norm("x"),
  q: projection("t", "W_q"),
  k: projection("s", "W_k"),
  v: projection("s", "W_v"),
  scores: ({ at, cell, toy }) =>
    added(toy.head_width, (c) =>
      call("mul", cell("q", { head: at.head, t: at.t, c }), cell("k", { head: at.head, s: at.s, c })),
    ),
  scaled_scores: ({ at, cell }) => call("div", cell("scores", at), call("sqrt", "counted/toy.head_width")),
  masked_scores: ({ at, cell }) => (Number(at.s) > Number(at.t) ? "-inf" : cell("scaled_scores", at)),
  weights: ({ at, cell, length, state }) => {
    const seen = state.switches.has("no_mask") ? length : Number(at.t);
    return Number(at.s) > seen
      ? call("exp", cell("masked_scores", at))
      : call(
          "div",
          call("exp", cell("masked_scores", at)),
          added(seen, (s) => call("exp", cell("masked_scores", { ...at, s }))),
        );
  },
  head_outputs: ({ at, cell, length, state }) =>
    added(state.switches.has("no_mask") ? length : Number(at.t), (s) =>
      call("mul", cell("weights", { head: at.head, t: at.t, s }), cell("v", { head: at.head, s, c: at.c })),
    ),
  concatenated: ({ at, cell, toy }) =>
    cell("head_outputs", {
      head: Math.ceil(Number(at.j) / toy.head_width),
      t: at.t,
      c: ((Number(at.j) - 1) % toy.head_width) + 1,
    }),
  att: ({ at, cell, toy }) =>
    added(toy.width, (j) => call("mul", cell("concatenated", { t: at.t, j }), cell("W_O", { j, d: at.d }))),
  h: ({ at, cell }) => call("add", cell("x", at), cell("att", at)),
  ...norm("h"),
  pre_activation: ({ at, cell, toy }) =>
    call(
      "add",
      ...counted(toy.width).map((d) => call("mul", cell("g", { t: at.t, d }), cell("W_1", { d, u: at.u }))),
      cell("b_1", { u: at.u }),
    ),
  activation: ({ at, cell }) => call("gelu", cell("pre_activation", at)),
  m: ({ at, cell, toy }) =>
    call(
      "add",
      ...counted(toy.units).map((u) => call("mul", cell("activation", { t: at.t, u }), cell("W_2", { u, d: at.d }))),
      cell("b_2", { d: at.d }),
    ),
  y: ({ at, cell }) => call("add", cell("h", at), cell("m", at)),
  ...norm("y"),
  z: ({ at, cell, toy, state }) =>
    added(toy.width, (d) =>
      call(
        "mul",
        cell("f", { t: at.t, d }),
        state.switches.has("tied_output") ? cell("E", { v: at.v, d }) : cell("W_U", { d, v: at.v }),
      ),
    ),
  exp_z: ({ at, cell }) => call("exp", cell("z", at)),
  p: ({ at, cell, toy }) =>
    call(
      "div",
      cell("exp_z", at),
      call("add", ...toy.vocabulary.map((token) => cell("exp_z", { t: at.t, v: encoded(token) }))),
    ),
  loss: ({ at, cell, tokens, toy }) =>
    call(
      "neg",
      call(
        "ln",
        cell("p", {
          t: at.t,
          v: encoded(tokens[Number(at.t)] ?? toy.vocabulary[toy.continuation]),
        }),
      ),
    ),
};

/**
 * The address of the computation that makes one element of a tensor of the toy; null for a weight, which is
 * given.
 * @param {string} name
 * @param {At} at
 * @param {import("./state.js").State} state
 * @param {import("./state.js").Toy} toy
 * @returns {string | null}
 */
export function made(name, at, state, toy) {
  if (!MADE[name] || toy.names[name].axes.some((axis) => !(axis in at))) return null;
  return MADE[name]({
    at,
    state,
    toy,
    length: state.prompt.length,
    tokens: state.prompt.map((id) => toy.vocabulary[id]),
    cell: (other, spot) => `toy/${other}[${toy.names[other].axes.map((axis) => `${axis}=${spot[axis]}`).join(",")}]`,
  });
}
