"""The PDF is the one that the data give, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw


def pages(case: Case) -> Iterator[Finding]:
    """Compare the bytes; a grader reads the rebuilt report in any case."""
    if not case.is_as_rebuilt:
        yield Finding(Flaw.OTHER_BYTES, "not the bytes that Verbyte builds: the rebuilt report was graded")
