// A worked line follows the toy as long as what it says is how the number is made. Where a switch puts another
// value in the place of its result, or the prompt has another length, it stays what it was and is marked.

import { tensorOf } from "./address.js";
import { SWITCHES } from "./edits.js";
import { valueOf } from "./source.js";

/** @typedef {import("./page.js").Item} Item */
/** @typedef {import("./page.js").Now} Now */

/**
 * @param {Element} element
 * @param {Item[]} items
 * @returns {import("./page.js").Block}
 */
export function line(element, items) {
  const result = tensorOf(items[items.length - 1].address);
  const strange = items.some((item) => item.before === undefined);
  const seen = new Set();
  // The rows in which a new value of the model's own stands: there ≈ takes the place of =.
  const signs = [...element.querySelectorAll(".worked-right")].flatMap((row, place) => {
    const own = [...row.querySelectorAll("[data-ref]")]
      .map((one) => one.getAttribute("data-ref") ?? "")
      .filter((address) => tensorOf(address) || address.startsWith("sum("));
    const news = own.some((address) => !seen.has(address));
    own.forEach((address) => seen.add(address));
    const sign = row.querySelector(".mrel");
    return place && news && sign ? [{ sign, was: sign.textContent ?? "" }] : [];
  });
  const formulas = [...element.querySelectorAll(".katex")].map((formula) => ({
    spoken: formula.querySelector(".katex-mathml"),
    visible: formula.querySelector(".katex-html"),
  }));
  let alive = false;

  return {
    items,
    dead({ live: { state, toy }, source }) {
      return (
        strange ||
        state.prompt.length !== toy.prompt.length ||
        (result !== null && replaced(state).has(result.name)) ||
        items.some((item) => valueOf(item.address, source) === undefined)
      );
    },
    /**
     * A line whose numbers changed does not claim that its last digit follows from the printed ones. For those
     * who listen, the visible formula stands in for the MathML, whose numbers are the original's.
     */
    around(_, dead) {
      element.classList.toggle("toy-was", dead);
      const next = items.some((item) => item.element.classList.contains("toy-changed"));
      if (next === alive) return;
      alive = next;
      for (const { sign, was } of signs) sign.textContent = alive ? "≈" : was;
      for (const { spoken, visible } of formulas) {
        spoken?.toggleAttribute("hidden", alive);
        if (alive) visible?.removeAttribute("aria-hidden");
        else visible?.setAttribute("aria-hidden", "true");
      }
    },
  };
}

/** @type {(state: import("./state.js").State) => Set<string>} tensors that a switch makes in another way */
const replaced = (state) =>
  new Set([...state.switches].flatMap((name) => (name === "tied_output" ? ["z"] : Object.keys(SWITCHES[name].edits))));
