"""Worked lines: arithmetic as a hand would write it, computed from the digits that are printed.

A reader with a pocket calculator and the printed digits gets each printed term. The result is the
tensor's own value; where the terms, as printed, lead to another last digit the line says ≈.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext

from worked.errors import AuthorError
from worked.numbers import PLACES, Digits, Number, Shown, quantized


@dataclass(frozen=True)
class Printed(Digits):
    """A number obtained from printed digits only, itself printed to some decimals."""

    digits: Decimal
    number: Number
    places: int | None = PLACES
    style: str = "decimal"


@dataclass(frozen=True)
class Step:
    """One row of a worked line: the relation (= or ≈) and what follows, TeX text and numbers."""

    relation: str
    parts: tuple

    @property
    def approximate(self) -> bool:
        return self.relation == r"\approx"


@dataclass(frozen=True)
class WorkedLine:
    left: tuple  # TeX and numbers
    steps: tuple[Step, ...]

    @property
    def approximate(self) -> bool:
        return any(step.approximate for step in self.steps)


def shown(value) -> Shown:
    """The number as the page prints it."""
    if isinstance(value, Shown):
        return value
    if isinstance(value, Number):
        return value.shown()
    raise AuthorError(f"a worked line takes numbers; got `{getattr(value, 'address', value)}`")


def terms(tensor) -> list[Shown]:
    """The numbers of a vector, or of a list, as the page prints them."""
    if isinstance(tensor, (list, tuple)):
        return [shown(number) for number in tensor]
    if not hasattr(tensor, "numbers"):
        raise AuthorError(f"a worked line takes a vector here; `{getattr(tensor, 'address', tensor)}` is one number")
    return [shown(number) for number in tensor.numbers()]


def written(value: Shown) -> str:
    """The address of a number's printed digits."""
    return value.number.address if value.places is None else f"shown({value.number.address},{value.places})"


def printed(operation: str, operands: list, places: int = PLACES) -> Printed:
    """An operation on printed digits; the address says so: `mul(shown(toy/f[…],3),toy/W_U[…])`."""
    digits = [operand.digits for operand in operands]
    with localcontext(prec=60):
        result = {
            "add": lambda: sum(digits), "sub": lambda: digits[0] - digits[1],
            "mul": lambda: digits[0] * digits[1], "div": lambda: digits[0] / digits[1],
            "exp": lambda: digits[0].exp(), "ln": lambda: digits[0].ln(),
            "sqrt": lambda: digits[0].sqrt(),
        }[operation]()
    addresses = [
        written(operand) if isinstance(operand, Shown) else f"shown({operand.number.address},{operand.places})"
        for operand in operands
    ]
    number = Number(float(result), f"{operation}({','.join(addresses)})")
    if operation in ("add", "sub", "mul") and all(operand.places is None for operand in operands):
        places = decimals(result)  # exact numbers give an exact one
    if result == 0:  # nothing was rounded away: print the plain 0
        places = 0
    return Printed(quantized(result, places), number, places)


def decimals(digits: Decimal) -> int:
    """How many decimals a number needs to stand there exactly."""
    return max(0, -digits.normalize().as_tuple().exponent)


def relation(reached: Decimal, result: Shown) -> str:
    """= where the printed digits lead to the printed result, ≈ where they miss its last digit."""
    with localcontext(prec=60):
        places = max(0, -result.digits.as_tuple().exponent)
        return "=" if quantized(reached, places) == result.digits else r"\approx"


def factor(value) -> tuple:
    """A number inside a product or after a sign: a negative one in parentheses."""
    return ("(", value, ")") if value.digits < 0 else (value,)


def signed_sum(addends: list) -> tuple:
    """a + b + c, a negative term in parentheses so that every sign printed is its own."""
    parts: tuple = (addends[0],)
    for addend in addends[1:]:
        parts += (" + ", *factor(addend))
    return parts


def sum_line(left: list, tensor, result: Number) -> WorkedLine:
    """Σ of a vector: its terms, then the result."""
    addends, end = terms(tensor), shown(result)
    reached = sum(addend.digits for addend in addends)
    return WorkedLine(tuple(left), (Step("=", signed_sum(addends)), Step(relation(reached, end), (end,))))


def quotient_line(left: list, above, below, result: Number) -> WorkedLine:
    """A fraction and its value."""
    above, below, end = shown(above), shown(below), shown(result)
    reached = printed("div", [above, below], places=40).digits
    fraction = (r"\dfrac{", above, "}{", below, "}")
    return WorkedLine(tuple(left), (Step("=", fraction), Step(relation(reached, end), (end,))))


