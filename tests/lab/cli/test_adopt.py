"""`lab adopt`: the experiment that it guesses from sources, and what it prints of a trial."""

import re
import shutil
import subprocess
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.grade.witness import wire
from tests.lab.grade.witness.test_packets import block

from lab.cli.adopt import command
from lab.cli.adopt.folder import Folder
from lab.cli.adopt.guesses import experiment_of
from lab.cli.adopt.outputs import BINARY, Output, outputs, printed_outputs
from lab.cli.adopt.starts import UNTRIED, Tried
from lab.errors import SpecError
from lab.experiment.reader import load
from lab.machine.results import Frame
from lab.model.trial import Job, Outcome, StepOutcome
from lab.places import EXAMPLES, ROOT
from lab.plan.plan import SiteFacts, binaries, make_plan

STYLES = ROOT / "tests" / "machine" / "styles"
FIXED = """
#include <arpa/inet.h>
int main(int argc, char **v) {
	struct sockaddr_in a = { .sin_port = htons(7000) };
	if (argc < 2) { inet_aton("0.0.0.0", &a.sin_addr); listen(3, 1); return 0; }
	inet_pton(AF_INET, argc < 3 ? v[1] : "127.0.0.1", &a.sin_addr);
	printf("RTT %d: %.1f us\\n", 1, 2.5);
	attr.qkey = 0xdeadbeef;
	attr.max_rd_atomic = 0;
	attr.va = htonl((uintptr_t)buf);
	connect(3); while (1);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
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
KILO = 'int main(int n, char **argv) { size = atoi(argv[1]); printf("%d kB: %.1f MB/s\\n", n / 1024, r); }'
CMAKE = "set(SRCS src/a.c)\nadd_executable(my_server ${SRCS})\nadd_executable(my_client src/b.c)\n"
VERBS_MAIN = "#include <infiniband/verbs.h>\nint main(void) {}\n"


def copied(folder: Path, *files: Path) -> Path:
    folder.mkdir()
    for file in files:
        shutil.copy(file, folder)
    return folder


def example(name: str) -> list[Path]:
    return sorted((EXAMPLES / name / "program").iterdir())


def guessed(folder: Path, sources: Mapping[str, str], tried: Tried = UNTRIED) -> str:
    """The experiment of a program with these files."""
    for name, text in sources.items():
        (folder / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "p" / name).write_text(text)
    return experiment_of(Folder(folder / "p"), tried)[0]


def lacking(text: str, lines: Iterable[str]) -> list[str]:
    """The lines that an experiment does not have, whatever the reason behind them."""
    written = {row.rpartition(" # ")[0] or row for row in text.splitlines()}
    return [line for line in lines if line not in written]


STUDENTS = {
    "cm_tutorial": (
        example("cm_tutorial"),
        ['build = "make"', 'binaries = ["cm_server", "cm_client"]', "ready.cm = 20079", 'client = "cm_client {host}"',
         'unit = "microseconds"', 'measure = "latency"', "iterations = 1000"],
    ),
    "loop_of_sizes": (
        example("loop_of_sizes"),
        ['build = "gcc -O2 -o loop_of_sizes loop_of_sizes.c -libverbs"',
         'client = "loop_of_sizes -n {iterations} -p {port} -x {gid} -d {device} {host}"',
         r"pattern = '\s*(?P<size>\d+)\s+(?P<messages>\d+)\s+(?P<value>[\d.]+)'", 'unit = "Gb/sec"',
         "client_stays = true", 'operation = "write"'],
    ),
    "send_pingpong": (
        example("send_pingpong"),
        ['client = "send_pingpong -g {gid} -n {iterations} -s {size} -d {device} -p {port} {host}"'],
    ),
    "tcp_select": (
        example("tcp_select"),
        ["ready.tcp = 5001", "server_stays = true", 'server = "tcp_select"',
         'client = "tcp_select {host} {size} {iterations}"', "pattern = 'throughput:\\s+(?P<value>[\\d.]+)'"],
    ),
    "rc": (
        [STYLES / "rc.c", STYLES / "Makefile"],
        ['binaries = ["server", "client"]', "rdma = true", 'emulate = ["devices", "lids"]', "ready.tcp = 12345"],
    ),
    "tcp": (
        [STYLES / "tcp.c", STYLES / "tcp.config"],
        ['binaries = ["tcp", "tcp.config"]', 'client = "tcp {host} {printed:port}"',
         r"pattern = 'size\s+(?P<size>\d+ KB):\s+(?P<value>[\d.]+)'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "lines"), STUDENTS.values(), ids=STUDENTS)
def test_experiment_follows_from_the_sources_and_can_be_loaded(
    tmp_path: Path, files: list[Path], lines: list[str]
) -> None:
    text, _ = experiment_of(Folder(copied(tmp_path / "mine", *files)))
    (tmp_path / "mine.toml").write_text(text)
    assert lacking(text, lines) == [], text
    assert len(load(tmp_path / "mine.toml").series) == 1


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
ROLE = """
int main(int argc, char *argv[]) {
	while ((c = getopt(argc, argv, "sca:i:n:")) != -1)
		switch (c) {
		case 's': cfg->role = ROLE_SERVER; break;
		case 'c': cfg->role = ROLE_CLIENT; break;
		case 'a': strncpy(cfg->ip, optarg, sizeof(cfg->ip)); break;
		case 'n': cfg->count = atoi(optarg); break;
		case 'i': cfg->ib_port = atoi(optarg); break;
		default: printf("options: -i <port>\\n");
		}
}
"""
ONE_END = """
int main(int argc, char *argv[]) {
	if (argc < 2) return 1;
	is_server = strcmp(argv[1], "server") == 0;
	if (!is_server) dial(inet_addr(argv[2]));
}
"""
PORT_FIRST = """
static void server(char *port) { listen_at(port); }
static void client(char *host, char *port) { dial(host, port); }
int main(int argc, char *argv[]) {
	if (argc > 2 && strcmp(argv[1], "s") == 0) server(argv[2]);
	else if (strcmp(argv[1], "c") == 0) client(argv[3], argv[2]);
}
"""
GAP = """
int main(int argc, char **argv) {
	const char *server_ip = argv[1];
	int iters = argc > 2 ? atoi(argv[2]) : 1000;
	int print_every = argc > 3 ? atoi(argv[3]) : 100;
	const char *local_ip = argc > 4 ? argv[4] : NULL;
}
"""
OWN_ADDRESS = r"""
int main(int argc, char *argv[]) {
	const char *server_ip = argv[1], *client_ip = (argc >= 3) ? argv[2] : NULL;
	printf("%.2f MB/s\\n", 2.0 * size / us);
}
"""
FIXED_PLACES = """
int main(int argc, char *argv[]) {
	if (strcmp(argv[1], "-s") == 0) {
		if (argc != 4 || strcmp(argv[2], "-p") != 0) return 1;
		serve(port = atoi(argv[3]));
	} else if (strcmp(argv[1], "-c") == 0) {
		if (strcmp(argv[2], "-h") != 0 || strcmp(argv[4], "-t") != 0) return 1;
		seconds = atoi(argv[5]);
		dial(host = argv[3]);
	}
}
"""
STATEMENTS = """
int serve(int port) { accept(fd, 0, 0); }
int call(const char *host, int port, int size) { connect(fd, a, n); }
int main(int argc, char *argv[]) {
	if (argc == 3 && !strcmp(argv[1], "server"))
		return serve(atoi(argv[2]));
	if (argc > 4 && !strcmp(argv[1], "client")) return call(argv[2], atoi(argv[3]), atoi(argv[4]));
}
"""
BEHIND = """
int main(int argc, char **argv) {
	int port = atoi(argv[1]);
	for (int i = 2; i < argc; ++i) {
		if (!strcmp(argv[i], "--msg") && i + 1 < argc) msg = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--iters") && i + 1 < argc) iters = strtoull(argv[++i], NULL, 0);
	}
}
"""
ALL_BYTES = """
int main(void) {
	printf("%lld bytes in %.2f seconds = %.2f Mbit/sec\\n", size * iters, s, rate);
	printf("%d iters in %.2f seconds = %.2f usec/iter\\n", iters, s, time);
}
"""
LETTERS = """
int main(int argc, char **argv) {
	if (argv[1][0] == 's') { const char *port = argv[2]; while (port) listen_at(port); }
	else if (argv[1][0] == 'c') {
		const char *host = argv[2], *port = argv[3];
		int seconds = argc > 4 ? atoi(argv[4]) : 60;
		printf("seconds=%d buf=%dKB\\n", seconds, kb);
		printf("%.0f-%.0fs: %zu bytes  %s\\n", a, b, n, rate);
		printf("total: %zu bytes in %.2fs  %s\\n", n, s, rate);
	}
}
"""
HISTOGRAM = """
int main(void) {
	const unsigned txsize = size / 2;
	printf("RTT: %.3f usec\\n", ticks / rate);
	printf("%-4d : %-10d (cdf %.4f%%)\\n", i, found, part);
}
"""

MODES_BY_NUMBER = """
#define MODE_LATENCY 0
#define MODE_THROUGHPUT 1
#define TYPE_CLIENT 0
#define TYPE_SERVER 1
int main(int argc, char **argv) {
	int num_threads = atoi(argv[1]);
	switch (atoi(argv[2])) { case MODE_LATENCY: latency = 1; break; case MODE_THROUGHPUT: break; default: exit(1); }
	switch (atoi(argv[3])) { case TYPE_CLIENT: break; case TYPE_SERVER: is_server = 1; break; }
	strcpy(ip_addr, argv[4]);
	start_port = atoi(argv[5]);
}
"""
MODE_OF_MPI = """
#include <mpi.h>
/* argv[1]: size
 * argv[2]: size of all */
