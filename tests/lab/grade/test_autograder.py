"""What is in the bundle for Gradescope; that it grades is tested with the exact machine."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.lab.hand_ins import Course

from lab.cli.main import main
from lab.grade.commands import write_bundle
from lab.places import ROOT
from lab.submission.assignment import find_assignment, load_assignment


def bundle(assignment: Any, file: Path, image: Path | None = None) -> zipfile.ZipFile:
    write_bundle(assignment, image, file)
    return zipfile.ZipFile(io.BytesIO(file.read_bytes()))


def test_a_bundle_holds_what_people_wrote_and_the_two_scripts_can_be_run(tmp_path: Path) -> None:
    archive = bundle(load_assignment(find_assignment("verbs_throughput")), tmp_path / "one.zip")
    names = set(archive.namelist())
    assert {"setup.sh", "run_autograder", "Makefile", "code/lab/cli/main.py", "code/machine/init"} <= names
    assert {name.split("/")[0] for name in names} & {"results", "submission", ".cache", ".venv", "tests"} == set()
    assert not any(archive.read(name).startswith(b"\x7fELF") or "__pycache__" in name for name in names)
    for name in ("setup.sh", "run_autograder", "code/setup/setup"):
        assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111
    assert archive.read("assignment") == b"verbs_throughput\n"
    assert archive.read("Makefile") == (ROOT / "Makefile").read_bytes()


def test_an_assignment_from_elsewhere_comes_along_with_its_experiment_and_the_courses_image(
    course: Course, tmp_path: Path
) -> None:
    (tmp_path / "course.lab").write_bytes(b"image")
    archive = bundle(course.assignment, tmp_path / "one.zip", tmp_path / "course.lab")
    assert archive.read("assignment") == b"course/assignment.toml\n" and archive.read("image.lab") == b"image"
    for name in ("assignment.toml", "small.toml"):
        assert archive.read(f"course/{name}") == (course.folder / "course" / name).read_bytes()


def test_the_same_lab_gives_the_same_bundle(course: Course, tmp_path: Path) -> None:
    for name in ("one.zip", "other.zip"):
        write_bundle(course.assignment, None, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()


def test_what_an_experiment_from_elsewhere_includes_comes_along(course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    shutil.copytree(course.folder / "course", folder)
    own, link, more = (folder / "small.toml").read_text().partition("[link]")
    (folder / "shared").mkdir()
    (folder / "shared" / "both.toml").write_text(link + more)
    (folder / "small.toml").write_text(own.replace("[parameters]", 'include = "shared/both.toml"\n[parameters]'))
    archive = bundle(load_assignment(folder / "assignment.toml"), tmp_path / "one.zip")
    assert archive.read("course/shared/both.toml") == (folder / "shared" / "both.toml").read_bytes()


def test_a_course_image_that_is_none_is_found_before_it_is_uploaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "course.lab").write_bytes(b"image")
    words = ["autograder", "--assignment", "verbs_throughput", "--image", str(tmp_path / "course.lab")]
    assert main([*words, str(tmp_path / "one.zip")]) == 2
    assert "is not an exported machine" in capsys.readouterr().err and not (tmp_path / "one.zip").exists()
