"""The LaTeX that a text may use; what could read files, run programs or redefine commands is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.errors import RefusedSentence, ReportError
from lab.report.prose.uses import COMMENT
from lab.report.tex.escape import require_printable

LONGEST = 100_000
RULE = "permitted LaTeX"
PERCENT = "per cent sign is escaped"
ALLOWED = frozenset(
    """claim size cite figureof tableof ownfigure draft section subsection subsubsection paragraph emph textbf textit
    texttt textsc textrm text mathrm mathit begin end item par ldots dots LaTeX TeX textbackslash textasciitilde
    textasciicircum textless textgreater textbar textmu textsuperscript textsubscript quad qquad noindent frac
    sqrt cdot times approx le ge leq geq ne neq pm sum log alpha beta mu sigma SI qty num unit byte bit second
    per kilo mega giga kibi mebi gibi milli micro nano percent hertz url toprule midrule bottomrule hline ss ae
    oe AE OE o O l L aa AA i j c v u k r H""".split()  # noqa: SIM905
)
ENVIRONMENTS = frozenset({"itemize", "enumerate", "description", "quote", "center", "tabular"})
WAYS = {
    "includegraphics": "\\ownfigure{FILE.csv}{X}{Y}{CAPTION} draws two columns of a file of yours",
    "footnote": "say it in the text",
    "href": "\\url{...} prints the address",
    "ref": "\\figureof{NAME} or \\tableof{NAME}",
    "input": "all of the text in this one file",
    "usepackage": "the commands that docs/claims.md lists",
    "newcommand": "the words themselves",
    "def": "the words themselves",
    "verb": "\\texttt{...}",
    "bibliography": "\\cite{KEY}: the list of what you cite is printed at the end of the discussion",
    "nocite": "\\cite{KEY} where you use the source",
    "caption": "\\tableof{NAME} refers to the report's own tables",
}
ENVIRONMENT_WAYS = {
    "figure": WAYS["includegraphics"],
    "table": "\\begin{tabular}{lr} where it stands in the text, every cell a \\claim",
    "verbatim": "\\texttt{...}",
    "equation": "$...$",
    "align": "$...$",
}
_COMMAND = re.compile(r"\\([A-Za-z@]+|.|\Z)", re.DOTALL)
_ACCENTS = frozenset("\\{}$&#%_,;:! -/'`^\"~=.()[]")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*(?:\{([^{}]*)\})?")
_KEY = r"\s*[A-Za-z0-9][\w:./+-]{0,99}\s*"
_CITE = re.compile(rf"\\cite(?![A-Za-z])(?!\s*\{{{_KEY}(?:,{_KEY})*\}})", re.ASCII)
_SWALLOWING = re.compile(r"(?<!\\)%(?=\s*\S)")
_OVER = re.compile(r"[.!?]['\")]*\s*\Z")


def require_safe(text: str, file: str) -> None:
    """An error for the first command, environment or character that is not permitted."""
    for each in unsafe(text, file):
        raise ReportError(each.what, hint=each.way, file=file, line=each.line)


def unsafe(text: str, file: str, allowed: frozenset[str] = ALLOWED) -> Iterator[RefusedSentence]:
    """Everything that is not permitted."""
    if len(text) > LONGEST:
        raise ReportError(f"the text has {len(text)} characters, at most {LONGEST} are printed", file=file)
    for number, line in enumerate(text.splitlines(), 1):
        code = COMMENT.sub("", line)
        for place, what, way in (*_letters(line), *_commands(code, allowed), *_environments(code), *_citations(code)):
            yield RefusedSentence(file, number, RULE, what, place + 1, line.strip(), way)


def swallowed(text: str, file: str) -> Iterator[RefusedSentence]:
    """A bare per cent sign within a sentence makes a comment of the rest of its line."""
    for number, line in enumerate(text.splitlines(), 1):
        found = _SWALLOWING.search(line)
        if found and (before := line[: found.start()]).strip() and not _OVER.search(before):
            what = f"a bare % makes a comment of what follows it: {line[found.end() :].strip()[:40]!r} is not printed"
            yield RefusedSentence(file, number, PERCENT, what, found.start() + 1, line.strip(), r"\%")


def _letters(line: str) -> Iterator[tuple[int, str, str]]:
    try:
        require_printable(line)
    except ReportError as error:
        yield 0, error.what, error.hint


def _commands(code: str, allowed: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    if (place := code.find("^^")) >= 0:
        yield place, "^^ is not for discussions", r"\textasciicircum"
    for found in _COMMAND.finditer(code):
        if found[1] and found[1] not in allowed and found[1] not in _ACCENTS:
            what = f"\\{found[1]} is not one of the commands that a discussion may use"
            yield found.start(), what, WAYS.get(found[1], "docs/claims.md lists them")


def _citations(code: str) -> Iterator[tuple[int, str, str]]:
    """Words beside the keys would be printed, and no rule reads them."""
    for found in _CITE.finditer(code):
        yield found.start(), "\\cite takes the keys of references.bib and nothing else", "\\cite{KEY}"


def _environments(code: str) -> Iterator[tuple[int, str, str]]:
    for found in _ENVIRONMENT.finditer(code):
        if found[1] not in ENVIRONMENTS:
            way = ENVIRONMENT_WAYS.get((found[1] or "").rstrip("*"), "one of " + ", ".join(sorted(ENVIRONMENTS)))
            yield found.start(), f"the environment {found[1]!r} is not allowed", way
