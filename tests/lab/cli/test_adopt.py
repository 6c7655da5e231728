"""`lab adopt`: the experiment that it guesses from sources, and what it prints of a trial."""

import re
import shutil
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import adopt
from lab.cli.adopt import Folder, Tried, experiment_of
from lab.cli.results import BINARY, Output, outputs, printed_outputs
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
	inet_pton(AF_INET, argc < 3 ? v[1] : "127.0.0.1", &a.sin_addr);
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
                r"pattern = '\s*(?P<size>\d+)\s+(?P<messages>\d+)\s+(?P<value>[\d.]+)'",
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
            ['binaries = ["server", "client"]', "rdma = true", 'emulate = ["lids"]', "ready.tcp = 12345"],
        ),
        (
            [STYLES / "tcp.c", STYLES / "tcp.config"],
            [
                'binaries = ["tcp", "tcp.config"]',
                'client = "tcp {host} {printed:port}"',
                r"pattern = 'size\s+(?P<size>\d+ KB):\s+(?P<value>[\d.]+)'",
            ],
        ),
    ],
    ids=["cm_tutorial", "loop_of_sizes", "send_pingpong", "tcp_select", "rc", "tcp"],
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


CPP = """
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--dev") device = argv[++i];
    else if (arg == "--ib-port") ib = std::stoi(argv[++i]);
    else if (arg == "--port") port = std::stoi(argv[++i]);
    else if (arg == "--server") host = argv[++i];
  }
  listen(fd, 1);
  std::cout << "Bandwidth: " << rate << " MB/s" << std::endl;
}
"""
FLAGS = """
int main(int argc, char *argv[]) {
	while ((c = getopt(argc, argv, "sp:")) != -1)
		switch (c) {
		case 's': server = 1; break;
		case 'p': port = atoi(optarg); break;
		}
	if (server) return serve(port);
	host = argv[optind];
}
"""
TEXT = """
int main(int argc, char *argv[]) {
	while ((c = getopt(argc, argv, "s:a:")) != -1)
		switch (c) {
		case 's': src = strdup(optarg); break;
		case 'a': addr.sin_addr.s_addr = inet_addr(optarg); break;
		default: printf("usage: [-a <server_addr>] -s string (required)\\n");
		}
}
"""


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (
            {"a.cpp": CPP},
            [
                'build = "g++ -O2 -o a a.cpp"',
                'server = "a --port {port} --dev {device}"',
                'client = "a --server {host} --port {port} --dev {device}"',
                'output = "none"',
            ],
        ),
        ({"a.c": FLAGS}, ['server = "a -s -p {port}"', 'client = "a -p {port} {host}"']),
        ({"a.cc": '#include <mpi.h>\nint main() {}'},
         ['build = "env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX -O2 -o a a.cc"']),
        (
            {"a.cc": '#include <mpi.h>\nint main() {}', "Makefile": "CXX = mpic++\na: a.cc\n"},
            ["build = \"make 'CXX=env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX'\""],
        ),
        (
            {"my_server.c": "", "server.c": "int main(void) { for (;;) {} }", "client.c": "int main(void) {}",
             "Makefile": "all: my_server my_client\n"},
            ["server_stays = true"],
        ),
        ({"a.c": 'const int BUFFER_SIZE = 4 << 10;\nint NUM_PINGS = 30, x;\nint main() {}'},
         ['sizes = "4096"', "iterations = 30"]),
        ({"a.c": 'int main() { connect("12000"); }'}, ["ready.tcp = 12000"]),
        ({"a.c": TEXT}, ['client = "a -a {host} -s hello"', 'sizes = "64"']),
        (
            {"server.c": 'int main() { listen_at(atoi(getenv("PORT"))); }',
             "client.c": 'int main() { dial(getenv("SERVER_IP"), getenv("PORT")); }'},
            ['server = "PORT={port} server"', 'client = "SERVER_IP={host} PORT={port} client"'],
        ),
        (
            {"configure": "", "Makefile.in": "CC = @CC@\nbuild/a: a.c\n", "a.c": "int main() { listen_on(9000); }"},
            ['build = "sh configure && make"', 'binaries = ["build/a"]', "ready.tcp = 9000"],
        ),
        (
            {"build.sh": "mkdir bin\ngcc -O2 -o bin/receiver r.c\ngcc -o bin/sender s.c\n",
             "r.c": "int main() {}", "s.c": "int main() {}"},
            ['build = "sh build.sh"', 'binaries = ["bin/receiver", "bin/sender"]'],
        ),
        (
            {"src/a.c": "int main() {}", "src/Makefile": "bin/a: a.c\n"},
            ['build = "make -C src"', 'binaries = ["src/bin/a"]', 'server = "a"'],
        ),
        (
            {"CMakeLists.txt": "add_library(core STATIC src/core.cpp)\nadd_executable(my_server src/server_main.cpp)\n"
                               "add_executable(my_client src/client_main.cpp)\nadd_executable(t tests/t.cpp)\n",
             "src/core.cpp": "", "tests/t.cpp": "int main() {}", "src/server_main.cpp": "int main() { listen(fd, 1); }",
             "src/client_main.cpp": "int main(int argc, char **argv) { dial(argv[1], 9000); }"},
            ['build = "g++ -O2 -o my_server src/server_main.cpp src/core.cpp && '
             'g++ -O2 -o my_client src/client_main.cpp src/core.cpp"',
             'server = "my_server"', 'client = "my_client {host}"'],
        ),
        (
            {"CMakeLists.txt": "add_subdirectory(src)\n", "src/CMakeLists.txt": "add_executable(b a.c)\n",
             "src/a.c": "int main() {}"},
            ['build = "gcc -O2 -o b src/a.c"'],
        ),
        ({"a.c": "int main() {}", "b.c": ""}, ['build = "gcc -O2 -o a a.c b.c"']),
        ({"a.c": "int main() {}", "Makefile": "all:\n\tgcc a.c -o tcp\n"}, ['binaries = ["tcp"]']),
        (
            {"a.c": 'int main(int n, char *argv[]) { puts("usage: a PORT | a HOST PORT"); dial(argv[1], argv[2]); }'},
            ['server = "a {port}"', 'client = "a {host} {port}"'],
        ),
        (
            {"a.c": "int main() { switch (getopt(n, v, \"m:\")) { case 'm': mode = optarg; break; } "
                    'if (!strcmp(mode, "recv")) listen_on(9000); }'},
            ['server = "a -m recv"', 'client = "a -m client {host}"'],
        ),
        (
            {"a.c": 'int main() { f = fopen("out/r.csv", "w"); '
                    'fprintf(f, "size;gbps\\n"); fprintf(f, "%d;%f\\n", n, r); }'},
            ['result_file = "out/r.csv"', r"pattern = '\s*(?P<size>\d+);\s*(?P<value>[\d.]+)'", 'unit = "Gbps"'],
        ),
        (
            {"a.c": 'int main() { fopen("my.txt", "r"); }',
             "my.txt": "# size 1\nserver=10.0.0.9\nport: 80\ndev = mlx5_0\n{}\n"},
            [r'files."my.txt" = "# size 1\nserver={host}\nport: {port}\ndev = {device}\n{{}}\n"', 'client = "a"'],
        ),
        ({"a.c": "#include <mpi.h>\nint main() { MPI_Send(&token, 2, MPI_INT, 1, 0, world); }"},
         ['sizes = "8"', 'mpi = "tcp"', 'build = "mpicc -O2 -o a a.c"']),
        ({"a.c": "int main(int n, char **argv) { if (n > 1) inet_pton(AF_INET6, argv[1], &a); }"},
         ['client = "a ::ffff:{host}"']),
        ({"a.c": "int main() { switch (getopt_long(n, v, \"p:\")) { case 'p': config.tcp_port = atoi(optarg); } }"},
         ['server = "a -p {port}"']),
        ({"a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "--server")) is_server = 1; '
                 'else if (!strcmp(argv[i], "--host")) host = argv[++i]; }'},
         ['server = "a --server"', 'client = "a --host {host}"']),
        ({"a.c": 'int main() { echo(); printf("%d messages, total %ld ns\\n", COUNT, t); }'},
         [r"pattern = '\s*(?P<messages>\d+)\s+messages,\s+total\s+(?P<total>[\d.]+)'", 'measure = "latency"']),
        ({"a.c": 'int main() { printf("sent %d messages in %.2f ms\\n", COUNT, t); }'},
         [r"pattern = 'sent\s+(?P<messages>\d+)\s+messages\s+in\s+(?P<total>[\d.]+)'", 'measure = "throughput"']),
        ({"a.c": 'int main() { double lat = (now() - start) / (2 * COUNT); printf("%.2f us\\n", lat); }'},
         ["factor = 2", 'measure = "latency"']),
        ({"a.c": 'int main() { printf("one-way latency: %.2f us\\n", t); }'}, ["factor = 2"]),
        ({"a.c": 'int main() { printf("%d messages, avg of all %.1f us\\n", COUNT, t); }'},
         [r"pattern = '\s*(?P<messages>\d+)\s+messages,\s+avg\s+of\s+all\s+(?P<value>[\d.]+)'"]),
    ],
    ids=["C++", "flags", "MPI in C++", "mpic++", "names", "constants", "port", "any text", "variables", "configure",
         "script", "Makefile in a folder", "libraries of CMake", "CMake in a folder", "parts", "line of a Makefile",
         "usage for each end", "word for each end",
         "results in a file", "settings", "MPI's types", "IPv6", "member of a struct", "option without a value",
         "time of all messages", "time in which they were sent", "half", "one way", "mean"],
)  # fmt: skip
def test_habits_of_sources_are_known(tmp_path: Path, source: dict[str, str], lines: list[str]) -> None:
    (tmp_path / "p").mkdir()
    for name, text in source.items():
        (tmp_path / "p" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "p" / name).write_text(text)
    text, _ = experiment_of(Folder(tmp_path / "p"))
    assert [line for line in lines if f"\n{line} #" not in text and f"\n{line}\n" not in text] == [], text


