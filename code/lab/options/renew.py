"""Writes options.json anew from the compiled programs: `make options`."""

from __future__ import annotations

import subprocess
import textwrap

from lab.options.table import FILE
from lab.places import BENCH

PROGRAMS = {"verbs": "verbs-client", "tcp": "tcp-client", "mpi": "mpi-pingpong"}  # a server takes its client's options


def explained() -> str:
    """The file's text, from the compiled programs."""
    parts = (f'"{name}": {_said(program)}' for name, program in PROGRAMS.items())
    return "{\n" + textwrap.indent(",\n".join(parts), "  ") + "\n}\n"


def _said(program: str) -> str:
    done = subprocess.run([BENCH / program, "--explain"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    FILE.write_text(explained(), encoding="utf-8")
