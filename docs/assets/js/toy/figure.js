// What stands around the numbers of a table: tints and bars. And pictures, which cannot be drawn anew here and
// are marked instead.

import { tensorOf } from "./address.js";
import { valueOf } from "./source.js";

/** @type {(element: HTMLElement, name: string, value: string) => void} */
function restyle(element, name, value) {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

/**
 * @param {Element} element
 * @param {import("./page.js").Item[]} items
 * @returns {import("./page.js").Block}
 */
export function figure(element, items) {
  const svg = element.querySelector("svg");
  const ends = items.filter((item) => item.element.closest(".range")).map((item) => item.address);
  const cells = items.flatMap(({ element: number, address }) => {
    const cell = /** @type {HTMLElement | null} */ (number.closest("td.number"));
    if (!cell) return [];
    const bar =
      tensorOf(address)?.name === "p"
        ? /** @type {HTMLElement | null} */ (cell.closest("tr")?.querySelector("td.bar span") ?? null)
        : null;
    return [
      {
        cell,
        address,
        bar,
        masked: cell.classList.contains("masked"),
        tint: cell.style.getPropertyValue("--tint"),
        share: bar?.style.getPropertyValue("--share") ?? "",
      },
    ];
  });

  return {
    items,
    dead: () => false,
    around({ source, differs }) {
      svg?.classList.toggle("toy-was", differs);
      const reach = Math.max(...ends.map((end) => Math.abs(Number(valueOf(end, source)))));
      for (const { cell, address, bar, masked, tint, share } of cells) {
        const value = differs ? Number(valueOf(address, source)) : NaN;
        const known = !Number.isNaN(value);
        cell.classList.toggle("masked", known ? value === -Infinity || (masked && value === 0) : masked);
        if (ends.length && reach > 0)
          restyle(cell, "--tint", known && Number.isFinite(value) ? (value / reach).toFixed(3) : tint);
        if (bar) {
          const path = tensorOf(address);
          const row = known && path ? source.tensor(path.run, "p").data[Number(path.at.t) - 1] : [];
          restyle(bar, "--share", known ? (value / Math.max(...row)).toFixed(3) : share);
        }
      }
    },
  };
}
