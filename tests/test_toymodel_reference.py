"""The model against two independent roads: NumPy in float64, and mpmath with 50 digits."""

import math
from functools import cache

import mpmath
import numpy as np
import pytest
from reference import DIGITS, RUNS, mpmath_run, numpy_run

from toymodel.names import NAMES
from toymodel.parameters import named
from toymodel.runs import run

EXACT_TIES = {  # by run; in the others, x_mean
    "toy.attention_off": {"x_mean", "h_mean"}, "toy.positions_off": set(), "toy.swapped_positions_off": set(),
}  # fmt: skip


@cache
def high_precision(name):
    return mpmath_run(name)


def flat(nested):
    return [n for item in nested for n in flat(item)] if isinstance(nested, list) else [nested]


def values(name):
    """Every tensor of a run, parameters included."""
    one = run(name)
    return named(one.model.parameters) | {key: one.trace[key] for key in one.trace.names()}


@pytest.mark.parametrize("name", RUNS)
def test_the_roads_name_the_same_tensors_in_the_registrys_order(name):
    ours = list(values(name))
    assert ours == [entry.name for entry in NAMES if entry.name in ours]
    assert set(ours) == set(numpy_run(name)) == set(high_precision(name))


@pytest.mark.parametrize("name", RUNS)
def test_numpy(name):
    theirs = numpy_run(name)
    for key, tensor in values(name).items():
        np.testing.assert_allclose(tensor.numpy(), theirs[key], rtol=0, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("name", RUNS)
def test_mpmath(name):
    theirs = high_precision(name)
    with mpmath.workdps(DIGITS):
        for key, tensor in values(name).items():
            for ours, exact in zip(flat(tensor.tolist()), flat(theirs[key]), strict=True):
                assert ours == exact or abs(ours - exact) < 1e-12, key


@pytest.mark.parametrize("name", RUNS)
def test_three_decimals_show_what_fifty_digits_show(name):
    """No value is so near a rounding tie that float64 could show another digit.

    The means of the embeddings are ties by nature: sums of multiples of 0.05, over four. Without
    positions they are sums of multiples of 0.5, and none ties.
    """
    ties = set()
    with mpmath.workdps(DIGITS):
        for key, tensor in values(name).items():
            exacts = flat(high_precision(name)[key])
            for ours, exact in zip(flat(tensor.tolist()), exacts, strict=True):
                if math.isinf(ours):
                    continue
                thousandths = exact * 1000
                distance = abs(thousandths - mpmath.floor(thousandths) - 0.5) / 1000
                if distance < mpmath.mpf(10) ** -40:
                    ties.add(key)
                    continue
                assert distance > 1e-9, (key, ours)
                assert mpmath.nint(thousandths) == mpmath.nint(mpmath.mpf(ours) * 1000), key
    if name in ("toy.beginning", "toy.beginning_no_mask", "toy.cached"):  # the row with the tie is not theirs
        assert not ties
    else:
        assert ties == EXACT_TIES.get(name, {"x_mean"})