int main(int argc, char **argv) {
	if (argc != 4) exit(1);
	if (atoi(argv[1]) == 0) latency(); else if (atoi(argv[1]) == 1) bandwidth();
	repetitions = atoi(argv[2]);
	bursts = atoi(argv[3]);
	printf("size - bandwidth in MB/s\\n");
	printf("%d %f\\n", size, (double)size / ((end - start) / (n * 2.0) * 1024.0 * 1024.0));
}
"""
RECIPE = """
CC=gcc
all: tool
tool: server.o client.o
\t$(CC) -o server server.c -libverbs
\t$(CC) -o client client.c -libverbs
"""
SET = """
set(PROJECT_SOURCE_DIR ${CMAKE_SOURCE_DIR}/src)
add_executable(server ${PROJECT_SOURCE_DIR}/both.c ${PROJECT_SOURCE_DIR}/server.c)
add_executable(client ${PROJECT_SOURCE_DIR}/both.c ${PROJECT_SOURCE_DIR}/client.c)
"""
EXPLAINED = """
void usage() { printf("client: [-a <address>] -s string (required)\\n"); }
int main(int argc, char **argv) {
	switch (getopt(argc, argv, "p:a:s:")) {
	case 'p':
		port = atoi(optarg);
	case 'a':
		/* this overwrites the port */
		ret = get_addr(optarg, &address);
	case 's':
		printf("%s, with count %u\\n", optarg, strlen(optarg));
		src = calloc(strlen(optarg), 1);
	}
}
"""
OPERATION = """
int main(int argc, char **argv) {
	if (argc != 4) exit(1);
	if (strcmp(argv[1], "write") == 0) mode = IBV_WR_RDMA_READ;
	getaddrinfo(argv[2], PORT, 0, &r);
	std::string_view word{argv[3]};
}
"""
PAIRS = """
int main(int argc, char **argv) {
  config.port = 1;
  for (int i = 1; i < argc; i++) {
    std::string arg = argv[i];
    auto value = [&]() -> std::string { if (i + 1 >= argc) exit(1); return argv[++i]; };
    if (arg == "-s" || arg == "--server") config.is_server = true;
    else if (arg == "-c" || arg == "--client") { is_client = true; config.server = value(); }
    else if (arg == "-d" || arg == "--device") config.device = value();
    else if (arg == "-t" || arg == "--tcp-port") config.tcp_port = std::stoi(value());
    else if (arg == "-p" || arg == "--port") { config.port = std::stoi(value()); }
  }
}
"""
POSITIONED = """
int main(int argc, char *argv[]) {
	if (argc == 4 && strcmp(argv[1], "-s") == 0 && strcmp(argv[2], "-p") == 0) { server(port_of(argv[3])); }
	else if (argc == 6 && strcmp(argv[1], "-c") == 0) {
		for (int i = 2; i < argc; i += 2) {
			if (strcmp(argv[i], "-h") == 0) { host = argv[i + 1]; }
			else if (strcmp(argv[i], "-p") == 0) { port = port_of(argv[i + 1]); }
		}
	}
}
"""
BY_ROLE = """
int main() {
	const char *role = getenv("ROLE"), *ip = getenv("SERVER_IP"), *port = getenv("PORT");
	if (strcmp(role, "server") == 0) listen_on(port); else dial(ip, port);
}
"""
BY_FUNCTION = """
static const char *setting(const char *name, const char *other) { return getenv(name) ? getenv(name) : other; }
int main() {
	const char *role = setting("ROLE", ""), *host = setting("HOST", "");
	seconds = atoi(setting("SECONDS", "60")), size = setting("MSG_SIZE", "64");
	if (strcmp(role, "server") == 0) listen_on(9000); else if (!strcmp(role, "client")) dial(host, 9000);
}
"""
WORDS = """
struct option all[] = { { "listen", 0, 0, 'l' }, { "host", required_argument, 0, 'a' }, { "repeat-count", 1, 0, 'r' } };
int main(int argc, char **argv) {
	switch (getopt_long(argc, argv, "la:r:", all, 0)) {
	case 'l': lis = 1; break;
	case 'a': where = optarg; break;
	case 'r': r = atoi(optarg); break;
	}
}
"""
SKIP = """
#include <mpi.h>
int main(int argc, char **argv) {
	switch (getopt(argc, argv, "i:x:")) {
	case 'i': iterations = atoi(optarg); break;
	case 'x': skip = atoi(optarg); break;
	default: printf("usage: a [-i ITERATIONS] [-x SKIP]\\n");
	}
}
"""
ADDRESSED = """
int main(int argc, char **argv) {
	switch (getopt_long(argc, argv, "a:p:", options, NULL)) {
	case 'a': addr = optarg; break;
	case 'p': port = atoi(optarg); break;
	default: printf("  -a, --addr=<ip>  address of the local device (mandatory)\\n  -p, --port=<port>\\n");
	}
"""
PARSER = """
void parse(int argc, char **argv, struct cfg *c) {
	switch (getopt(argc, argv, "scp:")) {
	case 's': c->is_server = 1; break;
	case 'c': c->is_server = 0; break;
	case 'p': c->port = atoi(optarg); break;
	}
}
"""

RESULT_FILE = r"""
static void client(const std::string& host, const std::string& file) { std::ofstream csv(file); csv << "size,us"; }
int main(int argc, char** argv) {
  if (role == "server" && argc == 3) server(argv[2]);
  else if (role == "client" && argc == 4) client(argv[2], argv[3]);
  else std::cerr << "usage: " << argv[0] << " server PORT\n" << "       " << argv[0] << " client HOST FILE.csv\n";
}
"""
POSITIONED_FILE = 'int main(int argc, char **argv) { dial(gethostbyname(argv[1])); f = fopen(argv[2], "w"); }'
TWO_FILES = 'int main(int argc, char **argv) { FILE *list = fopen(argv[1], "r"), *out = fopen("out.csv", "w"); }'
OF_OPERATIONS = r"""
#define REPEAT 300
#define MSG 48
int main(void) {
	struct ibv_sge put = { (uintptr_t)buf, MSG, mr->lkey }, get = { (uintptr_t)buf, 40, mr->lkey };
	printf("PUT: %d ops, avg %.2f us\n", n, t);
	printf("GET: %d ops, avg %.2f us\n", n, t);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
}
"""

TWO_RESULTS = r"""
int main(void) {
	printf("%-5s %7s %10s\n", "op", "bytes", "time[us]");
	printf("%-5s %7d %10.2f\n", "write", size, us / iters / 2);
	printf("%-5s %7d %10.2f\n", "read", size, us / iters);
	rdma_post_read(id, NULL, b, size, mr, 0, addr, key);
}
"""

SERVES = "int main(int argc, char **argv) { int port = atoi(argv[1]); accept(listen_on(port), 0, 0); }"
CALLS = "int main(int argc, char **argv) { dial(gethostbyname(argv[1]), atoi(port = argv[2])); connect(s, a, n); }"
RECV_OR_SEND = """
int main(int argc, char **argv) {
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--port")) port = atoi(argv[++i]);
		else if (!strcmp(argv[i], "recv") || !strcmp(argv[i], "send")) mode = argv[i];
		else host = argv[i];
	}
}
"""

LONG_ALONE = """
struct option all[] = { { "passive", 0, 0, 1 }, { "active", 1, 0, 2 }, { "loops", required_argument, 0, 3 }, { 0 } };
int main(int argc, char **argv) { while ((o = getopt_long(argc, argv, "", all, 0)) != -1) set(o, optarg); }
"""

HABITS: dict[str, tuple[dict[str, str], list[str]]] = {
    "recipe of a target that is not a file": (
        {"Makefile": RECIPE, "server.c": VERBS_MAIN, "client.c": VERBS_MAIN},
        ['binaries = ["server", "client"]', 'client = "client {host}"'],
    ),
    "mode and a text": (
        {"server.c": "int main() {}", "client.cpp": OPERATION},
        ['server = "server"', 'client = "client write {host} hello"', 'operation = "write"'],
    ),
    "comments and CMake's folders": (
        {"CMakeLists.txt": SET, "src/both.c": "", "src/server.c": "int main() {}", "src/client.c": EXPLAINED},
        ['build = "gcc -O2 -o server src/both.c src/server.c && gcc -O2 -o client src/both.c src/client.c"',
         'client = "client -s hello -a {host} -p {printed:port}"'],
    ),
    "rsockets": ({"a.c": "#include <rdma/rsocket.h>\nint main() {}"}, ["rdma = true"]),
    "target that makes a folder": (
        {"pp.c": "int main() {}", "Makefile": "all: folders pp\nfolders: out/\nout/:\n\tmkdir -p $@\npp: out/pp.o\n"},
        ['binaries = ["pp"]'],
    ),
    "recipes with other names than their targets": (
        {"s.c": "int main() {}", "c.c": "int main() {}",
         "Makefile": "all: server client\nserver:\n\tgcc s.c -o run_s\nclient:\n\tgcc c.c -o run_c\n"},
        ['binaries = ["run_s", "run_c"]'],
    ),
    "options in pairs, and values by a lambda": (
        {"a.cpp": PAIRS},
        ['server = "a -s -d {device} -t {port}"', 'client = "a -d {device} -c {host} -t {port}"'],
    ),
    "variable for each end": (
        {"a.c": BY_ROLE},
        ['server = "ROLE=server PORT={port} a"', 'client = "ROLE=client SERVER_IP={host} PORT={port} a"'],
    ),
    "variables that a function reads": (
        {"a.c": BY_FUNCTION},
        ['server = "ROLE=server SECONDS=2 MSG_SIZE={size} a"',
         'client = "ROLE=client HOST={host} SECONDS=2 MSG_SIZE={size} a"', "deadline_s = 8"],
    ),
    "address of its own": (
        {"server.c": ADDRESSED + "}", "client.c": ADDRESSED + "\tname = argv[optind];\n}"},
        ['server = "server -a {host} -p {port}"', 'client = "client -a {source} -p {port} {host}"'],
    ),
    "options in another source": (
        {"a.c": "int main(int argc, char **argv) { parse(argc, argv, &c); listen(3, 1); pause(); }", "b.c": PARSER},
        ['server = "a -s -p {port}"', 'client = "a -c -p {port} {host}"', "server_stays = true"],
    ),
    "file to send, and one to write": (
        {"receiver.c": 'int main(int argc, char **argv) { f = fopen(argv[1], "wb"); listen_on(9000); }',
         "sender.c": "int main(int argc, char **argv) { dial(gethostbyname(argv[1])); open(argv[2], O_RDONLY); }",
         "lorem.txt": "ipsum\n"},
        ['binaries = ["receiver", "sender", "lorem.txt"]', 'server = "receiver hello"',
         'client = "sender {host} lorem.txt"'],
    ),
    "source to send": (
        {"a.c": "int main(int argc, char **argv) { dial(gethostbyname(argv[1])); fd = open(argv[2], O_RDONLY); }"},
        ['binaries = ["a", "a.c"]', 'client = "a {host} a.c"'],
    ),
    "words in their places before options": (
        {"a.cpp": POSITIONED}, ['server = "a -s -p {port}"', 'client = "a -c -h {host} -p {port}"'],
    ),
    "settings for each end": (
        {"a.c": 'int main(int argc, char **argv) { fopen(argv[1], "r"); }',
         "follow.conf": "leader = 10.0.0.9\nport = 8\n", "lead.conf": "port = 8\n"},
        ['server = "a lead.conf"', 'client = "a follow.conf"', r'files."lead.conf" = "port = {port}\n"',
         r'files."follow.conf" = "leader = {host}\nport = {port}\n"'],
    ),
    "sources of equal names in folders": (
        {"server/main.c": SERVES, "client/main.c": CALLS,
         "Makefile": "all: p_server p_client\np_server: server/main.c\n\tgcc -o $@ $<\n"
                     "p_client: client/main.c\n\tgcc -o $@ $<\n"},
        ['server = "p_server {port}"', 'client = "p_client {host} {port}"'],
    ),
    "word for each end, wherever it is": (
        {"a.c": RECV_OR_SEND}, ['server = "a recv --port {port}"', 'client = "a send --port {port} {host}"'],
    ),
    "queue pairs of two programs": (
        {"server.c": "int main(int n, char **argv) { qps = atoi(argv[1]); listen_on(9000); }",
         "client.c": 'int main(int n, char **argv) { qps = atoi(getenv("QPS")); dial(inet_addr(argv[1])); }'},
        ['server = "server 1"', 'client = "QPS=1 client {host}"'],
    ),
    "flags of long options": (
        {"a.c": LONG_ALONE}, ['server = "a --passive --loops {iterations}"',
                              'client = "a --loops {iterations} --active {host}"'],
    ),
    "n, and a letter of each end": (
        {"a.c": 'int main(int argc, char **argv) { printf("usage: a s|c SIZE N [IP]\\n"); is_client = *argv[1] == 99; '
                "size = atoi(argv[2]); int n = atoi(argv[3]); if (is_client) dial(inet_addr(argv[4])); }"},
        ['client = "a {size} {iterations} {host}"'],
    ),
    "options with a sign of equality": (
        {"a.c": 'int main(int n, char **argv) { if (!strncmp(argv[i], "--size=", 7)) size = atoi(argv[i] + 7); '
                'else if (!strncmp(argv[i], "peer=", 5)) host = argv[i] + 5; }'},
        ['server = "a --size={size}"', 'client = "a peer={host} --size={size}"'],
    ),
    "flag of a receiver": (
        {"a.c": FLAGS.replace("server", "is_receiver")}, ['server = "a -s -p {port}"', 'client = "a -p {port} {host}"'],
    ),
    "role that is compared at once": (
        {"a.c": "int main(int argc, char **argv) { switch (getopt(argc, argv, \"r:n:\")) { "
                "case 'n': n = atoi(optarg); break; case 'r': end = strcmp(optarg, \"server\") == 0 ? 1 : 2; } }"},
        ['server = "a -r server -n {iterations}"', 'client = "a -r client -n {iterations} {host}"'],
    ),
    "option whose word is compared later": (
        {"a.cpp": 'int main(int n, char **argv) { if (arg == "--role") role = argv[++i]; else if (arg == "--port") '
                  'port = argv[++i]; if (role == "server") listen_on(port); else if (role == "client") dial(port); }'},
        ['server = "a --role server --port {port}"', 'client = "a --role client --port {port} {host}"'],
    ),
    "flag by what it calls, and letters behind a dash": (
        {"a.c": "int main(int argc, char **argv) { switch (argv[i][1]) { case 's': sz = atoi(argv[++i]); break; "
                "case 'R': R = 1; break; } if (R) { accept_one(); } }"},
        ['server = "a -R -s {size}"', 'client = "a -s {size} {host}"'],
    ),
    "function with a default": (
        {"a.cpp": 'int main(int argc, char **argv) { auto ip = get("--host", ""); n = stoi(get("--count", "9")); }'},
        ['server = "a --count {iterations}"', 'client = "a --count {iterations} --host {host}"'],
    ),
    "argument beside a port": (
        {"a.c": "int main(int n, char **argv) { int port = atoi(argv[1]); if (n > 2) connect_to(argv[2], port); }"},
        ['server = "a {port}"', 'client = "a {port} {host}"'],
    ),
    "number of buffers": (
        {"server.c": "int main(int argc, char **argv) { if (argc != 3) return 1; serve(port = argv[1]); "
                     "slots = atoi(argv[2]); accept(1, 0, 0); }", "client.c": CALLS},
        ['server = "server {port} 64"'],
    ),
    "number of queue pairs in settings": (
        {"a.c": 'int main() { fopen("my.txt", "r"); }', "my.txt": "server=10.0.0.9\nnum_qps = 4\niterations = 9\n"},
        [r'files."my.txt" = "server={host}\nnum_qps = 4\niterations = {iterations}\n"'],
    ),
    "C++": (
        {"a.cpp": CPP},
        [
            'build = "g++ -O2 -o a a.cpp"',
            'server = "a --dev {device} --port {port}"',
            'client = "a --server {host} --dev {device} --port {port}"',
            'output = "none"',
        ],
    ),
    "flags": ({"a.c": FLAGS}, ['server = "a -s -p {port}"', 'client = "a -p {port} {host}"']),
    "MPI in C++": ({"a.cc": '#include <mpi.h>\nint main() {}'},
     ['build = "env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX -O2 -o a a.cc"']),
    "mpic++": (
        {"a.cc": '#include <mpi.h>\nint main() {}', "Makefile": "CXX = mpic++\na: a.cc\n"},
        ["build = \"make 'CXX=env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX'\""],
    ),
    "names with signs, and a phony target": (
        {"my-server.c": "int main() {}", "my-client.c": "int main() {}",
         "Makefile": ".PHONY: clean\nAPPS = $(basename $(wildcard *.c))\nall: $(sort \\\n\t${APPS})\n"
                     "clean:\n\trm -f ${APPS}\n"},
        ['binaries = ["my-server", "my-client"]'],
    ),
    "folder in a variable": (
        {"pp.c": "int main() {}", "Makefile": "BIN = bin\nall: $(BIN)/pp\n$(BIN)/pp: pp.c\n\tgcc -o $@ $<\n"},
        ['binaries = ["bin/pp"]'],
    ),
    "object file": (
        {"pp.c": "int main() {}", "Makefile": "pp: pp.o\n\tgcc -o pp pp.o\npp.o: pp.c\n"}, ['binaries = ["pp"]'],
    ),
    "results in a file of the usage text": (
        {"a.cpp": RESULT_FILE}, ['client = "a client {host} results.csv"', 'result_file = "results.csv"'],
    ),
    "results in a file that an argument names": (
        {"client.c": POSITIONED_FILE, "server.c": "int main() {}"},
        ['client = "client {host} results.csv"', 'result_file = "results.csv"'],
    ),
    "results in a file beside a list": (
        {"a.c": TWO_FILES, "my.txt": "list\n"}, ['server = "a my.txt"', 'result_file = "out.csv"'],
    ),
    "settings in a folder": (
        {"a.c": 'int main(int argc, char **argv) { fopen(argv[1], "r"); }', "etc/my.conf": "ip = 10.0.0.9\nsize = 9\n",
         "etc/README": "host 10.0.0.9\n"},
        ['client = "a etc/my.conf"', r'files."etc/my.conf" = "ip = {host}\nsize = {size}\n"'],
    ),
    "rows of two operations": (
        {"a.c": TWO_RESULTS},
        [r"pattern = '\s*read\s+(?P<size>\d+)\s+(?P<value>[\d.]+)'", 'unit = "us"', 'operation = "read"'],
    ),
    "lines of two operations, and a length that is posted": (
        {"a.c": OF_OPERATIONS},
        [r"pattern = 'GET:\s+[\d.]+\s+ops,\s+avg\s+(?P<value>[\d.]+)'", 'operation = "read"', 'sizes = "48"',
         "iterations = 300"],
    ),
    "names": (
        {"my_server.c": "", "server.c": "int main(void) { for (;;) {} }", "client.c": "int main(void) {}",
         "Makefile": "all: my_server my_client\n"},
        ["server_stays = true"],
    ),
    "constants": ({"a.c": 'const int BUFFER_SIZE = 4 << 10;\nint NUM_PINGS = 30, x;\nint main() {}'},
     ['sizes = "4096"', "iterations = 30"]),
    "port": ({"a.c": 'int main() { connect("12000"); }'}, ["ready.tcp = 12000"]),
    "port beside a host": ({"a.c": "int main() { s = meet(host, 3344); }"}, ["ready.tcp = 3344"]),
    "any text": ({"a.c": TEXT}, ['client = "a -a {host} -s hello"', 'sizes = "64"']),
    "variables": (
        {"server.c": 'int main() { listen_at(atoi(getenv("PORT"))); }',
         "client.c": 'int main() { dial(getenv("SERVER_IP"), getenv("PORT")); }'},
        ['server = "PORT={port} server"', 'client = "SERVER_IP={host} PORT={port} client"'],
    ),
    "libraries that libc replaced": (
        {"a.c": "int main() {}", "Makefile": "LIBS= -lnsl -lm\nLIBS=\na: a.c\n"}, ["build = \"make 'LIBS= -lm'\""],
    ),
    "configure": (
        {"configure": "", "Makefile.in": "CC = @CC@\nbuild/a: a.c\n\t$(CC) -o $@ $<\n",
         "a.c": "int main() { listen_on(9000); }"},
        ['build = "sh configure && make"', 'binaries = ["build/a"]', "ready.tcp = 9000"],
    ),
    "script": (
        {"build.sh": "mkdir bin\ngcc -O2 -o bin/receiver r.c\ngcc -o bin/sender s.c\n",
         "r.c": "int main() {}", "s.c": "int main() {}"},
        ['build = "sh build.sh"', 'binaries = ["bin/receiver", "bin/sender"]'],
    ),
    "Makefile in a folder": (
        {"src/a.c": "int main() {}", "src/Makefile": "bin/a: a.c\n\tgcc -o $@ $<\n"},
        ['build = "make -C src"', 'binaries = ["src/bin/a"]', 'server = "a"'],
    ),
    "CMake in a folder": (
        {"CMakeLists.txt": "add_subdirectory(src)\n", "src/CMakeLists.txt": "add_executable(b a.c)\n",
         "src/a.c": "int main() {}"},
        ['build = "gcc -O2 -o b src/a.c"'],
    ),
    "Makefile that makes those in folders": (
        {"Makefile": "DIRS := $(wildcard examples/*)\nall: $(DIRS)\n$(DIRS):\n\t$(MAKE) -C $@\n.PHONY: $(DIRS)\n",
         "examples/recv/Makefile": "include ../../rules.mk\n",
         "examples/recv/server.c": "int main() {}", "examples/recv/client.c": "int main() {}",
         "rules.mk": "all: bin/client bin/server\nbin/%: %.c\n\t$(CC) -I. $< -o $@\n"},
        ['build = "make"', 'binaries = ["examples/recv/bin/server", "examples/recv/bin/client"]', 'server = "server"'],
    ),
    "Makefile above one in a folder": (
        {"Makefile": "b: a.c\n\tgcc a.c -o b\n", "a.c": "int main() {}", "a/Makefile": "a: a.c\n"},
        ['build = "make"', 'binaries = ["b"]'],
    ),
    "Makefile beside CMake and a script": (
        {"makefile": "b: a.c\n\tgcc -o b a.c\n", "a.c": "int main() {}", "CMakeLists.txt": CMAKE,
         "a.sh": "gcc -o c a.c\n"},
        ['build = "make"', 'binaries = ["b"]'],
    ),
    "parts": ({"a.c": "int main() {}", "b.c": ""}, ['build = "gcc -O2 -o a a.c b.c"']),
    "line of a Makefile": ({"a.c": "int main() {}", "Makefile": "all:\n\tgcc a.c -o tcp\n"}, ['binaries = ["tcp"]']),
    "usage for each end": (
        {"a.c": 'int main(int n, char *argv[]) { puts("usage: a PORT | a HOST PORT"); dial(argv[1], argv[2]); }'},
        ['server = "a {port}"', 'client = "a {host} {port}"'],
    ),
    "word for each end": (
        {"a.c": "int main() { switch (getopt(n, v, \"m:\")) { case 'm': mode = optarg; break; } "
                'if (!strcmp(mode, "recv")) listen_on(9000); }'},
        ['server = "a -m recv"', 'client = "a -m client {host}"'],
    ),
    "results in a file": (
        {"a.c": 'int main() { f = fopen("out/r.csv", "w"); '
                'fprintf(f, "size;gbps\\n"); fprintf(f, "%d;%f\\n", n, r); }'},
        ['result_file = "out/r.csv"', r"pattern = '\s*(?P<size>\d+);\s*(?P<value>[\d.]+)'", 'unit = "Gbps"'],
    ),
    "results in a file, in KiB": (
        {"a.c": 'int main() { f = fopen("r.csv", "w"); '
                'fprintf(f, "size_kib;time_ms;rate_mib_s\\n"); fprintf(f, "%d;%f;%f\\n", n, t, r); }'},
        [r"pattern = '\s*(?P<size>\d+);\s*[\d.]+;\s*(?P<value>[\d.]+)'", 'unit = "MiB/s"', 'size_unit = "KB"'],
    ),
    "settings": (
        {"a.c": 'int main() { fopen("my.txt", "r"); }',
         "my.txt": "# size 1\nserver=10.0.0.9\nport: 80 # any\ndev = mlx5_0\n{}\n"},
        [r'files."my.txt" = "# size 1\nserver={host}\nport: {port} # any\ndev = {device}\n{{}}\n"', 'client = "a"'],
    ),
    "MPI's types": ({"a.c": "#include <mpi.h>\nint main() { MPI_Send(&token, 2, MPI_INT, 1, 0, world); }"},
     ['sizes = "8"', 'mpi = "tcp"', 'build = "mpicc -O2 -o a a.c"']),
    "CMake": (
        {"CMakeLists.txt": CMAKE, "src/a.c": VERBS_MAIN, "src/b.c": VERBS_MAIN, "src/c.h": ""},
        ['build = "gcc -O2 -o my_server -Isrc src/a.c -libverbs && gcc -O2 -o my_client -Isrc src/b.c -libverbs"'],
    ),
    "standard of CMake": (
        {"CMakeLists.txt": "set(CMAKE_CXX_STANDARD 20)\nadd_executable(a a.cpp)\nadd_executable(b b.c)\n",
         "a.cpp": "int main() {}", "b.c": "int main() { sleep (10); sleep(3600); usleep(7); }"},
        ['build = "g++ -O2 -o a -std=gnu++20 a.cpp && gcc -O2 -o b b.c"', "deadline_s = 14"],
    ),
    "CMake of macOS": (
        {"CMakeLists.txt": "add_executable(ex3 main.c LIB.c LIB.h)", "main.c": VERBS_MAIN, "lib.c": "", "lib.h": ""},
        ['build = "gcc -O2 -o ex3 main.c lib.c -libverbs"'],
    ),
    "Makefile without its sources": (
        {"Makefile": "CFLAGS = -O3\nring: other.c # main.c\n", "src/ring.c": "int main() {}"},
        ['build = "gcc -O2 -o ring src/ring.c"'],
    ),
    "parameters of a function": (
        {"both.c": MODES}, ['server = "both -s"', 'client = "both -c {host} {iterations}"'],
    ),
    "libraries of CMake": (
        {"CMakeLists.txt": "add_library(core STATIC src/core.cpp)\nadd_executable(my_server src/server_main.cpp)\n"
                           "add_executable(my_client src/client_main.cpp)\nadd_executable(t tests/t.cpp)\n",
         "src/core.cpp": "", "tests/t.cpp": "int main() {}", "src/server_main.cpp": "int main() { listen(fd, 1); }",
         "src/client_main.cpp": "int main(int argc, char **argv) { dial(argv[1], 9000); }"},
        ['build = "g++ -O2 -o my_server src/server_main.cpp src/core.cpp && '
         'g++ -O2 -o my_client src/client_main.cpp src/core.cpp"',
         'server = "my_server"', 'client = "my_client {host}"'],
    ),
    "IPv6": ({"a.c": "int main(int n, char **argv) { if (n > 1) inet_pton(AF_INET6, argv[1], &a); }"},
     ['client = "a ::ffff:{host}"']),
    "member of a struct": (
        {"a.c": "int main() { switch (getopt_long(n, v, \"p:\")) { case 'p': config.tcp_port = atoi(optarg); } }"},
        ['server = "a -p {port}"'],
    ),
    "option without a value": (
        {"a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "--server")) is_server = 1; '
                'else if (!strcmp(argv[i], "--host")) host = argv[++i]; }'},
        ['server = "a --server"', 'client = "a --host {host}"'],
    ),
    "time of all messages": (
        {"a.c": 'int main() { echo(); printf("%d messages, total %ld ns\\n", COUNT, t); }'},
        [r"pattern = '\s*(?P<messages>\d+)\s+messages,\s+total\s+(?P<total>[\d.]+)'", 'measure = "latency"'],
    ),
    "time in which they were sent": (
        {"a.c": 'int main() { printf("sent %d messages in %.2f ms\\n", COUNT, t); }'},
        [r"pattern = 'sent\s+(?P<messages>\d+)\s+messages\s+in\s+(?P<total>[\d.]+)'", 'measure = "throughput"'],
    ),
    "half": ({"a.c": 'int main() { double lat = (now() - start) / (2 * COUNT); printf("%.2f us\\n", lat); }'},
     ["factor = 2", 'measure = "latency"']),
    "one way": ({"a.c": 'int main() { printf("one-way latency: %.2f us\\n", t); }'}, ["factor = 2"]),
    "half of a mean": (
        {"a.c": 'int main() { printf("%.2f us\\n", (end - start) / (COUNT * 2) * 1e6); }'}, ["factor = 2"],
    ),
    "half of a sum": ({"a.c": 'int main() { t1 /= 2 * COUNT; printf("latency %.2f us\\n", t1); }'}, ["factor = 2"]),
    "round trip and one way": (
        {"a.c": 'int main() { printf("Avg round trip = %d usec\\n", t); printf("one way = %d usec\\n", t / 2); }'},
        [r"pattern = 'Avg\s+round\s+trip\s+=\s+(?P<value>[\d.]+)'", 'output = "pattern"'],
    ),
    "time for all messages": (
        {"a.c": 'int main() { ping(); printf("time for %d iterations of %d bytes: %f s\\n", n, size, t); }'},
        [r"pattern = 'time\s+for\s+(?P<messages>\d+)\s+iterations\s+of\s+(?P<size>\d+)\s+bytes:\s+(?P<total>[\d.]+)'",
         'measure = "latency"'],
    ),
    "samples before the mean": (
        {"a.c": 'int main() { printf("%4d  %8.8f\\n", n, t); printf("Avg time = %d microseconds\\n", avg); }'},
        [r"pattern = 'Avg\s+time\s+=\s+(?P<value>[\d.]+)'"],
    ),
    "sum of both directions": (
        {"a.c": 'int main() { printf("in %.1f Gbit/s, both %.1f Gbit/s\\n", rx / t, (tx + rx) / t); }'},
        ["factor = 0.5"],
    ),
    "bandwidth of both directions": (
        {"a.c": 'int main() { printf("# %-8s %20s\\n", "Size", "Bi-Bandwidth (MB/s)"); printf("%d  %.1f\\n", n, r); }'},
        ["factor = 0.5"],
    ),
    "kB": ({"a.c": 'int main() { printf("Size: %d kB, BW: %f Mb/s\\n", n / 1024, r); }'},
     [r"pattern = 'Size:\s+(?P<size>\d+ kB),\s+BW:\s+(?P<value>[\d.]+)'"]),
    "address to bind to": (
        {"server.c": "int main(int n, char **argv) { getaddrinfo(argv[1], argv[2], &h, &r); size = atoi(argv[3]); }",
         "client.c": "int main(int n, char **argv) { getaddrinfo(argv[1], 0, &h, &r); "
                     "getaddrinfo(argv[2], argv[3], &h, &r); size = atoi(argv[4]); }"},
        ['server = "server {host} {port} {size}"', 'client = "client {source} {host} {port} {size}"'],
    ),
    "argument that is printed": (
        {"a.c": 'int main(int n, char **argv) { printf("port 80 of %s\\n", argv[1]); gethostbyname(argv[1]); }'},
        ['client = "a {host}"'],
    ),
    "Makefile of one end": (
        {"Makefile": "all: client\n", "client.c": "int main() {}", "server.c": "int main() { listen_on(9000); }"},
        ['build = "make && gcc -O2 -o server server.c"', 'binaries = ["server", "client"]', 'server = "server"'],
    ),
    "option in braces": (
        {"a.c": 'int main(int n, char **argv) { if (strcmp(argv[i], "-h") == 0) { host = argv[i + 1]; i++; } }'},
        ['client = "a -h {host}"'],
    ),
    "range of sizes": (
        {"a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "--max-bytes")) max_bytes = atoi(argv[++i]); '
                'else if (!strcmp(argv[i], "--trials")) trials = atoi(argv[++i]); }'},
        ['server = "a"'],
    ),
    "trials": ({"a.c": "#include <mpi.h>\nint main(int n, char **argv) { trials = atoi(argv[1]); }"},
     ['client = "a {iterations}"']),
    "size of a broadcast": ({"a.c": "int main() { MPI_Bcast(text, 22, MPI_CHAR, 0, world); }"}, ['sizes = "22"']),
    "long constant": ({"a.c": "static size_t buf_size = 40*1024L;\nint main() {}"}, ['sizes = "40960"']),
    "unit of a size before it, and GB of two": (
        {"a.c": 'int main() { B_in_GB = 1 << 30; printf("size (B): %d, rate (GB/s): %f\\n", n, n / B_in_GB / t); }'},
        [r"pattern = 'size\s+\(B\):\s+(?P<size>\d+),\s+rate\s+\(GB/s\):\s+(?P<value>[\d.]+)'", 'unit = "GiB/s"'],
    ),
    "product of powers": ({"a.c": "int main() { int buf_size = 32 * (1 << 20); }"}, ['sizes = "33554432"']),
    "seconds of MPI": (
        {"a.c": '#include <mpi.h>\nint main() { t = MPI_Wtime() / n; printf("latency: %1.10e\\n", t); }'},
        ['unit = "s"', r"pattern = 'latency:\s+(?P<value>[\d.e+-]+)'"],
    ),
    "seconds of MPI behind another number": (
        {"a.c": '#include <mpi.h>\nint main() { MPI_Wtime(); printf("time from 0 to %d: %.9f\\n", 1, t); }'},
        [r"pattern = 'time\s+from\s+0\s+to\s+[\d.]+:\s+(?P<value>[\d.]+)'", 'unit = "s"'],
    ),
    "long power": (
        {"a.c": "#include <mpi.h>\nint main() { long N = 1LL << 22; MPI_Send(a.data(), N, MPI_FLOAT, 1, 0, w); }"},
        ['sizes = "16777216"'],
    ),
    "number and unit alone": (
        {"a.c": 'int main() { printf("%.3f ms\\n", t); }'}, [r"pattern = '\s*(?P<value>[\d.]+)\ ms'", 'unit = "ms"'],
    ),
    "time of one message": (
        {"a.c": '#include <mpi.h>\nint main() { printf("elapsed: %f s\\n", t); }'}, ["iterations = 1"],
    ),
    "size of a call of MPI": (
        {"a.c": "#define SIZE 10\nint main() { int cnt = 7; MPI_Put(v.data(), cnt, MPI_DOUBLE, 0, 0, win); }"},
        ['sizes = "56"'],
    ),
    "column that was divided": (
        {"a.c": 'int main() { puts("m, sec"); printf("%lu, %.17g\\n", m, t / n); }'},
        [r"pattern = '\s*(?P<size>\d+),\s+(?P<value>[\d.e+-]+)'", 'unit = "sec"', 'measure = "latency"'],
    ),
    "mean": ({"a.c": 'int main() { printf("%d messages, avg of all %.1f us\\n", COUNT, t); }'},
     [r"pattern = '\s*(?P<messages>\d+)\s+messages,\s+avg\s+of\s+all\s+(?P<value>[\d.]+)'"]),
    "role as a value": (
        {"a.c": ROLE}, ['server = "a -s -n {iterations}"', 'client = "a -c -n {iterations} -a {host}"'],
    ),
    "letter of one end, a time, and results in strings": (
        {"a.c": LETTERS}, ['server = "a s {port}"', 'client = "a c {host} {port} 2"', 'output = "none"'],
    ),
    "bytes of a broadcast": (
        {"a.c": '#include <mpi.h>\nvoid all(char *b, int n) { MPI_Bcast(b, n, MPI_BYTE, 0, w); }\n'
                'int main(int argc, char **argv) { int n = atoi(argv[1]); '
                'printf("Telaps for %d bcast = %e s", NITER, t); }'},
        ['each = "a {size}"', r"pattern = 'Telaps\s+for\s+(?P<messages>\d+)\s+bcast\s+=\s+(?P<total>[\d.e+-]+)'"],
    ),
    "words for letters": (
        {"a.c": WORDS}, ['server = "a -l -r {iterations}"', 'client = "a -r {iterations} -a {host}"'],
    ),
    "option that ends in ip": ({"a.c": SKIP}, ['client = "a -i {iterations}"']),
    "largest number of elements": (
        {"a.c": '#include <mpi.h>\nint main(int argc, char **argv) { if (argc != 3) exit(1); '
                'max_elems = atoi(argv[1]); iters = atoi(argv[2]); MPI_Bcast(b, n, MPI_FLOAT, 0, w); }'},
        ['each = "a 4096 {iterations}"'],
    ),
    "floats of a message": (
        {"a.c": '#include <mpi.h>\nint main() { MPI_Ssend(b, len, MPI_FLOAT, 1, 0, w); '
                'printf("%d %f MB/s\\n", len, r); }'},
        ['size_unit = "ints"', 'unit = "MB/s"'],
    ),
    "constant for rank 1": (
        {"a.c": "#include <mpi.h>\nint main() { const int peer = 1; MPI_Bcast(&n, 1, MPI_INT, 0, w); "
                "if (rank == peer) {} }"},
        ['client = "a"'],
    ),
    "ends by their calls": (
        {"Makefile": "default: all\nall: echo ping other\necho: echo.c\n\tgcc -Wall -Werror -o $@ $<\n",
         "echo.c": "int main() { accept(fd, 0, 0); }", "other.c": "int main() {}",
         "ping.c": "int main(int argc, char **argv) { const char *remote = argv[1]; connect(fd, remote, 9000); }"},
        ['build = "sed s/-Werror/-Wno-error/ Makefile | make -f -"', 'server = "echo"', 'client = "ping {host}"'],
    ),
    "iterations before another number": (
        {"a.c": "int size = 1, count = 11;\nint warmup_iters = 5;\nint iters = 1000;\nint main() {}"},
        ["iterations = 1000"],
    ),
    "GB of two, shifted": (
        {"a.c": 'int main() { gb = bytes / (2 << 29); printf("%.2f GB/s\\n", gb / t); }'}, ['unit = "GiB/s"'],
    ),
    "word of one end": ({"a.c": ONE_END}, ['server = "a server"', 'client = "a client {host}"']),
    "port before the host": ({"a.c": PORT_FIRST}, ['server = "a s {port}"', 'client = "a c {port} {host}"']),
    "loop of CMake": (
        {"CMakeLists.txt": "foreach(p pump drain)\n  add_executable(${p} ${p}.c)\nendforeach()\n",
         "pump.c": "int main() { connect(3, a, n); }", "drain.c": "int main() { accept(3, 0, 0); }"},
        ['server = "drain"', 'client = "pump {host}"'],
    ),
    "field of the settings": (
        {"a.c": "int main(int n, char **argv) { if (n > 1) config.server_name = argv[1]; }"}, ['client = "a {host}"'],
    ),
    "word for each end in a variable": (
        {"a.c": 'int main() { r = getenv("ROLLE"); if (strcmp(r, "last") && strcmp(r, "echo")) return 1; }'},
        ['server = "ROLLE=echo a"', 'client = "ROLLE=last a {host}"'],
    ),
    "both directions behind the rate": (
        {"a.c": 'int main() { printf("%.1f MB/s bidirectional\\n", r); }'}, ["factor = 0.5"],
    ),
    "argument without a meaning": (
        {"server.c": "int main() {}", "client.c": GAP}, ['client = "client {host} {iterations}"'],
    ),
    "port in the wrong byte order": (
        {"a.c": "int main(int n, char **argv) { addr.sin_port = atoi(argv[1]); }"},
        ['server = "a {port}"', "ready.after_s = 0.5"],
    ),
    "modes that are numbers": (
        {"a.c": MODES_BY_NUMBER},
        ['server = "a 1 1 1 {host} {port}"', 'client = "a 1 1 0 {host} {port}"'],
    ),
    "mode of MPI, a comment with arguments, and a rate by a time in another unit": (
        {"a.c": MODE_OF_MPI}, ['client = "a 1 {iterations} 1"', 'unit = "MiB/s"'],
    ),
    "words behind the options": (
        {"a.c": "int main(int argc, char **argv) { host = argv[optind]; port = argv[optind + 1]; }",
         "b.c": "int main(int argc, char **argv) { accept(f); port = argv[optind++]; size = atoi(argv[optind++]); }"},
        ['server = "b {port} {size}"', 'client = "a {host} {port}"'],
    ),
    "bytes of a call": (
        {"a.c": "#define BUFSIZE 65536\n#define CHUNK 1400\nint main() { char b[BUFSIZE]; write(fd, b, CHUNK); }"},
        ['sizes = "1400"'],
    ),
    "column of doubles behind another one": (
        {"a.c": 'int main() { printf("width,doubles,ms_per_step\\n"); printf("%d,%d,%.4f\\n", w, n, t); }'},
        [r"pattern = '\s*[\d.]+,\s*(?P<size>\d+),\s*(?P<value>[\d.]+)'", 'size_unit = "doubles"', 'unit = "ms"'],
    ),
    "arguments of one statement": (
        {"a.c": "int main(int argc, char **argv) { int size = atoi(argv[1]), samples = atoi(argv[2]), on = 1; }"},
        ['server = "a {size} {iterations}"'],
    ),
    "number that is checked": (
        {"a.c": "int main(int argc, char **argv) { if (atoi(argv[1]) == 0) exit(1); port = atoi(argv[1]); }"},
        ['server = "a {port}"'],
    ),
    "constant behind another one": ({"a.c": "int main() { int buf_size = 2 * (1 << 3), iterations = 70; }"},
     ['sizes = "16"', "iterations = 70"]),
    "several pairs, the bytes of both directions, and an address of the client's own": (
        {"Makefile": "all: a_server a_client b_server b_client\n", "a_server.c": "int main() {}",
         "a_client.c": "int main() {}", "b_server.c": "int main() {}", "b_client.c": OWN_ADDRESS},
        ['server = "b_server"', 'client = "b_client {host} {source}"', "factor = 0.5"],
    ),
    "ends by their calls beside a program that is both": (
        {"Makefile": "all: both \\\n\tlocal far\n", "local.c": "int main() { accept(fd, 0, 0); }",
         "both.c": "int main() { fork() ? accept(fd, 0, 0) : connect(fd, a, n); }",
         "far.c": "int main() { connect(fd, a, n); }"},
        ['server = "local"', 'client = "far {host}"'],
    ),
    "two programs of MPI": (
        {"a.c": "#include <mpi.h>\nint main() {}", "b.c": "#include <mpi.h>\nint main() {}"},
        ['server = "a"', 'client = "a"'],
    ),
    "flags at fixed places": ({"a.c": FIXED_PLACES}, ['server = "a -s -p {port}"', 'client = "a -c -h {host} -t 2"']),
    "a statement for each end": (
        {"a.c": STATEMENTS}, ['server = "a server {port}"', 'client = "a client {host} {port} {size}"'],
    ),
    "size in KiB": (
        {"server.c": "int main() {}",
         "client.c": "int main(int n, char **argv) { dial(inet_addr(argv[1])); block_size = atoi(argv[2]) * 1024; }"},
        ['client = "client {host} 64"', 'sizes = "65536"'],
    ),
    "default in KiB of a size in bytes": (
        {"a.c": "int main(int n, char **argv) { host = argv[1]; int size = n > 2 ? atoi(argv[2]) : 64 * 1024; }"},
        ['client = "a {host} {size}"'],
    ),
    "number of gathered times": (
        {"a.c": "#include <mpi.h>\nint main() { int iters = atoi(argv[1]); MPI_Gather(t, iters, MPI_DOUBLE, u); }"},
        ['client = "a {iterations}"'],
    ),
    "option for MiB": (
        {"a.c": "int main() { switch (getopt(n, argv, \"b:\")) { case 'b': bytes = atoi(optarg) << 20; break; } }"},
        ['client = "a -b 1 {host}"', 'sizes = "1048576"'],
    ),
    "one word that is about both ends": (
        {"a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "sendrecv")) both = 1; }'},
        ['client = "a {host}"'],
    ),
    "number of operations": (
        {"a.c": "int main() { switch (getopt(n, argv, \"k:\")) { case 'k': n_ops = atoi(optarg); break; } }"},
        ['client = "a -k {iterations} {host}"'],
    ),
    "options behind": (
        {"server.c": BEHIND, "client.c": "int main() {}"},
        ['server = "server {port} --iters {iterations} --msg {size}"'],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sources", "lines"), HABITS.values(), ids=HABITS)
def test_habits_of_sources_are_known(tmp_path: Path, sources: dict[str, str], lines: list[str]) -> None:
    text = guessed(tmp_path, sources)
    assert lacking(text, lines) == [], text


def test_histogram_is_no_result_and_half_of_a_size_is_no_half_of_a_time(tmp_path: Path) -> None:
    text = guessed(tmp_path, {"a.c": HISTOGRAM})
    assert lacking(text, [r"pattern = 'RTT:\s+(?P<value>[\d.]+)'", 'unit = "usec"']) == [] and "factor" not in text


@pytest.mark.parametrize(
    ("prints", "printed", "factor"),
    [
        (r'printf("bytes  RTT[us]  RTT/2[us]\n"); printf("%8d  %8.2f  %8.2f\n", n, t, t / 2);', "", ""),
        (r'printf("%s %.1f us\n", "write", t / 2); printf("%s %.1f us\n", "read", t); post(IBV_WR_RDMA_READ);', "", ""),
        ("note(t / 2);", "bytes  RTT[us]  RTT/2[us]\n64  12.20  6.10\n", "factor = 2"),
        ("note(t / 2);", "bytes  RTT/2[us]  RTT[us]\n64  6.10  12.20\n", ""),
    ],
)
def test_factor_is_that_of_the_column_that_is_read(tmp_path: Path, prints: str, printed: str, factor: str) -> None:
    text = guessed(tmp_path, {"a.c": f"int main() {{ {prints} }}"}, Tried(printed))
    assert 'unit = "us"' in text and "".join(re.findall("factor = .", text)) == factor, text


@pytest.mark.parametrize(("name", "unit"), [("pong.c", "usec/iter"), ("send.c", "Mbit/sec")])
def test_time_of_one_message_is_a_latency_if_the_ends_send_in_turns(tmp_path: Path, name: str, unit: str) -> None:
    text = guessed(tmp_path, {name: ALL_BYTES})
    assert f'unit = "{unit}"' in text and "(?P<size>" not in text
    assert ("(?P<messages>" in text) == ("iter" in unit) == ('measure = "latency"' in text)


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
IN_A_BLOCK = """
int main(int argc, char **argv) {
	while (i < argc) {
		if (strcmp(argv[i], "-myindex") == 0) { myrank = atoi(argv[i + 1]) - 1; i += 2; }
		else if (strcmp(argv[i], "-list") == 0) { i++; while (i < argc && argv[i][0] != '-') add(argv[i++]); }
		else if (strcmp(argv[i], "-v") == 0) { verbose++; i++; }
	}
	attr.ah_attr = (struct ibv_ah_attr){ .is_global = 0, .dlid = lid };
	if (dest->gid.global.interface_id) attr.ah_attr.is_global = 1, attr.ah_attr.grh.sgid_index = GID_INDEX;
}
#define GID_INDEX (-1)
"""
NAMES_IN_SOURCES = """
const char *ips[] = {
	"192.168.1.153", // rank 0
	"192.168.1.212",
};
int main(int argc, char **argv) {
	if (argc < 4 || strcmp(argv[1], "-myindex") != 0) { fprintf(stderr, "Usage: %s -myindex <rank> <N>", argv[0]); }
	int my_rank = atoi(argv[2]);
	int N = atoi(argv[3]);
}
"""
BY_SEMICOLONS = """
#include <span>
int main(int argc, char **argv) {
	int rank = std::stoi(argv[1]);
	int world_size = std::stoi(argv[2]);
	if (const char *ips = std::getenv("RANK_IPS")) while (std::getline(in, ip, ';')) add(ip);
}
"""
RINGS: dict[str, tuple[dict[str, str], list[str]]] = {
    "-myindex": (
        {"a.c": LOOP_OF_OPTIONS},
        ['each = "a -myindex {index} -list {addresses}"', 'emulate = ["lids"]', 'unit = "us"', 'size_unit = "ints"',
         r"pattern = 'Rank\s+[\d.]+:\s+\S+\s+All\-Reduce\s+count=\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'"],
    ),
    "positions": ({"a.c": POSITIONS}, ['each = "a {rank} {computers} {addresses}"', 'unit = "us"', "computers = 2"]),
    "neighbour": ({"a.c": NEIGHBOUR}, ['each = "a {rank} {next} {computers} {port}"']),
    "letters": ({"a.c": LETTERS}, ['each = "a -g {gid} -n {computers} -r {rank} -h {addresses:,}"']),
    "one word": (
        {"a.c": ONE_WORD},
        ["each = \"a '{addresses: }' {rank}\"", r"pattern = '\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'", 'unit = "us"'],
    ),
    "own name": ({"a.c": OWN_NAME}, ['each = "a {addresses:,} {port}"', 'emulate = ["hostname"]']),
    "variables of Slurm": (
        {"a.c": BY_ENVIRONMENT, "notes.txt": "run it with srun\n"},
        ["each = \"'NODES={addresses: }' SLURM_PROCID={rank} SLURM_NTASKS={computers} a\""],
    ),
    "coordinator": (
        {"a.c": BY_COORDINATOR, "notes.txt": ""},
        ['each = "a -p {port} -m {address:0} -r {rank}"', 'unit = "us"',
         r"pattern = '\s*(?P<size>\d+),\s*(?P<value>[\d.]+)'"],
    ),
    "file of nodes": (
        {"a.c": BY_FILE, "nodes.cfg": "# id address port\n0 192.168.0.11 9000\n1 192.168.0.12 9000\n"},
        ['each = "a nodes.cfg {rank}"', r'files."nodes.cfg" = "{rank} {address} 9000\n"'],
    ),
    "file that is missing": (
        {"a.c": BY_FILE, "README": ""}, ['each = "a hosts.txt {rank}"', r'files."hosts.txt" = "{address}\n"'],
    ),
    "options in a block": (
        {"a.c": IN_A_BLOCK}, ['each = "a -myindex {index} -list {addresses}"', 'emulate = ["lids"]'],
    ),
    "addresses in its sources": ({"a.c": NAMES_IN_SOURCES}, ['each = "a -myindex {rank} {computers}"']),
    "semicolons": (
        {"a.cpp": BY_SEMICOLONS},
        ['each = "RANK_IPS={addresses:;} a {rank} {computers}"', 'build = "g++ -std=c++20 -O2 -o a a.cpp"'],
    ),
    "own name in a file": (
        {"a.c": BY_NAME, "cluster.conf": "node1\nnode2\n"},
        ['each = "a"', r'files."cluster.conf" = "{address}\n"', 'emulate = ["hostname"]'],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sources", "lines"), RINGS.values(), ids=RINGS)
def test_program_of_a_ring_is_started_on_each_computer(
    tmp_path: Path, sources: dict[str, str], lines: list[str]
) -> None:
    text = guessed(tmp_path, sources)
    assert lacking(text, lines) == [], text
    assert ('"lids"' in text) == ('emulate = ["lids"]' in lines)
    (tmp_path / "p.toml").write_text(text)
    (series,) = load(tmp_path / "p.toml").series
    assert series.link.computers == 2 and series.tool.together


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        ("MPI_Sendrecv(d, n, MPI_FLOAT, (rank + 1) % size, 0, t, n, MPI_FLOAT, left, 0, MPI_COMM_WORLD, s);",
         ['each = "a 64"', 'sizes = "256"']),
        ("MPI_Allreduce(d, e, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);", ['each = "a 64"', 'sizes = "512"']),
        ("MPI_Bcast(&n, 1, MPI_INT, 0, c); MPI_Send(d, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);",
         ['client = "a {iterations}"']),
        ("MPI_Allgather(qpn, 1, MPI_INT, all, 1, MPI_INT, c); if (rank == 1) ibv_post_send(qp, &wr, &bad);",
         ['client = "a {iterations}"']),
    ],
)  # fmt: skip
def test_ranks_of_mpi_that_do_the_same_are_started_together(tmp_path: Path, loop: str, lines: list[str]) -> None:
    main = f'int main(int argc, char **argv) {{ n = atoi(argv[1]); {loop} printf("time: %f s\\n", t); }}'
    text = guessed(tmp_path, {"a.c": f"#include <mpi.h>\n{main}"})
    assert lacking(text, [*lines, 'mpi = "tcp"']) == [], text
    assert ("computers = 2" in text) == ("each" in lines[0]) and "emulate" not in text


LENGTHS = r"""
printf("%12s %16s %18s\n", "Length", "Time (us)", "Bandwidth (MB/s)");
printf("%12d %16.3f %18.3f\n", len, us, rate);
"""
NAMES = r"""
printf("bytes,rate_mbit_s\n");
printf("%d,%.1f\n", n, r);
"""
BELOW = r"""
printf("\n%12s %8s %16s\n", "bytes", "one_way_s", "GB_per_s");
printf("%12zu %8.3f %16.4f\n", n, t, g);
"""
CLOSE = r"""
printf("# Size,MB/s,Percent\n");
printf("%-9d%9.2f%9.2f\n", n, m / t, part);
"""
MEANS = r"""
printf("bytes,min_us,avg_us,max_us\n");
printf("%d,%.1f,%.1f,%.1f\n", n, a, b, c);
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
        ('printf("threads=%d size=%d ops/s=%.1f lat=%.1fus\\n", k, n, r, t);',
         "threads=1 size=64 ops/s=9.5 lat=2.5us", ("64", "9.5", "ops/s")),
        ('printf("run: %d, size: %d, MB/s: %.1f\\n", k, n, r);', "run: 1, size: 64, MB/s: 9.5", ("64", "9.5", "MB/s")),
        ('printf("size=%d p50=%.1fus p99=%.1fus\\n", n, a, b);', "size=64 p50=2.5us p99=9.5us", ("64", "2.5", "us")),
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
        (BELOW, "      64   0.012   3.5000", ("64", "3.5000", "GB/s")),
        (NAMES, "64,4.5", ("64", "4.5", "Mbit/s")),
        (r"""printf("{\"size\": %d, \"gbit_per_s\": %.1f}\n", n, r);""", '{"size": 64, "gbit_per_s": 4.5}',
         ("64", "4.5", "Gbit/s")),
        (r"""printf("%'d bytes: %'.2f MB/s\n", n, r);""", "1,024 bytes: 1,234.56 MB/s", ("1,024", "1,234.56", "MB/s")),
        (r'printf("\r%d bytes: %.2f µs\n", n, t);', "64 bytes: 4.50 µs", ("64", "4.50", "µs")),
        (r'printf("size %" PRIu64 " in " GREEN "%.1f" RESET " us\n", n, t);', "size 64 in 4.5 us", ("64", "4.5", "us")),
        (r'printf("size %d: min %.1f us, avg %.1f, max %.1f\n", n, a, b, c);', "size 64: min 1.5 us, avg 4.5, max 9.5",
         ("64", "4.5", "us")),
        (r'printf("got %d messages of %d bytes in %.3f s: %.2f MiB/s\n", n, m, s, r);',
         "got 9 messages of 64 bytes in 0.003 s: 4.50 MiB/s", ("64", "4.50", "MiB/s")),
        (r'printf("size=%d time_ms=%.3f rate=%.2f unit=MiB/s\n", m, s, r);',
         "size=64 time_ms=2.500 rate=4.50 unit=MiB/s", ("64", "4.50", "MiB/s")),
        (CLOSE, "64           4.50       70.00", ("64", "4.50", "MB/s")),
        (MEANS, "64,1.5,4.5,9.5", ("64", "4.5", "us")),
        (r'printf("%d bytes: %g req/s\n", n, r);', "64 bytes: 1.5e+06 req/s", ("64", "1.5e+06", "req/s")),
        (r'printf("%d bytes: %.1f Mops\n", n, r);', "64 bytes: 1.5 Mops", ("64", "1.5", "Mops")),
        (r'printf("%d bytes: %.1f KRPC/s\n", n, r);', "64 bytes: 1.5 KRPC/s", ("64", "1.5", "KRPC/s")),
        (
            r'printf("warmup %d bytes: %.1f us\n", n, t); printf("run %d bytes: %.1f us\n", n, t);',
            "warmup 64 bytes: 9.5 us\nrun 64 bytes: 4.5 us",
            ("64", "4.5", "us"),
        ),
    ],
    ids=["columns", "widths", "columns below an empty line", "mean of three", "unit as a key", "unit as a name",
         "percentiles", "JSON",
         "a time of one message", "column with its unit", "rate as a key", "thousands",
         "after a bar", "macros", "mean behind the least", "messages of a size", "unit as a value",
         "columns without a space",
         "mean among columns", "exponent", "operations", "calls", "warm-up"],
)  # fmt: skip
def test_result_is_found_in_sources_and_in_what_they_printed(prints: str, printed: str, found: tuple[str, ...]) -> None:
    shown = printed if "printf" in prints and len(prints.splitlines()) < 2 else f"{heading(prints)}\n{printed}"
    for outputs_found in (outputs(prints), printed_outputs(shown)):
        match = re.search(outputs_found[0].pattern, printed)
        assert match, outputs_found
        unit = outputs_found[0].binary_unit if BINARY.search(prints) else outputs_found[0].unit
        assert (match.groupdict().get("size", ""), match["value"], unit) == found


