"""Student programs: their commands, what their table sets, and how their output is read."""

import os
import pickle
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import lab_csv
from tests.lab.programs.cases import ENDS, printed

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import DAEMON, Ready, Step, StepOutcome, place_under_test
from lab.programs.program import Build, Program, Request
from lab.programs.student import ProgramTable, make_program
from lab.typed_json import JsonValue, parse_as

COUNTS = (Counts(64, 40, 4), Counts(1024, 40, 4))
REQUEST = Request("mine", "write", "throughput", COUNTS, Parameters(tx_depth=7))
TABLE: dict[str, JsonValue] = {
    "folder": "mine",
    "build": "make -s all",
    "binaries": ["build/mine"],
    "server": "mine -s -p {port} -d {device}",
    "client": "mine -p {port} -d {device} -n {iterations} -t {tx_depth} -b {size} {arguments} {host}",
    "output": "columns",
}
FOLDER = Path("/experiments/mine")


def program(arguments: str = "", /, **changed: JsonValue) -> Program:
    return make_program("mine", parse_as(ProgramTable, TABLE | changed), FOLDER, arguments)


def first_step(arguments: str = "", /, **changed: JsonValue) -> Step:
    return program(arguments, **changed).steps(REQUEST, ENDS)[0]


def test_command_with_one_size_makes_a_pair_for_each_on_its_own_port() -> None:
    first, second = program().steps(REQUEST, ENDS)
    assert first.server == ("stdbuf", "-oL", "/lab/bin/mine", "-s", "-p", "18800", "-d", "rxe1")
    assert " ".join(first.client) == "stdbuf -oL /lab/bin/mine -p 18800 -d rxe0 -n 40 -t 7 -b 64 10.0.0.2"
    assert "1024" in second.client and "18801" in second.server
    assert [step.sign for step in (first, second)] == [Ready(18800, 18800), Ready(18801, 18801)]


def test_command_with_all_sizes_makes_one_pair() -> None:
    (step,) = program(client="mine {sizes} {host}").steps(REQUEST, ENDS)
    assert step.client[2:] == ("/lab/bin/mine", "64,1024", "10.0.0.2")


def test_arguments_of_a_series_are_words_and_may_have_places() -> None:
    assert first_step("--depth {tx_depth} 'two words'").client[-4:] == ("--depth", "7", "two words", "10.0.0.2")


def test_each_of_several_computers_has_its_rank_and_all_addresses() -> None:
    text = "mine {rank}/{computers} -d {device} {addresses} {addresses}, -addresses- {address:1} {address:4} {sizes}"
    table = parse_as(ProgramTable, TABLE | {"server": "", "client": "", "each": text})
    (step,) = make_program("mine", table, FOLDER, "", 4).steps(REQUEST, ENDS)
    assert step.ranks is not None and step.client == step.ranks[0] and step.server == ()
    hosts = [f"10.0.0.{number}" for number in range(1, 5)]
    for rank, device in enumerate(("rxe0", "rxe1", "rxe0", "rxe0")):
        words = (f"{rank}/4", "-d", device, *hosts, f"{','.join(hosts)},", "-addresses-", hosts[1], hosts[0], "64,1024")
        assert step.ranks[rank] == ("stdbuf", "-oL", "/lab/bin/mine", *words)


def test_each_of_a_ring_has_its_neighbours_and_its_number_from_one() -> None:
    each = "mine {index} {previous} {next} '{addresses: }' {addresses:,}"
    table = parse_as(ProgramTable, TABLE | {"server": "", "client": "", "each": each})
    (step,) = make_program("mine", table, FOLDER, "", 3).steps(REQUEST, ENDS)
    hosts = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    around = [("1", hosts[2], hosts[1]), ("2", hosts[0], hosts[2]), ("3", hosts[1], hosts[0])]
    assert step.ranks and [words[3:6] for words in step.ranks] == around
    assert {words[6:] for words in step.ranks} == {(" ".join(hosts), ",".join(hosts))}


