"""Third-party files that the site serves itself: KaTeX's style and fonts, the text fonts.

They are installed by npm into `node_modules` (see package.json) and copied at build time; none is
committed. The open box ␣ and the sign ↵, which no text font has, become a font of two glyphs.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
from importlib.metadata import version
from pathlib import Path

from worked.errors import AuthorError

FONTS = {
    "literata": ("@fontsource-variable/literata", ["wght-normal", "wght-italic"]),
    "jetbrains-mono": ("@fontsource-variable/jetbrains-mono", ["wght-normal"]),
}
SUBSETS = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek"]
COMMENTS = re.compile(
    r"""^[ ]*/\*\*(?:(?!\*/)[\s\S])*\*/[ ]*\n | ^[ ]*//.*\n | /\*\*[ ]@type[ ][^\n]*?\*/[ ]? | [ ]//[ ][^"'`\n]*$""",
    re.VERBOSE | re.MULTILINE,
)
STYLE_COMMENT = re.compile(r"/\*.*?\*/\n*", re.DOTALL)
IMPORT = re.compile(r'@import url\("([\w-]+\.css)"\);\n')
SIGNS = "␣↵"  # a space and the end of a line, in tokens
OPEN_BOX = ("@fontsource/dejavu-mono", "dejavu-mono-latin-400-normal.woff2")


def copy_assets(modules: Path, own: Path, target: Path, cache: Path) -> None:
    """Everything under `target` (the site's assets/): our own files and the installed ones.

    The font of two glyphs is made once and kept in `cache`. Raises AuthorError where a package is not
    installed.
    """
    shutil.copytree(own, target, dirs_exist_ok=True)
    for script in sorted(target.glob("js/**/*.js")):
        script.write_text(without_comments(script.read_text(encoding="utf-8")), encoding="utf-8")
    for style in sorted(target.glob("css/*.css")):
        style.write_text(STYLE_COMMENT.sub("", with_imports(own / "css" / style.name)), encoding="utf-8")
    katex = _package(modules, "katex") / "dist"
    (target / "katex" / "fonts").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(katex / "katex.min.css", target / "katex" / "katex.min.css")
    for font in sorted(katex.glob("fonts/*.woff2")):
        shutil.copyfile(font, target / "katex" / "fonts" / font.name)
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    for name, (package, styles) in FONTS.items():
        for subset in SUBSETS:
            for style in styles:
                file = _package(modules, package) / "files" / f"{name}-{subset}-{style}.woff2"
                if file.is_file():
                    shutil.copyfile(file, target / "fonts" / file.name)
    package, file = OPEN_BOX
    whole = _package(modules, package) / "files" / file
    key = hashlib.sha256(whole.read_bytes() + f"{SIGNS} {version('fonttools')}".encode()).hexdigest()[:16]
    glyph = cache / f"open-box-{key}.woff2"
    if not glyph.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        glyph.write_bytes(a_few_glyphs(whole, SIGNS))
    shutil.copyfile(glyph, target / "fonts" / "open-box.woff2")


def without_comments(script: str) -> str:
    """A script without its comments and types, which are for those who read the source: half of what is sent.

    Of our own style only: a comment stands on lines of its own, or is a `/** @type … */` within a line.
    """
    return COMMENTS.sub("", script)


def with_imports(style: Path) -> str:
    """A style sheet with the files that it imports in the place of their names: one request, better compressed.

    Raises AuthorError where one is not there.
    """
    def imported(match: re.Match) -> str:
        file = style.with_name(match[1])
        if not file.is_file():
            raise AuthorError(f"{style.name} imports {match[1]}, and there is no such file beside it")
        return with_imports(file)

    return IMPORT.sub(imported, style.read_text(encoding="utf-8"))


def a_few_glyphs(font: Path, characters: str) -> bytes:
    """A WOFF2 font with only these characters; the same bytes every time."""
    from fontTools.subset import Options, Subsetter  # slow to import and seldom needed
    from fontTools.ttLib import TTFont

    options = Options(flavor="woff2", layout_features=[], hinting=False, notdef_outline=True)
    options.drop_tables += ["FFTM"]  # FontForge's time stamps, which the subsetter does not know
    whole = TTFont(font, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(whole)
    whole.flavor = "woff2"
    buffer = io.BytesIO()
    whole.save(buffer)
    return buffer.getvalue()


def _package(modules: Path, name: str) -> Path:
    package = modules / name
    if not package.is_dir():
        raise AuthorError(f"the package {name} is not installed in {modules}: run `make setup`")
    return package
