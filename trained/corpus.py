"""Tiny Shakespeare (Karpathy, char-rnn, 2015) as ids of a byte-level BPE of 1,024 entries.

The text is not part of this repository. It is read from the path given, from the one in the
variable TRAINED_CORPUS, or from the cache that `python -m trained fetch` fills; its SHA-256 is
checked every time.
"""

import os
from hashlib import sha256
from pathlib import Path
from urllib.request import urlopen

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

from toymodel import bpe
from toymodel.files import replacing
from toymodel.gpt2_vocabulary import symbols
from trained.data import Text
from trained.errors import TrainedError
from trained.files import digest, read_tensors, write_tensors

ADDRESS = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/"
    "d1d7aa34fdb3626174bce1d753e6cc6845ce7087/data/tinyshakespeare/input.txt"
)
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
VOCABULARY_SIZE = 1024
CACHE = Path(__file__).parents[1] / ".cache" / "corpus"
VARIABLE = "TRAINED_CORPUS"


def place(path: Path | None = None) -> Path:
    """Where the text is. TrainedError, with the ways to get it, if it is nowhere."""
    named = path or os.environ.get(VARIABLE)
    found = Path(named) if named else CACHE / "tinyshakespeare.txt"
    if not found.is_file():
        raise TrainedError(
            f"{found}: the corpus is not there; give --corpus PATH, set {VARIABLE}, "
            f"or fetch it with `python -m trained fetch` from {ADDRESS}"
        )
    return found


def text(path: Path | None = None) -> str:
    """The corpus, checked. TrainedError if it is another text, or only a part of it."""
    found = place(path)
    return checked(found.read_bytes(), str(found))


def checked(content: bytes, source: str) -> str:
    got = sha256(content).hexdigest()
    if got != SHA256:
        raise TrainedError(
            f"{source}: not tiny Shakespeare: expected SHA-256 {SHA256}, got {got} ({len(content)} bytes)"
        )
    return content.decode()


def fetch(address: str = ADDRESS) -> Path:
    """Bring the text into the cache; nothing is kept of one that fails the check."""
    with urlopen(address, timeout=60) as answer:
        content = answer.read()
    checked(content, address)
    target = CACHE / "tinyshakespeare.txt"
    with replacing(target) as aside:
        aside.write_bytes(content)
    return target


def corpus(path: Path | None = None) -> Text:
    """The corpus as ids. The first time takes half a minute; then the ids are in the cache."""
    content = text(path)
    cached = CACHE / f"{SHA256[:16]}-{VOCABULARY_SIZE}-{digest(Path(bpe.__file__))[:16]}.safetensors"
    if not cached.exists():
        write_tensors(cached, {"ids": encoded(content, VOCABULARY_SIZE).to(torch.int16)}, {"sha256": SHA256})
    ids = read_tensors(cached)[0]["ids"].long()
    return described(ids, content, VOCABULARY_SIZE, "tiny Shakespeare")


def described(ids: Tensor, content: str, vocabulary_size: int, name: str) -> Text:
    """Ids of a text, with what a result file says of them."""
    made = Text(ids, vocabulary_size, {})
    made.about.update(
        name=name,
        sha256=sha256(content.encode()).hexdigest(),
        characters=len(content),
        tokens=len(ids),
        vocabulary=vocabulary_size,
        train_tokens=len(made.parts["train"]),
        held_out_tokens=len(made.parts["held_out"]),
    )
    return made


def encoded(content: str, vocabulary_size: int) -> Tensor:
    """Learn the merges on the text and cut it with them: the id of every token, (tokens).

    What the last merge leaves of each word is the word's tokens, so nothing needs to be cut again.
    """
    lessons = list(bpe.train(content, vocabulary_size - 256))
    number = numbered(lessons)
    pieces = {b"".join(word).decode(): [number[piece] for piece in word] for word in lessons[-1].words}
    return torch.tensor([one for word in bpe.SPLIT.findall(content) for one in pieces[word]])


def numbered(lessons: list[bpe.Merge]) -> dict[bytes, int]:
    """Token to id: the 256 bytes, then what each merge makes, in the order of learning."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"".join(lesson.pair) for lesson in lessons]
    return {token: place for place, token in enumerate(tokens)}


def vocabulary(content: str, vocabulary_size: int = VOCABULARY_SIZE) -> Tokenizer:
    """The same vocabulary for the library `tokenizers`, in GPT-2's notation: it cuts as `encoded` does."""
    lessons = list(bpe.train(content, vocabulary_size - 256))
    symbol_of = symbols()

    def written(token: bytes) -> str:
        return "".join(symbol_of[byte] for byte in token)

    ids = {written(token): number for token, number in numbered(lessons).items()}
    made = Tokenizer(models.BPE(ids, [tuple(map(written, lesson.pair)) for lesson in lessons]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made
