"""`lab adopt`: the experiment that it guesses from sources, and what it prints of a trial."""

import shutil
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import adopt
from lab.cli.adopt import Folder, experiment_of
from lab.cli.sources import binaries_of_make
from lab.errors import SpecError
from lab.experiment.reader import load
from lab.model.trial import Outcome, StepOutcome
from lab.places import EXAMPLES, ROOT
from lab.plan.plan import SiteFacts, binaries, make_plan

STYLES = ROOT / "tests" / "machine" / "styles"
FIXED = """
#include <arpa/inet.h>
int main(int argc, char **v) {
	struct sockaddr_in a = { .sin_port = htons(7000) };
	if (argc < 2) { listen(3, 1); return 0; }
	inet_pton(AF_INET, v[1], &a.sin_addr);
	printf("RTT %d: %.1f us\\n", 1, 2.5);
}
"""
MODES = """
#include <arpa/inet.h>
static void client(char *server_ip, int num) { printf("%d packets: %.2f Mbps\\n", num, 1.0); }
int main(int argc, char *argv[]) {
	if (argc < 2) printf("Usage: -s | -c <server_ip> <num_packets>\\n");
	if (strcmp(argv[1], "-s") == 0) listen(htons(9930), 1);
	else if (strcmp(argv[1], "-c") == 0) client(argv[2], atoi(argv[3]));
}
"""
CMAKE = "set(SRCS src/a.c)\nadd_executable(my_server ${SRCS})\nadd_executable(my_client src/b.c)\n"


def copied(folder: Path, *files: Path) -> Path:
    folder.mkdir()
    for file in files:
        shutil.copy(file, folder)
    return folder


def example(name: str) -> list[Path]:
    return sorted((EXAMPLES / name / "program").iterdir())


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            example("cm_tutorial"),
            [
                'build = "make"',
                'binaries = ["cm_server", "cm_client"]',
                "ready.cm = 20079",
                'client = "cm_client {host}"',
                'unit = "microseconds"',
                'measure = "latency"',
                "iterations = 1000",
            ],
        ),
        (
            example("loop_of_sizes"),
            [
                'build = "gcc -O2 -o loop_of_sizes loop_of_sizes.c -libverbs"',
                'client = "loop_of_sizes -n {iterations} -p {port} -x {gid} -d {device} {host}"',
                r"pattern = '\s*(?P<size>\d+)\s+[\d.]+\s+(?P<value>[\d.]+)'",
                'unit = "Gb/sec"',
                "client_stays = true",
                'operation = "write"',
            ],
        ),
        (
            example("send_pingpong"),
            ['client = "send_pingpong -g {gid} -n {iterations} -s {size} -d {device} -p {port} {host}"'],
        ),
        (
            example("tcp_select"),
            [
                "ready.tcp = 5001",
                "server_stays = true",
                'server = "tcp_select"',
                'client = "tcp_select {host} {size} {iterations}"',
                "pattern = 'throughput:\\s+(?P<value>[\\d.]+)'",
            ],
        ),
        (
            [STYLES / "rc.c", STYLES / "Makefile"],
            ['binaries = ["server", "client"]', "rdma = true", "ready.tcp = 12345"],
        ),
        (
            [STYLES / "tcp.c", STYLES / "tcp.config"],
            [
                'binaries = ["tcp", "tcp.config"]',
                'client = "tcp {host} {printed:port}"',
                r"pattern = 'size\s+(?P<size>\d+ KB):\s+(?P<value>[\d.]+)'",
            ],
        ),
        ([STYLES / "ranks.c"], ['build = "mpicc -O2 -o ranks ranks.c"', 'mpi = "tcp"', 'unit = "us"']),
    ],
    ids=["cm_tutorial", "loop_of_sizes", "send_pingpong", "tcp_select", "rc", "tcp", "ranks"],
)
def test_experiment_follows_from_the_sources_and_can_be_loaded(
    tmp_path: Path, files: list[Path], lines: list[str]
) -> None:
    text, _ = experiment_of(Folder(copied(tmp_path / "mine", *files)))
    (tmp_path / "mine.toml").write_text(text)
    assert [line for line in lines if f"\n{line}" not in text] == [], text
    assert len(load(tmp_path / "mine.toml").series) == 1


@pytest.mark.parametrize(
    ("makefile", "names"),
    [
        (
            ".PHONY: clean\nAPPS := my-server my-client\nall: ${APPS}\nclean:\n\trm -f ${APPS}\n",
            ["my-server", "my-client"],
        ),
        ("BIN = bin\nall: $(BIN)/pp\n$(BIN)/pp: pp.c\n\tgcc -o $@ $<\n", ["bin/pp"]),
        ("pp: pp.o\n\tgcc -o pp pp.o\npp.o: pp.c\n", ["pp"]),
    ],
)
def test_programs_of_a_makefile_are_found(makefile: str, names: list[str]) -> None:
    assert binaries_of_make(makefile, ["pp.c"]) == names


def test_cmake_becomes_lines_for_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "p" / "src").mkdir(parents=True)
    (tmp_path / "p" / "CMakeLists.txt").write_text(CMAKE)
    for name in "ab":
        (tmp_path / "p" / "src" / f"{name}.c").write_text("#include <infiniband/verbs.h>\nint main(void) {}\n")
    (tmp_path / "p" / "src" / "c.h").touch()
    text, _ = experiment_of(Folder(tmp_path / "p"))
    server, client = (
        f"gcc -O2 -o my_{name} -Isrc src/{file}.c -libverbs" for name, file in (("server", "a"), ("client", "b"))
    )
    assert f'build = "{server} && {client}"' in text


def test_word_for_each_end_and_names_of_parameters_are_found(tmp_path: Path) -> None:
    (copied(tmp_path / "p") / "both.c").write_text(MODES)
    text, _ = experiment_of(Folder(tmp_path / "p"))
    assert 'server = "both -s"' in text and 'client = "both -c {host} {iterations}"' in text


def test_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no program was found"):
        experiment_of(Folder(tmp_path))


@pytest.mark.parametrize(("printed", "words"), [("RTT 1: 2.5 us", "64 bytes: 2.500 us"), ("hello", "change ")])
def test_trial_is_shown_or_the_file_to_change(
    tmp_path: Path,
    fake_site: FakeSite,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    printed: str,
    words: str,
) -> None:
    folder = copied(tmp_path / "mine")
    (folder / "mine.c").write_text(FIXED)
    counters = {"v0.tx_bytes": 10**6}
    outcome = Outcome((StepOutcome(printed, "", "", "", 0, 0, 0, 10**9),), {}, counters, 0, 10**9, "", 0.0)
    monkeypatch.setattr(fake_site, "run", lambda _: outcome)

    def shop(files: list[Path], _: object) -> Any:
        plan = make_plan(
            experiment := load(files[0]), facts := SiteFacts.of(fake_site), dict.fromkeys(binaries([experiment]), "d")
        )
        return SimpleNamespace(site=fake_site, facts=facts, plans=(plan,))

    monkeypatch.setattr(adopt, "open_shop", shop)
    status = adopt.adopt(Namespace(folder=folder, results=tmp_path / "results", jobs=1))
    assert words in capsys.readouterr().out and status == (printed == "hello")
