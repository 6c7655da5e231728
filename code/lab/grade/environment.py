"""The strings that a report prints of its records and no plan foretells: header, state, and the lab's own version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.grade.finding import Finding, Flaw
from lab.records.facts import CHECKS, Facts
from lab.report.evidence.effective import effective
from lab.report.evidence.evidence import Evidence
from lab.spec.experiment import Series

MOST_LINES, LONGEST_LINE, MOST_DIGITS = 1000, 20_000, 19  # of a header: more no program of the lab prints
MOST_NODES = 64
# Values of a header that a wall clock chooses by how fast the computer is.
TIMED = frozenset({"iterations", "warmup", "operations"})
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:dev|a|b|rc)\d{1,4})?(?:\+[0-9a-f]{1,40})?", re.ASCII)
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")


def said_findings(facts: Facts) -> Iterator[Finding]:
    """The faults that show in one record by itself."""
    if not _VERSION.fullmatch(facts.judged.lab):
        yield Finding(Flaw.RECORD, f"lab is no version: {facts.judged.lab!r:.60}")
    if set(facts.judged.checks or ()) != set(CHECKS):
        yield Finding(Flaw.RECORD, "it does not say that it passed all checks, and no others")
    header = facts.measured.header or {}
    if len(header) > MOST_LINES or any(_is_strange(text) for line in header.items() for text in line):
        yield Finding(Flaw.HEADER, "its header is none that a program printed: too long, or not to be printed")
    if len(facts.moment.nodes) > MOST_NODES or not all(map(_NODE.fullmatch, facts.moment.nodes)):
        yield Finding(Flaw.STATE, f"its nodes are no names of computers: {facts.moment.nodes!r:.80}")


def header_findings(given: Evidence, own: Evidence) -> Iterator[Finding]:
    """The printed values of headers beside those that the same programs print here."""
    for series in own.plan.experiment.series:
        here, there = (_values(each, series) for each in (own, given))
        differing = sorted(place for place in here.keys() | there.keys() if here.get(place) != there.get(place))
        compared = [place for place in differing if own.plan.site.traits.repeats or place[2] not in TIMED]
        if compared:
            _, size, name = place = compared[0]
            values = " and ".join(str(sorted(each.get(place, ()))) for each in (there, here))
            what = f"{name} at {size} B differs, handed in and here: {values}; {len(compared)} values differ"
            yield Finding(Flaw.HEADER, f"{series.name}: {what}")


def node_findings(given: Evidence, own: Evidence) -> Iterator[Finding]:
    """Nodes whose names, but for their numbers, no node of the grader's own trials has."""
    there, here = (_nodes(each) for each in (given, own))
    if strange := sorted(there.keys() - here.keys()):
        yield Finding(Flaw.STATE, f"it names nodes that are none of this cluster's, such as {there[strange[0]]!r:.80}")


def _nodes(evidence: Evidence) -> dict[str, str]:
    """The nodes by their names without numbers."""
    named = (node for facts in evidence.facts.values() for node in facts.moment.nodes)
    return {re.sub(r"\d+", "", node): node for node in named}


def _values(evidence: Evidence, series: Series) -> dict[tuple[str, int, str], frozenset[int]]:
    """Every printed value by point, size and name."""
    return {
        (str(dict(each.point)), size, name): values
        for each in effective(evidence, series)
        for size, named in each.by_size.items()
        for name, values in named.items()
    }


def _is_strange(text: str) -> bool:
    return len(text) > LONGEST_LINE or not text.isprintable() or bool(_DIGITS.search(text))
