"""mpi-pingpong under the host's mpirun: mpi_{calls,exchange,options,pingpong}.c."""

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
ENDLESS = ("--sizes", "64@100000000/0", "--deadline")
Done = subprocess.CompletedProcess[str]
Ranks = Callable[..., Done]


def available_bytes() -> int:
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) << 10


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    """Run some ranks, or two where the second one has other options; `first` is the command of the first."""
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
def test_messages_arrive_intact_whole_or_in_pieces(ranks: Ranks, calls: str) -> None:
    verified = ("--verify", "--calls", calls, "--sizes", "1..64K*256@5/2,70001@3/1", "--bytes-per-call", "30000")
    both_ways = ranks(*verified)
    sizes = ["1"] * 5 + ["256"] * 5 + ["65536"] * 5 + ["70001"] * 3
    assert kinds(both_ways) == [(size, "round_trip") for size in sizes]
    assert "# size_bytes=70001 iterations=3 asked=3 sample_every=1 warmup=1 operations=3\n" in both_ways.stdout
    one_way = kinds(ranks(*verified, "--mode", "one-way"))
    assert one_way.count(("70001", "send")) == one_way.count(("70001", "receive")) == 3


@pytest.mark.parametrize(("mode", "samples"), [("ping-pong", ("round_trip",)), ("one-way", ("send", "receive"))])
def test_messages_go_on_for_a_duration(ranks: Ranks, mode: str, samples: tuple[str, ...]) -> None:
    done = ranks("--sizes", "64@40/4", "--duration", "1", "--mode", mode)
    numbers = Counter(kinds(done))
    (number,) = {numbers.pop(("64", sample)) for sample in samples}
    (all_messages,) = map(int, re.findall(r"64 iterations=(\d+) asked=40 sample_every=1", done.stdout))
    assert not numbers and 0 < number < all_messages


@pytest.mark.parametrize("mode", ["ping-pong", "one-way"])
def test_the_cpu_times_of_both_ranks_do_not_include_the_warm_up(ranks: Ranks, mode: str) -> None:
    """A rank spins while the other has no CPU, so that beside other work a few messages can take long: some tries."""

    def times() -> tuple[list[int], list[int]]:
        done = ranks("--sizes", "1@2000/0,2@20/2000", "--mode", mode)
        rows = [line.split(",") for line in done.stdout.splitlines() if re.match(r"\d+,(client|server)_", line)]
        names = [f"{end}_{kind}" for end in ("client", "server") for kind in ("processor", "kernel")]
        assert [row[1] for row in rows] == 2 * names and {row[3] for row in rows} == {"2000", "20"}
        many, few = ([int(row[5]) for row in half] for half in (rows[:4], rows[4:]))
        assert all(0 <= many[end + 1] <= many[end] and few[end] > 0 for end in (0, 2))
        return many, few

    tries = (times() for _ in range(TRIES))
    assert any(all(few[end] < many[end] / 10 for end in (0, 2)) for many, few in tries)


def test_one_way_no_cpu_time_includes_a_barrier(ranks: Ranks) -> None:
    """In this program only barriers take CPU time. One test for both, so that two workers never link it at once."""
    subprocess.run(["make", "-s", "-C", "code/bench", "slow"], cwd=ROOT, check=True)
    for verify in ((), ("--verify",)):
        done = ranks("--sizes", "1@20/0", "--mode", "one-way", *verify, first=(SLOW,))
        times = re.findall(r"(client|server)_processor,0,20,20,(\d+)\n", done.stdout)
        assert times == [("client", "0"), ("server", "0")], done.stderr


def test_the_output_names_the_library_and_the_bytes_per_call(ranks: Ranks) -> None:
    done = ranks("--sizes", "1@1/0")
    assert "# bytes-per-call=2147483647\n" in done.stdout and "# library=Open MPI" in done.stdout


@pytest.mark.release
@pytest.mark.skipif(available_bytes() < NEEDED, reason=f"two buffers of 2 GiB need {NEEDED >> 30} GiB of free memory")
def test_a_message_of_more_than_2_gib_is_sent_in_two_calls(ranks: Ranks) -> None:
    size = str(2**31 + 5)
    done = ranks("--mode", "one-way", "--verify", "--sizes", f"{size}@1/0", "--deadline", "50")
    assert kinds(done) == [(size, "send"), (size, "receive")]
    assert f"# size_bytes={size} iterations=1 asked=1 sample_every=1 warmup=0 operations=2\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "error"),
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
        (("--port", "1"), "unknown option, or an option without its value"),
        (("10.0.0.2",), "unexpected argument '10.0.0.2'"),
    ],
)
def test_invalid_options_are_refused_before_mpi_starts(options: tuple[str, ...], error: str) -> None:
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr and "see mpi-pingpong --help" in done.stderr


@pytest.mark.parametrize(("mode", "samples"), [("ping-pong", ("round_trip",)), ("one-way", ("send", "receive"))])
def test_a_size_lasts_for_the_least_time_with_as_many_samples_as_asked(
    ranks: Ranks, mode: str, samples: tuple[str, ...]
) -> None:
    started = time.monotonic()
    done = ranks("--sizes", "64@2/0", "--least-time", "1", "--mode", mode)
    assert time.monotonic() - started >= 1
    assert Counter(kinds(done)) == dict.fromkeys((("64", sample) for sample in samples), 2)
    (size,) = re.findall(r"# size_bytes=64 iterations=(\d+) asked=2 sample_every=(\d+) ", done.stdout)
    assert int(size[0]) == 2 * int(size[1]) > 2


def test_ranks_with_different_options_do_not_measure(ranks: Ranks) -> None:
    done = ranks("--sizes", "1@1/0", apart=("--sizes", "2@1/0"))
    assert done.returncode == 1 and "# end" not in done.stdout
    assert "the ranks have different options" in done.stderr


@pytest.mark.parametrize("count", [1, 3])
def test_only_two_ranks_can_measure(ranks: Ranks, count: int) -> None:
    done = ranks("--sizes", "1@1/0", count=count)
    assert done.returncode == 1 and f"there must be 2 ranks, not {count}" in done.stderr


def test_a_rank_killed_in_the_middle_ends_the_job(ranks: Ranks) -> None:
    killed = ("sh", "-c", f'{PROGRAM} "$@" & sleep 1; kill -KILL $!; wait $!', "sh")
    done = ranks(*ENDLESS, "8", apart=(*ENDLESS, "8"), first=killed)
    assert done.returncode != 0 and "# end" not in done.stdout
    assert "no progress" not in done.stderr  # before the deadline


def test_a_stopped_rank_is_reported_within_the_deadline(ranks: Ranks) -> None:
    stopped = ("sh", "-c", f'{PROGRAM} "$@" & sleep 1; kill -STOP $!; wait $!', "sh")
    done = ranks(*ENDLESS, "2", apart=(*ENDLESS, "2"), first=stopped)
    assert done.returncode == 1, done.stderr
    # On a busy host it is stopped before it has begun.
    assert re.search("no progress for 2 s while (measuring 64 bytes|waiting for the other rank)", done.stderr)
