"""The bundle for Gradescope; that it grades is tested with the exact machine."""

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import Lab
from tests.lab.grade.test_grading import split
from tests.lab.hand_ins import Course

from lab.places import ROOT


@pytest.fixture
def bundle(lab: Lab) -> Callable[..., zipfile.ZipFile]:
    def make(assignment: str, file: Path) -> zipfile.ZipFile:
        assert lab("autograder", "--assignment", assignment, file).status == 0
        return zipfile.ZipFile(io.BytesIO(file.read_bytes()))

    return make


def test_bundle_has_the_files_that_people_wrote_and_scripts_that_run(
    bundle: Callable[..., zipfile.ZipFile], tmp_path: Path
) -> None:
    archive = bundle("verbs_throughput", tmp_path / "one.zip")
    names = set(archive.namelist())
    assert {"setup.sh", "run_autograder", "Makefile", "code/lab/cli/main.py", "code/machine/init"} <= names
    assert not {name.split("/")[0] for name in names} & {"results", "submission", ".cache", ".venv", "tests"}
    assert not any(archive.read(name).startswith(b"\x7fELF") or "__pycache__" in name for name in names)
    for name in ("setup.sh", "run_autograder", "code/setup/setup"):
        assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111
    assert archive.read("assignment") == b"verbs_throughput\n"
    assert archive.read("Makefile") == (ROOT / "Makefile").read_bytes()


def test_bundle_of_an_assignment_from_elsewhere_has_all_its_files(
    bundle: Callable[..., zipfile.ZipFile], course: Course, tmp_path: Path
) -> None:
    folder = tmp_path / "course"
    shutil.copytree(course.folder / "course", folder)
    split(folder / "small.toml")
    archive = bundle(str(folder / "assignment.toml"), tmp_path / "one.zip")
    assert archive.read("assignment") == b"course/assignment.toml\n"
    for name in ("assignment.toml", "small.toml", "shared/both.toml"):
        assert archive.read(f"course/{name}") == (folder / name).read_bytes()
    bundle(str(folder / "assignment.toml"), tmp_path / "other.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()


def test_file_that_is_no_image_is_refused(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "course.lab").write_bytes(b"image")
    words = ("--assignment", "verbs_throughput", "--image", tmp_path / "course.lab")
    status, _, err = lab("autograder", *words, tmp_path / "one.zip")
    assert status == 2 and "is not an exported machine" in err and not (tmp_path / "one.zip").exists()
