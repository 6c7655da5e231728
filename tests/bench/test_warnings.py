"""A warning of a newer compiler must not keep anybody from building; it must fail the tests."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("target", "are_errors"), [("all", False), ("warnings", True), ("test", True)])
def test_a_warning_is_an_error_in_the_tests_only(tmp_path: Path, target: str, *, are_errors: bool) -> None:
    words = ("make", "-n", "-C", "code/bench", f"OUT={tmp_path}", target)
    commands = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert " -Wall -Wextra " in commands and ("-Werror" in commands) is are_errors


# A word of 32 bits on each kind of processor that the lab is built on.
NARROW = {"x86_64": "-m32", "aarch64": "-mabi=ilp32"}


@pytest.mark.parametrize("source", ["program", "tcp", "verbs"])
def test_a_build_of_32_bits_is_refused_by_one_sentence(tmp_path: Path, source: str) -> None:
    """Really compiled, with the headers of 64 bits behind it: nothing but the assertion is in the way."""
    (tmp_path / "gnu").mkdir()
    for name in ("stubs-32.h", "stubs-ilp32.h"):
        (tmp_path / "gnu" / name).touch()
    headers = Path("/usr/include", said_by("gcc", "-print-multiarch").strip())
    narrow = f"gcc {NARROW[platform.machine()]} -I{tmp_path} -idirafter {headers}"
    words = ("make", "-C", "code/bench", f"OUT={tmp_path}", f"CC={narrow}")
    made = subprocess.run([*words, f"{tmp_path}/{source}.o"], cwd=ROOT, capture_output=True, text=True, check=False)
    errors = [line for line in made.stderr.splitlines() if "error:" in line]
    assert made.returncode == 2 and not (tmp_path / f"{source}.o").exists()
    assert len(errors) == 1 and "build for a processor that has them" in errors[0], made.stderr


def said_by(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
