"""Small panels that a template asks for: lab.report.exhibits.plots, and the figure's content in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.plots import multiples

TITLES = ("TCP", "no such link", "card")
DIFFERENCE = "{0}[non-blocking].send - {0}[blocking].send"


@pytest.fixture
def exhibits(tmp_path: Path) -> Exhibits:
    return Exhibits(numbers_of("mpi_blocking_nonblocking"), Gallery(tmp_path))


def told(exhibits: Exhibits, row: tuple[object, ...], titles: tuple[str, ...] = TITLES) -> str:
    """The alternative text of a figure of one row."""
    multiples(exhibits, "shown", "A finding.", titles, [row])  # type: ignore[list-item]
    return exhibits.gallery.shown["shown"].alt.replace("\N{NO-BREAK SPACE}", " ")


def test_a_difference_is_drawn_about_0_without_the_column_that_no_data_answer(exhibits: Exhibits) -> None:
    cells = [[[DIFFERENCE.format(name), title]] for name, title in zip(("tcp", "none", "card"), TITLES, strict=True)]
    text = told(exhibits, ("send:\nmore", "linear", cells))
    assert text.startswith("Against message size, in 2 panels. send: more, TCP: TCP 136 ns at 1 B")
    assert "more, card: card 87 ns at 1 B" in text and "no such link" not in text


def test_values_below_0_have_their_sign(exhibits: Exhibits) -> None:
    cells = [[["tcp[blocking].send - tcp[non-blocking].send", "TCP"]]]
    assert "TCP \N{MINUS SIGN}136 ns at 1 B" in told(exhibits, ("less", "linear", cells), ("TCP",))


def test_a_step_of_a_time_is_marked_between_its_two_sizes(exhibits: Exhibits) -> None:
    cells = [[["tcp[blocking].send", "TCP"], ["verbs[blocking].send", "kernel RDMA"], ["card[blocking].send", "card"]]]
    text = told(exhibits, ("time", "log", cells), ("send",))
    assert text.endswith("; a step between 4087 and 4088 B; a step between 32 and 64 B.")


def test_a_figure_without_data_is_an_error(exhibits: Exhibits) -> None:
    with pytest.raises(ReportError, match="no curve of shown"):
        told(exhibits, ("time", "log", [[["none", "TCP"]]]), ("TCP",))
