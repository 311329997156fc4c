"""Checkpoints of GPT-2's layout: safetensors with the Hugging Face implementation's names.

The file is mapped into memory, not read: the parameters are views of it, W_q, W_k and W_v three
views of one matrix. Nothing is unpickled.
"""

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from toymodel.config import GPTConfig
from toymodel.model import Model
from toymodel.names import near
from toymodel.parameters import BlockParameters, Parameters
from toymodel.weights import WeightsError

FILE, CONFIG_FILE = "model.safetensors", "config.json"
PREFIX = "transformer."
HEAD_WIDTH = 64  # in every published size; taken where no config.json says otherwise

# Our name to theirs; matrices are stored as we use them, inputs by outputs.
WHOLE = {"E": "wte.weight", "P": "wpe.weight", "gain_f": "ln_f.weight", "bias_f": "ln_f.bias"}
IN_BLOCK = {
    "gain_a": "ln_1.weight", "bias_a": "ln_1.bias",
    "W_O": "attn.c_proj.weight", "b_O": "attn.c_proj.bias",
    "gain_g": "ln_2.weight", "bias_g": "ln_2.bias",
    "W_1": "mlp.c_fc.weight", "b_1": "mlp.c_fc.bias",
    "W_2": "mlp.c_proj.weight", "b_2": "mlp.c_proj.bias",
}  # fmt: skip
JOINED, JOINED_BIAS = "attn.c_attn.weight", "attn.c_attn.bias"  # queries, keys and values side by side
OUTPUT = "lm_head.weight"  # v, d; the same as wte.weight where the output is tied
MASKS = (".attn.bias", ".attn.masked_bias")  # older files carry the causal mask along
IS_IT = "is this GPT-2's layout, in the Hugging Face implementation's names?"

# Their settings to ours, and what the other settings must be for the model to be GPT-2's.
SIZES = {
    "vocab_size": "vocabulary_size", "n_positions": "context_length", "n_embd": "width",
    "n_head": "heads", "n_layer": "blocks", "layer_norm_epsilon": "epsilon",
    "tie_word_embeddings": "tied_output",
}  # fmt: skip
SETTLED = {
    "model_type": ("gpt2",),
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
}


def load(path: Path, dtype: torch.dtype = torch.float32) -> Model:
    """The model of a safetensors file, or of the `model.safetensors` of a folder.

    Sizes come from the `config.json` beside the file; without one from the shapes, with heads of
    width 64. Names may begin with "transformer.". Tensors of another dtype are converted, the
    others stay mapped. Raises WeightsError, with what to do, for a file that is not there, is
    cut off or is no safetensors, and for tensors missing, unknown or of another shape.
    """
    path = Path(path)
    file = path / FILE if path.is_dir() else path
    tensors = mapped(file)
    try:
        config = read_config(file.with_name(CONFIG_FILE), tensors)
        check(tensors, config)
    except WeightsError as error:
        raise WeightsError(f"{file}: {error}") from None
    return Model(config, assemble({name: value.to(dtype) for name, value in tensors.items()}, config))


