"""What students get: lab.kit.kit."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.kit.kit import HANDOUT, Kit, load_kit, parcel, students_part
from lab.places import ASSIGNMENTS, ROOT
from lab.submission.assignment import load_assignment

OWN = "experiments/assignments/write_the_programs"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return parcel(load_kit("write_the_programs"), "<p>page</p>")


def test_it_holds_the_lab_the_starter_and_the_page(files: dict[str, bytes]) -> None:
    wanted = {"Makefile", "code/setup/setup", "results/reference/identity.json", f"{OWN}/program/open.c", HANDOUT}
    assert wanted <= files.keys()
    assert b"not_yet" in files[f"{OWN}/program/open.c"]


def test_it_holds_no_solution_no_other_kit_and_no_test(files: dict[str, bytes]) -> None:
    assert [name for name in files if "/solution/" in name or name.startswith("tests/")] == []
    kits = {name for name in files if name.startswith("experiments/assignments/")}
    assert {name for name in kits if name.count("/") == 2} == {f"{OWN}.toml", "experiments/assignments/honest_work.txt"}


def test_no_line_of_a_solution_is_in_it(files: dict[str, bytes]) -> None:
    starter = b"".join(
        content for name, content in files.items() if name.startswith(f"{OWN}/program/") and "course" not in name
    )
    for file in (ROOT / OWN / "solution" / "program").iterdir():
        own = [
            line.strip() for line in file.read_bytes().splitlines() if b"ibv_" in line and line.rstrip().endswith(b";")
        ]
        assert [line for line in own if line in starter] == []


def test_what_only_graders_ask_is_left_out_and_the_rest_is_an_assignment(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    for name in (name for name in files if name.startswith(f"{OWN}/")):
        place = tmp_path / Path(name).relative_to(Path(OWN).parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(files[name])
    (tmp_path / "a.toml").write_bytes(files[f"{OWN}.toml"])
    students, course = load_assignment(tmp_path / "a.toml"), load_assignment(ROOT / f"{OWN}.toml")
    assert b"hidden_program" not in files[f"{OWN}.toml"]
    assert students.steps == course.steps and students.asked.sizes != course.asked.sizes


def test_an_assignment_without_a_line_of_ours_stays_as_it_is() -> None:
    assert students_part("a = 1\nb = 2\n") == "a = 1\nb = 2\n"


def test_the_same_kit_gives_the_same_files(files: dict[str, bytes]) -> None:
    assert parcel(load_kit("write_the_programs"), "<p>page</p>") == files


def test_a_kit_elsewhere_makes_no_parcel(kit: Kit) -> None:
    with pytest.raises(SpecError, match="lies in the checkout"):
        parcel(kit, "")


def test_every_kit_of_the_lab_has_a_solution() -> None:
    for file in ASSIGNMENTS.glob("*.toml"):
        assert load_kit(file.stem).solved()