def test_libraries_that_a_program_preloads_are_built_with_it() -> None:
    tool = program(grants="connectx", emulate=["lids"], rdma=True)
    assert [file.name for file in tool.binaries] == ["mine", "lab_lids.so", "lab_grants.so"]
    assert tool.build and "gcc -O2 -shared -fPIC -o lab_lids.so" in tool.build.command[2]
    assert "preload=/lab/bin/lab_lids.so:/lab/bin/lab_grants.so" in tool.steps(REQUEST, ENDS)[0].client


def test_hostname_is_the_address(tmp_path: Path) -> None:
    tool = program(
        emulate=["hostname"], binaries=["mine"], client="mine {host}", build=f"cp {shutil.which('hostname')} mine"
    )
    assert tool.build
    subprocess.run(tool.build.command, cwd=tmp_path, check=True)
    command = [word.replace("/lab/bin", str(tmp_path)) for word in tool.steps(REQUEST, ENDS)[0].client[:-1]]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "10.0.0.1\n"


CALLS = """
#include <arpa/inet.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
int main(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET }, fixed = { AF_INET, 1, { inet_addr("192.168.1.1") }, { 0 } };
	struct sockaddr *to = (struct sockaddr *)&fixed;
	struct rdma_addrinfo *found;
	struct addrinfo *resolved;
	bind(0, (struct sockaddr *)&any, sizeof(any));
	bind(0, to, sizeof(fixed));
	connect(0, to, sizeof(fixed));
	rdma_bind_addr(NULL, to);
	rdma_resolve_addr(NULL, to, to, 1);
	rdma_getaddrinfo("192.168.1.1", "1", NULL, &found);
	rdma_bind_addr(NULL, found->ai_src_addr);
	connect(0, found->ai_dst_addr, sizeof(fixed));
	getaddrinfo("node1", "1", NULL, &resolved);
	gethostbyname("node1");
}
"""
CALLED = """
#include <arpa/inet.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
static int see(const char *call, const struct sockaddr *to)
{
	return printf("%s %s\\n", call, inet_ntoa(((const struct sockaddr_in *)to)->sin_addr)) < 0;
}
int bind(int fd, const struct sockaddr *to, socklen_t n) { return see("bind", to); }
int connect(int fd, const struct sockaddr *to, socklen_t n) { return see("connect", to); }
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *to) { return see("listen", to); }
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int ms)
{
	return see("from", from) | see("to", to);
}
int rdma_getaddrinfo(const char *node, const char *port, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	static struct sockaddr_in from, to;
	static struct rdma_addrinfo both = { .ai_src_addr = (struct sockaddr *)&from, .ai_dst_addr = (void *)&to };
	from = to = (struct sockaddr_in){ AF_INET, 1, { inet_addr(node) }, { 0 } };
	*res = &both;
	return 0;
}
int getaddrinfo(const char *node, const char *port, const struct addrinfo *hints, struct addrinfo **res)
{
	return printf("%s\\n", node), inet_addr(node) == INADDR_NONE;
}
struct hostent *gethostbyname(const char *node)
{
	static struct hostent found;
	return printf("%s\\n", node), inet_addr(node) == INADDR_NONE ? NULL : &found;
}
"""


def test_computers_that_a_program_names_are_those_of_the_link(tmp_path: Path) -> None:
    tool = program(emulate=["addresses"], binaries=["mine"], client="mine", build="gcc -w -o mine mine.c ./called.so")
    (tmp_path / "mine.c").write_text(CALLS)
    (tmp_path / "called.c").write_text(CALLED)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", "called.so", "called.c"], cwd=tmp_path, check=True)
    assert tool.build
    subprocess.run(tool.build.command, cwd=tmp_path, check=True)
    command = [word.replace("/lab/bin", str(tmp_path)) for word in tool.steps(REQUEST, ENDS)[0].client]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split() for line in ran.stdout.splitlines()] == [
        ["bind", "0.0.0.0"],
        ["bind", "10.0.0.1"],
        ["connect", "10.0.0.2"],
        ["listen", "10.0.0.1"],
        ["from", "10.0.0.1"],
        ["to", "10.0.0.2"],
        ["listen", "10.0.0.1"],
        ["connect", "10.0.0.2"],
        ["node1"],
        ["10.0.0.1"],
        ["node1"],
        ["10.0.0.1"],
    ]


