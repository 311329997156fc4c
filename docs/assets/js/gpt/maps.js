// Where each head looks: a small picture of every head, and the chosen one large, a table that can be walked through.

import { filled, make } from "../toy/dom.js";
import { section } from "./parts.js";

/** @typedef {import("../toy/model.js").Matrix} Matrix */

const SIDE = 96; // of a small picture, in its own pixels
const TOLD = 8; // up to so many tokens, numbers stand in the cells
const ROOMY = 24; // up to so many, cells are large

/** @type {(context: import("./main.js").Context) => import("./main.js").Part} */
export function maps({ words, config, state, number, token, tokens }) {
  let [block, head] = [0, 0];
  /** @type {import("./worker.js").Answer | null} */
  let shown = null;
  const pictures = make("tbody");
  const large = make("div", { class: "scroll live-map" });
  const caption = make("p", { class: "live-caption", id: "live-map" });
  const told = make("p", { class: "live-said live-told" });

  /** @type {(t: number, s: number) => string} */
  const cellText = (t, s) => number(state.whole.weights[block][head][t][s]);

  /** @type {(block: number, head: number) => string} */
  const named = (at, which) => `${filled(words.block, at + 1)}, ${filled(words.head, which + 1)}`;

  /** @type {(at: number, which: number) => HTMLButtonElement} */
  function picture(at, which) {
    const weights = state.whole.weights[at][which];
    const row = weights[weights.length - 1];
    const most = row.indexOf(Math.max(...row));
    const [last, looked] = [row.length - 1, most].map((t) => tokens[state.ids[t]]);
    const label = `${named(at, which)}. ${filled(words.maps.most, last, looked, number(row[most]))}`;
    return make(
      "button",
      {
        type: "button",
        title: label,
        "aria-label": label,
        "aria-pressed": at === block && which === head,
        onclick: () => choose(at, which),
      },
      make("span", { style: `mask-image: url(${drawn(weights)})` }),
    );
  }

  /** @type {(at: number, which: number) => void} */
  function choose(at, which) {
    [block, head] = [at, which];
    [...pictures.rows].forEach((row, b) =>
      row.querySelectorAll("button").forEach((button, h) => {
        button.setAttribute("aria-pressed", String(b === block && h === head));
      }),
    );
    show();
  }

  function show() {
    const weights = state.whole.weights[block][head];
    const size = weights.length <= TOLD ? "told" : weights.length <= ROOMY ? "roomy" : "dense";
    const table = make(
      "table",
      { class: size, role: "grid", "aria-labelledby": "live-map", onkeydown: walk, onfocusin: tell, onmouseover: tell },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("td"),
          ...state.ids.map((id) => make("th", { scope: "col" }, make("span", {}, token(id)))),
        ),
      ),
      make(
        "tbody",
        {},
        ...weights.map((row, t) =>
          make(
            "tr",
            {},
            make("th", { scope: "row" }, token(state.ids[t])),
            ...row
              .slice(0, t + 1)
              .map((weight, s) =>
                make("td", { tabindex: t + s ? -1 : 0, style: `--tint: ${tint(weight)}` }, cellText(t, s)),
              ),
            ...(t < row.length - 1 ? [make("td", { class: "later", colspan: row.length - 1 - t })] : []),
          ),
        ),
      ),
    );
    caption.textContent = named(block, head);
    told.textContent = words.maps.point;
    large.replaceChildren(table);
  }

  /** @type {(event: Event) => HTMLTableCellElement | null} the cell that an event is about */
  const cellOf = (event) => (event.target instanceof Element ? event.target.closest("td[tabindex]") : null);

  /** @type {(cell: HTMLTableCellElement) => [t: number, s: number]} */
  const placeOf = (cell) => [/** @type {HTMLTableRowElement} */ (cell.parentElement).rowIndex - 1, cell.cellIndex - 1];

  /** @type {(event: Event) => void} */
  function tell(event) {
    const cell = cellOf(event);
    if (!cell) return;
    const [t, s] = placeOf(cell);
    const place = (/** @type {number} */ at) => [token(state.ids[at]), ` (${at + 1})`];
    told.replaceChildren(...place(t), " → ", ...place(s), `: ${cellText(t, s)}`);
  }

  /** @type {(event: KeyboardEvent) => void} */
  function walk(event) {
    const cell = cellOf(event);
    if (!cell) return;
    const [t, s] = placeOf(cell);
    /** @type {Record<string, [t: number, s: number]>} */
    const ways = {
      ArrowLeft: [t, s - 1],
      ArrowRight: [t, s + 1],
      ArrowUp: [t - 1, Math.min(s, t - 1)],
      ArrowDown: [t + 1, s],
      Home: [t, 0],
      End: [t, t],
    };
    const [row, column] = ways[event.key] ?? [-1, -1];
    if (event.key in ways) event.preventDefault();
    const rows = /** @type {HTMLTableElement} */ (event.currentTarget).tBodies[0].rows;
    const next = column >= 0 && column <= row ? rows[row]?.cells[column + 1] : null;
    if (!next) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  function refresh() {
    if (shown === state.whole) return; // only a temperature or a switch was changed
    shown = state.whole;
    pictures.replaceChildren(
      ...state.whole.weights.map((heads, at) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, filled(words.block, at + 1)),
          ...heads.map((_, which) => make("td", {}, picture(at, which))),
        ),
      ),
    );
    show();
  }

  const titles = Array.from({ length: config.heads }, (_, which) => filled(words.head, which + 1));
  const table = make(
    "table",
    { class: "live-pictures" },
    make("thead", {}, make("tr", {}, make("td"), ...titles.map((title) => make("th", { scope: "col" }, title)))),
    pictures,
  );
  return { element: section(words.maps.title, words.maps.hint, table, caption, large, told), refresh };
}

/** @type {(weight: number) => number} how deep a cell's colour is: small weights are to be seen, too */
const tint = (weight) => Math.sqrt(weight);

/** @type {(weights: Matrix) => string} a picture of how opaque each cell is; the style gives it its colour */
function drawn(weights) {
  const side = Math.max(1, Math.round(SIDE / weights.length));
  const canvas = make("canvas", { width: side * weights.length, height: side * weights.length });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  weights.forEach((row, t) =>
    row.forEach((weight, s) => {
      pen.globalAlpha = tint(weight);
      pen.fillRect(s * side, t * side, side, side);
    }),
  );
  return canvas.toDataURL();
}
