"""The draft's sentences about varied parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.analysis.verdict import Verdict
from lab.report.claim import Claim
from lab.report.claims.ledger import AllClaims
from lab.report.claims.sweeps import GainClaims, SweepClaims
from lab.report.evidence.labels import label
from lab.report.evidence.parameter_words import parameter_words
from lab.report.prose.listing import listed
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.spec.experiment import Series


def sweep_sentences(claims: AllClaims) -> Iterator[str]:
    """Sweep by sweep."""
    for each in claims.sweeps.values():
        yield from _sweep(each, claims.constants.judging.margin)


def parameters_of(series: Series) -> str:
    """The varied parameters, as a reader calls them."""
    return words_of(series.vary)


def words_of(parameters: Iterable[str]) -> str:
    """`the depth, the warm-up and the interval`."""
    return listed(escape(parameter_words(each)) for each in parameters)


def _sweep(sweep: SweepClaims, margin: Claim) -> Iterator[str]:
    """The gain of the best values at each size, and whether the intervals support it."""
    found = list(sweep.gains.values())
    words = parameters_of(sweep.series)
    gained = [each for each in found if each.gain.verdict is not Verdict.WITHIN]
    who, first = escape(label(sweep.series)), _values(found[0].first_values)
    if not gained:
        yield (
            rf"\par No value of {words} gains {who} more than the margin of {cite(margin)} over {first}, "
            "whatever the size of the messages."
        )
        return
    gains = ", ".join(
        f"by {cite(each.gain)} with messages of {cite(each.size)} (at {_values(each.best_values)})" for each in gained
    )
    yield (
        rf"\par The best value of {words} multiplies the throughput of {who} on the same link, over {first}, "
        f"{gains}{moved_words(gained)}."
    )
    if len(gained) < len(found):
        yield f"At the other sizes no value gains more than {cite(margin)}."
    if not all(each.gain.verdict is Verdict.MORE for each in gained):
        yield "The intervals, which allow for the choice of the best, do not support all of these."


def moved_words(found: Iterable[GainClaims]) -> str:
    """The values that moved with the varied ones and may also cause a gain."""
    moved = dict.fromkeys(name for each in found for name in each.gain.moved)
    listed = " and ".join(rf"\texttt{{{escape(each)}}}" for each in moved)
    return f"; {listed} moved with them, so that this is their effect too" if moved else ""


def _values(by_parameter: dict[str, Claim]) -> str:
    return " and ".join(rf"\texttt{{{escape(name)}}} {cite(claim)}" for name, claim in by_parameter.items())
