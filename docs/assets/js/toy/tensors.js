// A step's own tensors for the prompt as it is, at its real length. Weights are edited here as in the page.

import { encoded } from "./address.js";
import { make } from "./dom.js";
import { format } from "./numbers.js";
import { equal } from "./page.js";

/** @typedef {import("./main.js").Context} Context */

/**
 * @param {Context} context
 * @param {string[]} names
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function tensors({ live, words, marks, language }, names) {
  const { toy } = live;
  const element = make("div", { class: "toy-tensors" });
  /** @type {{address: string, cell: HTMLElement, data: HTMLElement, value: () => number, before: () => number | undefined, exact: boolean}[]} */
  let cells = [];
  let length = 0;

  /** @type {(axis: string, label: string | number) => (Node | string)[]} */
  function head(axis, label) {
    const position = (axis === "t" || axis === "s") && live.state.prompt[Number(label) - 1];
    const token = axis === "v" ? String(label) : position === false ? "" : toy.vocabulary[position];
    const nodes = axis === "v" ? [] : [make("span", { class: "position" }, String(label))];
    if (token) return [...nodes, " ", make("code", { class: "token", translate: "no" }, token)];
    return axis === "d"
      ? [...nodes, make("span", { class: "meaning" }, language.dimensions[Number(label) - 1])]
      : nodes;
  }

  /** @type {(name: string, data: (trace: import("./edits.js").Trace) => any, axes: string[], at: string[], title: string) => HTMLElement} */
  function matrix(name, data, axes, at, title) {
    const here = data(live.trace);
    const [rows, columns] = axes.length > 1 ? [here.length, here[0].length] : [1, here.length];
    const labels = (/** @type {string} */ axis, /** @type {number} */ count) =>
      axis === "v" ? toy.vocabulary : Array.from({ length: count }, (_, i) => i + 1);
    const across = axes[axes.length - 1];
    const down = axes.length > 1 ? axes[0] : "";
    const exact = name in toy.parameters;
    const body = (down ? labels(down, rows) : [""]).map((row, i) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, ...(down ? head(down, row) : [])),
        ...labels(across, columns).map((column, j) => {
          const spot = [...at, ...(down ? [`${down}=${encoded(row)}`] : []), `${across}=${encoded(column)}`];
          const order = toy.names[name].axes;
          spot.sort((a, b) => order.indexOf(a.split("=")[0]) - order.indexOf(b.split("=")[0]));
          const address = `toy/${name}[${spot.join(",")}]`;
          const number = make("data", { "data-ref": address, value: "" });
          const cell = make("td", { class: "number" }, number);
          const value = (/** @type {any} */ all) => (down ? all[i]?.[j] : all[j]);
          cells.push({
            address,
            cell,
            data: number,
            exact,
            value: () => value(data(live.trace)),
            before: () => value(data(live.original)),
          });
          return cell;
        }),
      ),
    );
    return make(
      "figure",
      { class: `values ${toy.names[name].family}` },
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        make(
          "table",
          { class: "matrix" },
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              make("td"),
              ...labels(across, columns).map((column) => make("th", { scope: "col" }, ...head(across, column))),
            ),
          ),
          make("tbody", {}, ...body),
        ),
      ),
      make("figcaption", {}, title),
    );
  }

  function build() {
    cells = [];
    length = live.state.prompt.length;
    element.replaceChildren(
      ...names.flatMap((name) => {
        const axes = toy.names[name].axes;
        const title = name in toy.parameters ? `${name} · ${words.editable}` : name;
        if (axes[0] !== "head") return [matrix(name, (trace) => trace.get(name), axes, [], title)];
        return live.trace
          .get(name)
          .map((/** @type {any} */ _, /** @type {number} */ h) =>
            matrix(
              name,
              (trace) => trace.get(name)[h],
              axes.slice(1),
              [`head=${h + 1}`],
              `${name} · ${words.head} ${h + 1}`,
            ),
          );
      }),
    );
  }

  function refresh() {
    const tokens = live.state.prompt.join();
    if (length !== live.state.prompt.length || element.dataset.tokens !== tokens) build();
    element.dataset.tokens = tokens;
    for (const { cell, data, value, before, exact } of cells) {
      const number = value();
      const text = format(number, exact ? null : marks.places, marks);
      if (data.textContent !== text) data.textContent = text;
      data.setAttribute("value", String(number));
      data.classList.toggle("toy-changed", !equal(number, before()));
      cell.classList.toggle("masked", number === -Infinity);
    }
  }

  return { element, refresh };
}
