"""What the page about tokens shows, as plain data: strings, counts and ids."""

from toymodel import gpt2_vocabulary as gpt2
from toymodel.bpe import cut, merge_steps, split, train
from toymodel.tokens import END, SPACE, Vocabulary

CORPUS = " subiu subo suba caiu saiu viu"  # climbed, I climb, (that one) climb; fell, left, saw
LESSONS = 4
WORD = "␣subiu"
UNKNOWN = "o gato dormiu no"  # slept: none of its own letters is a token
PORTUGUESE = "o gato subiu no telhado"
ENGLISH = "the cat climbed onto the roof"
CHARACTERS = "aãщ€猫"
LETTERS = "sub"


def export(vocabulary: Vocabulary, prompt: str) -> dict:
    """The toy's vocabulary and cuts, four merges learned from a very small text, GPT-2's cuts."""
    return {
        "toy": toy(vocabulary, prompt),
        "training": training(),
        "gpt2": real(),
    }


def toy(vocabulary: Vocabulary, prompt: str) -> dict:
    ids = vocabulary.encode(prompt)
    letters = list(WORD.strip(SPACE))
    unknown = [
        {"text": piece, "known": int(piece in vocabulary.tokens)}
        for word in UNKNOWN.replace(" ", f" {SPACE}").split(" ")
        for piece in cut(word, vocabulary.merges)
    ]
    return {
        "id": {token: number for number, token in enumerate(vocabulary.tokens)},
        "text": prompt,
        "ids": ids,
        "sizes": {"characters": len(prompt), "tokens": len(ids), "merges": len(vocabulary.merges)},
        "back": vocabulary.decode(ids),
        "merges": pairs(vocabulary.merges),
        "word": WORD,
        "start": list(WORD),
        "steps": [
            {"rank": vocabulary.merges.index(pair) + 1, **pairs([pair])[0], "pieces": list(pieces)}
            for pair, pieces in merge_steps(WORD, vocabulary.merges)
        ],
        "letters": {"all": len(letters), "u": letters.count("u")},
        "unknown": {"text": UNKNOWN, "pieces": unknown, "missing": sum(1 - one["known"] for one in unknown)},
    }


def training() -> dict:
    """Each merge: the pairs counted, in the order in which they are seen, the winner, the words after it."""
    lessons = list(train(CORPUS, LESSONS + 1))
    return {
        "text": visible(CORPUS.encode()),
        "words": len(lessons[0].words),
        "start": [[*map(visible, word)] for word in split(CORPUS)],
        "steps": [
            {
                "counts": [
                    {**pairs([map(visible, pair)])[0], "times": times} for pair, times in lesson.counts.items()
                ],
                **pairs([map(visible, lesson.pair)])[0],
                "times": lesson.counts[lesson.pair],
                "words": [[*map(visible, word)] for word in lesson.words],
            }
            for lesson in lessons[:LESSONS]
        ],
        "left": {"times": lessons[LESSONS].counts[b" sub", b"iu"]},
    }


def real() -> dict:
    return {
        "sizes": {
            "bytes": len(gpt2.symbols()), "merges": gpt2.merge_count(), "special": 1,
            "end": gpt2.tokenizer().token_to_id(END),
        },
        "portuguese": cut_of(PORTUGUESE),
        "english": cut_of(ENGLISH),
        "unknown": cut_of(UNKNOWN),
        "special": cut_of(END),
        "characters": [cut_of(character) for character in CHARACTERS],
        "letters": [cut_of(letter) for letter in LETTERS],
        "whole": cut_of(LETTERS),
    }


def cut_of(text: str) -> dict:
    """A text and GPT-2's pieces of it; a piece that is part of a character has no text."""
    pieces = gpt2.encode(text)
    return {
        "text": text,
        "characters": len(text),
        "bytes": list(text.encode()),
        "tokens": len(pieces),
        "pieces": [{"text": piece.text or "", "id": piece.id, "bytes": list(piece.bytes)} for piece in pieces],
    }


def pairs(merges) -> list[dict[str, str]]:
    return [{"left": left, "right": right} for left, right in merges]


def visible(piece: bytes) -> str:
    return piece.decode().replace(" ", SPACE)
