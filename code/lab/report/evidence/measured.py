"""The plan as its records can be shown: own programs may print nothing, or nothing that can be read for some sizes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import replace

from lab.errors import RecordError
from lab.plan.plan import Plan
from lab.records.row import Row
from lab.spec.experiment import Series


def measured_plan(plan: Plan, rows: Iterable[Row]) -> Plan:
    """The plan without the series that only must work, and without the sizes that no record has."""
    sizes = defaultdict[str, set[int]](set)
    for row in rows:
        sizes[row.series].add(row.size_bytes)
    shown = [each for each in plan.experiment.series if not each.tool.silent]
    if not shown:
        what = "nothing of what its programs print is read, so that there is nothing to report"
        raise RecordError(what, where=plan.experiment.name, hint="lab show KEY; or another output in [programs]")
    series = {each.name: _with_sizes(each, plan.site.name, sizes[each.name]) for each in shown}
    planned = (replace(each, series=series[each.series.name]) for each in plan.planned if each.series.name in series)
    return replace(plan, experiment=replace(plan.experiment, series=tuple(series.values())), planned=tuple(planned))


def _with_sizes(series: Series, site: str, there: Set[int]) -> Series:
    """The series with those of its sizes that were measured."""
    sizes = tuple(size for size in series.parameters(site, {}).sizes if size in there)
    if set(sizes) == set(series.sizes(site)):
        return series
    profile = series.profile(site)
    if "sizes" not in profile.values:
        return replace(series, published=replace(series.published, sizes=sizes))
    return replace(
        series, profiles=series.profiles | {site: replace(profile, values={**profile.values, "sizes": sizes})}
    )
