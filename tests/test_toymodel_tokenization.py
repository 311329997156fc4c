"""Merges learned and applied, GPT-2's vocabulary, and all that the page about tokens shows."""

import hashlib

import pytest
import tokens_reference
from hypothesis import given
from hypothesis import strategies as st

from toymodel import gpt2_vocabulary as gpt2
from toymodel import tokenization
from toymodel.bpe import count_pairs, cut, joined, merge_steps, split, train
from toymodel.config import GPT2_SMALL
from toymodel.runs import PROMPT
from toymodel.weights import load_toy

TEXT = """Que era o gato? O gato subiu no telhado; o cão, não: "Não subo!", disse.
  No muro havia 12 gatos, e no chão 7 cães.   Ninguém caiu, ninguém subiu.\n\n"""


def test_export_is_what_the_reference_finds():
    exported = tokenization.export(load_toy()[1], PROMPT)
    expected = tokens_reference.everything()
    for part in expected:
        for name in expected[part]:
            assert exported[part][name] == expected[part][name], (part, name)
    assert exported == expected


# --- learning -------------------------------------------------------------------------------


def test_training_is_a_naive_recount():
    words = [[bytes([byte]) for byte in word.encode()] for word in words_of(TEXT)]
    naive = list(tokens_reference.naive_merges(words, 60))
    learned = list(train(TEXT, 60))
    assert [merge.pair for merge in learned] == [pair for _, _, pair, _ in naive]
    for merge, (order, times, _, after) in zip(learned, naive, strict=True):
        assert list(merge.counts.items()) == [(pair, times[pair]) for pair in order]
        assert set(merge.words) == set(map(tuple, after))
        assert sum(merge.words.values()) == len(words)


def words_of(text):
    """Every word where it stands, told from `split`'s, which has each word once."""
    known = sorted((b"".join(word).decode() for word in split(text)), key=len, reverse=True)
    found = []
    while text:
        found.append(next(word for word in known if text.startswith(word)))
        text = text.removeprefix(found[-1])
    return found


def test_words_are_cut_at_gpt2s_borders():
    words = [b"".join(word).decode() for word in split("I'm 42, não?  \n  Não... it'll")]
    assert words == ["I", "'m", " 42", ",", " não", "?", "  \n ", " Não", "...", " it", "'ll"]


def test_training_ends_when_no_pair_is_left():
    assert [merge.pair for merge in train("ab ab", 9)] == [(b"a", b"b"), (b" ", b"ab")]
    assert list(train("", 3)) == []


def test_among_equals_the_pair_seen_first_wins():
    first, *_ = train("xy ab xy ab", 1)
    assert first.counts[b"x", b"y"] == first.counts[b"a", b"b"] == 2
    assert first.pair == (b"x", b"y")


@given(st.text(alphabet="ab ã", min_size=1, max_size=40))
def test_applying_what_was_learned_gives_the_trainers_words(text):
    learned = list(train(text, 8))
    merges = [merge.pair for merge in learned]
    words = learned[-1].words if learned else split(text)
    assert [cut(word, merges) for word in split(text)] == list(words)


# --- applying -------------------------------------------------------------------------------


@pytest.mark.parametrize("text, expected", [("aaa", ["aa", "a"]), ("aaaa", ["aa", "aa"]), ("baab", ["b", "aa", "b"])])
def test_joined_goes_from_left_to_right(text, expected):
    assert list(joined(tuple(text), ("a", "a"))) == expected


def test_merge_steps():
    steps = list(merge_steps("abab", [("b", "a"), ("a", "b"), ("a", "ba")]))
    assert steps == [(("b", "a"), ("a", "ba", "b")), (("a", "ba"), ("aba", "b"))]


def test_count_pairs_counts_every_word_as_often_as_it_stands():
    assert count_pairs({("a", "b", "a"): 2, ("b",): 5}) == {("a", "b"): 2, ("b", "a"): 2}


# --- GPT-2 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file, digest",
    [
        (gpt2.ENCODER, "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"),
        (gpt2.MERGES, "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"),
    ],
)
def test_the_files_are_those_that_openai_published(file, digest):
    """The digests that tiktoken checks its own download against."""
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest


def test_the_vocabulary_is_bytes_and_merges_and_one_special_token():
    size = gpt2.tokenizer().get_vocab_size()
    assert size == GPT2_SMALL.vocabulary_size == len(gpt2.symbols()) + gpt2.merge_count() + 1


@given(st.text(max_size=30))
def test_no_text_is_outside_gpt2s_vocabulary(text):
    assert b"".join(piece.bytes for piece in gpt2.encode(text)) == text.encode()


def test_a_part_of_a_character_has_no_text():
    assert [piece.text for piece in gpt2.encode("щ")] == [None, None]
    assert [piece.text for piece in gpt2.encode("o gato")] == ["o", "␣g", "ato"]
