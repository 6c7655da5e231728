"""What the C programs say of themselves, explain.c and rule_table.c, and what lab.options keeps of it."""

from __future__ import annotations

import json
import subprocess

import pytest

from lab.options import FILE, explained
from lab.places import BENCH

PROGRAMS = ("verbs-server", "verbs-client", "tcp-server", "tcp-client", "mpi-pingpong")
HOST = {"verbs-client": ("there",), "tcp-client": ("there",)}


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = [str(BENCH / program), *options, *HOST.get(program, ())]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)


def options_of(program: str) -> list[dict[str, object]]:
    done = run(program, "--explain")
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, object]] = json.loads(done.stdout)["options"]
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_number_above_its_most_is_refused_with_both_limits(program: str) -> None:
    limited = [each for each in options_of(program) if "most" in each]
    assert len(limited) >= 4
    for each in limited:
        done = run(program, f"--{each['name']}", str(int(str(each["most"])) + 1))
        assert done.returncode == 2 and f"between {each['least']} and {each['most']}" in done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_rules_name_options_that_the_program_has(program: str) -> None:
    names = {str(each["name"]) for each in options_of(program)} | {"size"}
    rules = json.loads(run(program, "--explain").stdout)["rules"]
    assert {each["option"] for each in rules} <= names
    for each in rules:
        for left, _, _ in each["refused_if"]:
            assert set(left.split("*")) <= names | {"4096"}


def test_what_only_one_end_is_told_is_marked() -> None:
    own = {each["name"] for each in options_of("tcp-client") if not each["both_ends"]}
    assert own == {"core", "port", "listen", "source", "format", "token"}


def test_the_table_of_the_harness_is_what_the_programs_say() -> None:
    assert FILE.read_text() == explained(), f"{FILE.name} is stale: make options"


def test_client_and_server_say_the_same() -> None:
    assert run("verbs-client", "--explain").stdout == run("verbs-server", "--explain").stdout