ARGP = """
struct argp_option options[] = {
	{ "listen", 'l', 0, 0, "be the server" }, { "connect", 'c', "HOST", 0, "" },
	{ "requests", 'n', "COUNT", 0, "" }, { 0 } };
int main(int argc, char **argv) {
	switch (key) {
	case 'l': a->listen = 1; break;
	case 'c': a->host = arg; break;
	case 'n': a->requests = atoi(arg); break;
	}
}
"""
LOOP_OF_OPTIONS = """
int main(int argc, char **argv) {
	for (int i = 1; i < argc; ++i) {
		if (!strcmp(argv[i], "-myindex") && i + 1 < argc) rank = (int)strtol(argv[++i], &end, 10) - 1;
		else if (!strcmp(argv[i], "-list")) { while (i + 1 < argc && argv[i + 1][0] != '-') hosts[size++] = argv[++i]; }
	}
	attr.ah_attr.dlid = peer->lid;
	printf("Rank %d: %s All-Reduce count=%d %.1f us\\n", rank, ok, count, us);
}
"""
POSITIONS = """
int main(int argc, char **argv) {
	int rank = atoi(argv[1]);
	int size = atoi(argv[2]);
	struct hostent *h = gethostbyname(argv[3 + (rank + 1) % size]);
	printf("allreduce %8d bytes  %10.2f us  %8.2f MB/s\\n", n, us, rate);
}
"""
NEIGHBOUR = """
int main(int argc, char **argv) {
	int my_rank = atoi(argv[1]);
	char *right_ip = argv[2];
	int num_nodes = atoi(argv[3]);
	if (argc == 5) oob_port = atoi(argv[4]);
}
"""
LETTERS = """
int main(int argc, char **argv) {
	while ((o = getopt(argc, argv, "r:n:h:g:")) != -1) switch (o) {
		case 'r': rank = atoi(optarg); break;
		case 'n': np = atoi(optarg); break;
		case 'h': for (char *t = strtok(optarg, ","); t; t = strtok(NULL, ",")) add(t); break;
		case 'g': gid_index = atoi(optarg); break;
		default: printf("usage: %s -r rank -n processes -h host0,host1,... [-g gid index]\\n", argv[0]);
	}
	attr.ah_attr.dlid = peer->lid, attr.ah_attr.is_global = 1;
}
"""
ONE_WORD = """
static int parse_host_list(const char *s) { for (char *t = strtok(strdup(s), " "); t; t = strtok(NULL, " ")) add(t); }
int main(int argc, char **argv) {
	parse_host_list(argv[1]);
	rank = atoi(argv[2]);
	fprintf(stderr, "cannot resolve %s\\n", host);
	printf("%-8s %-8s %-8s\\n", "size", "time(us)", "MB/s");
	printf("%-8d %-8.2f %-8.2f\\n", size, us, size / us);
}
"""
OWN_NAME = """
static int connect_group(char *servername, int port) {
	gethostname(name, 64);
	for (t = strtok(servername, ","); t;) add(t); }
int main(int argc, char **argv) { connect_group(argv[1], atoi(argv[2])); }
"""


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (
            LOOP_OF_OPTIONS,
            [
                'each = "a -myindex {index} -list {addresses}"',
                'emulate = ["lids"]',
                r"pattern = 'Rank\s+[\d.]+:\s+\S+\s+All\-Reduce\s+count=\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'",
                'unit = "us"',
                'size_unit = "ints"',
            ],
        ),
        (POSITIONS, ['each = "a {rank} {computers} {addresses}"', 'unit = "us"', "computers = 2"]),
        (NEIGHBOUR, ['each = "a {rank} {next} {computers} {port}"']),
        (LETTERS, ['each = "a -g {gid} -n {computers} -r {rank} -h {addresses:,}"']),
        (
            ONE_WORD,
            ["each = \"a '{addresses: }' {rank}\"", r"pattern = '\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'", 'unit = "us"'],
        ),
        (OWN_NAME, ['each = "a {addresses:,} {port}"', 'emulate = ["hostname"]']),
    ],
    ids=["-myindex", "positions", "neighbour", "letters", "one word", "own name"],
)
def test_program_of_a_ring_is_started_on_each_computer(tmp_path: Path, source: str, lines: list[str]) -> None:
    (copied(tmp_path / "p") / "a.c").write_text(source)
    text, _ = experiment_of(Folder(tmp_path / "p"))
    assert [line for line in lines if f"\n{line} #" not in text] == [], text
    assert ('"lids"' in text) == (source == LOOP_OF_OPTIONS)
    (tmp_path / "p.toml").write_text(text)
    assert load(tmp_path / "p.toml").series[0].link.computers == 2


