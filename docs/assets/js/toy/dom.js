// Making elements. Text goes in as text, never as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} properties attributes, and `onclick` and the like
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** @type {(template: string, ...values: (string | number)[]) => string} "{} of {}" with its places filled */
export const filled = (template, ...values) =>
  values.reduce((/** @type {string} */ text, value) => text.replace("{}", () => String(value)), template);
