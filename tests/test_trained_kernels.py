"""Faster roads lead to the same values and the same derivatives."""

import math
from dataclasses import fields

import pytest
import torch
import torch.nn.functional as F

from toymodel import model
from trained import kernels
from trained.division import head_added
from trained.kernels import mean_cross_entropy, total_cross_entropy
from trained.ladder import ROWS, uniform_average
from trained.positions import angles, biased, rotated, sinusoids
from trained.recorders import chained, editing, keeping
from trained.weights import assembled, config, drawn, shapes


def value_and_gradients(w, x):
    for one in (x, *(tensor for tensor in w.values())):
        one.grad = None
    y = model.block(x, assembled(w).blocks[0], 1e-5)
    y.square().sum().backward()
    return [y.detach(), x.grad, *(tensor.grad for tensor in w.values())]


def test_a_block_in_float32_has_the_derivatives_of_the_formulas():
    """Trainings go through the kernels that `toymodel.ops` has for float32."""
    names = [field.name for field in fields(model.BlockParameters)]
    start = drawn(shapes(config(8, 16, 8, 4), names), 3)
    x = torch.randn(2, 8, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    in_double = {name: tensor.double().requires_grad_() for name, tensor in start.items()}
    in_single = {name: tensor.float().requires_grad_() for name, tensor in start.items()}
    plain = value_and_gradients(in_double, x.clone().requires_grad_())
    quick = value_and_gradients(in_single, x.float().requires_grad_())
    for one, other in zip(plain, quick, strict=True):
        torch.testing.assert_close(one.float(), other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("chunk", [7, 2048])
def test_the_loss_in_chunks(chunk, monkeypatch):
    monkeypatch.setattr(kernels, "CHUNK", chunk)
    generator = torch.Generator().manual_seed(0)
    f = torch.randn(3, 10, 6, generator=generator, dtype=torch.float64, requires_grad=True)
    W_U = torch.randn(6, 20, generator=generator, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(20, (3, 10), generator=generator)
    plain = F.cross_entropy((f @ W_U).flatten(0, 1), targets.flatten())
    wanted = torch.autograd.grad(2 * plain, (f, W_U))
    ours = mean_cross_entropy(f, W_U, targets)
    torch.testing.assert_close(ours, plain)
    for got, want in zip(torch.autograd.grad(2 * ours, (f, W_U)), wanted, strict=True):
        torch.testing.assert_close(got, want)
    assert total_cross_entropy(f, W_U, targets) == pytest.approx(30 * plain.item())


def test_the_loss_token_by_token_is_the_loss_of_the_batch():
    row = ROWS["token_only"]
    tensors = {name: tensor.requires_grad_() for name, tensor in drawn(row.shapes, 0).items()}
    generator = torch.Generator().manual_seed(0)
    pairs = tuple(torch.randint(1024, (2, 4, 16), generator=generator))
    w = assembled(tensors)
    short, whole = row.loss(pairs, w, generator), mean_cross_entropy(row.stream(pairs[0], w), w.W_U, pairs[1])
    torch.testing.assert_close(short, whole)
    for one, other in zip(
        torch.autograd.grad(short, tensors.values()), torch.autograd.grad(whole, tensors.values()), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_the_uniform_average_is_the_mean_so_far():
    x = torch.randn(2, 5, 3)
    for place in range(5):
        torch.testing.assert_close(uniform_average(x)[:, place], x[:, : place + 1].mean(1))


def test_parameters_added_from_rung_to_rung():
    """The chapter's own differences: W_O with its bias, and three normalisations of width 128."""
    count = {name: sum(torch.Size(shape).numel() for shape in row.shapes.values()) for name, row in ROWS.items()}
    assert count["four_heads_added"] - count["head_added"] == 16512
    assert count["block"] - count["with_mlp"] == 768


def test_without_the_division_scores_are_bare_products():
    tensors = drawn({"E": (10, 8), "P": (4, 8)} | {f"W_{one}.1": (1, 8, 16) for one in "qkv"}
                    | {f"b_{one}.1": (1, 16) for one in "qkv"} | {"W_O.1": (16, 8), "b_O.1": (8,)}, 0)  # fmt: skip
    tokens = torch.tensor([[1, 2, 3, 4]])
    seen = {}
    for divided in (True, False):
        record, seen[divided] = keeping(("scores", "scaled_scores"))
        head_added(16, divided)(tokens, assembled(tensors), watch=record)
    bare = seen[False]["scores", None]
    torch.testing.assert_close(seen[False]["scaled_scores", None], bare)
    torch.testing.assert_close(seen[True]["scaled_scores", None], bare / 4)


def test_rotation_keeps_lengths_and_tells_distances_only():
    """Scores of turned vectors depend on how far apart they are, not on where."""
    q, k = torch.randn(2, 1, 8, dtype=torch.float64)
    turned_q, turned_k = rotated(q.expand(10, 8)), rotated(k.expand(10, 8))
    torch.testing.assert_close(turned_q.norm(dim=-1), q.norm().expand(10))
    scores = turned_q @ turned_k.mT
    for distance in range(9):
        diagonal = scores.diagonal(-distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand(10 - distance), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(turned_q[0], q[0])


def test_the_bias_of_alibi_grows_with_the_distance():
    biases = biased(torch.zeros(4, 3, 3))
    assert biases[:, 2].tolist() == [[-2 * slope, -slope, 0] for slope in (1 / 4, 1 / 16, 1 / 64, 1 / 256)]


def test_sinusoids_and_angles():
    assert angles(3, 4)[:, 0].tolist() == [0, 1, 2]
    assert sinusoids(3, 4)[0].tolist() == [0, 1, 0, 1]
    torch.testing.assert_close(sinusoids(5, 6)[4, :2], torch.tensor([math.sin(4), math.cos(4)]))


def test_recorders():
    doubled = editing({"q": lambda q: 2 * q})
    record, kept = keeping(("q",))
    both = chained(doubled, record)
    assert both("q", torch.ones(1), block=1).item() == 2 and both("k", torch.ones(1)).item() == 1
    assert list(kept) == [("q", 1)] and kept["q", 1].item() == 2
    for make in (editing, keeping):
        with pytest.raises(KeyError, match="scored"):
            make({"scored": lambda value: value})
