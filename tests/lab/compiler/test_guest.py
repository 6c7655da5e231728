"""The VM that compiles, with the real QEMU, and the output of a build; test_build.py compares it with the sandbox."""

import os
from dataclasses import replace

import pytest
from tests.lab.compiler.builds import HONEST, hostile, recipe, require_harmless
from tests.lab.strange_archives import archive

from lab.compiler import compilation
from lab.compiler import guest as module
from lab.compiler.compilation import FAILED, OVERTIME, BuildRefused, Compilation
from lab.compiler.guest import HEADER_BYTES, Guest, answer
from lab.compiler.toolchain import Toolchain
from lab.files import bounded
from lab.machine.qemu import MachineError
from lab.machine.sparse import anonymous_file


@pytest.mark.release
def test_a_hostile_build_cannot_leave_the_vm(tools: Toolchain, guest: Guest) -> None:
    task = hostile()
    require_harmless(task.programs(*guest.run(tools, task))["mine"])


@pytest.mark.parametrize("waiting", [1, 1000], ids=["wall clock", "CPU time"])
def test_a_build_ends_at_its_deadline(
    tools: Toolchain, guest: Guest, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    monkeypatch.setattr(module, "WAITING", waiting)
    assert guest.run(tools, recipe("sleep 1000", deadline_s=2)) == (OVERTIME, b"")


def test_a_vm_that_fails_leaves_its_console(tools: Toolchain, guest: Guest) -> None:
    with pytest.raises(MachineError) as error:
        replace(guest, init=b"no program").run(tools, HONEST)
    assert "kernel panicked" in error.value.what and "console.log" in error.value.evidence


def test_the_output_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PROGRAM", 10)
    with anonymous_file("mailbox", 4096) as mailbox:
        os.pwrite(mailbox, b"0 1000".ljust(HEADER_BYTES - 1) + b"\n" + b"x" * 1000, 0)
        assert answer(mailbox) == (0, b"x" * 11)
        os.pwrite(mailbox, b"3 4".ljust(HEADER_BYTES - 1) + b"\n", 0)
        assert answer(mailbox) == (3, b"xxxx")


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
