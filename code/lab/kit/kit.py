"""A kit: an assignment's file, and beside it a folder of its name with all that a course hands out or keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.spec.experiment import Experiment
from lab.spec.reader import load
from lab.submission.assignment import Assignment, find_assignment, load_assignment

SOLUTION = "solution"  # files that take the place of those beside the experiment


@dataclass(frozen=True)
class Kit:
    """One assignment as a course gives it."""

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

    @property
    def solution(self) -> Path:
        return self.folder / SOLUTION

    def solved(self) -> dict[Path, bytes]:
        """The files of the solution, by where they lie seen from the experiment's folder."""
        files = sorted(each for each in self.solution.rglob("*") if each.is_file())
        return {each.relative_to(self.solution): each.read_bytes() for each in files}


def load_kit(named: str | None) -> Kit:
    """The whole kit, or an error that says what it lacks."""
    assignment = load_assignment(find_assignment(named))
    kit = Kit(assignment, load(assignment.experiment))
    if not kit.handout.is_file():
        raise SpecError("the kit has no hand-out", file=kit.handout, hint=f"lab kit new {kit.name}, to see one")
    return kit
