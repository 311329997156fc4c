"""The sampling options of the command lines."""

import argparse


def add_sampling(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, help="draw the tokens, repeatably")
    parser.add_argument("--temperature", type=float, help="divides the logits (default 1)")
    parser.add_argument("--top-k", type=int, help="draw among the K likeliest")
    parser.add_argument("--top-p", type=float, help="draw among the likeliest that reach P together")


def sampling(options: argparse.Namespace) -> dict:
    """The sampling options that were given. Raises ValueError when they would do nothing."""
    given = {
        name: getattr(options, name)
        for name in ("temperature", "top_k", "top_p", "seed")
        if getattr(options, name) is not None
    }
    if given and "seed" not in given:
        flag = "--" + next(iter(given)).replace("_", "-")
        raise ValueError(f"{flag} needs --seed: without it the likeliest token is always taken")
    return given
