"""Render a template: its blocks, and text escaped for LaTeX."""

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lab.errors import LabError
from lab.report.errors import ReportError

# Signs by the commands that print them.
SIGNS = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textasciigrave": "`", "textbar": "|"}
SIGNS |= {"textquotedbl": '"', "textquotesingle": "'", "textless": "<", "textgreater": ">"}
SIGNS |= {"textminus": "\N{MINUS SIGN}"}
SPECIAL = {sign: rf"\{command}{{}}" for command, sign in SIGNS.items()} | {sign: f"\\{sign}" for sign in "{}$&#%_"}
SPECIAL |= {"-": "-{}", "\N{NO-BREAK SPACE}": "~"}  # no ligature of two hyphens
# The characters that pdfLaTeX prints with Latin Modern in T1 and TS1 (t1enc.dfu, ts1enc.dfu): Latin alphabets.
PRINTED = re.compile(
    "[\n\t -~\u00a0-\u00ac\u00ae-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2116\u2122\u2212]*"
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")  # within a word; any other may be a piece of code
LONGEST = 10_000


class Markup(str):
    """LaTeX of Verbyte. Methods of str return a plain string, which is escaped again."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """The value as LaTeX that prints it and does nothing else."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    require_printable(text)
    typeset = _APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", text)
    return Markup("".join(SPECIAL.get(character, character) for character in typeset))


def require_printable(text: str, file: str = "", line: int | None = None) -> None:
    """Refuse characters without a glyph in the fonts, and a text that is too long."""
    if len(text) > LONGEST:
        raise ReportError(f"a text of {len(text)} characters, at most {LONGEST} are printed", file=file, line=line)
    good = PRINTED.match(text)
    assert good is not None
    if good.end() < len(text):
        bad = text[good.end()]
        within = line + text.count("\n", 0, good.end()) if line else line
        what = f"the report's font has no character U+{ord(bad):04X}"
        raise ReportError(what, hint="replace the character", file=file, line=within)


MARK = "\x1f"  # around the file and line in front of each template line; no text may contain it
_PLACE = re.compile(f"{MARK}([^{MARK}:]*):([0-9]+){MARK}")
_ONLY_TAGS = re.compile(r"\s*(?:\\(?:BLOCK|JC)\{.*\}\s*)?")


@dataclass(frozen=True)
class Rendered:
    """LaTeX, and for each of its lines the file and line of the template."""

    text: str
    origins: tuple[tuple[str, int], ...]

    def in_template(self, error: ReportError) -> ReportError:
        """The error of a rendered line, at the template's line."""
        if error.line is None or not self.origins:
            return error
        file, line = self.origins[min(error.line, len(self.origins)) - 1]
        return ReportError(error.what, hint=error.hint, file=f"templates/{file}", line=line)


def render(templates: Path, name: str, context: Mapping[str, object]) -> Rendered:
    """The LaTeX of a template; an error names the template and its line."""
    try:
        marked = _environment(templates).get_template(name).render(context)
    except TemplateSyntaxError as error:
        raise ReportError(str(error.message), file=f"templates/{error.name}", line=error.lineno) from error
    except (TemplateError, ReportError) as error:
        # The innermost template line of a traceback, which Jinja rewrites to point into templates.
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno) for frame in frames if frame.filename.endswith((".tex", ".sty"))]
        file, line = places[-1] if places else (name, None)
        what, hint = (error.what, error.hint) if isinstance(error, LabError) else (str(error), "")
        raise ReportError(what, hint=hint, file=f"templates/{file}", line=line) from error
    # A line without a mark, as of a value of several lines, is of the last mark's line.
    origins, place = [], (name, 1)
    for text in marked.splitlines(keepends=True):
        for mark in _PLACE.finditer(text):
            place = (mark[1], int(mark[2]))
        origins.append(place)
    return Rendered(_PLACE.sub("", marked), tuple(origins))


def _marked(templates: Path, name: str) -> tuple[str, str, None] | None:
    """A template with a mark in front of each line, except lines of tags alone, which print nothing."""
    file = templates / name
    if not file.is_file():
        return None
    lines = enumerate(file.read_text().splitlines(keepends=True), 1)
    marked = (line if _ONLY_TAGS.fullmatch(line) else f"{MARK}{name}:{n}{MARK}{line}" for n, line in lines)
    return "".join(marked), name, None


def _environment(templates: Path) -> ImmutableSandboxedEnvironment:
    """A sandbox: undefined names are errors, and everything but Markup is escaped, also the results of filters."""
    return ImmutableSandboxedEnvironment(
        block_start_string=r"\BLOCK{",
        block_end_string="}",
        variable_start_string=r"\VAR{",
        variable_end_string="}",
        comment_start_string=r"\JC{",
        comment_end_string="}",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, StrictUndefined) else escape(value),
        loader=FunctionLoader(lambda name: _marked(templates, name)),
        autoescape=False,
    )
