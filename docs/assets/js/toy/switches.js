// Switches: parts of the model turned off, one checkbox each.

import { make } from "./dom.js";
import { SWITCHES } from "./edits.js";

/**
 * @param {import("./main.js").Context} context
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function switches({ live, words }) {
  const boxes = Object.keys(SWITCHES).map((name) => {
    const box = make("input", {
      type: "checkbox",
      name,
      onchange: () =>
        live.change((next) => {
          if (box.checked) next.switches.add(name);
          else next.switches.delete(name);
        }),
    });
    return box;
  });
  const element = make(
    "fieldset",
    { class: "toy-switches" },
    make("legend", {}, words.switches_title),
    ...boxes.map((box) => make("label", {}, box, ` ${words.switches[box.name]}`)),
  );
  return {
    element,
    refresh: () =>
      boxes.forEach((box) => {
        box.checked = live.state.switches.has(box.name);
      }),
  };
}
