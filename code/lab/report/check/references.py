"""The student's references.bib: bounded and without commands; claims in its notes are claims, titles are quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from lab.report.check.latex import line_and_column, without_comments
from lab.report.check.safety import PERCENT, unsafe
from lab.report.check.text import refused
from lab.report.claim import Ledger
from lab.report.errors import RefusedSentence, ReportError
from lab.report.prose.uses import CITED

LONGEST, MOST_ENTRIES = 100_000, 200
LISTED = "source is listed"
LETTERS = frozenset(
    "emph textit textbf texttt url LaTeX TeX textmu ss ae oe AE OE o O l L aa AA i j c v u k r H".split()  # noqa: SIM905
)
# What BibTeX itself writes around the entries.
WRITTEN = LETTERS | {"bibitem", "newblock", "em"}
# Words of others, and numbers of a page or a year.
_QUOTED = frozenset(
    "title booktitle journal author editor key url doi isbn year month day pages volume number chapter".split()  # noqa: SIM905
)
_ENTRY = re.compile(r"@\s*(\w+)\s*[{(]")
_KEY = re.compile(r"@\s*(?!(?:comment|preamble|string)\b)\w+\s*[{(]\s*([^\s,}]+)", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>\w+)\s*=\s*(?P<open>[{\"])")
_BARE_PERCENT = re.compile(r"(?<!\\)%")


def references_refused(text: str, file: str, ledger: Ledger) -> list[RefusedSentence]:
    """All refusals of the file, in their order."""
    if len(text) > LONGEST or len(_ENTRY.findall(text)) > MOST_ENTRIES:
        what = f"has more than {LONGEST} characters or {MOST_ENTRIES} entries"
        raise ReportError(what, hint="the entries that the text cites", file=file)
    found = [*_percents(text, file), *unsafe(text, file, LETTERS), *refused(free_text(text), file, ledger)]
    return sorted(found, key=lambda each: (each.line, each.column))


def lost_sources(text: str, file: str, references: str) -> Iterator[RefusedSentence]:
    """Each key that a text cites where no entry has it."""
    known, bare = _KEY.findall(references), without_comments(text)
    for cited in CITED.finditer(bare):
        for key in re.finditer(r"[^\s,]+", cited[1]):
            if key[0] not in known:
                place = cited.start(1) + key.start()
                line, column = line_and_column(bare, place)
                what = f"references.bib has no entry {key[0]!r}" if known else "references.bib has no entry to cite"
                yield RefusedSentence(file, line, LISTED, what, column, cited[0], _nearest(key[0], known))


def _nearest(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, n=1, cutoff=0.5)
    return f"did you mean \\cite{{{near[0]}}}?" if near else "an entry with this key in references.bib, beside the text"


def require_plain_list(written: str, file: str) -> None:
    """BibTeX joins pieces of text: what they make together is looked at as well."""
    body = re.sub(r"\\(?:begin|end)\{thebibliography\}", "", written)
    for each in [*unsafe(body, file, WRITTEN), *_percents(body, file)]:
        raise ReportError(each.what, hint=each.way, file=file)


def free_text(text: str) -> str:
    """The fields that hold a person's own sentences, each ended by a point; blanks in place of all else."""
    kept = [each if each == "\n" else " " for each in text]
    for found in _FIELD.finditer(text):
        if found["name"].lower() not in _QUOTED:
            end = _end(text, found.end(), found["open"])
            kept[found.end() : end + 1] = f"{text[found.end() : end]}."
    return "".join(kept)[: len(text)]


def _end(text: str, start: int, opened: str) -> int:
    """The place of the brace or quotation mark that closes a field."""
    depth = 0
    for place in range(start, len(text)):
        if depth == 0 and text[place] == ("}" if opened == "{" else '"'):
            return place
        depth += {"{": 1, "}": -1}.get(text[place], 0)
    return len(text)


def _percents(text: str, file: str) -> Iterator[RefusedSentence]:
    """No comment begins with it in BibTeX, and one does in what BibTeX writes."""
    for found in _BARE_PERCENT.finditer(text):
        line, column = line_and_column(text, found.start())
        yield RefusedSentence(file, line, PERCENT, "a bare % in references", column, "%", r"\%")
