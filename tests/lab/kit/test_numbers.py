"""Numbers of a hand-out: lab.kit.handout, lab.report.evidence.environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.kit.handout import with_numbers
from lab.kit.kit import Kit
from lab.records.table import COLUMNS, Row, format_table

FILE = Path("handout.md")


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """Medians of 200 MB/s by TCP and 50 MB/s by verbs at 4 KiB, and single values at 64 B."""
    rows = [row("tcp", 4096, rate, number) for number, rate in enumerate((1e8, 9e8, 2e8), 1)]
    rows += [row("verbs", 4096, 5e7), row("tcp", 64, 1e6), row("verbs", 64, 1e6)]
    (tmp_path / "small.csv").write_text(format_table([*COLUMNS[:-1], "record"], rows))
    return tmp_path


def row(series: str, size: int, rate: float, repetition: int = 1) -> Row:
    counts = {"confirmed_bytes_per_s": int(rate)}
    return Row(series, "p", "send", "throughput", repetition, size, f"{repetition:016}", {}, counts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"TCP has \claim{tcp at 4K}.", "TCP has 200 MB/s."),
        (r"It is \claim{tcp / verbs at 4K} times as fast.", "It is 4.00 times as fast."),
        (r"From \claim{plan.smallest} on, at 95 %: \claim{tcp at 64}.", "From 64 B on, at 95 %: 1.00 MB/s."),
        ("At 4 KiB, 64 requests, in 9 steps: `lab run x --jobs 2 MB/s`.",) * 2,
        (r"Write `\claim{nothing}`.",) * 2,
    ],
)
def test_a_query_is_answered_from_the_reference(kit: Kit, reference: Path, text: str, shown: str) -> None:
    assert with_numbers(text, kit.experiment, FILE, reference) == shown


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("TCP has 200 MB/s here.", r"200 MB/s is typed.*claim\{tcp at 4K\}"),
        ("It takes 40 µs here.", "is typed"),
        ("It is 1.5 times as fast.", "is typed"),
        ("It is 20 % faster.", "is typed"),
        (r"It has \claim{tpc at 4K}.", "no series or constant 'tpc'.*tcp at 4K"),
        (r"It has \claim{tcp at 5K}.", "was not measured at 5K"),
        (r"It has \claim{tcp.steady at 4K}.", "the data give no steady"),
    ],
)
def test_a_mistake_is_refused_with_its_line(kit: Kit, reference: Path, text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        with_numbers(f"one\n\n{text}\n", kit.experiment, FILE, reference)
    assert caught.value.line == 3


def test_without_a_reference_there_is_no_number(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no reference"):
        with_numbers(r"\claim{tcp at 4K}", kit.experiment, FILE, tmp_path)
    assert with_numbers("One.", kit.experiment, FILE, tmp_path) == "One."
