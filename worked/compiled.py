"""Compiled templates on disk: Jinja checks each against its source, and a version against ours."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import jinja2


class Compiled(jinja2.FileSystemBytecodeCache):
    """A folder of compiled templates; a damaged one is compiled again."""

    def load_bytecode(self, bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # what unpickling a damaged file raises is not limited
            bucket.reset()


def compiled(cache: Path, kind: str, version: bytes) -> Compiled:
    """The templates of one kind as this version of the code compiles them; older ones are removed."""
    folder = cache / f"templates-{kind}-{hashlib.sha256(version).hexdigest()[:16]}"
    if not folder.is_dir():
        for old in cache.glob(f"templates-{kind}-*"):
            shutil.rmtree(old, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return Compiled(str(folder))
