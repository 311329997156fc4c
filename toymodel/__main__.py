"""`python -m toymodel "o gato subiu no"`: the seven steps of one run, in the terminal."""

import argparse
import json
import sys

from toymodel.generate import generate
from toymodel.options import add_sampling, sampling
from toymodel.runs import ATTENTION_OFF, PROMPT, export_run, perform
from toymodel.terminal import show
from toymodel.weights import load_toy


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m toymodel",
        description="Run the toy on a prompt and show every step, from tokens to text.",
        epilog="Without --seed the likeliest token is taken each time; with it tokens are drawn.",
    )
    made.add_argument("prompt", nargs="?", default=PROMPT, help=f'default: "{PROMPT}"')
    made.add_argument("--json", action="store_true", help="print every value as JSON instead")
    made.add_argument(
        "--attention", choices=("on", "off"), default="on", help="off: attention adds nothing"
    )
    made.add_argument("--steps", type=int, default=3, help="tokens to generate (default 3)")
    add_sampling(made)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Show one run. Returns the exit code: 2 for a prompt or options that cannot be used."""
    options = parser().parse_args(arguments)
    try:
        how = sampling(options)
        model, vocabulary = load_toy()
        edits = ATTENTION_OFF if options.attention == "off" else None
        one = perform("prompt", model, vocabulary, options.prompt, edits=edits)
        written = generate(
            model, list(one.tokens), options.steps, end=vocabulary.end, edits=edits, **how
        )
    except ValueError as error:
        print(f"toymodel: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(export_run(one), ensure_ascii=False))
    else:
        show(one, written, how)
    return 0


if __name__ == "__main__":
    sys.exit(main())
