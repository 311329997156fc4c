// Numbers as the pages write them: the build says how this language does it (worked/numbers.py, Locale), and
// here it is only carried out.

import { Decimal } from "./decimal.js";

/**
 * How a language writes numbers: its marks, the size from which thousands are set apart, what stands after a
 * percentage, and how many decimals a computed value has when the page does not say otherwise.
 * @typedef {{decimal: string, group: string, grouped_from: number, percent: string, list: string, places: number}} Marks
 */

const MINUS = "\u2212";

/**
 * Digits as text: 1 234.5, −0,436.
 * @param {Decimal} digits
 * @param {Marks} marks
 * @returns {string}
 */
export function written(digits, marks) {
  const [whole, fraction] = digits.toString().replace("-", "").split(".");
  const grouped = Number(whole) >= marks.grouped_from ? whole.replace(/\B(?=(\d{3})+$)/g, marks.group) : whole;
  return (digits.units < 0n ? MINUS : "") + grouped + (fraction ? marks.decimal + fraction : "");
}

/**
 * A value with so many decimals; exactly as it is when `places` is null. What has no digits (a value that
 * overflowed) is written with a sign, never as a number.
 * @param {number | Decimal} value
 * @param {number | null} places
 * @param {Marks} marks
 * @param {boolean} percent
 * @returns {string}
 */
export function format(value, places, marks, percent = false) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return Number.isNaN(value) ? "?" : `${value < 0 ? MINUS : ""}∞`;
  }
  const digits =
    value instanceof Decimal
      ? places === null
        ? value.bare()
        : value.to(places)
      : places === null
        ? Decimal.of(value).bare()
        : Decimal.rounded(percent ? value * 100 : value, places);
  return written(digits, marks) + (percent ? marks.percent : "");
}

/**
 * What a printed number says about its own format.
 * @param {string} text
 * @param {Marks} marks
 * @returns {{places: number, percent: boolean}}
 */
export function formatOf(text, marks) {
  const percent = text.includes("%");
  const fraction = text.replace(marks.percent, "").split(marks.decimal)[1] ?? "";
  return { places: fraction.length, percent };
}

/**
 * The number that someone typed, with a point or the language's mark, and a minus of either kind.
 * @param {string} text
 * @param {Marks} marks
 * @returns {number} NaN if it is none
 */
export function read(text, marks) {
  const bare = text.trim().replace(MINUS, "-").replace(marks.decimal, ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(bare) ? Number(bare) : NaN;
}
