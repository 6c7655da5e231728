"""A discussion to start from: what the data show, in plain sentences, every number a claim."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.report.claim import Ledger
from lab.report.escape import escape
from lab.report.evidence import Evidence
from lab.report.labels import is_ours
from lab.report.measured import Subject, subject
from lab.report.pairs import Pair, pairs
from lab.report.sweeps import points
from lab.sizes import format_size
from lab.spec import Series


def draft(evidence: Evidence, ledger: Ledger) -> str:
    """One sentence a line; which sentences there are follows from the intervals."""
    return "\n".join(_sentences(evidence, ledger)) + "\n"


def _sentences(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    yield r"\figureof{throughput} shows how the throughput grows with the size of the message."
    for series in evidence.all_series("throughput"):
        if is_ours(series):
            yield from _shape(subject(evidence, series))
    for pair in pairs(evidence):
        yield _verdict(pair, ledger)
    for series in evidence.all_series("throughput", varied=1):
        yield from _sweep(evidence, series, ledger)


def _shape(curve: Subject) -> Iterator[str]:
    """Where the curve jumps, where it flattens."""
    name, words = curve.name, escape(curve.words)
    yield (
        rf"{words} takes its steepest step from \claim{{{name}.jump.from}} to \claim{{{name}.jump.to}}: "
        rf"on the same link, its throughput grows to \claim{{{name}.jump}} times that of the size before."
    )
    yield (
        rf"From \claim{{{name}.flat.size}} on it stays within \claim{{flat}} of its peak, "
        rf"\claim{{{name}.peak}} at \claim{{{name}.peak.size}}."
    )


def _verdict(pair: Pair, ledger: Ledger) -> str:
    """Who wins, by how much, and for how many sizes the data can tell."""
    name, ahead, behind = pair.name, escape(pair.ours.words), escape(pair.base.words)
    if ledger[f"{name}.unclear"].estimate.value == len(pair.sizes):
        return (
            rf"The ratio of {ahead} to {behind} on the same link lies between \claim{{{name}.least}} and "
            rf"\claim{{{name}.most}} over the sizes, but too few repetitions leave it no interval, "
            "so the data cannot tell which of them has the edge."
        )
    return (
        rf"Of \claim{{count.sizes}} sizes, {ahead} is ahead of {behind} on the same link "
        rf"at \claim{{{name}.faster}} and behind at \claim{{{name}.slower}}; at \claim{{{name}.unclear}} "
        rf"the intervals cannot tell. The ratio to {behind} goes from \claim{{{name}.least}} "
        rf"at \claim{{{name}.least.size}} to \claim{{{name}.most}} at \claim{{{name}.most.size}}."
    )


def _sweep(evidence: Evidence, series: Series, ledger: Ledger) -> Iterator[str]:
    """What a parameter changes, at each size."""
    (parameter,) = series.vary
    for size in points(evidence, series)[0].sizes:
        name = f"{series.name}.{format_size(size)}"
        rests = {
            Verdict.MORE: "which its interval supports",
            Verdict.LESS: "which its interval supports",
            Verdict.CANT_TELL: "which the repetitions cannot tell from no change",
        }[judge(ledger[f"{name}.gain"].estimate)]
        yield (
            rf"With messages of \claim{{{name}.size}}, the best \texttt{{{escape(parameter)}}}, \claim{{{name}.best}}, "
            rf"gives \claim{{{name}.gain}} times the throughput of \claim{{{name}.first}} on the same link, {rests}."
        )