def test_quoted_variable_alone_needs_the_starter_too(tmp_path: Path) -> None:
    table = TABLE | {"server": "", "client": "", "each": "'NAMES={addresses: }' mine"}
    tool = make_program("mine", parse_as(ProgramTable, table), tmp_path, "", 2)
    assert tool.build and [file.name for file in tool.binaries] == ["mine", "lab_start.sh"]


def test_variables_files_and_results_of_a_program_are_prepared_beside_it(tmp_path: Path) -> None:
    changes: dict[str, JsonValue] = {
        "server": "",
        "client": "",
        "each": "'NAMES={addresses: }' RANK={rank} mine hosts.txt",
        "files": {"hosts.txt": "# {computers}\n{rank} {address}\n", "etc/a.json": "{{ {address:1} }}"},
        "result_file": "out/r.csv",
        "build": "printf '#!/bin/sh\necho $NAMES $RANK; cat $1 etc/a.json >out/r.csv; exit 3' >mine && chmod +x mine",
    }
    tool = make_program("mine", parse_as(ProgramTable, TABLE | changes), tmp_path, "", 2)
    assert tool.build and [file.name for file in tool.binaries] == ["mine", "lab_start.sh"]
    subprocess.run(tool.build.command, cwd=tmp_path, check=True)
    (step,) = tool.steps(REQUEST, ENDS)
    assert step.ranks and place_under_test(step.ranks[1]) == 2  # in its sandbox
    command = ["sh", *(word.replace("/lab/bin", str(tmp_path)) for word in step.ranks[1][2:])]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    expected = "10.0.0.1 10.0.0.2 1\n# 2\n0 10.0.0.1\n1 10.0.0.2\n{ 10.0.0.2 }"
    assert (ran.stdout, ran.returncode, ran.stderr) == (expected, 3, "")


def test_each_end_gets_the_number_of_its_gid() -> None:
    step = first_step(server="mine -g {gid}", client="mine -g {gid} {sizes}")
    assert (step.server[-1], step.client[-2]) == ("3", "1")


def test_traits_follow_from_the_commands() -> None:
    mine = program()
    assert mine.parameters == {"sizes", "iterations", "tx_depth", "size"}
    assert mine.binaries == (FOLDER / "build/mine",) and mine.build == Build(("make", "-s", "all"), FOLDER)
    assert program(client="mine {sizes} {iterations} {host}").same_counts
    assert not mine.same_counts and not program(client="mine {sizes} {host}").same_counts
    bare: dict[str, JsonValue] = {"server": "mine {port}", "client": "mine {port} {size}"}
    assert [program(**bare | more).rdma for more in ({}, {"rdma": True}, {"server": "mine {gid}"})] == [0, 1, 1]


def test_every_way_to_read_the_output_is_another_record() -> None:
    changes: list[dict[str, JsonValue]] = [{"output": "pattern", "pattern": text} for text in ("(?P<value>a)", "b")]
    changes += [{}, {"printed_by": "server"}, {"factor": 2}, {"size_unit": "KB"}]
    assert len({program(**change).reading for change in changes}) == len(changes)


def test_ready_sign_of_a_table_is_waited_for() -> None:
    for sign in ({"line": "waiting"}, {"after_s": 0.5}):
        assert first_step(client="mine {host}", ready=sign).sign == parse_as(Ready, sign)


@pytest.mark.parametrize(
    ("build", "command"),
    [
        ("make -s 'two words'", ("make", "-s", "two words")),
        ("gcc -o a a.c && gcc -o b b.c", ("sh", "-c", "gcc -o a a.c && gcc -o b b.c")),
        ("CC=gcc make", ("sh", "-c", "CC=gcc make")),
        ("gcc *.c", ("sh", "-c", "gcc *.c")),
    ],
)
def test_build_with_signs_of_a_shell_is_run_by_one(build: str, command: tuple[str, ...]) -> None:
    tool = program(build=build).build
    assert tool and tool.command == command


def test_scripts_and_data_among_the_binaries_are_sources_and_have_paths_in_commands() -> None:
    tool = program(binaries=["mine", "run.sh", "conf/link.cfg"], client="run.sh mine link.cfg {host}")
    assert tool.build and [tool.build.is_source(name) for name in ("run.sh", "conf/link.cfg", "mine")] == [1, 1, 0]
    assert tool.steps(REQUEST, ENDS)[0].client[2:5] == ("/lab/bin/run.sh", "mine", "/lab/bin/link.cfg")


