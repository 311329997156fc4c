"""Claims: sentences bound to assertions about values.

`[% claim share > 0.5 %]Four places take most of it.[% endclaim %]` prints the sentence and fails
the build when the comparison no longer holds.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from html import escape

from worked.errors import AuthorError, found

RELATIONS = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq,
    "~": lambda left, right: abs(left - right) <= 1e-9,
}
OPPOSITES = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}


class BrokenClaim(AuthorError):
    """A comparison that a sentence depends on does not hold."""


@dataclass(frozen=True)
class Comparison:
    """An assertion about two values: what is compared, how, and whether it holds."""

    text: str  # by addresses: "toy/p[t=5,v=␣telhado] > 0.3"
    holds: bool
    values: str  # by values: "0.395… > 0.3"
    sides: tuple  # what was compared, and how: left, relation, right

    @classmethod
    def of(cls, left, relation: str, right) -> Comparison:
        """Compare two numbers, or two labels; each has an address or stands for itself."""
        values = [getattr(side, "value", getattr(side, "name", side)) for side in (left, right)]
        names = [getattr(side, "address", None) or repr(value) for side, value in zip((left, right), values)]
        return cls(
            f"{names[0]} {relation} {names[1]}",
            bool(RELATIONS[relation](*values)),
            f"{values[0]!r} {relation} {values[1]!r}",
            (left, relation, right),
        )

    def opposite(self) -> Comparison:
        """What holds when this does not; AuthorError for an equality, whose opposite says nothing."""
        left, relation, right = self.sides
        return Comparison.of(left, found(OPPOSITES, relation, f"`{self.text}` has no opposite to claim"), right)

    def __bool__(self) -> bool:
        raise AuthorError(
            f"`{self.text}` is a comparison for a claim: give several apart by commas, not by `and`, `or` or chains"
        )


def equal(left, right) -> Comparison:
    """Equal up to the last bits of float64 (1e-9): for two roads to one number."""
    return Comparison.of(left, "~", right)


@dataclass(frozen=True)
class Verdict:
    """Whether a relation that others report holds here, and what can be claimed of it either way."""

    holds: bool
    comparisons: list[Comparison]


def verdict(*comparisons: Comparison) -> Verdict:
    """All of them, if all hold; otherwise the opposites of those that do not."""
    failing = [comparison.opposite() for comparison in comparisons if not comparison.holds]
    return Verdict(not failing, failing or list(comparisons))


def bound(comparisons: list, sentence: str, quoted: str = "") -> str:
    """The sentence, marked with what it claims.

    Raises BrokenClaim, quoting the sentence, if a comparison does not hold, and AuthorError if it is none.
    """
    if not comparisons:
        raise AuthorError("a claim without a comparison holds nothing")
    for comparison in comparisons:
        if not isinstance(comparison, Comparison):
            raise AuthorError(
                "a claim compares values with an address, such as `share > 0.5`; "
                f"got {type(comparison).__name__} {comparison!r}"
            )
        if not comparison.holds:
            raise BrokenClaim(
                f"the claim no longer holds: expected {comparison.text}, got {comparison.values} "
                f'(the sentence: "{" ".join((quoted or sentence).split())[:120]}")'
            )
    claims = escape("; ".join(comparison.text for comparison in comparisons))
    return f'<span class="claim" data-claim="{claims}">{sentence}</span>'
