// The written page follows the toy. Numbers in its tables and worked lines are computed anew and marked where
// they changed. Sentences and pictures speak of the original: they stay, and are marked where they no longer
// say what the toy does.

import { isPart, parsed } from "./address.js";
import { Decimal } from "./decimal.js";
import { figure } from "./figure.js";
import { heads } from "./heads.js";
import { line } from "./line.js";
import { format, formatOf } from "./numbers.js";
import { depends, sourceOf, valueOf } from "./source.js";

/** @typedef {import("./address.js").Result} Result */
/**
 * One number or token of the page: its nodes as the build wrote them, what KaTeX put after it, what it says and
 * what that means.
 * @typedef {{element: Element, address: string, tree: import("./address.js").Tree, kept: Node[], space: Node[],
 *   text: string, before: Result | undefined, painted: boolean}} Item
 */
/** @typedef {import("./source.js").Source} Source */
/**
 * What is repainted together: a figure, a worked line, a paragraph.
 * @typedef {{items: Item[], dead: (now: Now) => boolean, around: (now: Now, dead: boolean) => void}} Block
 */
/** @typedef {{live: import("./state.js").Live, source: Source, differs: boolean}} Now */

/** Places whose numbers are computed anew. */
const LIVE = "figure.values td, figure.values .range, .worked";

/**
 * @param {import("./state.js").Live} live
 * @param {import("./numbers.js").Marks} marks
 * @param {ParentNode} root
 */
export function page(live, marks, root) {
  const { toy } = live;
  const first = sourceOf(toy.initial(), live.original, toy);
  /** @type {Item[]} */
  const items = [...root.querySelectorAll("[data-ref]")]
    .map((element) => {
      const address = element.getAttribute("data-ref") ?? "";
      return {
        element,
        address,
        tree: parsed(address),
        kept: [...element.childNodes],
        space: element.lastElementChild?.matches(".mspace") ? [element.lastElementChild] : [],
        text: (element.textContent ?? "").replaceAll("\u200b", "").trim(),
        before: original(element, valueOf(address, first)),
        painted: element.closest(LIVE) !== null && !element.closest("svg"),
      };
    })
    .filter((item) => depends(item.tree));
  /** @type {Map<Element, Block>} */
  const blocks = new Map(
    [
      ...Map.groupBy(
        items,
        ({ element }) => element.closest(".worked, figure") ?? element.closest("p, li, dd, div") ?? element,
      ),
    ].map(([element, own]) => {
      const quiet = { items: own, dead: () => false, around: () => {} };
      return [
        element,
        element.matches(".worked") ? line(element, own) : element.matches("figure") ? figure(element, own) : quiet,
      ];
    }),
  );
  const titles = heads(root, toy);

  /** @type {Set<Element>} */
  const inView = new Set();
  const watching = new IntersectionObserver(
    (entries) =>
      entries.forEach(({ target, isIntersecting }) => {
        if (isIntersecting) inView.add(target);
        else inView.delete(target);
      }),
    { rootMargin: "100px" },
  );
  for (const element of blocks.keys()) watching.observe(element);

  /** @type {(block: Block, now: Now) => void} */
  function paint(block, now) {
    const values = block.items.map((item) =>
      !now.differs || item.before === undefined ? item.before : valueOf(item.address, now.source),
    );
    const same = block.items.map(
      ({ before }, i) => !now.differs || (values[i] !== undefined && equal(/** @type {Result} */ (values[i]), before)),
    );
    const dead = now.differs && block.dead(now);
    for (const [i, item] of block.items.entries()) {
      const value = values[i];
      const anew = !same[i] && value !== undefined && item.painted && !dead;
      show(item.element, anew ? [text(value, item, marks), ...item.space] : item.kept);
      item.element.classList.toggle("toy-changed", anew);
      item.element.classList.toggle("toy-was", !same[i] && !anew && !dead);
    }
    block.around(now, dead);
  }

  let turn = 0;
  /** First what the reader sees, then, once that is painted, all the rest. */
  function repaint() {
    const now = { live, source: sourceOf(live.state, live.trace, toy), differs: changed(live) };
    const [seen, others] = [[...inView], [...blocks.keys()].filter((element) => !inView.has(element))];
    const paintAll = (/** @type {Element[]} */ elements) =>
      elements.forEach((element) => paint(/** @type {Block} */ (blocks.get(element)), now));
    titles.repaint(now);
    paintAll(seen);
    turn += 1;
    const mine = turn;
    requestAnimationFrame(() => setTimeout(() => mine === turn && paintAll(others)));
  }

  live.subscribe(repaint);
  return { items };
}

/** @type {(live: {state: import("./state.js").State, toy: import("./state.js").Toy}) => boolean} whether the toy computes anything but the original */
export const changed = ({ state, toy }) =>
  state.prompt.join() !== toy.prompt.join() ||
  state.switches.size > 0 ||
  [...state.weights.values()].some((cells) => cells.size > 0);

/** @type {(a: Result, b: Result | undefined) => boolean} */
export function equal(a, b) {
  if (b === undefined || isPart(a) || isPart(b)) return false;
  if (typeof a === "string" || typeof b === "string") return a === b;
  const [x, y] = [Number(a), Number(b)];
  return Object.is(x, y) || x === y || (Number.isFinite(x) && Math.abs(x - y) <= 1e-12 * Math.max(1, Math.abs(x)));
}

/**
 * A value in the place of an item: a weight exactly, anything else with the decimals that stand there. Where
 * the original needed none (a whole number), with none if the new one needs none either.
 * @type {(value: Result, item: {text: string, tree: {text: string, op: string}}, marks: import("./numbers.js").Marks) => string}
 */
export function text(value, item, marks) {
  if (typeof value === "string") return value;
  if (isPart(value)) return item.text;
  const { places, percent } = formatOf(item.text, marks);
  const exact = value instanceof Decimal && !item.tree.text.includes("shown(");
  if (exact && (!item.tree.op || !places || value.bare().places > places)) return format(value, null, marks);
  const masked = /^(0|\u2212∞)$/.test(item.text); // without decimals because it was exactly nothing
  const number = Number(value);
  if (!places && !percent && Number.isInteger(number) && (number ? !masked : item.text === "0"))
    return format(value, null, marks);
  if (value instanceof Decimal && !exact && value.units === 0n) return format(value, null, marks);
  return format(value, places || (percent ? 0 : marks.places), marks, percent);
}

/**
 * What an address gave in the original, if that is what the build wrote there; a number that comes about in
 * another way (from a cache, after a token that only its run knows) is unknown.
 * @type {(element: Element, value: Result | undefined) => Result | undefined}
 */
function original(element, value) {
  const written = element.getAttribute("value") ?? element.getAttribute("data-value");
  if (value === undefined || written === null || isPart(value)) return value;
  const number = Number(written.replace("inf", "Infinity"));
  return number === Number(value) || Math.abs(number - Number(value)) <= 1e-9 * Math.max(1, Math.abs(number))
    ? value
    : undefined;
}

/** @type {(element: Element, nodes: (Node | string)[]) => void} touches the page only where it must */
function show(element, nodes) {
  const there = element.childNodes;
  const same =
    there.length === nodes.length &&
    nodes.every((node, i) =>
      typeof node === "string"
        ? there[i].nodeType === Node.TEXT_NODE && there[i].textContent === node
        : there[i] === node,
    );
  if (!same) element.replaceChildren(...nodes);
}
