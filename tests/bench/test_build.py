"""Builds of the programs: warnings, 32-bit CPUs; and the arguments of set-clock."""

import platform
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The option for a word of 32 bits on each supported CPU.
NARROW = {"x86_64": "-m32", "aarch64": "-mabi=ilp32"}


@pytest.mark.parametrize(("target", "are_errors"), [("all", False), ("warnings", True), ("test", True)])
def test_warnings_are_errors_in_the_tests_only(tmp_path: Path, target: str, *, are_errors: bool) -> None:
    command = ("make", "-n", "-C", "code/bench", f"OUT={tmp_path}", target)
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert " -Wall -Wextra " in printed and ("-Werror" in printed) is are_errors


@pytest.mark.parametrize("source", ["program", "tcp", "verbs"])
def test_a_build_for_32_bits_is_refused_with_one_error(tmp_path: Path, source: str) -> None:
    """With the headers for 64 bits as fallback, only the assertion fails."""
    (tmp_path / "gnu").mkdir()
    for name in ("stubs-32.h", "stubs-ilp32.h"):
        (tmp_path / "gnu" / name).touch()
    multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout
    narrow = f"gcc {NARROW[platform.machine()]} -I{tmp_path} -idirafter /usr/include/{multiarch.strip()}"
    command = ("make", "-C", "code/bench", f"OUT={tmp_path}", f"CC={narrow}", f"{tmp_path}/{source}.o")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert done.returncode == 2 and not (tmp_path / f"{source}.o").exists()
    assert len(errors) == 1 and "build for a CPU that has them" in errors[0], done.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("1", "2", "3"), "set-clock: usage: set-clock OFFSET_NS DRIFT_PPM\n"),
        (("5", "x"), "set-clock: x is not a whole number\n"),
        (("5", ""), "set-clock:  is not a whole number\n"),
    ],
)
def test_set_clock_refuses_other_arguments_than_two_numbers(arguments: tuple[str, ...], error: str) -> None:
    subprocess.run(["make", "-s", "-C", ROOT / "code" / "bench"], check=True)
    program = ROOT / ".cache" / "bench" / "set-clock"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, error)
