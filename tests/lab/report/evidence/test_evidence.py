"""What a report knows of its plan, its site, its parameters and its curves."""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from tests.lab.fake_site import planned
from tests.lab.report import laboratory

from lab.errors import RecordError
from lab.experiment.reader import load
from lab.model.trial import Link
from lab.places import EXAMPLES, EXPERIMENTS, REFERENCE
from lab.plan.plan import Plan
from lab.records.facts import Facts
from lab.records.table import Row, parse_table
from lab.report.evidence.curve import INSTRUCTIONS
from lab.report.evidence.evidence import Evidence, measured_plan
from lab.report.evidence.labels import describe_link, label_within
from lab.report.evidence.parameters import constants, effective, effective_table
from lab.report.evidence.words import about_site, measured_on
from lab.report.exhibits.groups import pairs, title_of
from lab.sites.site import EXACT
from lab.sites.ssh import LinkOfHosts


def measured(plan: Plan, *sizes: int) -> Plan:
    series = [run.name for run in plan.experiment.series if not run.tool.silent]
    rows = [Row(name, "p", "write", "throughput", 1, size, "r") for name in series for size in sizes]
    return measured_plan(plan, rows)


def test_series_without_output_is_left_out() -> None:
    shown = measured(planned(EXAMPLES / "cm_tutorial.toml"), 64)
    assert [run.name for run in shown.experiment.series] == ["tutorial"]
    assert {trial.series.name for trial in shown.planned} == {"tutorial"}


def test_sizes_without_records_are_left_out() -> None:
    shown = measured(planned(EXAMPLES / "loop_of_sizes.toml"), 16, 32768)
    assert shown.experiment.series[0].sizes("exact") == (16, 32768)
    assert shown.planned[0].series is shown.experiment.series[0]
    whole = planned(EXAMPLES / "read_rate.toml")
    assert measured(whole, 256, 4096, 65536) == whole


def test_sizes_of_a_sites_profile_are_narrowed_there() -> None:
    plan = planned(EXAMPLES / "loop_of_sizes.toml")
    (series,) = plan.experiment.series
    profile = replace(series.profile("exact"), values={"sizes": (16, 32)})
    series = replace(series, profiles={"exact": profile})
    (shown,) = measured(replace(plan, experiment=replace(plan.experiment, series=(series,))), 32).experiment.series
    assert shown.sizes("exact") == (32,) and shown.published == series.published


def test_report_needs_output_that_is_read() -> None:
    plan = planned(EXAMPLES / "cm_tutorial.toml")
    silent = tuple(run for run in plan.experiment.series if run.tool.silent)
    with pytest.raises(RecordError, match="no output of its programs is read"):
        measured(replace(plan, experiment=replace(plan.experiment, series=silent)))


SWEEPS = laboratory.experiment(
    'sizes = "1,4K"\niterations = 4000\nwarmup = 0\nrepetitions = 6',
    "verbs verbs write throughput",
    "tcp tcp send throughput",
    "single verbs write throughput\nparameters = { post_list = 1, signal_every = 64 }",
    "nodelay tcp send throughput\nparameters.nodelay = true",
    "loose verbs write throughput\nvary.tx_depth = [2, 16, 512]",
    "held verbs write throughput\nparameters = { post_list = 1, signal_every = 1 }\nvary.tx_depth = [2, 16, 512]",
)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of_text(SWEEPS, tmp_path_factory.mktemp("sweeps"))


def test_values_that_move_with_a_varied_parameter_come_from_the_records(evidence: Evidence) -> None:
    depths = [by_size[1]["depth"] for _, by_size in effective(evidence, evidence.series("loose"))]
    assert depths == [{2}, {16}, {512}]
    counted = replace(evidence, facts={key: with_counts(facts) for key, facts in evidence.facts.items()})
    assert "asked" in str(counted.facts) and effective_table(counted) == effective_table(evidence)
    held = next(row for row in effective_table(counted).rows if "held" in row[0])
    assert "varied" in held[3] and not any("moved" in cell for cell in held)


def with_counts(facts: Facts) -> Facts:
    """A record whose header has counts of each size that differ by depth."""
    counts = " asked={0} sample_every={0}".format(facts.asked.options["tx_depth"])
    header = {name: value + counts for name, value in (facts.measured.header or {}).items()}
    return replace(facts, measured=replace(facts.measured, header=header))


def test_table_marks_varied_and_moved_values(evidence: Evidence) -> None:
    table = effective_table(evidence)
    rows = {str(row[0]): [str(cell) for cell in row[3:6]] for row in table.rows}
    assert rows[r"\texttt{loose}"] == [
        r"\labnum{2} to \labnum{512}, varied",
        r"\labnum{1} to \labnum{64}, moved",
        r"\labnum{1} to \labnum{64}, moved",
    ]
    assert rows[r"\texttt{held}"] == [r"\labnum{2} to \labnum{512}, varied", r"\labnum{1}", r"\labnum{1}"]


