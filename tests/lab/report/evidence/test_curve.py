"""The margin of a verdict, and the labels of curves."""

from collections import defaultdict
from pathlib import Path
from statistics import median

from tests.lab.report import laboratory

from lab.experiment.reader import load
from lab.model.trial import Link
from lab.places import EXPERIMENTS, REFERENCE
from lab.records.table import parse_table
from lab.report.evidence.curve import INSTRUCTIONS, WALL, margin_of, margin_of_sites
from lab.report.evidence.labels import describe_link, label_within
from lab.sites.site import EXACT, Clock, Shared, Traits

VARIED = ("tx_depth", "warmup", "iterations", "post_list", "signal_every")
ON_A_WALL_CLOCK = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=False)


def test_margin_follows_from_the_clock_and_is_the_larger_of_two_sites() -> None:
    assert (margin_of(EXACT), margin_of(ON_A_WALL_CLOCK)) == (INSTRUCTIONS, WALL)
    assert margin_of_sites(["exact", "exact"]) == INSTRUCTIONS
    assert margin_of_sites(["exact", "host"]) == margin_of_sites(["another site"]) == margin_of_sites([]) == WALL


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
