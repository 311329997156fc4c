"""Worked lines: arithmetic as a hand would write it, computed from the digits that are printed.

A reader with a pocket calculator and the printed digits gets each printed term. The result is the
tensor's own value; where the terms, as printed, lead to another last digit the line says ≈.
"""

from __future__ import annotations

import math
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


def written(value: Digits) -> str:
    """The address of a number's printed digits."""
    return value.number.address if value.places is None else f"shown({value.number.address},{value.places})"


def printed(operation: str, operands: list, places: int = PLACES) -> Printed:
    """An operation on printed digits; the address says so: `mul(shown(toy/f[…],3),toy/W_U[…])`."""
    digits = [operand.digits for operand in operands]
    with localcontext(prec=60):
        result = {
            "add": lambda: sum(digits), "sub": lambda: digits[0] - digits[1],
            "mul": lambda: math.prod(digits), "div": lambda: digits[0] / digits[1],
            "exp": lambda: digits[0].exp(), "ln": lambda: digits[0].ln(),
            "sqrt": lambda: digits[0].sqrt(),
            "tanh": lambda: 1 - 2 / ((2 * digits[0]).exp() + 1),
        }[operation]()
    number = Number(float(result), f"{operation}({','.join(map(written, operands))})")
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
        places = 40 if result.places is None else result.places
        return "=" if quantized(reached, places) == result.digits else r"\approx"


def leads(expected: float, result: Shown) -> Shown:
    """The result, if the unrounded numbers of the line lead there; AuthorError if they do not."""
    number = result.number
    if not math.isclose(expected, number.value, rel_tol=1e-9, abs_tol=1e-9):
        raise AuthorError(
            f"the worked line does not lead to `{number.address}` = {number.value!r}: its numbers give {expected!r}"
        )
    return result


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
    addends = terms(tensor)
    end = leads(math.fsum(addend.number.value for addend in addends), shown(result))
    reached = sum(addend.digits for addend in addends)
    return WorkedLine(tuple(left), (Step("=", signed_sum(addends)), Step(relation(reached, end), (end,))))


def quotient_line(left: list, above, below, result: Number) -> WorkedLine:
    """A fraction and its value."""
    above, below = shown(above), shown(below)
    end = leads(above.number.value / below.number.value, shown(result))
    reached = printed("div", [above, below], places=40).digits
    fraction = (r"\dfrac{", above, "}{", below, "}")
    return WorkedLine(tuple(left), (Step("=", fraction), Step(relation(reached, end), (end,))))


def over_root_line(left: list, above, under_root, result: Number) -> WorkedLine:
    """A number over the root of another: the root is taken, then the fraction's value."""
    above, under_root = shown(above), shown(under_root)
    end = leads(above.number.value / math.sqrt(under_root.number.value), shown(result))
    root = printed("sqrt", [under_root])
    reached = printed("div", [above, root], places=40).digits
    fraction = lambda below: (r"\dfrac{", above, "}{", *below, "}")
    return WorkedLine(tuple(left), (
        Step("=", fraction((r"\sqrt{", under_root, "}"))),
        Step("=", fraction((root,))),
        Step(relation(reached, end), (end,)),
    ))


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
    exact = math.fsum(a.number.value * b.number.value for a, b in zip(firsts, seconds))
    end = leads(exact, shown(result))
    reached = sum(product.digits for product in products)
    return WorkedLine(tuple(left), (
        Step("=", factors), Step("=", signed_sum(products)), Step(relation(reached, end), (end,)),
    ))


def squares_line(left: list, tensor, mean: Number) -> WorkedLine:
    """The squared distances of a vector's numbers from their mean, and the vector's own sum of them."""
    centre, end = shown(mean), sum_of_squares(tensor, mean)
    distances = [printed("sub", [value, centre]) for value in terms(tensor)]
    squares = [printed("mul", [distance, distance]) for distance in distances]
    reached = sum(square.digits for square in squares)
    powers: tuple = ()
    for distance in distances:
        powers += (" + " if powers else "", "(", distance, ")^{2}")
    return WorkedLine(tuple(left), (
        Step("=", powers), Step("=", signed_sum(squares)), Step(relation(reached, end), (end,)),
    ))


