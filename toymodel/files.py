"""Files that are whole or not there: written aside, then moved into place."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path to write to; what it holds takes the place of `file` only if nothing goes wrong."""
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield aside
        os.replace(aside, file)
    finally:
        aside.unlink(missing_ok=True)
