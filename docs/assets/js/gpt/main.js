// The laboratory alive: a trained model that answers the reader's own text, in her browser. Nothing is fetched but
// this before she asks, and nothing is ever sent.

import { client, Unanswered } from "./client.js";
import { filled, make } from "../toy/dom.js";
import { format } from "../toy/numbers.js";
import models from "./models.js";

/** @typedef {typeof import("./lang/en.js").default} Language */
/** @typedef {import("./worker.js").Answer} Answer */
/** @typedef {import("./engine.js").Off} Off */
/**
 * What was computed: a text, its ids, the model's answer, what is switched off and the answer without it, and the
 * temperature that all distributions are shown with.
 * @typedef {{text: string, ids: number[], whole: Answer, off: Off[], without: Answer | null, temperature: number}} State
 */
/**
 * What every part of the laboratory needs. `number` writes a value as the page does, `token` shows an id.
 * @typedef {{words: Language["words"], marks: Language["marks"], worker: import("./client.js").Client,
 *   config: import("./checkpoint.js").Config, tokens: string[], state: State, number: (value: number, places?: number) => string,
 *   token: (id: number) => HTMLElement, change: (next: Partial<Pick<State, "off" | "temperature">>) => void,
 *   failed: (error: unknown) => void}} Context
 */
/** @typedef {{element: HTMLElement, refresh: () => void}} Part */

const LONGEST = 2000; // characters; a model's context is full long before
const EXAMPLE = "My lord, the king";
const MEGABYTE = 1e6;

/** @type {Language} */
const { words, marks } = (await import(`./lang/${document.documentElement.lang}.js`)).default;
const place = /** @type {HTMLElement} */ (document.getElementById("live"));
const name = place.dataset.model ?? "";
const size = /** @type {Record<string, {bytes: number}>} */ (models)[name]?.bytes;
/** @type {(bytes: number) => string} */
const megabytes = (bytes) => format(bytes / MEGABYTE, 1, marks);

const field = make("textarea", { id: "live-text", rows: 2, maxlength: LONGEST, lang: "en", spellcheck: "false" });
const button = make("button", {}, words.run);
const said = make("p", { class: "live-said", role: "status" });
const bar = make("progress", { max: size ?? 1, hidden: true, "aria-label": words.fetching });
const results = make("div", { class: "live-results" });
field.value = place.dataset.prompt ?? EXAMPLE;
place.replaceChildren(
  make(
    "form",
    { class: "live-form", onsubmit: submit },
    make("label", { for: "live-text" }, words.text),
    field,
    make("p", { class: "live-actions" }, button, make("span", {}, filled(words.private, megabytes(size ?? 0)))),
  ),
  bar,
  said,
  results,
);
if (!size) {
  button.disabled = true;
  said.textContent = words.absent;
}

/** @type {import("./client.js").Client | null} */
let worker = null;
/** @type {Context | null} */
let context = null;
/** @type {Part[]} */
let parts = [];
let turn = 0; // of what was asked last: what comes for an earlier one is late

/** @type {(event: Event) => Promise<void>} */
async function submit(event) {
  event.preventDefault();
  button.disabled = true;
  try {
    context ??= await open();
    const text = field.value;
    const ids = await context.worker.ask("cut", [text]);
    const { context_length } = context.config;
    if (ids.length === 0) said.textContent = words.empty;
    else if (ids.length > context_length) said.textContent = filled(words.long, ids.length, context_length);
    else await compute({ text, ids });
    field.setAttribute("aria-invalid", String(ids.length === 0 || ids.length > context_length));
  } catch (error) {
    failed(error);
  }
  button.disabled = false;
}

/** Fetch the model and what shows it. @returns {Promise<Context>} */
async function open() {
  let come = 0;
  bar.hidden = false;
  bar.value = 0;
  said.textContent = words.fetching;
  worker = client();
  const [{ tokens, ...config }, { partsOf }] = await Promise.all([
    worker.ask("open", [name], (bytes) => {
      come += bytes;
      bar.value = come;
      said.textContent = `${words.fetching} ${filled(words.fetched, megabytes(come), megabytes(size))}`;
    }),
    import("./parts.js"),
  ]);
  bar.hidden = true;
  /** @type {Context} */
  const opened = {
    ...{ words, marks, worker, config, tokens, failed },
    state: { text: "", ids: [], whole: { z: [], weights: [], lens: [] }, off: [], without: null, temperature: 1 },
    number: (value, places = marks.places) => format(value, places, marks),
    token: (id) => make("code", { class: "token", translate: "no" }, tokens[id]),
    change(next) {
      if (next.off) compute(next).catch(failed);
      else {
        Object.assign(opened.state, next);
        parts.forEach((part) => part.refresh());
      }
    },
  };
  parts = partsOf(opened);
  results.replaceChildren(...parts.map((part) => part.element));
  results.hidden = true;
  return opened;
}

/** @type {(next: Partial<State>) => Promise<void>} ask the model about a text, or with other parts switched off */
async function compute(next) {
  if (!context) return;
  const { state, worker: asked, number } = context;
  const mine = (turn += 1);
  const { text, ids, off } = { ...state, ...next };
  results.setAttribute("aria-busy", "true");
  said.textContent = words.working;
  const start = performance.now();
  const whole = next.ids ? await asked.ask("run", [ids, []]) : state.whole;
  const without = off.length ? await asked.ask("run", [ids, off]) : null;
  if (mine !== turn) return;
  Object.assign(state, { text, ids, off, whole, without });
  said.textContent = filled(words.done, ids.length, number(performance.now() - start, 0));
  results.hidden = false;
  results.removeAttribute("aria-busy");
  parts.forEach((part) => part.refresh());
}

/** @type {(error: unknown) => void} tell, and begin anew when asked again */
function failed(error) {
  const { why, message } = error instanceof Unanswered ? error : { why: "other", message: String(error) };
  said.textContent = filled(words.trouble[/** @type {keyof Language["words"]["trouble"]} */ (why)], message);
  bar.hidden = true;
  results.removeAttribute("aria-busy");
  worker?.end();
  worker = context = null;
}
