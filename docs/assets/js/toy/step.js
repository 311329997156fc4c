// `<toy-step name="output">`: the toy at one step of the path. Closed it is one line, whose height the page
// keeps free, with what the toy answers now; opened, it is a laboratory, which is fetched by then.

import { make } from "./dom.js";
import { format } from "./numbers.js";

/** @typedef {import("./main.js").Context} Context */

const ANSWERS = 3; // how many of the likeliest tokens the line tells

/** @param {Context} context */
export function defineStep(context) {
  customElements.define(
    "toy-step",
    class extends HTMLElement {
      connectedCallback() {
        const name = this.getAttribute("name") ?? "";
        const answer = make("span", { class: "toy-answer", "aria-live": "polite" });
        const box = make(
          "details",
          { class: "toy-lab" },
          make("summary", {}, make("span", { class: "toy-title" }, context.words.title), " ", answer),
        );
        box.addEventListener(
          "toggle",
          async () => {
            const { laboratory } = await import("./lab.js");
            laboratory(context, name, box);
          },
          { once: true },
        );
        this.replaceChildren(box);
        const refresh = () => answers(context, answer);
        context.live.subscribe(refresh);
        refresh();
      }
    },
  );
}

/** @type {(context: Context, element: HTMLElement) => void} what the toy answers now: the likeliest next tokens */
function answers({ live, marks }, element) {
  const p = live.trace.get("p")[live.state.prompt.length - 1];
  const order = p
    .map((/** @type {number} */ _, /** @type {number} */ id) => id)
    .sort((/** @type {number} */ a, /** @type {number} */ b) => p[b] - p[a])
    .slice(0, ANSWERS);
  element.replaceChildren(
    "→ ",
    ...order.flatMap((/** @type {number} */ id) => [
      make("code", { class: "token", translate: "no" }, live.toy.vocabulary[id]),
      ` ${format(p[id], marks.places, marks)} `,
    ]),
  );
}