BY_ENVIRONMENT = """
static const char *need(const char *name) { return getenv(name); }
int main(void)
{
	char *nodes = getenv("NODES"), *t;
	int rank = atoi(need("SLURM_PROCID")), size = atoi(getenv("SLURM_NTASKS")), local = atoi(getenv("LOCAL_RANK"));
	for (t = strtok(nodes, " "); t; t = strtok(NULL, " ")) add(t);
}
"""
BY_COORDINATOR = """
int main(int argc, char **argv)
{
	while ((o = getopt(argc, argv, "r:m:p:")) != -1) switch (o) {
		case 'r': rank = atoi(optarg); break;
		case 'm': master = optarg; break;
		case 'p': port = atoi(optarg); break;
	}
	printf("size_bytes,time_us\\n");
	printf("%d,%.2f\\n", 4 * count, t);
}
"""
BY_FILE = """
static void read_hosts(const char *path) { FILE *f = fopen(path, "r"); }
int main(int argc, char **argv) { read_hosts(argv[1]); int rank = atoi(argv[2]); }
"""
BY_NAME = """
int main(void) { FILE *f = fopen("cluster.conf", "r"); gethostname(self, 64); }
"""


@pytest.mark.parametrize(
    ("source", "file", "lines"),
    [
        (
            BY_ENVIRONMENT,
            ("notes.txt", "run it with srun\n"),
            ["each = \"'NODES={addresses: }' SLURM_PROCID={rank} SLURM_NTASKS={computers} a\""],
        ),
        (
            BY_COORDINATOR,
            ("notes.txt", ""),
            [
                'each = "a -p {port} -m {address:0} -r {rank}"',
                r"pattern = '\s*(?P<size>\d+),\s*(?P<value>[\d.]+)'",
                'unit = "us"',
            ],
        ),
        (
            BY_FILE,
            ("nodes.cfg", "# id address port\n0 192.168.0.11 9000\n1 192.168.0.12 9000\n"),
            ['each = "a nodes.cfg {rank}"', r'files."nodes.cfg" = "{rank} {address} 9000\n"'],
        ),
        (BY_FILE, ("README", ""), ['each = "a hosts.txt {rank}"', r'files."hosts.txt" = "{address}\n"']),
        (
            BY_NAME,
            ("cluster.conf", "node1\nnode2\n"),
            ['each = "a"', r'files."cluster.conf" = "{address}\n"', 'emulate = ["hostname"]'],
        ),
    ],
    ids=["variables of Slurm", "coordinator", "file of nodes", "file that is missing", "own name in a file"],
)
def test_ring_that_finds_its_peers_otherwise_is_started_too(
    tmp_path: Path, source: str, file: tuple[str, str], lines: list[str]
) -> None:
    (copied(tmp_path / "p") / "a.c").write_text(source)
    (tmp_path / "p" / file[0]).write_text(file[1])
    text, _ = experiment_of(Folder(tmp_path / "p"))
    assert [line for line in lines if f"\n{line} #" not in text] == [], text
    (tmp_path / "p.toml").write_text(text)
    assert load(tmp_path / "p.toml").series[0].tool.together


