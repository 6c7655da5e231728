"""Numbers of a hand-out: lab.kit.numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.kit.numbers import ReferenceClaim, reference_claims, with_numbers
from lab.records.row import COLUMNS, Row, format_table

FILE = Path("handout.md")
CLAIMS = {"tcp.4K": ReferenceClaim(2e8, "B/s")}


def table(folder: Path, *rows: Row) -> Path:
    (folder / "small.csv").write_text(format_table([*COLUMNS[:-1], "depth", "record"], rows))
    return folder / "small.csv"


def row(series: str, size: int, rate: int, repetition: int = 1, **point: str) -> Row:
    counts = {"confirmed_bytes_per_s": rate}
    return Row(series, "p", "send", "throughput", repetition, size, "0" * 16, point, counts)


def test_a_claim_is_the_median_over_the_repetitions(tmp_path: Path) -> None:
    rows = [row("tcp", 4096, rate, number) for number, rate in enumerate((100, 900, 200), 1)]
    assert reference_claims(table(tmp_path, *rows))["tcp.4K"].value == 200


def test_a_ratio_is_of_two_series_at_one_size(tmp_path: Path) -> None:
    claims = reference_claims(table(tmp_path, row("verbs", 64, 300), row("tcp", 64, 100), row("tcp", 128, 10)))
    assert claims["verbs_over_tcp.64"].value == 3 and "verbs_over_tcp.128" not in claims


def test_a_varied_value_stands_behind_its_series(tmp_path: Path) -> None:
    claims = reference_claims(table(tmp_path, row("deep", 64, 1, depth="1"), row("deep", 64, 9, depth="16")))
    assert {"deep.1.64", "deep.16.64"} < claims.keys()


def test_a_claim_is_printed_with_its_unit() -> None:
    assert with_numbers(r"TCP has \claim{tcp.4K}.", CLAIMS, FILE) == "TCP has 200 MB/s."


def test_an_unknown_claim_is_named_with_its_line_and_what_is_near() -> None:
    with pytest.raises(SpecError, match=r"no claim 'tcp.4k'.*tcp.4K") as caught:
        with_numbers("one\n\ntwo \\claim{tcp.4k}", CLAIMS, FILE)
    assert caught.value.line == 3


@pytest.mark.parametrize("typed", ["200 MB/s", "40 µs", "1.5 times", "20 %"])
def test_a_measured_number_that_was_typed_is_refused(typed: str) -> None:
    with pytest.raises(SpecError, match=r"is typed"):
        with_numbers(f"TCP has {typed} here.", CLAIMS, FILE)


def test_sizes_counts_and_commands_may_be_typed() -> None:
    text = "At 4 KiB, 64 requests, in 9 steps: `lab run x --jobs 2 MB/s`."
    assert with_numbers(text, CLAIMS, FILE) == text


def test_without_a_reference_there_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no reference"):
        reference_claims(tmp_path / "none.csv")
