"""The memory of processes together."""

from __future__ import annotations

import os
import subprocess

from lab.compiler.sandbox import Watch, held_bytes

HOLDS = "s=x; while [ ${#s} -lt 16777216 ]; do s=$s$s; done; echo; read end"


def test_what_descendants_hold_counts() -> None:
    with subprocess.Popen(["sh", "-c", f"({HOLDS})"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"\n"
        assert held_bytes(process.pid) > 16 << 20
        process.communicate()
    assert held_bytes(process.pid) == 0


def test_what_holds_too_much_is_ended() -> None:
    ended: list[int] = []
    watch = Watch(os.getpid(), 1, lambda: ended.append(1))
    watch.thread.join()
    assert watch.exceeded and ended == [1]
    watch = Watch(os.getpid(), 1 << 40, lambda: ended.append(2))
    watch.close()
    assert not watch.exceeded and ended == [1]
