"""`lab adopt`: the experiment that it guesses from sources, and what it prints of a trial."""

import re
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import adopt
from lab.cli.adopt import Folder, Tried, experiment_of
from lab.cli.results import BINARY, outputs, printed_outputs
from lab.errors import SpecError
from lab.experiment.reader import load
from lab.model.trial import Outcome, StepOutcome
from lab.places import EXAMPLES, ROOT
from lab.plan.plan import SiteFacts, binaries, make_plan

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

Sources = Mapping[str, str]


def texts(*files: Path) -> Sources:
    return {file.name: file.read_text() for file in files}


def example(name: str) -> Sources:
    return texts(*(EXAMPLES / name / "program").iterdir())


def style(*names: str) -> Sources:
    return texts(*(ROOT / "tests" / "machine" / "styles" / name for name in names))


@pytest.fixture
def adopted(tmp_path: Path) -> Callable[..., str]:
    """The text of the experiment of sources in p.toml, which can be loaded."""

    def write(sources: Sources, *tried: Tried) -> str:
        for name, content in sources.items():
            file = tmp_path / "p" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        text, _ = experiment_of(Folder(tmp_path / "p"), *tried)
        (tmp_path / "p.toml").write_text(text)
        assert len(load(tmp_path / "p.toml").series) == 1
        return text

    return write


def in_c(text: str) -> Sources:
    return {"a.c": text}


