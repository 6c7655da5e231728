"""What is wrong with a file of any kind is said in the same few sentences: lab.files.{schema,schema_faults,fault}."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from lab.errors import SpecError
from lab.files.schema import EXPERIMENT, check_document
from lab.files.toml import check_toml
from lab.places import EXPERIMENTS, MACHINE
from lab.sites.hosts import Host, Slurm, Ssh
from lab.submission.assignment import CHECKS, Demands

HOSTS = """[ssh]
config = "c"
client = { login = "a", address = "10.1.0.1", interface = "e", device = "mlx5_0", folder = "~/x" }
server = { login = "b" }
[slurm]
account = "a"
partition = "p"
constraint = "c"
minutes = 5
modules = ["gcc"]
options = ["--exclusive"]
mpi = "pmix"
interface = "e"
device = "d"
spool = "/s/x"
trials_per_task = 8
patience_s = 60
"""
PROGRAM = (
    '[program]\nsizes = "1,2"\nverify = "-v"\nrefuses = ["-x"]\nkilled_server = true\nno_server = true\nseconds = 120\n'
)
ASSIGNMENT = 'title = "t"\nexperiment = "e"\nsite = "exact"\nidentities = ["exact"]\nhidden = ["speed"]\n' + PROGRAM
ASSIGNMENT += "[discussion]\nwords_at_least = 80\nevidence_at_least = 5\n[points]\n" + "".join(
    f"{name} = 10\n" for name in CHECKS
)
REPORT = 'authors = ["A"]\nids = ["1"]\ncourse = "c"\n'
FILES = {
    "hosts": HOSTS,
    "assignment": ASSIGNMENT,
    "report": REPORT,
    "published": (EXPERIMENTS / "published" / "curves.toml").read_text(),
    "image": (MACHINE / "image.toml").read_text(),
    **{
        file.stem: file.read_text()
        for file in EXPERIMENTS.rglob("*.toml")
        if file.with_suffix("").is_dir() and file.parent.name != "assignments"
    },
    "bench": (EXPERIMENTS / "bench.toml").read_text(),
}
FRACTIONS = {"bytes_per_s", "restored_by", "at_least"}  # keys that take them
RANGES = {"sizes"}  # and keys that take words too
INTEGER = re.compile(r"^(?:.*[{ ])?([a-z_]+) = ([0-9][0-9_]*)(?=[ ,#}\n]|$)", re.MULTILINE)


def schema_of(name: str) -> str:
    return name if name in ("hosts", "assignment", "report", "published", "image") else EXPERIMENT


def refused(text: str, name: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        check_toml(Path("x.toml"), text, schema_of(name))
    return caught.value


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_the_lab_is_as_its_schema_says(name: str) -> None:
    assert check_toml(Path("x.toml"), FILES[name], schema_of(name)).document == tomllib.loads(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_a_whole_number_with_a_point_is_refused_wherever_it_stands(name: str) -> None:
    """With its line, and with what to write."""
    text = FILES[name]
    for found in INTEGER.finditer(text):
        key, number = found[1], found[2]
        if key in FRACTIONS:
            continue
        for spelled in (f"{number}.0", f"{number}e0"):
            error = refused(text[: found.start(2)] + spelled + text[found.end(2) :], name)
            line = text.count("\n", 0, found.start(2)) + 1
            assert (error.line, error.hint) == (line, f"{key} = {int(number)}"), str(error)
            assert "expected" in str(error) and (key in RANGES or "integer" in error.expected)


def tables(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all tables in a document."""
    if isinstance(value, dict):
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, (dict, list)):
            yield from tables(each, (*path, key))


