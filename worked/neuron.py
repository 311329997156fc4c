"""Worked lines of one artificial neuron: a weighted sum with a bias, then GELU in its tanh form.

GELU(u) = ½ u (1 + tanh(√(2/π) (u + 0.044715 u³))); Hendrycks and Gimpel, "Gaussian Error Linear
Units" (2016), section 2.
"""

from __future__ import annotations

import math

from worked.arithmetic import Step, WorkedLine, dot_line, factor, printed, relation, shown
from worked.numbers import Number, as_number, computed

PI = Number(math.pi, "pi")
CONSTANTS = {
    "one": as_number(1), "two": as_number(2), "three": as_number(3), "cubic": as_number(0.044715),
    "scale": computed("sqrt", computed("div", 2, PI)),
}  # fmt: skip


def gelu(u: float) -> float:
    """For curves only: the printed values are the model's own."""
    inner = CONSTANTS["scale"].value * (u + CONSTANTS["cubic"].value * u**3)
    return u / 2 * (1 + math.tanh(inner))


def affine_line(left: list, vector, column, bias: Number, result: Number) -> WorkedLine:
    """A product of two vectors plus a bias: the factors, the terms, the result."""
    factors, products, _ = dot_line(left, vector, column, result - bias).steps
    bias, end = shown(bias), shown(result)
    added = (" + ", *factor(bias))
    reached = bias.digits + sum(part.digits for part in products.parts if hasattr(part, "digits"))
    return WorkedLine(tuple(left), (
        Step("=", (*factors.parts, *added)), Step("=", (*products.parts, *added)),
        Step(relation(reached, end), (end,)),
    ))


def gelu_lines(symbol: list, place: list, value: Number, result: Number) -> list[WorkedLine]:
    """GELU of a printed number in four lines: the cube, what tanh is taken of (η), tanh, the result.

    `symbol` and `place` are TeX for the number and its subscript, `result` the model's own value.
    The scale √(2/π) must have been printed with three decimals before.
    """
    one, two, three, cubic = (shown(CONSTANTS[name]) for name in ("one", "two", "three", "cubic"))
    value, scale, end = shown(value), shown(CONSTANTS["scale"]), shown(result)
    cube = printed("mul", [value, value, value])
    small = printed("mul", [cubic, cube])
    bracket = printed("add", [value, small])
    inner = printed("mul", [scale, bracket])
    bent = printed("tanh", [inner])
    reached = value.digits / 2 * (1 + bent.digits)
    times = r" \cdot "
    return [
        WorkedLine((*symbol, *place, "^{", three, "}"), (
            Step("=", ("(", value, ")^{", three, "}")), Step("=", (cube,)),
        )),
        WorkedLine((r"\eta",), (
            Step("=", (scale, times, "(", value, " + ", cubic, times, *factor(cube), ")")),
            Step("=", (scale, times, "(", value, " + ", *factor(small), ")")),
            Step("=", (scale, times, *factor(bracket))),
            Step("=", (inner,)),
        )),
        WorkedLine((r"\tanh \eta",), (Step("=", (r"\tanh ", *factor(inner))), Step("=", (bent,)))),
        WorkedLine((r"\operatorname{GELU}(", *symbol, *place, ")"), (
            Step("=", (r"\dfrac{", one, "}{", two, "}", times, *factor(value), times, "(", one, " + ",
                       *factor(bent), ")")),
            Step(relation(reached, end), (end,)),
        )),
    ]
