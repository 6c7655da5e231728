"""Safe LaTeX: a text uses the commands and environments of a list, and names figures and tables that exist."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from functools import lru_cache

from lab.errors import SizeError
from lab.model.sizes import parse_size
from lab.report.errors import FaultKind, TextFault
from lab.report.tex.render import PRINTED
from lab.typed_json import nearest

LONGEST, LONGEST_LINE = 100_000, 200  # characters of a text, and of a line in an error
GUIDE = "docs/evidence.md"
COMMENT = re.compile(r"(?:(?<!\\)|(?<=(?<!\\)\\\\))%.*")  # behind \\ too, which is a line break
_COMMENT_LINE = re.compile(r"^[ \t]*%.*\n", re.MULTILINE)
ALLOWED = frozenset(
    """claim shows given size cite figureof tableof section subsection subsubsection paragraph emph textbf
    textit texttt textsc textrm text mathrm mathit begin end item par ldots dots LaTeX TeX textbackslash textasciitilde
    textasciicircum textless textgreater textbar textmu textsuperscript textsubscript quad qquad noindent frac
    sqrt cdot times approx le ge leq geq ne neq pm sum log alpha beta mu sigma SI qty num unit byte bit second
    per kilo mega giga kibi mebi gibi milli micro nano percent hertz url toprule midrule bottomrule hline ss ae
    oe AE OE o O l L aa AA i j c v u k r H""".split()  # noqa: SIM905
)
ENVIRONMENTS = ("center", "description", "enumerate", "itemize", "quote", "tabular")
HINTS = {
    **dict.fromkeys(("includegraphics", "figure"), r"\begin{tabular}{lr} with \given{NUMBER}"),
    **dict.fromkeys(("newcommand", "renewcommand", "def"), "type the words themselves"),
    **dict.fromkeys(("equation", "align", "equation*", "align*"), "$...$"),
    **dict.fromkeys(("bibliography", "nocite"), r"\cite{KEY}: the report lists the cited sources"),
    **dict.fromkeys(("ref", "caption", "label"), r"\figureof{NAME} or \tableof{NAME}"),
    **dict.fromkeys(("verb", "verbatim", "lstlisting"), r"\texttt{...}"),
    **{"footnote": "move the sentence into the text", "input": "move the text into this file"},
    **{"table": r"\begin{tabular}{lr}", "href": r"\url{...}"},
}
INSTEAD = {
    "≈": r"$\approx$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "√": r"$\sqrt{...}$",
    "μ": r"$\mu$",
}
_COMMAND = re.compile(r"\\(?:(?:begin|end)\s*(?:\{(?P<environment>[^{}]*)\})?|(?P<command>[A-Za-z@]+|.|\Z))", re.DOTALL)
_ACCENTS = frozenset("\\{}$&#%_,;:! -/'`^\"~=.()[]\n")
_KEY = r"\s*[A-Za-z0-9][\w:./+-]{0,99}\s*"
_WRONG_CITE = re.compile(rf"\\cite(?![A-Za-z])(?!\s*\{{{_KEY}(?:,{_KEY})*\}})", re.ASCII)
# Within an address, % does not begin a comment: LaTeX reads on behind the address.
_ADDRESS = re.compile(r"\\url(?![A-Za-z])(?P<address> *\{(?:\\[^\n]|[^{}%\\])*\})?|\\[\s\S]|%.*")
_SIZE = re.compile(r"\\size\s*\{([^{}]*)\}")
TARGET = re.compile(r"\\(figureof|tableof)\{([^{}]*)\}")
_OPENED = re.compile(r"\\begin\s*\{(?P<begin>[^{}]*)\}|\\end\s*\{(?P<end>[^{}]*)\}|\\.|[{}$]", re.DOTALL)
DEEPEST = 50  # braces, environments and formulas in each other
_STRUCTURE = re.compile(r"\\(?:(?:begin|end|\w*section|paragraph)\{[^{}]*\}|item|par|noindent|\w*rule|hline|\\)\Z")
_Finding = tuple[int, str, str]  # offset, what, hint


def without_comments(text: str) -> str:
    """Replace comments by blanks, so that offsets stay and a line of comment ends no paragraph."""
    return blank(_COMMENT_LINE.sub(lambda line: " " * len(line[0]), text), COMMENT)


def blank(text: str, pattern: re.Pattern[str]) -> str:
    """Replace each match by as many blanks, and keep its line breaks."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column as an editor counts them, from 1."""
    starts = _line_starts(text)
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


@lru_cache(maxsize=4)  # of a text with thousands of faults
def _line_starts(text: str) -> list[int]:
    return [0, *(end.end() for end in re.finditer("\n", text))]