UNIT_IN_STRING = r'u = g ? "Gbps" : "Mbps"; printf("%d\t%.2f\t%s\n", n, r, u);'


@pytest.mark.parametrize(
    ("found", "printed"),
    [
        (printed_outputs("64\t12.50\tMbps\n128\t1.30\tGbps\n"), "64\t12.50\tMbps"),
        (printed_outputs("64, 12.50, Mbps\n128, 1.30, Gbps\n"), "64, 12.50, Mbps"),
        (outputs(UNIT_IN_STRING), "64\t12.50\tMbps"),
        (outputs(r'a ? printf("%d B: %.2f Mbps\n", n, r) : 0; printf("%d B: %.2f Gbps\n", n, r);'), "64 B: 12.50 Mbps"),
    ],
)
def test_unit_that_differs_from_line_to_line_is_a_group(found: list[Output], printed: str) -> None:
    match = re.search(found[0].pattern, printed)
    assert match and not found[0].unit
    assert (match["size"], match["value"], match["unit"]) == ("64", "12.50", "Mbps")


def test_unit_above_lines_with_a_number_each_is_that_of_the_mean() -> None:
    found = printed_outputs("Lost: 0\nLatency (us):\n  min : 1.25\n  avg : 2.50\n  p99 : 9.00\n")
    assert [(each.unit, re.findall(each.pattern, "min : 1.25 avg : 2.50")) for each in found] == [("us", ["2.50"])]


