"""Client and server over loopback, as a person starts them: tcp_{bytes,client,control,server,windows}.c, program.c."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEMORY_KIB = 100_000_000 >> 10
Process = subprocess.Popen[str]
Start = Callable[..., tuple[Process, Process]]
Rows = dict[tuple[str, str], list[list[int]]]


def until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the condition did not become true within 30 s")


def listens(port: int) -> bool:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return any(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A" for line in lines)


def cpu_s(process: Process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a server and, when it listens, a client, with limited memory; the test's end kills both."""
    subprocess.run(["make", "-s", "-C", "code/bench"], cwd=ROOT, check=True)
    started: list[Process] = []

    def run(role: str, *options: str, closed: str = "") -> Process:
        line = f'ulimit -v {MEMORY_KIB}; exec "$0" "$@" {closed}'
        command = ["sh", "-c", line, str(ROOT / ".cache" / "bench" / f"tcp-{role}"), *options]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={"LAB_TOKEN": "t"}))
        return started[-1]

    def both(*options: str, host: str = "127.0.0.1", server: str = "", client: str = "") -> tuple[Process, Process]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options += ("--port", str(port))
        first = run("server", *options, closed=server)
        until(lambda: listens(port))
        return first, run("client", *options, host, closed=client)

    yield both
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("measure", ["throughput", pytest.param("latency", marks=pytest.mark.release)])
def test_three_billion_messages_need_less_than_100_mb(start: Start, measure: str) -> None:
    server, client = start("--sizes", "1@3000000000/0", "--measure", measure)
    until(lambda: min(cpu_s(server), cpu_s(client)) > 0.2 or client.poll() is not None)
    assert (server.poll(), client.poll()) == (None, None)


def test_a_client_without_stdout_fails_before_it_measures(start: Start) -> None:
    server, client = start("--sizes", "64@40/0", client=">&-")
    assert "can't write the samples: Bad file descriptor" in client.communicate(timeout=300)[1]
    assert client.returncode == 1
    assert server.communicate(timeout=300)[0] == "" and server.returncode == 1


def test_a_server_without_stdout_serves(start: Start) -> None:
    server, client = start("--sizes", "64@40/0", host="localhost", server="<&- >&-")
    rows, end = client.communicate(timeout=300)[0].rsplit("# end rows=", 1)
    assert len([line for line in rows.splitlines() if line[0].isdigit()]) == int(end) >= 3
    assert server.wait(30) == 0


def measured(start: Start, *options: str) -> tuple[Rows, str]:
    """The client's rows by size and kind (index, messages, bytes, ns), and all that it prints; both ends end well."""
    server, client = start(*options)
    out = client.communicate(timeout=300)[0]
    rows: Rows = {}
    for line in out.splitlines():
        if line[0].isdigit():
            size, kind, *numbers = line.split(",")
            rows.setdefault((size, kind), []).append([int(number) for number in numbers])
    assert (client.returncode, server.wait(30)) == (0, 0)
    return rows, out


@pytest.mark.parametrize("kind", [("--measure", "latency"), ("--until-stable", "50"), ("--verify",), ()])
def test_the_client_prints_the_cpu_time_of_both_ends_for_each_size(start: Start, kind: tuple[str, ...]) -> None:
    rows, _ = measured(start, "--sizes", "64@2000/10,4K@20/2000", "--wait", "event", *kind)
    names = [f"{end}_{kind}" for end in ("client", "server") for kind in ("processor", "kernel")]
    assert [key for key in rows if key[1] in names] == [(size, name) for size in ("64", "4096") for name in names]
    for size, end in ((size, end) for size in ("64", "4096") for end in ("client", "server")):
        (whole,), (kernel,) = rows[size, f"{end}_processor"], rows[size, f"{end}_kernel"]
        assert whole[:3] == kernel[:3] == [0, whole[1], int(size) * whole[1]] and whole[1] % 20 == 0 < whole[1]
        assert 0 <= kernel[3] <= whole[3] > 0


@pytest.mark.parametrize("number", [("--duration", "1"), ()])
@pytest.mark.parametrize(("wait", "both"), [("poll", ()), ("event", ()), ("yield", ("--both",))])
def test_connections_share_the_messages(
    start: Start, number: tuple[str, ...], wait: str, both: tuple[str, ...]
) -> None:
    rows, _ = measured(start, "--sizes", "1@2001/1,64K@50/1", "--streams", "3", "--wait", wait, *number, *both)
    for size, iterations in (("1", 2001), ("65536", 50)):
        confirmed, completed, shares = rows[size, "confirmed"][0], rows[size, "completed"][0], rows[size, "share"]
        assert [row[0] for row in shares] == [0, 1, 2]
        if not number:
            assert sum(row[1] for row in shares) == confirmed[1] == completed[1] == iterations
        whole = completed if both else confirmed
        assert (number and both) or max(row[3] for row in shares) <= whole[3]
        assert ((size, "back") in rows) == bool(both)


@pytest.mark.parametrize("number", [("--duration", "1", "--streams", "4"), ()])
def test_both_ends_send_more_than_their_sockets_hold(start: Start, number: tuple[str, ...]) -> None:
    rows, _ = measured(start, "--sizes", "3@4000/10,16M@20/1", "--both", "--wait", "event", *number)
    for size, iterations in (("3", 4000), (str(16 << 20), 20)):
        (confirmed,), (completed,), (back,) = (rows[size, kind] for kind in ("confirmed", "completed", "back"))
        assert number or back[1] == completed[1] == confirmed[1] == iterations
        assert back[2] == int(size) * back[1] > 0 < back[3] and completed[1] > 0
        assert rows[size, "window"][-1][1:] == completed[1:]


def test_a_size_lasts_for_its_duration(start: Start) -> None:
    rows, out = measured(start, "--sizes", "64@40/4,4K", "--duration", "1")
    for size in ("64", "4096"):
        (completed,), (confirmed,) = rows[size, "completed"], rows[size, "confirmed"]
        assert completed[1] < confirmed[1] and 10**9 <= confirmed[3] > completed[3]
        assert rows[size, "window"][-1][1:] == completed[1:]
        assert f"# size_bytes={size} iterations={confirmed[1]} " in out


def test_round_trips_go_on_for_a_duration(start: Start) -> None:
    """Without TCP_NODELAY too: a control message between rounds that waited for a delayed acknowledgement, 40 ms, would
    leave 12 samples."""
    rows, _ = measured(start, "--sizes", "64@40/4,4K", "--duration", "1", "--measure", "latency", "--wait", "event")
    for size in ("64", "4096"):
        trips, whole = rows[size, "round_trip"], rows[size, "client_processor"][0]
        assert 100 < len(trips) < whole[1] and all(trip[1] == 1 for trip in trips)
        assert sum(trip[3] for trip in trips[:-1]) < 0.6 * 10**9  # the last one may end later on a busy computer


def test_a_size_lasts_for_the_least_time(start: Start) -> None:
    rows, out = measured(start, "--sizes", "64@40/4", "--least-time", "1")
    (confirmed,) = rows["64", "confirmed"]
    assert confirmed[3] >= 10**9 and confirmed[1] % 40 == 0
    assert f"# size_bytes=64 iterations={confirmed[1]} asked=40 sample_every=1 warmup=4 " in out
