"""Commands of programs that the lab does not know: lab.programs.{own,own_commands,placeholders}."""

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module

from lab.model.parameters import Counts, Parameters
from lab.model.trial import DAEMON, End, Ends, Ready, StepOutcome
from lab.programs.program import Build, Request
from lab.programs.student import OwnTable, own_program
from lab.typed_json import parse_as

ENDS = Ends(End("10.0.0.1", "rxe0", "v0", "1"), End("10.0.0.2", "rxe1", "v1", "3"), "127.0.0.1")
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


def test_each_end_is_told_the_number_of_its_own_gid() -> None:
    (step,) = one(server="mine -g {gid}", client="mine -g {gid} {sizes}").steps(REQUEST, ENDS)
    assert (step.server[-1], step.client[-2]) == ("3", "1")


def test_a_server_is_ready_when_its_port_listens_over_tcp_or_rdma_cm() -> None:
    assert [step.sign for step in one().steps(REQUEST, ENDS)] == [Ready(18800, 18800), Ready(18801, 18801)]


def test_a_server_is_ready_at_the_sign_that_its_table_names_and_prints_it_in_time() -> None:
    (step,) = one(client="mine {host}", ready={"line": "waiting"}).steps(REQUEST, ENDS)
    assert step.sign == Ready(line="waiting")
    assert step.server[:3] == ("stdbuf", "-oL", "/lab/bin/mine")
    (step,) = one(client="mine {host}", ready={"after_s": 0.5}).steps(REQUEST, ENDS)
    assert step.sign == Ready(after_s=0.5) and step.server[0] == "/lab/bin/mine"


@pytest.mark.parametrize(("server", "status"), [("sleep 600", 0), ("exit 3", 3), ("exit 0", 0)])
def test_a_server_that_stays_is_ended_and_one_that_fails_has_failed(server: str, status: int) -> None:
    (step,) = one(server=f"sh -c 'echo here; {server}'", client="mine {host}", server_stays=True).steps(REQUEST, ENDS)
    with subprocess.Popen(step.server, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout and process.stdout.readline() == b"here\n"
        if "sleep" in server:
            os.killpg(process.pid, signal.SIGTERM)
        assert process.wait() == status


def test_both_ends_can_be_ranks_of_one_mpi_program() -> None:
    ends = replace(ENDS, launcher="orterun apart")
    (step,) = one(server="mine -r 1", client="mine -r 0 {sizes}", mpi="tcp").steps(REQUEST, ends)
    first, second = " ".join(step.client).split(" : ")
    assert step.server == DAEMON
    assert first.endswith("/lab/bin/mine -r 0 64,1024") and "--host 10.0.0.1 " in first
    assert second.endswith("/lab/bin/mine -r 1") and "--host 10.0.0.2 " in second


def test_nothing_is_read_of_a_program_that_only_must_work() -> None:
    program = one(output="none", client="mine {host}")
    assert program.silent
    assert program.parse(REQUEST, (StepOutcome("hello", "", "", "", 0, 0, 0, 1),)).samples == ()


def test_what_the_server_prints_is_read_where_its_table_says_so() -> None:
    outcome = StepOutcome("64 9 Mbps", "", "64 8 Mbps\n1024 8 Mbps\n", "", 0, 0, 0, 1)
    program = one(client="mine {sizes}", printed_by="server")
    assert [each.time_ns for each in program.parse(REQUEST, (outcome,)).samples] == [2_560_000, 40_960_000]
    assert program.reading != one().reading


def test_a_table_says_whether_a_program_needs_a_device() -> None:
    bare = {"server": "mine {port}", "client": "mine {port} {size}"}
    assert [one(**bare).rdma, one(**bare, rdma=True).rdma, one(**bare | {"server": "mine {gid}"}).rdma] == [0, 1, 1]
