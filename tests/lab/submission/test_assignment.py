"""Assignments: asks, demands of programs, steps, deadlines and rubrics."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lab.errors import SpecError
from lab.grade import grading
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.submission.assignment import (
    CHECKS,
    Assignment,
    Criterion,
    Demands,
    DueDate,
    TaskStep,
    Tier,
    find_assignment,
    load_assignment,
)

ASK = '[[asks]]\nabout = ["card", "tcp.card"]\n'
HEAD = 'title = "t"\nexperiment = "verbs_throughput"\n'
WHOLE = HEAD + "[points]\nrerun = 3\n"
STEP = '[[step]]\nseries = "verbs"\npoints = 4\nasks = "it works"\n'
TIERS = 'against = "tcp"\ntiers = [{ at_least = 1, points = 2 }, { at_least = 1.5, points = 3 }]\n'
RUBRIC = '[[rubric]]\nname = "reasoning"\npoints = 7\nasks = "why"\n'
AT = '[deadline]\nat = "2026-12-01T12:00+01:00"\n'


def written(folder: Path, text: str, name: str = "a") -> Path:
    (folder / f"{name}.toml").write_text(text)
    return folder / f"{name}.toml"


def read(folder: Path, text: str) -> Assignment:
    return load_assignment(written(folder, text))


def test_every_bundled_assignment_is_complete() -> None:
    for file in ASSIGNMENTS.glob("*.toml"):
        assignment = load_assignment(file)
        assert assignment.experiment_file.exists() and sum(assignment.points.values()) == 100


def test_check_without_points_is_not_made(tmp_path: Path) -> None:
    assignment = read(tmp_path, WHOLE)
    assert assignment.points["rerun"] == 3 and assignment.points["pages"] == 0 and assignment.checks == ("rerun",)
    assert assignment.experiment_file == EXPERIMENTS / "verbs_throughput.toml" and not assignment.hidden


def test_demands_of_programs_are_read(tmp_path: Path) -> None:
    text = '[program]\nsizes = "1,2K"\nverify = "--verify 1"\nrefuses = ["--depth 0"]\nkilled_server = false\n'
    demands = Demands((1, 2048), ("--verify", "1"), ("--depth 0",), killed_server=False)
    assert read(tmp_path, WHOLE + text).asked == demands


def test_hidden_demands_replace_the_public_ones(tmp_path: Path) -> None:
    text = '[points]\n[program]\nsizes = "8,16"\nseconds = 9\n[hidden_program]\nsizes = "24"\n'
    asked = read(tmp_path, HEAD + text).asked
    assert (asked.sizes, asked.seconds) == ((24,), 9)


@pytest.mark.parametrize(
    ("sizes", "words", "includes", "excludes"),
    [
        ("", "1 statement about card and tcp.card", (1, 1 << 20), ()),
        ("small", "1 statement about card and tcp.card at small sizes", (1, 4096), (8192,)),
        ("large", "1 statement about card and tcp.card at large sizes", (65_536,), (32_768,)),
        ("1..4K", "1 statement about card and tcp.card at 1..4K", (1, 4096), (8192,)),
        ("64, 64K", "1 statement about card and tcp.card at 64, 64K", (64, 65_536), (128,)),
    ],
)
def test_ask_is_about_series_and_sizes(
    tmp_path: Path, sizes: str, words: str, includes: tuple[int, ...], excludes: tuple[int, ...]
) -> None:
    (ask,) = read(tmp_path, WHOLE + ASK + (f'sizes = "{sizes}"\n' if sizes else "")).asks
    assert ask.words == words
    assert all(ask.includes(("tcp.card", "card", "soft.card"), (size,)) for size in includes)
    assert not any(ask.includes(("tcp.card", "card"), (size,)) for size in excludes)
    assert not ask.includes(("card", "tcp"), (64, 65_536))


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (WHOLE + "beauty = 3\n", 5, "unknown key 'beauty'"),
        (WHOLE.replace("= 3", "= -3"), 4, "points.rerun is -3, expected at least 0"),
        ('hidden = ["all"]\n' + WHOLE, 1, "hidden"),
        ('title = "t"\n', 1, "the key 'experiment' is missing"),
        (WHOLE + "[program]\ncolours = 3\n", 6, "unknown key 'colours'"),
        (WHOLE.replace("= 3", "= 3.0"), 4, r"points.rerun is 3.0, expected an integer \(try: rerun = 3\)"),
        (WHOLE + '[program]\nsizes = "1,x"\n', 6, "'x' is not a size"),
        (WHOLE + "[program]\nverify = '\"'\n", 6, "verify: no closing quotation"),
        (WHOLE + "[program]\nrefuses = ['\"']\n", 6, "refuses: no closing quotation"),
        (WHOLE + ASK.replace("tcp.card", "tpc.card"), 6, "unknown series 'tpc.card' of verbs_throughput, expected one"),
        (WHOLE + ASK + 'sizes = "tiny"\n', 7, r"'tiny' is not a size, expected small \(up to 4K\), large"),
        (WHOLE + ASK + 'sizes = "3..3"\n', 7, "card was not measured at 3..3"),
        (HEAD + f"[points]\nsteps = 5\n{STEP}", 3, "points.steps is 5, its steps are worth 4, expected steps = 4"),
        (HEAD + f"[points]\nsteps = 8\n{STEP}{STEP}", 10, "two steps are of the series verbs"),
        (HEAD + f'[points]\nsteps = 4\n{STEP}against = "tcp"\n', 5, "the step verbs has against alone"),
        (HEAD + f"[points]\nsteps = 4\n{STEP.replace('verbs', 'vrebs')}", 6, "unknown series 'vrebs'.*try: 'verbs'"),
        (HEAD + "[points]\n[deadline]\nat = 'soon'\n", 5, "deadline.at is 'soon'"),
        (HEAD + "[points]\n[deadline]\nat = '2026-12-01T12:00'\n", 5, "deadline.at is '2026-12-01T12:00'"),
        (HEAD + f"[points]\n{RUBRIC}{RUBRIC}", 9, "two criteria are called reasoning"),
        (WHOLE + "[discusion]\n", 5, "unknown key 'discusion'.*try: 'discussion'"),
        (WHOLE + "[leaderboard]\nseries = 'many'\n", 6, "the leaderboard is of 'many', which is not a step"),
        (HEAD + 'identities = ["exakt"]\n[points]\n', 3, 'identities is "exakt", expected the name of the assignment'),
        (HEAD + 'identities = ["0123456789abcde"]\n[points]\n', 3, "or 16 digits or more"),
        (HEAD + 'identities = ["0123456789ABCDEF"]\n[points]\n', 3, "or 16 digits or more"),
        (HEAD + 'identities = ["host"]\n[points]\n', 3, "names 'host', and .* expected 'exact', or the digest"),
        (HEAD + "identities = []\n[points]\n", 3, "at least 1 item"),
        (HEAD + 'identities = ["exact", "exact"]\n[points]\n', 3, "every value once"),
    ],
)
def test_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


def test_only_assignment_of_a_folder_needs_no_name(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    assert find_assignment(None, tmp_path) == find_assignment("a", tmp_path) == find_assignment(str(file)) == file
    written(tmp_path, WHOLE, "b")
    with pytest.raises(SpecError, match="several assignments") as caught:
        find_assignment(None, tmp_path)
    assert caught.value.expected == "one of a, b" and caught.value.hint == "ASSIGNMENT=a"
    written(tmp_path, WHOLE, "latency")
    with pytest.raises(SpecError, match="unknown assignment latncy") as caught:
        find_assignment("latncy", tmp_path)
    assert caught.value.hint == "'latency'?"


def test_grader_has_every_check_that_an_assignment_can_name() -> None:
    assert tuple(grading.CHECKS) == CHECKS


def test_step_has_points_and_tiers(tmp_path: Path) -> None:
    (step,) = read(tmp_path, HEAD + f"[points]\nsteps = 9\n{STEP}{TIERS}").steps
    assert step == TaskStep("verbs", 4, "it works", against="tcp", tiers=(Tier(1.0, 2), Tier(1.5, 3)))
    assert step.most == 9


def test_terms_are_read_and_a_rubric_has_points(tmp_path: Path) -> None:
    head = "people_at_most = 2\nanonymous = true\n[points]\nrerun = 3\n"
    assignment = read(tmp_path, HEAD + f"{head}{RUBRIC}{AT}late_days = 1\n")
    due = DueDate("2026-12-01T12:00+01:00", late_days=1)
    assert (assignment.deadline, assignment.people_at_most, assignment.anonymous) == (due, 2, True)
    assert assignment.rubric == (Criterion("reasoning", 7, "why"),) and assignment.most == 10


def test_late_day_counts_as_soon_as_it_begins() -> None:
    deadline = DueDate("2026-12-01T12:00+00:00", late_days=2, percent_a_day=25)
    moments = {(1, 11): 0, (1, 12): 0, (1, 13): 1, (2, 12): 1, (2, 13): 2, (4, 13): 4}
    for (day, hour), late in moments.items():
        assert deadline.days_late(datetime(2026, 12, day, hour, tzinfo=UTC)) == late
    assert [deadline.share(days, 0) for days in range(4)] == [1.0, 0.75, 0.5, 0.0]
    assert [deadline.share(days, 1) for days in range(5)] == [1.0, 1.0, 0.75, 0.5, 0.0]


DIGEST = "0123456789abcdef"
LISTING = f'site = "host:rxe"\nidentities = ["host", "{DIGEST}"]\n'


@pytest.mark.parametrize(
    ("text", "recorded_as", "digest", "here", "is_accepted"),
    [
        ("", "exact", "f" * 64, True, True),
        ("", "exact", "f" * 64, False, False),
        ('site = "host:rxe"\n', "host", "f" * 64, True, False),
        (LISTING, "host", "f" * 64, True, True),
        (LISTING, "host", DIGEST + "0" * 48, False, True),
        (LISTING, "host", "0123456789abcdee" + "0" * 48, False, False),
        (f'identities = ["{DIGEST}"]\n', "exact", "f" * 64, True, False),
    ],
)
def test_assignment_accepts_the_identities_that_it_lists(
    tmp_path: Path, text: str, recorded_as: str, digest: str, here: Any, is_accepted: Any
) -> None:
    course = read(tmp_path, text + WHOLE)
    assert course.recorded_as == recorded_as and course.accepts(digest, here=here) == is_accepted
