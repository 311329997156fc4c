"""Where a model's parameters are: counted tensor by tensor, and by formula."""

from pathlib import Path

from toymodel.config import GPT2_SMALL
from toymodel.facts import sizes
from trained.experiment import Computation, Findings
from trained.weights import ATTENTION, BLOCK, MLP, NORMS, config, count, shapes

WIDTHS = [64, 128, 256, 768, 1024, 4096, 12288]
PARTS = {"attention": ATTENTION, "mlp": MLP, "norm": NORMS}


def block_counts(width: int) -> dict[str, int]:
    """Parameters of one block, part by part, counted from the shapes of its tensors."""
    return {part: count(shapes(config(1, width, 1), names)) for part, names in PARTS.items()}


def shares(corpus: Path | None) -> Findings:
    counted = [block_counts(width) for width in WIDTHS]
    found = Findings({"width": WIDTHS, "part": list(PARTS)})
    found.add("parameters", [list(counts.values()) for counts in counted], "width", "part")
    found.add(
        "share", [[one / sum(counts.values()) for one in counts.values()] for counts in counted], "width", "part"
    )
    return found


def formula(corpus: Path | None) -> Findings:
    """A block's parameters as counted and as 12 d^2 + 13 d; GPT-2 small, part by part."""
    found = Findings({"width": WIDTHS})
    found.add("counted", [count(shapes(config(1, width, 1), BLOCK)) for width in WIDTHS], "width")
    found.add("by_formula", [12 * width**2 + 13 * width for width in WIDTHS], "width")
    gpt2 = sizes(GPT2_SMALL)
    found.add("gpt2_small_token_embeddings", gpt2["E"])
    found.add("gpt2_small_position_embeddings", gpt2["P"])
    found.add("gpt2_small_one_block", gpt2["block_parameters"])
    found.add("gpt2_small_all_blocks", gpt2["block_parameters"] * gpt2["blocks"])
    found.add("gpt2_small_final_norm", gpt2["gain_f"] + gpt2["bias_f"])
    found.add("gpt2_small_total", gpt2["parameters"])
    return found


SHARES = Computation("where_parameters_are", "The shares of attention, MLP and normalisation in a block.", shares)
FORMULA = Computation("size_formula", "A block's parameters, counted and by formula; GPT-2 small's.", formula)
