// Following a number: pointing at it, tapping it or walking to it with the arrow keys tells what it is and
// lights up every place where the same one stands.

const NUMBERS = ".md-content [data-ref], .toy-how [data-ref]";
const REGIONS = ".scroll, div.formula, .toy-how";

/** @type {(target: EventTarget | null) => HTMLElement | null} */
export const numberAt = (target) =>
  target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(NUMBERS)) : null;

/**
 * @param {{tell: (address: string, value: string) => void, hide: () => void, element: HTMLElement}} foot
 */
export function follow(foot) {
  /** @type {Element[]} */
  let lit = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  /** @type {HTMLElement | null} */
  let origin = null;

  /** @type {(number: HTMLElement) => void} */
  function tell(number) {
    const address = number.getAttribute("data-ref") ?? "";
    if (!foot.element.contains(number)) origin = number;
    foot.tell(address, number.getAttribute("value") ?? number.dataset.value ?? number.textContent ?? "");
    light(address);
  }

  /** @type {(address: string | null) => void} */
  function light(address) {
    lit.forEach((one) => one.classList.remove("toy-lit"));
    lit = address === null ? [] : [...document.querySelectorAll(`[data-ref="${CSS.escape(address)}"]`)];
    lit.forEach((one) => one.classList.add("toy-lit"));
  }

  foot.element.addEventListener("toy-unfollow", () => {
    light(null);
    origin?.focus();
  });
  document.addEventListener("pointerover", (event) => {
    const number = numberAt(event.target);
    clearTimeout(waiting); // on the way to the foot of the window a hand passes over other numbers
    if (number && event.pointerType === "mouse") waiting = setTimeout(() => tell(number), 90);
  });
  document.addEventListener("click", (event) => {
    const number = numberAt(event.target);
    if (number && !(event.target instanceof Element && event.target.closest("a, button, summary"))) {
      clearTimeout(waiting);
      tell(number);
    }
  });
  document.addEventListener("focusin", (event) => {
    const number = numberAt(event.target);
    if (number && number === event.target) tell(number);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const number = numberAt(target);
    if (number === target && number) {
      if (event.key === "Enter") {
        event.preventDefault();
        foot.element.querySelector(/** @type {any} */ (".toy-about :is(button, a)"))?.focus();
      } else if (event.key === "Escape") {
        foot.hide();
        /** @type {HTMLElement | null} */ (number.closest(REGIONS))?.focus();
      } else walk(event, number);
    } else if (event.key === "Enter" && target.matches(REGIONS)) {
      const first = /** @type {HTMLElement | null} */ (target.querySelector("[data-ref]"));
      if (first) step(event, first);
    } else if (event.key === "Escape" && foot.element.contains(target)) foot.hide();
  });
}

/** @type {(event: KeyboardEvent, number: HTMLElement | undefined) => void} */
function step(event, number) {
  if (!number) return;
  event.preventDefault();
  number.tabIndex = -1;
  number.focus();
}

/** @type {(event: KeyboardEvent, number: HTMLElement) => void} left and right in reading order, up and down in a table */
function walk(event, number) {
  const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const across = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (along) {
    const all = /** @type {HTMLElement[]} */ (
      [...document.querySelectorAll(NUMBERS)].filter((one) => one.checkVisibility?.() ?? true)
    );
    step(event, all[all.indexOf(number) + along]);
  } else if (across) {
    const cell = /** @type {HTMLTableCellElement | null} */ (number.closest("td, th"));
    const rows = [...(number.closest("table")?.rows ?? [])];
    if (!cell) return;
    for (
      let at = rows.indexOf(/** @type {HTMLTableRowElement} */ (cell.parentElement)) + across;
      rows[at];
      at += across
    ) {
      const next = /** @type {HTMLElement | null} */ (rows[at].cells[cell.cellIndex]?.querySelector("[data-ref]"));
      if (next) return step(event, next);
    }
  }
}
