// The written page follows the toy. Numbers in its tables and worked lines are computed anew and marked where
// they changed. Sentences and pictures speak of the original: they stay, and are marked where they no longer
// say what the toy does.

import { isPart, parsed, tensorOf } from "./address.js";
import { Decimal } from "./decimal.js";
import { SWITCHES } from "./edits.js";
import { format, formatOf } from "./numbers.js";
import { depends, sourceOf, valueOf } from "./source.js";
import { figures } from "./figures.js";

/** @typedef {import("./address.js").Result} Result */
/**
 * One number or token of the page. `kept` are its nodes as the build wrote them, `space` what KaTeX put after it.
 * @typedef {{element: Element, address: string, tree: import("./address.js").Tree, kept: Node[], space: Node[], text: string,
 *   before: Result | undefined, line: Element | null, painted: boolean}} Item
 */

/** Places whose numbers are computed anew. */
const LIVE = "figure.values td, figure.values .range, .worked";

/**
 * @param {import("./state.js").Live} live
 * @param {import("./numbers.js").Marks} marks
 * @param {ParentNode} root
 */
export function page(live, marks, root) {
  const first = sourceOf(live.original, live.toy.prompt, live.toy);
  /** @type {Item[]} */
  const items = [...root.querySelectorAll("[data-ref]")].map((element) => {
    const address = element.getAttribute("data-ref") ?? "";
    return {
      element, address, tree: parsed(address), kept: [...element.childNodes],
      space: element.lastElementChild?.matches(".mspace") ? [element.lastElementChild] : [],
      text: (element.textContent ?? "").replaceAll("\u200b", "").trim(), before: undefined,
      line: element.closest(".worked"), painted: element.closest(LIVE) !== null && !element.closest("svg"),
    };
  }).filter((item) => depends(item.tree));
  items.forEach((item) => { item.before = valueOf(item.address, first); });
  const lines = Map.groupBy(items.filter((item) => item.line), (item) => item.line);
  const drawn = figures(root, live.toy);

  /** Every number of the page, as the toy now stands. */
  function repaint() {
    const { state, toy, trace } = live;
    const source = sourceOf(trace, state.prompt, toy);
    const differs = changed(live);
    const now = new Map(items.map((item) => [item, differs ? valueOf(item.address, source) : item.before]));
    const replaced = new Set([...state.switches].flatMap((name) => Object.keys(SWITCHES[name].edits)));
    if (state.switches.has("tied_output")) replaced.add("z");
    const dead = new Set([...lines].filter(([, members]) => {
      const result = tensorOf(members[members.length - 1].address);
      return differs && (state.prompt.length !== toy.prompt.length || (result && replaced.has(result.name))
        || members.some((item) => now.get(item) === undefined));
    }).map(([line]) => line));
    for (const item of items) {
      const value = now.get(item);
      const same = !differs || (value !== undefined && equal(value, item.before));
      const paint = !same && value !== undefined && item.painted && !dead.has(item.line);
      show(item.element, paint ? [text(value, item, marks), ...item.space] : item.kept);
      item.element.classList.toggle("toy-changed", paint);
      item.element.classList.toggle("toy-was", !same && !paint && !dead.has(item.line));
    }
    for (const [line, members] of lines) {
      const alive = !dead.has(line) && members.some((item) => item.element.classList.contains("toy-changed"));
      line?.classList.toggle("toy-was", dead.has(line));
      relations(/** @type {Element} */ (line), alive);
    }
    drawn.repaint(source, state, differs);
  }

  live.subscribe(repaint);
  return { items, repaint };
}

/** @type {(live: import("./state.js").Live) => boolean} whether the toy computes anything but the original */
export const changed = ({ state, toy }) => state.prompt.join() !== toy.prompt.join() || state.switches.size > 0
  || [...state.weights.values()].some((cells) => cells.size > 0);

/** @type {(a: Result, b: Result | undefined) => boolean} */
export function equal(a, b) {
  if (b === undefined || isPart(a) || isPart(b)) return false;
  if (typeof a === "string" || typeof b === "string") return a === b;
  const [x, y] = [Number(a), Number(b)];
  return Object.is(x, y) || x === y || (Number.isFinite(x) && Math.abs(x - y) <= 1e-12 * Math.max(1, Math.abs(x)));
}

/**
 * A value in the place of an item: a weight exactly, anything else with the decimals that stand there. Where
 * the original needed none (a whole number, an exact zero), with none if the new one needs none either.
 * @type {(value: Result, item: {text: string, tree: {text: string, op: string}}, marks: import("./numbers.js").Marks) => string}
 */
export function text(value, item, marks) {
  if (typeof value === "string") return value;
  if (isPart(value)) return item.text;
  const { places, percent } = formatOf(item.text, marks);
  const exact = value instanceof Decimal && !item.tree.text.includes("shown(");
  if (exact && (!item.tree.op || value.bare().places > places)) return format(value, null, marks);
  const masked = /^(0|\u2212∞)$/.test(item.text); // without decimals because it was exactly nothing
  if (!places && !percent && !masked && Number.isInteger(Number(value))) return format(value, null, marks);
  if (value instanceof Decimal && !exact && value.units === 0n) return format(value, null, marks);
  return format(value, places || (percent ? 0 : marks.places), marks, percent);
}

/** @type {(element: Element, nodes: (Node | string)[]) => void} touches the page only where it must */
function show(element, nodes) {
  const there = element.childNodes;
  const same = there.length === nodes.length && nodes.every((node, i) => (
    typeof node === "string" ? there[i].nodeType === Node.TEXT_NODE && there[i].textContent === node : there[i] === node));
  if (!same) element.replaceChildren(...nodes);
}

/**
 * A worked line whose numbers changed prints ≈ before every new value that is the tensor's own: whether its
 * last digit follows from the printed ones is not claimed. For those who listen, the visible formula stands
 * in for the MathML, whose numbers are the original's.
 * @param {Element} line
 * @param {boolean} alive
 */
function relations(line, alive) {
  const seen = new Set();
  for (const [place, row] of [...line.querySelectorAll(".worked-right")].entries()) {
    const own = [...row.querySelectorAll("[data-ref]")].map((element) => element.getAttribute("data-ref") ?? "")
      .filter((address) => tensorOf(address) || address.startsWith("sum("));
    const news = own.some((address) => !seen.has(address));
    own.forEach((address) => seen.add(address));
    const sign = row.querySelector(".mrel");
    if (!sign || !place) continue;
    const relation = /** @type {HTMLElement} */ (sign);
    relation.dataset.was ??= relation.textContent ?? "";
    relation.textContent = alive && news ? "≈" : relation.dataset.was;
  }
  for (const formula of line.querySelectorAll(".katex")) {
    formula.querySelector(".katex-mathml")?.toggleAttribute("hidden", alive);
    const visible = formula.querySelector(".katex-html");
    if (alive) visible?.removeAttribute("aria-hidden");
    else visible?.setAttribute("aria-hidden", "true");
  }
}