def save(model: Model, folder: Path, prefix: str = PREFIX) -> None:
    """Write `model.safetensors` and `config.json`, as the Hugging Face implementation reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    config, w = model.config, model.parameters
    tensors = {theirs: getattr(w, ours) for ours, theirs in WHOLE.items()}
    for number, one in enumerate(w.blocks):
        here = {theirs: getattr(one, ours) for ours, theirs in IN_BLOCK.items()}
        here[JOINED] = torch.cat([W.transpose(0, 1).flatten(1) for W in (one.W_q, one.W_k, one.W_v)], dim=1)
        here[JOINED_BIAS] = torch.cat([b.flatten() for b in (one.b_q, one.b_k, one.b_v)])
        tensors |= {f"h.{number}.{name}": value for name, value in here.items()}
    tensors = {prefix + name: value.contiguous() for name, value in tensors.items()}
    if not config.tied_output:
        tensors[OUTPUT] = w.W_U.T.contiguous()
    settings = {theirs: getattr(config, ours) for theirs, ours in SIZES.items()}
    settings |= {name: values[0] for name, values in SETTLED.items()}
    settings |= {"n_inner": config.mlp_width, "architectures": ["GPT2LMHeadModel"]}
    save_file(tensors, folder / FILE, metadata={"format": "pt"})
    (folder / CONFIG_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def mapped(file: Path) -> dict[str, Tensor]:
    """Every tensor of a file by its name without prefix, mapped into memory; no masks."""
    if not file.is_file():
        raise WeightsError(f"{file}: no such file; `python -m toymodel.gpt2 fetch` gets GPT-2 small's weights")
    try:
        with safe_open(file, framework="pt") as content:
            names = list(content.keys())
            return {
                name.removeprefix(PREFIX): content.get_tensor(name)
                for name in names
                if not name.endswith(MASKS)
            }
    except (SafetensorError, OSError) as error:
        raise WeightsError(
            f"{file}: not a whole safetensors file ({error}); fetch or export it again, and convert "
            "pickled weights (pytorch_model.bin) with save_pretrained(safe_serialization=True)"
        ) from None


def read_config(file: Path, tensors: dict[str, Tensor]) -> GPTConfig:
    """The sizes that a config.json states, or that the shapes show when there is none."""
    if not file.is_file():
        return inferred(tensors)
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(settings, dict):
            raise ValueError("expected an object of settings")
    except (ValueError, OSError) as error:
        raise WeightsError(f"{CONFIG_FILE} beside it cannot be read: {error}") from None
    for name, accepted in SETTLED.items():
        if settings.get(name, accepted[0]) not in accepted:
            raise WeightsError(f"{CONFIG_FILE}: {name} is {settings[name]!r}; GPT-2 has {accepted[0]!r}")
    given = {"layer_norm_epsilon": 1e-5, "tie_word_embeddings": True} | settings
    missing = [name for name in SIZES if name not in given]
    if missing:
        raise WeightsError(f"{CONFIG_FILE}: {missing[0]} is missing; without the file, sizes come from the shapes")
    try:
        return made({ours: given[theirs] for theirs, ours in SIZES.items()}, settings.get("n_inner"))
    except ValueError as error:
        raise WeightsError(f"{CONFIG_FILE}: {error}") from None


def inferred(tensors: dict[str, Tensor]) -> GPTConfig:
    wide = {"wte.weight": 2, "wpe.weight": 2, "h.0.mlp.c_fc.weight": 2}
    for name, rank in wide.items():
        if name not in tensors or tensors[name].dim() != rank:
            raise WeightsError(f"no matrix {name!r}{near(name, tensors)}; {IS_IT}")
    vocabulary_size, width = tensors["wte.weight"].shape
    if width % HEAD_WIDTH:
        raise WeightsError(
            f"without a {CONFIG_FILE} beside it, heads are taken to be {HEAD_WIDTH} wide, which does not divide "
            f"the width {width}: put the model's {CONFIG_FILE} there"
        )
    sizes = {
        "vocabulary_size": vocabulary_size, "context_length": len(tensors["wpe.weight"]), "width": width,
        "heads": width // HEAD_WIDTH,
        "blocks": 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("h.")),
        "tied_output": OUTPUT not in tensors or torch.equal(tensors[OUTPUT], tensors["wte.weight"]),
    }  # fmt: skip
    return made(sizes, tensors["h.0.mlp.c_fc.weight"].shape[1])


def made(sizes: dict, mlp_width: int | None) -> GPTConfig:
    everything = sizes | {"mlp_width": 4 * sizes["width"] if mlp_width is None else mlp_width}
    return GPTConfig(**everything, biases=True, norm_gains=True, shift_logits=True)


def shapes(config: GPTConfig) -> dict[str, tuple[int, ...]]:
    """Their name to shape, for every tensor that a checkpoint of these sizes holds."""
    d, u = config.width, config.mlp_width
    one = {name: (d,) for name in IN_BLOCK.values()}
    one |= {JOINED: (d, 3 * d), JOINED_BIAS: (3 * d,), "attn.c_proj.weight": (d, d)}
    one |= {"mlp.c_fc.weight": (d, u), "mlp.c_fc.bias": (u,), "mlp.c_proj.weight": (u, d)}
    whole = {"wte.weight": (config.vocabulary_size, d), "wpe.weight": (config.context_length, d)}
    whole |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    if not config.tied_output:
        whole[OUTPUT] = (config.vocabulary_size, d)
    return whole | {f"h.{number}.{name}": shape for number in range(config.blocks) for name, shape in one.items()}


def check(tensors: dict[str, Tensor], config: GPTConfig) -> None:
    """Every tensor is there, none is unknown, and all have the configuration's shapes."""
    expected = shapes(config)
    for name, shape in expected.items():
        if name not in tensors:
            raise WeightsError(f"the tensor {name!r} is missing{near(name, tensors)}; {IS_IT}")
        if tuple(tensors[name].shape) != shape:
            raise WeightsError(
                f"{name}: expected the shape {shape}, got {tuple(tensors[name].shape)}; "
                f"does the {CONFIG_FILE} belong to these weights?"
            )
        if not tensors[name].is_floating_point():
            raise WeightsError(f"{name}: expected floating-point numbers, got {tensors[name].dtype}")
    for name in tensors:
        if name not in expected and name != OUTPUT:
            raise WeightsError(f"unknown tensor {name!r}{near(name, expected)}; does {CONFIG_FILE} leave out blocks?")


def assemble(tensors: dict[str, Tensor], config: GPTConfig) -> Parameters:
    """Our parameters as views of their tensors."""

    def block(number: int) -> BlockParameters:
        own = {ours: tensors[f"h.{number}.{theirs}"] for ours, theirs in IN_BLOCK.items()}
        by_head = tensors[f"h.{number}.{JOINED}"].unflatten(1, (3, config.heads, -1))  # d, 3, head, c
        W_q, W_k, W_v = by_head.permute(1, 2, 0, 3)  # each head, d, c
        b_q, b_k, b_v = tensors[f"h.{number}.{JOINED_BIAS}"].unflatten(0, (3, config.heads, -1))  # each head, c
        return BlockParameters(W_q=W_q, W_k=W_k, W_v=W_v, b_q=b_q, b_k=b_k, b_v=b_v, **own)

    whole = {ours: tensors[theirs] for ours, theirs in WHOLE.items()}
    W_U = None if config.tied_output else tensors[OUTPUT].T  # d, v
    return Parameters(blocks=tuple(map(block, range(config.blocks))), W_U=W_U, **whole)
