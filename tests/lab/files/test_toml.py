"""TOML files: lines of keys, includes, and the errors of every kind of file."""

import re
import tomllib
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from lab.errors import SpecError
from lab.experiment.experiment import Document
from lab.experiment.reader import load
from lab.files.toml import Lines, check_lines, files_of, find_line, read_whole
from lab.machine.contents import Wanted
from lab.places import EXPERIMENTS, MACHINE
from lab.report.evidence.published import Index
from lab.report.sources import People
from lab.sites.hosts import Hosts
from lab.submission.assignment import CHECKS, AssignmentFile
from lab.typed_json import Fault, parse_typed

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
FRACTIONS = {"bytes_per_s", "restored_by", "at_least"}  # keys that take fractions
INTEGER = re.compile(r"^(?:.*[{ ])?([a-z_]+) = ([0-9][0-9_]*)(?=[ ,#}\n]|$)", re.MULTILINE)
KINDS = {"hosts": Hosts, "assignment": AssignmentFile, "report": People, "published": Index, "image": Wanted}


def kind_of(name: str) -> Any:
    return KINDS.get(name, Document)


def refused(text: str, name: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        check_lines(Lines(Path("x.toml"), text), kind_of(name))
    return caught.value


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_the_repository_is_accepted(name: str) -> None:
    assert check_lines(Lines(Path("x.toml"), FILES[name]), kind_of(name)).document == tomllib.loads(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_integer_with_a_point_is_refused_with_its_line_and_the_integer(name: str) -> None:
    text = FILES[name]
    for found in INTEGER.finditer(text):
        key, number = found[1], found[2]
        if key not in FRACTIONS:
            error = refused(text[: found.start(2)] + f"{number}.0" + text[found.end(2) :], name)
            line = text.count("\n", 0, found.start(2)) + 1
            assert (error.line, error.hint) == (line, f"{key} = {int(number)}"), str(error)
            assert key == "sizes" or "integer" in error.expected


def tables(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all tables in a document."""
    if isinstance(value, dict):
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, (dict, list)):
            yield from tables(each, (*path, key))


@pytest.mark.parametrize("name", FILES)
def test_mistyped_key_is_refused_in_every_table_with_the_nearest(name: str) -> None:
    free = {"where", "vary", "values", "files"}  # their keys are the user's, or parameters
    for path in tables(tomllib.loads(FILES[name])):
        if free & set(path) or path[-1:] in (("profile",), ("programs",)):
            continue
        document: Any = tomllib.loads(FILES[name])
        table = reduce(getitem, path, document)
        key = max(table, key=len)
        table[f"{key[:-1]}x"] = table.pop(key)
        with pytest.raises(Fault) as caught:
            parse_typed(kind_of(name), document)
        assert (caught.value.what, caught.value.hint) == (f"unknown key {key[:-1] + 'x'!r}", f"{key!r}?"), path


def test_mistyped_site_is_refused_on_its_line() -> None:
    error = refused(FILES["bench"].replace("[profile.exact]", "[profile.exakt]", 1), "bench")
    assert (error.what, error.hint) == ("unknown key 'exakt'", "'exact'?")
    assert FILES["bench"].splitlines()[(error.line or 0) - 1] == "[profile.exact]"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (f"x = 1{'0' * 5000}", "a number with thousands of digits"),
        (f"x = {'[' * 2000}{']' * 2000}", "nested too deeply"),
        (f"x = {'[' * 40}{']' * 40}", "nested too deeply"),
        (f"x = {10**30}", "64 bits"),
        ("x = nan", "is nan"),
        ("x = -inf", "is -inf"),
        *((f'x = "a\\u{code}b"', f"U[+]{code}, which cannot be printed") for code in ("001B", "202E", "2066", "FEFF")),
        ("x = = 1", "is not TOML"),
        ("x = 1979-02-30", "is not TOML"),
        ('x = """', "is not TOML: Unterminated string|is not TOML: Expected"),
    ],
)
def test_value_without_a_meaning_in_any_file_is_refused_on_its_line(line: str, what: str) -> None:
    for before in ("", '# """\n\n'):
        error = refused(f"{before}{line}\n{REPORT}", "report")
        assert re.search(what, error.what) and error.line == before.count("\n") + 1 and len(str(error)) < 600
        assert error.expected


@pytest.mark.parametrize("typed", ['"\\n"', '"  "', '"A\\nB"', "'''A\nB'''", '"A\\n"', '""', f'"{"x" * 201}"'])
@pytest.mark.parametrize("name", ["bench", "assignment", "report"])
def test_title_or_name_is_one_line_of_text(name: str, typed: str) -> None:
    text = FILES[name].split("\n", 1)[1]  # the title is on the first line
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
def test_empty_double_or_broken_text_is_refused(name: str, typed: str, what: str) -> None:
    with pytest.raises(Fault, match=what):
        parse_typed(kind_of(name), tomllib.loads(FILES[name]) | tomllib.loads(typed))


TEXT = """title = "a [b] = c"
[parameters]
sizes = [
  1,
  2, # [x]
]
depth.inner = 3
[[series]]
name = "one"
[[series]]
name = "two"
[series.profile.exact]
why = '''
[not.a.table]
why = 1
'''
wait = "event"
"""


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        (TEXT, "title", 1),
        (TEXT, "parameters.sizes", 3),
        (TEXT, "parameters.depth.inner", 7),
        (TEXT, "series.0.name", 9),
        (TEXT, "series.1.name", 11),
        (TEXT, "series.1.profile.exact.wait", 17),  # a table below a list of tables belongs to its last one
        (TEXT, "not.a.table", 1),  # text inside a string
        (TEXT, "parameters.missing", 2),  # an unknown key is where its table is
        ("[series]\n\nlink.mtu = 3\n", "series.link", 3),
        ('# begins with """ in TOML\na = "x # \'\'\' y"\nb = """one line"""\nc = 1\n', "c", 4),
        ("[x]\na = [ # ]\n1]\n[y]\nb = 1\n", "y.b", 5),
    ],
)
def test_key_is_found_on_its_line(text: str, path: str, line: int) -> None:
    assert find_line(text, tuple(int(part) if part.isdigit() else part for part in path.split("."))) == line


