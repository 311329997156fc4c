"""Lines of arithmetic, with a pocket calculator: what is printed leads to what is printed.

Reads the MathML of each formula, that is, what the reader reads, and computes with those digits.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import mpmath
from built_page import NO_BREAK_SPACE, formula_around, has_class, mathml, read, text_of
from evaluate import exactly, rounded, split, weights

RELATIONS = "=≈"
READ = {("mi", "ln"), ("mi", "tanh"), *(("mo", sign) for sign in ("+", "−", "(", ")", "⋅", "×", *RELATIONS))}


# --- reading MathML ------------------------------------------------------------------------


@dataclass(frozen=True)
class Expression:
    """`kind` is number, sum, product, fraction, root, power, exp, ln, tanh, minus, or unknown."""

    kind: str
    parts: tuple = ()
    number: Fraction | None = None
    places: int = 0

    @property
    def value(self) -> Fraction | None:
        """What a calculator shows; None where a letter stands for something."""
        if self.kind == "number":
            return self.number
        values = [part.value for part in self.parts]
        if self.kind == "unknown" or None in values:
            return None
        return COMPUTED[self.kind](*values)


def function(name):
    def compute(value):
        with mpmath.workdps(50):
            return exactly(getattr(mpmath, name)(mpmath.mpf(value.numerator) / value.denominator))

    return compute


COMPUTED = {
    "sum": lambda *terms: sum(terms),
    "product": lambda *factors: reduce(lambda left, right: left * right, factors),
    "fraction": lambda above, below: above / below,
    "root": function("sqrt"),
    "power": lambda base, exponent: base**exponent,
    "exp": function("exp"),
    "ln": function("log"),
    "tanh": function("tanh"),
    "minus": lambda value: -value,
}
UNKNOWN = Expression("unknown")


def sides(formula, language):
    """A formula cut at its relations: "a = b ≈ c" is [("", a), ("=", b), ("≈", c)]."""
    [semantics] = mathml(formula)
    cut = [["", []]]
    for token in tokens(semantics, language):
        if isinstance(token, str) and token in RELATIONS:
            cut.append([token, []])
        else:
            cut[-1][1].append(token)
    return [(relation, Reader(side).whole()) for relation, side in cut if side]


def tokens(node, language):
    """The children of a MathML row: signs (str) and operands (Expression), groups opened."""
    for child in node:
        if child.tag in ("mrow", "mstyle", "semantics", "mpadded"):
            yield from tokens(child, language)
        elif child.tag == "mn":
            yield number(text_of(child), language)
        elif child.tag == "mfrac":
            yield Expression("fraction", tuple(inside(part, language) for part in child))
        elif child.tag == "msqrt":
            yield Expression("root", (Reader(list(tokens(child, language))).whole(),))
        elif child.tag == "msup":
            yield from power(*child, language)
        elif child.tag == "msub" and text_of(child[0]) == ")":
            yield ")"
        elif child.tag == "mi" and text_of(child) == "ε":
            yield Expression("number", number=weights()["epsilon"])
        elif (child.tag, text_of(child)) in READ:
            yield text_of(child)
        elif text_of(child).strip("\N{FUNCTION APPLICATION} "):
            yield NO_BREAK_SPACE if text_of(child) == NO_BREAK_SPACE else UNKNOWN


def power(base, exponent, language):
    raised = inside(exponent, language)
    if text_of(base) == "e" and text_of(exponent) == "−∞":
        yield Expression("number", number=Fraction(0))
    elif text_of(base) == "e":
        yield Expression("exp", (raised,))
    elif text_of(base) == ")":
        yield ")"
        yield ("^", raised)
    else:
        yield Expression("power", (inside(base, language), raised))


def inside(node, language):
    holder = [node] if node.tag != "mrow" else node
    return Reader(list(tokens(holder, language))).whole()


def number(text, language):
    value = read(text, language)
    mark = text.rpartition("." if language == "en" else ",")
    # Without a decimal mark the groups of three are no decimals.
    places = len(mark[2]) if mark[1] else 0
    return Expression("number", number=value, places=places)


class Reader:
    """Sums of products of powers, as everybody learns to read them."""

    def __init__(self, tokens):
        self.tokens = joined(tokens)

    def whole(self):
        result = self.sum()
        assert not self.tokens, f"cannot read {self.tokens}"
        return result

    def next_is(self, *signs):
        return bool(self.tokens) and isinstance(self.tokens[0], str) and self.tokens[0] in signs

    def sum(self):
        terms = [self.term()]
        while self.next_is("+", "−"):
            terms.append(self.term())
        return terms[0] if len(terms) == 1 else Expression("sum", tuple(terms))

    def term(self):
        sign = self.tokens.pop(0) if self.next_is("+", "−") else "+"
        product = self.product()
        if sign == "+":
            return product
        if product.kind == "number":
            return Expression("number", number=-product.number, places=product.places)
        return Expression("minus", (product,))

    def product(self):
        factors = [self.factor()]
        while self.tokens and not self.next_is("+", "−", ")"):
            if self.next_is("⋅", "×"):
                self.tokens.pop(0)
            factors.append(self.factor())
        return factors[0] if len(factors) == 1 else Expression("product", tuple(factors))

    def factor(self):
        token = self.tokens.pop(0)
        if token in ("ln", "tanh"):
            return Expression(token, (self.factor(),))
        if token == "(":
            token = self.sum()
            assert self.tokens.pop(0) == ")"
        if self.tokens and isinstance(self.tokens[0], tuple):
            token = Expression("power", (token, self.tokens.pop(0)[1]))
        assert isinstance(token, Expression), token
        return token


def joined(tokens):
    """Groups of digits that a space separates are one number; other spaces say nothing."""
    done = []
    for token in tokens:
        if is_number(token) and len(done) > 1 and done[-1] == NO_BREAK_SPACE and is_number(done[-2]):
            thousands = done[-2].number * 1000
            done[-2:] = [Expression("number", number=thousands + token.number, places=token.places)]
        else:
            done.append(token)
    return [token for token in done if token != NO_BREAK_SPACE]


def is_number(token):
    return isinstance(token, Expression) and token.kind == "number"


# --- the rule ------------------------------------------------------------------------------


def follows(before, after):
    """Whether the digits printed before lead to all the digits printed after.

    A number follows when it is the rounded value of what stood before; of two sums, fractions or
    roots, each part must follow. What stands for something unknown leads to anything.
    """
    if after.kind == "number":
        return before.value is None or rounded(before.value, after.places) == after.number
    if before.kind == after.kind and len(before.parts) == len(after.parts):
        return all(follows(*pair) for pair in zip(before.parts, after.parts))
    if before.value is None or after.value is None:
        return True
    return before.value == after.value


def lines(page):
    """Each block of worked arithmetic: its formulas, one after the other."""
    for block in page.article.iter("span"):
        if has_class(block, "worked"):
            yield [formula_around(math) for math in block.iter("math")]


def test_each_line_says_equal_where_its_digits_lead_to_the_next_and_about_where_not(page):
    for formulas in lines(page):
        (_, before), *steps = [side for formula in formulas for side in sides(formula, page.language)]
        assert steps
        for relation, after in steps:
            expected = "=" if follows(before, after) else "≈"
            assert relation == expected, [text_of(mathml(formula)) for formula in formulas]
            before = after


def test_a_line_that_says_about_misses_the_last_digits_only(page):
    """≈ is no licence: a hundredth, or half a thousandth for each term, is all that rounding can make."""
    for formulas in lines(page):
        (_, before), *steps = [side for formula in formulas for side in sides(formula, page.language)]
        for _, after in steps:
            if before.value is not None and after.value is not None:
                room = max(abs(after.value) / 100, Fraction(len(before.parts), 2000))
                assert abs(before.value - after.value) <= room, text_of(mathml(formulas[-1]))
            before = after


def test_equations_in_running_text_hold_too(page):
    inside_lines = {formula for formulas in lines(page) for formula in formulas}
    for formula in page.formulas:
        if formula not in inside_lines:
            (_, before), *steps = sides(formula, page.language) or [("", UNKNOWN)]
            for relation, after in steps:
                assert relation == ("=" if follows(before, after) else "≈"), text_of(mathml(formula))
                before = after


def test_a_line_uses_only_digits_that_were_printed_before_it(page):
    """`mul(shown(toy/f[t=5,d=1],3),…)`: that f, with three decimals, stands earlier on the page."""
    printed = set()
    for _, rows in page.units():
        needed = {
            operand
            for row in rows
            for operand in operands(row["address"])
            if "shown(" in row["address"]
        }
        assert needed <= printed, (needed - printed, rows[0]["source"])
        for row in rows:
            printed |= {row["address"], f"shown({row['address']},{row['places']})"}


def operands(address):
    """The operands of an operation, as their addresses."""
    call = re.fullmatch(r"(add|sub|mul|div|exp|ln|sqrt|tanh)\((.*)\)", address)
    return [part for operand in split(call[2]) for part in printed_as(operand)] if call else []


def printed_as(operand):
    """A fraction that multiplies is printed as two numbers, one above the other."""
    fraction = re.fullmatch(r"div\((averages/.*),(averages/.*)\)", operand)
    return [fraction[1], fraction[2]] if fraction else [operand]


def test_the_output_page_works_its_lines(output_page):
    assert len(list(lines(output_page))) >= 9
    formulas = [formula for line in lines(output_page) for formula in line]
    relations = {relation for formula in formulas for relation, _ in sides(formula, output_page.language)}
    assert relations == {"", "=", "≈"}
    addresses = [node.get("data-ref") for formula in formulas for node in formula.iterfind(".//*[@data-ref]")]
    assert any("shown(" in address for address in addresses)
