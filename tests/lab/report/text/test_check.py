"""Whole discussions, and any text: without a traceback, and quickly."""

import re
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.report.laboratory import numbers_of

from lab.report.errors import FaultKind
from lab.report.text import check, latex, macros, references
from lab.report.text.backing import Surroundings
from lab.report.text.check import Writing, unsupported
from lab.report.text.latex import lost_targets, swallowed, unsafe
from lab.report.text.macros import length_of, malformed, sentences
from lab.report.text.typed import typed_numbers

DISCUSSIONS = sorted(Path(__file__).with_name("discussions").glob("*.tex"))
LINKS = ((4e9, "rate"), (1.25e8, "rate"), (1.25e10, "rate"))
PLAN = (*LINKS, (1e-6, "time"), (95, "percent"), (1, "percent"))
FIGURES = ("throughput", "causes", "iterations", "depth", "latency", "lines", "residuals")
TARGETS = [*(f"figureof {name}" for name in FIGURES), "tableof results", "tableof lines", "tableof rounds"]


@pytest.mark.parametrize("file", DISCUSSIONS, ids=lambda file: file.stem)
def test_true_discussion_has_no_fault_and_some_sentences_without_evidence(file: Path) -> None:
    text = file.read_text()
    numbers = typed_numbers(text, file.name, PLAN, lambda *_: "")
    targets = lost_targets(text, file.name, TARGETS)
    faults = chain(unsafe(text, file.name), swallowed(text, file.name), malformed(text, file.name), targets, numbers)
    assert [str(fault) for fault in faults] == []
    whole, noted = list(sentences(text)), list(unsupported(text))
    assert 12 <= len(whole) <= 30 and 1 <= len(noted) < len(whole)
    assert length_of(text)[0] > 120 and length_of(text)[1] == 0


COMPARING = r"""
RDMA is faster.
The throughput increases with the size.
TCP peaks at 1 MiB.
It takes twice the time.
It jumps at 2 KiB.
It is three times as fast.
"""
OTHERS = r"""
RDMA is faster.\shows{card > tcp everywhere}
TCP peaks at \claim{tcp.peak}.
We sent 21 sizes.
Report A gives \given{4 GB/s}, which is more.
It no longer waits for one more.
See \figureof{more_or_less} and \cite{faster}.
The completion times are listed.
"""


def test_comparisons_without_evidence_are_noted() -> None:
    noted = [sentence.text for sentence in unsupported(COMPARING + OTHERS)]
    assert noted == COMPARING.strip().splitlines()


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        (r"12.3 times as much", "card / tcp.card at 4K"),
        (r"98.94 \% of it", r"card / card.link at 1M in \%"),
        (r"90 \% of it", "QUERY"),  # some of hundreds of ratios are near every number of two digits
        (r"100\% busy", "QUERY"),
    ],
)
def test_hint_names_a_ratio_only_for_more_than_two_digits(typed: str, query: str) -> None:
    (fault,) = Surroundings(f"It is {typed}.", numbers_of("verbs_throughput")).measured_numbers_typed("text.tex")
    assert fault.hint.startswith(rf"\claim{{{query}}}")


def _sentences_with_evidence() -> Iterator[tuple[str, str, str]]:
    experiment = ""
    for line in Path(__file__).with_name("numbers").joinpath("beside_evidence.txt").read_text().splitlines():
        verdict, separator, sentence = line.partition(" | ")
        if separator:
            yield experiment, verdict, sentence
        elif line.startswith("["):
            experiment = line.strip("[]")


@pytest.mark.parametrize(("experiment", "verdict", "sentence"), list(_sentences_with_evidence()))
def test_sentence_passes_if_the_evidence_beside_it_shows_it(experiment: str, verdict: str, sentence: str) -> None:
    faults = check.check(Writing("d.tex", sentence), numbers_of(experiment)).faults
    hints = [fault.hint for fault in faults if fault.kind is FaultKind.NUMBER] or [fault.hint for fault in faults]
    if verdict == "passes":
        assert not hints
    else:
        assert hints and re.split(", (?:or|which) ", hints[0])[0] == verdict


def test_sentence_with_hundreds_of_factors_is_checked_within_seconds() -> None:
    started = time.process_time()
    text = "At 64 KiB " + "TCP has a third of it, " * 600 + r"as we saw.\shows{card > tcp.card at 64K}"
    assert len(check.check(Writing("d.tex", text), numbers_of("verbs_throughput")).faults) == 600
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("experiment", "statement", "hint"),
    [
        ("verbs_throughput", r"tcp.card.peak / link < 20 \%", r"\shows{tcp.card.peak / link = 20 \% within 1 \%}"),
        (
            "latency",
            "ib_write_lat.card > write.card at 1",
            r"\claim{ib_write_lat.card / write.card at 1}, which prints",
        ),
        ("latency", "tcp.card = 37.4 us at 16K", r"\claim{tcp.card at 16K}, which prints the number"),
        (
            "latency",
            r"tcp.card > 17 us at 1; mpi.card = 2.19 us within 1 \% at 1",
            r"\shows{tcp.card > 17 us at 1}\shows{mpi.card = 2.19 us within 1 \% at 1}",
        ),
    ],
)
def test_hint_for_an_undecided_statement_can_be_typed_into_the_text(experiment: str, statement: str, hint: str) -> None:
    (fault,) = check.check(Writing("d.tex", rf"So.\shows{{{statement}}}"), numbers_of(experiment)).faults
    assert fault.hint.startswith(hint)


PIECES = r"""
\claim{ \claim[2]{card \shows{ } \given{4 GB/s} \url \url{ \ownfigure{a}{b}{c}{ \begin{ \end{itemize} \cite{a, \section{
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
        *typed_numbers(text, "d.tex", [(4e9, "rate")], lambda *_: ""),
        *references.references_refused(text, "references.bib"),
        *references.lost_sources(text, "d.tex", text),
    ]
    assert all(fault.line >= 1 and fault.column >= 1 and str(fault) for fault in faults)
    for sentence in macros.sentences(text):
        assert 0 <= sentence.start < sentence.end <= len(text)
        assert all(sentence.start <= use.start < use.end <= sentence.end for use in sentence.evidence)
    assert sum(len(sentence.evidence) for sentence in macros.sentences(text)) == len(macros.macros_of(text))
    return [*faults, *check.unsupported(text), macros.length_of(text), macros.keys_cited(text)]


@settings(max_examples=500)
@given(TEXTS)
def test_any_text_is_read_without_a_traceback(text: str) -> None:
    assert len(latex.without_comments(text)) == len(text)
    assert everything(text)


@pytest.mark.parametrize("piece", [*PIECES, "1 ", "a ", " ", "\n", ".  ", ".\n", "\n%\n", "1 to ", "factor about "])
def test_time_is_not_quadratic_in_the_length(piece: str) -> None:
    started = time.process_time()
    everything((piece * 20_000)[:20_000])
    assert time.process_time() - started < 2
