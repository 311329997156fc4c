"""The template environment: a template and its values in, finished Markdown and a ledger out.

Marks: `[= value =]`, `[% statement %]`, `[~ comment ~]`. An undefined name is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.utils import missing

from worked import claims
from worked.address import Tensor
from worked.arithmetic import WorkedLine
from worked.audit import AllowList
from worked.errors import AuthorError, Place, near_miss
from worked.ledger import Row
from worked.mathematics import Mathematics
from worked.numbers import Digits, Label, Locale, Number
from worked.placement import PLACE, PLACE_MARK, VALUE, VALUE_MARK, Writer
from worked.template_functions import FILTERS, FUNCTIONS, TESTS

TEMPLATES = Path(__file__).with_name("templates")
TAG, TEXT = re.compile("<[^>]*>"), re.compile(r"[\w$]")


@dataclass(frozen=True)
class Rendered:
    """A finished page: its Markdown, a ledger row for each number, its claims and glossary terms in order."""

    name: str
    language: str
    markdown: str
    rows: tuple[Row, ...]
    claims: tuple[str, ...]
    terms: tuple[str, ...]


class Progress:
    """What a page leaves behind while it is being rendered."""

    def __init__(self) -> None:
        self.values: list[Digits | Label] = []  # what the marks stand for
        self.claims: list[str] = []
        self.terms: list[str] = []  # of the glossary, explained on the spot
        self.broken: list[tuple[str, int, str]] = []  # claims that do not hold: file, line, message
        self.approximate = False  # a worked line printed ≈
        self.explained = False  # and the page said why

    def emit(self, value: object) -> object:
        """What a template prints for `[= value =]`."""
        if isinstance(value, Number):
            value = value.shown()
        if isinstance(value, (Digits, Label)):
            self.values.append(value)
            return VALUE.format(len(self.values) - 1)
        if isinstance(value, WorkedLine):
            self.approximate |= value.approximate
            return self._worked(value)
        if isinstance(value, (int, float)):
            raise AuthorError(f"{value!r} has no address: print a value, a count or a result")
        if isinstance(value, Tensor):
            str(value)  # raises: not one number
        if not isinstance(value, str):
            hint = "; did you forget its `()`?" if callable(value) else ""
            raise AuthorError(f"nothing to print: the expression gave {type(value).__name__}{hint}")
        return value

    def _worked(self, line: WorkedLine) -> str:
        """Spans, so that a worked line may stand wherever prose may."""

        def tex(parts: Iterable) -> str:
            return "".join(part if isinstance(part, str) else self.emit(part) for part in parts)

        rows = "".join(
            f'<span class="worked-row"><span class="worked-left">{f"${tex(line.left)}$" if first else ""}</span>'
            f'<span class="worked-right">${step.relation} {tex(step.parts)}$</span></span>'
            for first, step in zip([True] + [False] * len(line.steps), line.steps)
        )
        return f'<span class="worked" data-search-exclude>{rows}</span>'


class PlaceMarks(Extension):
    """Leaves a mark at the beginning of every line of template text, and before text within a line."""

    def filter_stream(self, stream):
        file = stream.filename or stream.name
        for token in stream:
            if token.type == "data":
                lines = token.value.split("\n")
                marked = [
                    PLACE.format(file, token.lineno + i) + line if i or TEXT.search(TAG.sub("", line)) else line
                    for i, line in enumerate(lines)
                ]
                token = Token(token.lineno, "data", "\n".join(marked))
            yield token


class Claims(Extension):
    """`[% claim comparison, … %]sentence[% endclaim %]`."""

    tags = {"claim"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        comparisons = [parser.parse_expression()]
        while parser.stream.skip_if("comma"):
            comparisons.append(parser.parse_expression())
        body = parser.parse_statements(("name:endclaim",), drop_needle=True)
        place = [nodes.Const(parser.filename or parser.name), nodes.Const(line)]
        call = self.call_method("_bound", [nodes.ContextReference(), nodes.Tuple(comparisons, "load"), *place])
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _bound(self, context, comparisons, file, line, caller):
        comparisons = [one for given in comparisons for one in (given if isinstance(given, list) else [given])]
        sentence, progress = caller(), context["progress"]
        quoted = VALUE_MARK.sub("…", PLACE_MARK.sub("", sentence))
        try:
            marked = claims.bound(comparisons, sentence, quoted)
        except claims.BrokenClaim as error:  # the author wants to see them all at once
            progress.broken.append((file, line, error.message))
            return sentence
        progress.claims.extend(comparison.text for comparison in comparisons)
        return marked


def _undefined(known: Mapping[str, Any]) -> type[jinja2.StrictUndefined]:
    """Undefined names are errors that suggest the near one among the names known."""

    class Undefined(jinja2.StrictUndefined):
        @property
        def _undefined_message(self) -> str:
            owner = self._undefined_obj
            names = known if owner is missing else [name for name in dir(owner) if not name.startswith("_")]
            return f"no value `{self._undefined_name}`{near_miss(self._undefined_name, names)}"

    return Undefined


@pass_context
def _finalize(context, value):
    if isinstance(value, jinja2.Undefined):
        return str(value)  # raises, with the near miss; an `if` without `else` prints nothing
    progress = context.get("progress")
    return value if progress is None else progress.emit(value)


class Renderer:
    """Renders the templates of one language.

    `folders` are searched in order (the language's own, the shared one); `values` are the names
    that templates may use.
    """

    def __init__(
        self, language: str, folders: list[Path], values: Mapping[str, Any], locale: Locale,
        mathematics: Mathematics, allowed: AllowList, root: Path,
        compiled: jinja2.BytecodeCache | None = None,
    ):
        self.language, self.locale, self.mathematics = language, locale, mathematics
        self.allowed, self.root = allowed, root
        known = {**FUNCTIONS, **values, "separator": locale.list_separator}
        self.environment = jinja2.Environment(
            block_start_string="[%", block_end_string="%]",
            variable_start_string="[=", variable_end_string="=]",
            comment_start_string="[~", comment_end_string="~]",
            keep_trailing_newline=True,  # and no trimming: in Markdown, indents and empty lines mean something
            undefined=_undefined(known), finalize=_finalize, extensions=[Claims, PlaceMarks],
            loader=jinja2.FileSystemLoader([*folders, TEMPLATES], encoding="utf-8-sig"), bytecode_cache=compiled,
        )
        self.environment.filters.update(FILTERS)
        self.environment.tests.update(TESTS)
        self.environment.globals.update(known)

    def render(self, template: str, **values: Any) -> Rendered:
        """One page. Raises AuthorError with file and line; never returns a page with a missing number."""
        progress = Progress()
        writer = Writer(template, progress.values, self._relative, self.locale, self.mathematics, self.allowed)
        try:
            up = "../" * template.count("/")  # from the page's folder to its language's
            text = self.environment.get_template(template).render(values, progress=progress, up=up)
        except AuthorError as error:
            raise error.at(self._place(error)).called_from(self._place(error, template)) from error
        except jinja2.TemplateSyntaxError as error:
            raise AuthorError(error.message, Place(self._relative(error.filename), error.lineno)) from error
        except jinja2.TemplateNotFound as error:
            raise AuthorError(f"no template `{error.name}`", self._place(error)) from error
        except jinja2.UndefinedError as error:
            raise AuthorError(error.message, self._place(error)) from error
        except UnicodeDecodeError as error:
            raise AuthorError(f"a template of this page is not UTF-8: {error}", Place(template, 1)) from error
        except Exception as error:
            raise AuthorError(f"{type(error).__name__}: {error}", self._place(error)) from error

        if progress.broken:
            first, *others = [(Place(self._relative(file), line), text) for file, line, text in progress.broken]
            more = "".join(f"\n{place}: {text}" for place, text in others)
            raise AuthorError(first[1] + more, first[0])
        markdown = writer.write(text)
        if progress.approximate and not progress.explained:
            raise AuthorError(
                "a worked line prints ≈ and the page does not say why: put `[= rounding_note() =]` on it",
                Place(self._relative(self.environment.get_template(template).filename), 1),
            )
        return Rendered(template, self.language, markdown, tuple(writer.rows), tuple(progress.claims),
                        tuple(progress.terms))

    def _place(self, error: Exception, within: str = "") -> Place | None:
        """The innermost template line in the error's traceback, of any template or `within` one."""
        place, frame = None, error.__traceback__
        while frame:
            file = frame.tb_frame.f_code.co_filename
            if file.endswith((".md", ".jinja", ".html")) and file.endswith(within):
                place = Place(self._relative(file), frame.tb_lineno)
            frame = frame.tb_next
        return place

    def _relative(self, file: str | None) -> str:
        if file is None:
            return "<template>"
        path = Path(file)
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
