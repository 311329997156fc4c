// The prompt: tokens chosen one by one, or a text that the toy's own merges cut.

import { filled, make } from "./dom.js";

/** @typedef {import("./main.js").Context} Context */

/**
 * @param {Context} context
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function prompt({ live, words, language, tokens }) {
  const { toy } = live;
  const chosen = make("ol", { class: "toy-tokens", "aria-label": words.prompt.chosen });
  const said = make("p", { class: "toy-said", role: "status" });
  const offered = make("div", { class: "toy-tokens", role: "group", "aria-label": words.prompt.offered });
  const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false", lang: "pt", id: "toy-text" });
  const form = make(
    "form",
    { class: "toy-text", onsubmit: use },
    make("label", { for: "toy-text" }, words.prompt.text),
    field,
    make("button", {}, words.prompt.use),
  );
  const element = make(
    "fieldset",
    { class: "toy-prompt" },
    make("legend", {}, words.prompt.title),
    chosen,
    offered,
    form,
    said,
  );
  /** @type {Record<string, string>} */
  const gloss = language.gloss;
  const buttons = toy.vocabulary.map((token, id) =>
    make(
      "button",
      {
        type: "button",
        class: "toy-token",
        translate: "no",
        title: gloss[token] ?? null,
        onclick: () => append(id),
      },
      token,
    ),
  );
  offered.append(...buttons);

  /** @param {number} id */
  function append(id) {
    live.change((next) => {
      next.prompt.push(id);
    });
    said.textContent = live.state.prompt.length === toy.longest ? filled(words.prompt.full, toy.longest) : "";
  }

  /** @param {number} place */
  function remove(place) {
    live.change((next) => {
      next.prompt.splice(place, 1);
    });
    const left = /** @type {NodeListOf<HTMLElement>} */ (chosen.querySelectorAll("button"));
    (left[Math.min(place, left.length - 1)] ?? buttons[0]).focus();
  }

  /** @param {Event} event */
  function use(event) {
    event.preventDefault();
    const found = tokens.encode(field.value);
    if ("ids" in found) {
      said.textContent = "";
      live.change((next) => {
        next.prompt = found.ids;
      });
    } else if (found.why === "empty") said.textContent = words.prompt.empty;
    else if (found.why === "long") said.textContent = filled(words.prompt.long, found.count, toy.longest);
    else {
      const strange = found.pieces.filter((piece) => !toy.vocabulary.includes(piece)).join(" · ");
      said.textContent = filled(words.prompt.unknown, found.word, found.pieces.join(" · "), strange);
    }
    field.setAttribute("aria-invalid", String(!("ids" in found)));
  }

  function refresh() {
    const only = live.state.prompt.length === 1;
    chosen.replaceChildren(
      ...live.state.prompt.map((id, place) =>
        make(
          "li",
          {},
          make(
            "button",
            {
              type: "button",
              class: "toy-token",
              disabled: only,
              translate: "no",
              onclick: () => remove(place),
              "aria-label": filled(words.prompt.remove, toy.vocabulary[id], place + 1),
            },
            toy.vocabulary[id],
            make("span", { "aria-hidden": "true" }, " ×"),
          ),
        ),
      ),
    );
    buttons.forEach((button) => {
      button.disabled = live.state.prompt.length >= toy.longest;
    });
    if (document.activeElement !== field) field.value = tokens.decode(live.state.prompt);
  }

  return { element, refresh };
}