def fault(text: str, file: str, offset: int, kind: FaultKind, what: str, hint: str = "") -> TextFault:
    """A fault at an offset of the text, with the typed line."""
    line, column = line_and_column(text, offset)
    start = max(offset - column + 1, offset - LONGEST_LINE // 2)
    source = text[start : start + LONGEST_LINE].split("\n", 1)[0].strip()
    return TextFault(file, line, column, kind, what, hint, source)


def unsafe(text: str, file: str, allowed: Collection[str] = ALLOWED) -> Iterator[TextFault]:
    """Every command, environment, citation, address and character that a text may not have."""
    if len(text) > LONGEST:
        yield TextFault(file, 1, 1, FaultKind.LATEX, f"the text has {len(text)} characters (at most {LONGEST})")
        return
    text = text.replace("\r\n", " \n")
    code = without_comments(text)
    for offset, what, hint in sorted((*_letters(text), *_arguments(text, code), *_commands(code, allowed))):
        yield fault(text, file, offset, FaultKind.LATEX, what, hint)


def swallowed(text: str, file: str) -> Iterator[TextFault]:
    """A bare % within a sentence, which makes a comment of the rest of the line."""
    for match in COMMENT.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        comment, ends = match[0][1:].strip(), before.rstrip("'\")}").endswith((".", "!", "?"))
        if comment and before and not ends and not _STRUCTURE.search(before):
            what = f"a bare % makes a comment of the rest of the line: '{comment[:40]}' is not printed"
            yield fault(text, file, match.start(), FaultKind.LATEX, what, r"\%")


def unclosed(text: str, file: str) -> Iterator[TextFault]:
    """The first brace, environment or formula that is opened and not closed, closed and not opened, or too deep."""
    opened = list[tuple[str, int]]()
    for mark in _OPENED.finditer(without_comments(text)):
        name = mark["end"] or {"}": "{"}.get(mark[0], mark["begin"] or mark[0])
        closes = mark["end"] or mark[0] == "}" or (name == "$" and opened and opened[-1][0] == "$")
        if name not in ("{", "$") and not (mark["begin"] or mark["end"]):
            continue  # an escaped character
        if closes and opened and opened[-1][0] == name:
            opened.pop()
        elif closes or len(opened) == DEEPEST:
            what = f"{mark[0]!r:.40} {'closes nothing' if closes else f'is more than {DEEPEST} levels deep'}"
            yield fault(text, file, mark.start(), FaultKind.LATEX, what, "remove it, or close the braces before it")
            return
        else:
            opened.append((name, mark.start()))
    if opened:
        name, start = opened[-1]
        hint = {"{": "}", "$": r"$, or \$ for the sign"}.get(name, rf"\end{{{name}}}")
        yield fault(text, file, start, FaultKind.LATEX, f"{name!r:.40} is opened and not closed", hint)


def lost_targets(text: str, file: str, known: Collection[str]) -> Iterator[TextFault]:
    r"""Figures and tables that do not exist; a known target is `figureof NAME` or `tableof NAME`."""
    for command in TARGET.finditer(without_comments(text)):
        if f"{command[1]} {command[2]}" not in known:
            names = sorted(target.split(" ", 1)[1] for target in known if target.startswith(command[1]))
            hint = f"{nearest(command[2], names)} one of {', '.join(names)}".strip() if names else ""
            yield fault(text, file, command.start(), FaultKind.FIGURE, f"there is no {command[0]}", hint)


def _letters(text: str) -> Iterator[_Finding]:
    for end in {run.end() for run in PRINTED.finditer(text)} - {len(text)}:
        hint = INSTEAD.get(text[end], "replace the character")
        yield end, f"the report's font has no character U+{ord(text[end]):04X}", hint


def _arguments(text: str, code: str) -> Iterator[_Finding]:
    for match in _ADDRESS.finditer(text):
        if match[0] == r"\url":
            yield match.start(), r"\url takes an address in braces, without a bare %", r"\url{...} with \% for %"
    for match in _SIZE.finditer(code):
        try:
            parse_size(match[1].strip())
        except SizeError as error:
            yield match.start(), error.what, rf"\size{{64K}}: {error.hint}"
    for match in _WRONG_CITE.finditer(code):
        yield match.start(), r"\cite takes keys of references.bib and nothing else", r"\cite{KEY}"


def _commands(code: str, allowed: Collection[str]) -> Iterator[_Finding]:
    for match in re.finditer(r"\^\^", code):
        yield match.start(), "^^ is not allowed", r"\textasciicircum"
    for match in _COMMAND.finditer(code):
        name, environment = match["command"], match["environment"] or ""
        if name is None and not (environment in ENVIRONMENTS and "begin" in allowed):
            hint = HINTS.get(environment, f"one of {', '.join(ENVIRONMENTS)}")
            yield match.start(), f"the environment {environment!r} is not allowed", hint
        elif name and name not in allowed and name not in _ACCENTS:
            hint = HINTS.get(name, f"{GUIDE} lists the commands")
            yield match.start(), f"\\{name} is not a command that a text may use", hint
