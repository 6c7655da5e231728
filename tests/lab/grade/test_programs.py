"""The student's programs, built from a hand-in's sources, with the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.grade.own_program import OTHER, experiment

from lab.errors import LabError
from lab.experiment.reader import load
from lab.grade.rebuild import build_programs
from lab.submission.archive import pack

MAKEFILE = b"mine: mine.c\n\tgcc -o $@ mine.c\n"
PROGRAM = b"int main(void) { return 0; }\n"


def test_what_the_whitelist_does_not_name_is_the_courses_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "Makefile").write_bytes(MAKEFILE)
    (tmp_path / "mine" / "mine.c").write_text("#error the course's own")
    (tmp_path / "small.toml").write_text(experiment("make -s", 'sources = ["*.c"]'))
    handed_in = {"sources/mine/mine.c": PROGRAM, "sources/mine/Makefile": b"mine:\n\techo handed in >mine\n"}
    (binary,) = build_programs(pack(handed_in), load(tmp_path / "small.toml"), tmp_path / "built")
    assert binary == tmp_path / "mine" / "mine"
    assert (tmp_path / "built/binaries/mine/mine").read_bytes().startswith(b"\x7fELF")
    with pytest.raises(LabError, match="No rule to make target 'mine"):
        build_programs(pack({}), load(tmp_path / "small.toml"), tmp_path / "built")


def test_sources_of_two_folders_of_one_name_are_built_each_by_itself(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(experiment("make -s") + OTHER)
    for folder in ("mine", "other/mine"):
        (tmp_path / folder).mkdir(parents=True)
    handed_in = {f"sources/{name}/Makefile": MAKEFILE for name in ("mine", "other")}
    handed_in |= {"sources/mine/mine.c": PROGRAM, "sources/other/mine.c": PROGRAM.replace(b"0", b"1")}
    mine, other = build_programs(pack(handed_in), load(tmp_path / "small.toml"), tmp_path / "built").values()
    assert mine != other
