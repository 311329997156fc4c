"""How many tokens the corpus has: two trainers of the same method, which break ties otherwise."""

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from trained.corpus import VOCABULARY_SIZE, corpus, text
from trained.experiment import Computation, Findings


def library_count(content: str) -> int:
    """Tokens by the library `tokenizers`: bytes as alphabet, GPT-2's borders, no special token."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY_SIZE, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([content], trainer)
    return len(made.encode(content).ids)


def compute(path: Path | None) -> Findings:
    content = text(path)
    counts = [len(corpus(path).ids), library_count(content)]
    found = Findings({"trainer": ["toymodel", "tokenizers"]})
    found.add("characters", len(content))
    found.add("vocabulary", VOCABULARY_SIZE)
    found.add("tokens", counts, "trainer")
    found.add("characters_per_token", [len(content) / count for count in counts], "trainer")
    return found


EXPERIMENT = Computation("tokenizer", "Tokens of the corpus by our trainer and by a library's.", compute)
