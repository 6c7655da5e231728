"""What comes out of a build, whichever walls it ran in."""

from __future__ import annotations

import pytest
from tests.lab.strange_archives import archive

from lab.compiler import compilation
from lab.compiler.compilation import FAILED, OVERTIME, BuildRefused, Compilation
from lab.files import bounded

TASK = Compilation({}, ("make", "-s"), ("out/mine",), 7)


def refused(status: int, said: bytes) -> str:
    with pytest.raises(BuildRefused) as error:
        TASK.programs(status, said)
    return error.value.what


def test_only_the_wanted_programs_come_out() -> None:
    assert TASK.programs(0, bounded.pack({"out/mine": b"1", "other": b"2"})) == {"out/mine": b"1"}


def test_a_build_that_fails_says_why_in_its_last_lines() -> None:
    assert refused(FAILED, b"1\n2\n3\n4\nno such file\n") == "make -s: 2 / 3 / 4 / no such file"
    assert refused(FAILED, b"") == "make -s: failed"


def test_a_build_that_does_not_end_says_so() -> None:
    assert refused(OVERTIME, b"") == "make -s did not end within 7 s"


def test_programs_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "LARGEST_PROGRAM", 1 << 20)
    assert refused(0, bytes(2 << 20)) == "the programs are larger than 1048576 bytes"


@pytest.mark.parametrize("said", [b"", b"no archive", archive({"GNU.sparse.size": "9"}, name="out/mine").getvalue()])
def test_what_is_no_program_is_refused(said: bytes) -> None:
    assert refused(0, said).startswith(("no programs came out", "the sources don't give mine"))
    assert refused(2, b"").startswith("no programs came out")