TALKS = "for size in 32 64 512 1024 2048; do echo $size 8 Mbps; done; echo stays; sleep 600"


@pytest.mark.parametrize(
    ("command", "status", "last"), [(TALKS, 0, "1024 8 Mbps"), ("echo 64 8 Mbps; exit 3", 3, "64 8 Mbps")]
)
def test_client_that_stays_is_ended_when_all_sizes_have_a_line(command: str, status: int, last: str) -> None:
    step = first_step(server="mine {port}", client=f"sh -c '{command}'", client_stays=True)
    done = subprocess.run(step.client, capture_output=True, text=True, start_new_session=True, check=False)
    assert done.returncode == status and last in done.stdout.splitlines()
    assert step.server[:2] == ("sh", "-c")  # which ends it without a failure


@pytest.mark.parametrize(("server", "status"), [("sleep 600", 0), ("read key", 0), ("exit 3", 3), ("exit 0", 0)])
def test_server_that_stays_is_ended_and_one_that_fails_has_failed(server: str, status: int) -> None:
    step = first_step(server=f"sh -c 'echo here; {server}'", client="mine {host}", server_stays=True)
    with subprocess.Popen(step.server, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout and process.stdout.readline() == b"here\n"
        if "exit" not in server:
            os.killpg(process.pid, signal.SIGTERM)
        assert process.wait() == status


def test_both_ends_can_be_ranks_of_one_mpi_program() -> None:
    ranks = program(server="mine -r 1", client="mine -r 0 {sizes}", mpi="tcp")
    (step,) = ranks.steps(REQUEST, replace(ENDS, launcher="orterun apart"))
    first, second = " ".join(step.client).split(" : ")
    assert step.server == DAEMON
    assert first.endswith("/lab/bin/mine -r 0 64,1024") and "--host 10.0.0.1 " in first
    assert second.endswith("/lab/bin/mine -r 1") and "--host 10.0.0.2 " in second


@pytest.mark.parametrize("transport", ["tcp", "verbs"])
def test_ranks_need_a_device_if_their_messages_do(transport: str) -> None:
    assert program(server="mine", client="mine", mpi=transport).rdma == (transport == "verbs")


def test_failure_to_read_ranks_is_that_of_the_rank_that_printed() -> None:
    ranks = program(client="mine {sizes}", mpi="tcp")
    rows = printed("[1,1]<stdout>:64 8 Mbps\n[1,1]<stdout>:1024 8 Mbps\n")
    assert len(ranks.parse(REQUEST, (rows,)).samples) == 2
    with pytest.raises(ParseError, match="line 1 is about 9 bytes"):
        ranks.parse(REQUEST, (printed("[1,0]<stdout>:9 8 Mbps\n"),))


def test_output_is_read_as_its_table_sets_it() -> None:
    outputs = tuple(printed(f"{counts.size} 8 Mbps\n") for counts in COUNTS)
    assert [sample.size_bytes for sample in program().parse(REQUEST, outputs).samples] == [64, 1024]
    csv = program(output="csv", client="mine {sizes} {host}")
    samples = csv.parse(REQUEST, (printed(lab_csv({64: 40, 1024: 40}, "throughput", 20)),)).samples
    assert csv.prints_samples and len(samples) == 44
    silent = program(output="none", client="mine {host}")
    assert silent.silent and silent.parse(REQUEST, (printed("hello"),)).samples == ()
    both = StepOutcome("64 9 Mbps", "", "64 8 Mbps\n1024 8 Mbps\n", "", 0, 0, 0, 1)
    samples = program(client="mine {sizes}", printed_by="server").parse(REQUEST, (both,)).samples
    assert [sample.time_ns for sample in samples] == [2_560_000, 40_960_000]


@pytest.mark.parametrize("output", ["columns", "csv", "none"])
def test_student_program_can_be_pickled_as_a_part_of_a_plan(output: str) -> None:
    assert pickle.dumps(program(output=output))
