"""The laboratory's model: four blocks of GPT-2's arrangement, as good as this corpus and two cores make it.

The corpus is small enough to be learnt by heart, so what is written into the residual stream loses a
share of its entries at random while the model learns. Srivastava et al., "Dropout: A Simple Way to
Prevent Neural Networks from Overfitting" (2014); Loshchilov and Hutter, "SGDR" (2017), for the cosine.
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Generator, Tensor

from toymodel import checkpoint
from toymodel.byte_level import WHOLE as TOKENIZER
from toymodel.config import GPTConfig
from toymodel.files import replacing
from toymodel.model import Model
from toymodel.parameters import Parameters
from toymodel.weights import WeightsError
from trained.corpus import VOCABULARY_SIZE, text, vocabulary
from trained.errors import TrainedError
from trained.experiment import Training
from trained.ladder import blocks
from trained.recorders import editing
from trained.training import Row, Settings
from trained.weights import BLOCK, FINAL_NORM, Tensors, assembled, by_name, shapes

FOLDER, CARD = "small", "README.md"


@dataclass(frozen=True)
class Schedule(Settings):
    """After the warm-up the learning rate falls along half a cosine to a share of itself."""

    last_share: float = 0.1  # of the learning rate, at the last step
    dropout: float = 0.2  # share of entries set to zero, the others raised to make up for it

    def rate_at(self, step: int) -> float:
        if step < self.warmup:
            return super().rate_at(step)
        done = (step - self.warmup) / max(1, self.steps - self.warmup)
        falling = (1 + math.cos(math.pi * done)) / 2
        return self.learning_rate * (self.last_share + (1 - self.last_share) * falling)


SETTINGS = Schedule(
    width=192, context=128, batch=32, steps=5000, learning_rate=2e-3, warmup=100, weight_decay=0.1
)  # fmt: skip
CONFIG = GPTConfig(
    VOCABULARY_SIZE, SETTINGS.context, SETTINGS.width, heads=4, blocks=4, mlp_width=4 * SETTINGS.width,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip


def dropped(value: Tensor, share: float, generator: Generator) -> Tensor:
    """A share of the entries at random becomes 0, and the mean stays what it was: (...) -> (...)."""
    kept = torch.rand(value.shape, generator=generator).to(value.device) >= share  # ...
    return value * kept / (1 - share)


def learning(tokens: Tensor, w: Parameters, generator: Generator) -> Tensor:
    """The model's stream, with dropout in what enters it: the embedding, and what each part adds."""
    drop = partial(dropped, share=SETTINGS.dropout, generator=generator)
    return blocks(tokens, w, editing({"x": drop, "att": drop, "m": drop}))


class ModelFolder:
    """One folder of GPT-2's layout, with the vocabulary and a card: what `toymodel.gpt2` loads."""

    def write(self, tensors: Tensors, checkpoints: Path, name: str, corpus: Path | None) -> Path:
        folder = checkpoints / FOLDER
        checkpoint.save(Model(CONFIG, assembled(tensors)), folder, prefix="")
        with replacing(folder / TOKENIZER) as aside:
            vocabulary(text(corpus)).save(str(aside))
        return folder / checkpoint.FILE

    def read(self, file: Path) -> Tensors:
        try:
            return by_name(checkpoint.load(file).parameters)
        except WeightsError as error:
            raise TrainedError(str(error)) from None

    def describe(self, content: dict, checkpoints: Path) -> None:
        with replacing(checkpoints / FOLDER / CARD) as aside:
            aside.write_text(card(content), encoding="utf-8")


def card(content: dict) -> str:
    """What a user of the weights should know, from the result file (Markdown)."""
    (row,) = content["labels"]["row"]
    figures = {name: figure["values"] for name, figure in content["figures"].items()}
    data, settings, kept = content["data"], content["settings"][row], content["checkpoints"][row]
    lines = [
        "# A small model of GPT-2's arrangement", "",
        "Made to be looked into, not to be used: it has read one small book of verse and knows nothing else.", "",
        "| | |", "| --- | --- |",
        f"| parameters | {figures['parameters'][0]:,}, in float16 |",
        f"| sizes | {CONFIG.blocks} blocks, {CONFIG.heads} heads, width {CONFIG.width}, MLP {CONFIG.mlp_width}, "
        f"vocabulary {CONFIG.vocabulary_size:,}, context {CONFIG.context_length} |",
        f"| data | {data['name']}, {data['characters']:,} characters, {data['tokens']:,} tokens; "
        f"SHA-256 `{data['sha256']}` |",
        f"| trained on, held out | {data['train_tokens']:,} and {data['held_out_tokens']:,} tokens |",
        f"| optimizer | {content['optimizer']} |",
        *(f"| {name.replace('_', ' ')} | {value:,} |" for name, value in settings.items()),
        f"| perplexity, held out | {figures['held_out_perplexity'][0][0]:.2f} |",
        f"| perplexity, trained on | {figures['train_perplexity'][0][0]:.2f} |",
        f"| seconds, one thread | {figures['seconds'][0][0]:,.0f} |",
        f"| weights | `{Path(kept['file']).name}`, seed {kept['seed']}, SHA-256 `{kept['sha256']}` |",
        f"| made by | `{content['command']}` |", "",
        "## The curve", "",
        "| step | training loss, nats | perplexity on some held-out tokens |", "| ---: | ---: | ---: |",
    ]  # fmt: skip
    steps = figures["curve_step"][0]
    losses, perplexities = figures["train_loss_curve"][0][0], figures["held_out_perplexity_curve"][0][0]
    some = [place for place in range(len(steps)) if (place + 1) % 10 == 0]
    lines += [f"| {steps[place]:,} | {losses[place]:.3f} | {perplexities[place]:.2f} |" for place in some]
    lines += [
        "", "## Limits", "",
        "- It writes in the manner of its one book, Early Modern English drama, and mostly without sense.",
        "- What it says of people and the world comes from that book alone and is not to be relied on.",
        "- Its vocabulary was learnt on the whole text, the held-out part included, as in the experiments beside it.",
        "- It was trained once, from one seed; how much another seed would change is not known.",
        "- Other languages and signs are cut into bytes that it has hardly ever seen.", "",
    ]  # fmt: skip
    return "\n".join(lines)


EXPERIMENT = Training(
    "small_model",
    "The laboratory's model: four blocks of GPT-2's arrangement, trained on one small book.",
    {"four_blocks": Row(SETTINGS, shapes(CONFIG, ("E", "P", *BLOCK, *FINAL_NORM)), blocks, learning=learning)},
    storage=ModelFolder(),
)
