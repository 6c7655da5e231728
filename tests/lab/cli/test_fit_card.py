"""What `lab fit-card` reads and prints."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from lab.cli.tools import fit_card, read_curve
from lab.errors import SpecError
from lab.experiment.reader import read_card
from lab.places import PUBLISHED


def asked(curve: Path) -> Namespace:
    return Namespace(curve=curve, rate_bit_s=32_000_000_000, mtu=4096, inline="1K")


def test_report_a_gives_the_parameters_of_qdr(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_card(asked(PUBLISHED / "verbs_a.csv")) == 0
    said = capsys.readouterr().out
    values = dict(line.split()[:2] for line in said.splitlines()[:4])
    card = read_card("qdr").card
    for name in ("rate_bit_s", "header_bytes", "gap_ps", "block_ps"):
        assert int(values[name]) == pytest.approx(getattr(card, name), rel=0.03)
    assert "median error 0.8%, worst +47" in said and len(said.splitlines()) == 4 + 1 + 1 + 21 + 1


def test_a_curve_of_ones_own_has_two_columns(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("size_bytes,bytes_per_s\n64,1e8\n128,2e8\n")
    assert read_curve(file) == {64: 1e8, 128: 2e8}


@pytest.mark.parametrize("row", ["64,-1", "x,1e8", "64", "64,inf"])
def test_a_row_that_is_no_point_is_named(tmp_path: Path, row: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(f"size_bytes,bytes_per_s\n1,1e6\n{row}\n")
    with pytest.raises(SpecError) as caught:
        read_curve(file)
    assert caught.value.line == 3
