"""The sizes and the few options of a GPT, and the two configurations the pages speak of."""

from dataclasses import dataclass

SIZES = ("vocabulary_size", "context_length", "width", "heads", "blocks", "mlp_width")


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of a decoder-only transformer in GPT-2's arrangement (Radford et al., 2019).

    vocabulary_size  number of tokens
    context_length   longest sequence: the rows of the position table P
    width            dimensions of the residual stream
    heads            attention heads in a block; must divide the width
    blocks           number of blocks
    mlp_width        units of the MLP's hidden layer
    epsilon          added to the variance in every normalisation
    tied_output      read the output with the embedding table E instead of a W_U of its own
    biases           biases in the attention's projections (the MLP always has its biases)
    norm_gains       a learned gain and bias in every normalisation
    shift_logits     subtract a row's largest logit before the exponential. The result is
                     the same p; trained models need it, because e^z of their logits
                     overflows float32. The toy shows the plain e^z.

    Raises ValueError, naming the field, when a size is not a positive whole number, when
    the heads do not divide the width, or when epsilon is not positive.
    """

    vocabulary_size: int
    context_length: int
    width: int
    heads: int
    blocks: int
    mlp_width: int
    epsilon: float = 1e-5
    tied_output: bool = False
    biases: bool = False
    norm_gains: bool = False
    shift_logits: bool = False

    def __post_init__(self):
        for size in SIZES:
            value = getattr(self, size)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{size}: expected a positive whole number, got {value!r}")
        if self.width % self.heads:
            raise ValueError(
                f"width: expected a multiple of the {self.heads} heads, got {self.width} "
                f"(remainder {self.width % self.heads})"
            )
        if not 0 < self.epsilon < float("inf"):
            raise ValueError(f"epsilon: expected a positive number, got {self.epsilon!r}")

    @property
    def head_width(self) -> int:
        """Channels inside one head."""
        return self.width // self.heads


TOY = GPTConfig(vocabulary_size=12, context_length=8, width=4, heads=2, blocks=1, mlp_width=8)

GPT2_SMALL = GPTConfig(
    vocabulary_size=50257,
    context_length=1024,
    width=768,
    heads=12,
    blocks=12,
    mlp_width=3072,
    tied_output=True,
    biases=True,
    norm_gains=True,
    shift_logits=True,
)
