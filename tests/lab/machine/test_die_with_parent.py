"""lab.machine.die_with_parent: a child reports the signal that ends it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

PR_GET_PDEATHSIG = 2
ASK = f"import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl({PR_GET_PDEATHSIG}, ctypes.byref(n)); print(n.value)"
# In another process, because each process chooses once.
RUN = f"""
import subprocess, sys
from lab.machine.die_with_parent import die_with_parent
command = die_with_parent([sys.executable, "-c", {ASK!r}])
print(command[0] == "setpriv")
sys.stdout.flush()
subprocess.run(command, check=True)
"""


@pytest.mark.parametrize(
    ("script", "by_setpriv"),
    [(None, True), ("", False), ("#!/bin/sh\necho unknown option >&2; exit 1\n", False)],
    ids=["util-linux", "none", "busybox"],
)
def test_a_command_is_killed_with_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, *, by_setpriv: bool
) -> None:
    if script is not None:
        monkeypatch.setenv("PATH", str(tmp_path))
    if script:
        (tmp_path / "setpriv").write_text(script)
        (tmp_path / "setpriv").chmod(0o755)
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(by_setpriv), str(signal.SIGKILL.value)]
