"""`lab try` on the fake site: lab.cli.{first,remaining}."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import INTERRUPTED, first
from lab.cli.main import main
from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.plan.planning import all_experiments
from lab.report.evidence.words import rdma_words
from lab.run.run import RunSummary
from lab.sites.site import MODULES, Clock

PNG = b"\x89PNG"


@pytest.fixture
def lab_try(
    experiment_file: Callable[[], Path], fake_site: FakeSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The command on the fake site, with an experiment of programs that need no build."""
    monkeypatch.setattr(first, "FIRST", experiment_file())
    monkeypatch.setattr("tests.lab.fake_site.SITE", fake_site)
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")
    return ["try", "--site", "exact", "--results", str(tmp_path / "results"), "--out", str(tmp_path / "report")]


def test_the_figure_stands_in_letters_and_as_a_file(
    lab_try: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(lab_try) == 0
    out, err = capsys.readouterr()
    png = tmp_path / "report" / "small" / "throughput.png"
    assert png.read_bytes().startswith(PNG) and str(png) in out
    assert sum("peer" in line and "B/s" in line for line in out.splitlines()) == 6 and "peer: ib_write_bw" in out
    assert "drawing" in err and "\x1b" not in out


def test_it_says_what_the_numbers_are(lab_try: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(lab_try)
    said = " ".join(capsys.readouterr().out.split())
    assert "RDMA is kernel RDMA (Soft-RoCE, rxe0)" in said and "n = 2 repetitions" in said
    assert "executes one instruction a nanosecond" in said and "do not predict real hardware" in said


def test_it_says_what_to_do_next(lab_try: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(lab_try)
    after = capsys.readouterr().out.partition("Next:")[2]
    assert "make all" in after and str(first.FIRST) in after and "discussion.tex" in after


def test_the_same_command_again_measures_nothing(lab_try: list[str], fake_site: FakeSite) -> None:
    assert (main(lab_try), fake_site.jobs) == (0, 4)
    assert (main(lab_try), fake_site.jobs) == (0, 4)


def test_a_failed_trial_is_named_and_no_figure_is_drawn(
    lab_try: list[str], fake_site: FakeSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_site.stop()
    assert main(lab_try) == 1
    out, err = capsys.readouterr()
    assert "failed: " in err and not out and not (tmp_path / "report").exists()


def test_an_interrupt_says_that_it_goes_on(
    lab_try: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first, "run_remaining", lambda *_: RunSummary(interrupted=True, left=3))
    assert main(lab_try) == INTERRUPTED
    assert "3 trials are left" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "cards"), [(first.FIRST, ("qdr",)), (first.ON_A_REAL_LINK, ())])
def test_its_experiment_has_eight_sizes_and_is_none_of_those_that_make_all_measures(
    file: Path, cards: tuple[str, ...]
) -> None:
    experiment = load(file)
    assert {each.program for each in experiment.series} == {"verbs", "tcp"} and experiment.cards == cards
    assert all(len(each.sizes("exact")) == 8 for each in experiment.series)
    assert file not in all_experiments() and file.parent != EXPERIMENTS
    assert first.DISCUSSION.is_file()


def test_a_real_link_has_cards_of_its_own_and_another_first_experiment(
    lab_try: list[str], fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first, "ON_A_REAL_LINK", first.FIRST)
    monkeypatch.setattr(first, "FIRST", Path("none.toml"))
    monkeypatch.setattr(FakeSite, "traits", replace(fake_site.traits, clock=Clock.WALL))
    assert main(lab_try) == 0
    assert "MB/s" in capsys.readouterr().out


def test_a_device_of_hardware_is_not_called_software() -> None:
    assert rdma_words("mlx5_0") == "RDMA uses the device mlx5_0."
