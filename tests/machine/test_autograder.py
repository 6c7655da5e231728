"""The bundle for Gradescope in a tree of its own: it grades there, by the real machine, and never says nothing."""

from __future__ import annotations

import pytest
from tests import namespaces
from tests.lab import hand_ins
from tests.machine.autograder_tree import Tree

from lab.grade.commands import write_bundle
from lab.places import BENCH
from lab.plan.planning import open_workshop
from lab.run.run import RunSetup, missing, run_trials
from lab.sites.exact import ExactSite
from lab.submission.hand_in import Work

# Two repetitions decide no comparison: a ratio stands in its place.
RATIO = r" by \claim{tcp / verbs at 64} at 64 B,"
DISCUSSION = hand_ins.DISCUSSION.replace(r"\shows{tcp > verbs everywhere}", RATIO)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> hand_ins.Course:
    made = hand_ins.make_course(tmp_path_factory.mktemp("course"))
    experiment = made.folder / "course" / "small.toml"
    experiment.write_text(experiment.read_text().replace("repetitions = 6", "repetitions = 2"))
    return made


@pytest.fixture(scope="module")
def tree(course: hand_ins.Course, exact: ExactSite) -> Tree:
    """One for all tests: the trials that it has measured are not measured again."""
    namespaces.need_own()
    assert exact.identity() and BENCH.exists()
    write_bundle(course.assignment, None, course.folder / "bundle.zip")
    tree = Tree(course.folder / "autograder")
    tree.unpack(course.folder / "bundle.zip")
    (tree.source / "templates" / "small.tex").write_bytes((course.templates / "small.tex").read_bytes())
    return tree


def measured_by(name: str, course: hand_ins.Course, exact: ExactSite) -> Work:
    """A student who has measured on the exact machine, and has written the texts."""
    folder = course.folder / name
    (folder / "small").mkdir(parents=True)
    (folder / "small.toml").write_bytes((course.folder / "course" / "small.toml").read_bytes())
    (folder / "small" / "discussion.tex").write_text(DISCUSSION)
    (folder / "small" / "report.toml").write_text(hand_ins.PEOPLE.format(name))
    shop = open_workshop([folder / "small.toml"], exact, print)
    (plan,) = shop.plans
    todo, _ = missing([plan], folder / "results")
    assert not run_trials(RunSetup(exact, shop.facts, folder / "results"), todo, 2, lambda *_: None).failed
    return hand_ins.with_report(course, Work(course.assignment, plan, folder / "results", folder / "small.pdf", ()))


def test_an_honest_hand_in_has_all_points_in_a_container(tree: Tree, course: hand_ins.Course, exact: ExactSite) -> None:
    hand_ins.handed_in(measured_by("ada", course, exact), tree.hand_in("my report.pdf"))
    graded = tree.grade()
    assert graded["score"] == 100, graded
    asked = "discussion: 1 statement about verbs and tcp"
    names = [asked if each == "discussion" else each for each in course.assignment.checks]
    assert [each["name"] for each in graded["tests"]] == names
    assert {each["status"] for each in graded["tests"]} == {"passed"}


def test_whatever_is_handed_in_and_whatever_breaks_there_are_results(tree: Tree) -> None:
    tree.hand_in("x.pdf").write_text("no PDF")
    graded = tree.grade()
    assert graded["score"] == 0 and "[unreadable]" in graded["tests"][0]["output"]
    (tree.source / ".venv" / "bin" / "lab").write_text("#!/bin/false\n")
    assert tree.grade() == {
        "score": 0,
        "output": "The grading broke down before its first check. Please tell the course.",
    }
