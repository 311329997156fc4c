// What stands around the numbers of a table: tints, bars, the tokens in its head. And pictures, which cannot
// be drawn anew here and are marked instead.

import { tensorOf } from "./address.js";
import { valueOf } from "./source.js";

/** @type {(element: HTMLElement, text: string | null) => void} null: as it was */
function retext(element, text) {
  element.dataset.was ??= element.textContent ?? "";
  const next = text ?? element.dataset.was;
  if (element.textContent !== next) element.textContent = next;
  element.classList.toggle("toy-changed", text !== null && text !== element.dataset.was);
}

/** @type {(element: HTMLElement, name: string, value: string | null) => void} a custom property; null: as it was */
function restyle(element, name, value) {
  const kept = `kept${name.replaceAll("-", "")}`;
  element.dataset[kept] ??= element.style.getPropertyValue(name);
  element.style.setProperty(name, value ?? element.dataset[kept] ?? "");
}

/**
 * @param {ParentNode} root
 * @param {import("./state.js").Toy} toy
 */
export function figures(root, toy) {
  const tables = [...root.querySelectorAll("figure.values")].map((figure) => ({
    figure,
    ends: [...figure.querySelectorAll(".range [data-ref]")].map((one) => one.getAttribute("data-ref") ?? ""),
    cells: [...figure.querySelectorAll("td.number > data, td.number [data-ref]")].map((data) => ({
      cell: /** @type {HTMLElement} */ (data.closest("td")), address: data.getAttribute("data-ref") ?? "",
      masked: data.closest("td")?.classList.contains("masked") ?? false,
      bar: /** @type {HTMLElement | null} */ (data.closest("tr")?.querySelector("td.bar span") ?? null),
    })),
  }));
  /** @type {{token: HTMLElement, position: number}[]} */
  const heads = [...root.querySelectorAll("figure.values th code.token")].flatMap((token) => {
    const label = token.closest("th")?.querySelector('.position [data-ref^="label("]')?.getAttribute("data-ref") ?? "";
    const position = /,[ts],(\d+)\)$/.exec(label);
    return position && !/\(toy\./.test(label) ? [{ token: /** @type {HTMLElement} */ (token), position: Number(position[1]) }] : [];
  });
  const predictions = [...root.querySelectorAll("table.predictions tbody tr")];
  const pictures = [...root.querySelectorAll("figure svg")].filter((svg) => svg.querySelector("[data-ref]"));

  return {
    /** @type {(source: import("./address.js").Source, state: import("./state.js").State, differs: boolean) => void} */
    repaint(source, state, differs) {
      for (const { ends, cells } of tables) {
        const reach = Math.max(...ends.map((end) => Math.abs(Number(valueOf(end, source)))));
        for (const { cell, address, masked, bar } of cells) {
          const value = differs ? valueOf(address, source) : undefined;
          const number = Number(value);
          const known = value !== undefined && !Number.isNaN(number);
          cell.classList.toggle("masked", known ? number === -Infinity || (masked && number === 0) : masked);
          if (ends.length && reach > 0) restyle(cell, "--tint", known && Number.isFinite(number) ? (number / reach).toFixed(3) : null);
          if (bar && tensorOf(address)?.name === "p") {
            const row = source.tensor("toy", "p").data[Number(tensorOf(address)?.at.t) - 1];
            const largest = Math.max(...(row ?? []));
            restyle(bar, "--share", known ? (number / largest).toFixed(3) : null);
          }
        }
      }
      const rewritten = state.prompt.join() !== toy.prompt.join();
      const spoken = state.prompt.map((id) => toy.vocabulary[id]);
      for (const { token, position } of heads) {
        retext(token, spoken[position - 1] ?? null);
        token.classList.toggle("toy-was", position > spoken.length);
      }
      for (const [at, row] of predictions.entries()) {
        const [reads, follows] = /** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll("td:not(.number) code.token"));
        retext(reads, spoken[at] ?? null);
        retext(follows, spoken[at + 1] ?? null);
        follows.classList.toggle("toy-was", rewritten && at + 1 >= spoken.length);
        row.querySelector(".right")?.toggleAttribute("hidden", differs);
      }
      for (const svg of pictures) svg.classList.toggle("toy-was", differs);
    },
  };
}
