"""A kit: its assignment with what a course hands out; the parcel for students, and a kit to start from."""

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.files.storage import write_bytes, write_text
from lab.grade.commands import PARTS, written_by_people
from lab.places import ASSIGNMENTS, EXPERIMENTS, ROOT, TEMPLATES
from lab.plan.planning import find_experiment
from lab.submission.archive import pack
from lab.submission.assignment import Assignment, find_assignment, load_assignment

SOLUTION = "solution"  # files that replace those beside the experiment
MORE = ("docs", "results/reference")  # of the checkout, which an autograder does not need
HANDOUT = "HANDOUT.html"
SETTINGS = (".clang-format", ".devcontainer/devcontainer.json", ".dockerignore", ".editorconfig", ".gitignore")
AUTHOR = ("-c", "user.name=Verbyte", "-c", "user.email=verbyte@localhost", "-c", "commit.gpgsign=false")
# From this line on, students do not get an assignment's file.
COURSE_PART = re.compile(r"^# -+ .*the course's alone.*$", re.MULTILINE)
NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


@dataclass(frozen=True)
class Kit:
    assignment: Assignment
    experiment: Experiment

    @property
    def name(self) -> str:
        return self.assignment.name

    @property
    def folder(self) -> Path:
        return self.assignment.file.with_suffix("")

    @property
    def handout(self) -> Path:
        return self.folder / "handout.md"

    def solution(self) -> dict[Path, bytes]:
        """The files of the solution by their path relative to the experiment's folder."""
        folder = self.folder / SOLUTION
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        return {file.relative_to(folder): file.read_bytes() for file in files}


def load_kit(named: str | None) -> Kit:
    assignment = load_assignment(find_assignment(named))
    kit = Kit(assignment, load(assignment.experiment_file))
    if not kit.handout.is_file():
        raise SpecError("the kit has no hand-out", file=kit.handout, hint=f"lab kit new {kit.name}, to see one")
    return kit


def parcel(kit: Kit, page: str) -> dict[str, bytes]:
    """The files of a parcel by their path in a checkout."""
    if ASSIGNMENTS not in kit.assignment.file.resolve().parents:
        where = f"experiments/assignments/{kit.assignment.file.name}"
        what = "a kit must be inside the checkout to be packaged"
        raise SpecError(what, file=kit.assignment.file, expected=where)
    checkout = (file for part in (*PARTS, *MORE) for file in written_by_people(ROOT / part))
    files = {str(file.relative_to(ROOT)): file.read_bytes() for file in checkout if _is_for_students(file, kit)}
    name = str(kit.assignment.file.resolve().relative_to(ROOT))
    students_part = COURSE_PART.split(files[name].decode(), maxsplit=1)[0].rstrip() + "\n"
    return files | {name: students_part.encode(), HANDOUT: page.encode()}


def write_parcel(kit: Kit, page: str, file: Path) -> int:
    """Write the zip; return the number of its files."""
    files = parcel(kit, page)
    write_bytes(file, pack(files, _runnable(files)))
    return len(files)


def _runnable(files: Iterable[str]) -> set[str]:
    return {name for name in files if os.access(ROOT / name, os.X_OK)}


def write_repository(kit: Kit, page: str, folder: Path) -> int:
    """Write the parcel as a git repository with one commit; return the number of its files."""
    if folder.exists():
        raise SpecError("exists already, and a repository is never replaced", file=folder, hint="--out DIR")
    readme = (TEMPLATES / "kit" / "README.md").read_text().format(title=kit.assignment.title)
    workflow = (TEMPLATES / "kit" / "preview-grade.yml").read_bytes()
    files = parcel(kit, page) | {name: (ROOT / name).read_bytes() for name in SETTINGS}
    files |= {"README.md": readme.encode(), ".github/workflows/preview-grade.yml": workflow}
    runnable = _runnable(files)
    for name, content in files.items():
        write_bytes(folder / name, content, runnable=name in runnable)
    for command in (("init", "--quiet", "--initial-branch=main"), ("add", "."), (*AUTHOR, "commit", "-qm", kit.name)):
        try:
            subprocess.run(("git", *command), cwd=folder, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SpecError(
                f"git failed: {error}", file=folder, hint="git --version; git init in this folder"
            ) from error
    return len(files)


def _is_for_students(file: Path, kit: Kit) -> bool:
    """Whether students get a file: not those of other kits, and not the solution."""
    if ASSIGNMENTS not in file.parents:
        return True
    if kit.folder in file.parents:
        return SOLUTION not in file.relative_to(kit.folder).parts
    return file == kit.assignment.file.resolve() or (file.parent == ASSIGNMENTS and file.suffix != ".toml")


def new_kit(name: str, experiment: str, folder: Path = ASSIGNMENTS) -> list[Path]:
    """Write the files of a new kit, none of which replaces another; return their paths."""
    if not NAME.fullmatch(name):
        expected = "lower-case letters, digits and _, a letter first"
        raise SpecError(f"{name!r:.80} is not a valid name for a kit", expected=expected)
    file = find_experiment(Path(experiment))
    try:
        named = file.resolve().relative_to(EXPERIMENTS.resolve()).with_suffix("")
    except ValueError:
        raise SpecError("is not inside the checkout", file=file, expected="a file below experiments/") from None
    loaded = load(file)
    values = {"title": loaded.title.replace('"', "'"), "question": loaded.question.strip()}
    values |= {"experiment": str(named), "series": loaded.series[0].name}
    files = {folder / f"{name}.toml": "assignment.toml", folder / name / "handout.md": "handout.md"}
    for file in files:
        if file.exists():
            raise SpecError("exists already, and a kit is never replaced", file=file, hint="another name")
    for file, template in files.items():
        write_text(file, (TEMPLATES / "kit" / template).read_text().format(**values))
    return list(files)
