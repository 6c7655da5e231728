"""The set-up's scripts, which run where nothing is yet: plain sh."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.places import ROOT

# A shell reads one line of it, Python the others.
OTHERS = {"beside"}


def scripts() -> list[Path]:
    """All files of the ways in that a shell is to read."""
    files = [
        file for folder in ("setup", "container") for file in (ROOT / "code" / folder).rglob("*") if file.is_file()
    ]
    return [file for file in sorted(files) if file.name not in OTHERS and file.read_bytes().startswith(b"#!/bin/sh\n")]


def test_there_are_some() -> None:
    assert {"setup", "install", "carry"} <= {file.name for file in scripts()}


@pytest.mark.parametrize("file", scripts(), ids=lambda file: file.name)
def test_shellcheck_finds_nothing(file: Path) -> None:
    done = subprocess.run(["shellcheck", "--shell", "sh", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
