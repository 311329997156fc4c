// The laboratory of a step: prompt, switches, on Generation the choice of the next token, the step's tensors.

import { make } from "./dom.js";
import { prompt } from "./prompt.js";
import { sampling } from "./sampling.js";
import { switches } from "./switches.js";
import { tensors } from "./tensors.js";

/** What each step shows, in the order of the computation. @type {Record<string, string[]>} */
const SHOWN = {
  embeddings: ["E", "P", "token_embedding", "position_embedding", "x"],
  attention: ["a", "W_q", "W_k", "W_v", "q", "k", "v", "scores", "scaled_scores"],
  heads: ["masked_scores", "weights", "head_outputs", "concatenated", "W_O", "att"],
  block: ["h", "g", "W_1", "b_1", "pre_activation", "activation", "W_2", "b_2", "m", "y"],
  output: ["f", "W_U", "z", "exp_z", "p"],
  generation: ["z", "p"],
};

/**
 * Fill the box of a step.
 * @param {import("./main.js").Context} context
 * @param {string} name
 * @param {HTMLDetailsElement} box
 */
export function laboratory(context, name, box) {
  const { live, words } = context;
  const parts = [prompt(context), switches(context), ...(name === "generation" ? [sampling(context)] : [])];
  box.append(make("p", { class: "toy-hint" }, words.hint), ...parts.map((part) => part.element));
  const own = SHOWN[name] && tensors(context, SHOWN[name]);
  const numbers = make("details", { class: "toy-numbers" }, make("summary", {}, words.numbers));
  if (own) {
    numbers.append(own.element);
    box.append(numbers);
  }
  const refresh = () => {
    if (!box.open) return; // what nobody sees is not computed
    parts.forEach((part) => part.refresh());
    if (own && numbers.open) own.refresh();
  };
  box.addEventListener("toggle", refresh);
  numbers.addEventListener("toggle", refresh);
  live.subscribe(refresh);
  refresh();
}
