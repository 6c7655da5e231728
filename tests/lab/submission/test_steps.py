"""Steps, terms and what only the grader asks: lab.submission.assignment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.submission.assignment import Assignment, Criterion, DueDate, TaskStep, Terms, Tier, load_assignment

WHOLE = 'title = "t"\nexperiment = "verbs_throughput"\n'
STEP = '[[step]]\nseries = "verbs"\npoints = 4\nasks = "it works"\n'
TIERS = 'against = "tcp"\ntiers = [{ at_least = 1, points = 2 }, { at_least = 1.5, points = 3 }]\n'
RUBRIC = '[[rubric]]\nname = "reasoning"\npoints = 7\nasks = "why"\n'
AT = '[deadline]\nat = "2026-12-01T12:00+01:00"\n'


def read(folder: Path, text: str) -> Assignment:
    (folder / "a.toml").write_text(WHOLE + text)
    return load_assignment(folder / "a.toml")


def test_a_step_has_points_and_tiers(tmp_path: Path) -> None:
    assignment = read(tmp_path, f"[points]\nsteps = 9\n{STEP}{TIERS}")
    (step,) = assignment.steps
    assert (
        step == TaskStep("verbs", 4, "it works", against="tcp", tiers=(Tier(1.0, 2), Tier(1.5, 3))) and step.most == 9
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"[points]\nsteps = 5\n{STEP}", "points.steps is 5, its steps are worth 4, expected steps = 4"),
        (f"[points]\nsteps = 8\n{STEP}{STEP}", "two steps are of the series verbs"),
        (f'[points]\nsteps = 4\n{STEP}against = "tcp"\n', "the step verbs has against alone"),
        (f"[points]\nsteps = 4\n{STEP.replace('verbs', 'vrebs')}", "the series vrebs, which verbs_throughput lacks"),
        (f"[points]\nsteps = 4\n{STEP}colour = 3\n", "unknown key 'colour'"),
        ("[points]\n[deadline]\nat = 'soon'\n", "deadline.at is 'soon'"),
        ("[points]\n[deadline]\nat = '2026-12-01T12:00'\n", "deadline.at is '2026-12-01T12:00'"),
        (f"[points]\n{RUBRIC}{RUBRIC}", "two criteria are called reasoning"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        read(tmp_path, text)
    assert caught.value.line


def test_terms_are_read_and_a_rubric_has_points(tmp_path: Path) -> None:
    head = "people_at_most = 2\nanonymous = true\n[points]\nrerun = 3\n"
    assignment = read(tmp_path, f"{head}{RUBRIC}{AT}late_days = 1\n")
    wanted = DueDate("2026-12-01T12:00+01:00", late_days=1)
    assert assignment.terms == Terms(wanted, 2, anonymous=True, rubric=(Criterion("reasoning", 7, "why"),))
    assert assignment.most == 10


def test_what_is_hidden_takes_the_place_of_what_is_public(tmp_path: Path) -> None:
    text = '[points]\n[program]\nsizes = "8,16"\nseconds = 9\n[hidden_program]\nsizes = "24"\n'
    asked = read(tmp_path, text).asked
    assert (asked.sizes, asked.seconds) == ((24,), 9)


def test_each_late_day_that_has_begun_counts() -> None:
    deadline = DueDate("2026-12-01T12:00+00:00", late_days=2, percent_a_day=25)
    moments = {(1, 11): 0, (1, 12): 0, (1, 13): 1, (2, 12): 1, (2, 13): 2, (4, 13): 4}
    for (day, hour), late in moments.items():
        assert deadline.days_late(datetime(2026, 12, day, hour, tzinfo=UTC)) == late
    assert [deadline.share(days, 0) for days in range(4)] == [1.0, 0.75, 0.5, 0.0]
    assert [deadline.share(days, 1) for days in range(5)] == [1.0, 1.0, 0.75, 0.5, 0.0]
