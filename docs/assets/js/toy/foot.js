// The foot of the window: that this page's toy is a changed one, with the way back; and what the number
// pointed at is, how it comes about, and where it is made.

import { isPart, parsed, tensorOf } from "./address.js";
import { make, filled } from "./dom.js";
import { formula } from "./formula.js";
import { made } from "./made.js";
import { written } from "./numbers.js";
import { Decimal } from "./decimal.js";
import { changed, equal } from "./page.js";
import { sourceOf, valueOf } from "./source.js";

/** @typedef {import("./main.js").Context} Context */

/** @type {(value: import("./address.js").Result | undefined, marks: import("./numbers.js").Marks) => string} every digit */
export function inFull(value, marks) {
  if (value === undefined || isPart(value)) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number" && !Number.isFinite(value))
    return Number.isNaN(value) ? "?" : `${value < 0 ? "−" : ""}∞`;
  return written(value instanceof Decimal ? value.bare() : Decimal.of(value), { ...marks, grouped_from: Infinity });
}

/** @param {Context} context */
export function foot({ live, marks, words, places, link }) {
  const { toy } = live;
  const summary = make("span", { class: "toy-summary" });
  const copied = make("span", { role: "status" });
  const undo = make("button", { type: "button", onclick: () => live.undo() }, words.undo);
  const notice = make(
    "div",
    { class: "toy-notice", hidden: true },
    make(
      "span",
      {},
      make("strong", {}, words.changed),
      " ",
      summary,
      " ",
      make("span", { class: "toy-key" }, words.legend),
    ),
    make(
      "span",
      { class: "toy-actions" },
      undo,
      make("button", { type: "button", onclick: () => live.reset() }, words.reset),
      make("button", { type: "button", onclick: copy }, words.share),
      copied,
    ),
  );
  const about = make("div", { class: "toy-about", hidden: true });
  const trouble = make("div", { class: "toy-trouble", role: "alert", hidden: true });
  const element = make("aside", { class: "toy-foot", "aria-label": words.foot }, trouble, notice, about);
  /** @type {{address: string, value: string} | null} */
  let shown = null;

  async function copy() {
    try {
      await navigator.clipboard.writeText(link(location.href));
      copied.textContent = words.copied;
    } catch {
      copied.textContent = words.not_copied; // the address stands in the browser's own line
    }
  }

  /** What a page says about a changed toy. */
  function refresh() {
    const { state } = live;
    const differs = changed(live);
    const cells = [...state.weights.values()].reduce((count, one) => count + one.size, 0);
    summary.textContent = [
      state.prompt.join() === toy.prompt.join()
        ? ""
        : filled(words.summary.prompt, state.prompt.map((id) => toy.vocabulary[id]).join(" · ")),
      cells ? filled(words.summary.weights, cells) : "",
      ...[...state.switches].map((name) => words.switches[name]),
    ]
      .filter(Boolean)
      .join("; ");
    notice.hidden = !differs;
    undo.disabled = !live.canUndo;
    copied.textContent = "";
    document.documentElement.classList.toggle("toy-differs", differs);
    if (shown) about.replaceChildren(...lines(shown.address, shown.value));
  }

  /** @type {(address: string, printed: string) => Node[]} */
  function lines(address, printed) {
    const source = sourceOf(live.state, live.trace, toy);
    const value = valueOf(address, source);
    const before = valueOf(address, sourceOf(toy.initial(), live.original, toy));
    const known = value !== undefined && !isPart(value);
    const parts = [
      make("code", { class: "toy-address" }, address),
      " = ",
      make("output", {}, known ? inFull(value, marks) : printed),
    ];
    if (known && before !== undefined && !equal(value, before))
      parts.push(make("span", { class: "toy-before" }, ` (${filled(words.before, inFull(before, marks))})`));
    else if (!known && changed(live)) parts.push(make("span", { class: "toy-before" }, ` (${words.original})`));
    const how = explained(address, source, value);
    const place = tensorOf(address);
    const target = place && toy.made[place.name];
    const nodes = [make("p", { class: "toy-what" }, ...parts)];
    if (how.length) nodes.push(make("p", { class: "toy-how", tabindex: "0" }, ...how));
    const actions = make("p", { class: "toy-actions" });
    if (place && place.run === "toy" && place.name in toy.parameters && !/[+]/.test(address)) {
      actions.append(make("button", { type: "button", class: "toy-edit", "data-address": address }, words.edit));
    }
    if (target)
      actions.append(
        make("a", { class: "toy-made", href: link(places(target)) }, filled(words.made, words.steps[target.page])),
      );
    actions.append(make("button", { type: "button", "aria-label": words.close, onclick: hide }, "×"));
    return [...nodes, actions];
  }

  /** @type {(address: string, source: import("./address.js").Source, value: import("./address.js").Result | undefined) => (Node | string)[]} */
  function explained(address, source, value) {
    const tree = parsed(address);
    const place = tensorOf(address);
    if (!place && !tree.op) return [];
    const recipe = place ? (place.run === "toy" ? made(place.name, place.at, live.state, toy) : null) : address;
    if (!recipe) return place && place.run === "toy" && place.name in toy.parameters ? [words.weight] : [];
    const result = valueOf(recipe, source);
    if (place && (result === undefined || value === undefined || !near(result, value)))
      return [value === undefined ? "" : words.switched];
    return [
      "= ",
      ...formula(parsed(recipe), { source, marks }).map((part) =>
        typeof part === "string" ? part : make("data", { "data-ref": part.address, value: part.text }, part.text),
      ),
    ];
  }

  function hide() {
    shown = null;
    about.hidden = true;
    element.dispatchEvent(new CustomEvent("toy-unfollow", { bubbles: true }));
  }

  live.subscribe(refresh);
  return {
    element,
    refresh,
    hide,
    /** Tell about one number. @param {string} address @param {string} value as the page has it */
    tell(address, value) {
      shown = { address, value };
      about.hidden = false;
      about.replaceChildren(...lines(address, value));
    },
    /** A plain sentence about something that went wrong. @param {string} text */
    warn(text) {
      trouble.hidden = false;
      trouble.replaceChildren(
        text,
        " ",
        make(
          "button",
          {
            type: "button",
            "aria-label": words.close,
            onclick: () => {
              trouble.hidden = true;
            },
          },
          "×",
        ),
      );
    },
  };
}

/** @type {(a: import("./address.js").Result, b: import("./address.js").Result) => boolean} whether a recipe leads to a value, but for rounding */
const near = (a, b) =>
  Object.is(Number(a), Number(b)) || Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.max(1, Math.abs(Number(b)));
