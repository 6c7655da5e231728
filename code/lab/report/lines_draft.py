"""What the draft says of straight lines and of small messages beside them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.escape import escape
from lab.report.evidence import Evidence
from lab.report.intercepts import Intercept, intercepts
from lab.sizes import format_size

NEITHER = "Neither interval reaches what the small message took, so no intercept here stands for the time of one."
SOME = "Whether such an intercept says how long a small message takes depends on which sizes the line goes through."
BOTH = "Both intervals hold what the small message took, which speaks for a single cost of a message at every size."


def line_sentences(evidence: Evidence) -> Iterator[str]:
    """Of each series the slope, and both intercepts against the smallest message."""
    found = list(intercepts(evidence))
    for whole, upper in zip(found[::2], found[1::2], strict=True):
        yield from _sentences(whole, upper)


def _sentences(whole: Intercept, upper: Intercept) -> Iterator[str]:
    name, small = whole.times.curve.name, f"{whole.small.name}.{format_size(whole.smallest)}"
    yield (
        rf"\par The line through the times of {escape(whole.times.curve.words)} from \claim{{{name}.fit.low}} to "
        rf"\claim{{{name}.fit.high}} stands for \claim{{{name}.fit.rate}}, that through the larger half of the sizes "
        rf"for \claim{{{name}.upper.rate}}."
    )
    yield (
        rf"Half of the round trip of the smallest message on the same link took \claim{{{small}.half_trip}}; "
        rf"the first line's intercept is \claim{{{name}.fit.over_small}} times that, "
        rf"the other's \claim{{{name}.upper.over_small}} times."
    )
    agree = whole.agrees() + upper.agrees()
    yield (NEITHER, SOME, BOTH)[agree]
