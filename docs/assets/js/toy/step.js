// `<toy-step name="output">`: the toy at one step of the path. Closed it is one line, whose height the page
// keeps free; opened, it is a laboratory.

import { make } from "./dom.js";
import { format } from "./numbers.js";
import { prompt } from "./prompt.js";
import { sampling } from "./sampling.js";
import { switches } from "./switches.js";
import { SHOWN, tensors } from "./tensors.js";

/** @typedef {import("./main.js").Context} Context */

const ANSWERS = 3; // how many of the likeliest tokens the line tells

/** @param {Context} context */
export function defineStep(context) {
  customElements.define("toy-step", class extends HTMLElement {
    connectedCallback() {
      const name = /** @type {keyof typeof SHOWN} */ (this.getAttribute("name"));
      const { live, words } = context;
      const answer = make("span", { class: "toy-answer" });
      const parts = [prompt(context), switches(context), ...(name === "generation" ? [sampling(context)] : [])];
      const own = SHOWN[name]?.length ? tensors(context, SHOWN[name]) : null;
      const numbers = make("details", { class: "toy-numbers" }, make("summary", {}, words.numbers));
      const box = make("details", { class: "toy-lab" },
        make("summary", {}, make("span", { class: "toy-title" }, words.title), " ", answer),
        make("p", { class: "toy-hint" }, words.hint), ...parts.map((part) => part.element));
      if (own) {
        numbers.append(own.element);
        box.append(numbers);
      }
      const refresh = () => {
        answers(context, answer);
        if (!box.open) return; // what nobody sees is not computed
        parts.forEach((part) => part.refresh());
        if (own && numbers.open) own.refresh();
      };
      box.addEventListener("toggle", refresh);
      numbers.addEventListener("toggle", refresh);
      live.subscribe(refresh);
      this.replaceChildren(box);
      refresh();
    }
  });
}

/** @type {(context: Context, element: HTMLElement) => void} what the toy answers now: the likeliest next tokens */
function answers({ live, marks }, element) {
  const p = live.trace.get("p")[live.state.prompt.length - 1];
  const order = p.map((/** @type {number} */ _, /** @type {number} */ id) => id)
    .sort((/** @type {number} */ a, /** @type {number} */ b) => p[b] - p[a]).slice(0, ANSWERS);
  element.replaceChildren("→ ", ...order.flatMap((/** @type {number} */ id) => [
    make("code", { class: "token", translate: "no" }, live.toy.vocabulary[id]), ` ${format(p[id], marks.places, marks)} `]));
}
