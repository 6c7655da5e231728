"""Squares for repetitions: lab.figures.matrix."""

from __future__ import annotations

from lab.figures.drawers import matrix
from lab.figures.inputs import LineLook, Matrix, MatrixRow

SIZES = (1.0, 4.0, 16.0, 64.0)


def row(label: str, *cells: tuple[int, int] | None) -> MatrixRow:
    return MatrixRow(label, LineLook("#0072B2"), cells, (f"key-{label}",))


def test_neighbouring_sizes_with_equal_counts_are_told_as_a_range() -> None:
    rows = (
        row("card", *[(6, 6)] * 4),
        row("TCP", (6, 6), (6, 6), (1, 6), (0, 6)),
        row("MPI", (10, 10), None, None, (2, 10)),
    )
    figure = matrix(Matrix("agreed", "Repetitions that agreed", SIZES, rows))
    assert figure.alt.replace("\N{NO-BREAK SPACE}", " ") == (
        "Repetitions that agreed by message size: card 6 of 6 at 1 B to 64 B; "
        "TCP 6 of 6 at 1 B to 4 B, 1 of 6 at 16 B, 0 of 6 at 64 B; MPI 10 of 10 at 1 B, 2 of 10 at 64 B."
    )
    assert figure.keys == ("key-card", "key-TCP", "key-MPI")


def test_a_single_repetition_of_a_single_size_is_drawn() -> None:
    assert matrix(Matrix("agreed", "Repetitions", SIZES[:1], (row("card", (0, 1)),))).pdf.startswith(b"%PDF")