def heading(prints: str) -> str:
    return "  ".join(re.findall(r'"(\w[^%"]*|# Size[^%"]*)"', prints))


GO_ON = "the {} did not end before the deadline"
TRIED = {
    "one size": (
        Tried("Size: 128 bytes, iterations: 500\nBandwidth: 3.50 MB/s\n"), ['sizes = "128"', "iterations = 500"],
    ),
    "a table": (
        Tried("Size(B)   Avg RTT(us)\n16    3.100\n256   4.200\n"), ['sizes = "16,256"', 'measure = "latency"'],
    ),
    "a unit of all columns": (
        Tried("size  t_min  t_avg  [usec]\n8  3.10  3.50\n512  4.20  4.60\n"), ['sizes = "8,512"', 'unit = "usec"'],
    ),
    "rows of two tables": (
        Tried("size  MB/s\n16 900.5\n32 990.5\nsize  us  us\n16 5.1 5.2\n"),
        [r"pattern = '^\s*(?P<size>\d+)\s+(?P<value>[\d.]+)\s*$'", 'unit = "MB/s"'],
    ),
    "columns with one space between them": (
        Tried("   #bytes #repetitions  t_min[usec]  t_max[usec]   Mbytes/sec\n  64  100  36.24  36.36  3.52\n"),
        [r"pattern = '\s*(?P<size>\d+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(?P<value>[\d.]+)'", 'unit = "Mbytes/sec"'],
    ),
    "rows with a name": (
        Tried("operation  ops  min [ns]  avg [ns]  max [ns]  wrong\nfetch-and-add  100  28797  31301  93374  0\n"),
        [r"pattern = 'fetch\-and\-add\s+[\d.]+\s+[\d.]+\s+(?P<value>[\d.]+)'", 'unit = "ns"'],
    ),
    "a number on each line": (
        Tried("size=32\ncount=5000\nns_per_msg=16.5\n"), ['sizes = "32"', "iterations = 5000"],
    ),
    "one size in German": (
        Tried("Nachricht: 800 Byte, 500 Wiederholungen\nDatenrate: 30.9 MB/s\n"),
        ['sizes = "800"', "iterations = 500"],
    ),
    "more columns": (Tried("size  t (us)  lost\n16  8.21  3\n32  9.21  4\n"), ['sizes = "16,32"']),
    "a table with lines": (
        Tried("| Size | Rate (gbps) |\n|---|---|\n| 16 | 8.21 |\n| 32 | 9.21 |\n"),
        ['sizes = "16,32"', 'unit = "Gbps"'],
    ),
    "sizes in KB": (Tried("Size 1 KB: 7.0 MB/s\nSize 2 KB: 8.0 MB/s\n"), ['sizes = "1024,2048"']),
    "a file": (Tried("Sent 1 file of 270 bytes (7.0 MB/s)\n"), ['sizes = "270"', "iterations = 1"]),
    "messages behind": (
        Tried("5.0 MB/s (9 writes of 64 bytes)\n"),
        [r"pattern = '\s*(?P<value>[\d.]+)\s+MB/s\s+\(\s*(?P<messages>\d+)\s+writes\s+of\s+(?P<size>\d+)'"],
    ),
    "the server": (Tried("", "served\n128 bytes: 2.0 Gbps\n"), ['sizes = "128"', 'printed_by = "server"']),
    "endless client": (Tried("7.0 MB/s\n", "", GO_ON.format("client")), ["client_stays = true"]),
    "bytes of all": (
        Tried("sent = 154462 KB, rate = 1235.6 Mbps\n"),
        [r"pattern = 'sent\s+=\s+[\d.]+\s+KB,\s+rate\s+=\s+(?P<value>[\d.]+)'"],
    ),
    "client that printed too much": (
        Tried("7.0 MB/s\n", "", "the client was ended because it wrote without end; the server was ended by signal 15"),
        ["client_stays = true"],
    ),
    "endless server": (Tried("7.0 MB/s\n", "", GO_ON.format("server")), ["server_stays = true"]),
    "ended server": (Tried("7.0 MB/s\n", "", "the server was ended by signal 15"), ["server_stays = true"]),
    "index of a GID": (Tried("", "", "ibv_query_gid(3): Invalid argument"), ['emulate = ["gids"]']),
    "sizes in doubles": (
        Tried("8 doubles: 7.0 MB/s\n64 doubles: 8.0 MB/s\n"), ['sizes = "64,512"', 'size_unit = "doubles"'],
    ),
    "thousands": (
        Tried("value size   KB/s\n16           1,234.56\n1,024        32,768.00\n"),
        ['sizes = "16,1024"', r"pattern = '\s*(?P<size>[\d,]+)\s+(?P<value>[\d.,]+)'"],
    ),
    "usage text": (Tried("  -s, --size  bytes (default 1024)\n  -n, --num  (default 5)\n"), ['output = "none"']),
    "commas between columns": (
        Tried("size,lost,KB/s\n16,200,300.56\n"), [r"pattern = '\s*(?P<size>\d+),\s*[\d.]+,\s*(?P<value>[\d.]+)'"],
    ),
    "a box and a decimal comma": (
        Tried("│ Size │ RTT (µs) │\n│ 16 │ 3,50 │\n"), ['sizes = "16"', 'unit = "µs"'],
    ),
    "numbers with an exponent": (
        Tried("size (B): 8, time (s): 9.3e-05, rate (MB/s): 2e-01\nsize (B): 16, time (s): 0.001, rate (MB/s): 0.4\n"),
        ['sizes = "8,16"', 'unit = "MB/s"'],
    ),
    "seconds of the whole": (
        Tried("[a] 0-1s: 500 bytes  4.00 Mb/s (0.50 MB/s)\n[a] total: 900 bytes in 2.00s  3.6 Mb/s (0.45 MB/s)\n"),
        [r"pattern = '\[a\]\s+total:\s+[\d.]+\s+bytes\s+in\s+[\d.]+s\s+[\d.]+\s+Mb/s\s+\(\s*(?P<value>[\d.]+)'",
         'unit = "MB/s"', 'sizes = "64"'],
    ),
    "fewer messages": (
        Tried("", "", "9 bytes are reported, but tx counted 1: the data took another way"), ["iterations = 1"],
    ),
}  # fmt: skip


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
NUMBERS = {
    "server.c": "int main() {}",
    "client.c": "int main(int argc, char **argv) { inet_aton(argv[1], &a); b[0] = strtoul(argv[2], 0, 0); }",
}
BY_README = {
    "a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "-p")) port = atoi(argv[++i]); }',
    "README.md": "# A\n`./a -s -p 9000`\n    $ ./a -c 10.0.0.1 -p 9000 -t <time> [-v]\n",
}
UP_TO = """
int main(int argc, char **argv) {
	switch (getopt(argc, argv, "s:")) { case 's': max_sz = atoi(optarg); break; default: puts("-s <bytes>"); }
	printf("%d B %.1f us\\n", n, t);
}
"""
OPERATIONS = 'int main() { puts("op,bytes,avg_us"); printf("%s,%d,%.1f\\n", name, n, t); }'
CHRONO = "#include <mpi.h>\nint main() { std::chrono::duration<float> t = ping(); std::cout << t.count(); }"
BOTH_ENDS = ['server = "a -s -n {iterations} -a {host}"', 'client = "a -c -n {iterations} -a {host}"']
CORRECTED: dict[str, tuple[dict[str, str], Tried, list[str]]] = {
    "rank from one": (
        {"a.c": POSITIONS}, Tried(failure="the client ended with status 1: invalid rank"),
        ['each = "a {index} {computers} {addresses}"'],
    ),
    "rank of the launcher": (
        {"a.c": POSITIONS}, Tried(failure="status 1: rank 1: Rank 1: connect: Invalid argument"),
        ['each = "a {rank} {computers} {addresses}"'],
    ),
    "number of ranks beside a size": (
        {"a.c": "#include <mpi.h>\nconst int data_size = 64;\nint main() {}"},
        Tried("rank: 0, size: 2\ncycles: 100, 4.5e-05 s/cycle\n"), ['sizes = "64"', 'measure = "latency"'],
    ),
    "time without a unit": (
        {"a.cpp": CHRONO}, Tried("Elapsed time: 3.5\n"),
        [r"pattern = 'Elapsed\s+time:\s+(?P<total>[\d.]+)'", 'unit = "s"'],
    ),
    "server without an address": (
        {"a.c": ROLE}, Tried(failure="step 1: the server ended with status 1: Usage: -a <bind_ip>"), BOTH_ENDS,
    ),
    "server without an address, on its output": (
        {"a.c": ROLE}, Tried(failure="the server ended with status 1: bad; standard output: -a <IP>"), BOTH_ENDS,
    ),
    "ends the other way round": (
        {"a.c": VERBS_MAIN, "b.c": VERBS_MAIN},
        Tried(failure="the server did not end before the deadline: connect: Connection refused"),
        ['server = "b"', 'client = "a {host}"'],
    ),
    "usage text in place of the sources": (
        {"a.c": UP_TO}, Tried(failure="the client ended with status 1: usage", usages={"client": " a DEV [HOST]\n"}),
        ['server = "a {device}"', 'client = "a {device} {host}"'],
    ),
    "word of a usage text that is not a number": (
        {"server.c": "int main() {}",
         "client.c": 'int main(int n, char **argv) { cerr << "usage: " << argv[0] << " HOST SIZE[,SIZE]"; '
                     "dial(argv[1]); stringstream list(argv[2]); }"},
        Tried(failure="the client ended with status 1: stoul"), ['client = "client {host} {size}"'],
    ),
    "number that was not missed": (NUMBERS, UNTRIED, ['client = "client {host}"']),
    "number that was missed": (NUMBERS, Tried(failure="the client: SIGSEGV"), ['client = "client {host} 1"']),
    "client that may send": (
        {"a.c": ARGP}, UNTRIED,
        ['server = "a -l -n {iterations}"', 'client = "a -n {iterations} -c {host}"', 'operation = "send"'],
    ),
    "server that sends": (
        {"a.c": ARGP}, Tried(failure="the data took another way"), ['operation = "read"'],
    ),
    "arguments of a README": (
        BY_README, Tried(failure="Error: missing arguments"),
        ['server = "a -s -p {port}"', 'client = "a -c {host} -p {port} -t 1"'],
    ),
    "sizes up to the one given": (
        {"a.c": UP_TO},
        Tried("1 B 9 us\n8 B 9 us\n64 B 9 us\n", "", "line 1 is about 1 bytes, a size that is not in the request"),
        ['client = "a -s 4096 {host}"', r"pattern = '\s*(?P<size>\d+)\s+B\s+(?P<value>[\d.]+)'", "client_stays = true"],
    ),
    "size in a unit that the output tells": (
        {"a.c": UP_TO.replace("%d B", "%d bytes")},
        Tried("65536 bytes 9 us\n", "", "line 1 is about 65536 bytes, a size that is not in the request"),
        ['client = "a -s 64 {host}"', r"pattern = '\s*(?P<size>\d+)\s+bytes\s+(?P<value>[\d.]+)'", 'sizes = "65536"'],
    ),
    "size in the unit in which it is given": (
        {"a.c": 'int main() { host = argv[1]; size = atoi(argv[2]) * 1024; printf("size=%d us=%f", kb, t); }'},
        Tried("size=64 us=9.5\n", "", "line 1 is about 64 bytes, a size that is not in the request"),
        ['client = "a {host} 64"', 'size_unit = "KB"', 'sizes = "65536"'],
    ),
    "number of a sample in front of its time": (
        {"a.c": UP_TO}, Tried("iteration,rtt_ns\n0,4100\n1,4200\n2,4100\n", "", "a size that is not in the request"),
        ['client = "a -s {size} {host}"', r"pattern = '\s*[\d.]+,\s*(?P<value>[\d.]+)'", 'unit = "ns"'],
    ),
    "operations in a format": (
        {"a.c": OPERATIONS}, Tried("min,16,1.5\navg,16,4.5\nmin,64,2.5\navg,64,5.5\n"),
        [r"pattern = '\s*avg,\s*(?P<size>\d+),\s*(?P<value>[\d.]+)'"],
    ),
    "one operation in a format": (
        {"a.c": OPERATIONS}, Tried("send,16,1.5\nsend,64,2.5\n"),
        [r"pattern = '\s*[^\s,]+,\s*(?P<size>\d+),\s*(?P<value>[\d.]+)'"],
    ),
    "too few messages": (
        {"a.c": ROLE}, Tried(failure="a: number of messages must be a multiple of 32"), ["iterations = 3200"],
    ),
    "too small a size": (
        {"a.c": KILO}, Tried(failure="the client ended with status 1: size must be at least 512"), ['sizes = "512"'],
    ),
    "too large a size": (
        {"a.c": KILO}, Tried(failure="line 65: size >= 1 && size <= 32"), ['sizes = "32"'],
    ),
    "size that was refused": (
        {"a.c": KILO}, Tried(failure="the client ended with status 1: value size must be 1..240"), ['sizes = "64"'],
    ),
    "printed size of another kind than the one given": (
        {"a.c": KILO}, Tried("4 kB: 7.0 MB/s\n", "", "line 1 is about 4096 bytes, a size that is not in the request"),
        [r"pattern = '\s*(?:\d+ kB):\s+(?P<value>[\d.]+)'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sources", "tried", "lines"), CORRECTED.values(), ids=CORRECTED)
def test_trial_corrects_the_guesses_about_its_sources(
    tmp_path: Path, sources: dict[str, str], tried: Tried, lines: list[str]
) -> None:
    assert lacking(text := guessed(tmp_path, sources, tried), lines) == [], text


@pytest.mark.parametrize(("tried", "lines"), TRIED.values(), ids=TRIED)
def test_what_a_trial_printed_corrects_the_guesses(tmp_path: Path, tried: Tried, lines: list[str]) -> None:
    source = "int main(int argc, char **argv) { listen(3, 1); std::cout << 1; }"
    text = guessed(tmp_path, {"a.cpp": source}, tried)
    assert lacking(text, lines) == [] and text.count("_stays") <= 1, text


def test_client_without_a_result_at_the_deadline_is_long_and_not_endless(tmp_path: Path) -> None:
    tried, source = Tried("started\n", "", GO_ON.format("client")), 'int main() { printf("%.1f MB/s\\n", r); }'
    text = guessed(tmp_path, {"a.c": source}, tried)
    assert "client_stays" not in text and "deadline_s = 10" in text
    text = guessed(tmp_path, {"server.c": source, "client.c": source.replace("{", "{ while (1) ")}, tried)
    assert "deadline_s = 4" in text
    text = guessed(tmp_path, {"a.c": "int main() {}"}, Tried("  64 24.5\n", "", GO_ON.format("client")))
    assert "deadline_s = 4" in text


def test_loop_that_takes_minutes_is_made_shorter_in_a_copy(tmp_path: Path) -> None:
    sources = {
        "n.h": "#define NUM (100000000L)\n#define BUF_SIZE 1400\n",
        "server.c": 'int main() { while (got < NUM) read(fd, b, 1400); printf("%.1f MB/s\\n", r); }',
        "client.c": "int main() { char b[BUF_SIZE]; for (int i = 0; i < NUM; i++) write(fd, b, 1400); }",
        "Makefile": "all: server client\nserver client: %: %.c\n\tcat n.h $< >$@.o\n\tcp $@.o $@\n",
    }
    text = guessed(tmp_path, sources, Tried("", "4.0 MB/s\n", GO_ON.format("client")))
    assert lacking(text, ["iterations = 10000", 'printed_by = "server"']) == [] and "client_stays" not in text, text
    (tmp_path / "p" / "server").write_text("built before")
    (build,) = re.findall('build = "(.*)"', text)
    subprocess.run(["sh", "-c", f"{build} && touch beside"], cwd=tmp_path / "p", check=True)
    assert (tmp_path / "p" / "beside").exists()  # as a library that is built then
    assert all("#define NUM (10000L)" in (tmp_path / "p" / end).read_text() for end in ("server", "client"))
    assert (tmp_path / "p" / "n.h").read_text() == sources["n.h"]


def test_loop_whose_turns_an_argument_gives_is_as_long_as_that(tmp_path: Path) -> None:
    source = "int main(int argc, char **argv) { long iters = 100000; if (argc > 2) iters = atol(argv[2]); %s }"
    source %= 'for (i = 0; i < iters; i++) send(s, b, 64, 0); connect(s, argv[1], n); printf("%.1f MB/s\\n", r);'
    assert "sed" not in guessed(tmp_path, {"a.c": source}, Tried("", "", GO_ON.format("client")))


def test_product_that_a_field_holds_is_made_shorter(tmp_path: Path) -> None:
    source = "#define NUM_MESSAGES 64 * 8 * 1024\nint main() { arg->num_messages = NUM_MESSAGES; %s }"
    loop = "for (int i = 0; i < arg->num_messages; i++) send(fd, b, 1400, 0);"
    sources = {"a.c": source % loop.replace("arg->num", "SKIP + arg->num")}
    text = guessed(tmp_path, sources, Tried("", "", GO_ON.format("client")))
    (command,) = re.findall("sed -i '.*?' a.c", text)
    subprocess.run(["sh", "-c", command], cwd=tmp_path / "p", check=True)
    assert "iterations = 8192" in text and "NUM_MESSAGES 8192\n" in (tmp_path / "p" / "a.c").read_text()


def test_port_is_no_bound_of_a_loop(tmp_path: Path) -> None:
    source = "int main() { int port = 18515; for (i = 0; i < port.gid_tbl_len; i++) query(i); }"
    text = guessed(tmp_path, {"a.c": source}, Tried("started\n", "", GO_ON.format("client")))
    assert 'build = "gcc -O2 -o a a.c"' in text


def test_loop_is_made_shorter_again_until_it_ends(
    tmp_path: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(tmp_path / "mine")
    (folder / "mine.c").write_text("int main() { const int N = 20000; for (i = 0; i != N; ++i) ping(8); }")
    monkeypatch.setattr(command, "tried", lambda *_, **__: Tried("started", "", GO_ON.format("client")))
    run_with(fake_site, monkeypatch, StepOutcome("", "", "", "", 1, 0, 0, 10**9))
    assert adopted(folder) == 1
    assert "sed -i 's/N = 20000/N = 20/' mine.c && gcc" in (tmp_path / "mine.toml").read_text()


def test_correction_stays_if_the_next_trial_fails_otherwise(
    tmp_path: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter(["ibv_query_gid(3): Invalid argument", "ended with status 1: cannot connect", "it hangs"])
    folder = copied(tmp_path / "mine")
    (folder / "mine.c").write_text(VERBS_MAIN)
    monkeypatch.setattr(command, "tried", lambda *_, **__: Tried(failure=next(failures)))
    run_with(fake_site, monkeypatch, StepOutcome("", "", "", "", 1, 0, 0, 10**9))
    assert adopted(folder) == 1
    assert 'emulate = ["gids"]' in (tmp_path / "mine.toml").read_text()


@pytest.mark.parametrize(
    "source",
    [
        'int main() { inet_pton(AF_INET, "192.168.56.103", &a); }',
        'int main(void) { getaddrinfo("node1", PORT, 0, &r); }',
        '#define SERVER "node-0"\nint main(int argc, char *argv[]) { gethostbyname(SERVER); }',
    ],
)
def test_computer_that_the_sources_name_is_emulated(tmp_path: Path, source: str) -> None:
    assert 'emulate = ["addresses"]' in guessed(tmp_path, {"a.c": source})
    with_host = source.replace("}", "connect_to(argv[1]); }")
    assert "addresses" not in guessed(tmp_path, {"a.c": with_host})
    assert 'emulate = ["addresses"]' in guessed(tmp_path, {"a.c": with_host}, Tried(failure="connect: timed out"))


@pytest.mark.parametrize(
    ("file", "text", "printed", "line"),
    [
        ("README", "node1$ ./mine 7 900\nnode2$ ./mine 7 900 node1 (client)\n", "no", 'client = "mine 7 900 {host}"'),
        ("mine.h", "", "usage: mine -c -a HOST [-n N]", "iterations = 3200"),
    ],
)
def test_other_commands_are_tried_after_those_that_failed(
    tmp_path: Path,
    fake_site: FakeSite,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    file: str,
    text: str,
    printed: str,
    line: str,
) -> None:
    folder = copied(tmp_path / "mine")
    (folder / "mine.c").write_text(ROLE)
    (folder / file).write_text(text)
    run_with(fake_site, monkeypatch, StepOutcome("", "", printed, "", 1, 1, 0, 10**9))
    assert adopted(folder) == 1
    assert f"  {line} #" in capsys.readouterr().out


def test_arguments_of_the_sources_are_tried_after_those_of_a_usage_text(tmp_path: Path) -> None:
    usage = r'puts("usage: a wait\n       a go HOST\n"); '
    sources = {"a.c": STATEMENTS.replace("if (argc == 3", f"{usage} if (argc == 3")}
    first = guessed(tmp_path, sources)
    assert lacking(first, ['server = "a wait"', 'client = "a go {host}"']) == [], first
    text = guessed(tmp_path, sources, Tried(failure="usage", refused=(first,)))
    assert lacking(text, ['server = "a server {port}"', 'client = "a client {host} {port} {size}"']) == [], text


def test_address_in_sources_is_not_emulated_if_the_peers_are_given(
    tmp_path: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(tmp_path / "mine")
    (folder / "mine.cpp").write_text(BY_SEMICOLONS + 'const char *host = "127.0.0.1";')
    run_with(fake_site, monkeypatch, StepOutcome("refused, retrying... wrong sum", "", "", "", 6, 0, 0, 10**9))
    assert adopted(folder) == 1
    assert "addresses" not in capsys.readouterr().out.replace("{addresses", "")


def test_server_that_sends_the_messages_is_read_from(tmp_path: Path) -> None:
    lines = ('server = "a -l -n {iterations}"', 'client = "a -n {iterations} -c {host}"', 'operation = "send"')
    assert lacking(text := guessed(tmp_path, {"a.c": ARGP}), lines) == [], text
    text = guessed(tmp_path, {"a.c": ARGP}, Tried(failure="the data took another way"))
    assert lacking(text, ['operation = "read"']) == [], text


def test_command_in_a_readme_corrects_arguments_that_were_refused(tmp_path: Path) -> None:
    sources = {
        "a.c": 'int main(int n, char **argv) { if (!strcmp(argv[i], "-p")) port = atoi(argv[++i]); }',
        "README.md": "# A\n`./a -s -p 9000`\n    $ ./a -c 10.0.0.1 -p 9000 -t <time> [-v]\n",
    }
    text = guessed(tmp_path, sources, Tried(failure="Unknown option: 10.0.0.2"))
    lines = ('server = "a -s -p {port}"', 'client = "a -c {host} -p {port} -t 1"')
    assert lacking(text, lines) == [], text


def test_readme_names_the_ends_by_their_options(tmp_path: Path) -> None:
    readme = "    ./a -s -a 10.0.0.1 -n 9\n    ./a -c -a 10.0.0.1 -b 64\n    ./a -s -a 0.0.0.0\n"
    text = guessed(tmp_path, {"a.c": ROLE, "README.md": readme}, Tried(failure="Usage: a"))
    lines = ('server = "a -s -a {host} -n {iterations}"', 'client = "a -c -a {host} -b 64"')
    assert lacking(text, lines) == [], text


def test_printed_size_of_another_kind_than_the_one_given_is_not_read(tmp_path: Path) -> None:
    failure = Tried("4 kB: 7.0 MB/s\n", "", "line 1 is about 4096 bytes, a size that is not in the request")
    text = guessed(tmp_path, {"a.c": KILO}, failure)
    assert lacking(text, [r"pattern = '\s*(?:\d+ kB):\s+(?P<value>[\d.]+)'"]) == [], text


def test_commands_that_a_makefile_runs_while_it_is_read_are_shut_in(tmp_path: Path) -> None:
    makefile = f"HERE := $(shell touch {tmp_path}/ran)\nb: a.c\n\tgcc a.c -o b\n"
    assert 'binaries = ["b"]' in guessed(tmp_path, {"a.c": "int main() {}", "Makefile": makefile})
    assert not (tmp_path / "ran").exists()


def test_folder_of_python_is_refused_with_the_reason(tmp_path: Path) -> None:
    (copied(tmp_path / "p") / "client.py").touch()
    with pytest.raises(SpecError, match=r"client\.py: no site has Python"):
        experiment_of(Folder(tmp_path / "p"))


def test_client_in_python_is_refused_but_not_a_plot(tmp_path: Path) -> None:
    sources = {"server.c": "int main() { accept(3, 0, 0); }", "call.py": "import socket\n", "plot.py": ""}
    with pytest.raises(SpecError, match=r"call\.py: no site has Python"):
        guessed(tmp_path, sources)
    assert 'client = "client {host}"' in guessed(tmp_path, {"client.c": "int main() { connect(3, a, n); }"})


def test_ends_that_meet_by_files_are_refused(tmp_path: Path) -> None:
    source = VERBS_MAIN.replace("{}", '{ out = fopen("own.qp", "w"); in = fopen("other.qp", "r"); }')
    with pytest.raises(SpecError, match="its ends meet by files"):
        guessed(tmp_path, {"ping.c": source, "pong.c": source})


def test_folder_without_programs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no program was found"):
        experiment_of(Folder(tmp_path))


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("RTT 1: 2.5 us", "64 bytes: 2.500 us\n  the size is a guess: no size is in its sources or its output\n"),
        ("[1,0]<stdout>:RTT 1: 2.5 us", "read, with the value in brackets:\n  RTT 1: [2.5] us\nmeasured"),
        ("B  us\nRTT 1:  2.5 us", "in brackets:\n  B us\n  RTT 1: [2.5] us\nmeasured"),
        ("RTT 1: 2.5 us\nRTT 2: 3.5 us\n" * 2, "\n  RTT 2: [3.5] us\n  RTT 1: [2.5] us\n  ...\nmeasured"),
        ("latency of 64 bytes: 2.5 us", 'written again, by what it printed:\n  sizes = "64" # a small trial\n'),
        ("hello", "change "),
        ("connection refused", 'emulate = ["addresses"]'),
        ("error in connection", 'emulate = ["addresses"]'),
        ("done", "mine.toml; the last lines of both:\n  done"),
        ("1 24.5\n2 24.6", "no line has a number with its unit: set output, pattern and unit"),
        ("4 kB: 7.0 MB/s", "4096 bytes: 6,999,998 B/s"),
        ("Error: missing arguments", "64 bytes: 1,000,000 B/s"),
        ("kv: ", "64 bytes: 1,000,000 B/s"),
        ("Cannot assign requested address", 'emulate = ["addresses"]'),
        ("cannot modify qp", "mine/mine.c:8 names 0xdeadbeef"),
        ("it did not end", "mine/mine.c:9 names max_rd_atomic = 0"),
        ("error 5", "mine/mine.c:10 names htonl((uintptr_t)buf): it keeps 32 of the 64 bits"),
        ("the client did not end before the deadline", "mine/mine.c:11 names while (1): give this loop a bound"),
        ("local QP operation error", "mine/mine.c:9 names max_rd_atomic = 0"),
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
    silent = FIXED.replace("printf", "note")
    sources = {
        "done": silent,
        "1 24.5\n2 24.6": silent,
        "4 kB: 7.0 MB/s": KILO,
        "Error: missing arguments": silent,
        "kv: ": silent,
    }
    (folder / "mine.c").write_text(sources.get(printed, FIXED))
    if printed in ("Error: missing arguments", "kv: "):
        (folder / "README.md").write_text("    ./mine -p <port>\n    ./mine -p <port> <host>\n")
    status = int(":" not in printed and printed not in ("hello", "done"))
    run_with(fake_site, monkeypatch, StepOutcome(printed, "", "", "", status, 0, 0, 10**9), "rate: 8.0 Mbps")
    status = adopted(folder)
    out = "".join(capsys.readouterr())
    assert words in out and "names 0.0.0.0" not in out and status == (":" not in printed)


def run_with(fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, step: StepOutcome, with_port: str = "") -> None:
    """Let each trial on the site end with this step, and print `with_port` if its client has the option -p."""

    def run(job: Job) -> Outcome:
        steps = (replace(step, client_out=with_port) if "-p" in job.steps[0].client else step,) * len(job.steps)
        return Outcome(steps, {}, {"v0.tx_bytes": 10**5, "v0.rx_bytes": 10**5}, 0, 10**9, "", 0.0)

    monkeypatch.setattr(fake_site, "run", run)

    use(fake_site, monkeypatch)


def use(fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have trials run on a site, with programs that nobody builds."""

    def campaign(files: list[Path], _: object, site: Any) -> Any:
        plan = make_plan(
            experiment := load(files[0]), facts := SiteFacts.of(fake_site), dict.fromkeys(binaries([experiment]), "d")
        )
        return SimpleNamespace(site=site, facts=facts, plans=(plan,))

    monkeypatch.setattr(command, "open_site", lambda *_: fake_site)
    monkeypatch.setattr(command, "campaign_of", campaign)


def adopted(folder: Path) -> int:
    return command.adopt(Namespace(folder=folder, results=folder.parent / "results", jobs=1, site="exact", hosts=None))


class Turns(FakeSite):
    """Logs 100 messages of each size and their answers, one in 40 us."""

    def __init__(self, printed: str) -> None:
        super().__init__()
        self.printed = printed

    def frames(self, port: int) -> Iterator[Frame]:
        for out in (True, False):
            yield wire.tcp(0, 0, syn=True, out=out, port=port)
            sent = range(20_000 * (not out), 4_000_000, 40_000)
            yield from (wire.tcp(ns, 1 + n * 64, 64, out=out, port=port) for n, ns in enumerate(sent))

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        frames = sorted(self.frames(job.steps[0].port), key=lambda frame: frame.time_ns)
        (logs / "client.pcapng").write_bytes(b"".join(map(block, frames)))
        counted = dict.fromkeys(("v0.tx_bytes", "v0.rx_bytes", "rxe0.tx_bytes", "rxe0.rx_bytes"), 10**5)
        return Outcome((StepOutcome(self.printed, "", "", "", 0, 0, 0, 10**8),), {}, counted, 0, 10**8, "", 0.0)


class Late(Turns):
    """Logs the first message 4 ms before the others."""

    def frames(self, port: int) -> Iterator[Frame]:
        for frame in super().frames(port):
            yield frame if frame.time_ns < 40_000 else frame._replace(time_ns=frame.time_ns + 4_000_000)


def test_time_between_that_of_the_steadiest_and_that_of_the_whole_is_no_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { note("%d %f %f", n, t, r); }')
    use(Late("64 65.0 1.6\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert 'unit = "MB/s"' in (text := (tmp_path / "mine.toml").read_text()), text


class OneWay(Turns):
    """Logs messages in one direction, each after a byte of the other end, as between the parts of a stream."""

    def frames(self, port: int) -> Iterator[Frame]:
        yield wire.tcp(0, 0, syn=True, port=port)
        yield wire.tcp(0, 0, syn=True, out=False, port=port)
        for n in range(20):
            yield wire.tcp(40_000 * n, 1 + n * 64, 64, port=port)
            yield wire.tcp(40_000 * n + 20_000, 1 + n, 1, out=False, port=port)
        yield from (wire.tcp(10**6 + n, 1281 + n * 1000, 1000, port=port) for n in range(100))


def test_parts_of_a_stream_are_no_messages_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { printf("%d B: %.1f us, %.1f MB/s\\n", n, t, r); }')
    use(OneWay("64 B: 40.0 us, 15.0 MB/s\n4096 B: 90.0 us, 90.0 MB/s\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert 'unit = "MB/s"' in (text := (tmp_path / "mine.toml").read_text()), text


class Writes(Turns):
    """Logs 100 messages of RDMA in 40 us each, and the datagrams that connect."""

    def frames(self, _: int) -> Iterator[Frame]:
        yield from (wire.roce(n, 0x64, n, 264, out=n % 2 == 0, queue=1) for n in range(6))
        for n in range(100):
            yield wire.roce(1000 + 40_000 * n, wire.WRITE_ONLY, n, 8)
            yield wire.roce(11_000 + 40_000 * n, wire.ACK, n, out=False)


class BothWays(Turns):
    """Logs 100 messages of RDMA in each direction at once, one in 40 us, with two in flight."""

    def frames(self, _: int) -> Iterator[Frame]:
        for n in range(100):
            for out in (True, False):
                yield wire.roce(40_000 * n, wire.WRITE_ONLY, n, 64, out=out)
                yield wire.roce(40_000 * n + 70_000, wire.ACK, n, out=not out)


def test_sum_of_both_directions_at_once_is_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text(VERBS_MAIN.replace("{}", '{ printf("%d bytes: %.2f MB/s\\n"); }'))
    use(BothWays("64 bytes: 3.20 MB/s\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert "factor = 0.5 # what the link carried" in (text := (tmp_path / "mine.toml").read_text()), text


def test_link_shows_the_size_and_the_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text(VERBS_MAIN.replace("{}", '{ printf("%.2f MB/s\\n", rate); }'))
    use(Writes("0.20 MB/s\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    lines = ['sizes = "8" # a small trial', "iterations = 100", 'operation = "write"', "rdma = true"]
    assert [line for line in lines if line not in (text := (tmp_path / "mine.toml").read_text())] == [], text


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        ("64 40.1 us typical, 90.0 us at most", [r"pattern = '\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'", 'unit = "us"']),
        ("size 64: delay 20.1 us", ["factor = 2"]),
        (
            "100 turns of 64 bytes took 4010 us\none turn of 64 bytes took 40.1 us",
            [r"pattern = 'one\s+turn\s+of\s+(?P<size>\d+)\s+bytes\s+took\s+(?P<value>[\d.]+)'"],
        ),
        ("64 bytes, all: 4010 us\n64 bytes, one way: 20.1 us", ["factor = 2"]),
        ("size 64: 4010 us", [r"pattern = 'size\s+(?P<size>\d+):\s+(?P<total>[\d.]+)'", "iterations = 100"]),
        ("64 100 18.0 20.1 28.0", [r"pattern = '\s*(?P<size>\d+)\s+[\d.]+\s+[\d.]+\s+(?P<value>[\d.]+)'"]),
        ("64 bytes: 20.1 us on average, 32.0 us at most", ["factor = 2"]),
        ("64 0.0401", ['unit = "ms"', 'measure = "latency"']),
        ("64 1.59", ['unit = "MB/s"', 'measure = "throughput"']),
        ("64 bytes: 3.19 MB/s in both directions", ["factor = 0.5", 'unit = "MB/s"']),
        ("64 bytes: 3.19 MB/s, 90.0 us at most", ['unit = "MB/s"']),
    ],
)
def test_link_shows_which_number_is_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, lines: list[str]
) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text(FIXED.replace("printf", "note"))
    use(Turns(printed + "\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert lacking(text := (tmp_path / "mine.toml").read_text(), lines) == [], text


def test_link_shows_the_result_of_a_trial_with_corrected_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { printf("%d: %.1f us, %.1f us\\n", n, a, b); }')
    site = Turns("64: 40.1 us, 90.0 us\n")
    answer = site.run_watched
    refused = Outcome((StepOutcome("usage: mine DEV [HOST]", "", "", "", 1, 1, 0, 10**8),), {}, {}, 0, 10**8, "", 0.0)
    monkeypatch.setattr(
        site, "run_watched", lambda job, logs: answer(job, logs) if "rxe0" in job.steps[0].client else refused
    )
    use(site, monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert "value>[\\d.]+)' # what the link carried" in (text := (tmp_path / "mine.toml").read_text()), text


def test_result_that_the_link_does_not_show_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { printf("64 bytes: %.1f us\\n", 1.0); accept(1); }')
    use(Turns("64 bytes: 70.0 us\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    expected = "64 bytes: 70.000 us (the link carried 100 messages: 40.000 us), which differs: see the pattern"
    assert expected in capsys.readouterr().out


class Download(Turns):
    """Logs 100 messages that a client asks for by 8 bytes."""

    def frames(self, port: int) -> Iterator[Frame]:
        yield from (wire.tcp(0, 0, syn=True, out=out, port=port) for out in (True, False))
        yield wire.tcp(10, 1, 8, port=port)
        yield from (wire.tcp(40_000 * n + 40_000, 1 + n * 64, 64, out=False, port=port) for n in range(100))

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        outcome = super().run_watched(job, logs)
        return replace(outcome, counters_after=outcome.counters_after | {"v0.tx_bytes": 1000})


def test_data_from_the_server_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = '#define COUNT 100\nint main() { printf("%d bytes: %.2f MB/s\\n", n, r); }'
    (copied(tmp_path / "mine") / "mine.c").write_text(source)
    use(Download("64 bytes: 1.60 MB/s\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    lines = ['operation = "read"', "iterations = 100"]
    assert lacking(text := (tmp_path / "mine.toml").read_text(), lines) == [], text


class Answers(Turns):
    """Logs messages of 64 bytes, and an answer of 1024 bytes to each."""

    messages = 100

    def frames(self, port: int) -> Iterator[Frame]:
        yield from (wire.tcp(0, 0, syn=True, out=out, port=port) for out in (True, False))
        for n in range(self.messages):
            yield wire.tcp(40_000 * n, 1 + n * 64, 64, port=port)
            yield wire.tcp(40_000 * n + 20_000, 1 + n * 1024, 1024, out=False, port=port)


class Windows(Turns):
    """Logs 10 messages, each behind a short answer to the one before, and 90 without answers."""

    def frames(self, port: int) -> Iterator[Frame]:
        yield from (wire.tcp(0, 0, syn=True, out=out, port=port) for out in (True, False))
        for n in range(100):
            yield wire.tcp(400_000 * n if n < 10 else 3_910_000 + 10_000 * n, 1 + n * 64, 64, port=port)
        yield from (wire.tcp(400_000 * n + 300_000, 1 + n * 4, 4, out=False, port=port) for n in range(10))


class Later(Turns):
    """Logs 100 messages of RDMA in each direction at once, those of the server for a longer time."""

    def frames(self, _: int) -> Iterator[Frame]:
        for n in range(100):
            for out, time_ns in ((True, 40_000 * n), (False, 120_000 * n)):
                yield wire.roce(time_ns, wire.WRITE_ONLY, n, 64, out=out)
                yield wire.roce(time_ns + 130_000, wire.ACK, n, out=not out)


@pytest.mark.parametrize(
    ("site", "source", "printed"),
    [
        (Answers, 'int main() { send(fd, "", 64); printf("rtt: %.1f us\\n", t); }', "rtt: 40.0 us\n"),
        (Windows, 'int main() { send(fd, "", 64); printf("rate: %.3f MB/s\\n", r); }', "rate: 1.302 MB/s\n"),
        (Later, VERBS_MAIN.replace("{}", '{ printf("%d bytes: %.2f MB/s\\n", n, r); }'), "64 bytes: 0.53 MB/s\n"),
    ],
)
def test_result_at_the_pace_of_unequal_directions_is_not_marked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    site: type[Turns],
    source: str,
    printed: str,
) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text(source)
    use(site(printed), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    out = capsys.readouterr().out
    assert "(the link carried 100 messages: " in out and "differs" not in out, out


class ManyAnswers(Answers):
    messages = 60_000


def test_sixty_thousand_messages_are_read_within_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { send(fd, "", 64); printf("rtt: %.1f us\\n", t); }')
    use(ManyAnswers("rtt: 40.0 us\n"), monkeypatch)
    started = time.process_time()
    assert adopted(tmp_path / "mine") == 0
    assert time.process_time() - started < 10


def test_direction_of_the_messages_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text(VERBS_MAIN.replace("{}", '{ note("out %f in %f"); }'))
    use(Later("64 bytes: out 1.60 MB/s, in 0.53 MB/s\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert r"out\s+(?P<value>" in (text := (tmp_path / "mine.toml").read_text()), text


def test_unit_of_a_heading_is_not_changed_to_fit_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied(tmp_path / "mine") / "mine.c").write_text('int main() { note("%d %f %f", n, t, r); }')
    use(Turns("size  rate [MB/s]  rest\n64  40.1  500.0\n"), monkeypatch)
    assert adopted(tmp_path / "mine") == 0
    assert 'unit = "MB/s"' in (text := (tmp_path / "mine.toml").read_text()), text
