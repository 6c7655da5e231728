"""The Makefile: its help, its arguments, and the commands that it runs."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.places import ROOT


def make(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words", [["grade"], ["grade", "SUBMISSION="], ["grade-class"], ["grade-class", "SUBMISSIONS= "]]
)
def test_grading_needs_a_name(words: list[str]) -> None:
    done = make(*words)
    assert (done.returncode, done.stdout) == (2, "") and f"make {words[0]} SUBMISSION" in done.stderr


def test_help_lists_each_described_target_under_a_heading() -> None:
    heads: list[str] = []
    listed: list[str] = []
    for line in make("help").stdout.splitlines()[1:]:
        (heads if re.match(r"\w.*:$", line) else listed).append(line)
    assert heads == [
        "Measure, and write reports:",
        "Hand in:",
        "Grade:",
        "Set up:",
        "Change Verbyte (more targets: docs/CONTRIBUTING.md):",
    ]
    described = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [line.split()[0] for line in listed if line] == described


def test_help_names_the_variables_of_each_target() -> None:
    rules = re.findall(r"^([a-z-]+):.*## (.*)\n((?:\t.*\n)*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    taken = {(target, name) for target, _, recipe in rules for name in re.findall(r"\$\(([A-Z]+)\)", recipe)}
    known = {(target, name) for target, words, _ in rules for name in re.findall(r"([A-Z]+)=", words)}
    assert ("grade", "SUBMISSION") in taken
    assert taken - {(target, "MAKE") for target, _, _ in rules} - {("help", "MAKEFILE_LIST")} == known


MEASURE = ["try", "run", "all", "verify", "spot"]


def without_a_compiler(folder: Path) -> None:
    """A checkout whose set-up and `lab` only print their arguments; PATH has only what make itself needs."""
    shutil.copy(ROOT / "Makefile", folder)
    for file in (".venv/bin/lab", "code/setup/setup"):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(f'#!/bin/sh\necho {Path(file).name} "$@"\n')
        (folder / file).chmod(0o755)
    (folder / "bin").mkdir()
    for name in ("make", "sh"):
        (folder / "bin" / name).symlink_to(shutil.which(name) or "")


@pytest.mark.parametrize("target", MEASURE)
def test_measuring_without_a_real_link_needs_no_compiler(target: str, tmp_path: Path) -> None:
    without_a_compiler(tmp_path)
    command = ["make", "-C", str(tmp_path), "--no-print-directory", "--silent", target, "links="]
    done = subprocess.run(command, env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True, check=True)
    set_up, ran = done.stdout.splitlines()
    assert set_up.split() == (["setup", "--beside", "report"] if target == "all" else ["setup"])
    assert ran == ("lab run --report" if target == "all" else f"lab {target}")  # without names: all experiments


@pytest.mark.parametrize("target", MEASURE[:3])
def test_programs_are_compiled_for_a_real_link(target: str) -> None:
    assert " links" not in make("--dry-run", target, "links=").stdout
    linked = make("--dry-run", target, "links=hosts.toml").stdout
    assert "code/setup/setup links" in linked and "--beside" not in linked  # which would take time from the trials


def test_empty_program_is_compiled_again(tmp_path: Path) -> None:
    """A full disk leaves an empty file that is newer than its sources."""
    out = f"OUT={tmp_path}"
    target = str(tmp_path / "tcp-client")
    assert make(out, target, folder=ROOT / "code" / "bench").returncode == 0
    file = tmp_path / "tcp-client"
    file.write_bytes(b"")
    assert make("--question", out, target, folder=ROOT / "code" / "bench").returncode == 1
    file.write_bytes(b"")
    assert make(out, target, folder=ROOT / "code" / "bench").returncode == 0
    assert file.stat().st_size > 1000


def test_installed_command_does_nothing_when_a_worker_process_loads_it() -> None:
    assert "main" not in runpy.run_path(str(Path(sys.executable).with_name("lab")), run_name="__mp_main__")
