"""A hand-in whose experiment includes a file, up to the grade, and lab.grade.rebuild of its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.lab import hand_ins

from lab.experiment.reader import load
from lab.grade.case import GradingSetup
from lab.grade.finding import Grade
from lab.report.pdf import extract


def split(file: Path) -> None:
    """The same experiment with its link and series in a file beside it."""
    own, link, series = file.read_text().partition("[link]")
    (file.parent / "shared").mkdir()
    (file.parent / "shared" / "both.toml").write_text(link + series)
    head, table, parameters = own.partition("[parameters]")
    file.write_text(f'{head}include = "shared/both.toml"\n{table}{parameters}')


def test_a_hand_in_is_whole_where_its_experiment_includes_a_file(
    grade_file: Callable[..., Grade], tmp_path: Path
) -> None:
    (tmp_path / "lab").mkdir()
    course, site = hand_ins.make_course(tmp_path / "lab"), hand_ins.Site()
    given = course.folder / "course" / "small.toml"
    split(given)
    work = hand_ins.make_work(course, "ada", site)
    split(work.plan.experiment.file)
    work = hand_ins.with_report(course, replace(work, plan=hand_ins.plan_on(work.plan.experiment.file, site, "d")))
    extract(work.report, tmp_path / "taken")
    (alone,) = (tmp_path / "taken").rglob("experiment.toml")
    assert load(alone).series == load(given).series
    plan, own = hand_ins.plan_on(given, site, "d"), course.folder / "grader"
    setup = GradingSetup(course.assignment, site, plan, own, course.templates, course.cache, 1, lambda *_: None)
    found = grade_file(hand_ins.handed_in(work, tmp_path / "ada.pdf"), at=setup)
    assert (found.kinds, found.points) == ((), 100)
