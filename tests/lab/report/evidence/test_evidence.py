"""The plan of a report on programs whose output was read in part, or not at all."""

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


def measured(plan: Plan, *sizes: int) -> Plan:
    series = [run.name for run in plan.experiment.series if not run.tool.silent]
    rows = [Row(name, "p", "write", "throughput", 1, size, "r") for name in series for size in sizes]
    return measured_plan(plan, rows)


def test_series_without_output_is_left_out() -> None:
    shown = measured(planned("cm_tutorial"), 64)
    assert [run.name for run in shown.experiment.series] == ["tutorial"]
    assert {trial.series.name for trial in shown.planned} == {"tutorial"}


def test_sizes_without_records_are_left_out() -> None:
    shown = measured(planned("loop_of_sizes"), 16, 32768)
    assert shown.experiment.series[0].sizes("exact") == (16, 32768)
    assert shown.planned[0].series is shown.experiment.series[0]
    whole = planned("read_rate")
    assert measured(whole, 256, 4096, 65536) == whole


def test_sizes_of_a_sites_profile_are_narrowed_there() -> None:
    plan = planned("loop_of_sizes")
    (series,) = plan.experiment.series
    profile = replace(series.profile("exact"), values={"sizes": (16, 32)})
    series = replace(series, profiles={"exact": profile})
    (shown,) = measured(replace(plan, experiment=replace(plan.experiment, series=(series,))), 32).experiment.series
    assert shown.sizes("exact") == (32,) and shown.published == series.published


def test_report_needs_output_that_is_read() -> None:
    plan = planned("cm_tutorial")
    silent = tuple(run for run in plan.experiment.series if run.tool.silent)
    with pytest.raises(RecordError, match="no output of its programs is read"):
        measured(replace(plan, experiment=replace(plan.experiment, series=silent)))
