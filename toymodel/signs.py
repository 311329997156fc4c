"""Dot products of every vector of signs with every other: how their size grows with the width.

The numbers of such a vector are +1 or -1, each as often: mean 0, variance 1, independent of one
another. So they stand for the numbers of a query and a key that nothing is known about, and
the variance over all pairs is exact (Vaswani et al., 2017, section 3.2.1, footnote 4).
"""

from functools import cache
from itertools import product
from operator import mul

WIDTHS = (1, 2, 4, 8)


@cache
def dot_products(width: int) -> dict[str, int]:
    """How many pairs of sign vectors there are, the sum of their products, and of its squares."""
    vectors = list(product((1, -1), repeat=width))
    products = [sum(map(mul, q, k)) for q in vectors for k in vectors]
    return {
        "width": width,
        "pairs": len(products),
        "sum": sum(products),
        "squares": sum(value * value for value in products),
    }
