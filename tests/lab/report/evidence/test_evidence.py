"""What a report shows of own programs whose output was read in part, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lab.fake_site import FakeSite

from lab.errors import RecordError
from lab.experiment.reader import load
from lab.places import EXAMPLES
from lab.plan.plan import Plan, SiteFacts, binaries, make_plan
from lab.records.table import Row
from lab.report.evidence.evidence import measured_plan


def planned(name: str) -> Plan:
    experiment = load(EXAMPLES / f"{name}.toml")
    return make_plan(experiment, SiteFacts.of(FakeSite()), dict.fromkeys(binaries([experiment]), "0" * 64))


def rows(plan: Plan, *sizes: int) -> list[Row]:
    series = [each.name for each in plan.experiment.series if not each.tool.silent]
    return [Row(name, "p", "write", "throughput", 1, size, "r") for name in series for size in sizes]


def test_a_series_that_only_must_work_is_not_shown() -> None:
    plan = planned("cm_tutorial")
    shown = measured_plan(plan, rows(plan, 64))
    assert [each.name for each in shown.experiment.series] == ["tutorial"]
    assert {each.series.name for each in shown.planned} == {"tutorial"}


def test_sizes_that_no_record_has_are_not_shown() -> None:
    plan = planned("loop_of_sizes")
    shown = measured_plan(plan, rows(plan, 16, 65536))
    assert shown.experiment.series[0].sizes("exact") == (16, 65536)
    assert shown.planned[0].series is shown.experiment.series[0]


def test_sizes_of_the_sites_profile_are_narrowed_there() -> None:
    plan = planned("loop_of_sizes")
    (series,) = plan.experiment.series
    profile = replace(series.profile("exact"), values={"sizes": (16, 32)})
    series = replace(series, profiles={"exact": profile})
    plan = replace(plan, experiment=replace(plan.experiment, series=(series,)))
    (shown,) = measured_plan(plan, rows(plan, 32)).experiment.series
    assert shown.sizes("exact") == (32,) and shown.published == series.published


def test_a_whole_plan_stays_as_it_is() -> None:
    plan = planned("read_rate")
    assert measured_plan(plan, rows(plan, 256, 4096, 65536)) == plan


def test_a_report_needs_something_that_is_read() -> None:
    plan = planned("cm_tutorial")
    silent = tuple(each for each in plan.experiment.series if each.tool.silent)
    with pytest.raises(RecordError, match="nothing of what its programs print is read"):
        measured_plan(replace(plan, experiment=replace(plan.experiment, series=silent)), ())
