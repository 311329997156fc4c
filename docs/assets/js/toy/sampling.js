// How the next token is chosen, and the loop: choose one, append it, ask again.

import { filled, make } from "./dom.js";
import { distribution, draw } from "./generate.js";
import { inFull } from "./foot.js";
import { format, read } from "./numbers.js";

/** @typedef {import("./main.js").Context} Context */
/** @typedef {"temperature" | "top_k" | "top_p" | "random"} Knob */

/**
 * @param {Context} context
 * @returns {{element: HTMLElement, refresh: () => void}}
 */
export function sampling({ live, words, marks, tokens, language }) {
  const { toy } = live;
  const said = make("p", { class: "toy-said", role: "status" });
  const table = make("tbody");
  /** @type {Record<Knob, (value: number) => boolean>} */
  const fits = {
    temperature: (value) => value >= 0 && value <= 100,
    top_k: (value) => Number.isInteger(value) && value >= 1 && value <= toy.vocabulary.length,
    top_p: (value) => value > 0 && value <= 1,
    random: (value) => value >= 0 && value < 1,
  };
  const knobs = /** @type {Knob[]} */ (Object.keys(fits)).map((name) => {
    const field = make("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      size: 6,
      id: `toy-${name}`,
      oninput: () => set(name, field),
    });
    return { name, field };
  });
  const next = make("button", { type: "button", class: "toy-next", onclick: write }, words.sampling.next);
  const element = make(
    "fieldset",
    { class: "toy-sampling" },
    make("legend", {}, words.sampling.title),
    make(
      "div",
      { class: "toy-knobs" },
      ...knobs.map(({ name, field }) =>
        make("span", {}, make("label", { for: field.id }, words.sampling[name]), field),
      ),
      make("button", { type: "button", onclick: roll }, words.sampling.roll),
    ),
    make(
      "div",
      { class: "scroll" },
      make(
        "table",
        { class: "toy-table" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ...[language.token, "p", words.sampling.share, words.sampling.stretch].map((title) =>
              make("th", { scope: "col" }, title),
            ),
          ),
        ),
        table,
      ),
    ),
    make("p", { class: "toy-actions" }, next),
    said,
  );

  /** @type {(name: Knob, field: HTMLInputElement) => void} */
  function set(name, field) {
    const bare = field.value.trim();
    const value = bare === "" && name === "random" ? null : Math.round(read(bare, marks) * 1e4) / 1e4;
    const fine = value === null || fits[name](value);
    field.setAttribute("aria-invalid", String(!fine));
    said.textContent = fine ? "" : words.sampling.bad[name];
    if (fine)
      live.change((state) => {
        /** @type {any} */ (state.sampling)[name] = value;
      });
  }

  function roll() {
    live.change((state) => {
      state.sampling.random = Math.floor(Math.random() * 1e4) / 1e4;
    });
  }

  /** The shares that a token is drawn from, and the token that the rules choose. */
  function choice() {
    const shares = distribution(live.trace.get("z")[live.state.prompt.length - 1], live.state.sampling);
    return { shares, id: draw(shares, live.state.sampling.random) };
  }

  function write() {
    const { id, shares } = choice();
    live.change((state) => {
      state.prompt.push(id);
    });
    const ended = id === tokens.end ? ` ${words.sampling.ended}` : "";
    const share = format(shares[id], marks.places, marks);
    said.textContent =
      filled(words.sampling.written, toy.vocabulary[id], share, tokens.decode(live.state.prompt)) + ended;
  }

  function refresh() {
    const { prompt: written, sampling: how } = live.state;
    for (const { name, field } of knobs) {
      const value = how[name];
      if (document.activeElement !== field) field.value = value === null ? "" : inFull(value, marks);
    }
    const { shares, id } = choice();
    const p = live.trace.get("p")[written.length - 1];
    let from = 0;
    table.replaceChildren(
      ...shares.map((share, at) => {
        const start = from;
        from += share;
        const stretch = share ? `${format(start, marks.places, marks)} – ${format(from, marks.places, marks)}` : "";
        return make(
          "tr",
          { class: at === id ? "target" : null },
          make("th", { scope: "row" }, make("code", { class: "token", translate: "no" }, toy.vocabulary[at])),
          make("td", { class: "number" }, format(p[at], marks.places, marks)),
          make("td", { class: "number" }, share ? format(share, marks.places, marks) : "—"),
          make("td", { class: "number" }, stretch),
        );
      }),
    );
    const ended = written[written.length - 1] === tokens.end;
    next.disabled = ended || written.length >= toy.longest;
    if (ended) said.textContent = words.sampling.ended;
    else if (next.disabled) said.textContent = filled(words.prompt.full, toy.longest);
  }

  return { element, refresh };
}
