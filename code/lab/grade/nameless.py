"""The report as the grader built it, without the names of those who wrote it."""

from __future__ import annotations

from lab.grade.case import Case
from lab.grade.rebuild import Texts, rebuild

NAMELESS = "nameless.pdf"
NOBODY = b'authors = ["Not shown"]\nids = ["-"]\ncourse = "Not shown"\n'


def nameless(case: Case) -> bytes:
    """The same data and words; a name that a student wrote into the discussion stays there."""
    texts = Texts(NOBODY, case.file("discussion.tex"), case.references, case.own_data)
    scratch = case.folder / "nameless"
    scratch.mkdir()
    return rebuild(case.basis, texts, case.setup.templates, case.setup.cache, scratch)
