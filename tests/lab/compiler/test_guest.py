"""The VM that compiles, with the real QEMU; test_build.py compares its programs with those of the sandbox."""

import os
from dataclasses import replace

import pytest
from tests.lab.compiler.builds import HONEST, hostile, recipe, require_harmless

from lab.compiler import guest as module
from lab.compiler.compilation import OVERTIME
from lab.compiler.guest import HEADER_BYTES, Guest, answer
from lab.compiler.toolchain import Toolchain
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
