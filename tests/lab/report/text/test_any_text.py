"""Any text is read without a traceback, and quickly."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.report.text import check, latex, macros, references
from lab.report.text.typed import Constant, typed_numbers

PIECES = r"""
\claim{ \claim[2]{card \shows{ } \given{4 GB/s} \url \url{ \begin{ \end{itemize} \cite{a, \section{
\SI{4}{ \SI[ \num{ \texttt{\ % \% \\ { } $ ~ & ^^ \, \item 1 1, 1,111 .5 1e99 10^ ×10^-9 4.9 to between and factor of
times GB/s million instructions ms s x × ran measured e.g. .. ! ( ' " [ ] é ☃ ٣ ² @a{b, = \figureof{x} \shows{a}.
.\shows{card>tcp.card}x
""".split()  # noqa: SIM905
TEXTS = st.lists(st.sampled_from([*PIECES, " ", "\n", "\n\n", "\r\n", "\r", "\u2028"]) | st.text(max_size=5)).map(
    "".join
)


def everything(text: str) -> list[object]:
    faults = [
        *latex.unsafe(text, "d.tex"),
        *latex.swallowed(text, "d.tex"),
        *latex.lost_targets(text, "d.tex", ["figureof a"]),
        *macros.malformed(text, "d.tex"),
        *typed_numbers(text, "d.tex", [Constant(4e9, "rate")], lambda *_: ""),
        *references.references_refused(text, "references.bib"),
        *references.lost_sources(text, "d.tex", text),
    ]
    assert all(fault.line >= 1 and fault.column >= 1 and str(fault) for fault in faults)
    for sentence in macros.sentences(text):
        assert 0 <= sentence.start < sentence.end <= len(text)
        assert all(sentence.start <= use.start < use.end <= sentence.end for use in sentence.evidence)
    assert sum(len(sentence.evidence) for sentence in macros.sentences(text)) == len(macros.uses(text))
    return [*faults, *check.unsupported(text), macros.length_of(text), macros.keys_cited(text)]


@settings(max_examples=500, deadline=None)
@given(TEXTS)
def test_any_text_is_read_without_a_traceback(text: str) -> None:
    assert len(latex.without_comments(text)) == len(text)
    assert everything(text)


@pytest.mark.parametrize("piece", [*PIECES, "1 ", "a ", " ", "\n", ".  ", ".\n", "\n%\n", "1 to ", "factor about "])
def test_time_is_not_quadratic_in_the_length(piece: str) -> None:
    started = time.process_time()
    everything((piece * 20_000)[:20_000])
    assert time.process_time() - started < 2
