"""What needs no training comes out to the digit; rounding noise stays noise."""

import pytest
import torch
from small_text import WITHOUT_CORPUS, corpus_path

from toymodel.bpe import train as learn_merges
from toymodel.config import GPT2_SMALL
from toymodel.shapes import parameter_shapes
from trained import averages, cost, order, same, scores, sizes, tokens
from trained.corpus import encoded
from trained.weights import count


def figures(compute):
    return {name: values for name, (_, values) in compute(None).figures.items()}


def test_the_variance_of_scores():
    found = figures(scores.variance)
    assert [round(value, 3) for value in found["variance"]] == [3.975, 16.071, 64.249, 253.065, 1015.562]
    assert [round(value, 3) for value in found["deviation"]] == [1.994, 4.009, 8.016, 15.908, 31.868]
    assert found["root"] == [2, 4, 8, 16, 32]


def test_the_published_draw_is_pytorchs_global_one():
    """`torch.manual_seed(0)`, widths in order, q before k: the same numbers by PyTorch's own generator."""
    torch.manual_seed(0)
    q, k = torch.randn(scores.PAIRS, 4), torch.randn(scores.PAIRS, 4)
    assert figures(scores.variance)["variance"][0] == (q * k).sum(-1).var().item()


def test_frozen_rows_and_effective_tokens():
    frozen, effective = figures(scores.frozen), figures(scores.effective)
    assert [with_division for with_division, _ in frozen["frozen_share"]] == [0.0] * 5
    assert 0.65 < frozen["frozen_share"][-1][1] < 0.75
    assert all(0.955 < with_division < 0.965 for with_division, _ in frozen["sum_of_derivatives"])
    assert effective["one_row"][scores.WIDTHS.index(256)][1] < 1.5
    assert scores.effective_tokens(torch.full((64,), 1 / 64)).item() == pytest.approx(64)
    assert scores.effective_tokens(torch.tensor([1.0, 0.0])).item() == 1


def test_averages():
    assert 0 < figures(averages.shuffled)["max_difference"] < 1e-6
    found = figures(averages.three_ways)
    assert max(found["loop_and_matrix_difference"], found["loop_and_softmax_difference"]) < 1e-6
    assert found["matrix"][2] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
    assert found["softmax_of_zeros"] == [pytest.approx(row) for row in found["matrix"]]


def test_order_is_lost_in_one_layer_only():
    one, *more = figures(order.compute)["last_row_change"]
    assert one < 1e-14 and min(more) > 0.1


def test_sizes():
    found = figures(sizes.formula)
    assert found["counted"] == found["by_formula"]
    wanted = {
        "token_embeddings": 38597376, "position_embeddings": 786432, "one_block": 7087872,
        "all_blocks": 85054464, "final_norm": 1536, "total": 124439808,
    }  # fmt: skip
    assert {name: found[f"gpt2_small_{name}"] for name in wanted} == wanted
    shapes = parameter_shapes(GPT2_SMALL)
    per_block = {name for name in shapes if name not in ("E", "P", "gain_f", "bias_f")}
    assert count({name: shapes[name] for name in per_block}) == wanted["one_block"]
    for attention, mlp, norm in figures(sizes.shares)["share"]:
        assert mlp == pytest.approx(2 / 3, abs=0.005) and attention + mlp + norm == pytest.approx(1)


def test_same_as_pytorch():
    single, double = figures(same.compute)["max_difference"]
    assert max(single) < 1e-6 and max(double) < 1e-14


def test_the_cost_of_attention_by_the_allocator():
    found = {name: values for name, (_, values) in cost.compute(None, [128, 256]).figures.items()}
    assert found["attention_matrix_mib"] == [0.5, 2]
    assert all(peak > matrix for peak, matrix in zip(found["peak_bytes"], found["attention_matrix_bytes"], strict=True))
    assert cost.matrix_bytes(16384) == 8 * 2**30
    assert cost.exponent([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2)


def test_a_text_is_cut_as_its_merges_say():
    text = "the hat, the cat: that hat"
    merges = [lesson.pair for lesson in learn_merges(text, 6)]
    words = [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in merges]
    ids = encoded(text, 256 + 6)
    assert b"".join(words[place] for place in ids.tolist()).decode() == text
    assert len(ids) < len(text.encode())


@pytest.mark.skipif(not corpus_path(), reason=WITHOUT_CORPUS)
def test_both_trainers_count_the_corpus():
    """From the text, not from the ids in the cache."""
    text = tokens.text()
    assert (len(encoded(text, 1024)), tokens.library_count(text)) == (459760, 459792)
    assert round(len(text) / 459760, 2) == 2.43
