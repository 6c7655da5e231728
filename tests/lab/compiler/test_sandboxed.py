"""The sandbox, with the real bubblewrap and the real toolchain."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lab.compiler.builds import HONEST, hostile, recipe, require_harmless
from tests.lab.strange_archives import archive

from lab.compiler import compilation, sandbox
from lab.compiler.compilation import BuildRefused, Compilation
from lab.compiler.toolchain import Toolchain

pytestmark = pytest.mark.usefixtures("users_namespaces")

ROOT = (b"bin", b"dev", b"lib", b"lib64", b"proc", b"sbin", b"tmp", b"usr", b"w")


def made(tools: Toolchain, task: Compilation) -> bytes:
    return task.programs(*sandbox.run(tools, task))["mine"]


def refused(tools: Toolchain, task: Compilation) -> str:
    with pytest.raises(BuildRefused) as error:
        made(tools, task)
    return error.value.what


def test_sources_give_programs_and_always_the_same(tools: Toolchain) -> None:
    assert sandbox.refusal(tools) == ""
    program = made(tools, HONEST)
    assert program.startswith(b"\x7fELF") and b"Jan  1 2026" in program
    assert made(tools, HONEST) == program


def test_what_the_compiler_says_is_told(tools: Toolchain) -> None:
    assert "nothing.c: No such file" in refused(tools, recipe("gcc -o $@ nothing.c"))


def test_a_build_sees_no_file_and_no_process_of_this_computer(tools: Toolchain) -> None:
    assert tuple(made(tools, recipe("ls / >$@")).split()) == ROOT
    assert made(tools, recipe("ls -d /proc/[0-9]* | wc -l >$@")).strip() in (b"5", b"6", b"7")


def test_a_hostile_build_stays_within_its_walls(tools: Toolchain) -> None:
    require_harmless(made(tools, hostile()))


def test_a_build_has_bounds(tools: Toolchain) -> None:
    assert "No space left" in refused(tools, recipe("head -c 300000000 /dev/zero >a && cat a >b && cat a >c"))
    assert "Cannot fork" in refused(tools, recipe("i=0; while [ $$i -lt 300 ]; do sleep 9 & i=$$((i + 1)); done"))
    assert "larger than" in refused(tools, recipe("head -c 60000000 /dev/zero >$@"))
    assert refused(tools, recipe("sleep 1000", deadline_s=1)) == "make -s did not end within 1 s"


@pytest.mark.timeout(60)
def test_a_build_ends_in_its_deadline_however_little_of_it_has_begun(tools: Toolchain) -> None:
    for ms in range(1, 200, 5):
        assert "did not end within" in refused(tools, recipe("sleep 1000", deadline_s=ms / 1000))


def test_all_processes_of_a_build_have_one_bound_of_memory(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MEMORY_BYTES", 200 << 20)
    alone = "s=x; while [ ${#s} -lt 67108864 ]; do s=$s$s; done; sleep 1"
    together = replace(recipe("x"), command=("sh", "-c", f"for i in 1 2 3 4; do ({alone}) & done; wait"))
    assert "all its processes together" in refused(tools, together)


def test_no_memory_is_made_that_nobody_counts(tools: Toolchain) -> None:
    """Neither a file system in name spaces of its own nor a file without a name."""
    source = b"""
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
int main(void)
{
	int refused = unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 && errno == EPERM;

	refused += mount("none", "/tmp", "tmpfs", 0, "") < 0 && errno == EPERM;
	refused += memfd_create("x", 0) < 0 && errno == EPERM;
	refused += shmget(IPC_PRIVATE, 4096, 0600) < 0 && errno == EPERM;
	printf("%d refused\\n", refused);
	return 1;
}
"""
    makes = ("sh", "-c", "gcc -o try try.c && ./try")
    assert "4 refused" in refused(tools, Compilation({"try.c": source}, makes, ("mine",)))


def test_a_link_is_no_program(tools: Toolchain) -> None:
    assert refused(tools, recipe("ln -s /etc/passwd $@")) == "the sources don't give mine"


def test_a_build_that_takes_over_what_comes_out_gives_no_file_with_holes(
    tools: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": str(10**12)}, name="mine").getvalue()
    monkeypatch.setattr(compilation, "SCRIPT", "cd /w && tar -x && cat bomb")
    assert refused(tools, replace(HONEST, files={"bomb": bomb})) == "the sources don't give mine"
