"""Sums in running text: whoever adds up the numbers that the page prints gets the sum that it prints.

Worked lines say ≈ where they miss, and beneath tables a note speaks for whole columns; a sentence has neither.
"""

import re

from evaluate import evaluate, rounded, split

PLACES = 3  # of a computed number, when a page says nothing else


def addends(address):
    """What a sum adds up, as printed elsewhere on the page; None for what is no sum."""
    call = re.fullmatch(r"(sum|add)\((.*)\)", address)
    if call is None:
        return None
    values = evaluate(call[2]).values() if call[1] == "sum" else map(evaluate, split(call[2]))
    return [rounded(value, PLACES) for value in values]


def inside_a_table(node):
    return next(node.iterancestors("table"), None) is not None


def test_a_sum_in_a_sentence_is_the_sum_of_what_is_printed(page):
    for element, row in page.pairs():
        if row["mode"] != "text" or row["places"] is None or inside_a_table(element.node):
            continue
        parts = addends(row["address"])
        if parts is not None:
            printed = rounded(evaluate(row["address"]), row["places"])
            assert printed == rounded(sum(parts), row["places"]), (row["address"], row["source"])
