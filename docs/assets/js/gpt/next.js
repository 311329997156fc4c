// What comes next: the likeliest tokens, with the temperature that the reader chooses, and beside them what is left
// of their shares with attention switched off.

import { filled, make } from "../toy/dom.js";
import { distribution } from "../toy/generate.js";
import { section } from "./parts.js";

const SHOWN = 10;

/** @type {(z: number[], temperature: number) => number[]} all shares, at a temperature */
export const sharesOf = (z, temperature) =>
  distribution(z, { temperature, top_k: z.length, top_p: 1, random: null });

/** @type {(p: number[], count: number) => number[]} the ids of the largest */
export const largest = (p, count) =>
  p
    .map((_, id) => id)
    .sort((a, b) => p[b] - p[a] || a - b)
    .slice(0, count);

/** @type {(context: import("./main.js").Context) => import("./main.js").Part} */
export function next({ words, state, number, token, change }) {
  const told = make("output", { for: "live-temperature" });
  const range = make("input", { type: "range", id: "live-temperature", min: 0, max: 2, step: 0.05, value: 1 });
  range.addEventListener("input", () => change({ temperature: Number(range.value) }));
  const head = make("thead");
  const body = make("tbody");
  const moved = make("p", { class: "live-said", role: "status" });

  /** @type {(p: number, kind: string) => HTMLElement} */
  const bar = (p, kind) => make("span", { class: `live-bar ${kind}`, style: `--share: ${p}` });

  function refresh() {
    told.textContent = number(state.temperature, 2);
    const p = sharesOf(state.whole.z, state.temperature);
    const without = state.without && sharesOf(state.without.z, state.temperature);
    const order = largest(without ? p.map((share, id) => Math.max(share, without[id])) : p, SHOWN);
    const titles = without
      ? [words.next.token, words.next.whole, words.next.without, words.next.difference]
      : [words.next.token, words.next.share];
    head.replaceChildren(
      make(
        "tr",
        {},
        ...titles.map((title) => make("th", { scope: "col" }, title)),
        make("td"), // bars say again what the numbers say
      ),
    );
    body.replaceChildren(
      ...order
        .sort((a, b) => p[b] - p[a])
        .map((id) => {
          const values = without
            ? [number(p[id]), number(without[id]), signed(number(without[id] - p[id]))]
            : [number(p[id])];
          return make(
            "tr",
            {},
            make("th", { scope: "row" }, token(id)),
            ...values.map((value) => make("td", { class: "number" }, value)),
            make(
              "td",
              { class: "live-bars", "aria-hidden": "true" },
              bar(p[id], "with"),
              ...(without ? [bar(without[id], "without")] : []),
            ),
          );
        }),
    );
    moved.replaceChildren();
    if (without) {
      const share = p.reduce((sum, one, id) => sum + Math.abs(one - without[id]), 0) / 2;
      const [before, after] = [p, without].map((one) => token(largest(one, 1)[0]));
      moved.append(filled(words.next.moved, number(share)), " ", before, " → ", after);
    }
  }

  return {
    element: section(
      words.next.title,
      words.next.hint,
      make(
        "p",
        { class: "live-temperature" },
        make("label", { for: "live-temperature" }, words.next.temperature),
        range,
        told,
      ),
      make("div", { class: "scroll" }, make("table", { class: "live-table live-next" }, head, body)),
      moved,
    ),
    refresh,
  };
}

/** @type {(text: string) => string} a difference with its sign; nothing has none */
const signed = (text) => (text.startsWith("−") || !/[1-9]/.test(text) ? text : `+${text}`);
