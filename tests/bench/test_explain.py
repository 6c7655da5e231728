"""How the C programs describe their options, and the table that lab.options generates from this."""

import json
import subprocess
from typing import Any

import pytest

from lab.options import FILE, explained
from lab.places import BENCH

PROGRAMS = ("verbs-server", "verbs-client", "tcp-server", "tcp-client", "mpi-pingpong")


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    host = ("there",) if program.endswith("client") else ()
    return subprocess.run([BENCH / program, *options, *host], capture_output=True, text=True, check=False, timeout=100)


def description(program: str) -> dict[str, list[dict[str, Any]]]:
    done = run(program, "--explain")
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_number_above_its_limit_is_refused_with_both_limits(program: str) -> None:
    limited = [option for option in description(program)["options"] if "most" in option]
    assert len(limited) >= 4
    for option in limited:
        done = run(program, f"--{option['name']}", str(int(option["most"]) + 1))
        assert done.returncode == 2 and f"between {option['least']} and {option['most']}" in done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_rules_name_only_options_of_the_program(program: str) -> None:
    table = description(program)
    names = {option["name"] for option in table["options"]} | {"size"}
    assert {rule["option"] for rule in table["rules"]} <= names
    used = {name for rule in table["rules"] for left, _, _ in rule["refused_if"] for name in left.split("*")}
    assert used <= names | {"4096"}


def test_options_of_one_end_only_are_marked() -> None:
    single = {option["name"] for option in description("tcp-client")["options"] if not option["both_ends"]}
    assert single == {"core", "port", "listen", "source", "format", "token"}


def test_the_generated_table_is_current_and_the_same_for_both_ends() -> None:
    assert FILE.read_text() == explained(), f"{FILE.name} is stale: make options"
    assert description("verbs-client") == description("verbs-server")
