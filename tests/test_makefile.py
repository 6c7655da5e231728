"""What the front door says before it does anything."""

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
def test_grading_wants_to_be_told_what(words: list[str]) -> None:
    """Nothing is set up, built or graded before it."""
    done = make(*words)
    assert (done.returncode, done.stdout) == (2, "") and f"make {words[0]} SUBMISSION" in done.stderr


def test_a_target_that_grades_nothing_needs_no_hand_in() -> None:
    assert make("help").returncode == 0


def test_help_lists_each_target_under_the_reader_who_needs_it() -> None:
    heads: list[str] = []
    listed: list[str] = []
    for line in make("help").stdout.splitlines()[1:]:
        (heads if re.match(r"\w.*:$", line) else listed).append(line)
    assert heads == ["Measure, and write reports:", "Hand in:", "Grade:", "Set up:", "Change the lab:"]
    described = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [line.split()[0] for line in listed if line] == described


def test_help_names_the_variables_of_each_target() -> None:
    """Those that its recipe takes from the command line."""
    rules = re.findall(r"^([a-z-]+):.*## (.*)\n((?:\t.*\n)*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    taken = {(target, name) for target, _, recipe in rules for name in re.findall(r"\$\(([A-Z]+)\)", recipe)}
    known = {(target, name) for target, words, _ in rules for name in re.findall(r"([A-Z]+)=", words)}
    assert ("grade", "SUBMISSION") in taken
    assert taken - {(target, "MAKE") for target, _, _ in rules} - {("help", "MAKEFILE_LIST")} == known


MEASURE = ["try", "run", "all", "verify"]


def without_a_compiler(folder: Path) -> None:
    """A checkout whose set-up and `lab` only say how they were called; the PATH has what make itself needs."""
    shutil.copy(ROOT / "Makefile", folder)
    for file in (".venv/bin/lab", "code/setup/setup"):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(f'#!/bin/sh\necho {Path(file).name} "$@"\n')
        (folder / file).chmod(0o755)
    (folder / "bin").mkdir()
    for name in ("make", "sh"):
        (folder / "bin" / name).symlink_to(shutil.which(name) or "")


@pytest.mark.parametrize("target", MEASURE)
def test_measuring_needs_no_compiler_where_no_link_is_known(target: str, tmp_path: Path) -> None:
    without_a_compiler(tmp_path)
    command = ["make", "-C", str(tmp_path), "--no-print-directory", "--silent", target, "links="]
    done = subprocess.run(command, env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True, check=True)
    set_up, ran = done.stdout.splitlines()
    assert set_up.split() == (["setup", "report"] if target == "all" else ["setup"])
    assert ran == ("lab run --report" if target == "all" else f"lab {target}")  # without names: all experiments


@pytest.mark.parametrize("target", MEASURE[:3])
def test_programs_for_real_links_are_compiled_where_one_is_known(target: str) -> None:
    """With hosts.toml, or a device of RDMA."""
    assert " links" not in make("--dry-run", target, "links=").stdout
    assert "code/setup/setup links" in make("--dry-run", target, "links=hosts.toml").stdout


def test_an_empty_program_is_made_again(tmp_path: Path) -> None:
    """As a full disk leaves it: newer than all that it is made of."""
    out = f"OUT={tmp_path}"
    target = str(tmp_path / "tcp-client")
    assert make(out, target, folder=ROOT / "code" / "bench").returncode == 0
    file = tmp_path / "tcp-client"
    file.write_bytes(b"")
    assert make("--question", out, target, folder=ROOT / "code" / "bench").returncode == 1
    file.write_bytes(b"")
    assert make(out, target, folder=ROOT / "code" / "bench").returncode == 0
    assert file.stat().st_size > 1000


def test_the_command_that_setup_makes_does_nothing_when_a_process_of_its_own_loads_it() -> None:
    """As each process that writes one of several reports does."""
    assert "main" not in runpy.run_path(str(Path(sys.executable).with_name("lab")), run_name="__mp_main__")
