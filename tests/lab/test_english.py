"""Plain English in README, docs, hand-outs and templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.places import ASSIGNMENTS, DOCS, ROOT, TEMPLATES

AVOIDED = {
    r"\b(is|are|was|were) no (?!longer|more|less|other|difference|log|reason)\w+": "is not a ..., must be ...",
    r"\b(lies?|lays?|laid|lain)\b": "is, contains",
    r"\b(by|of|for|to) who\b|[.:;] Who \w+": "people who ..., the student ...",
    r"\bof now\b|\bby which\b|\bin the mean\b|\bbe had\b|\bso many (of|as)\b": "today's, with which, available",
    r"\b[Tt]he lab('s)?\b": "Verbyte",
    r"\bunder way\b": "in flight",
    r"\bh[eo]ld against\b": "compared with",
    r"\bstrangers?\b|\bshut in\b|\bmend(s|ed)?\b": "untrusted, sandboxed, fix",
    r"\bhand-ins?\b": "submission",
    r"\bown ones?\b": "the noun",
}
NOT_PROSE = re.compile(r"```.*?```|^ {4}.*$|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)
GENERATED = {"experiments.md", "hosts.md"}  # their words are those of schemas and measurements


def pages() -> list[Path]:
    """Pages that are written by hand."""
    docs = [page for page in sorted(DOCS.glob("*.md")) if page.name not in GENERATED]
    return [ROOT / "README.md", *docs, *sorted(ASSIGNMENTS.rglob("*.md")), *sorted(TEMPLATES.rglob("*.tex"))]


def faults(text: str) -> list[str]:
    """The avoided words of a text, with their replacements."""
    return [f"{match[0]!r}: {plain}" for pattern, plain in AVOIDED.items() for match in re.finditer(pattern, text)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_page_is_in_plain_english(page: Path) -> None:
    prose = NOT_PROSE.sub(lambda match: "\n" * match[0].count("\n"), page.read_text())
    found = {number: faults(line) for number, line in enumerate(prose.splitlines(), 1)}
    assert {number: words for number, words in found.items() if words} == {}
