"""Text to ids and back, and prompts that cannot be taken."""

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toymodel.tokens import PromptError, Vocabulary
from toymodel.weights import load_toy

VOCABULARY = load_toy()[1]


def strings(text):
    return VOCABULARY.strings(VOCABULARY.encode(text))


def test_the_prompt():
    assert strings("o gato subiu no") == ["o", "␣gato", "␣sub", "iu", "␣no"]
    assert VOCABULARY.encode("o gato subiu no") == [0, 2, 4, 5, 1]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("o␣gato␣subiu␣no", ["o", "␣gato", "␣sub", "iu", "␣no"]),
        (" no telhado.<|endoftext|>", ["␣no", "␣telhado", ".", "<|endoftext|>"]),
        ("oo", ["o", "o"]),
        (unicodedata.normalize("NFD", "o cão"), ["o", "␣cão"]),
    ],
)
def test_encode(text, tokens):
    assert strings(text) == tokens


def test_merges_are_applied_in_their_order():
    tokens = ("a", "ab", "abc", "bc", "<|endoftext|>")
    vocabulary = Vocabulary(tokens, 9, (("a", "b"), ("ab", "c")))
    assert vocabulary.encode("abcababca") == [2, 1, 2, 0]
    assert Vocabulary(tokens, 9, (("b", "c"), ("a", "b"))).encode("abcab") == [0, 3, 1]
    assert vocabulary.end == 4


@pytest.mark.parametrize("text", ["<|endoftext|>", " no<|endoftext|>o", "<|endoftext|><|endoftext|>"])
def test_the_special_token_is_never_cut(text):
    assert "".join(strings(text)) == text.replace(" ", "␣")
    assert strings(text).count("<|endoftext|>") == text.count("<|endoftext|>")


def longest_first(word):
    """The word cut into the longest tokens that fit, from its start; None where none fits."""
    fitting = [token for token in VOCABULARY.tokens if word.startswith(token)]
    if not word or not fitting:
        return None if word else []
    rest = longest_first(word.removeprefix(max(fitting, key=len)))
    return None if rest is None else [max(fitting, key=len), *rest]


PARTS = st.sampled_from([*VOCABULARY.tokens, *"ogatcsiufãdelhr.á", "ad", "ão", "<|end"])


@given(st.lists(PARTS, min_size=1, max_size=7).map(lambda parts: "o" + "".join(parts)))
def test_merges_cut_as_the_longest_tokens_do(text):
    """No token of the toy begins another, so there is one way to cut a word or none."""
    words = text.replace("␣", " ␣").split(" ")
    cuts = [longest_first(word) for word in words]
    if None in cuts:
        with pytest.raises(PromptError, match=r"^no token for"):
            VOCABULARY.encode(text)
    else:
        assert strings(text) == [token for pieces in cuts for token in pieces]


@given(st.lists(st.integers(0, 11), min_size=1, max_size=8))
def test_decode_then_encode(ids):
    """No token of the toy begins another, so that cutting gives back what was joined."""
    assert VOCABULARY.encode(VOCABULARY.decode(ids)) == ids


@pytest.mark.parametrize("bad", [12, -1])
def test_unknown_ids(bad):
    with pytest.raises(IndexError, match=f"^token id {bad}: expected 0 to 11$"):
        VOCABULARY.decode([0, bad])


EVERYTHING = "the vocabulary: " + " ".join(VOCABULARY.tokens)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'empty prompt: expected some text, such as "o gato subiu no"'),
        (" ␣ ", 'empty prompt: expected some text, such as "o gato subiu no"'),
        (
            "o gatto subiu no",
            'no token for "gatto" (word 2, character 3 of "o gatto subiu no"); near: ␣gato',
        ),
        ("o Gato", 'no token for "Gato" (word 2, character 3 of "o Gato"); near: ␣gato'),
        ("gato", 'no token for "gato" (word 1, character 1 of "gato"); near: ␣gato'),
        ("o o", 'no token for "␣o" (word 2, character 3 of "o o"); near: o ␣no'),
        ("o gato ", f'no token for "␣" (word 3, character 7 of "o gato "); {EVERYTHING}'),
        ("o  gato", f'no token for "␣" (word 2, character 2 of "o  gato"); {EVERYTHING}'),
        ("xyz", f'no token for "xyz" (word 1, character 1 of "xyz"); {EVERYTHING}'),
        ("o gato subiu no telhado...", "prompt too long: 9 tokens, the limit is 8"),
    ],
)
def test_prompt_errors(text, message):
    with pytest.raises(PromptError) as error:
        VOCABULARY.encode(text)
    assert str(error.value) == message


ALPHABET = st.sampled_from([*"ogatcs. ␣", "\n", "\u0303", "subiu", " no", " telhado"])


@given(st.lists(ALPHABET, max_size=12).map("".join))
def test_any_text_is_encoded_or_refused(text):
    with suppress(PromptError):
        ids = VOCABULARY.encode(text)
        assert VOCABULARY.decode(ids) == unicodedata.normalize("NFC", text).replace("␣", " ")
