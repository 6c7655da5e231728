"""lab.machine.bound: the child's own word for what ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.machine import bound

PR_GET_PDEATHSIG = 2
ASK = f"import ctypes; n = ctypes.c_int(); ctypes.CDLL(None).prctl({PR_GET_PDEATHSIG}, ctypes.byref(n)); print(n.value)"


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    bound._binder.cache_clear()
    yield
    bound._binder.cache_clear()


def ends_by() -> int:
    command = bound.bound([sys.executable, "-c", ASK])
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_bound_command_is_killed_with_who_started_it() -> None:
    assert bound.bound(["true"])[0] == "setpriv"
    assert ends_by() == signal.SIGKILL


@pytest.mark.parametrize("script", ["", "#!/bin/sh\necho unrecognized option >&2; exit 1\n"], ids=["none", "busybox's"])
def test_it_is_so_without_the_setpriv_of_util_linux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    if script:
        (tmp_path / "setpriv").write_text(script)
        (tmp_path / "setpriv").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bound.bound(["true"])[0] == sys.executable
    assert ends_by() == signal.SIGKILL
