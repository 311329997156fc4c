// What the laboratory shows of an answer, from the tokens to writing on.

import { make } from "../toy/dom.js";
import { lens } from "./lens.js";
import { maps } from "./maps.js";
import { next } from "./next.js";
import { switches } from "./switches.js";
import { writing } from "./writing.js";

/** @typedef {import("./main.js").Context} Context */
/** @typedef {import("./main.js").Part} Part */

/** @type {(context: Context) => Part[]} */
export const partsOf = (context) => [
  tokens(context),
  switches(context),
  next(context),
  lens(context),
  maps(context),
  writing(context),
];

/** The text as the model reads it. @type {(context: Context) => Part} */
function tokens({ words, state, token }) {
  const list = make("ol", { class: "live-tokens" });
  return {
    element: section(words.tokens.title, words.tokens.hint, list),
    refresh: () =>
      list.replaceChildren(
        ...state.ids.map((id) => make("li", {}, token(id), make("span", { class: "live-id" }, String(id)))),
      ),
  };
}

/** @type {(title: string, hint: string, ...content: Node[]) => HTMLElement} */
export const section = (title, hint, ...content) =>
  make("section", {}, make("h3", {}, title), make("p", { class: "live-hint" }, hint), ...content);
