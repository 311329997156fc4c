"""Plain data with addresses."""

import pytest

from worked.errors import AuthorError
from worked.numbers import Label
from worked.records import addressed

DATA = {"toy": {"id": {"o": 0, "␣no": 1, "a/b,c": 2}}, "steps": [{"left": "i", "pieces": ["iu", "s"]}]}


def test_leaves_know_where_they_stand():
    record = addressed(DATA, "tokens")
    assert (record.toy.id["␣no"].value, record.toy.id["␣no"].address) == (1, "tokens/toy/id/␣no")
    assert record.toy.id[Label("␣no")].value == 1
    assert record.toy.id["␣no"].exact
    assert record.steps[0].pieces[1].address == "tokens/steps/1/pieces/2"
    assert (record.steps[0].left == "i").text == "tokens/steps/1/left = 'i'"


def test_a_key_is_encoded_where_it_would_mean_something():
    assert addressed(DATA, "tokens").toy.id["a/b,c"].address == "tokens/toy/id/a%2Fb%2Cc"


def test_a_wrong_key_suggests_the_near_one():
    with pytest.raises(AuthorError, match="`tokens/toy` has no `ids`; did you mean `id`"):
        addressed(DATA, "tokens").toy.ids  # noqa: B018


@pytest.mark.parametrize("data", [None, True, {1, 2}])
def test_only_plain_data(data):
    with pytest.raises(TypeError, match=r"^tokens: neither number, string, list nor object"):
        addressed(data, "tokens")
