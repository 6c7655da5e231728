"""`lab try` on the fake site."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.conftest import Lab, Ran
from tests.lab.fake_site import FakeSite

from lab.cli import INTERRUPTED, first
from lab.experiment.reader import load
from lab.plan.planning import all_experiments
from lab.report.evidence.words import rdma_words
from lab.sites.site import Clock


@pytest.fixture
def lab_try(
    lab: Lab, experiment_file: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Ran]:
    """The command on the fake site, with programs that need no build."""
    monkeypatch.setattr(first, "FIRST", experiment_file())
    places = ("--results", tmp_path / "results", "--out", tmp_path / "report")
    return lambda: lab("try", "--site", "exact", *places)


def test_figure_is_drawn_as_text_and_as_a_file_with_the_next_steps(
    lab_try: Callable[[], Ran], fake_site: FakeSite, tmp_path: Path
) -> None:
    status, out, err = lab_try()
    assert (status, fake_site.jobs) == (0, 4)
    png = tmp_path / "report" / "small" / "throughput.png"
    assert png.read_bytes().startswith(b"\x89PNG") and str(png) in out
    assert sum("peer" in line and "B/s" in line for line in out.splitlines()) == 6 and "peer: ib_write_bw" in out
    assert "drawing" in err and "\x1b" not in out
    text, after = " ".join(out.split()), out.partition("Next:")[2]
    assert "RDMA is kernel RDMA (Soft-RoCE, rxe0)" in text and "n = 2 repetitions" in text
    assert "executes one instruction a nanosecond" in text and "do not predict real hardware" in text
    assert "make all" in after and str(first.FIRST) in after and "discussion.tex" in after
    assert (lab_try().status, fake_site.jobs) == (0, 4)


def test_failed_trial_is_named_and_no_figure_is_drawn(
    lab_try: Callable[[], Ran], fake_site: FakeSite, tmp_path: Path
) -> None:
    fake_site.stop()
    status, out, err = lab_try()
    assert status == 1 and "failed: " in err and not out and not (tmp_path / "report").exists()


def test_interrupt_reports_what_is_left(lab_try: Callable[[], Ran], monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt("3 trials are left")

    monkeypatch.setattr(first, "run_remaining", interrupt)
    status, _, err = lab_try()
    assert status == INTERRUPTED and "3 trials are left" in err


@pytest.mark.parametrize(("file", "cards"), [(first.FIRST, ("qdr",)), (first.ON_A_REAL_LINK, ())])
def test_first_experiment_has_eight_sizes_and_is_not_in_make_all(file: Path, cards: tuple[str, ...]) -> None:
    experiment = load(file)
    assert {series.program for series in experiment.series} == {"verbs", "tcp"} and experiment.cards == cards
    assert all(len(series.sizes("exact")) == 8 for series in experiment.series)
    assert file not in all_experiments() and first.DISCUSSION.is_file()


def test_real_link_has_another_first_experiment(
    lab_try: Callable[[], Ran], fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first, "ON_A_REAL_LINK", first.FIRST)
    monkeypatch.setattr(first, "FIRST", Path("none.toml"))
    monkeypatch.setattr(FakeSite, "traits", replace(fake_site.traits, clock=Clock.WALL))
    status, out, _ = lab_try()
    assert status == 0 and "MB/s" in out and rdma_words("mlx5_0") == "RDMA uses the device mlx5_0."
