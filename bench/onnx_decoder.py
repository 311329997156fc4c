"""GPT-2 small's decoding step as ONNX, for onnxruntime: run by bench/gpt2.py in the peers' environment."""

import sys
from pathlib import Path

import torch
from torch import Tensor, nn

from toymodel import model as model_module
from toymodel import ops
from toymodel.checkpoint import load
from toymodel.model import Model, logits


class Step(nn.Module):
    """One token after those whose keys and values, (block, head, s, c), are given."""

    def __init__(self, model: Model):
        super().__init__()
        self._model = model

    def forward(self, token: Tensor, position: Tensor, keys: Tensor, values: Tensor):
        before, after = {"k": keys, "v": values}, {"k": [], "v": []}

        def record(name: str, value: Tensor, block: int | None = None) -> Tensor:
            if name == "position_embedding":
                return self._model.parameters.P[position]
            if name in before:
                value = torch.cat([before[name][block - 1], value], dim=-2)
                after[name].append(value)
            return value

        record.wants = lambda name, block: False
        z = logits(token, self._model, record)
        return z, torch.stack(after["k"]), torch.stack(after["v"])


def main() -> None:
    folder = Path(sys.argv[1])
    # As its formula: onnxruntime is faster at MatMul and Add, as others export them, than at one Gemm.
    model_module.linear = ops.linear = ops.linear.__wrapped__
    model = load(folder)
    config = model.config
    past = torch.zeros(config.blocks, config.heads, 8, config.head_width)
    dynamic = {2: torch.export.Dim("past", min=2, max=config.context_length - 1)}
    torch.onnx.export(
        Step(model).eval(), (torch.tensor([5]), torch.tensor([8]), past, past), folder / "decoder.onnx", dynamo=True,
        input_names=["token", "position", "keys", "values"], output_names=["z", "all_keys", "all_values"],
        dynamic_shapes=({}, {}, dynamic, dynamic), external_data=True, verbose=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
