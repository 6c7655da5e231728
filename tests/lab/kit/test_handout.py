"""The hand-out of a kit, and the numbers in it."""

from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.kit.commands import CHECKS, handout, with_numbers
from lab.kit.kit import Kit, load_kit
from lab.places import ASSIGNMENTS
from lab.records.table import COLUMNS, Row, format_table
from lab.submission.assignment import CHECKS as ALL_CHECKS
from lab.submission.assignment import Criterion, DueDate, names


@pytest.mark.parametrize("name", names(ASSIGNMENTS))
def test_every_bundled_kit_has_a_page(name: str) -> None:
    page = handout(load_kit(name))
    for heading in ("Goal", "Background", "Tasks", "What to hand in", "Points", "Honest work"):
        assert f">{heading}</h2>" in page
    assert r"\claim" not in page and "src=" not in page and "http" not in page.replace("http-equiv", "")


def test_page_has_the_numbers_and_the_points(kit: Kit, reference: Path) -> None:
    page = handout(kit, reference=reference)
    assert "TCP has 200 MB/s." in page and "<td>rerun</td>" not in page
    assert "<td><code>rerun</code></td>\n<td>25</td>" in page and "<td>100</td>" in page


def test_page_has_the_terms_and_the_rubric(kit: Kit, reference: Path) -> None:
    due, rubric = DueDate("2026-12-01T23:59+01:00", 3, 10), (Criterion("reasoning", 20, "why | what else"),)
    assignment = replace(kit.assignment, deadline=due, people_at_most=2, rubric=rubric)
    page = handout(replace(kit, assignment=assignment), reference=reference)
    assert "01 December 2026, 23:59 (+01:00 from UTC)" in page and "10 percent" in page
    assert "<td>reasoning</td>\n<td>20</td>" in page and "why | what else" in page and "<td>120</td>" in page


def test_kit_without_a_hand_out_is_refused(kit: Kit) -> None:
    kit.handout.unlink()
    with pytest.raises(SpecError, match="has no hand-out"):
        load_kit(str(kit.assignment.file))


def test_each_check_is_explained_to_students() -> None:
    assert tuple(CHECKS) == ALL_CHECKS


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
def test_query_is_answered_from_the_reference(kit: Kit, reference: Path, text: str, shown: str) -> None:
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
def test_mistake_is_refused_with_its_line(kit: Kit, reference: Path, text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        with_numbers(f"one\n\n{text}\n", kit.experiment, FILE, reference)
    assert caught.value.line == 3


def test_query_needs_a_reference(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no reference"):
        with_numbers(r"\claim{tcp at 4K}", kit.experiment, FILE, tmp_path)
    assert with_numbers("One.", kit.experiment, FILE, tmp_path) == "One."
