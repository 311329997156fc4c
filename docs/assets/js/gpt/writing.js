// Writing on: a token, appended, and the next, until the context is full or the reader stops it.

import { filled, make } from "../toy/dom.js";
import { section } from "./parts.js";

/** @type {(context: import("./main.js").Context) => import("./main.js").Part} */
export function writing({ words, config, state, worker, tokens, number, failed }) {
  /** @type {(value: string, label: string, checked: boolean) => HTMLElement} */
  const choice = (value, label, checked) =>
    make("label", {}, make("input", { type: "radio", name: "live-how", value, checked, onchange: choose }), ` ${label}`);
  const size = config.vocabulary_size;
  const top_k = make("input", { type: "number", id: "live-top-k", min: 1, max: size, value: size, required: true });
  const seed = make("input", { type: "number", id: "live-seed", min: 0, max: 2 ** 32 - 1, value: 1, required: true });
  const knobs = make(
    "div",
    { class: "live-knobs", hidden: true },
    make("span", {}, make("label", { for: "live-top-k" }, words.write.top_k), top_k),
    make("span", {}, make("label", { for: "live-seed" }, words.write.seed), seed),
  );
  const start = make("button", {}, words.write.start);
  const stop = make("button", { type: "button", disabled: true, onclick: halt }, words.write.stop);
  const text = make("p", { class: "live-written", lang: "en", translate: "no", hidden: true });
  const said = make("p", { class: "live-said", role: "status" });
  const form = make(
    "form",
    { onsubmit: write },
    make(
      "fieldset",
      { class: "live-how" },
      make("legend", {}, words.write.how),
      choice("likeliest", words.write.likeliest, true),
      choice("drawn", words.write.drawn, false),
      knobs,
    ),
    make("p", { class: "live-actions" }, start, stop),
  );
  let turn = 0; // what is written for an earlier one is given up
  let shown = { ...state }; // what the text on the page goes on with

  const drawn = () => new FormData(form).get("live-how") === "drawn";

  function choose() {
    knobs.hidden = !drawn();
    halt();
  }

  function halt() {
    turn += 1;
    stop.disabled = true;
    start.disabled = false;
  }

  /** @type {(event: Event) => Promise<void>} */
  async function write(event) {
    event.preventDefault();
    const mine = (turn += 1);
    const how = { temperature: state.temperature, top_k: top_k.valueAsNumber, seed: seed.valueAsNumber };
    const likeliest = { temperature: 1, top_k: size, seed: null };
    start.disabled = true;
    stop.disabled = false;
    said.textContent = words.working;
    text.hidden = false;
    text.replaceChildren(make("span", { class: "live-given" }, state.text));
    const begun = performance.now();
    let [count, full] = [0, false];
    try {
      await worker.ask("start", [state.ids, state.off, drawn() ? how : likeliest]);
      while (mine === turn && !full) {
        const step = await worker.ask("next", []);
        if (mine !== turn) break;
        full = !step;
        if (!step) break;
        count += 1;
        text.append(make("span", { title: `${tokens[step.id]} ${number(step.p)}` }, step.text));
      }
    } catch (error) {
      halt();
      said.textContent = "";
      return failed(error);
    }
    if (turn > mine + 1) return; // by now something else is told here
    const seconds = (performance.now() - begun) / 1000;
    const rate = filled(words.write.done, count, number(count / seconds, 0));
    said.textContent = full ? `${rate} ${filled(words.write.full, config.context_length)}` : rate;
    if (mine === turn) halt();
  }

  function refresh() {
    if (state.ids === shown.ids && state.off === shown.off) return;
    shown = { ...state };
    halt();
    turn += 1;
    text.hidden = true;
    said.textContent = "";
  }

  return { element: section(words.write.title, words.write.hint, form, text, said), refresh };
}
