"""Which column of W_U is an average of which others, and with what shares: by Cramer's rule.

Imports nothing from `toymodel` and reads `toymodel/toy.json` itself.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations

from reference import read

AVERAGED = {  # whose columns of W_U average to whose
    "␣muro": ["␣no", "␣cão", "iu", "␣telhado"], "␣sofá": ["␣sub", "iu", "␣telhado"],
    "␣chão": ["o", "␣no", "␣telhado"], "␣cão": ["o", "␣gato", "iu", "␣sofá"],
    "o": ["␣gato", "␣sub", "iu", "␣chão"],
}  # fmt: skip


@cache
def shares_of(token):
    """The shares of an average, by Cramer's rule on the differences of the columns' entries."""
    names = AVERAGED[token]
    content = read(number=Fraction)
    columns = dict(zip(content["vocabulary"], zip(*content["W_U"])))

    def differences(name):  # a constant added to a column is gone
        column = [Fraction(entry) for entry in columns[name]]
        return [*(entry - column[0] for entry in column[1:]), Fraction(1)]

    equations = [differences(name) for name in names]
    wanted = differences(token)
    for kept in combinations(range(len(wanted)), len(names)):
        matrix = [[column[i] for i in kept] for column in equations]
        whole = determinant(matrix)
        if whole:
            right = [wanted[i] for i in kept]
            shares = [
                determinant([*matrix[:place], right, *matrix[place + 1 :]]) / whole
                for place in range(len(names))
            ]
            break
    for i, value in enumerate(wanted):  # every equation, also those not used
        assert sum(share * column[i] for share, column in zip(shares, equations)) == value
    return dict(zip(names, shares))


def determinant(rows):
    """By Laplace, along the first row."""
    if not rows:
        return Fraction(1)
    return sum(
        (-1) ** place * entry * determinant([row[:place] + row[place + 1 :] for row in rows[1:]])
        for place, entry in enumerate(rows[0])
    )
