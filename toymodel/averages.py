"""Columns of W_U that are averages of other columns: tokens that can never come first alone.

The final norm makes f sum to 0, so a constant added to a column of W_U changes no logit. Where a
column is, up to such a constant, an average of other columns, its logit is the same average of
their logits, whatever f is; and no average exceeds the largest of what it averages.
"""

from fractions import Fraction

from toymodel.weights import load_toy

AVERAGES = {
    "␣muro": ("␣no", "␣cão", "iu", "␣telhado"),
    "␣sofá": ("␣sub", "iu", "␣telhado"),
    "␣chão": ("o", "␣no", "␣telhado"),
    "␣cão": ("o", "␣gato", "iu", "␣sofá"),
    "o": ("␣gato", "␣sub", "iu", "␣chão"),
}


def average(column: list[Fraction], others: list[list[Fraction]]) -> list[Fraction]:
    """The shares, all positive and summing to 1, with which the other columns make this one.

    The shares and the constant solve one linear equation for each dimension, and one for the
    sum. Raises ValueError when there are no such shares, or more than one choice of them.
    """
    rows = [[*entries, Fraction(1), own] for *entries, own in zip(*others, column, strict=True)]
    rows.append([*[Fraction(1)] * len(others), Fraction(0), Fraction(1)])
    *shares, _ = solve(rows)
    if min(shares) <= 0:
        raise ValueError(f"no average: the shares are {', '.join(map(str, shares))}")
    return shares


def solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """The one solution of linear equations, each a row: coefficients, then the right side.

    Gauss-Jordan elimination, exact. Raises ValueError unless there is exactly one solution.
    """
    unknowns = len(rows[0]) - 1
    for place in range(unknowns):
        pivot = next((row for row in rows[place:] if row[place]), None)
        if pivot is None:
            raise ValueError("the equations have no single solution")
        rest = [row for row in rows if row is not pivot]
        pivot = [entry / pivot[place] for entry in pivot]
        rows = [[a - row[place] * b for a, b in zip(row, pivot)] for row in rest]
        rows.insert(place, pivot)
    if any(row[-1] for row in rows[unknowns:]):
        raise ValueError("the equations contradict each other")
    return [row[-1] for row in rows[:unknowns]]


def averages() -> dict[str, dict[str, list[int]]]:
    """For each token of AVERAGES, the others and their shares as numerator and denominator.

    A token is left out when its column is no such average: other weights, other averages.
    """
    model, vocabulary = load_toy()
    entries = model.parameters.W_U.T.tolist()  # multiples of 1/2: floats hold them exactly
    columns = dict(zip(vocabulary.tokens, [list(map(Fraction, column)) for column in entries]))
    found = {}
    for token, others in AVERAGES.items():
        try:
            shares = average(columns[token], [columns[other] for other in others])
        except ValueError:
            continue
        found[token] = {o: [share.numerator, share.denominator] for o, share in zip(others, shares)}
    return found
