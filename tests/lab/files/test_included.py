"""What an experiment includes: one text, whose faults have the file and the line that they were typed in."""

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.experiment.reader import load
from lab.files.toml import files_of, read_whole, source_of

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


def refused(file: Path) -> tuple[str, int | None, str]:
    with pytest.raises(SpecError) as caught:
        load(file)
    assert caught.value.file
    return str(Path(caught.value.file).relative_to(file.parent)), caught.value.line, str(caught.value)


def test_series_that_are_included_come_first_and_obey_the_experiments_parameters(tmp_path: Path) -> None:
    found = load(write(tmp_path))
    assert [each.name for each in found.series] == ["first", "second", "third"]
    assert {each.published.iterations for each in found.series} == {2000}
    assert {each.link.mtu for each in found.series} == {1500}


def test_the_whole_text_says_the_same_without_the_other_file(tmp_path: Path) -> None:
    """So that a hand-in, which holds it, is complete."""
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
        ('program = "tcp"', 'program = "tpc"', ("shared/two.toml", 12), "there is no program 'tpc'"),
        ("iterations = 2000", "iterations = 2", ("x.toml", 8), "first: iterations = 2"),
        ('operation = "read"', 'operation = "raed"', ("x.toml", 13), "'read'?"),
        ("[link]", "[link", ("shared/two.toml", 1), "is not TOML"),
        ("[link]", "[parameters]", ("x.toml", 6), "does not go together with two.toml: Cannot declare"),
        ("[link]", 'include = "two.toml"\n[link]', ("shared/two.toml", 1), "an included file includes another"),
        ("shared/two", "shared/none", ("shared/none.toml", None), "is not there (try: x.toml, line 3, includes it)"),
        ("shared/two", "shared", ("shared.toml", None), "is not there"),
        ("shared/two", "../x", ("x.toml", 3), "include is '../x.toml', expected a .toml file in this file's folder"),
        ('"shared/two.toml"', "5", ("x.toml", 3), "include is 5, expected a .toml file"),
        ('"shared/two.toml"', '"""\nshared/two.toml"""', ("x.toml", 3), "include shares its line"),
    ],
)
def test_a_fault_has_its_file_and_line(
    tmp_path: Path, old: str, new: str, place: tuple[str, int | None], what: str
) -> None:
    assert old in OWN + SHARED
    file, line, said = refused(write(tmp_path, OWN.replace(old, new), SHARED.replace(old, new)))
    assert (file, line) == place and what in said


def test_a_source_is_named_from_the_experiments_folder(tmp_path: Path) -> None:
    file = write(tmp_path)
    assert source_of(file, ("link", "mtu")) == "shared/two.toml:2"
    assert source_of(file, ("parameters", "iterations")) == "x.toml:8"
    assert files_of(file) == [file, tmp_path / "shared" / "two.toml"]


def test_a_table_may_be_all_that_is_included(tmp_path: Path) -> None:
    own = OWN.partition("[[series]]")[0].replace("[parameters]", "[parameters] # [[series]]")
    assert [each.name for each in load(write(tmp_path, own)).series] == ["first", "second"]


def test_an_experiment_without_tables_of_its_own_takes_all_from_the_other(tmp_path: Path) -> None:
    own = OWN.partition("\n# As")[0]
    shared = OWN[OWN.index("[parameters]") :] + SHARED
    assert len(load(write(tmp_path, own, shared)).series) == 3
