"""Two programs on loopback, as a person starts them: tcp_{bytes,client,control,server,windows}.c, program.c, door.c."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".cache" / "bench"
MEMORY = 100_000_000
CLOCK = os.sysconf("SC_CLK_TCK")
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start one end, with no more than some memory; what still runs at the end is killed."""
    subprocess.run(["make", "-s", "-C", "code/bench"], cwd=ROOT, check=True)
    started: list[subprocess.Popen[str]] = []

    def run(role: str, *options: str, closed: str = "") -> subprocess.Popen[str]:
        line = f'ulimit -v {MEMORY >> 10}; exec "$0" "$@" {closed}'
        command = ["sh", "-c", line, str(PROGRAMS / f"tcp-{role}"), *options]
        started.append(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={"LAB_TOKEN": "t"},
            )
        )
        return started[-1]

    yield run
    for each in started:
        each.kill()
        each.communicate()


@pytest.fixture
def port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def until(true: Callable[[], bool]) -> None:
    for _ in range(3000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 30 s")


def listens(port: str) -> bool:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return any(line.split()[1].endswith(f":{int(port):04X}") and line.split()[3] == "0A" for line in lines)


def processor_s(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK


@pytest.mark.parametrize("measure", ["throughput", "latency"])
def test_three_billion_messages_are_under_way_within_100_mb(start: Start, port: str, measure: str) -> None:
    many = ("--sizes", "1@3000000000/0", "--port", port, "--measure", measure)
    server = start("server", *many)
    until(lambda: listens(port))
    client = start("client", *many, "127.0.0.1")
    until(lambda: min(processor_s(server), processor_s(client)) > 0.2 or client.poll() is not None)
    assert (server.poll(), client.poll()) == (None, None)


def test_with_stdout_closed_a_client_says_so_before_it_measures(start: Start, port: str) -> None:
    short = ("--sizes", "64@40/0", "--port", port)
    server = start("server", *short)
    until(lambda: listens(port))
    client = start("client", *short, "127.0.0.1", closed=">&-")
    assert "can't write the samples: Bad file descriptor" in client.communicate(timeout=300)[1]
    assert client.returncode == 1
    assert server.communicate(timeout=300)[0] == "" and server.returncode == 1


def test_a_server_with_stdout_closed_serves(start: Start, port: str) -> None:
    short = ("--sizes", "64@40/0", "--port", port)
    server = start("server", *short, closed="<&- >&-")
    until(lambda: listens(port))
    client = start("client", *short, "localhost")
    rows, end = client.communicate(timeout=300)[0].rsplit("# end rows=", 1)
    assert len([line for line in rows.splitlines() if line[0].isdigit()]) == int(end) >= 3
    assert server.wait(30) == 0


@pytest.mark.parametrize("kind", [("--measure", "latency"), ("--until-stable", "50"), ("--verify",), ()])
def test_what_a_size_took_of_both_ends_processors_comes_to_the_client(
    start: Start, port: str, kind: tuple[str]
) -> None:
    sizes = ("--sizes", "64@2000/10,4K@20/2000", "--port", port, "--wait", "event", *kind)
    server = start("server", *sizes)
    until(lambda: listens(port))
    out = start("client", *sizes, "127.0.0.1").communicate(timeout=300)[0]
    rows = [line.split(",") for line in out.splitlines() if re.match(r"\d+,(client|server)_", line)]
    names = [f"{end}_{kind}" for end in ("client", "server") for kind in ("processor", "kernel")]
    assert [row[:3] for row in rows] == [[size, name, "0"] for size in ("64", "4096") for name in names]
    assert all(int(row[3]) % 20 == 0 < int(row[3]) and int(row[4]) == int(row[0]) * int(row[3]) for row in rows)
    for whole, kernel in zip(rows[::2], rows[1::2], strict=True):
        assert 0 <= int(kernel[5]) <= int(whole[5]) > 0 and whole[3] == kernel[3]
    assert server.wait(30) == 0


def test_a_size_lasts_for_the_least_time(start: Start, port: str) -> None:
    short = ("--sizes", "64@40/4", "--port", port, "--least-time", "1")
    server = start("server", *short)
    until(lambda: listens(port))
    out = start("client", *short, "127.0.0.1").communicate(timeout=300)[0]
    (confirmed,) = (line.split(",") for line in out.splitlines() if line.startswith("64,confirmed,"))
    assert int(confirmed[5]) >= 10**9 and int(confirmed[3]) % 40 == 0
    assert f"# size_bytes=64 iterations={confirmed[3]} asked=40 sample_every=1 warmup=4 " in out
    assert server.wait(30) == 0
