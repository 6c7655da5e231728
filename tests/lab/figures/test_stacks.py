"""Bars of rates in a terminal, whatever its encoding: lab.figures.stacks."""

import io
import re

import pytest
from rich.console import Console
from tests.lab.figures.examples import estimate

from lab.figures.curves import Sized
from lab.figures.figure import Curve, FigureError, LineLook
from lab.figures.stacks import bars

RATES = Sized(
    "rates",
    "throughput",
    "rate",
    (
        Curve("RDMA WRITE", (64.0, 1024.0), (estimate(25e6), estimate(1e9))),
        Curve("TCP [send]", (64.0, 1024.0, 16384.0), (estimate(50e6), estimate(500e6), estimate(2e9))),
    ),
    (LineLook("#0072B2"), LineLook("#D55E00")),
)


def printed(data: Sized, encoding: str = "utf-8", width: int = 80) -> list[str]:
    """What a file or a pipe gets."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True) as file:
        Console(file=file, width=width).print(bars(data))
        return raw.getvalue().decode(encoding).splitlines()


def test_each_series_has_a_bar_from_zero_at_each_of_its_sizes() -> None:
    lines = printed(RATES)
    words = [re.sub("[\u2588-\u258f]", "", line).split() for line in lines]
    assert words[0] == ["64", "B", "RDMA", "WRITE", "25", "MB/s"]
    assert words[-1] == ["16", "KiB", "TCP", "[send]", "2", "GB/s"]
    lengths = [line.count("█") for line in lines]
    assert lengths[4] > 40 and [round(each * 40 / lengths[4]) for each in lengths[:4]] == [0, 1, 20, 10]


@pytest.mark.parametrize("width", [80, 50, 120])
def test_no_line_is_longer_than_the_terminal_and_none_moves_its_cursor(width: int) -> None:
    lines = printed(RATES, width=width)
    assert len(lines) == 5 and all(len(line) <= width and line.isprintable() for line in lines)


def test_an_encoding_without_blocks_gets_letters() -> None:
    lines = printed(RATES, encoding="ascii")
    assert [round(line.count("#") * 40 / lines[4].count("#")) for line in lines[:4]] == [1, 1, 20, 10]


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(FigureError, match="without a series"):
        bars(Sized("none", "throughput", "rate", (), ()))
