"""The seven steps of a run as tables for the terminal, 100 columns wide."""

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text
from torch import Tensor

from toymodel.generate import Generation
from toymodel.runs import Run
from toymodel.tokens import END

WIDTH = 100


def show(run: Run, written: Generation, how: dict, console: Console | None = None) -> None:
    """Print a run and what was generated from it; `how` holds the sampling options given."""
    console = console or Console(width=WIDTH, highlight=False)
    steps = (
        ("Tokens", tokens(run)),
        ("Embeddings: x = E + P", embeddings(run)),
        ("Queries, keys and values of each head", projections(run)),
        ("Attention: who looks at whom", patterns(run)),
        ("The block: attention adds, then the MLP adds", stream(run)),
        ("Output: what comes next", output(run)),
        ("Writing on", generation(run, written, how)),
    )
    for number, (title, content) in enumerate(steps, start=1):
        console.rule(f"[bold]{number}  {title}", align="left", style="dim")
        console.print(content)
        console.print()


def table(*columns: str, title: str | None = None) -> Table:
    """A table whose first column is text and whose others are figures."""
    made = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
        title=title,
        title_justify="left",
    )
    first, *others = columns
    made.add_column(first, no_wrap=True)
    for column in others:
        made.add_column(column, justify="right", no_wrap=True)
    return made


def figure(value: float) -> str:
    return f"{value:z.3f}" if value > float("-inf") else "−∞"


def aligned(cells) -> str:
    """Cells of equal width, so that a row stands under the row above it."""
    return " ".join(f"{cell:>6}" for cell in cells)


def vector(values: Tensor) -> str:
    return aligned(map(figure, values.tolist()))


def positions(run: Run) -> list[str]:
    """The first column of most tables: "5 ␣no"."""
    words = run.vocabulary.strings(run.tokens)
    return [f"{t} {word.replace(END, '<|end|>')}" for t, word in enumerate(words, start=1)]


def by_position(run: Run, **columns: Tensor) -> Table:
    """One row for each position, one vector for each column."""
    made = table("token", *columns)
    for t, place in enumerate(positions(run)):
        made.add_row(Text(place), *(vector(values[t]) for values in columns.values()))
    return made


def tokens(run: Run) -> Table:
    made = table("token", "id", "row of E")
    for place, token in zip(positions(run), run.tokens, strict=True):
        made.add_row(Text(place), str(token), str(token + 1))
    return made


def embeddings(run: Run) -> Table:
    trace = run.trace
    return by_position(run, E=trace["token_embedding"], P=trace["position_embedding"], x=trace["x"])


def projections(run: Run) -> Table:
    q, k, v = run.trace["q"], run.trace["k"], run.trace["v"]
    heads = range(1, run.model.config.heads + 1)
    made = {
        f"{letter}, head {head}": values[head - 1]
        for head in heads
        for letter, values in (("q", q), ("k", k), ("v", v))
    }
    return by_position(run, **made)


def patterns(run: Run) -> Group:
    """Scaled scores and weights of each head: side by side, if they fit."""
    names = (("masked_scores", "scaled scores"), ("weights", "weights"))
    shown = []
    for head in range(1, run.model.config.heads + 1):
        pair = [pattern(run, name, head, title) for name, title in names]
        shown += [Columns(pair, padding=(0, 3)), ""]
    return Group(*shown[:-1])


def pattern(run: Run, name: str, head: int, title: str) -> Table:
    """One row for each position that speaks, one figure for each position looked at."""
    looked_at = aligned(range(1, len(run.tokens) + 1))
    made = table("looks at", looked_at, title=f"head {head}: {title}")
    for place, row in zip(positions(run), run.trace[name][head - 1], strict=True):
        made.add_row(Text(place), vector(row))
    return made


def stream(run: Run) -> Group:
    trace = run.trace
    return Group(
        by_position(run, att=trace["att"], **{"h = x + att": trace["h"]}),
        "",
        by_position(run, **{"MLP units, after GELU": trace["activation"]}),
        "",
        by_position(run, m=trace["m"], **{"y = h + m": trace["y"], "f = LN(y)": trace["f"]}),
    )


def output(run: Run) -> Columns:
    """The last position's whole distribution, and every position's likeliest next token."""
    z, exp_z, p = (run.trace[name] for name in ("z", "exp_z", "p"))
    words = run.vocabulary.tokens
    last = table("next token", "z", "e^z", "p", title=f"after {positions(run)[-1]}")
    for i in p[-1].argsort(descending=True, stable=True).tolist():
        last.add_row(Text(words[i]), *(figure(float(values[-1, i])) for values in (z, exp_z, p)))
    every = table("position", "likeliest next", "p", title="every position")
    for place, row in zip(positions(run), p, strict=True):
        every.add_row(Text(place), Text(words[int(row.argmax())]), figure(float(row.max())))
    return Columns([last, every], padding=(0, 6))


def generation(run: Run, written: Generation, how: dict) -> Group:
    options = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in how.items())
    manner = f"drawn: {options}" if how else "the likeliest token each time"
    made = table("step", "token", "p") if written.steps else ""
    for step, chosen in enumerate(written.steps, start=1):
        made.add_row(str(step), Text(run.vocabulary.tokens[chosen.id]), figure(chosen.p))
    return Group(
        Text(manner, style="dim"),
        made,
        Text(run.vocabulary.decode(written.ids), style="bold"),
        Text(f"stopped: {written.stopped}", style="dim"),
    )
