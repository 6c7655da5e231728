"""The output of a build, in the sandbox or the VM."""

import pytest
from tests.lab.strange_archives import archive

from lab.compiler import compilation
from lab.compiler.compilation import FAILED, OVERTIME, BuildRefused, Compilation
from lab.files import bounded

TASK = Compilation({}, ("make", "-s"), ("out/mine",), 7)


def test_only_the_wanted_programs_come_out() -> None:
    assert TASK.programs(0, bounded.pack({"out/mine": b"1", "other": b"2"})) == {"out/mine": b"1"}


@pytest.mark.parametrize(
    ("status", "output", "error"),
    [
        (FAILED, b"1\n2\n3\n4\nno such file\n", "make -s: 2 / 3 / 4 / no such file"),
        (FAILED, b"a.c:1: error: x\n1\n2\n3\n4\n", "make -s: a.c:1: error: x / 1 / 2 / 3 / 4"),
        (FAILED, b"", "make -s: failed"),
        (OVERTIME, b"", "make -s did not end within 7 s"),
        (0, bytes(2 << 20), "the programs are larger than 1048576 bytes"),
        (0, b"", "the output is not an archive"),
        (0, b"no archive", "the output is not an archive"),
        (2, b"", "the output is not an archive"),
        (0, archive({"GNU.sparse.size": "9"}, name="out/mine").getvalue(), "the sources do not build mine"),
    ],
)
def test_a_failed_build_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, status: int, output: bytes, error: str
) -> None:
    monkeypatch.setattr(compilation, "LARGEST_PROGRAM", 1 << 20)
    with pytest.raises(BuildRefused, match=f"^{error}"):
        TASK.programs(status, output)
