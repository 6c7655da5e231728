"""The wheel: `lab` with its tables, and a whole checkout for `verbyte new`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.places import ROOT


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the wheel's files."""
    folder = tmp_path_factory.mktemp("site-packages")
    command = [sys.executable, "-c", "from setuptools import setup; setup()", "build_py", "--build-lib", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "code" / "setup")}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    made = [*ROOT.glob("build"), *(ROOT / "code").glob("*.egg-info")]
    assert not made  # files in code/ change its version
    return folder


def run(packages: Path, where: Path, module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", module, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(packages), "LAB_ROOT": ""}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_new_writes_a_checkout_of_the_same_version(packages: Path, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    ended = run(packages, tmp_path, "lab.cli.new", "new", folder)
    assert (ended.returncode, ended.stdout) == (0, f"{folder}: a checkout; continue with: cd {folder} && make try\n")
    assert not [*folder.rglob("__pycache__"), *folder.glob("results/records")]
    versions = [run(packages, where, "lab", "--version").stdout.splitlines()[0] for where in (folder, ROOT)]
    assert versions[0] == versions[1] and run(packages, folder, "lab", "table", "--help").returncode == 0
    for name in ("Makefile", "results/reference/verbs_throughput.csv", "tests/setup/test_wheel.py", "docs/faq.md"):
        assert (folder / name).read_bytes() == (ROOT / name).read_bytes()
    assert os.access(folder / "code/setup/setup", os.X_OK)


def test_new_refuses_a_folder_with_files(packages: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    ended = run(packages, tmp_path, "lab.cli.new", "new", tmp_path)
    assert ended.returncode == 2 and sorted(tmp_path.iterdir()) == [tmp_path / "mine"]
    assert (
        ended.stderr
        == f"verbyte new: {tmp_path}: exists, and is not an empty folder (try: verbyte new ANOTHER_FOLDER)\n"
    )


def test_new_needs_an_installed_package(tmp_path: Path) -> None:
    ended = run(ROOT / "code", tmp_path, "lab.cli.new", "new", tmp_path / "course")
    assert ended.returncode == 2 and "this package has no checkout in it (try: pip install ., or " in ended.stderr
