"""`lab try` on the fake site."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import INTERRUPTED, first
from lab.cli.main import main
from lab.experiment.reader import load
from lab.plan.planning import all_experiments
from lab.report.evidence.words import rdma_words
from lab.run.run import RunSummary
from lab.sites.site import MODULES, Clock


@pytest.fixture
def lab_try(
    experiment_file: Callable[[], Path], fake_site: FakeSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The command on the fake site, with programs that need no build."""
    monkeypatch.setattr(first, "FIRST", experiment_file())
    monkeypatch.setattr("tests.lab.fake_site.SITE", fake_site)
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")
    return ["try", "--site", "exact", "--results", str(tmp_path / "results"), "--out", str(tmp_path / "report")]


def test_figure_is_drawn_as_text_and_as_a_file_with_the_next_steps(
    lab_try: list[str], fake_site: FakeSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (main(lab_try), fake_site.jobs) == (0, 4)
    out, err = capsys.readouterr()
    png = tmp_path / "report" / "small" / "throughput.png"
    assert png.read_bytes().startswith(b"\x89PNG") and str(png) in out
    assert sum("peer" in line and "B/s" in line for line in out.splitlines()) == 6 and "peer: ib_write_bw" in out
    assert "drawing" in err and "\x1b" not in out
    text = " ".join(out.split())
    assert "RDMA is kernel RDMA (Soft-RoCE, rxe0)" in text and "n = 2 repetitions" in text
    assert "executes one instruction a nanosecond" in text and "do not predict real hardware" in text
    after = out.partition("Next:")[2]
    assert "make all" in after and str(first.FIRST) in after and "discussion.tex" in after
    assert (main(lab_try), fake_site.jobs) == (0, 4)


def test_failed_trial_is_named_and_no_figure_is_drawn(
    lab_try: list[str], fake_site: FakeSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_site.stop()
    assert main(lab_try) == 1
    out, err = capsys.readouterr()
    assert "failed: " in err and not out and not (tmp_path / "report").exists()


def test_interrupt_reports_what_is_left(
    lab_try: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first, "run_remaining", lambda *_: RunSummary(interrupted=True, left=3))
    assert main(lab_try) == INTERRUPTED
    assert "3 trials are left" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "cards"), [(first.FIRST, ("qdr",)), (first.ON_A_REAL_LINK, ())])
def test_first_experiment_has_eight_sizes_and_is_not_in_make_all(file: Path, cards: tuple[str, ...]) -> None:
    experiment = load(file)
    assert {series.program for series in experiment.series} == {"verbs", "tcp"} and experiment.cards == cards
    assert all(len(series.sizes("exact")) == 8 for series in experiment.series)
    assert file not in all_experiments() and first.DISCUSSION.is_file()


def test_real_link_has_another_first_experiment(
    lab_try: list[str], fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first, "ON_A_REAL_LINK", first.FIRST)
    monkeypatch.setattr(first, "FIRST", Path("none.toml"))
    monkeypatch.setattr(FakeSite, "traits", replace(fake_site.traits, clock=Clock.WALL))
    assert main(lab_try) == 0
    assert "MB/s" in capsys.readouterr().out
    assert rdma_words("mlx5_0") == "RDMA uses the device mlx5_0."
