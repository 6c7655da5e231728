"""Commands of programs that the lab does not know: lab.programs.placeholders."""

from pathlib import Path
from typing import Any

from tests.lab import fake_site as fake_module

from lab.model.parameters import Counts, Parameters
from lab.model.trial import End, Ends, StepOutcome
from lab.programs.own import OwnTable, own_program
from lab.programs.request import Build, Request
from lab.typed_json import parse_as

ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
COUNTS = (Counts(64, 40, 4), Counts(1024, 40, 4))
REQUEST = Request("mine", "write", "throughput", COUNTS, Parameters(tx_depth=7))
TABLE = {
    "folder": "mine",
    "build": "make -s all",
    "binaries": ["build/mine"],
    "server": "mine -s -p {port} -d {device}",
    "client": "mine -p {port} -d {device} -n {iterations} -t {tx_depth} -b {size} {arguments} {host}",
    "output": "columns",
}
FOLDER = Path("/experiments/mine")


def one(arguments: str = "", **changed: Any) -> Any:
    return own_program("mine", parse_as(OwnTable, TABLE | changed), FOLDER, arguments)


def test_each_end_is_told_its_own_device_and_the_servers_host() -> None:
    steps = one().steps(REQUEST, ENDS)
    assert steps[0].server == ("/lab/bin/mine", "-s", "-p", "18800", "-d", "rxe1")
    assert " ".join(steps[0].client) == "/lab/bin/mine -p 18800 -d rxe0 -n 40 -t 7 -b 64 10.0.0.2"


def test_a_command_with_one_size_makes_a_pair_for_each() -> None:
    steps = one().steps(REQUEST, ENDS)
    assert [step.port for step in steps] == [18800, 18801]
    assert "1024" in steps[1].client and "18801" in steps[1].server


def test_a_command_with_all_sizes_makes_one_pair() -> None:
    (step,) = one(client="mine {sizes} {host}").steps(REQUEST, ENDS)
    assert step.client == ("/lab/bin/mine", "64,1024", "10.0.0.2")


def test_arguments_of_a_series_are_words_and_may_have_places_too() -> None:
    steps = one("--depth {tx_depth} 'two words'").steps(REQUEST, ENDS)
    assert steps[0].client[-4:] == ("--depth", "7", "two words", "10.0.0.2")


def test_what_a_command_does_not_name_changes_nothing() -> None:
    assert one().uses == {"sizes", "iterations", "tx_depth", "size"}


def test_a_command_that_names_iterations_once_needs_them_alike() -> None:
    assert one(client="mine {sizes} {iterations} {host}").same_counts
    assert not one().same_counts and not one(client="mine {sizes} {host}").same_counts


def test_binaries_and_build_lie_in_the_folder() -> None:
    assert one().binaries == (FOLDER / "build/mine",)
    assert one().build == Build(("make", "-s", "all"), FOLDER)


def test_another_way_to_read_the_output_is_another_record() -> None:
    patterns = [one(output="pattern", pattern=pattern).reading for pattern in ("(?P<value>a)", "(?P<value>b)")]
    assert len({one().reading, *patterns}) == 3


def test_what_each_pair_printed_is_read() -> None:
    printed = [StepOutcome(f"{each.size} 8 Mbps\n", "", "", "", 0, 0, 0, 1) for each in COUNTS]
    assert [sample.size_bytes for sample in one().parse(REQUEST, tuple(printed)).samples] == [64, 1024]


def test_the_labs_csv_is_read_as_from_the_labs_programs() -> None:
    text = fake_module.lab_csv({64: 40, 1024: 40}, "throughput", 20)
    program = one(output="csv", client="mine {sizes} {host}")
    assert program.prints_samples
    assert len(program.parse(REQUEST, (StepOutcome(text, "", "", "", 0, 0, 0, 1),)).samples) == 44
