// Attention switched off: in a block, in all, or one head's.

import { filled, make } from "../toy/dom.js";
import { section } from "./parts.js";

/** @typedef {import("./engine.js").Off} Off */

/** @type {(context: import("./main.js").Context) => import("./main.js").Part} */
export function switches({ words, config, state, change }) {
  const blocks = counted(config.blocks);
  const heads = counted(config.heads);
  /** @type {{box: HTMLInputElement, off: Off}[]} */
  const boxes = [];

  /** @type {(off: Off, label: string) => HTMLElement} */
  function cell(off, label) {
    const box = make("input", { type: "checkbox", "aria-label": label, onchange: tell });
    boxes.push({ box, off });
    return make("td", {}, make("label", { class: "live-switch" }, box));
  }
  const rows = blocks.map((block) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, filled(words.block, block)),
      cell({ block }, filled(words.switches.label, filled(words.block, block))),
      ...heads.map((head) =>
        cell({ block, head }, filled(words.switches.label, `${filled(words.block, block)}, ${filled(words.head, head)}`)),
      ),
    ),
  );
  const titles = [words.switches.whole, ...heads.map((head) => filled(words.head, head))];
  const table = make(
    "table",
    { class: "live-switches" },
    make("thead", {}, make("tr", {}, make("td"), ...titles.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...rows),
  );

  function tell() {
    change({ off: boxes.filter(({ box }) => box.checked).map(({ off }) => off) });
  }

  /** @type {(on: (off: Off) => boolean) => void} */
  function set(on) {
    boxes.forEach(({ box, off }) => {
      box.checked = on(off);
    });
    tell();
  }

  return {
    element: section(
      words.switches.title,
      words.switches.hint,
      make("div", { class: "scroll" }, table),
      make(
        "p",
        { class: "live-actions" },
        make("button", { type: "button", onclick: () => set((off) => !off.head) }, words.switches.all),
        make("button", { type: "button", onclick: () => set(() => false) }, words.switches.none),
      ),
    ),
    refresh: () =>
      boxes.forEach(({ box, off }) => {
        box.checked = state.off.some((one) => one.block === off.block && one.head === off.head);
        const covered = off.head && state.off.some((one) => one.block === off.block && !one.head);
        box.disabled = Boolean(covered); // the whole block is off
      }),
  };
}

/** @type {(length: number) => number[]} */
const counted = (length) => Array.from({ length }, (_, i) => i + 1);
