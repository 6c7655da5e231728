"""Two folders or PDFs side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.errors import LabError
from lab.files.storage import write_text
from lab.plan.plan import Plan
from lab.records.table import COLUMNS, Row, columns, format_table, make_table
from lab.report.pdf import attach
from lab.report.tex.latex import compile_pdf
from lab.run.run import RunSetup, missing, run_trials
from lab.submission.compare import (
    ComparedSide,
    SideError,
    compare_sides,
    identity_differences,
    of_two_sites,
    of_two_typesetters,
    read_side,
)

Make = Callable[..., Plan]


def rows(rate: int, *, spread: int = 0) -> list[Row]:
    head = Row("verbs", "verbs", "write", "throughput", 1, 64, "x")
    counts = {n: {"confirmed_bytes_per_s": rate + n * spread} for n in range(1, 11)}
    return [replace(head, repetition=n, counts=each) for n, each in counts.items()]


def side(table: list[Row], **identity: str) -> ComparedSide:
    return ComparedSide("a side", {"small": table}, identity)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        (rows(2000, spread=1), rows(1000, spread=1), "more"),
        (rows(1000, spread=1), rows(2000, spread=1), "less"),
        (rows(1000, spread=50), rows(1010, spread=50), "can't tell"),
        (rows(1000, spread=1), rows(1000, spread=1)[::-1], "equal"),
    ],
)
def test_each_size_has_a_ratio_an_interval_and_a_verdict(ours: list[Row], theirs: list[Row], verdict: str) -> None:
    (comparison,) = compare_sides(side(ours), side(theirs))
    (ratio,) = comparison.ratios
    assert ratio.verdict == verdict and ratio.estimate.interval is not None
    assert "size_bytes=64 confirmed_bytes_per_s" in list(comparison.lines())[1]


@pytest.mark.parametrize(("site", "margin"), [("exact", "1%"), ("host", "5%")])
def test_a_comparison_says_the_margin_of_its_sites_and_how_many_verdicts_may_be_false(site: str, margin: str) -> None:
    (found,) = compare_sides(side(rows(1030, spread=1), site=site), side(rows(1000, spread=1), site=site))
    assert f"a margin of {margin}; of 1 verdicts at most 0.1 are false" in next(iter(found.lines()))
    assert found.ratios[0].verdict == ("more" if site == "exact" else "within the margin")


def test_equal_rows_are_one_line() -> None:
    (comparison,) = compare_sides(side(rows(1000)), side(rows(1000)))
    assert list(comparison.lines()) == ["small: the same rows, 1 medians equal"]


def test_what_differs_in_the_identities_is_named() -> None:
    first, second = side([], kernel="6.1", image="a" * 64), side([], kernel="6.12", image="a" * 64, nic="mlx5")
    assert identity_differences(first, second) == ["kernel: 6.1 and 6.12", "nic: unknown and mlx5"]


def test_a_comparison_of_two_sites_says_so_and_one_of_the_same_site_does_not() -> None:
    exact, host = side([], site="exact"), side([], site="host")
    (line,) = of_two_sites(exact, host)
    assert line.startswith("TWO SITES: the first was measured on exact, the second on host")
    assert list(of_two_sites(host, host)) == []


def test_sides_without_a_common_experiment_are_refused() -> None:
    with pytest.raises(SideError, match="share no experiment: small and other"):
        compare_sides(side(rows(1)), ComparedSide("b", {"other": rows(1)}, {}))


@pytest.fixture(scope="module")
def page() -> bytes:
    return compile_pdf({"x.tex": b"\\documentclass{article}\\begin{document}x\\end{document}"}, "x.tex")


@pytest.mark.parametrize("identity", [b"[]", b"{", b"\xff"])
def test_a_pdf_with_other_data_is_one_sentence(page: bytes, tmp_path: Path, identity: bytes) -> None:
    pdf = tmp_path / "small.pdf"
    pdf.write_bytes(attach(page, {"small.csv": b"series,record\na,b\n", "identity.json": identity}))
    with pytest.raises(SideError, match="did not write"):
        read_side(pdf)


def test_two_pdfs_of_different_tex_are_told_apart(tmp_path: Path) -> None:
    """Lines are broken within the banner, as in a column of a table."""
    texts = {
        name: f"\\parbox{{45mm}}{{\\raggedright This is pdfTeX, Version 3.141592653-2.6-{version} kpathsea version 6}}"
        for name, version in {"a": "1.40.24 (TeX Live 2022/Debian)", "b": "1.40.28 (TeX Live 2025/Arch Linux)"}.items()
    }
    for name, text in texts.items():
        source = f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}".encode()
        data = {"small.csv": format_table(COLUMNS, rows(1)).encode(), "identity.json": b'{"site": "exact"}'}
        (tmp_path / f"{name}.pdf").write_bytes(attach(compile_pdf({"x.tex": source}, "x.tex"), data))
    one, other = read_side(tmp_path / "a.pdf"), read_side(tmp_path / "b.pdf")
    banner = "pdfTeX, Version 3.141592653-2.6-1.40"
    said = f"typeset by {banner}.24 (TeX Live 2022/Debian) and by {banner}.28 (TeX Live 2025/Arch Linux)"
    assert list(of_two_typesetters(one, other)) == [f"{said}: the PDFs differ for that alone"]
    assert not list(of_two_typesetters(one, one)) and not list(of_two_typesetters(one, side(rows(1))))


@pytest.mark.parametrize("table", [b"series,record\n\xff,b\n", b"series,record\na,b,c,d\n", b"series\na\n"])
def test_a_folder_with_a_damaged_table_is_one_sentence(tmp_path: Path, table: bytes) -> None:
    (tmp_path / "small.csv").write_bytes(table)
    with pytest.raises(LabError):
        read_side(tmp_path)


@pytest.mark.parametrize("value", ["x", "1.5", "0", "-1"])
def test_a_value_that_was_never_measured_is_one_sentence_or_a_ratio(tmp_path: Path, value: str) -> None:
    table = format_table(COLUMNS, rows(1000)).replace(",1001,", f",{value},")
    (tmp_path / "small.csv").write_text(table)
    (tmp_path / "identity.json").write_text("{}")
    try:
        compare_sides(side(rows(1)), read_side(tmp_path))
    except SideError as error:
        assert "did not measure" in str(error) or "did not write" in str(error)


def test_a_folder_and_a_pdf_are_read_alike(
    make_small_plan: Make, fake_site: FakeSite, page: bytes, tmp_path: Path
) -> None:
    plan, results = make_small_plan(), tmp_path / "results"
    run_trials(RunSetup(fake_site, plan.site, results), missing([plan], results)[0], 2, lambda *_: None)
    rows = make_table(plan, results)
    table = format_table(columns(plan, rows), rows)
    write_text(results / "small.csv", table)
    identity = {"site": "exact", **fake_site.identity()}
    manifest = [{"programs": {"verbs-client": "d", "verbs-server": "d", "tcp-client": "d", "tcp-server": "d"}}]
    files = {"small.csv": table, "identity.json": json.dumps(identity), "manifest.json": json.dumps(manifest)}
    pdf = tmp_path / "small.pdf"
    pdf.write_bytes(attach(page, {name: text.encode() for name, text in files.items()}))
    one, other = read_side(results), read_side(pdf)
    assert one.tables == other.tables and identity_differences(one, other) == []


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SideError, match="holds no table"):
        read_side(tmp_path)