def dot_line(left: list, vector, column, result: Number) -> WorkedLine:
    """A product of two vectors: the factors, the terms, the result."""
    firsts, seconds = terms(vector), terms(column)
    if len(firsts) != len(seconds):
        raise AuthorError(
            f"`{vector.address}` has {len(firsts)} numbers, `{column.address}` {len(seconds)}: "
            "a dot product needs as many"
        )
    factors: tuple = ()
    for first, second in zip(firsts, seconds):
        factors += (" + " if factors else "", "(", first, ")(", second, ")")
    products = [printed("mul", [first, second]) for first, second in zip(firsts, seconds)]
    end = shown(result)
    reached = sum(product.digits for product in products)
    return WorkedLine(tuple(left), (
        Step("=", factors), Step("=", signed_sum(products)), Step(relation(reached, end), (end,)),
    ))


def squares_line(left: list, tensor, mean: Number) -> WorkedLine:
    """The squared distances from the mean, summed: all from printed digits."""
    distances, squares, total = squared_distances(tensor, mean)
    powers: tuple = ()
    for distance in distances:
        powers += (" + " if powers else "", "(", distance, ")^{2}")
    return WorkedLine(tuple(left), (
        Step("=", powers), Step("=", signed_sum(squares)), Step("=", (total,)),
    ))


def deviation_line(left: list, tensor, mean: Number, result: Number, epsilon: Number) -> WorkedLine:
    """The root of the mean squared distance from the mean plus ε, after a `squares_line`."""
    total, end = squared_distances(tensor, mean)[-1], shown(result)
    count = tensor.size(tensor.axes[0].name).shown()
    with localcontext(prec=60):
        reached = (total.digits / count.digits + Decimal(repr(epsilon.value))).sqrt()
    return WorkedLine(tuple(left), (
        Step("=", (r"\sqrt{\dfrac{", total, "}{", count, r"} + \varepsilon}")),
        Step(relation(reached, end), (end,)),
    ))


def squared_distances(tensor, mean: Number) -> tuple[list[Printed], list[Printed], Printed]:
    """Distances of a vector's numbers from their mean, the squares, and the squares' sum, as printed."""
    centre = shown(mean)
    distances = [printed("sub", [value, centre]) for value in terms(tensor)]
    squares = [printed("mul", [distance, distance]) for distance in distances]
    return distances, squares, printed("add", squares)


def standard_line(left: list, value: Number, mean: Number, deviation: Number, result: Number) -> WorkedLine:
    """(value − mean) / deviation."""
    value, mean, deviation, end = shown(value), shown(mean), shown(deviation), shown(result)
    distance = printed("sub", [value, mean])
    reached = printed("div", [distance, deviation], places=40).digits
    return WorkedLine(tuple(left), (
        Step("=", (r"\dfrac{", value, " - ", *factor(mean), "}{", deviation, "}")),
        Step("=", (r"\dfrac{", distance, "}{", deviation, "}")),
        Step(relation(reached, end), (end,)),
    ))


def logarithm_line(left: list, probability: Number, result: Number) -> WorkedLine:
    """−ln of a probability."""
    probability, end = shown(probability), shown(result)
    with localcontext(prec=60):
        reached = -probability.digits.ln()
    return WorkedLine(tuple(left), (
        Step("=", (r"-\ln ", probability)), Step(relation(reached, end), (end,)),
    ))


def shift_line(
    left: list, shift: Number, logit: Number, exponential: Number, total: Number, result: Number
) -> WorkedLine:
    """A softmax whose logits all grew by `shift`: the factor e^shift cancels."""
    plain = softmax_line(left, logit, exponential, total, result)
    factor_out = (r" \, e^{", shown(shift), "}")
    cancelling = (r"\dfrac{e^{", shown(logit), "}", *factor_out, "}{", shown(total), *factor_out, "}")
    return WorkedLine(tuple(left), (Step("=", cancelling), *plain.steps[1:]))


def softmax_line(left: list, logit: Number, exponential: Number, total: Number, result: Number) -> WorkedLine:
    """e to the logit over the sum of all of them."""
    logit, exponential, total, end = shown(logit), shown(exponential), shown(total), shown(result)
    first = relation(printed("exp", [logit], places=40).digits, exponential)
    reached = printed("div", [exponential, total], places=40).digits
    fraction = lambda above: (r"\dfrac{", *above, "}{", total, "}")
    return WorkedLine(tuple(left), (
        Step("=", fraction(("e^{", logit, "}"))),
        Step(first, fraction((exponential,))),
        Step(relation(reached, end), (end,)),
    ))

