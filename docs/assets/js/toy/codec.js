// The state as a short piece of an address, and back. What comes from an address is a stranger's: it is
// checked character by character, and anything odd refuses the whole.

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Toy} Toy */

import { SWITCHES } from "./edits.js";
import { flat } from "./state.js";

const FORMAT = "1"; // of this text; the weights' own fingerprint follows it
const FINE = 10_000; // numbers are written as whole ten-thousandths
const LARGEST = 20; // of a weight, either way

/** @type {(toy: Toy) => string} what a text begins with */
const version = (toy) => FORMAT + toy.fingerprint;

/** @type {(value: number) => boolean} whether a weight may have this value: finite, moderate, short */
export const allowed = (value) =>
  Number.isFinite(value) && Math.abs(value) <= LARGEST && Math.abs(value * FINE - Math.round(value * FINE)) < 1e-6;

/** @type {(value: number) => string} */
const packed = (value) => Math.round(value * FINE).toString(36);

/** @type {(text: string) => number} */
const unpacked = (text) => parseInt(text, 36) / FINE;

/**
 * Version, prompt, switches, sampling, weights, between points; "" for the toy as it is.
 * @param {State} state
 * @param {Toy} toy
 * @returns {string}
 */
export function encode(state, toy) {
  const { temperature, top_k, top_p, random } = state.sampling;
  const same = state.prompt.join() === toy.prompt.join();
  const prompt = same ? "" : state.prompt.map((id) => id.toString(36)).join("");
  const switches = [...state.switches]
    .map((name) => SWITCHES[name].code)
    .sort()
    .join("");
  const sampling = [
    temperature === 1 ? "" : `t${packed(temperature)}`,
    top_k === toy.vocabulary.length ? "" : `k${top_k}`,
    top_p === 1 ? "" : `p${packed(top_p)}`,
    random === null ? "" : `r${packed(random)}`,
  ]
    .filter(Boolean)
    .join("_");
  const names = Object.keys(toy.parameters);
  const weights = [...state.weights]
    .map(([name, cells]) =>
      [...cells]
        .map(([place, value]) => `${names.indexOf(name).toString(36)}${place.toString(36)}~${packed(value)}`)
        .join("_"),
    )
    .filter(Boolean)
    .join("_");
  const parts = [prompt, switches, sampling, weights];
  return parts.every((part) => !part) ? "" : [version(toy), ...parts].join(".").replace(/\.+$/, "");
}

/**
 * The state that a text stands for. Throws RangeError for anything that `encode` would not have written.
 * @param {string} text
 * @param {Toy} toy
 * @returns {State}
 */
export function decode(text, toy) {
  const refuse = (/** @type {string} */ what) => {
    throw new RangeError(what);
  };
  if (text.length > 4000 || !/^[0-9a-z._~-]*$/.test(text)) refuse("characters");
  const [given, prompt = "", switches = "", sampling = "", weights = "", ...more] = text.split(".");
  if (given !== version(toy)) refuse("version");
  if (more.length) refuse("parts");
  const state = toy.initial();
  if (prompt) {
    state.prompt = [...prompt].map((digit) => parseInt(digit, 36));
    if (prompt.length > toy.longest || !state.prompt.every((id) => id < toy.vocabulary.length)) refuse("prompt");
  }
  const codes = Object.entries(SWITCHES);
  for (const letter of switches) {
    const found = codes.find(([, { code }]) => code === letter) ?? refuse("switch");
    state.switches.add(/** @type {[string, any]} */ (found)[0]);
  }
  for (const one of sampling.split("_").filter(Boolean)) {
    const value = unpacked(one.slice(1));
    if (one[0] === "t" && value >= 0 && value <= 100) state.sampling.temperature = value;
    else if (
      one[0] === "k" &&
      /^\d+$/.test(one.slice(1)) &&
      Number(one.slice(1)) >= 1 &&
      Number(one.slice(1)) <= toy.vocabulary.length
    )
      state.sampling.top_k = Number(one.slice(1));
    else if (one[0] === "p" && value > 0 && value <= 1) state.sampling.top_p = value;
    else if (one[0] === "r" && value >= 0 && value < 1) state.sampling.random = value;
    else refuse("sampling");
  }
  const names = Object.keys(toy.parameters);
  for (const one of weights.split("_").filter(Boolean)) {
    const [where, what, ...rest] = one.split("~");
    const name = names[parseInt(where[0], 36)] ?? refuse("weight");
    const place = parseInt(where.slice(1), 36);
    const value = unpacked(what ?? "");
    if (rest.length || !(place >= 0 && place < toy.sizes[name]) || !allowed(value)) refuse("weight");
    if (value === flat(toy.parameters[name])[place]) refuse("no change");
    state.weights.get(name)?.set(place, value);
  }
  if (encode(state, toy) !== text) refuse("spelling"); // one state, one address
  return state;
}
