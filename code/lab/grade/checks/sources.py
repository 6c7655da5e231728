"""The handed-in binaries match the handed-in sources: built here, they do the same in the same time.

Another compiler gives other bytes, so the check compares the site's clock and the link's counters.
"""

from __future__ import annotations

from collections.abc import Iterator

from lab.compiler.compilation import BuildRefused
from lab.grade.case import Blocked, Case
from lab.grade.finding import Finding, Flaw
from lab.grade.programs import firsts
from lab.plan.plan import Planned
from lab.records.record import read_facts, read_samples_of
from lab.records.tolerance import TOLERANCE
from lab.run.checks import counter_name, reported_time_ns


def sources(case: Case) -> Iterator[Finding]:
    """The first repetition of each own series, with either binary."""
    if not firsts(case.setup.plan):
        return
    try:
        pairs = list(zip(firsts(case.own_plan), firsts(case.plan_from_sources), strict=True))
        case.setup.measure(each for pair in pairs for each in pair)
    except BuildRefused as error:
        yield Finding(Flaw.BUILD, str(error))
        return
    except Blocked as error:
        yield Finding(Flaw.SOURCES, str(error))
        return
    for given, built in pairs:
        yield from _differences(case, given, built)


def _differences(case: Case, given: Planned, built: Planned) -> Iterator[Finding]:
    ours = _done(case, built)
    for name, value in _done(case, given).items():
        if abs(value - ours[name]) > TOLERANCE * ours[name]:
            what = f"{name} is {value} with the binary that was handed in, {ours[name]} with that of the sources"
            yield Finding(Flaw.SOURCES, f"{given.series.name}: {what}")


def _done(case: Case, planned: Planned) -> dict[str, int]:
    """The time and the bytes of a trial, by names for people."""
    found = read_facts(case.setup.results, planned.trial.key).measured
    samples = read_samples_of(case.setup.results, planned.trial.key)
    counter = counter_name(planned.series, case.own_plan.site.ends, found.counters_after)
    done = {counter: found.counters_after.get(counter, 0) - found.counters_before.get(counter, 0)}
    for number, step in enumerate(found.steps, 1):
        done[f"the site's time in ns of pair {number}"] = step.clock_ns
    for size in sorted({each.size_bytes for each in samples}):
        printed = reported_time_ns(each for each in samples if each.size_bytes == size)
        done[f"the time in ns that it prints for {size} bytes"] = printed
    return done
