"""The laboratory's live part on a page of the tests' own: a folder as the build publishes it, and a server."""

import json
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import torch
from browsing import Quiet
from conftest import LANGUAGES, ROOT
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from toymodel import checkpoint
from toymodel.config import GPTConfig
from toymodel.model import Model
from toymodel.weights import random_model
from worked.assets import copy_assets
from worked.catalogue import Catalogue
from worked.live import FILES, write_live

SMALL = ROOT / "trained" / "checkpoints" / "small"
CONFIG = GPTConfig(
    vocabulary_size=1024, context_length=128, width=192, heads=4, blocks=4, mlp_width=768,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
PAGE = """<!doctype html><html lang="{code}"><head><meta charset="utf-8"><title>live</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/css/site.css"><link rel="stylesheet" href="/assets/css/gpt.css">
</head>
<body data-md-color-scheme="{scheme}"><main class="md-content md-typeset"><h1>live</h1>
<div id="live" data-model="{model}"></div><p id="after">after</p></main>
<script type="module" src="/assets/js/gpt/main.js"></script></body></html>"""


def make_checkpoint(folder: Path, seed: int) -> None:
    """A seeded random model of the laboratory's shapes, in float16, and a vocabulary learned from our own sources."""
    checkpoint.save(random_model(CONFIG, seed), folder, prefix="")
    file = folder / FILES[0]
    save_file({name: value.half() for name, value in load_file(file).items()}, file)
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*/*.md")))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator([text], trainers.BpeTrainer(
        vocab_size=CONFIG.vocabulary_size, initial_alphabet=alphabet, show_progress=False,
    ))  # fmt: skip
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))


def load(folder: Path) -> tuple[Model, Tokenizer]:
    """PyTorch's own reading of a checkpoint, in float64."""
    return checkpoint.load(folder, torch.float64), Tokenizer.from_file(str(folder / "tokenizer.json"))


def publish(target: Path, folders: dict[str, Path]) -> None:
    """Scripts, styles, models and words as the build publishes them, and one page for each language and model."""
    copy_assets(ROOT / "node_modules", ROOT / "docs" / "assets", target / "assets", ROOT / ".cache")
    catalogues = [Catalogue.load(ROOT / "docs" / "_lang" / f"{code}.yml") for code in LANGUAGES]
    write_live(target / "assets", folders, catalogues)
    for code in LANGUAGES:
        for model in [*folders, "absent"]:
            for scheme in ("default", "slate"):
                page = PAGE.format(code=code, model=model, scheme=scheme)
                (target / f"{code}-{model}-{scheme}.html").write_text(page, encoding="utf-8")


def serve(folder: Path) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def tampered(source: Path, target: Path, **settings) -> Path:
    """A copy of a checkpoint with other settings in its config.json."""
    target.mkdir()
    for file in FILES:
        (target / file).write_bytes((source / file).read_bytes())
    config = json.loads((source / "config.json").read_text(encoding="utf-8")) | settings
    (target / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return target
