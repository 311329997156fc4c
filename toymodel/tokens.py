"""The toy's tokens: text to ids and back. A leading space is written ␣, inside the token."""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches

from toymodel.bpe import cut

SPACE = "␣"
END = "<|endoftext|>"


class PromptError(ValueError):
    """A prompt that the model cannot take."""


@dataclass(frozen=True)
class Vocabulary:
    """The tokens in the order of their ids (from 0); the longest prompt, in tokens; and the
    merges that lead from characters to tokens, the first to be applied first.
    """

    tokens: tuple[str, ...]
    context_length: int
    merges: tuple[tuple[str, str], ...] = ()

    @property
    def end(self) -> int:
        """The id of the token that ends a text."""
        return self.tokens.index(END)

    def encode(self, text: str) -> list[int]:
        """Text, with its spaces as they are or written ␣, to ids.

        Each word begins as single characters, which the merges join. Raises PromptError for
        an empty text, a word left with a piece that is no token, or more tokens than fit.
        """
        # One letter can be written as one character or as two (c, a + ~, o): make it one.
        normal = unicodedata.normalize("NFC", text)
        if not normal.strip().strip(SPACE):
            raise PromptError('empty prompt: expected some text, such as "o gato subiu no"')
        ids = []
        words = re.finditer(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+", normal.replace(" ", SPACE))
        for number, word in enumerate(words, start=1):
            pieces = self._cut(word[0])
            if pieces is None:
                raise PromptError(self._unknown(word, number, normal))
            ids.extend(pieces)
        if len(ids) > self.context_length:
            raise PromptError(
                f"prompt too long: {len(ids)} tokens, the limit is {self.context_length}"
            )
        return ids

    def decode(self, ids: list[int]) -> str:
        """Ids to text, with plain spaces. Raises IndexError for an id outside the vocabulary."""
        return "".join(self.strings(ids)).replace(SPACE, " ")

    def strings(self, ids: list[int]) -> list[str]:
        """Ids to tokens. Raises IndexError for an id outside the vocabulary."""
        for i in ids:
            if not 0 <= i < len(self.tokens):
                raise IndexError(f"token id {i}: expected 0 to {len(self.tokens) - 1}")
        return [self.tokens[i] for i in ids]

    def _cut(self, word: str) -> list[int] | None:
        # The special token is set apart first: no merge reaches into it.
        parts = re.split(f"({re.escape(END)})", word)
        pieces = [piece for part in parts for piece in ([part] if part == END else cut(part, self.merges))]
        known = all(piece in self.tokens for piece in pieces)
        return [self.tokens.index(piece) for piece in pieces] if known else None

    def _unknown(self, word: re.Match, number: int, text: str) -> str:
        bare = word[0].removeprefix(SPACE)
        # "␣o" must not read as if "o" were missing.
        named = bare if bare and bare not in self.tokens else word[0]
        character = word.end() - len(bare) + 1 if bare else word.start() + 1
        token_of = {token.strip(SPACE).casefold(): token for token in self.tokens}
        found = get_close_matches(bare.casefold(), token_of)
        offer = "near: " + " ".join(token_of[match] for match in found)
        everything = "the vocabulary: " + " ".join(self.tokens)
        return (
            f'no token for "{named}" (word {number}, character {character} of "{text}"); '
            f"{offer if found else everything}"
        )