def test_rank_that_a_program_refused_is_counted_the_other_way(tmp_path: Path) -> None:
    (copied(tmp_path / "p") / "a.c").write_text(POSITIONS)
    text, _ = experiment_of(Folder(tmp_path / "p"), Tried(failure="the client ended with status 1: invalid rank"))
    assert 'each = "a {index} {computers} {addresses}"' in text


LENGTHS = r"""
printf("%12s %16s %18s\n", "Length", "Time (us)", "Bandwidth (MB/s)");
printf("%12d %16.3f %18.3f\n", len, us, rate);
"""
WIDTHS = r"""
printf("%-10s%*s\n", "# Size", 18, "Bandwidth (MB/s)");
printf("%-*d%*.*f\n", 10, size, 18, 2, rate / (1024 * 1024));
"""


@pytest.mark.parametrize(
    ("prints", "printed", "found"),
    [
        (LENGTHS, "          64            1.500             42.667", ("64", "42.667", "MB/s")),
        (WIDTHS, "64                     42.67", ("64", "42.67", "MiB/s")),
        ('printf("RTT min/avg/max = %.2f/%.2f/%.2f us\\n", a, b, c);',
         "RTT min/avg/max = 1.00/2.50/9.00 us", ("", "2.50", "us")),
        (
            r'''printf("{\"size\": %d, \"seconds\": %f, \"bw_MBps\": %.1f}\n", s, t, r);''',
            '{"size": 64, "seconds": 0.100000, "bw_MBps": 4.5}',
            ("64", "4.5", "MBps"),
        ),
        (
            r'printf("%d bytes = %.2f Mbit/sec\n%d iters = %.2f usec/iter\n", b, m, n, u);',
            "12800 bytes = 9.10 Mbit/sec\n100 iters = 5.25 usec/iter",
            ("", "5.25", "usec/iter"),
        ),
        (r"""printf("%'d bytes: %'.2f MB/s\n", n, r);""", "1,024 bytes: 1,234.56 MB/s", ("1,024", "1,234.56", "MB/s")),
        (r'printf("\r%d bytes: %.2f µs\n", n, t);', "64 bytes: 4.50 µs", ("64", "4.50", "µs")),
        (r'printf("size %" PRIu64 " in " GREEN "%.1f" RESET " us\n", n, t);', "size 64 in 4.5 us", ("64", "4.5", "us")),
        (r'printf("%d bytes: %g req/s\n", n, r);', "64 bytes: 1.5e+06 req/s", ("64", "1.5e+06", "req/s")),
        (
            r'printf("warmup %d bytes: %.1f us\n", n, t); printf("run %d bytes: %.1f us\n", n, t);',
            "warmup 64 bytes: 9.5 us\nrun 64 bytes: 4.5 us",
            ("64", "4.5", "us"),
        ),
    ],
    ids=["columns", "widths", "mean of three", "JSON", "a time of one message", "thousands", "after a bar", "macros",
         "exponent", "warm-up"],
)  # fmt: skip
def test_result_is_found_in_sources_and_in_what_they_printed(prints: str, printed: str, found: tuple[str, ...]) -> None:
    shown = printed if "printf" in prints and len(prints.splitlines()) < 2 else f"{heading(prints)}\n{printed}"
    for outputs_found in (outputs(prints), printed_outputs(shown)):
        match = re.search(outputs_found[0].pattern, printed)
        assert match, outputs_found
        unit = outputs_found[0].binary_unit if BINARY.search(prints) else outputs_found[0].unit
        assert (match.groupdict().get("size", ""), match["value"], unit) == found


