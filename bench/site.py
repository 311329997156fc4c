"""The build beside stock Material building the same finished Markdown, interleaved in one run.

Each build is a process of its own, as an author starts it; the median of several rounds is shown.
Stock Material builds the four trees that `build_pages.py render` writes, one after the other in one
process, with the same theme settings, plugins and extensions and without our hook.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STOCK = """
import sys
from mkdocs.config import load_config
from mkdocs.commands.build import build
for language in sys.argv[1:]:
    config = load_config(f"{language}/mkdocs.yml")
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
"""


def seconds(command: list[str], folder: Path) -> float:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        tree, stock = Path(folder) / "tree", Path(folder) / "stock"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "site", ".cache", "node_modules"))
        (tree / "node_modules").symlink_to(ROOT / "node_modules")
        subprocess.run([sys.executable, "build_pages.py", "render", str(stock)], cwd=tree, check=True)
        languages = sorted(path.name for path in stock.iterdir())
        page = tree / "docs" / "en" / "output.md"
        ours = [sys.executable, "-m", "mkdocs", "build", "--quiet"]

        def cold() -> float:
            shutil.rmtree(tree / ".cache", ignore_errors=True)
            return seconds(ours, tree)

        def edited() -> float:
            page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
            return seconds(ours, tree)

        ways = {
            "stock Material, the same Markdown": lambda: seconds([sys.executable, "-c", STOCK, *languages], stock),
            "our build, nothing changed": lambda: seconds(ours, tree),
            "our build, one line edited": edited,
            "our build, empty caches": cold,
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                times[name].append(way())
        medians = {name: statistics.median(values) for name, values in times.items()}
        base = next(iter(medians.values()))
        for name, median in medians.items():
            low, high = min(times[name]), max(times[name])
            print(f"{name:36} {median:.2f} s ({low:.2f} to {high:.2f}), {median / base:.2f} times stock")


if __name__ == "__main__":
    main()
