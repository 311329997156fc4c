"""Byte-level BPE for any GPT-2-layout checkpoint: text to ids and back, any Unicode text whole."""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from toymodel import gpt2_vocabulary as gpt2
from toymodel.gpt2_vocabulary import Piece
from toymodel.tokens import END, PromptError

WHOLE, VOCABULARY, MERGES = "tokenizer.json", "vocab.json", "merges.txt"
LINE_END = "↵"


@dataclass(frozen=True)
class ByteLevel:
    """A vocabulary of byte sequences; `tokenizer` applies its merges."""

    tokenizer: Tokenizer
    context_length: int

    @property
    def end(self) -> int | None:
        """The id of the token that ends a text, if there is one."""
        return self.tokenizer.token_to_id(END)

    def ids(self, text: str) -> list[int]:
        """Raises PromptError for an empty text and for more tokens than fit."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            raise PromptError("empty prompt: expected some text")
        if len(ids) > self.context_length:
            raise PromptError(f"prompt too long: {len(ids)} tokens, the limit is {self.context_length}")
        return ids

    def piece(self, number: int) -> Piece:
        """A token's bytes. Raises IndexError for an id outside the vocabulary."""
        token = self.tokenizer.id_to_token(number) if number >= 0 else None
        if token is None:
            raise IndexError(f"token id {number}: expected 0 to {self.tokenizer.get_vocab_size() - 1}")
        byte_of = gpt2.bytes_of_symbols()
        special = any(symbol not in byte_of for symbol in token) or token == END
        return Piece(number, token.encode() if special else bytes(byte_of[symbol] for symbol in token))

    def readable(self, number: int) -> str:
        """A token as a reader can tell it: its text, with ␣ for a space and ↵ for the end of a line.

        Its bytes where they are part of a character, or characters that cannot be seen.
        """
        piece = self.piece(number)
        text = (piece.text or "").replace("\n", LINE_END)
        return text if text and text.isprintable() else " ".join(f"{byte:02x}" for byte in piece.bytes)

    def text(self, ids: Iterable[int]) -> str:
        return "".join(self.texts(ids))

    def texts(self, ids: Iterable[int]) -> Iterator[str]:
        """Each token's text as soon as it is whole: a character may take several tokens.

        Bytes that make no character become U+FFFD.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for number in ids:
            yield decoder.decode(self.piece(number).bytes)
        yield decoder.decode(b"", final=True)


def load(folder: Path, vocabulary_size: int, context_length: int) -> ByteLevel:
    """The vocabulary in a model's folder; GPT-2's own, where the folder has none and the size is its.

    Reads `tokenizer.json`, or `vocab.json` and `merges.txt`. Raises PromptError for a file that is
    no vocabulary, or of another size than the model's.
    """
    try:
        if (folder / WHOLE).is_file():
            tokenizer = Tokenizer.from_file(str(folder / WHOLE))
        elif (folder / VOCABULARY).is_file() and (folder / MERGES).is_file():
            tokenizer = gpt2.applying(folder / VOCABULARY, folder / MERGES)
        else:
            tokenizer = gpt2.tokenizer()
    except Exception as error:  # the library raises plain Exception
        raise PromptError(f"{folder}: the vocabulary cannot be read: {error}") from None
    size = tokenizer.get_vocab_size()
    if size != vocabulary_size:
        raise PromptError(
            f"{folder}: the model knows {vocabulary_size} tokens, the vocabulary {size}; "
            f"put the model's {WHOLE}, or {VOCABULARY} and {MERGES}, beside its weights"
        )
    return ByteLevel(tokenizer, context_length)