def test_dot_in_quoted_key_splits_nothing() -> None:
    assert find_line('title = "x"\n[programs."my.tool"]\nbuild = 1\n', ("programs", "my.tool", "build")) == 3


OWN = """title = "t"
question = "q [x]"
include = "shared/two.toml" # both programs

# As published.
[parameters]
sizes = "1..1K*2"
iterations = 2000

[[series]]
name = "third"
program = "verbs"
operation = "read"
measure = "throughput"
"""
SHARED = """[link]
mtu = 1500

[[series]]
name = "first"
program = "verbs"
operation = "write"
measure = "throughput"

[[series]]
name = "second"
program = "tcp"
operation = "send"
measure = "throughput\""""  # without an end of its last line


def write(folder: Path, own: str = OWN, shared: str = SHARED) -> Path:
    (folder / "shared").mkdir(exist_ok=True)
    (folder / "shared" / "two.toml").write_text(shared)
    file = folder / "x.toml"
    file.write_text(own)
    return file


def refused_at(file: Path) -> tuple[str, int | None, str]:
    with pytest.raises(SpecError) as caught:
        load(file)
    assert caught.value.file
    return str(Path(caught.value.file).relative_to(file.parent)), caught.value.line, str(caught.value)


def test_included_series_come_first_and_take_the_experiments_parameters(tmp_path: Path) -> None:
    found = load(write(tmp_path))
    assert [each.name for each in found.series] == ["first", "second", "third"]
    assert {each.published.iterations for each in found.series} == {2000}
    assert {each.link.mtu for each in found.series} == {1500}


def test_whole_text_is_the_same_experiment_without_the_included_file(tmp_path: Path) -> None:
    whole = read_whole(write(tmp_path)).text
    (tmp_path / "alone").mkdir()
    alone = tmp_path / "alone" / "x.toml"
    alone.write_text(whole)
    assert load(alone).series == load(tmp_path / "x.toml").series
    assert read_whole(alone).text == whole and '# include = "shared/two.toml"' in whole
    assert "# As published.\n[parameters]" in whole


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("mtu = 1500", "mtu = 15", ("shared/two.toml", 2), "at least 576"),
        ('name = "second"', 'name = "third"', ("x.toml", 11), "a second series is called 'third'"),
        ('program = "tcp"', 'program = "tpc"', ("shared/two.toml", 12), "unknown program 'tpc'"),
        ("iterations = 2000", "iterations = 2", ("x.toml", 8), "first: iterations = 2"),
        ('operation = "read"', 'operation = "raed"', ("x.toml", 13), "'read'?"),
        ("[link]", "[link", ("shared/two.toml", 1), "is not TOML"),
        ("[link]", "[parameters]", ("x.toml", 6), "does not go together with two.toml: Cannot declare"),
        ("[link]", 'include = "two.toml"\n[link]', ("shared/two.toml", 1), "an included file includes another"),
        ("shared/two", "shared/none", ("shared/none.toml", None), "is not there (try: x.toml, line 3, includes it)"),
        ("shared/two", "shared", ("shared.toml", None), "is not there"),
        ("shared/two", "../x", ("x.toml", 3), "include is '../x.toml', expected a .toml file in this file's folder"),
        ('"shared/two.toml"', "5", ("x.toml", 3), "include is 5, expected a .toml file"),
        ('"shared/two.toml"', '"""\nshared/two.toml"""', ("x.toml", 3), "include spans several lines"),
    ],
)
def test_fault_is_reported_with_its_file_and_line(
    tmp_path: Path, old: str, new: str, place: tuple[str, int | None], what: str
) -> None:
    assert old in OWN + SHARED
    file, line, message = refused_at(write(tmp_path, OWN.replace(old, new), SHARED.replace(old, new)))
    assert (file, line) == place and what in message


def test_files_of_an_experiment_are_its_own_and_the_included_one(tmp_path: Path) -> None:
    file = write(tmp_path)
    assert files_of(file) == [file, tmp_path / "shared" / "two.toml"]


def test_file_may_leave_some_or_all_tables_to_the_included_one(tmp_path: Path) -> None:
    parameters = OWN.partition("[[series]]")[0].replace("[parameters]", "[parameters] # [[series]]")
    assert [each.name for each in load(write(tmp_path, parameters)).series] == ["first", "second"]
    shared = OWN[OWN.index("[parameters]") :] + SHARED
    assert len(load(write(tmp_path, OWN.partition("\n# As")[0], shared)).series) == 3