MPI = "#include <mpi.h>\nint main() {}"
VERBS = "#include <infiniband/verbs.h>\nint main(void) {}\n"
APPS = ".PHONY: clean\nAPPS := my-server my-client\nall: ${APPS}\nclean:\n\trm -f ${APPS}\n"
FOLDER = "BIN = bin\nall: $(BIN)/pp\n$(BIN)/pp: pp.c\n\tgcc -o $@ $<\n"
ENDLESS = {"my_server.c": "", "server.c": "int main(void) { for (;;) {} }", "client.c": "int main(void) {}"}
CASES: dict[str, tuple[Sources, list[str]]] = {
    "cm_tutorial": (example("cm_tutorial"), [
        'build = "make"', 'binaries = ["cm_server", "cm_client"]', "ready.cm = 20079", 'client = "cm_client {host}"',
        'unit = "microseconds"', 'measure = "latency"', "iterations = 1000",
    ]),
    "loop_of_sizes": (example("loop_of_sizes"), [
        'build = "gcc -O2 -o loop_of_sizes loop_of_sizes.c -libverbs"',
        'client = "loop_of_sizes -n {iterations} -p {port} -x {gid} -d {device} {host}"',
        r"pattern = '\s*(?P<size>\d+)\s+(?P<messages>\d+)\s+(?P<value>[\d.]+)'",
        'unit = "Gb/sec"', "client_stays = true", 'operation = "write"',
    ]),
    "send_pingpong": (example("send_pingpong"), [
        'client = "send_pingpong -g {gid} -n {iterations} -s {size} -d {device} -p {port} {host}"',
    ]),
    "tcp_select": (example("tcp_select"), [
        "ready.tcp = 5001", "server_stays = true", 'server = "tcp_select"',
        'client = "tcp_select {host} {size} {iterations}"', "pattern = 'throughput:\\s+(?P<value>[\\d.]+)'",
    ]),
    "rc": (style("rc.c", "Makefile"), [
        'binaries = ["server", "client"]', "rdma = true", 'emulate = ["lids"]', "ready.tcp = 12345",
    ]),
    "tcp": (style("tcp.c", "tcp.config"), [
        'binaries = ["tcp", "tcp.config"]', 'client = "tcp {host} {printed:port}"',
        r"pattern = 'size\s+(?P<size>\d+ KB):\s+(?P<value>[\d.]+)'",
    ]),
    "ranks": (style("ranks.c"), ['build = "mpicc -O2 -o ranks ranks.c"', 'mpi = "tcp"', 'unit = "us"']),
    "CMake": ({"CMakeLists.txt": CMAKE, "src/a.c": VERBS, "src/b.c": VERBS, "src/c.h": ""}, [
        'build = "gcc -O2 -o my_server -Isrc src/a.c -libverbs && gcc -O2 -o my_client -Isrc src/b.c -libverbs"',
    ]),
    "make's variables": ({"Makefile": APPS, "pp.c": FIXED}, ['binaries = ["my-server", "my-client"]']),
    "make's folder": ({"Makefile": FOLDER, "pp.c": FIXED}, ['binaries = ["bin/pp"]']),
    "make's objects": ({"Makefile": "pp: pp.o\n\tgcc -o pp pp.o\npp.o: pp.c\n", "pp.c": FIXED}, ['binaries = ["pp"]']),
    "a word for each end": (in_c(MODES), ['server = "a -s"', 'client = "a -c {host} {iterations}"']),
    "C++": ({"a.cpp": CPP}, [
        'build = "g++ -O2 -o a a.cpp"', 'server = "a --port {port} --dev {device}"',
        'client = "a --server {host} --port {port} --dev {device}"', 'output = "none"',
    ]),
    "flags": (in_c(FLAGS), ['server = "a -s -p {port}"', 'client = "a -p {port} {host}"']),
    "MPI in C++": ({"a.cc": MPI}, ['build = "env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX -O2 -o a a.cc"']),
    "mpic++": ({"a.cc": MPI, "Makefile": "CXX = mpic++\na: a.cc\n"}, [
        "build = \"make 'CXX=env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX'\"",
    ]),
    "names": (ENDLESS | {"Makefile": "all: my_server my_client\n"}, ["server_stays = true"]),
    "constants": (in_c("const int BUFFER_SIZE = 4 << 10;\nint NUM_PINGS = 30, x;\nint main() {}"), [
        'sizes = "4096"', "iterations = 30",
    ]),
    "port": (in_c('int main() { connect("12000"); }'), ["ready.tcp = 12000"]),
    "any text": (in_c(TEXT), ['client = "a -a {host} -s hello"', 'sizes = "64"']),
    "MPI's types": (in_c("#include <mpi.h>\nint main() { MPI_Send(&token, 2, MPI_INT, 1, 0, world); }"), [
        'sizes = "8"',
    ]),
    "-myindex": (in_c(LOOP_OF_OPTIONS), [
        'each = "a -myindex {index} -list {addresses}"', 'emulate = ["lids"]', 'unit = "us"', 'size_unit = "ints"',
        r"pattern = 'Rank\s+[\d.]+:\s+\S+\s+All\-Reduce\s+count=\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'",
    ]),
    "positions": (in_c(POSITIONS), ['each = "a {rank} {computers} {addresses}"', 'unit = "us"', "computers = 2"]),
    "neighbour": (in_c(NEIGHBOUR), ['each = "a {rank} {next} {computers} {port}"', "computers = 2"]),
    "letters": (in_c(LETTERS), ['each = "a -g {gid} -n {computers} -r {rank} -h {addresses:,}"', "computers = 2"]),
    "one word": (in_c(ONE_WORD), [
        "each = \"a '{addresses: }' {rank}\"", r"pattern = '\s*(?P<size>\d+)\s+(?P<value>[\d.]+)'", 'unit = "us"',
    ]),
    "own name": (in_c(OWN_NAME), ['each = "a {addresses:,} {port}"', 'emulate = ["hostname"]']),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_experiment_follows_from_the_sources_and_can_be_loaded(adopted: Callable[..., str], name: str) -> None:
    sources, lines = CASES[name]
    text = adopted(sources)
    assert [line for line in lines if f"\n{line}" not in text] == [], text
    assert ('"lids"' in text) == (name in ("rc", "-myindex"))


ENDED = "the server was ended by signal 15"
REFUSED = "the client ended with status 1: invalid rank"


@pytest.mark.parametrize(
    ("source", "tried", "lines"),
    [
        (CPP, Tried("Size: 128 bytes, iterations: 500\nBandwidth: 3.50 MB/s\n"), ['sizes = "128"', "iterations = 500"]),
        (CPP, Tried("Size(B)   Avg RTT(us)\n16    3.1\n256   4.2\n"), ['sizes = "16,256"', 'measure = "latency"']),
        (CPP, Tried("size  t_min  t_avg  [usec]\n8  3.1  3.5\n512  4.2  4.6\n"), ['sizes = "8,512"', 'unit = "usec"']),
        (CPP, Tried("size  t (us)  lost\n16  8.21  3\n32  9.21  4\n"), ['sizes = "16,32"']),
        (CPP, Tried("Size 1 KB: 7.0 MB/s\nSize 2 KB: 8.0 MB/s\n"), ['sizes = "1024,2048"']),
        (CPP, Tried("Sent 1 file of 270 bytes (7.0 MB/s)\n"), ['sizes = "270"', "iterations = 1"]),
        (CPP, Tried("5.0 MB/s (9 writes of 64 bytes)\n"), [
            r"pattern = '\s*(?P<value>[\d.]+)\s+MB/s\s+\(\s*(?P<messages>",
        ]),
        (CPP, Tried("", "served\n128 bytes: 2.0 Gbps\n"), ['sizes = "128"', 'printed_by = "server"']),
        (CPP, Tried("7.0 MB/s\n", "", "the client did not end before the deadline"), ["client_stays = true"]),
        (CPP, Tried("7.0 MB/s\n", "", "the server did not end before the deadline"), ["server_stays = true"]),
        (CPP, Tried("7.0 MB/s\n", "", ENDED), ["server_stays = true"]),
        (POSITIONS, Tried(failure=REFUSED), ['each = "a {index} {computers} {addresses}"']),
    ],
)  # fmt: skip
def test_what_a_trial_printed_corrects_the_guesses(
    adopted: Callable[..., str], source: str, tried: Tried, lines: list[str]
) -> None:
    text = adopted({"a.cpp" if source == CPP else "a.c": source}, tried)
    assert [line for line in lines if f"\n{line}" not in text] == [], text


LENGTHS = r"""
printf("%12s %16s %18s\n", "Length", "Time (us)", "Bandwidth (MB/s)");
printf("%12d %16.3f %18.3f\n", len, us, rate);
"""
WIDTHS = r"""
printf("%-10s%*s\n", "# Size", 18, "Bandwidth (MB/s)");
printf("%-*d%*.*f\n", 10, size, 18, 2, rate / (1024 * 1024));
"""
MEAN = 'printf("RTT min/avg/max = %.2f/%.2f/%.2f us\\n", a, b, c);'
JSON = r"""printf("{\"size\": %d, \"seconds\": %f, \"bw_MBps\": %.1f}\n", s, t, r);"""
OF_ONE = r'printf("%d bytes = %.2f Mbit/sec\n%d iters = %.2f usec/iter\n", b, m, n, u);'


@pytest.mark.parametrize(
    ("prints", "printed", "found"),
    [
        (LENGTHS, "          64            1.500             42.667", ("64", "42.667", "MB/s")),
        (WIDTHS, "64                     42.67", ("64", "42.67", "MiB/s")),
        (MEAN, "RTT min/avg/max = 1.00/2.50/9.00 us", ("", "2.50", "us")),
        (JSON, '{"size": 64, "seconds": 0.100000, "bw_MBps": 4.5}', ("64", "4.5", "MBps")),
        (OF_ONE, "12800 bytes = 9.10 Mbit/sec\n100 iters = 5.25 usec/iter", ("", "5.25", "usec/iter")),
    ],
    ids=["columns", "widths", "mean of three", "JSON", "a time of one message"],
)
def test_result_is_found_in_sources_and_in_what_they_printed(prints: str, printed: str, found: tuple[str, ...]) -> None:
    heading = "  ".join(re.findall(r'"(\w[^%"]*|# Size)"', prints))
    shown = printed if prints not in (LENGTHS, WIDTHS) else f"{heading}\n{printed}"
    for outputs_found in (outputs(prints), printed_outputs(shown)):
        match = re.search(outputs_found[0].pattern, printed)
        assert match, outputs_found
        unit = outputs_found[0].binary_unit if BINARY.search(prints) else outputs_found[0].unit
        assert (match.groupdict().get("size", ""), match["value"], unit) == found


@pytest.mark.parametrize(
    ("sources", "what"), [({"client.py": ""}, r"client\.py: no site has Python"), ({"a.h": ""}, "no program was found")]
)
def test_folder_without_programs_is_refused_with_the_reason(
    adopted: Callable[..., str], sources: Sources, what: str
) -> None:
    with pytest.raises(SpecError, match=what):
        adopted(sources)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("RTT 1: 2.5 us", "64 bytes: 2.500 us"),
        ("latency of 64 bytes: 2.5 us", "written again, by what it printed"),
        ("hello", "change "),
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
    folder = tmp_path / "mine"
    folder.mkdir()
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
