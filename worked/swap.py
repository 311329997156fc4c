"""Build aside, swap at the end: a failed build leaves the last good site untouched."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from worked.errors import AuthorError


class Swap:
    """A site's folder and the draft beside it, on the same disk. One build at a time holds it."""

    def __init__(self, site: Path, locks: Path):
        """`locks` is a folder for the lock file, which stays behind."""
        self.site = site.resolve()  # a link stays a link; what it points to is replaced
        self.draft, self.previous = (self.site.with_name(f".{self.site.name}-{role}") for role in ("draft", "previous"))
        locks.mkdir(parents=True, exist_ok=True)
        self.lock = FileLock(locks / f"{hashlib.sha256(str(self.site).encode()).hexdigest()[:16]}.lock")

    def open(self) -> Path:
        """An empty folder to build in. Raises AuthorError while another build holds the site."""
        self.site.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.lock.acquire(timeout=0)
        except Timeout as error:
            raise AuthorError(f"another build is writing {self.site}: wait for it, or end it") from error
        if self.previous.exists() and not self.site.exists():  # a swap was interrupted half way
            self.previous.rename(self.site)
        if self.site.exists() and not self.site.is_dir():
            raise AuthorError(f"{self.site} is a file; the site needs a folder there")
        shutil.rmtree(self.draft, ignore_errors=True)
        self.draft.mkdir()
        return self.draft

    def swap(self) -> None:
        """The finished draft takes the site's place. Dot files stay, as with MkDocs (.git, .nojekyll)."""
        shutil.rmtree(self.previous, ignore_errors=True)
        if self.site.exists():
            self.site.rename(self.previous)
        self.draft.rename(self.site)
        for kept in self.previous.glob(".*"):
            kept.rename(self.site / kept.name)
        shutil.rmtree(self.previous, ignore_errors=True)

    def close(self) -> None:
        """Nothing of a failed build stays behind."""
        if self.lock.is_locked:
            shutil.rmtree(self.draft, ignore_errors=True)
            self.lock.release()


def write_whole(file: Path, content: str | bytes) -> None:
    """All of the content or nothing, also when two processes write at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.write_bytes(content.encode() if isinstance(content, str) else content)
    draft.replace(file)
