"""A warning of a newer compiler must not keep anybody from building; it must fail the tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("target", "are_errors"), [("all", False), ("warnings", True), ("test", True)])
def test_a_warning_is_an_error_in_the_tests_only(tmp_path: Path, target: str, *, are_errors: bool) -> None:
    words = ("make", "-n", "-C", "code/bench", f"OUT={tmp_path}", target)
    commands = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert " -Wall -Wextra " in commands and ("-Werror" in commands) is are_errors