@pytest.mark.parametrize(
    ("found", "printed"),
    [
        (printed_outputs("64\t12.50\tMbps\n128\t1.30\tGbps\n"), "64\t12.50\tMbps"),
        (outputs(r'printf("%d, %.2f, %s\n", size, rate, unit);'), "64, 12.50, Mbps"),
        (outputs(r'a ? printf("%d B: %.2f Mbps\n", n, r) : 0; printf("%d B: %.2f Gbps\n", n, r);'), "64 B: 12.50 Mbps"),
    ],
)
def test_unit_that_differs_from_line_to_line_is_a_group(found: list[Output], printed: str) -> None:
    match = re.search(found[0].pattern, printed)
    assert match and not found[0].unit
    assert (match["size"], match["value"], match["unit"]) == ("64", "12.50", "Mbps")


def heading(prints: str) -> str:
    return "  ".join(re.findall(r'"(\w[^%"]*|# Size)"', prints))


@pytest.mark.parametrize(
    ("tried", "lines"),
    [
        (Tried("Size: 128 bytes, iterations: 500\nBandwidth: 3.50 MB/s\n"), ['sizes = "128"', "iterations = 500"]),
        (Tried("Size(B)   Avg RTT(us)\n16    3.100\n256   4.200\n"), ['sizes = "16,256"', 'measure = "latency"']),
        (Tried("size  t_min  t_avg  [usec]\n8  3.10  3.50\n512  4.20  4.60\n"), ['sizes = "8,512"', 'unit = "usec"']),
        (Tried("size  t (us)  lost\n16  8.21  3\n32  9.21  4\n"), ['sizes = "16,32"']),
        (
            Tried("| Size | Rate (gbps) |\n|---|---|\n| 16 | 8.21 |\n| 32 | 9.21 |\n"),
            ['sizes = "16,32"', 'unit = "Gbps"'],
        ),
        (Tried("Size 1 KB: 7.0 MB/s\nSize 2 KB: 8.0 MB/s\n"), ['sizes = "1024,2048"']),
        (Tried("8 doubles: 7.0 MB/s\n64 doubles: 8.0 MB/s\n"), ['sizes = "64,512"', 'size_unit = "doubles"']),
        (
            Tried("value size   KB/s\n16           1,234.56\n1,024        32,768.00\n"),
            ['sizes = "16,1024"', r"pattern = '\s*(?P<size>[\d,]+)\s+(?P<value>[\d.,]+)'"],
        ),
        (Tried("size,lost,KB/s\n16,200,300.56\n"), [r"pattern = '\s*(?P<size>\d+),\s*[\d.]+,\s*(?P<value>[\d.]+)'"]),
        (Tried("│ Size │ RTT (µs) │\n│ 16 │ 3,50 │\n"), ['sizes = "16"', 'unit = "µs"']),
        (Tried("Sent 1 file of 270 bytes (7.0 MB/s)\n"), ['sizes = "270"', "iterations = 1"]),
        (Tried("5.0 MB/s (9 writes of 64 bytes)\n"), [r"pattern = '\s*(?P<value>[\d.]+)\s+MB/s\s+\(\s*(?P<messages>"]),
        (Tried("", "served\n128 bytes: 2.0 Gbps\n"), ['sizes = "128"', 'printed_by = "server"']),
        (Tried("7.0 MB/s\n", "", "the client did not end before the deadline"), ["client_stays = true"]),
        (Tried("7.0 MB/s\n", "", "the server did not end before the deadline"), ["server_stays = true"]),
        (Tried("7.0 MB/s\n", "", "the server was ended by signal 15"), ["server_stays = true"]),
        (Tried("", "", "ibv_query_gid(3): Invalid argument"), ['emulate = ["gids"]']),
        (Tried("", "", "9 bytes are reported, but tx counted 1: the data took another way"), ["iterations = 1"]),
    ],
    ids=[
        "one size",
        "a table",
        "a unit of all columns",
        "more columns",
        "a table with lines",
        "sizes in KB",
        "sizes in doubles",
        "thousands",
        "commas between columns",
        "a box and a decimal comma",
        "a file",
        "messages behind",
        "the server",
        "endless client",
        "endless server",
        "ended server",
        "index of a GID",
        "fewer messages",
    ],
)
def test_what_a_trial_printed_corrects_the_guesses(tmp_path: Path, tried: Tried, lines: list[str]) -> None:
    (copied(tmp_path / "p") / "a.cpp").write_text("int main(int argc, char **argv) { listen(3, 1); std::cout << 1; }")
    text, _ = experiment_of(Folder(tmp_path / "p"), tried)
    assert [line for line in lines if f"\n{line}" not in text] == [], text


