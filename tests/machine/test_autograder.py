"""The bundle for Gradescope in a tree that is as empty as a container: it grades, and always reports."""

import json
import os
import subprocess
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests import namespaces
from tests.lab import hand_ins

from lab.grade.commands import write_bundle
from lab.places import BENCH, CACHE
from lab.plan.planning import open_campaign
from lab.run.run import RunSetup, missing, run_trials
from lab.sites.exact import ExactSite
from lab.submission.hand_in import Work

# What the packages put outside of /usr, and of this computer nothing else.
OUTSIDE = ("/etc/alternatives", "/etc/texmf", "/var/lib/texmf", "/etc/fonts")
# Of the cache, what `make build` and the first trial leave; where this is the first, it finds an empty folder.
MADE = ("image", "machine", "plugin", "runner", "exact-here", "bench")
LAB = "#!/autograder/source/.venv/bin/python\nimport lab.__main__\n"
# One repetition decides no comparison: a ratio is in its place.
RATIO = r" by \claim{tcp / verbs at 64} at 64 B,"
DISCUSSION = hand_ins.DISCUSSION.replace(r"\shows{tcp > verbs everywhere}", RATIO)


@dataclass(frozen=True)
class Tree:
    """The folder /autograder of Gradescope."""

    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "source"

    def unpack(self, bundle: Path) -> None:
        """Unpack the zip as Gradescope does, then set up as setup.sh does, without installing and compiling again."""
        with zipfile.ZipFile(bundle) as archive:
            for entry in archive.infolist():
                file = Path(archive.extract(entry, self.source))
                file.chmod(entry.external_attr >> 16 & 0o777)
        for name in ("submission", "results", "source/.cache"):
            (self.folder / name).mkdir()
        for name in MADE:
            (CACHE / name).mkdir(exist_ok=True)
        (self.source / "run_autograder").rename(self.folder / "run_autograder")
        self.run("python3", "-m", "venv", "--without-pip", "/autograder/source/.venv")
        (packages,) = self.source.glob(".venv/lib/python3*/site-packages")
        (packages / "lab.pth").write_text(f"/autograder/source/code\n{sysconfig.get_path('purelib')}\n")
        self._write(".venv/bin/lab", LAB)

    def hand_in(self, name: str) -> Path:
        """Return the path of a new submission's file."""
        for file in (self.folder / "submission").iterdir():
            file.unlink()
        return self.folder / "submission" / name

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the tree, without a network."""
        cached = [word for name in MADE for word in ("--bind", str(CACHE / name), f"/autograder/source/.cache/{name}")]
        links = [word for name in ("bin", "sbin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
        outside = [word for name in OUTSIDE for word in ("--ro-bind-try", name, name)]
        python = sysconfig.get_path("purelib")
        walls = ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--setenv", "PATH", os.defpath]
        walls += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", "/usr", "/usr", *links, *outside]
        walls += ["--ro-bind", python, python, "--bind", str(self.folder), "/autograder"]
        inside = [*walls, *(cached if (self.source / ".cache").exists() else []), "--", *command]
        return subprocess.run(inside, capture_output=True, text=True, check=True, timeout=280)

    def grade(self) -> dict[str, Any]:
        done = self.run("/autograder/run_autograder")
        print(done.stdout, done.stderr)
        return dict(json.loads((self.folder / "results" / "results.json").read_text()))

    def _write(self, name: str, text: str) -> None:
        (self.source / name).write_text(text)
        (self.source / name).chmod(0o755)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> hand_ins.Course:
    made = hand_ins.make_course(tmp_path_factory.mktemp("course"))
    experiment = made.folder / "course" / "small.toml"
    experiment.write_text(experiment.read_text().replace("repetitions = 6", "repetitions = 1"))
    return made


@pytest.fixture(scope="module")
def tree(course: hand_ins.Course, exact: ExactSite) -> Tree:
    """One tree for all tests, so that trials are not measured again."""
    namespaces.need_own()
    assert exact.identity() and BENCH.exists()
    write_bundle(course.assignment, None, course.folder / "bundle.zip")
    tree = Tree(course.folder / "autograder")
    tree.unpack(course.folder / "bundle.zip")
    (tree.source / "templates" / "small.tex").write_bytes((course.templates / "small.tex").read_bytes())
    return tree


def measured_by(name: str, course: hand_ins.Course, exact: ExactSite) -> Work:
    """The work of a student who measured on the exact site."""
    folder = course.folder / name
    (folder / "small").mkdir(parents=True)
    (folder / "small.toml").write_bytes((course.folder / "course" / "small.toml").read_bytes())
    (folder / "small" / "discussion.tex").write_text(DISCUSSION)
    (folder / "small" / "report.toml").write_text(hand_ins.PEOPLE.format(name))
    campaign = open_campaign([folder / "small.toml"], exact, print)
    (plan,) = campaign.plans
    todo, _ = missing([plan], folder / "results")
    assert not run_trials(RunSetup(exact, campaign.facts, folder / "results"), todo, 2, lambda *_: None).failed
    return hand_ins.with_report(course, Work(course.assignment, plan, folder / "results", folder / "small.pdf", ()))


@pytest.mark.release
def test_honest_submission_has_all_points_in_a_container(tree: Tree, course: hand_ins.Course, exact: ExactSite) -> None:
    hand_ins.handed_in(measured_by("ada", course, exact), tree.hand_in("my report.pdf"))
    graded = tree.grade()
    assert graded["score"] == 100, graded
    asked = "discussion: 1 statement about verbs and tcp"
    names = [asked if each == "discussion" else each for each in course.assignment.checks]
    assert [each["name"] for each in graded["tests"]] == names
    assert {each["status"] for each in graded["tests"]} == {"passed"}


def test_results_exist_for_any_submission_and_after_a_crash(tree: Tree) -> None:
    tree.hand_in("x.pdf").write_text("no PDF")
    graded = tree.grade()
    assert graded["score"] == 0 and "[unreadable]" in graded["tests"][0]["output"]
    (tree.source / ".venv" / "bin" / "lab").write_text("#!/bin/false\n")
    assert tree.grade() == {
        "score": 0,
        "output": "The grading broke down before its first check. Please tell the course.",
    }
