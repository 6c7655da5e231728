"""Commands that end with the thread that starts them, even if that is killed."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from functools import cache

SETPRIV = ("setpriv", "--pdeathsig", "KILL")
PR_SET_PDEATHSIG = 1  # prctl(2)


def die_with_parent(command: Iterable[str]) -> list[str]:
    """The command, started by a wrapper that binds it to this thread."""
    return [*_binder(), *command]


@cache
def _binder() -> tuple[str, ...]:
    """util-linux's setpriv; busybox's lacks the option. Else this file as a program, which starts more slowly."""
    if shutil.which(SETPRIV[0]) and not subprocess.run([*SETPRIV, "true"], capture_output=True, check=False).returncode:
        return SETPRIV
    return (sys.executable, "-I", "-S", __file__)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execvp(sys.argv[1], sys.argv[1:])