def test_server_that_sends_the_messages_is_read_from(tmp_path: Path) -> None:
    (copied(tmp_path / "p") / "a.c").write_text(ARGP)
    lines = ('server = "a -l -n {iterations}"', 'client = "a -n {iterations} -c {host}"', 'operation = "send"')
    text, _ = experiment_of(Folder(tmp_path / "p"))
    assert [line for line in lines if f"\n{line}" not in text] == [], text
    text, _ = experiment_of(Folder(tmp_path / "p"), Tried(failure="the data took another way"))
    assert '\noperation = "read"' in text


def test_folder_of_python_is_refused_with_the_reason(tmp_path: Path) -> None:
    (copied(tmp_path / "p") / "client.py").touch()
    with pytest.raises(SpecError, match=r"client\.py: no site has Python"):
        experiment_of(Folder(tmp_path / "p"))


def test_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no program was found"):
        experiment_of(Folder(tmp_path))


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("RTT 1: 2.5 us", "64 bytes: 2.500 us"),
        ("latency of 64 bytes: 2.5 us", "written again, by what it printed"),
        ("hello", "change "),
        ("connection refused", "mine/mine.c:6 names 127.0.0.1"),
    ],
)
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
    status = int("refused" in printed)
    outcome = Outcome((StepOutcome(printed, "", "", "", status, 0, 0, 10**9),), {}, counters, 0, 10**9, "", 0.0)
    monkeypatch.setattr(fake_site, "run", lambda _: outcome)

    def shop(files: list[Path], _: object) -> Any:
        plan = make_plan(
            experiment := load(files[0]), facts := SiteFacts.of(fake_site), dict.fromkeys(binaries([experiment]), "d")
        )
        return SimpleNamespace(site=fake_site, facts=facts, plans=(plan,))

    monkeypatch.setattr(adopt, "open_shop", shop)
    status = adopt.adopt(Namespace(folder=folder, results=tmp_path / "results", jobs=1))
    assert words in capsys.readouterr().out and status == (printed in ("hello", "connection refused"))
