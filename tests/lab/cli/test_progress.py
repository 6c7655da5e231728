import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module

from lab.cli.progress import Progress
from lab.plan.plan import Plan
from lab.run.estimate import TimeEstimate
from lab.run.run import RunSetup, missing, run_trials

Make = Callable[..., Plan]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("lab.cli.progress.time.monotonic", lambda: now[0])
    return now


def said(clock: list[float], planned: Any, times: list[float]) -> str:
    stream = io.StringIO()
    progress = Progress([planned] * len(times), stream, TimeEstimate())
    for time in times:
        clock[0] = time
        progress.watch("measured", planned)
    progress.close()
    return stream.getvalue()


def test_a_short_run_says_nothing(clock: list[float], make_small_plan: Any) -> None:
    assert said(clock, make_small_plan().planned[0], [0.5, 1.9]) == ""


def test_a_long_run_says_what_is_left_now_and_then(clock: list[float], make_small_plan: Any) -> None:
    text = said(clock, make_small_plan().planned[0], [11.0, 12.0, 22.0, 33.0])
    assert text.splitlines()[0] == "1 of 4 trials, about 33 s left; peer measured"
    assert [line.split()[0] for line in text.splitlines()] == ["1", "3", "4"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(clock: list[float], make_small_plan: Any) -> None:
    stream, planned = Terminal(), make_small_plan().planned[0]
    progress = Progress([planned] * 2, stream, TimeEstimate())
    for clock[0] in (5.0, 10.0):
        progress.watch("measured", planned)
    progress.close()
    assert "2 of 2" in stream.getvalue()


def test_what_is_printed_beside_a_bar_reaches_the_file_that_it_is_for(
    clock: list[float], make_small_plan: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    stream, planned = Terminal(), make_small_plan().planned[0]
    progress = Progress([planned] * 2, stream, TimeEstimate())
    clock[0] = 5.0
    progress.watch("measured", planned)
    print("report/one.pdf")
    progress.close()
    assert capsys.readouterr().out == "report/one.pdf\n" and "one.pdf" not in stream.getvalue()


def test_trials_that_start_more_programs_are_taken_to_take_longer(clock: list[float], make_small_plan: Any) -> None:
    """Six pairs of programs are guessed at 8 s, one pair at 3."""
    peer, ours = make_small_plan().planned[0], make_small_plan().planned[-1]
    assert (len(peer.trial.job.steps), len(ours.trial.job.steps)) == (6, 1)
    stream = io.StringIO()
    progress = Progress([ours, peer], stream, TimeEstimate())
    clock[0] = 30.0
    progress.watch("measured", ours)
    assert "about 80 s left" in stream.getvalue()


def test_nothing_known_is_guessed_by_the_number_of_processes(make_small_plan: Make, tmp_path: Path) -> None:
    planned = make_small_plan().planned
    assert TimeEstimate(planned, tmp_path).total_s(planned[:1]) == 3 + 5
    assert TimeEstimate(planned, tmp_path).total_s(planned[-1:]) == 3
    assert TimeEstimate().total_s(planned, 2) == TimeEstimate().total_s(planned) / 2


def test_what_was_measured_says_how_long_its_like_take(make_small_plan: Make, tmp_path: Path) -> None:
    plan, site = make_small_plan(), fake_module.FakeSite(0.01)
    todo, _ = missing([plan], tmp_path)
    run_trials(RunSetup(site, plan.site, tmp_path), todo[:5], 2, lambda *_: None)
    left, _ = missing([plan], tmp_path)
    assert 0 < TimeEstimate(plan.planned, tmp_path).total_s(left) < 1
