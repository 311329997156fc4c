"""The picture that a shared link shows: a title, a text in pieces and what may follow it, as bars.

Drawn in the site's own fonts and colours; 1200 × 630 pixels, the size that link previews ask for
(The Open Graph protocol, ogp.me).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import astuple, dataclass
from importlib.metadata import version
from pathlib import Path

from worked.errors import AuthorError
from worked.page_cache import digest
from worked.swap import write_whole

SIZE = (1200, 630)
MARGIN, LINE, BAR = 80, 1.25, 34
FAMILIES = {
    "text": ("@fontsource-variable/literata", "literata"),
    "code": ("@fontsource-variable/jetbrains-mono", "jetbrains-mono"),
}
OPEN_BOX = "@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2"


@dataclass(frozen=True)
class Preview:
    """What the picture says.

    pieces   the text so far, piece by piece
    choices  what may follow: its name, its share as printed, and the share itself (0 to 1), the
             likeliest first
    """

    title: str
    lead: str
    pieces: tuple[str, ...]
    choices: tuple[tuple[str, str, float], ...]

    @property
    def description(self) -> str:
        """The same in words, for readers who do not see it."""
        text = "".join(self.pieces).replace("␣", " ")
        return f"{text} → " + " · ".join(f"{name.strip('␣')} {share}" for name, share, _ in self.choices)


def write_preview(preview: Preview, file: Path, modules: Path, colours: Path, cache: Path) -> None:
    """Draw into `file`, a PNG, or copy it from `cache`. `colours` is the style sheet that names them.

    Raises AuthorError where a font is not installed or a colour is not defined.
    """
    key = digest(repr(astuple(preview)), version("pillow"), Path(__file__), colours)
    kept = cache / f"preview-{key[:16]}.png"
    if not kept.is_file():
        write_whole(kept, _drawn(preview, _Fonts(modules), _colour_of(colours)))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(kept.read_bytes())


def _drawn(preview: Preview, fonts: _Fonts, colour: Callable[[str], str]) -> bytes:
    from PIL import Image, ImageDraw  # seldom needed: the picture is kept

    picture = Image.new("RGB", SIZE, colour("ground"))
    canvas = ImageDraw.Draw(picture)

    def write(x: float, y: float, text: str, family: str, size: int, ink: str, weight: int = 400) -> float:
        """Text with its middle at height y; the x where it ends."""
        for run, font in fonts.runs(text, family, size, weight):
            canvas.text((x, y), run, colour(ink), font, anchor="lm")
            x += font.getlength(run)
        return x

    canvas.rectangle((0, 0, SIZE[0], 12), colour("output"))
    y = MARGIN + 20
    write(MARGIN, y, preview.title, "text", 66, "ink", 650)
    y += 78
    for line in fonts.wrapped(preview.lead, "text", 30, SIZE[0] - 2 * MARGIN):
        write(MARGIN, y, line, "text", 30, "ink-soft")
        y += 30 * LINE
    x, y = MARGIN, y + 52
    for piece in preview.pieces:
        width = fonts.length(piece, "code", 38) + 24
        canvas.rounded_rectangle((x, y - 32, x + width, y + 32), 8, colour("ground-raised"), colour("rule"), 2)
        write(x + 12, y, piece, "code", 38, "ink")
        x += width + 12
    y += 92
    names = max(fonts.length(name, "code", 30) for name, _, _ in preview.choices)
    start, largest = MARGIN + names + 24, max(share for *_, share in preview.choices)
    room = SIZE[0] - MARGIN - start - 120
    for place, (name, printed, share) in enumerate(preview.choices):
        write(MARGIN, y, name, "code", 30, "ink")
        end = start + room * share / largest
        canvas.rectangle((start, y - BAR / 2, end, y + BAR / 2), colour("output" if place == 0 else "rule"))
        write(end + 16, y, printed, "code", 30, "ink", 700 if place == 0 else 400)
        y += BAR + 14
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


class _Fonts:
    """The site's fonts, which come in one file for each script."""

    def __init__(self, modules: Path):
        self.modules = modules

    def runs(self, text: str, family: str, size: int, weight: int = 400) -> list:
        """The text in stretches of one font each."""
        stretches = re.findall("␣|[\u0400-\u04ff]+|[^␣\u0400-\u04ff]+", text)
        return [(run, self._font(run[0], family, size, weight)) for run in stretches]

    def length(self, text: str, family: str, size: int) -> float:
        return sum(font.getlength(run) for run, font in self.runs(text, family, size))

    def wrapped(self, text: str, family: str, size: int, width: float) -> list[str]:
        """The text in lines no longer than `width`, broken at spaces."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self.length(longer, family, size) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def _font(self, letter: str, family: str, size: int, weight: int):
        from PIL import ImageFont

        package, name = FAMILIES[family]
        subset = "cyrillic" if "\u0400" <= letter <= "\u04ff" else "latin"
        file = self.modules / package / "files" / f"{name}-{subset}-wght-normal.woff2"
        file = self.modules / OPEN_BOX if letter == "␣" else file
        try:
            font = ImageFont.truetype(str(file), size)
        except OSError as error:
            raise AuthorError(f"the font {file.name} is not installed in {self.modules}: run `make setup`") from error
        if letter != "␣":
            font.set_variation_by_axes([weight])
        return font


def _colour_of(styles: Path) -> Callable[[str], str]:
    """Colours by name from a style sheet's custom properties; the first scheme's."""
    text = styles.read_text("utf-8")

    def colour(name: str) -> str:
        match = re.search(rf"--{name}: (#[0-9a-f]{{6}})", text)
        if match is None:
            raise AuthorError(f"{styles.name} defines no colour `--{name}`")
        return match[1]

    return colour
