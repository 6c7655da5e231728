"""Two folders or PDFs compared: `lab compare`."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite, run_plan

from lab.errors import LabError
from lab.files.storage import write_text
from lab.plan.plan import Plan
from lab.records.table import COLUMNS, Row, columns, format_table, make_table
from lab.report.pdf import attach
from lab.submission.compare import ComparedSide, comparison, read_side

Make = Callable[..., Plan]


def rows(rate: int, *, spread: int = 0) -> list[Row]:
    head = Row("verbs", "verbs", "write", "throughput", 1, 64, "x")
    counts = {number: {"confirmed_bytes_per_s": rate + number * spread} for number in range(1, 11)}
    return [replace(head, repetition=number, counts=values) for number, values in counts.items()]


def side(table: list[Row], **identity: str) -> ComparedSide:
    return ComparedSide("a side", {"small": table}, identity)


def compared(*sides: ComparedSide) -> str:
    return "\n".join(comparison(*sides))


@pytest.mark.parametrize(
    ("ours", "theirs", "site", "verdict"),
    [
        (rows(2000, spread=1), rows(1000, spread=1), "exact", "more"),
        (rows(1000, spread=1), rows(2000, spread=1), "exact", "less"),
        (rows(1000, spread=50), rows(1010, spread=50), "exact", "can't tell"),
        (rows(1000, spread=1), rows(1000, spread=1)[::-1], "exact", "equal"),
        (rows(1030, spread=1), rows(1000, spread=1), "exact", "more"),
        (rows(1030, spread=1), rows(1000, spread=1), "host", "within the margin"),
    ],
)
def test_each_size_has_a_ratio_with_interval_and_verdict(
    ours: list[Row], theirs: list[Row], site: str, verdict: str
) -> None:
    head, line, identity = compared(side(ours, site=site), side(theirs, site=site)).split("\n")
    assert f"1 {verdict}" in head and f"]   {verdict} " in line
    assert line.endswith("size_bytes=64 confirmed_bytes_per_s")
    margin = {"exact": "1%", "host": "5%"}[site]
    doubt = f"a margin of {margin}; of 1 verdict at most 0.1 are false"
    assert (doubt in head) == (verdict != "equal") and identity == "identity: the same"


def test_equal_rows_are_one_line() -> None:
    assert compared(side(rows(1000)), side(rows(1000))).startswith("small: the same rows, 1 median equal\n")


def test_different_sites_and_identities_are_named() -> None:
    first = side(rows(1), site="exact", kernel="6.1", image="a" * 64)
    second = side(rows(1), site="host", kernel="6.12", image="a" * 64, nic="mlx5")
    lines = compared(first, second).split("\n")
    assert lines[0].startswith("TWO SITES: the first was measured on exact, the second on host")
    differences = ["kernel: 6.1 and 6.12", "nic: unknown and mlx5", "site: exact and host"]
    assert lines[2:] == ["identity: 3 different parts", *(f"  {line}" for line in differences)]


def test_sides_without_a_common_experiment_are_refused() -> None:
    with pytest.raises(LabError, match="share no experiment: small and other"):
        compared(side(rows(1)), ComparedSide("b", {"other": rows(1)}, {}))


@pytest.mark.parametrize("identity", [b"[]", b"{", b"\xff"])
def test_pdf_with_foreign_data_is_refused(blank_pdf: bytes, tmp_path: Path, identity: bytes) -> None:
    pdf = tmp_path / "small.pdf"
    pdf.write_bytes(attach(blank_pdf, {"small.csv": b"series,record\na,b\n", "identity.json": identity}))
    with pytest.raises(LabError, match="did not write"):
        read_side(pdf)


@pytest.mark.parametrize("table", [b"series,record\n\xff,b\n", b"series,record\na,b,c,d\n", b"series\na\n", None])
def test_folder_with_a_damaged_table_or_none_is_refused(tmp_path: Path, table: bytes | None) -> None:
    if table:
        (tmp_path / "small.csv").write_bytes(table)
    with pytest.raises(LabError):
        read_side(tmp_path)


@pytest.mark.parametrize("value", ["x", "1.5", "0", "-1"])
def test_impossible_value_is_refused_or_a_ratio(tmp_path: Path, value: str) -> None:
    table = format_table(COLUMNS, rows(1000)).replace(",1001,", f",{value},")
    (tmp_path / "small.csv").write_text(table)
    (tmp_path / "identity.json").write_text("{}")
    try:
        compared(side(rows(1)), read_side(tmp_path))
    except LabError as error:
        assert "did not measure" in str(error) or "did not write" in str(error)


def test_folder_and_pdf_of_the_same_records_are_equal(
    make_small_plan: Make, fake_site: FakeSite, blank_pdf: bytes, tmp_path: Path
) -> None:
    plan, results = make_small_plan(), tmp_path / "results"
    run_plan(plan, fake_site, results)
    rows = make_table(plan, results)
    table = format_table(columns(plan, rows), rows)
    write_text(results / "small.csv", table)
    identity = {"site": "exact", **fake_site.identity()}
    manifest = [{"programs": {"verbs-client": "d", "verbs-server": "d", "tcp-client": "d", "tcp-server": "d"}}]
    files = {"small.csv": table, "identity.json": json.dumps(identity), "manifest.json": json.dumps(manifest)}
    pdf = tmp_path / "small.pdf"
    pdf.write_bytes(attach(blank_pdf, {name: text.encode() for name, text in files.items()}))
    here, there = read_side(results), read_side(pdf)
    assert (here.tables, here.identity) == (there.tables, there.identity)
