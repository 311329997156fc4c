"""Which parameters a configuration has, and their shapes: read off the registry's axes."""

from toymodel.config import GPTConfig
from toymodel.names import NAMES, Kind

ATTENTION_BIASES = {"b_q", "b_k", "b_v", "b_O"}
NORM_PARAMETERS = {"gain_a", "bias_a", "gain_g", "bias_g", "gain_f", "bias_f"}


def axis_lengths(config: GPTConfig) -> dict[str, int]:
    """How long each axis is; of the two that count positions, how long at most."""
    return {
        "t": config.context_length,
        "s": config.context_length,
        "v": config.vocabulary_size,
        "d": config.width,
        "head": config.heads,
        "c": config.head_width,
        "j": config.heads * config.head_width,
        "u": config.mlp_width,
        "slot": config.context_length,
        "block": config.blocks,
    }


def parameter_shapes(config: GPTConfig) -> dict[str, tuple[int, ...]]:
    """Name to shape of every parameter the configuration has; one block's, where per block."""
    absent = set()
    if not config.biases:
        absent |= ATTENTION_BIASES
    if not config.norm_gains:
        absent |= NORM_PARAMETERS
    if config.tied_output:
        absent |= {"W_U"}
    lengths = axis_lengths(config)
    return {
        entry.name: tuple(lengths[axis] for axis in entry.axes)
        for entry in NAMES
        if entry.kind == Kind.PARAMETER and entry.name not in absent
    }
