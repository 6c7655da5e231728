"""The sandbox, with the real bubblewrap and the real toolchain; its filter of system calls; its bound of memory."""

import os
import shutil
import struct
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.compiler.builds import HONEST, hostile, recipe, require_harmless
from tests.lab.strange_archives import archive

from lab.compiler import compilation, sandbox
from lab.compiler.compilation import BuildRefused, Compilation
from lab.compiler.sandbox import (
    ALLOW,
    AT_LEAST,
    EQUAL,
    FORBIDDEN,
    KILL,
    LOAD,
    REFUSE,
    RETURN,
    X86_64,
    bpf_filter,
    held_bytes,
    watched,
)  # fmt: skip
from lab.compiler.toolchain import Toolchain
from lab.places import CACHE

ROOT = (b"bin", b"dev", b"lib", b"lib64", b"proc", b"sbin", b"tmp", b"usr", b"w")
in_sandbox = pytest.mark.usefixtures("users_namespaces")


def made(tools: Toolchain, task: Compilation) -> bytes:
    return task.programs(*sandbox.run(tools, task))["mine"]


def refused(tools: Toolchain, task: Compilation) -> str:
    with pytest.raises(BuildRefused) as error:
        made(tools, task)
    return error.value.what


@in_sandbox
def test_sources_always_give_the_same_programs(tools: Toolchain) -> None:
    assert sandbox.refusal(tools) == ""
    program = made(tools, HONEST)
    assert program.startswith(b"\x7fELF") and b"Jan  1 2026" in program
    assert made(tools, HONEST) == program


@in_sandbox
def test_a_build_sees_no_file_and_no_process_of_the_host(tools: Toolchain) -> None:
    assert tuple(made(tools, recipe("ls / >$@")).split()) == ROOT
    assert made(tools, recipe("ls -d /proc/[0-9]* | wc -l >$@")).strip() in (b"5", b"6", b"7")
    require_harmless(made(tools, hostile()))


@in_sandbox
def test_a_build_runs_below_a_folder_that_only_its_owner_can_enter(tools: Toolchain) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as closed:  # mode 0700, on the disk of the tree
        shutil.copytree(tools.folder, Path(closed) / "tree", copy_function=os.link)
        enclosed = replace(tools, folder=Path(closed) / "tree")
        assert sandbox.refusal(enclosed) == ""
        assert made(enclosed, HONEST) == made(tools, HONEST)
        assert tuple(made(enclosed, recipe("ls / >$@")).split()) == ROOT
        assert made(enclosed, recipe("ls -A /tmp >$@")).split() == [b"said"]
        require_harmless(made(enclosed, hostile()))


@in_sandbox
@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("gcc -o $@ nothing.c", "nothing.c: No such file"),
        ("head -c 300000000 /dev/zero >a && cat a >b && cat a >c", "No space left"),
        ("i=0; while [ $$i -lt 300 ]; do sleep 9 & i=$$((i + 1)); done", "Cannot fork"),
        ("head -c 60000000 /dev/zero >$@", "larger than"),
        ("ln -s /etc/passwd $@", "the sources do not build mine"),
    ],
)
def test_a_build_beyond_its_bounds_is_refused(tools: Toolchain, lines: str, error: str) -> None:
    assert error in refused(tools, recipe(lines))


@in_sandbox
@pytest.mark.timeout(60)
def test_a_build_ends_at_its_deadline_however_little_of_it_has_begun(tools: Toolchain) -> None:
    for ms in (*range(1, 200, 10), 1000):
        assert "did not end within" in refused(tools, recipe("sleep 1000", deadline_s=ms / 1000))


@in_sandbox
def test_all_processes_of_a_build_have_one_bound_of_memory(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MEMORY_BYTES", 200 << 20)
    alone = "s=x; while [ ${#s} -lt 67108864 ]; do s=$s$s; done; sleep 1"
    together = replace(recipe("x"), command=("sh", "-c", f"for i in 1 2 3 4; do ({alone}) & done; wait"))
    assert "of memory in all its processes" in refused(tools, together)


@in_sandbox
def test_uncounted_memory_is_refused(tools: Toolchain) -> None:
    """Neither a file system in a new namespace nor a file without a name."""
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
    command = ("sh", "-c", "gcc -o try try.c && ./try")
    assert "4 refused" in refused(tools, Compilation({"try.c": source}, command, ("mine",)))


@in_sandbox
def test_an_archive_with_holes_is_refused(tools: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": str(10**12)}, name="mine").getvalue()
    monkeypatch.setattr(compilation, "SCRIPT", "cd /w && tar -x && cat bomb")
    assert refused(tools, replace(HONEST, files={"bomb": bomb})) == "the sources do not build mine"


def verdict(number: int, architecture: int = X86_64) -> int:
    """The filter's result, as the kernel's interpreter computes it."""
    data = struct.pack("<II", number, architecture)
    lines, at, value = list(struct.iter_unpack("<HBBI", bpf_filter())), 0, 0
    while True:
        code, true, false, operand = lines[at]
        at += 1
        if code == RETURN:
            return int(operand)
        if code == LOAD:
            (value,) = struct.unpack_from("<I", data, operand)
        else:
            assert code in (EQUAL, AT_LEAST)
            at += true if (value == operand if code == EQUAL else value >= operand) else false


def test_each_forbidden_call_is_refused_and_its_neighbours_are_not() -> None:
    numbers = set(FORBIDDEN.values())
    assert {verdict(number) for number in numbers} == {REFUSE}
    neighbours = {number + step for number in numbers for step in (-1, 1)} - numbers
    assert {verdict(number) for number in neighbours} == {ALLOW}


def test_other_numbers_for_the_same_calls_are_refused() -> None:
    i386, x32 = 0x40000003, 0x40000001
    assert verdict(1, i386) == KILL and verdict(x32) == REFUSE


def test_the_memory_of_descendants_counts() -> None:
    holds = "s=x; while [ ${#s} -lt 16777216 ]; do s=$s$s; done; echo; read end"
    with subprocess.Popen(["sh", "-c", f"({holds})"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"\n"
        assert held_bytes(process.pid) > 16 << 20
        process.communicate()
    assert held_bytes(process.pid) == 0


@pytest.mark.parametrize(("most_bytes", "is_ended"), [(1, True), (1 << 40, False)])
def test_a_process_with_too_much_memory_is_ended(most_bytes: int, *, is_ended: bool) -> None:
    ended: list[int] = []
    with watched(os.getpid(), most_bytes, lambda: ended.append(1)) as exceeded:
        assert exceeded.wait(60 if is_ended else 0.3) is is_ended
    assert len(ended) == is_ended
