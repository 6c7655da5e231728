"""Soft-RoCE on a kernel that may lack it: the refusal, and a guard that removes what was made.

The device is made by a stand-in for `rdma`, in a network namespace of the test's own; the veth pair is real.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.sites import node, soft_rdma

ALONE = """
import time
from pathlib import Path
from lab.sites import soft_rdma
soft_rdma.refuse_without_module = lambda: None
class Device:
    pair = ends = about = apply = with_programs = None
    def __init__(self, devices): pass
    def close(self): pass
soft_rdma.OwnDevices = Device
made = soft_rdma.SoftRdma()
print("made", flush=True)
{then}
"""


@pytest.fixture
def alone(tmp_path: Path) -> Callable[[str], subprocess.Popen[str]]:
    """A harness of its own namespace, which makes the device and goes on as it is told."""
    stand_in = tmp_path / "rdma"
    stand_in.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    stand_in.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"

    def start(then: str) -> subprocess.Popen[str]:
        command = ["unshare", "--net", sys.executable, "-c", ALONE.format(then=then)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PATH": path})

    return start


def asked(folder: Path, words: str) -> bool:
    """Whether the stand-in was asked for something, now or soon."""
    for _ in range(250):
        if words in (folder / "asked").read_text():
            return True
        time.sleep(0.02)
    return False


def test_a_kernel_without_the_module_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "SYS", tmp_path)
    monkeypatch.setattr(soft_rdma, "MODULE", "no_such_module")
    with pytest.raises(SiteError, match=r"has no module no_such_module .*--site exact") as error:
        soft_rdma.SoftRdma()
    assert "\n" not in str(error.value)


def test_what_was_made_is_removed_afterwards(alone: Callable[[str], subprocess.Popen[str]], tmp_path: Path) -> None:
    with alone("made.close(); import subprocess; print(subprocess.getoutput('ip -o link'))") as harness:
        said = harness.communicate(timeout=30)[0]
    assert said.startswith("made\n") and "lab-rxe" not in said
    assert asked(tmp_path, "link delete lab_rxe0")


def test_what_was_made_is_removed_after_a_kill_too(
    alone: Callable[[str], subprocess.Popen[str]], tmp_path: Path
) -> None:
    with alone("time.sleep(60)") as harness:
        assert harness.stdout is not None and harness.stdout.readline() == "made\n"
        assert "link add lab_rxe0 type rxe netdev lab-rxe" in (tmp_path / "asked").read_text()
        harness.send_signal(signal.SIGKILL)
    assert asked(tmp_path, "link delete lab_rxe0")
