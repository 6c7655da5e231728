"""Which Python packages `code/setup/setup` installs, and for whom."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from tests.setup.setup_tree import Tree, tree

from lab.places import ROOT

PINS, TEST_PINS = "requirements.txt", "requirements-tests.txt"
TOOLS = ("chmod", "cp", "flock", "mkdir", "mv", "rm", "sha256sum")
PYTHON = """case "$*" in
*venv*) mkdir -p .venv/bin .venv/lib/python3/site-packages && cp bin/python3 .venv/bin/python ;;
esac"""


@pytest.fixture
def checkout(tmp_path: Path) -> Tree:
    """A new checkout on a host whose Python only records its arguments."""
    made = tree(tmp_path, "debian debian-12 amd64 Debian")
    for name in TOOLS:
        (tmp_path / "bin" / name).unlink(missing_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "missing")
    made.command("python3", PYTHON)
    made.write(tmp_path / "code/setup/python", f"echo {tmp_path}/bin/python3")
    return made


def installed(checkout: Tree, *groups: str) -> list[str]:
    """The files of pins that a set-up installs."""
    before = len(checkout.calls("python3"))
    done = checkout.run("setup", *groups)
    assert done.returncode == 0, done.stderr
    calls = checkout.calls("python3")[before:]
    return [Path(call.split()[-1]).name for call in calls if "pip install --require-hashes" in call]


def test_setup_installs_test_packages_only_for_lint_and_tests(checkout: Tree) -> None:
    assert installed(checkout) == [PINS]
    assert installed(checkout) == installed(checkout, "none") == []
    assert installed(checkout, "lint") == [TEST_PINS]
    assert installed(checkout, "lint") == installed(checkout) == []


def test_changed_pins_are_installed_again(checkout: Tree) -> None:
    assert installed(checkout, "lint") == [PINS, TEST_PINS]
    for changed, again in ((TEST_PINS, [TEST_PINS]), (PINS, [PINS, TEST_PINS])):
        with (checkout.folder / "code/setup" / changed).open("a") as file:
            file.write("# changed\n")
        assert installed(checkout, "lint") == again


def test_pins_cover_every_group_and_users_get_no_test_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = project["optional-dependencies"]
    users, testers = (
        {name.lower() for name in re.findall(r"^([\w.-]+)==", (ROOT / "code/setup" / file).read_text(), re.MULTILINE)}
        for file in (PINS, TEST_PINS)
    )
    needed = {name.lower() for name in project["dependencies"] + groups["report"]}
    tools = {name.lower() for name in groups["tests"]}
    assert needed <= users <= testers and tools <= testers
    assert not tools & users