@pytest.mark.parametrize("name", FILES)
def test_a_mistyped_key_is_refused_in_every_table(name: str) -> None:
    """And so is a table of a mistyped name; what may have been meant is said."""
    free = {"where", "vary", "values"}  # their keys are the user's, or parameters
    for path in tables(tomllib.loads(FILES[name])):
        document = tomllib.loads(FILES[name])
        table: Any = document
        for key in path:
            table = table[key]
        if free & set(path) or path[-1:] in (("profile",), ("programs",)):
            continue
        longest = max(table, key=len)
        mistyped = longest[:-2] + longest[-1] + longest[-2]
        if len(set(longest[-2:])) == 1:
            mistyped = longest[:-1] + "x"
        table[mistyped] = table.pop(longest)
        fault = check_document(document, schema_of(name))
        assert fault is not None and fault.what == f"unknown key {mistyped!r}", path
        assert fault.hint == f"{longest!r}?", fault


def test_a_mistyped_site_is_no_profile() -> None:
    text = FILES["bench"].replace("[profile.exact]", "[profile.exakt]", 1)
    error = refused(text, "bench")
    assert (error.what, error.hint) == ("unknown name 'exakt'", "'exact'?") and "[profile.exakt]" in (
        text.splitlines()[(error.line or 0) - 1]
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("line", "what"),
    [
        (f"x = 1{'0' * 5000}", "a number with thousands of digits"),
        (f"x = {'[' * 2000}{']' * 2000}", "nested too deeply"),
        (f"x = {'[' * 40}{']' * 40}", "nested too deeply"),
        (f"x = {10**30}", "64 bits"),
        ("x = nan", "is nan"),
        ("x = -inf", "is -inf"),
        ('x = "a\\u001b[2J"', "U[+]001B, which cannot be printed"),
        ('x = "a\\u202eb"', "U[+]202E, which cannot be printed"),
        ('x = "a\\u2066b"', "U[+]2066, which cannot be printed"),
        ('x = "\\ufeff"', "U[+]FEFF, which cannot be printed"),
        ("x = = 1", "is not TOML"),
        ("x = 1979-02-30", "is not TOML"),
    ],
)
def test_what_no_file_can_mean_is_refused_with_its_line(name: str, line: str, what: str) -> None:
    error = refused(f"{line}\n{FILES[name]}", name)
    assert re.search(what, error.what) and error.line == 1 and len(str(error)) < 600


@pytest.mark.parametrize("typed", ['"\\n"', '"  "', '"A\\nB"', "'''A\nB'''", '"A\\n"', '""', f'"{"x" * 201}"'])
@pytest.mark.parametrize("name", ["bench", "assignment", "report"])
def test_a_title_and_a_name_are_one_line_that_says_something(name: str, typed: str) -> None:
    text = FILES[name].split("\n", 1)[1]  # the first line holds it
    key = {"report": "authors = [{}]"}.get(name, "title = {}")
    error = refused(f"{key.format(typed)}\n{text}", name)
    assert error.line == 1 and error.expected == "a line of text, up to 200 characters"


@pytest.mark.parametrize(
    ("name", "typed", "what"),
    [
        ("bench", 'question = " \\n "', "question is"),
        ("report", 'ids = ["1", "1"]', "ids is"),
        ("hosts", 'slurm = { constraint = "a\\nb" }', "constraint is"),
        ("hosts", 'slurm = { options = ["--x\\n#SBATCH"] }', "options is"),
        ("report", 'course = "a\\nb"', "course is"),
    ],
)
def test_what_says_nothing_or_the_same_twice_is_refused(name: str, typed: str, what: str) -> None:
    """A question of no words, one id for two people, what breaks its line on a page or in a job's script."""
    fault = check_document(tomllib.loads(FILES[name]) | tomllib.loads(typed), schema_of(name))
    assert fault is not None and what in fault.what, fault


@pytest.mark.parametrize("kind", [Host, Ssh, Slurm])
def test_hosts_are_made_of_what_their_schema_lets_through(kind: type[Host | Ssh | Slurm]) -> None:
    document = tomllib.loads(HOSTS)
    table = {Host: document["ssh"]["client"], Ssh: document["ssh"], Slurm: document["slurm"]}[kind]
    assert set(table) == {each.name for each in fields(kind)}


def test_what_programs_are_asked_is_made_of_what_its_schema_lets_through() -> None:
    assert set(tomllib.loads(ASSIGNMENT)["program"]) == {each.name for each in fields(Demands)}
