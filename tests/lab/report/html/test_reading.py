"""The report's LaTeX as a tree, the same as the library's own walker gives, from fewer tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pylatexenc.latexwalker import LatexWalker  # type: ignore[import-untyped]

from lab.report.html import reading
from lab.report.html.reading import nodes_of

WORDS = "A sentence of many plain words, (with 12.5 numbers; and signs: a/b = c+d) that hold no command. " * 20
TRICKY = r"""
\section*{A head} Two words,  two  blanks~kept -- and ``quoted'' --- it's [not an option] 3 < 4 \& more.

A paragraph after a blank line\footnotesize then \textsuperscript 23 and \textbf ab, \claim[2]{a.b.4K} \claim{c}.
\begin{tabular}[t]{lr} one & 1 \\[2pt] two words & \num{2} \\ \end{tabular} % a comment
$a^12 + \frac12 x y$ and \[ \text{size in bytes} = 4 \] {\em Title of it} end
"""


def drawn(source: str, walker: Any, patch: pytest.MonkeyPatch) -> str:
    with patch.context() as now:
        now.setattr(reading, "Walker", walker)
        return re.sub(r"parsing state \d+", "", "\n".join(map(repr, nodes_of(source))))


def test_the_tree_is_the_librarys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in (TRICKY, WORDS + TRICKY * 2):
        ours = drawn(source, reading.Walker, monkeypatch)
        assert ours == drawn(source, LatexWalker, monkeypatch)
