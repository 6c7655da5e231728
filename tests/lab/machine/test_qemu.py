"""Processes of VMs: each pair has another CPU and a limit of CPU time, and ends with its parent."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import pytest

from lab.machine.qemu import DIE_WITH_PARENT, Limit, one_processor

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


READY = "import time; print(flush=True)\n"
BUSY, HUNG = READY + "while True: pass", READY + "time.sleep(600)"
LIMIT_S = 2.0


@dataclass
class Vm:
    """A process in place of a VM."""

    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        self.process.kill()


@pytest.mark.parametrize(("code", "least_s"), [(BUSY, 0.9 * LIMIT_S), (HUNG, 0)], ids=["busy", "hung"])
def test_a_vm_is_ended_by_its_cpu_time_or_because_it_uses_none(code: str, least_s: float) -> None:
    """Beside another program on one CPU, the limit's time passes before a VM has used half of it."""
    one = {min(os.sched_getaffinity(0))}
    with ExitStack() as stack:
        for each in (BUSY, code):
            command = [sys.executable, "-c", each]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
            stack.callback(process.kill)
            os.sched_setaffinity(process.pid, one)
            assert process.stdout is not None and process.stdout.readline() == b"\n"
        limit = Limit(LIMIT_S, cast("Any", Vm(process)))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    assert limit.expired and status == signal.SIGKILL and used.ru_utime + used.ru_stime >= least_s


def test_command_is_killed_with_its_parent() -> None:
    code = (
        "import ctypes; signal = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(signal)); print(signal.value)"
    )
    printed = subprocess.check_output([*DIE_WITH_PARENT, sys.executable, "-c", code], text=True)
    assert printed == f"{signal.SIGKILL.value}\n"
