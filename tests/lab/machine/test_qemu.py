"""lab.machine.qemu: each pair of VMs has another CPU, in any process."""

from __future__ import annotations

import os
import subprocess
import sys

from lab.machine.qemu import one_processor

# No host has these CPUs, so no other pair claims them; two runs of this test use different ones.
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
