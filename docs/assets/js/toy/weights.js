// Editing a weight where it stands: a small field opens over the cell, and what is typed counts at once.

import { tensorOf, encoded } from "./address.js";
import { allowed } from "./codec.js";
import { make } from "./dom.js";
import { numberAt } from "./follow.js";
import { inFull } from "./foot.js";
import { read } from "./numbers.js";
import { flat } from "./state.js";

/** @typedef {import("./main.js").Context} Context */

const STEP = 0.1; // what an arrow key adds to a weight

/**
 * Which weight an address names: its tensor, and its place in the flattened tensor. Null for anything else.
 * @param {string} address
 * @param {import("./state.js").Toy} toy
 * @returns {{name: string, place: number} | null}
 */
export function weightOf(address, toy) {
  const tensor = tensorOf(address);
  if (!tensor || tensor.run !== "toy" || !(tensor.name in toy.parameters)) return null;
  let [place, level] = [0, toy.parameters[tensor.name]];
  for (const axis of toy.names[tensor.name].axes) {
    const given = tensor.at[axis];
    const at = axis === "v" ? toy.vocabulary.findIndex((token) => encoded(token) === given) : Number(given) - 1;
    if (!(at >= 0 && at < level.length)) return null;
    place = place * level.length + at;
    level = level[at];
  }
  return { name: tensor.name, place };
}

/** @param {Context} context */
export function weights({ live, marks, words }) {
  const { toy } = live;
  /** @type {HTMLElement | null} */
  let cell = null;
  const said = make("span", { class: "toy-said", role: "status" });
  const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false", enterkeyhint: "done" });
  const box = make("div", { class: "toy-field", hidden: true }, field, said);
  document.body.append(box);

  /** @type {(number: HTMLElement, typed?: string) => void} */
  function open(number, typed) {
    const address = number.getAttribute("data-ref") ?? "";
    const weight = weightOf(address, toy);
    if (!weight) return;
    cell = number;
    box.hidden = false;
    const around = number.getBoundingClientRect();
    const left = Math.min(around.left, document.documentElement.clientWidth - box.offsetWidth - 8);
    box.style.left = `${Math.max(4, left) + scrollX}px`;
    box.style.top = `${around.top + scrollY}px`;
    said.textContent = "";
    field.setAttribute("aria-label", `${words.edit} ${address}`);
    field.value = typed ?? inFull(flat(live.trace.get(weight.name))[weight.place], marks);
    field.focus({ preventScroll: true });
    if (typed === undefined) field.select();
    else apply();
  }

  function apply() {
    const weight = cell && weightOf(cell.getAttribute("data-ref") ?? "", toy);
    if (!weight) return;
    const value = read(field.value, marks);
    const fine = allowed(value);
    field.setAttribute("aria-invalid", String(!fine));
    said.textContent = fine ? "" : words.bad_weight;
    if (fine && flat(live.trace.get(weight.name))[weight.place] !== value)
      live.setWeight(weight.name, weight.place, value);
  }

  /** @type {(back: boolean) => void} */
  function close(back) {
    if (box.hidden) return;
    box.hidden = true;
    const number = cell;
    cell = null;
    if (back && number) {
      number.tabIndex = -1;
      number.focus({ preventScroll: true });
    }
  }

  field.addEventListener("input", apply);
  field.addEventListener("blur", () => close(false));
  field.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter" || event.key === "Escape") close(true);
    else if (by) {
      const value = read(field.value, marks);
      if (Number.isNaN(value)) return;
      field.value = inFull(Math.round((value + by * STEP) * 1e4) / 1e4, marks);
      apply();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.matches(".toy-edit")) {
      const address = event.target.getAttribute("data-address") ?? "";
      const there = [...document.querySelectorAll(`.toy-lit[data-ref="${CSS.escape(address)}"]`)].find(
        (one) => one.checkVisibility?.() ?? true,
      );
      if (there) open(/** @type {HTMLElement} */ (there));
      return;
    }
    const number = numberAt(event.target);
    if (number?.closest("td") && !number.closest("a, button")) open(number);
  });
  document.addEventListener("keydown", (event) => {
    const number = numberAt(event.target);
    if (number !== event.target || !number || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "F2") open(number);
    else if (/^[-−+.,\d]$/.test(event.key) && weightOf(number.getAttribute("data-ref") ?? "", toy))
      open(number, event.key);
    else return;
    event.preventDefault();
  });
}
