"""How small messages travel: many to a call, joined on the way, or each by itself. A ratio holds that too."""

from __future__ import annotations

from collections.abc import Iterable

from lab.report.evidence.curve import Subject
from lab.report.evidence.effective import effective
from lab.spec.experiment import Experiment, Series

HANDLING = ("post_list", "signal_every", "nodelay")


def handed_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series differs in this from the first of its program on its link."""
    twins = (each for each in experiment.series if not each.vary and _does(each) == _does(series))
    first = next(twins, series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)


def handing_words(curves: Iterable[Subject]) -> str:
    """A sentence about every curve whose way is known; nothing where none is."""
    ways = {curve.words: way for curve in curves if (way := _way(curve))}
    said = "; ".join(f"{words} {way}" for words, way in ways.items())
    return f"Small messages: {said}." if said else ""


def _does(series: Series) -> tuple[object, ...]:
    return series.program, series.operation, series.measure, series.link


def _way(curve: Subject) -> str:
    asked = curve.series.parameters(curve.site, curve.point)
    if curve.series.program == "tcp" and asked.nodelay:
        return "sends each as it comes (no delay)"
    if curve.series.program in ("tcp", "iperf3"):
        return "joins those that wait into one stream (Nagle), which the receiver reads as it comes"
    if curve.series.program == "verbs":
        return _lists(_longest(curve))
    return _lists(asked.peer_post_list) if curve.series.program.startswith("ib_") else ""


def _longest(curve: Subject) -> int:
    """The longest post list of all sizes, as the records say; 0 where they do not."""
    found = [each.over_sizes() for each in effective(curve.evidence, curve.series) if each.point == curve.point]
    return max((length for each in found for length in each.get("post_list", ())), default=0)


def _lists(longest: int) -> str:
    if longest == 1:
        return "hands one message to a call"
    return f"hands up to {longest} messages to one call" if longest else "hands several messages to one call"
