"""lab.machine.qemu: each pair has a CPU of its own, whatever process runs it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lab.machine import qemu
from lab.machine.qemu import one_processor
from lab.sites import vm

# No host has these CPUs, so that no pair of another test has one; two runs of this test differ.
FIRST = 1_000_000 + 10 * os.getpid()
BOTH = (FIRST + 1, FIRST)
CLAIM = """
import sys
from lab.machine.qemu import one_processor
with one_processor(map(int, sys.argv[1:])) as number:
    print(number, flush=True)
    sys.stdin.read()
"""


def test_each_pair_gets_another_cpu_until_none_is_left() -> None:
    for _ in range(2):  # the CPUs are free again when the pairs have ended
        with one_processor(BOTH) as first, one_processor(BOTH) as second, one_processor(BOTH) as third:
            assert (first, second, third) == (FIRST, FIRST + 1, None)
    with one_processor() as number:
        assert number is None or number in os.sched_getaffinity(0)


def test_another_process_has_its_cpu_until_it_is_gone_even_if_it_was_killed() -> None:
    command = [sys.executable, "-c", CLAIM, *map(str, BOTH)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == f"{FIRST}\n"
        with one_processor(BOTH) as number:
            assert number == FIRST + 1
        process.kill()
        process.wait()
    with one_processor(BOTH) as number:
        assert number == FIRST


@pytest.mark.parametrize("arguments", [qemu.KERNEL_ARGUMENTS, vm.KERNEL_ARGUMENTS])
def test_a_kernel_on_a_busy_host_takes_no_late_timer_for_a_broken_one(arguments: str) -> None:
    assert "no_timer_check" in arguments.split()
