// Exact decimals: digits that stand printed on a page. A calculator works with those, so we do too.

/** An exact decimal: `units` times ten to minus `places`. */
export class Decimal {
  /**
   * @param {bigint} units
   * @param {number} places
   */
  constructor(units, places) {
    this.units = units;
    this.places = places;
  }

  /**
   * Exactly the shortest digits that mean this number, which is how weights and literals are written.
   * @param {number} value
   * @returns {Decimal}
   */
  static of(value) {
    const [digits, exponent] = String(value).split("e");
    const [whole, fraction = ""] = digits.split(".");
    const places = fraction.length - Number(exponent ?? 0);
    const units = BigInt(whole + fraction);
    return places < 0 ? new Decimal(units * 10n ** BigInt(-places), 0) : new Decimal(units, places);
  }

  /**
   * A computed value to so many decimals, ties away from zero: `toFixed` rounds the number's exact binary value.
   * @param {number} value
   * @param {number} places
   * @returns {Decimal}
   */
  static rounded(value, places) {
    const units = BigInt(Math.abs(value).toFixed(places).replace(".", ""));
    return new Decimal(value < 0 ? -units : units, places);
  }

  /** @param {number} places @returns {bigint} units at least as fine as these places */
  #at(places) {
    return this.units * 10n ** BigInt(places - this.places);
  }

  /** @param {Decimal} other */
  plus(other) {
    const places = Math.max(this.places, other.places);
    return new Decimal(this.#at(places) + other.#at(places), places);
  }

  /** @param {Decimal} other */
  times(other) {
    return new Decimal(this.units * other.units, this.places + other.places);
  }

  negated() {
    return new Decimal(-this.units, this.places);
  }

  /** To so many decimals, ties away from zero. @param {number} places @returns {Decimal} */
  to(places) {
    if (places >= this.places) return new Decimal(this.#at(places), places);
    const step = 10n ** BigInt(this.places - places);
    const size = this.units < 0n ? -this.units : this.units;
    const rounded = (2n * size + step) / (2n * step);
    return new Decimal(this.units < 0n ? -rounded : rounded, places);
  }

  /** Without zeros at the end. @returns {Decimal} */
  bare() {
    let { units, places } = this;
    while (places > 0 && units % 10n === 0n) [units, places] = [units / 10n, places - 1];
    return new Decimal(units, places);
  }

  valueOf() {
    return Number(this.toString());
  }

  /** Digits with a point, such as -0.436; zero has no sign. */
  toString() {
    const digits = String(this.units < 0n ? -this.units : this.units).padStart(this.places + 1, "0");
    const cut = digits.length - this.places;
    return (this.units < 0n ? "-" : "") + digits.slice(0, cut) + (this.places ? `.${digits.slice(cut)}` : "");
  }
}
