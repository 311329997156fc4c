"""Where a value stands decides how it is written: prose, formula, code or attribute.

While a template is rendered, each value leaves a numbered mark and each line of the template a
mark with its place. Afterwards the text is read once, from left to right, and every mark becomes
a `<data>` element, TeX, Python notation or plain text. Marks are private-use characters, which no
page contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape, unescape

import yaml

from worked.audit import AllowList, typed_digits
from worked.errors import AuthorError, Place
from worked.ledger import Row
from worked.mathematics import Mathematics, markdown_safe
from worked.numbers import Label, Locale

VALUE, PLACE = "\ue000{}\ue001", "\ue002{}\ue003{}\ue004"  # its number; the template's file and line
VALUE_MARK = re.compile("\ue000(\\d+)\ue001")
PLACE_MARK = re.compile("\ue002([^\ue003]*)\ue003(\\d+)\ue004")

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*\n", re.DOTALL)
MARGIN = "(?:[ \t]|\ue002[^\ue003]*\ue003\\d+\ue004)*"
CONTEXT = re.compile(
    rf"""
      (?P<fence>^{MARGIN}(?P<ticks>`{{3,}}|~{{3,}})[^\n]*\n.*?^{MARGIN}(?P=ticks){MARGIN}$)
    | (?P<code>(?P<tick>`+)(?!`)(?:(?!\n{MARGIN}\n).)+?(?<!`)(?P=tick)(?!`))
    | (?P<display>\$\$.+?\$\$)
    | (?P<formula>\$[^$]+?\$)
    | (?P<comment><!--.*?-->)
    | (?P<picture><svg\b.*?</svg>)
    | (?P<tag></?[a-zA-Z](?:"[^"]*"|'[^']*'|[^'"<>])*>)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SPOKEN = re.compile(r"""(?:alt|aria-label|title|content|start|value)=("[^"]*"|'[^']*')""")

HEARD = re.compile(r"""(<desc>.*?</desc>|<title>.*?</title>|aria-label="[^"]*")""")  # of a picture: plain text


class Writer:
    """Reads a marked page and writes its finished Markdown, filling the ledger on the way."""

    def __init__(
        self, page: str, values: list, relative: Callable[[str], str], locale: Locale,
        mathematics: Mathematics, allowed: AllowList,
    ):
        self.page, self.values, self.relative, self.locale = page, values, cache(relative), locale
        self.mathematics, self.allowed = mathematics, allowed
        self.rows: list[Row] = []
        self.here: Place | None = None  # the innermost line: it may be a shared macro's
        self.call: Place | None = None  # the line of the page itself

    def write(self, marked: str) -> str:
        """The finished Markdown. Errors carry the place of the last mark passed."""
        try:
            front = FRONT_MATTER.match(PLACE_MARK.sub("", marked))
            if front:
                length = _marked_length(marked, front.end())
                head, marked = self._front(marked[:length]), marked[length:]
            else:
                head = ""
            return head + self._body(marked)
        except AuthorError as error:
            raise error.at(self.here).called_from(self.call) from error

    def _body(self, marked: str) -> str:
        pieces, position = [], 0
        for match in CONTEXT.finditer(marked):
            pieces.append(self._prose(marked[position : match.start()], _begins_line(marked, position)))
            pieces.append(self._special(match))
            position = match.end()
        pieces.append(self._prose(marked[position:], _begins_line(marked, position)))
        return "".join(pieces)

    def _front(self, text: str) -> str:
        """The page's front matter: YAML without typed digits."""
        self._check(text)
        front = self._plain(text)
        try:
            entries = yaml.safe_load(FRONT_MATTER.match(front)[1])
        except yaml.YAMLError as error:
            line = error.problem_mark.line + 2 if getattr(error, "problem_mark", None) else 1
            place = Place(self.here.file, line) if self.here else None
            message = f"the front matter is not YAML ({error.problem}); quote what holds a colon"
            raise AuthorError(message, place) from error
        if not isinstance(entries, dict):
            raise AuthorError("the front matter holds no `name: value`")
        return front

    def _special(self, match: re.Match) -> str:
        text = match[0]
        if match["code"]:
            self._check(text.strip("`"), begins_line=False)
        if match["fence"] or match["code"]:
            return self._replaced(text, "code", lambda value: value.code(self.locale))
        if match["display"]:
            return self._formula(text[2:-2], display=True)
        if match["formula"]:
            return self._formula(text[1:-1], display=False)
        if match["comment"]:
            return VALUE_MARK.sub("", PLACE_MARK.sub("", text))
        if match["picture"]:
            self._check(re.sub("<[^>]*>", " ", text), begins_line=False)
            return "".join(
                self._replaced(part, "attribute", lambda value: escape(value.plain(self.locale))) if place % 2
                else self._replaced(part, "picture", lambda value: value.picture(self.locale))
                for place, part in enumerate(HEARD.split(text))
            )
        return self._tag(text)

    def _prose(self, text: str, begins_line: bool) -> str:
        """Prose between marks, checked for digits nobody computed and for a lone dollar."""
        self._check(text, begins_line)
        text = text.replace(" — ", "\N{NO-BREAK SPACE}— ")  # no line begins with a dash
        return self._replaced(text, "text", lambda value: markdown_safe(value.prose(self.locale)))

    def _check(self, text: str, begins_line: bool = True) -> None:
        """Raises AuthorError, at the line, for digits typed by hand; leaves the reading where it was."""
        before = self.here, self.call
        for line in re.split("(?=\ue002)", text):
            self._follow(line)
            bare = VALUE_MARK.sub("\ue000", PLACE_MARK.sub("", line))
            if not begins_line:
                bare = "\ue000" + bare  # no marker of a list stands here
            begins_line = line.endswith("\n") or (begins_line and not bare)
            found = typed_digits(bare, "prose", self.allowed)
            if found:
                raise AuthorError(
                    f"digits typed by hand: {found!r}; print a value, or add a pattern with its reason "
                    "to the list of allowed digits"
                )
            if "$" in bare:
                raise AuthorError("a formula is opened or closed by a `$` that has no partner")
        self.here, self.call = before

    def _formula(self, tex: str, display: bool) -> str:
        first_line = self.here
        bare = VALUE_MARK.sub("\ue000", PLACE_MARK.sub("", tex)).strip()
        found = typed_digits(bare, "formula", self.allowed)
        if found:
            raise AuthorError(f"digits typed by hand in a formula: {found!r} in {bare!r}")
        numbers: list = []

        def put(value) -> str:
            if isinstance(value, Label):
                return value.tex(self.locale)
            numbers.append(value)
            return rf"\htmlData{{v={len(numbers) - 1}}}{{{value.tex(self.locale)}}}"

        tex = self._replaced(tex, "tex", put).strip()
        try:
            html = self.mathematics.render(tex, numbers, display)
        except AuthorError as error:
            raise error.at(first_line) from error
        if display:
            return f'<div class="formula" data-search-exclude tabindex="0">{html}</div>'
        return f'<span class="formula" data-search-exclude>{html}</span>'

    def _tag(self, text: str) -> str:
        self._follow(text)
        for spoken in SPOKEN.findall(PLACE_MARK.sub("", text)):
            found = typed_digits(VALUE_MARK.sub("\ue000", unescape(spoken)), "prose", self.allowed)
            if found:
                raise AuthorError(f"digits typed by hand in an attribute: {found!r} in {text!r}")
        return markdown_safe(self._replaced(text, "attribute", lambda value: escape(value.plain(self.locale))))

    def _plain(self, text: str) -> str:
        return self._replaced(text, "attribute", lambda value: value.plain(self.locale))

    def _replaced(self, text: str, mode: str, how: Callable[[object], str]) -> str:
        def put(match: re.Match) -> str:
            value = self.values[int(match[1])]
            if not isinstance(value, Label):
                self._enter(value, mode)
            return how(value)

        parts = []
        for line in re.split("(?=\ue002)", text):
            self._follow(line)
            parts.append(VALUE_MARK.sub(put, PLACE_MARK.sub("", line)))
        return "".join(parts)

    def _enter(self, shown, mode: str) -> None:
        number = shown.number
        text = {"tex": shown.tex, "code": shown.code}.get(mode, shown.plain)(self.locale)
        self.rows.append(Row(
            self.page, len(self.rows) + 1, str(self.call), number.address, number.value,
            shown.places, shown.style, mode, text,
        ))

    def _follow(self, text: str) -> None:
        for match in PLACE_MARK.finditer(text):
            self.here = Place(self.relative(match[1]), int(match[2]))
            if self.here.file.endswith(f"/{self.page}"):
                self.call = self.here


def _begins_line(marked: str, position: int) -> bool:
    """Whether only marks stand between this position and the line's beginning."""
    line = marked[marked.rfind("\n", 0, position) + 1 : position]
    return not PLACE_MARK.sub("", line)


def _marked_length(marked: str, plain_length: int) -> int:
    """How far into the marked text the first `plain_length` unmarked characters reach."""
    seen = position = 0
    while seen < plain_length:
        mark = PLACE_MARK.match(marked, position)
        if mark:
            position = mark.end()
        else:
            position, seen = position + 1, seen + 1
    return position
