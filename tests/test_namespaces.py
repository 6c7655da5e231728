"""Which tests are left out: those alone that need what the kernel does not make, and with a sentence that says so."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests import namespaces

from lab.places import ROOT

SANDBOXED = "tests/lab/compiler/test_build.py::test_a_makefile_that_asks_for_more_makes_the_same_program"


def makes(*command: str) -> bool:
    """What the kernel does for bubblewrap, which asks it in its own way."""
    return subprocess.run([*command, "--ro-bind", "/", "/", "true"], check=False).returncode == 0


def test_what_needs_namespaces_of_a_user_is_tried_wherever_the_kernel_makes_them() -> None:
    become = namespaces.NOBODY if namespaces.is_root() else ()
    there = makes(*become, "bwrap", "--unshare-all", "--unshare-user")
    assert there == (namespaces.lacking_for_users() == "")


def test_what_needs_another_computer_is_tried_wherever_root_can_make_one() -> None:
    there = namespaces.is_root() and makes("bwrap", "--unshare-net", "--unshare-pid")
    assert there == (namespaces.lacking_for_root() == "")


@pytest.mark.usefixtures("users_namespaces")
def test_where_the_kernel_makes_none_the_sentence_stands_in_the_summary(tmp_path: Path) -> None:
    pytest_here = (sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={tmp_path}")
    command = [*namespaces.WITHOUT, *pytest_here, SANDBOXED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (skipped,) = (line for line in done.stdout.splitlines() if line.startswith("SKIPPED"))
    assert "this computer's kernel makes no namespaces for an ordinary user: unshare: " in skipped
