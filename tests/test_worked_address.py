"""Addresses: what a tensor calls its elements means the same to an evaluator that knows only text."""

import itertools
import operator
from fractions import Fraction

import pytest
from evaluate import AXES, FIRST_ROW, Part, evaluate, split, weights
from hypothesis import given
from hypothesis import strategies as st
from reference import PARAMETERS, RUNS, numpy_run

from worked.address import Run, encoded
from worked.errors import AuthorError
from worked.numbers import Label, Number
from worked.reductions import argmax, ranked, reduced

LABELS = {
    "t": range(1, 6), "s": range(1, 6), "v": weights()["vocabulary"], "d": range(1, 5), "head": (1, 2),
    "c": (1, 2), "j": range(1, 5), "u": range(1, 9), "slot": range(1, 9),
}  # fmt: skip


def toy(name="toy"):
    values = {key: {"axes": AXES[key].split(), "data": data} for key, data in numpy_run(name).items()}
    first, count = FIRST_ROW.get(name, 1), len(values["k"]["data"][0])
    labels = LABELS | {"t": range(first, count + 1), "s": range(1, count + 1)}
    return Run.from_export(name, labels, values, set(PARAMETERS))


TOY = toy()


def close(number, value):
    return abs(Fraction(number.value) - value) <= Fraction(1, 10**12) * max(1, abs(value))


@pytest.mark.parametrize("name", RUNS)
def test_every_elements_address_means_its_value(name):
    run = toy(name)
    for tensor in run.tensors.values():
        for number in tensor.numbers():
            value = evaluate(number.address)
            assert number.value == value or close(number, value), number


def test_the_order_of_coordinates_is_the_tensors_own():
    first, second = TOY.z(v="␣telhado", t=5), TOY.z(t=5)(v="␣telhado")
    assert first.address == second.address == "toy/z[t=5,v=␣telhado]"
    assert first.value == second.value


def test_several_labels_keep_the_order_given():
    part = TOY.p(v=["␣muro", "␣telhado"], t=5)
    assert part.address == "toy/p[t=5,v=␣muro+␣telhado]"
    assert [number.address for number in part.numbers()] == ["toy/p[t=5,v=␣muro]", "toy/p[t=5,v=␣telhado]"]
    meant = evaluate(part.address)
    assert isinstance(meant, Part)
    assert all(close(*pair) for pair in zip(part.numbers(), meant.values(), strict=True))


@given(st.text(min_size=1))
def test_any_label_survives_its_address(label):
    text = encoded(label)
    assert split(f"{text},x") == [text, "x"]
    assert not set(text) & set(",[]+=()\"'&")


@given(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
def test_labels_joined_by_plus_come_apart_again(labels):
    assert encoded(tuple(labels)).split("+") == [encoded(label) for label in labels]


@pytest.mark.parametrize("operation, address", [
    ("sum", "sum(toy/y[t=5])"), ("mean", "mean(toy/y[t=5])"), ("max", "max(toy/y[t=5])"), ("min", "min(toy/y[t=5])"),
])  # fmt: skip
def test_reductions(operation, address):
    number = reduced(operation, TOY.y(t=5))
    assert number.address == address
    assert close(number, evaluate(address))


def test_reductions_of_a_whole_matrix_and_of_chosen_labels():
    assert close(reduced("sum", TOY.p), Fraction(5))
    share = reduced("sum", TOY.p(t=5, v=["␣telhado", "␣muro", "␣sofá", "␣chão"]))
    assert close(share, evaluate(share.address))


def test_counts_and_labels():
    assert [(n.value, n.address) for n in TOY.p.shape] == [(5, "count(toy/p,t)"), (12, "count(toy/p,v)")]
    positions = TOY.p.positions("t")
    assert [n.value for n in positions] == [1, 2, 3, 4, 5]
    for number in (*positions, *TOY.p.shape, TOY.W_U(v="o").size("d")):
        assert evaluate(number.address) == number.value


def test_argmax_and_ranking():
    first, *others = ranked(TOY.p(t=5))
    assert first.name == evaluate(first.address) == argmax(TOY.p(t=5)).name == "␣telhado"
    values = [TOY.p(t=5, v=label.name).value for label in (first, *others)]
    assert values == sorted(values, reverse=True)
    assert [other.address for other in others] == [None] * 11


def test_a_label_or_a_number_can_choose():
    by_label = TOY.z(t=TOY.z.positions("t")[4], v=Label("␣telhado", note="roof"))
    assert by_label.address == "toy/z[t=5,v=␣telhado]"


@pytest.mark.parametrize("wrong", [
    lambda: TOY.z(t=6), lambda: TOY.z(t=0), lambda: TOY.z(t=-1), lambda: TOY.z(v=6), lambda: TOY.z(d=1),
    lambda: TOY.z(t=5)(t=4), lambda: TOY.zz, lambda: str(TOY.z), lambda: TOY.z(v=["o", "x"]),
])  # fmt: skip
def test_what_is_not_there_is_an_authors_error(wrong):
    with pytest.raises(AuthorError):
        wrong()


def test_an_index_is_no_position():
    """Positions count from 1; the last is not -1, and True is not 1."""
    for label in (-1, "1", 1.5):
        with pytest.raises(AuthorError, match="`toy/z` has no t="):
            TOY.z(t=label)


def test_shapes_that_disagree_are_refused():
    values = {"z": {"axes": ["t", "v"], "data": [[1.0, 2.0]] * 4}}
    with pytest.raises(ValueError, match="toy/z: 4 along t, 5 labels"):
        Run.from_export("toy", LABELS, values, set())


def test_shapes_that_disagree_deeper_down_are_refused():
    values = {"z": {"axes": ["t", "d"], "data": [[1.0, 2.0, 3.0, 4.0]] * 4 + [[1.0, 2.0, 3.0]]}}
    with pytest.raises(ValueError, match="toy/z"):
        Run.from_export("toy", LABELS, values, set())


# --- arithmetic ----------------------------------------------------------------------------

leaves = st.sampled_from([*TOY.y.numbers(), *TOY.W_U.numbers(), *TOY.p.shape]) | st.integers(-9, 9).map(
    lambda value: Number(value, repr(value), exact=True)
)
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv]


@given(leaves, leaves, leaves, st.sampled_from(BINARY), st.sampled_from(BINARY))
def test_arithmetic_writes_the_address_of_what_it_computes(first, second, third, inner, outer):
    try:
        number = outer(-inner(first, second), third)
    except AuthorError as error:
        assert "cannot be computed" in str(error)
        return
    value = evaluate(number.address)
    assert abs(Fraction(number.value) - value) <= Fraction(1, 10**9) * max(1, abs(value))


@pytest.mark.parametrize("operation", BINARY)
def test_a_typed_number_on_either_side_is_its_own_address(operation):
    number = TOY.y(t=5, d=1)
    for result in (operation(number, 3), operation(3, number), operation(number, 0.25), operation(0.25, number)):
        assert close(result, evaluate(result.address)), result.address


def test_arithmetic_on_what_is_no_number_is_refused():
    for wrong, right in itertools.product(["x", None, True, TOY.y], [TOY.y(t=5, d=1)]):
        with pytest.raises(AuthorError, match="expected one number, got"):
            right * wrong
