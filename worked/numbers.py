"""Numbers that know their address, and how each language writes them.

Rounding: a tensor's value is rounded to the nearest; one within 1e-9 of a tie is refused, since
another machine could print another digit. Digits already printed are exact decimals, and their
ties go up, away from zero, as at school and on a pocket calculator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cached_property
from html import escape

import babel
from babel.numbers import format_compact_decimal, format_decimal, format_percent

from worked.claims import Comparison
from worked.errors import AuthorError

TIE_DISTANCE = Decimal("1e-9")
PLACES = 3  # decimals of a value when the page does not say otherwise
MINUS = "\N{MINUS SIGN}"
SUPERSCRIPTS = str.maketrans("0123456789" + MINUS, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
NO_BREAK_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"


def quantized(value: Decimal, places: int) -> Decimal:
    """Printed digits to `places` decimals, ties away from zero; never a negative zero."""
    with localcontext(prec=400):
        rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return abs(rounded) if rounded == 0 else rounded


def rounded(value: float | Decimal, places: int, address: str, advice: str = "places") -> Decimal:
    """A computed value to `places` decimals.

    Minus infinity (a masked score) stays what it is. Raises AuthorError where the value lies within 1e-9
    of a tie, or has no digits.
    """
    if value == -math.inf:
        return Decimal(value)
    if not math.isfinite(value):
        raise AuthorError(f"`{address}` is {value}: it has no digits to print")
    with localcontext(prec=400):
        exact = Decimal(value)
        nearest = quantized(exact, places)
        half = Decimal(5).scaleb(-places - 1)
        if abs(abs(exact - nearest) - half) <= min(TIE_DISTANCE, half / 1000):
            raise AuthorError(
                f"`{address}` = {value!r} is too near a rounding tie at {places} decimals: "
                f"print one more decimal, `{advice}({places + 1})`"
            )
    return nearest


@dataclass(frozen=True)
class Number:
    """A value and its address. Arithmetic on numbers writes the address of the result."""

    value: float
    address: str
    exact: bool = False

    def __add__(self, other): return computed("add", self, other)
    def __sub__(self, other): return computed("sub", self, other)
    def __mul__(self, other): return computed("mul", self, other)
    def __truediv__(self, other): return computed("div", self, other)
    def __radd__(self, other): return computed("add", other, self)
    def __rsub__(self, other): return computed("sub", other, self)
    def __rmul__(self, other): return computed("mul", other, self)
    def __rtruediv__(self, other): return computed("div", other, self)
    def __neg__(self): return computed("neg", self)

    def __gt__(self, other): return Comparison.of(self, ">", as_number(other))
    def __lt__(self, other): return Comparison.of(self, "<", as_number(other))
    def __ge__(self, other): return Comparison.of(self, ">=", as_number(other))
    def __le__(self, other): return Comparison.of(self, "<=", as_number(other))

    def __str__(self) -> str:
        raise AuthorError(f"`{self.address}` became text before it was printed: put it into `[= … =]` by itself")

    def shown(self, places: int | None = None) -> Shown:
        """With the decimals that fit it: whole and exact numbers as they are, others three."""
        if places is None and not (self.exact or isinstance(self.value, int)):
            places = PLACES
        return Shown(self, places)


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "exp": math.exp,
    "ln": math.log,
    "sqrt": math.sqrt,
}


def as_number(value: object) -> Number:
    """A number typed by an author (a threshold, a shift) is its own address."""
    if isinstance(value, Number):
        return value
    if isinstance(value, Shown):
        raise AuthorError(
            f"`{value.number.address}` is already set to print; compute first, "
            "then choose how to show: `(a / b) | percent`"
        )
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number(value, repr(value), exact=True)
    raise AuthorError(f"expected one number, got {type(value).__name__} `{getattr(value, 'address', value)}`")


def computed(operation: str, *operands: object) -> Number:
    """A new number whose address says how it was computed."""
    numbers = [as_number(operand) for operand in operands]
    address = f"{operation}({','.join(number.address for number in numbers)})"
    try:
        return Number(OPERATIONS[operation](*(number.value for number in numbers)), address)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise AuthorError(f"`{address}` cannot be computed: {error}") from error


class Digits:
    """Something with printed digits (`digits`, exact) and the number they stand for (`number`).

    The ways of writing it: in prose, in a formula, in a picture, in code, as plain text (attributes).
    """

    digits: Decimal
    number: Number
    places: int | None
    style: str

    def prose(self, locale: Locale) -> str:
        """The element that carries full value and address beside the printed digits."""
        return (
            f'<data value="{self.number.value!r}" data-ref="{escape(self.number.address)}">'
            f"{escape(self.plain(locale))}</data>"
        )

    def tex(self, locale: Locale) -> str:
        return locale.tex(self)

    def picture(self, locale: Locale) -> str:
        """The same identity inside the text of an SVG."""
        return (
            f'<tspan data-ref="{escape(self.number.address)}" data-value="{self.number.value!r}">'
            f"{escape(self.plain(locale))}</tspan>"
        )

    def code(self, locale: Locale) -> str:
        """Python's notation, in every language; plain decimals only."""
        if self.style != "decimal":
            raise AuthorError(f"`{self.number.address}`: code takes plain decimals, not {self.style}")
        return f"{self.digits:f}".replace("Infinity", "inf")

    def plain(self, locale: Locale) -> str:
        return locale.text(self)


