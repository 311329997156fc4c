// What each block would already answer: the final norm and the output, applied to its y.

import { filled, make } from "../toy/dom.js";
import { largest, sharesOf } from "./next.js";
import { section } from "./parts.js";

const ANSWERS = 3;

/** @type {(context: import("./main.js").Context) => import("./main.js").Part} */
export function lens({ words, state, number, token }) {
  const head = make("thead");
  const body = make("tbody");

  function refresh() {
    const all = state.whole.lens.map((z) => sharesOf(z, state.temperature));
    const [answer] = largest(all[all.length - 1], 1);
    const share = make("th", { scope: "col" }, `${words.lens.share} `, token(answer));
    head.replaceChildren(
      make("tr", {}, make("td"), make("th", { scope: "col" }, words.lens.answers), share, make("td")),
    );
    body.replaceChildren(
      ...all.map((p, at) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, filled(words.lens.after, at + 1)),
          make(
            "td",
            { class: "live-answers" },
            ...largest(p, ANSWERS).map((id) => make("span", {}, token(id), ` ${number(p[id])}`)),
          ),
          make("td", { class: "number" }, number(p[answer])),
          make(
            "td",
            { class: "live-bars", "aria-hidden": "true" },
            make("span", { class: "live-bar with", style: `--share: ${p[answer]}` }),
          ),
        ),
      ),
    );
  }

  const table = make("table", { class: "live-table live-lens" }, head, body);
  return { element: section(words.lens.title, words.lens.hint, make("div", { class: "scroll" }, table)), refresh };
}
