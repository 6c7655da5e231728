"""Which Python of a computer will do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.setup.setup_tree import tree

OWN = "/usr/bin/python3"
FIT = 'code=$3\nexec {real} -c "import sys; sys.version_info = {version}; $code"'


@pytest.mark.parametrize(
    ("version", "fits"),
    [((3, 9, 2), False), ((3, 10, 12), False), ((3, 11, 0), True), ((3, 14, 1), True), ((3, 15, 0), False)],
)
def test_one_of_a_version_with_pinned_packages_will_do(version: tuple[int, ...], fits: bool, tmp_path: Path) -> None:  # noqa: FBT001
    made = tree(tmp_path)
    script = tmp_path / "code/setup/python"
    script.write_text(script.read_text().replace("/usr/bin/python3", f"{tmp_path}/none/python3"))
    made.write(tmp_path / "bin/python3", FIT.format(real=OWN, version=version))
    done = made.run("python")
    assert (done.returncode, done.stdout) == ((0, f"{tmp_path}/bin/python3\n") if fits else (1, ""))


def test_one_without_what_venv_needs_will_not_do(tmp_path: Path) -> None:
    """As Debian's without python3-venv."""
    made = tree(tmp_path)
    script = tmp_path / "code/setup/python"
    script.write_text(script.read_text().replace("/usr/bin/python3", f"{tmp_path}/none/python3"))
    made.write(tmp_path / "bin/python3", f"exec {OWN} -c \"import sys; sys.modules['ensurepip'] = None; $3\"")
    assert made.run("python").returncode == 1


def test_this_computers_will_do(tmp_path: Path) -> None:
    assert tree(tmp_path).run("python").stdout == f"{OWN}\n"
