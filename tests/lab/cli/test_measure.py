"""Missing trials are run, with progress: lab.cli.{measure,progress}."""

import io
from collections.abc import Callable

import pytest

from lab.cli.measure import Progress
from lab.plan.plan import Plan, Planned
from lab.run.estimate import TimeEstimate

Make = Callable[..., Plan]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("lab.cli.measure.time.monotonic", lambda: now[0])
    return now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(clock: list[float], trials: list[Planned], times: list[float], stream: io.StringIO) -> list[str]:
    """The progress of trials that end at these times."""
    progress = Progress(trials, stream, TimeEstimate())
    for planned, clock[0] in zip(trials, times, strict=False):
        progress.watch("measured", planned)
    print("report/one.pdf")
    progress.close()
    return stream.getvalue().splitlines()


def test_only_a_long_run_has_lines_of_progress(clock: list[float], make_small_plan: Make) -> None:
    peer = make_small_plan().planned[0]
    assert watched(clock, [peer] * 2, [0.5, 1.9], io.StringIO()) == []
    clock[0] = 0.0
    first, *others = watched(clock, [peer] * 4, [11.0, 12.0, 22.0, 33.0], io.StringIO())
    assert first == "1 of 4 trials; peer measured"
    assert others[0] == "3 of 4 trials, about 6 s left; peer measured"  # 11 s for two, since the first has ended
    assert others[1].startswith("4 of 4 trials")


def test_trial_with_more_processes_counts_as_longer(clock: list[float], make_small_plan: Make) -> None:
    """The estimates are 8 s for six pairs of programs and 3 s for one pair."""
    plan = make_small_plan()
    _, line = watched(clock, [plan.planned[-1], plan.planned[-1], plan.planned[0]], [10.0, 40.0], io.StringIO())
    assert "about 80 s left" in line


def test_terminal_has_a_bar_and_results_go_to_their_file(
    clock: list[float], make_small_plan: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = Terminal()
    text = "".join(watched(clock, [make_small_plan().planned[0]] * 2, [5.0, 10.0], stream))
    assert "2 of 2" in text and "one.pdf" not in text
    assert capsys.readouterr().out == "report/one.pdf\n"
