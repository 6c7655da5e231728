"""mpi-pingpong under this computer's own mpirun: mpi_{calls,exchange,options}.c."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(ROOT / ".cache" / "bench" / "mpi-pingpong")
SLOW = str(ROOT / ".cache" / "bench" / "slow-mpi-pingpong")
LAUNCHER = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
NEEDED = 6 << 30
TRIES = 5
Done = subprocess.CompletedProcess[str]
Ranks = Callable[..., Done]


def memory() -> int:
    """What could be had without swapping, in bytes."""
    words = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(words["MemAvailable"].split()[0]) << 10


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    """Run two ranks, or as many as are given options of their own."""
    subprocess.run(["make", "-s", "-C", "code/bench"], cwd=ROOT, check=True)

    def run(*options: str, apart: tuple[str, ...] = (), first: tuple[str, ...] = (PROGRAM,), count: int = 2) -> Done:
        command = ["-np", str(count), *first, *options]
        if apart:
            command = ["-np", "1", *first, *options, ":", "-np", "1", PROGRAM, *apart]
        return subprocess.run([*LAUNCHER, *command], capture_output=True, text=True, check=False, timeout=300)

    return run


def kinds(done: Done) -> list[tuple[str, str]]:
    rows = [line.split(",") for line in done.stdout.splitlines() if line[0].isdigit()]
    assert done.stdout.endswith(f"# end rows={len(rows)}\n"), done.stderr
    return [(row[0], row[1]) for row in rows if not row[1].startswith(("client_", "server_"))]


@pytest.mark.parametrize("calls", ["blocking", "non-blocking"])
def test_every_byte_lands_where_it_should_whole_or_in_pieces(ranks: Ranks, calls: str) -> None:
    verified = ("--verify", "--calls", calls, "--sizes", "1..64K*256@5/2,70001@3/1", "--bytes-per-call", "30000")
    there_and_back = ranks(*verified)
    assert (
        kinds(there_and_back)
        == [(size, "round_trip") for size in ["1"] * 5 + ["256"] * 5 + ["65536"] * 5] + [("70001", "round_trip")] * 3
    )
    assert "# size_bytes=70001 iterations=3 asked=3 sample_every=1 warmup=1 operations=3\n" in there_and_back.stdout
    one_way = kinds(ranks(*verified, "--mode", "one-way"))
    assert one_way.count(("70001", "send")) == one_way.count(("70001", "receive")) == 3


@pytest.mark.parametrize("mode", ["ping-pong", "one-way"])
def test_both_ranks_processor_times_of_each_size_are_there_without_the_warm_up(ranks: Ranks, mode: str) -> None:
    """A rank spins while the other one has no processor, so that beside other work a few messages can take long."""

    def times() -> tuple[list[int], list[int]]:
        done = ranks("--sizes", "1@20000/0,2@20/20000", "--mode", mode)
        rows = [line.split(",") for line in done.stdout.splitlines() if re.match(r"\d+,(client|server)_", line)]
        names = [f"{end}_{kind}" for end in ("client", "server") for kind in ("processor", "kernel")]
        assert [row[1] for row in rows] == 2 * names and {row[3] for row in rows} == {"20000", "20"}
        many, few = ([int(row[5]) for row in half] for half in (rows[:4], rows[4:]))
        assert all(0 <= many[end + 1] <= many[end] and few[end] > 0 for end in (0, 2))
        return many, few

    tries = (times() for _ in range(TRIES))
    assert any(all(few[end] < many[end] / 10 for end in (0, 2)) for many, few in tries)


@pytest.mark.parametrize("verify", [(), ("--verify",)])
def test_one_way_no_processor_time_holds_a_barrier(ranks: Ranks, verify: tuple[str, ...]) -> None:
    """In this program nothing but barriers takes any."""
    subprocess.run(["make", "-s", "-C", "code/bench", "slow"], cwd=ROOT, check=True)
    done = ranks("--sizes", "1@20/0", "--mode", "one-way", *verify, first=(SLOW,))
    assert re.findall(r"(client|server)_processor,0,20,20,(\d+)\n", done.stdout) == [("client", "0"), ("server", "0")]


def test_the_record_says_how_much_a_call_carries(ranks: Ranks) -> None:
    done = ranks("--sizes", "1@1/0")
    assert "# bytes-per-call=2147483647\n" in done.stdout and "# library=Open MPI" in done.stdout


@pytest.mark.skipif(memory() < NEEDED, reason=f"two buffers of 2 GiB want {NEEDED >> 30} GiB of free memory")
def test_a_message_beyond_what_an_int_counts_goes_in_two_calls_and_arrives(ranks: Ranks) -> None:
    """Over shared memory, one way and with every byte checked: a buffer of the size at each rank."""
    size = str(2**31 + 5)
    done = ranks("--mode", "one-way", "--verify", "--sizes", f"{size}@1/0", "--deadline", "50")
    assert kinds(done) == [(size, "send"), (size, "receive")]
    assert f"# size_bytes={size} iterations=1 asked=1 sample_every=1 warmup=0 operations=2\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--mode", "both"), "--mode both: expected ping-pong|one-way"),
        (("--calls", "loud"), "--calls loud: expected blocking|non-blocking"),
        (("--bytes-per-call", "0"), "between 1 and 2147483647"),
        (("--bytes-per-call", "2147483648"), "between 1 and 2147483647"),
        (("--sizes", "0"), "--sizes"),
        (("--sizes", "1@2000000000000"), "at most 1000000000000 iterations"),
        (("--least-time", "1", "--verify"), "--least-time: not with --verify"),
        (("--iterations", "0"), "at least one message is needed"),
        (("--deadline", "0"), "between 1 and 86400 seconds"),
        (("--port", "1"), "that option is not known here"),
        (("10.0.0.2",), "unexpected argument '10.0.0.2'"),
    ],
)
def test_what_cannot_be_is_refused_before_mpi_starts(options: tuple[str, ...], sentence: str) -> None:
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr and "see mpi-pingpong --help" in done.stderr


@pytest.mark.parametrize(("mode", "samples"), [("ping-pong", ("round_trip",)), ("one-way", ("send", "receive"))])
def test_a_size_lasts_for_the_least_time_with_no_more_samples_than_asked(
    ranks: Ranks, mode: str, samples: tuple[str, ...]
) -> None:
    started = time.monotonic()
    done = ranks("--sizes", "64@20/0", "--least-time", "1", "--mode", mode)
    assert time.monotonic() - started >= 1
    assert Counter(kinds(done)) == dict.fromkeys((("64", sample) for sample in samples), 20)
    (size,) = re.findall(r"# size_bytes=64 iterations=(\d+) asked=20 sample_every=(\d+) ", done.stdout)
    assert int(size[0]) == 20 * int(size[1]) > 20


def test_ranks_with_different_options_do_not_measure(ranks: Ranks) -> None:
    done = ranks("--sizes", "1@1/0", apart=("--sizes", "2@1/0"))
    assert done.returncode == 1 and "# end" not in done.stdout
    assert "the ranks have different options" in done.stderr


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_two_ranks(ranks: Ranks, count: int) -> None:
    done = ranks("--sizes", "1@1/0", count=count)
    assert done.returncode == 1 and f"there must be 2 ranks, not {count}" in done.stderr


def test_a_rank_killed_in_the_middle_ends_the_job(ranks: Ranks) -> None:
    killed = ("sh", "-c", f'{PROGRAM} "$@" & sleep 1; kill -KILL $!; wait $!', "sh")
    endless = ("--sizes", "64@100000000/0", "--deadline", "8")
    done = ranks(*endless, apart=endless, first=killed)
    assert done.returncode != 0 and "# end" not in done.stdout
    assert "no progress" not in done.stderr  # it did not take the deadline


def test_a_rank_that_is_stopped_is_a_sentence_within_the_deadline(ranks: Ranks) -> None:
    stopped = ("sh", "-c", f'{PROGRAM} "$@" & sleep 1; kill -STOP $!; wait $!', "sh")
    endless = ("--sizes", "64@100000000/0", "--deadline", "2")
    done = ranks(*endless, apart=endless, first=stopped)
    assert done.returncode == 1, done.stderr
    # On a busy computer it is stopped before it has begun.
    assert re.search("no progress for 2 s while (measuring 64 bytes|waiting for the other rank)", done.stderr)
