"""Submissions of a kit's solution."""

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from tests.lab import hand_ins
from tests.lab.hand_ins import Course

from lab.errors import SpecError
from lab.files.toml import files_of
from lab.kit.commands import Solved, laid_out, sample, solve
from lab.kit.kit import Kit, load_kit


@pytest.fixture
def solved(kit: Kit, course: Course) -> Solved:
    """The small experiment, measured by the fake site, with the usual discussion as its solution."""
    work = hand_ins.make_work(course, f"solution{len(list(course.folder.iterdir()))}", hand_ins.Site())
    return Solved(replace(kit, assignment=course.assignment), work.plan, work.results)


def test_samples_of_a_solution_differ(solved: Solved, tmp_path: Path) -> None:
    files = list(sample(solved, 2, tmp_path / "in"))
    assert [file.name for file in files] == ["s001.assignment.pdf", "s002.assignment.pdf"]
    assert files[0].read_bytes() != files[1].read_bytes()


def test_each_sample_lacks_a_sentence_and_one_of_five_has_only_the_first(solved: Solved, tmp_path: Path) -> None:
    solved.sources.discussion.write_text("% Of a reference.\n% Two lines.\nOne.\nTwo.\nThree.\n")
    with mock.patch.object(Solved, "handed_in") as handed_in:
        list(sample(solved, 5, tmp_path))
    texts = [call.args[1].split("\n")[:-1] for call in handed_in.call_args_list]
    assert texts == [
        [f"(s00{number}) {word}." for word in chosen.split()]
        for number, chosen in enumerate(("Two Three", "One Three", "One Two", "One Two Three", "One"), 1)
    ]


def test_solution_replaces_starter_files(tmp_path: Path) -> None:
    kit = load_kit("write_the_programs")
    file = laid_out(kit, tmp_path)
    assert file.read_text() == kit.experiment.file.read_text()
    assert "ibv_open_device" in (file.parent / "program" / "open.c").read_text()
    assert (file.parent / "program" / "course.c").exists() and (file.parent / file.stem / "discussion.tex").exists()


def test_solution_has_the_included_files_of_the_experiment(tmp_path: Path) -> None:
    kit = load_kit("verbs_throughput")
    (_, included), (_, copied) = files_of(kit.experiment.file), files_of(laid_out(kit, tmp_path))
    assert copied.parent.name == "shared" and copied.read_text() == included.read_text()


def test_kit_without_a_solution_cannot_be_tried(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no solution"):
        solve(kit, tmp_path, 1, tmp_path)
