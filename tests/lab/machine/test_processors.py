"""lab.machine.qemu: one to each pair, whatever process that runs in."""

from __future__ import annotations

import os
import subprocess
import sys

from lab.machine.qemu import one_processor

# No computer has these, so that no pair of another test has one; two runs of this test differ.
FIRST = 1_000_000 + 10 * os.getpid()
BOTH = (FIRST + 1, FIRST)

ASK = """
import sys
from lab.machine.qemu import one_processor
with one_processor(map(int, sys.argv[1:])) as number:
    print(number, flush=True)
    sys.stdin.read()
"""


def test_each_gets_another_one_and_who_comes_last_gets_none() -> None:
    with one_processor(BOTH) as first, one_processor(BOTH) as second, one_processor(BOTH) as third:
        assert (first, second, third) == (FIRST, FIRST + 1, None)


def test_it_is_free_again_when_the_pair_has_ended() -> None:
    for _ in range(2):
        with one_processor(BOTH) as number:
            assert number == FIRST


def test_another_process_has_it_until_that_is_gone_even_if_it_was_killed() -> None:
    command = [sys.executable, "-c", ASK, *map(str, BOTH)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == f"{FIRST}\n"
        with one_processor(BOTH) as number:
            assert number == FIRST + 1
        other.kill()
        other.wait()
    with one_processor(BOTH) as number:
        assert number == FIRST


def test_only_processors_of_this_process_are_given() -> None:
    with one_processor() as number:
        assert number is None or number in os.sched_getaffinity(0)
