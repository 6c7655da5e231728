"""The instructions of a message, counted and shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.causes.count import window
from lab.causes.table import Cause, file_of, format_classes
from lab.figures.marks import THIN_SPACE
from lab.files.storage import write_text
from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, are_counted_here
from lab.report.exhibits.core import Exhibits
from lab.report.exhibits.plots import causes
from lab.report.query.numbers import Numbers
from lab.report.stamp import report_stamp

EXPERIMENT = laboratory.experiment(
    "sizes = [1, 4096, 65536]\niterations = 1000\nrepetitions = 6\n"
    '[causes]\nseries = ["rdma", "sockets"]\nsizes = [1, 4096, 65536]',
    "rdma verbs write throughput",
    "sockets tcp send throughput",
)
# By series, end and size: checksums, packets, waiting, for a message.
COSTS = {
    ("rdma", "client"): {1: (1500, 12500, 0), 4096: (3400, 13800, 1300), 65536: (41000, 117000, 57000)},
    ("rdma", "server"): {1: (1500, 11900, 600), 4096: (3400, 15100, 0), 65536: (41000, 174000, 0)},
    ("sockets", "client"): {1: (0, 1940, 0), 4096: (10, 12590, 0), 65536: (10, 30700, 52290)},
    ("sockets", "server"): {1: (0, 7, 1933), 4096: (10, 11510, 1080), 65536: (10, 82990, 0)},
}
WORK = ("checksums", "packets", "waiting")


def rows_of(plan: Plan) -> list[Cause]:
    first = {trial.series.name: trial for trial in reversed(plan.planned)}
    rows = [
        Cause(series, size, end, 10, work, 10 * count, window(first[series], size, plan.site).record)
        for (series, end), sizes in COSTS.items()
        for size, counts in sizes.items()
        for work, count in zip(WORK, counts, strict=True)
    ]
    return sorted(rows, key=lambda row: (row.series, row.size_bytes, row.end, -row.instructions))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("costs")
    (folder / "costs.toml").write_text(EXPERIMENT)
    return folder


@pytest.fixture(scope="module")
def bare(folder: Path) -> Evidence:
    return laboratory.evidence_of("costs", folder / "bare", folder)


@pytest.fixture(scope="module")
def counted(folder: Path) -> Evidence:
    evidence = laboratory.evidence_of("costs", folder / "results", folder)
    write_text(file_of("costs", folder / "results"), format_classes(rows_of(evidence.plan)))
    return evidence


def test_counts_of_the_reference_replace_those_of_the_host(
    counted: Evidence, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert are_counted_here(counted.plan, counted.results) and len(counted.causes) == len(rows_of(counted.plan))
    monkeypatch.setattr("lab.causes.table.REFERENCE", tmp_path / "reference")
    write_text(file_of("costs", tmp_path / "reference"), format_classes(rows_of(counted.plan)))
    evidence = laboratory.evidence_of("costs", tmp_path / "own", folder)
    write_text(file_of("costs", tmp_path / "own"), format_classes(rows_of(counted.plan)[:1]))
    assert evidence.causes == counted.causes and not are_counted_here(evidence.plan, evidence.results)


def test_counts_of_other_programs_or_another_machine_are_not_used(
    counted: Evidence, bare: Evidence, folder: Path, tmp_path: Path
) -> None:
    others = [replace(row, record="0" * 12) for row in rows_of(counted.plan)]
    evidence = laboratory.evidence_of("costs", tmp_path, folder)
    write_text(file_of("costs", tmp_path), format_classes(others))
    assert evidence.causes == ()
    assert counted.causes and not bare.causes


def test_figure_has_a_bar_for_each_size_series_and_end(counted: Evidence, bare: Evidence) -> None:
    exhibits = Exhibits(Numbers(counted), {})
    text = causes(exhibits)
    sizes = [(x, [stack.label for stack in group]) for x, group in exhibits.gallery["causes"].data.groups]
    labels = ["RDMA WRITE, client", "RDMA WRITE, server", "TCP, client", "TCP, server"]
    assert sizes == [(1.0, labels), (4096.0, labels), (65536.0, labels)]
    client = exhibits.gallery["causes"].data.groups[1][1][0]
    assert client.work("waiting").replace(THIN_SPACE, "") == "17200"  # of one message
    assert dict(client.parts) == {"copies and checksums": 3400, "protocol and driver": 13800, "waiting": 1300}
    assert "Instructions of a message, each a nanosecond" in text
    assert causes(Exhibits(Numbers(bare), {})) == ""


def test_report_has_the_section_only_if_instructions_were_counted(counted: Evidence, bare: Evidence) -> None:
    assert "Where the instructions go" in laboratory.body_of(counted)
    assert "Where the instructions go" not in laboratory.body_of(bare)
    assert len({report_stamp(evidence.plan, evidence.results, []) for evidence in (counted, bare)}) == 2
