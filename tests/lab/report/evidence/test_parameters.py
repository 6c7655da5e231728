"""Parameters as published, as requested and as they took effect; and pairs of curves."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.records.facts import Facts
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Sort, pairs
from lab.report.evidence.parameters import constants, divided_by, effective, effective_table, moved

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
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "sweeps.toml").write_text(SWEEPS)
    return laboratory.evidence_of("sweeps", folder / "results", folder)


def test_values_that_move_with_a_varied_parameter_come_from_the_records(evidence: Evidence) -> None:
    loose, fixed = evidence.series("loose"), evidence.series("held")
    assert [point.by_size[1]["depth"] for point in effective(evidence, loose)] == [{2}, {16}, {512}]
    assert moved(evidence, loose, 1) == moved(evidence, loose, 4096) == ("post_list", "signal_every")
    assert moved(evidence, fixed, 1) == ()
    counted = replace(evidence, facts={key: with_counts(facts) for key, facts in evidence.facts.items()})
    assert "asked" in str(counted.facts) and moved(counted, fixed, 1) == ()


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
    assert [(ours.name, base.name, sort) for ours, base, sort in pairs(evidence)] == [("verbs", "tcp", Sort.TRANSPORT)]


def test_smaller_sizes_of_a_site_have_a_factor_to_the_published_ones(tmp_path: Path) -> None:
    values = constants(laboratory.evidence_of("mpi_bandwidth_latency", tmp_path))
    assert values["scale"] == r"\labnum{4000}" and values["published_largest"] == r"\qty{2.144}{\giga\byte}"
    assert (values["smallest"], values["largest"]) == (r"\qty{16}{\kilo\byte}", r"\qty{528}{\kilo\byte}")


@pytest.mark.parametrize(
    ("published", "sizes", "factor"),
    [(range(16_000_000, 2_144_000_001, 16_000_000), range(16_000, 528_001, 16_000), 4000), ((1, 2, 4, 8), (3, 5), 1.6)],
)
def test_factor_makes_each_size_a_published_one(published: Sequence[int], sizes: Sequence[int], factor: float) -> None:
    assert divided_by(tuple(published), tuple(sizes)) == factor
