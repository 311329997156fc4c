"""The arrows between the rooms, and what no file of ours may hold. No site is built here."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {"toymodel", "worked", "trained", "build_pages", "build_values", "bench"}
# What each room may import of the others.
ALLOWED = {
    "toymodel": set(), "worked": set(), "trained": {"toymodel"},
    "build_values.py": {"worked"}, "build_pages.py": {"worked", "build_values"},
}
ENDINGS = (".py", ".js", ".mjs", ".css", ".jinja", ".html")
LONGEST = 320
ELSEWHERE = re.compile(
    r"""(?:src|href)=["']?(?:https?:)?//[^"'\s>]+ | url\(\s*["']?(?:https?:)?//[^)]+ | @import[^;]*//[^;]+""",
    re.VERBOSE,
)


def ours():
    """Every file of the tree that we write; what is installed or built lies in none of these."""
    folders = ("toymodel", "worked", "trained", "docs", "tests", "bench")
    files = [*ROOT.iterdir(), *(file for folder in folders for file in (ROOT / folder).rglob("*"))]
    return sorted(file for file in files if file.is_file() and "__pycache__" not in file.parts)


def imported(file):
    """The rooms that a Python file imports, wherever in it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import hides where it leads"
            names.add(node.module)
    return {name.split(".")[0] for name in names}


def test_the_rooms_are_there():
    rooms = {"toymodel", "worked", "trained", "build_pages.py", "docs", "tests"}
    assert {path.name for path in ROOT.iterdir()} >= rooms


@pytest.mark.parametrize("room, allowed", ALLOWED.items())
def test_imports_flow_one_way(room, allowed):
    files = [file for file in ours() if file.suffix == ".py" and file.relative_to(ROOT).parts[0] == room]
    assert files
    for file in files:
        others = imported(file) & (ROOMS - {room.removesuffix(".py")})
        assert others <= allowed, f"{file.relative_to(ROOT)} imports {others - allowed}"


def test_only_tests_import_the_door():
    for file in ours():
        if file.suffix == ".py" and "build_pages" in imported(file):
            assert file.relative_to(ROOT).parts[0] == "tests", file
        if file.suffix == ".py" and "build_values" in imported(file):
            assert file.name == "build_pages.py" or file.relative_to(ROOT).parts[0] == "tests", file


def test_the_reference_and_the_evaluator_are_another_road():
    for name in ("reference.py", "tokens_reference.py", "measured_values.py", "evaluate.py", "built_page.py"):
        assert not imported(ROOT / "tests" / name) & ROOMS, name


def test_rendering_does_not_know_torch():
    """Only the model computes; pages are made without it."""
    for file in [*(ROOT / "worked").rglob("*.py"), ROOT / "build_pages.py", ROOT / "build_values.py"]:
        assert "torch" not in imported(file), file


def test_no_file_of_ours_is_long():
    long = {
        str(file.relative_to(ROOT)): count
        for file in ours()
        if file.suffix in ENDINGS
        and (count := len(file.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}


@pytest.mark.parametrize("ending", [".css", ".js", ".mjs", ".html", ".jinja"])
def test_no_file_of_ours_fetches_from_elsewhere(ending):
    files = [file for file in ours() if file.suffix == ending]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert ELSEWHERE.findall(text) == [], file
    if ending == ".css":
        assert files
        for file in files:
            assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", file.read_text(encoding="utf-8")), file


def test_no_private_path_is_written_down():
    """A file that names somebody's home folder works for nobody else."""
    private = re.compile(r"(?<![\w.])/(?:home|Users|root|work)/\w")
    for file in ours():
        if file.suffix in (*ENDINGS, ".md", ".yml", ".toml", ".json"):
            assert not private.search(file.read_text(encoding="utf-8")), file
