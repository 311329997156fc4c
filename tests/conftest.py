"""The site, built from a copy of the tree: nobody's own site or cache is touched."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from browsing import address, alive, browser, visit  # noqa: F401 (fixtures)
from built_page import Page
from hypothesis import settings

settings.register_profile("here", deadline=None)  # a busy machine is no failure
settings.load_profile("here")

ROOT = Path(__file__).parents[1]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "site", ".site-*", ".cache", "node_modules", "__pycache__", ".*_cache",
    ".hypothesis", "*.egg-info", "bench", "runs",
)  # fmt: skip


class Loader(yaml.SafeLoader):
    """YAML with MkDocs's !ENV, which nothing here needs the value of."""


Loader.add_constructor("!ENV", lambda loader, node: None)
CONFIG = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
LANGUAGES = CONFIG["extra"]["languages"]


def pages_of(nav) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [page for one in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(one)]


PAGES = pages_of(CONFIG["nav"])


@dataclass
class Workshop:
    """A copy of the tree where tests build, and change files for as long as they run."""

    root: Path
    changed: dict[Path, bytes | None] = field(default_factory=dict)

    @property
    def site(self) -> Path:
        return self.root / "site"

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.root, env=surroundings(environment),
            capture_output=True, text=True, encoding="utf-8", timeout=600,
        )

    def build(self, **environment: str) -> subprocess.CompletedProcess:
        return self.python("-m", "mkdocs", "build", **environment)

    def write(self, path: str, text: str | None) -> None:
        """A file's new content; None removes it."""
        file = self.root / path
        self.changed.setdefault(file, file.read_bytes() if file.exists() else None)
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r} to change"
        self.write(path, text.replace(old, new, 1))

    def restore(self) -> None:
        for file, content in self.changed.items():
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(content)
        self.changed.clear()


def surroundings(more: dict[str, str]) -> dict[str, str]:
    return {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def copy_to(root: Path) -> Workshop:
    shutil.copytree(ROOT, root, ignore=NOT_COPIED)
    (root / "node_modules").symlink_to(ROOT / "node_modules")
    return Workshop(root)


def contents(folder: Path) -> dict[str, str]:
    """Every file under a folder, by a digest of its bytes."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="session")
def twins(tmp_path_factory) -> tuple[Workshop, Workshop]:
    """Two copies in folders of different names, each built from nothing, at the same time."""
    copies = [copy_to(tmp_path_factory.mktemp(name) / name) for name in ("one", "another-place")]
    with ThreadPoolExecutor() as pool:
        for done in pool.map(Workshop.build, copies):
            assert done.returncode == 0, done.stdout + done.stderr
    return tuple(copies)


@pytest.fixture(scope="session")
def site(twins) -> Path:
    """The built site; nobody writes to it."""
    return twins[0].site


@pytest.fixture
def workshop(twins) -> Iterator[Workshop]:
    """The second copy, with its good site and warm cache; a test's changes are undone after it."""
    cache, kept = twins[1].root / ".cache", twins[1].root.parent / "cache"
    if not kept.exists():
        shutil.copytree(cache, kept)
    yield twins[1]
    twins[1].restore()
    shutil.rmtree(cache)
    shutil.copytree(kept, cache)


@pytest.fixture(scope="session", params=[(code, page) for code in LANGUAGES for page in PAGES],
                ids=lambda param: "/".join(param))
def page(request, site) -> Page:
    """Each page of each language."""
    return Page(site, *request.param)


@pytest.fixture(scope="session", params=LANGUAGES)
def output_page(request, site) -> Page:
    """The Output page of each language."""
    return Page(site, request.param, "output.md")


@pytest.fixture(scope="session", params=PAGES)
def in_all_languages(request, site) -> list[Page]:
    """The same page in every language."""
    return [Page(site, code, request.param) for code in LANGUAGES]


@pytest.fixture
def one_thread():
    """As the trainings run: the same sums in the same order, and no fight for the cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pytest_terminal_summary(terminalreporter) -> None:
    """Say loudly what did not run for want of GPT-2's weights."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "real_weights" in report.keywords]
    if skipped:
        terminalreporter.section("NOT RUN: GPT-2's published weights are not on this machine", yellow=True, bold=True)
        for report in skipped:
            terminalreporter.line(f"{report.nodeid}: {report.longrepr[2].removeprefix('Skipped: ')}")