def deviation_line(
    left: list, tensor, mean: Number, result: Number, epsilon: Number, divisor: Number | None = None
) -> WorkedLine:
    """The root of the mean squared distance from the mean plus ε, after a `squares_line`.

    The sum is divided by the count of the numbers, or by `divisor`.
    """
    total = sum_of_squares(tensor, mean)
    count = shown(divisor or tensor.size(tensor.axes[0].name))
    end = leads(math.sqrt(total.number.value / count.number.value + epsilon.value), shown(result))
    with localcontext(prec=60):
        reached = (total.digits / count.digits + Decimal(repr(epsilon.value))).sqrt()
    return WorkedLine(tuple(left), (
        Step("=", (r"\sqrt{\dfrac{", total, "}{", count, r"} + \varepsilon}")),
        Step(relation(reached, end), (end,)),
    ))


def sum_of_squares(tensor, mean: Number) -> Shown:
    """Σ(x − μ)² of the unrounded numbers; its address says Σx² − nμ², which is the same.

    AuthorError where μ is not the numbers' mean.
    """
    centre, values = shown(mean).number, tensor.values()
    square, count = f"dot({tensor.address},{tensor.address})", tensor.size(tensor.axes[0].name)
    own = Number(
        math.fsum((value - centre.value) ** 2 for value in values),
        f"sub({square},mul({count.address},{centre.address},{centre.address}))",
    )
    return leads(math.fsum(value * value for value in values) - count.value * centre.value**2, shown(own))


def standard_line(left: list, value: Number, mean: Number, deviation: Number, result: Number) -> WorkedLine:
    """(value − mean) / deviation."""
    value, mean, deviation = shown(value), shown(mean), shown(deviation)
    end = leads((value.number.value - mean.number.value) / deviation.number.value, shown(result))
    distance = printed("sub", [value, mean])
    reached = printed("div", [distance, deviation], places=40).digits
    return WorkedLine(tuple(left), (
        Step("=", (r"\dfrac{", value, " - ", *factor(mean), "}{", deviation, "}")),
        Step("=", (r"\dfrac{", distance, "}{", deviation, "}")),
        Step(relation(reached, end), (end,)),
    ))


def logarithm_line(left: list, probability: Number, result: Number) -> WorkedLine:
    """−ln of a probability."""
    probability = shown(probability)
    end = leads(-math.log(probability.number.value), shown(result))
    with localcontext(prec=60):
        reached = -probability.digits.ln()
    return WorkedLine(tuple(left), (
        Step("=", (r"-\ln ", probability)), Step(relation(reached, end), (end,)),
    ))


def share_line(left: list, scores, label: object, result: Number) -> WorkedLine:
    """One share of a row's softmax: e to the score at `label`, over e to every score of the row.

    All from the scores as printed; a score of minus infinity counts for 0.
    """
    row, place = terms(scores), scores.axes[0].index(getattr(label, "value", label), scores.address)
    whole = math.fsum(math.exp(score.number.value) for score in row)
    end = leads(math.exp(row[place].number.value) / whole, shown(result))
    exponentials = [printed("exp", [score]) for score in row]
    total = printed("add", exponentials)
    powers = [("e^{", score, "}") for score in row]
    sum_of_powers = tuple(part for power in powers for part in (" + ", *power))[1:]
    reached = printed("div", [exponentials[place], total], places=40).digits
    fraction = lambda above, below: (r"\dfrac{", *above, "}{", *below, "}")
    return WorkedLine(tuple(left), (
        Step("=", fraction(powers[place], sum_of_powers)),
        Step("=", fraction((exponentials[place],), signed_sum(exponentials))),
        Step("=", fraction((exponentials[place],), (total,))),
        Step(relation(reached, end), (end,)),
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
    logit, exponential, total = shown(logit), shown(exponential), shown(total)
    leads(math.exp(logit.number.value), exponential)
    end = leads(exponential.number.value / total.number.value, shown(result))
    first = relation(printed("exp", [logit], places=40).digits, exponential)
    reached = printed("div", [exponential, total], places=40).digits
    fraction = lambda above: (r"\dfrac{", *above, "}{", total, "}")
    return WorkedLine(tuple(left), (
        Step("=", fraction(("e^{", logit, "}"))),
        Step(first, fraction((exponential,))),
        Step(relation(reached, end), (end,)),
    ))

