"""Sentences added to captions: repetitions, records, and warnings."""

from __future__ import annotations

from collections.abc import Iterable

from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label_within
from lab.report.evidence.record_sets import RecordSet
from lab.report.tex.escape import Markup, escape


def n_of(evidence: Evidence, names: Iterable[str]) -> Markup:
    """`n = 10 (RDMA WRITE, TCP), 5 (iperf3).`"""
    site, by_n = evidence.plan.site.name, dict[int, list[str]]()
    for name in names:
        series = evidence.series(name)
        words = name if series.vary else label_within(evidence.plan.experiment, series)
        by_n.setdefault(series.parameters(site, {}).repetitions, []).append(words)
    if len(by_n) == 1:
        return Markup(rf"$n = {next(iter(by_n))}$.")
    return Markup("$n$: " + "; ".join(f"{n} ({escape(', '.join(words))})" for n, words in by_n.items()) + ".")


def records_of(sets: Iterable[RecordSet], series: Iterable[str]) -> str:
    """`R1, R2`."""
    wanted = set(series)
    return ", ".join(each.name for each in sets if each.series in wanted)


def warnings(evidence: Evidence) -> list[str]:
    """The records' notes, each once; and a warning if some did not pass a check."""
    wrong = evidence.unchecked(evidence.facts)
    notes = dict.fromkeys(note for key in wrong for note in evidence.facts[key].judged.notes)
    silent = any(not evidence.facts[key].judged.notes for key in wrong)
    return [*notes, *(["a check did not pass"] if silent else [])]
