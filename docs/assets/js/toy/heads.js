// Tokens in the heads of tables, and beside the predictions: those of the prompt as it is.

/** @type {(element: HTMLElement, was: string, text: string | undefined, missing: boolean) => void} undefined: as it was */
function retext(element, was, text, missing) {
  const next = text ?? was;
  if (element.textContent !== next) element.textContent = next;
  element.classList.toggle("toy-changed", next !== was);
  element.classList.toggle("toy-was", missing);
}

/**
 * @param {ParentNode} root
 * @param {import("./state.js").Toy} toy
 */
export function heads(root, toy) {
  /** @type {{token: HTMLElement, was: string, position: number, follows: boolean}[]} */
  const tokens = [];
  const add = (/** @type {Element | null | undefined} */ token, /** @type {number} */ position, follows = false) => {
    if (token)
      tokens.push({ token: /** @type {HTMLElement} */ (token), was: token.textContent ?? "", position, follows });
  };
  for (const head of root.querySelectorAll("figure.values th")) {
    const label = head.querySelector('.position [data-ref^="label("]')?.getAttribute("data-ref") ?? "";
    const position = /,[ts],(\d+)\)$/.exec(label);
    if (position && !label.startsWith("label(toy.")) add(head.querySelector("code.token"), Number(position[1]));
  }
  for (const [at, row] of [...root.querySelectorAll("table.predictions tbody tr")].entries()) {
    const [reads, follows] = row.querySelectorAll("td:not(.number) code.token");
    add(reads, at + 1);
    add(follows, at + 2, true);
  }
  const ticks = [...root.querySelectorAll("table.predictions .right")];

  return {
    /** @param {import("./page.js").Now} now */
    repaint({ live: { state }, differs }) {
      const spoken = state.prompt.map((id) => toy.vocabulary[id]);
      const rewritten = state.prompt.join() !== toy.prompt.join();
      for (const { token, was, position, follows } of tokens) {
        const text = spoken[position - 1];
        retext(token, was, text, text === undefined && (rewritten || !follows));
      }
      ticks.forEach((tick) => tick.toggleAttribute("hidden", differs)); // whether the first choice is right, the new tokens say
    },
  };
}
