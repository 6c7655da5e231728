"""Runs a command beside busy loops: tests that depend on an idle computer fail here.

.venv/bin/python -m tests.beside_load 4 make test
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import ExitStack

LOOP = ("timeout", "7200", sys.executable, "-c", "while True: pass")  # ends by itself, whatever becomes of this


def main(loops: int, *command: str) -> int:
    """The command's own status. Who ends this ends the loops too."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with ExitStack() as ends:
        for _ in range(loops):
            ends.callback(ends.enter_context(subprocess.Popen(LOOP)).terminate)
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