@dataclass(frozen=True)
class Shown(Digits):
    """A number with the decimals and the style in which the page prints it."""

    number: Number
    places: int | None = None  # None: exactly as it is
    style: str = "decimal"  # or "percent", "compact" (38.6 million), "scientific" (2.98 × 10⁻⁸)

    @cached_property
    def digits(self) -> Decimal:
        value, address = self.number.value, self.number.address
        if self.places is not None and not 0 <= self.places <= 15:
            raise AuthorError(f"`{address}` to {self.places} decimals: expected 0 to 15")
        if self.style == "percent":
            return rounded(value * 100, self.places, address, "percent")
        if self.style == "scientific":
            power = Decimal(value).adjusted()
            return rounded(Decimal(value).scaleb(-power), self.places, address, "scientific").scaleb(power)
        if self.style == "compact":
            power = max(0, len(str(abs(int(value)))) - 1) // 3 * 3  # thousands, millions, …
            return quantized(Decimal(repr(value)).scaleb(-power), self.places).scaleb(power)
        if self.places is None:
            exact = Decimal(repr(value)).normalize()
            return abs(exact) if exact == 0 else exact
        return rounded(value, self.places, address)


@dataclass(frozen=True)
class Label:
    """A token or a position as the page writes it; with an address when it was computed."""

    name: object
    address: str | None = None
    note: str = ""  # the gloss of a token in the page's language

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        """A comparison for a claim, not a truth value by itself."""
        return Comparison.of(self, "=", other if isinstance(other, Label) else Label(other))

    def __hash__(self) -> int:
        return hash(self.name)

    def prose(self, locale: Locale) -> str:
        identity = f' data-ref="{escape(self.address)}"' if self.address else ""
        note = f' title="{escape(self.note)}"' if self.note else ""
        return f'<code class="token" translate="no"{identity}{note}>{escape(str(self.name))}</code>'

    def tex(self, locale: Locale) -> str:
        named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
        escaped = "".join(
            f"\\{char}" if char in "#$%&_{}" else named.get(char, char) for char in str(self.name)
        )
        return rf"\texttt{{{escaped}}}"

    def code(self, locale: Locale) -> str:
        return str(self.name)

    def __str__(self) -> str:
        raise AuthorError(f"the label `{self.name}` became text before it was printed: put it into `[= … =]` by itself")

    plain = code

    def picture(self, locale: Locale) -> str:
        return escape(str(self.name))


# CLDR's minimumGroupingDigits, which Babel leaves to its caller: Spanish groups from 10 000 on.
GROUPED_FROM = {"es": 10_000}


class Locale:
    """How one language writes numbers: separators and patterns by CLDR, through Babel."""

    def __init__(self, code: str):
        self.code = code
        self.babel = babel.Locale.parse(code)
        symbols = self.babel.number_symbols["latn"]
        self.decimal_mark, self.group_mark = symbols["decimal"], symbols["group"]
        self.list_separator = ";" if self.decimal_mark == "," else ","

    def text(self, shown: Digits) -> str:
        digits = shown.digits
        if shown.style == "compact":
            written = format_compact_decimal(
                digits, format_type="long", locale=self.babel, fraction_digits=shown.places
            )
        elif shown.style == "scientific":
            power = digits.adjusted() if digits else 0
            times = self.babel.number_symbols["latn"]["superscriptingExponent"]
            raised = str(power).replace("-", MINUS).translate(SUPERSCRIPTS)
            mantissa = quantized(digits.scaleb(-power), shown.places)
            written = f"{self.decimal(mantissa)}\N{NO-BREAK SPACE}{times}\N{NO-BREAK SPACE}10{raised}"
        elif shown.style == "percent":
            pattern = self.babel.percent_formats[None].pattern.replace(
                "#,##0", "#,##0." + "0" * shown.places if shown.places else "#,##0"
            )
            written = format_percent(
                digits / 100, pattern, self.babel, decimal_quantization=False, group_separator=self.groups(digits)
            )
        else:
            written = self.decimal(digits)
        return written.replace("-", MINUS)

    def decimal(self, digits: Decimal) -> str:
        if digits.is_infinite():
            return f"{MINUS}∞"
        decimals = max(0, -digits.as_tuple().exponent)
        pattern = "#,##0" + ("." + "0" * decimals if decimals else "")
        return format_decimal(
            digits, pattern, self.babel, decimal_quantization=False, group_separator=self.groups(digits)
        ).replace("-", MINUS)

    def groups(self, digits: Decimal) -> bool:
        """Whether thousands are set apart in a number of this size."""
        return abs(digits) >= GROUPED_FROM.get(self.code, 1000)

    def tex(self, shown: Digits) -> str:
        if shown.style != "decimal":
            raise AuthorError(f"`{shown.number.address}`: a formula takes plain decimals, not {shown.style}")
        return self.tex_decimal(shown.digits)

    def tex_decimal(self, digits: Decimal) -> str:
        """In a formula: 0{,}395 keeps the comma from becoming punctuation."""
        marks = {
            MINUS: "-", "∞": r"\infty",
            self.group_mark: r"\," if self.group_mark in NO_BREAK_SPACES else f"{{{self.group_mark}}}",
            self.decimal_mark: "." if self.decimal_mark == "." else f"{{{self.decimal_mark}}}",
        }
        return "".join(marks.get(char, char) for char in self.decimal(digits))
