"""What is counted, not computed: arithmetic on configurations, and published sizes."""

from math import prod

from toymodel.config import GPT2_SMALL, TOY, GPTConfig
from toymodel.names import BY_NAME, NAMES, Kind, Name
from toymodel.shapes import axis_lengths, parameter_shapes
from toymodel.signs import WIDTHS, dot_products

# Layers, model and FFN dimension, heads of both kinds: "The Llama 3 Herd of Models" (2024), table 3.
# The vocabulary (the table rounds it to 128,000) and the context are the released model's, as its
# config.json gives them (vocab_size, max_position_embeddings).
LLAMA_3_8B = {
    "blocks": 32, "width": 4096, "mlp_width": 14336, "heads": 32, "key_value_heads": 8,
    "vocabulary": 128256, "context": 8192,
}  # fmt: skip

# The matrices that every row is multiplied by, once in every block.
BLOCK_MATRICES = ("W_q", "W_k", "W_v", "W_O", "W_1", "W_2")


MODELS = {"toy": TOY, "gpt2_small": GPT2_SMALL}


def holders(entry: Name) -> list[str]:
    """The models that have this tensor: what is computed all of them, a parameter not always."""
    return [
        model for model, config in MODELS.items()
        if entry.kind == Kind.RECORDED or entry.name in parameter_shapes(config)
    ]


def parameter_counts(config: GPTConfig) -> dict[str, int]:
    """Name to number of entries, over all blocks; the values sum to the model's size."""
    return {
        name: prod(shape) * (config.blocks if BY_NAME[name].per_block else 1)
        for name, shape in parameter_shapes(config).items()
    }


# The parts of a model, by the parameters that belong to them; what a configuration lacks counts 0.
PARTS = {
    "embedding": ("E", "P"),
    "attention": ("W_q", "W_k", "W_v", "b_q", "b_k", "b_v", "W_O", "b_O"),
    "mlp": ("W_1", "b_1", "W_2", "b_2"),
    "norm": ("gain_a", "bias_a", "gain_g", "bias_g", "gain_f", "bias_f"),
    "output": ("W_U",),
}
BLOCK_PARTS = ("attention", "mlp", "norm")


def part_counts(config: GPTConfig) -> dict[str, int]:
    """Parameters by part: "mlp_parameters" in all, "mlp_parameters_per_block" in one block."""
    counts = parameter_counts(config)
    whole, inside = {}, {}
    for part, names in PARTS.items():
        held = [name for name in names if name in counts]
        repeated = [counts[name] for name in held if BY_NAME[name].per_block]
        whole[f"{part}_parameters"] = sum(counts[name] for name in held)
        if part in BLOCK_PARTS:
            inside[f"{part}_parameters_per_block"] = sum(repeated) // config.blocks
    return whole | inside | {"block_parameters": sum(inside.values())}


def bytes_of_parts(config: GPTConfig, entry: int = 4) -> dict[str, int]:
    """Bytes of each part's parameters, `entry` bytes each (4 for float32); they sum to the model's."""
    counts = parameter_counts(config)
    return {part: entry * sum(counts.get(name, 0) for name in names) for part, names in PARTS.items()}


def flops(config: GPTConfig, length: int, cached: int = 0) -> dict[str, int]:
    """Floating-point operations of one forward pass on `length` tokens, by part, over all blocks.

    Counted are the products, where nearly all the work is: a product of an entry and an addition are
    two. Scores and averages are counted whole, masked entries included. `cached` tokens came before.
    """
    width, n, s = config.heads * config.head_width, length, cached + length
    in_block = {
        "queries, keys and values": 2 * n * config.width * 3 * width,
        "scores": 2 * n * s * width,
        "averages of values": 2 * n * s * width,
        "attention's output": 2 * n * width * config.width,
        "mlp": 2 * n * 2 * config.width * config.mlp_width,
    }
    whole = {part: config.blocks * count for part, count in in_block.items()}
    return whole | {"logits": 2 * n * config.width * config.vocabulary_size}


def trace_bytes(config: GPTConfig, length: int, entry: int = 4) -> dict[str, int]:
    """Name to bytes of every value that a run of `length` tokens records, over all blocks; no loss."""
    lengths = axis_lengths(config) | {"t": length, "s": length}
    return {
        name.name: entry * prod(lengths[axis] for axis in name.axes) * (config.blocks if name.per_block else 1)
        for name in NAMES
        if name.kind == Kind.RECORDED and name.name != "loss"
    }


def sizes(config: GPTConfig) -> dict[str, int | float]:
    """Every count and setting the pages may quote of one configuration."""
    counts = parameter_counts(config)
    return {
        "blocks": config.blocks,
        "width": config.width,
        "vocabulary": config.vocabulary_size,
        "context": config.context_length,
        "heads": config.heads,
        "head_width": config.head_width,
        "mlp_width": config.mlp_width,
        "epsilon": config.epsilon,
        "unembedding": config.width * config.vocabulary_size,
        "parameters": sum(counts.values()),
        **part_counts(config),
        "matrices": sum(counts[name] for name in BLOCK_MATRICES),
        "cache_per_token": 2 * config.blocks * config.width,
        "cache": 2 * config.blocks * config.width * config.context_length,
        **counts,
        **{f"axis_{axis}": length for axis, length in axis_lengths(config).items()},
    }


def llama_sizes() -> dict[str, int]:
    """The settings of Llama 3 8B, and what they come to.

    Several heads share keys and values; the MLP has a third matrix, its gate; a normalisation has
    a gain and no bias, nothing else has a bias; the output has a matrix of its own.
    """
    settings = LLAMA_3_8B
    width, blocks = settings["width"], settings["blocks"]
    key_value_width = settings["key_value_heads"] * width // settings["heads"]
    parts = {
        "attention_parameters_per_block": 2 * width * (width + key_value_width),
        "mlp_parameters_per_block": 3 * width * settings["mlp_width"],
        "norm_parameters_per_block": 2 * width,
    }
    unembedding = width * settings["vocabulary"]
    cache_per_token = 2 * blocks * key_value_width
    return settings | parts | {
        "head_width": width // settings["heads"],
        "key_value_width": key_value_width,
        "block_parameters": sum(parts.values()),
        "unembedding": unembedding,
        "parameters": 2 * unembedding + blocks * sum(parts.values()) + width,
        "cache_per_token": cache_per_token,
        "cache": cache_per_token * settings["context"],
    }


def counted() -> dict[str, int | float]:
    """All counts under flat names, such as "toy.parameters" or "gpt2_small.unembedding"."""
    models = {model: sizes(config) for model, config in MODELS.items()} | {"llama_3_8b": llama_sizes()}
    models |= {f"signs_{width}": dot_products(width) for width in WIDTHS}
    return {
        f"{model}.{what}": count
        for model, counts in models.items()
        for what, count in counts.items()
    }
