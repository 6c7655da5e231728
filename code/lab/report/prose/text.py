"""The texts of student and templates, sentence by sentence: their statements and their permitted LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lab.report.claim import Ledger
from lab.report.errors import ClaimsRefused, RefusedSentence, ReportError
from lab.report.prose.rules import RULES
from lab.report.prose.statement import Statement
from lab.report.prose.uses import CLAIM, COMMENT, digits_of
from lab.report.tex.escape import require_printable
from lab.report.tex.units import significant

LONGEST = 100_000
# All that a discussion needs; other commands could read files, run programs or redefine commands.
ALLOWED = frozenset(
    """claim figureof tableof draft section subsection subsubsection paragraph emph textbf textit texttt textsc
    begin end item par ldots dots LaTeX TeX textbackslash textasciitilde textasciicircum textless textgreater
    textbar quad qquad noindent frac sqrt cdot times approx le ge leq geq ne neq pm sum log alpha beta mu sigma
    ss ae oe AE OE o O l L aa AA i j""".split()  # noqa: SIM905
)
ENVIRONMENTS = frozenset({"itemize", "enumerate", "description", "quote", "center"})
_COMMAND = re.compile(r"\\([A-Za-z@]+|.|\Z)", re.DOTALL)
_ACCENTS = frozenset("\\{}$&#%_,;:! -/'`^\"~=.()[]")
_TARGET = re.compile(r"\\(figureof|tableof)\{([^{}]*)\}")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|\n\s*\n|\Z)", re.DOTALL)


def check_text(text: str, file: str, ledger: Ledger, targets: Iterable[str]) -> None:
    """An error that lists everything in a student's text that is refused."""
    require_safe(text, file)
    refusals = [*refused(text, file, ledger), *_lost_targets(text, file, frozenset(targets))]
    if refusals:
        raise ClaimsRefused("the text claims what the data do not support:", refusals=tuple(refusals))


def refused(text: str, file: str, ledger: Ledger) -> Iterator[RefusedSentence]:
    """One refusal for each sentence and rule that it breaks."""
    bare = COMMENT.sub("", text)
    for found in _SENTENCE.finditer(bare):
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        line = bare.count("\n", 0, start) + 1
        said = list(statements(found[0], ledger))
        broken = {(rule_name(rule), what) for each in said for rule in RULES if (what := rule(each))}
        for name, what in sorted(broken):
            yield RefusedSentence(file, line, name, what)


def rule_name(rule: Callable[[Statement], str | None]) -> str:
    """A rule as a refusal names it."""
    return rule.__name__.replace("_", " ")


def statements(sentence: str, ledger: Ledger) -> Iterator[Statement]:
    """The sentence with each of its claims; or alone."""
    words = CLAIM.sub("\\\\claim", _TARGET.sub("", sentence))
    uses = list(CLAIM.finditer(sentence))
    for use in uses:
        claim, digits = ledger.get(use["name"]), digits_of(use["digits"])
        place = significant(claim.estimate.value, digits) if claim and digits else None
        yield Statement(words, use["name"], claim, place=place)
    if not uses:
        yield Statement(words)


def require_safe(text: str, file: str) -> None:
    """Refuse every command but the allowed ones, and every character without a glyph."""
    if len(text) > LONGEST:
        raise ReportError(f"the text has {len(text)} characters, at most {LONGEST} are printed", file=file)
    for number, line in enumerate(text.splitlines(), 1):
        require_printable(line, file, number)
        code = COMMENT.sub("", line)
        if "^^" in code:
            raise ReportError("^^ is not for discussions", hint=r"\textasciicircum", file=file, line=number)
        for command in _COMMAND.finditer(code):
            _require_allowed(command[1], file, number)
        for environment in re.finditer(r"\\(?:begin|end)\s*(?:\{([^{}]*)\})?", code):
            if environment[1] not in ENVIRONMENTS:
                hint = "one of " + ", ".join(sorted(ENVIRONMENTS))
                raise ReportError(
                    f"the environment {environment[1]!r} is not allowed", hint=hint, file=file, line=number
                )


def _require_allowed(command: str, file: str, line: int) -> None:
    if command not in ALLOWED and command not in _ACCENTS and command not in ("c", "v", "u", "k", "r", "H", ""):
        raise ReportError(f"\\{command} is not one of the commands that a discussion may use", file=file, line=line)


def _lost_targets(text: str, file: str, known: frozenset[str]) -> Iterator[RefusedSentence]:
    bare = COMMENT.sub("", text)
    for found in _TARGET.finditer(bare):
        if f"{found[1]} {found[2]}" not in known:
            line = bare.count("\n", 0, found.start()) + 1
            yield RefusedSentence(file, line, "figure and table exist", f"there is no {found[0]}")
