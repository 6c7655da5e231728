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
    """The command, begun by what binds it and then becomes it."""
    return [*_binder(), *command]


@cache
def _binder() -> tuple[str, ...]:
    """util-linux's setpriv; busybox has one without that option. Python takes longer: this file, run as a program."""
    if (
        shutil.which(SETPRIV[0])
        and subprocess.run([*SETPRIV, "true"], capture_output=True, check=False).returncode == 0
    ):
        return SETPRIV
    return (sys.executable, "-I", "-S", __file__)


def main(command: list[str]) -> None:
    """Bind this process, and become the command."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