def test_series_that_batches_its_messages_otherwise_is_not_compared(evidence: Evidence) -> None:
    assert [(ours.name, base.name, sort) for ours, base, sort in pairs(evidence)] == [("verbs", "tcp", "transport")]


def test_smaller_sizes_of_a_site_have_a_factor_to_the_published_ones(tmp_path: Path) -> None:
    values = constants(laboratory.evidence_of("mpi_bandwidth_latency", tmp_path))
    assert values["scale"] == r"\labnum{4000}" and values["published_largest"] == r"\qty{2.144}{\giga\byte}"
    assert (values["smallest"], values["largest"]) == (r"\qty{16}{\kilo\byte}", r"\qty{528}{\kilo\byte}")


VARIED = ("tx_depth", "warmup", "iterations", "post_list", "signal_every")


def test_curves_of_an_experiment_have_different_labels() -> None:
    experiment = load(EXPERIMENTS / "verbs_throughput.toml")
    labels = {series.name: label_within(experiment, series) for series in experiment.series}
    assert len({*labels.values()}) == len(labels)
    assert labels["card.inline"] == "RDMA WRITE (modelled card qdr, card.inline)"
    assert labels["tcp.gigabit"] == "TCP (1 Gbit/s)"


def test_link_is_described_with_each_kind_of_flow_control(tmp_path: Path) -> None:
    site = laboratory.evidence_of("throughput_until_stable", tmp_path).plan.site
    words = {describe_link(Link(computers=3, pfc=pfc, ecn=ecn), site) for pfc in (False, True) for ecn in (False, True)}
    assert len(words) == 4 and sum("ECN" in each for each in words) == 2


TWO_RATES = "tcp.nodelay"  # of small messages: no luck of layout


def test_nine_in_ten_repetitions_are_within_the_margin_of_their_median() -> None:
    groups = defaultdict[tuple[object, ...], list[int]](list)
    for file in sorted(REFERENCE.glob("*.csv")):
        for row in parse_table(file.read_text()):
            if row.program in ("verbs", "tcp") and row.measure == "throughput" and row.series != TWO_RATES:
                varied = (row.point.get(name, "") for name in VARIED)
                groups[file.stem, row.series, row.size_bytes, *varied].append(row.counts["confirmed_bytes_per_s"])
    off = [abs(value / median(values) - 1) for values in groups.values() for value in values]
    assert len(off) > 1000 and sum(distance <= INSTRUCTIONS for distance in off) >= 0.9 * len(off)


def test_site_is_described_by_its_clock_its_link_and_its_rdma() -> None:
    exact = about_site("exact", EXACT, "rxe0")
    assert "two emulated VMs" in exact and "Soft-RoCE" in exact and "  " not in exact
    both = about_site("exact", EXACT, "rxe0", ("qdr",))
    assert "RDMA uses a modelled card (qdr)" in both and "or kernel RDMA (Soft-RoCE, rxe0)" in both
    real = about_site("ssh", LinkOfHosts.traits, "mlx5_0")
    assert "the device mlx5_0" in real and not re.search("emulated|cable|Soft-RoCE", real)


def test_date_is_that_of_the_measurement_or_of_the_sites_clock(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("throughput_until_stable", tmp_path)
    site, moment = evidence.plan.site, next(iter(evidence.facts.values())).moment
    clock = replace(site, identity={"arguments": "-rtc base=2026-01-01,clock=vm"})
    of_clock = replace(evidence, plan=replace(evidence.plan, site=clock))
    assert measured_on(of_clock).startswith("Its clock begins at 2026-01-01") and measured_on(evidence) == ""
    plan = replace(evidence.plan, site=replace(site, traits=LinkOfHosts.traits))
    facts = {
        key: replace(record, moment=replace(moment, state={"started": f"2026-03-0{1 + number % 2}T10:00:00+00:00"}))
        for number, (key, record) in enumerate(evidence.facts.items())
    }
    wall = replace(evidence, plan=plan, facts=facts)
    assert measured_on(wall) == "Measured from 2026-03-01 to 2026-03-02."
    assert measured_on(replace(wall, facts=dict(list(facts.items())[:1]))) == "Measured on 2026-03-01."


def test_several_computers_are_no_pair_and_time_an_operation() -> None:
    assert "is several emulated VMs" in about_site("exact", EXACT, "rxe0", number="several")
    (ring, *_), (message, *_) = (load(EXPERIMENTS / name).series for name in ("examples/ring.toml", "latency.toml"))
    assert title_of(ring) == "Time of an operation" and title_of(message) == "Time of a message"
