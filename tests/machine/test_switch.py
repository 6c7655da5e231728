"""Several VMs behind a switch: programs on all of them at once, a queue that drops frames, and every way to fail."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import md5
from pathlib import Path

import pytest
from tests.machine.test_as_they_are import measured

from lab.compiler import build
from lab.machine import fork_server, link, results
from lab.machine.qemu import MachineError, path_of
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.places import EXAMPLES, EXPERIMENTS
from lab.records.record import Record
from lab.sites.exact import ExactSite
from lab.sites.site import silent

# Far apart, so that the machines seldom wait for each other: each cable takes 10 us.
LINK = Link(mtu=1500, rate_bit_s=10**9, delay_ns=8000, computers=3)
ETHERNET = "mtu = 1500\nrate_bit_s = 1_000_000_000 # of each computer's cable"  # in ring.toml
QUEUE = "queue_bytes = 65536"
CARD = 'card = "qdr"'
SHALLOW = replace(LINK, queue_bytes=65536)
SIZE = 1 << 20  # that each sends
# A sender prints how many segments it sent again; the receiver, rank 1, a digest for each sender.
SEND = """
yes {0} | head -c {1} >/tmp/data
until nc 10.0.0.2 700{0} </tmp/data; do :; done
awk '/^Tcp:/ {{ again = $13 }} END {{ print again }}' /proc/net/snmp
"""
RECEIVE = """
cd /tmp; mkfifo open; exec 9<>open # nc ends at the end of its input
for number in {0}; do nc -l -p 700$number <&9 | md5sum >got.$number & done
wait; cat {1}
"""


def together(exact: ExactSite, model: Link, *commands: str) -> Outcome:
    """Run a shell command on each computer until all have ended; rank 0 is the client."""
    ranks = tuple(("sh", "-c", command) for command in commands)
    job = Job((Step((), ranks[0], 0, ranks=ranks),), model, Perturbation(), deadline_s=20)
    return replace(exact.run(job), host_seconds=0.0)


def incast(exact: ExactSite, model: Link) -> Outcome:
    senders = [rank for rank in range(model.computers) if rank != 1]
    commands = [SEND.format(rank, SIZE) for rank in range(model.computers)]
    commands[1] = RECEIVE.format(" ".join(map(str, senders)), " ".join(f"got.{rank}" for rank in senders))
    outcome = together(exact, model, *commands)
    (step,) = outcome.steps
    assert (step.client_status, step.server_status) == (0, 0), step
    received = re.findall("^rank 1: ([0-9a-f]{32})", step.server_out, re.MULTILINE)
    assert received == [md5((f"{rank}\n".encode() * SIZE)[:SIZE]).hexdigest() for rank in senders]
    return outcome


def dropped(outcome: Outcome) -> list[int]:
    """By the queue of each computer."""
    counts = (outcome.counters_after[f"{f'rank{rank}.' if rank else ''}link1.dropped"] for rank in range(3))
    return list(counts)


@pytest.fixture(scope="module")
def shallow(exact: ExactSite) -> Outcome:
    return incast(exact, SHALLOW)


def test_all_data_arrives_although_the_receivers_queue_drops_frames(shallow: Outcome) -> None:
    (step,) = shallow.steps
    sent_again = int(step.client_out) + int(re.findall(r"^rank 2: (\d+)$", step.server_out, re.MULTILINE)[0])
    one, receiver, three = dropped(shallow)
    assert one == three == 0 < receiver <= sent_again


def test_second_run_leaves_the_same_bytes(exact: ExactSite, shallow: Outcome) -> None:
    assert incast(exact, SHALLOW) == shallow


@pytest.mark.release
def test_deep_queue_drops_no_frame_of_three_senders(exact: ExactSite) -> None:
    assert dropped(incast(exact, replace(LINK, computers=4))) == [0, 0, 0]


def test_both_networks_connect_all_computers(exact: ExactSite) -> None:
    ping = "ping -c 1 10.0.0.{0} && ping -c 1 192.168.7.{0} && ping -c 1 fd00::{0}; sleep 1"
    outcome = together(exact, replace(LINK, rate_bit_s=None), *(ping.format(number) for number in (3, 1, 2)))
    (step,) = outcome.steps
    assert [text.count(" 0% packet loss") for text in (step.client_out, step.server_out)] == [3, 6]
    for prefix in ("", "rank1.", "rank2."):
        assert outcome.counters_after[f"{prefix}link0.frames"] > 1 < outcome.counters_after[f"{prefix}side0.frames"]


@pytest.mark.parametrize("series", [pytest.param("ring", marks=pytest.mark.release), "mpi"])
def test_programs_of_four_computers_reduce_over_tcp(exact: ExactSite, series: str) -> None:
    record = measured(exact, "ring", series)
    ns = {each.size_bytes: each.time_ns for each in record.samples}
    assert sorted(ns) == [1 << 10, 1 << 14, 1 << 18]
    least_ns = 2 * 3 / 4 * (1 << 18) * 8  # all but a fourth of the vector leaves each computer twice, at 1 bit/ns
    assert least_ns < ns[1 << 18] < 3 * least_ns


@pytest.mark.parametrize(
    ("series", "computers"),
    [pytest.param("rendezvous.two", 3, marks=pytest.mark.release), ("pipelined.two", 3), ("eager.two", 2)],
)
def test_ring_of_queue_pairs_adds_up_vectors_of_any_length(
    exact: ExactSite, tmp_path: Path, series: str, computers: int
) -> None:
    """Each computer checks each number of sums of 1, 251 and 50,003, which neither two nor three divides."""
    shutil.copytree(EXPERIMENTS / "all_reduce" / "program", tmp_path / "all_reduce" / "program")
    text = (EXPERIMENTS / "all_reduce.toml").read_text()
    for old, new in (("computers = 2", f"computers = {computers}"), ("256..1M*4", "4,1004,200012")):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "some.toml").write_text(text)
    ns = {each.size_bytes: each.time_ns for each in measured(exact, tmp_path / "some.toml", series).samples}
    assert sorted(ns) == [4, 1004, 200_012]
    least_ns = 2 * (computers - 1) / computers * 200_012 / 4  # 32 bit/ns
    assert least_ns < ns[200_012] < 10 * least_ns


def of_plain_verbs(tmp_path: Path, script: str, words: str, sizes: str, link: str) -> Path:
    """The experiment of four computers that start a shell script beside `plain`; the computer of rank 0 prints results
    for Verbyte."""
    shutil.copytree(EXAMPLES / "plain_verbs" / "program", tmp_path / "program")
    (tmp_path / "program" / "each.sh").write_text(f"plain=${{0%/*}}/plain\n{script}")
    (tmp_path / "program" / "each.sh").chmod(0o755)
    text = (EXAMPLES / "ring.toml").read_text()
    text = re.sub(r'\n\[programs\.mpi\].*?\n\n|\n\[\[series\]\]\nname = "mpi".*', "\n", text, flags=re.DOTALL)
    for old, new in (
        ("ring/program", "program"),
        ('build = "gcc -O2 -o ring ring.c"', 'build = "make -s"\nrdma = true'),
        ('["ring"]', '["plain", "each.sh"]'),
        ('"ring -myindex {rank} -list {addresses}"', f'"each.sh {{rank}} {{device}} {words}"'),
        ("1K,16K,256K", sizes),
        (ETHERNET, link.partition("\n")[0]),
        (QUEUE, link.partition("\n")[2] or QUEUE),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "plain.toml").write_text(text)
    return tmp_path / "plain.toml"


@pytest.mark.parametrize("wire", [pytest.param("mtu = 4200", marks=pytest.mark.release), CARD])
def test_every_two_of_four_computers_connect_over_rdma(exact: ExactSite, tmp_path: Path, wire: str) -> None:
    """Ranks 3 and 2 are server and client of a program for two, once for each size, and rank 0 prints what it must."""
    script = (
        'words="--port $4 --size $5 --iterations 20 --warmup 1"\n'
        "case $1 in 3) exec $plain --server 1 --device $2 $words $3 ;; "
        "2) until $plain --device $2 $words $3; do :; done ;; 0) echo $5 1 ms ;; esac\n"
    )
    record = measured(exact, of_plain_verbs(tmp_path, script, "{address:3} {port} {size}", "4K,8K", wire))
    sizes = re.findall(r"^rank 2: (\d+) [\d.]+ \S+$", record.server_log, re.MULTILINE)
    assert sorted(sizes) == ["4096", "8192"] and len(record.samples) == 2
    before, counted = record.facts.measured.counters_before, record.facts.measured.counters_after
    by_kernel = counted["rank3.rxe0.rcvd_pkts"] - before["rank3.rxe0.rcvd_pkts"]
    assert by_kernel == 0 if wire == CARD else by_kernel >= 20 * 3
    assert counted["rank3.link1.bytes"] > 20 * 4096 > counted["rank1.link1.bytes"]


INCAST_QUEUE = 131072
AT_ONCE = "struct timespec t = { (long)seconds() + 1, 0 }; clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);"
# Each of three computers writes messages to rank 0, all at the start of a second; the servers end with their clients.
INCAST = """
words='--size 524288 --iterations 4 --warmup 0'
[ $1 = 0 ] || { until $plain --device $2 --port 1880$1 $words $3; do :; done; exit; }
for rank in 1 2 3; do $plain --server 1 --device $2 --port 1880$rank $words $3 & done
wait && echo 524288 1 ms
"""


def assert_frames_are_conserved(counted: dict[str, int]) -> None:
    """A frame to all computers is sent to three of them: two more than came."""
    sent, carried, dropped = (
        sum(counted[f"{rank}{name}"] for rank in ("", "rank1.", "rank2.", "rank3."))
        for name in ("link0.frames", "link1.frames", "link1.dropped")
    )
    assert carried + dropped >= sent and (carried + dropped - sent) % 2 == 0


def rdma_incast(exact: ExactSite, tmp_path: Path, flow_control: str) -> dict[str, int]:
    link = f"{CARD}\nqueue_bytes = {INCAST_QUEUE}\n{flow_control}"
    experiment = of_plain_verbs(tmp_path, INCAST, "{address:0}", "512K", link)
    source = tmp_path / "program" / "plain.c"
    source.write_text(source.read_text().replace("start = seconds();", f"{AT_ONCE} start = seconds();"))
    record = measured(exact, experiment)
    assert len(re.findall(r"^rank [123]: 524288 [\d.]+ \S+$", record.server_log, re.MULTILINE)) == 3
    counted = record.facts.measured.counters_after
    assert_frames_are_conserved(counted)
    assert counted["queue.most_bytes"] <= INCAST_QUEUE
    return counted


SENDERS, BLOCK, SHALLOW_BYTES = 3, 65536, 65536


def incast_of(exact: ExactSite, folder: Path, series: str, senders: int) -> Record:
    """A series of incast.toml with one number of senders, in four rounds and one before them."""
    shutil.copytree(EXPERIMENTS / "incast", folder / "incast")
    text = (EXPERIMENTS / "incast.toml").read_text()
    for old, new in (
        ("computers = 9", f"computers = {senders + 1}"),
        ("300_000", str(SHALLOW_BYTES)),
        ("iterations = 16", "iterations = 4"),
        ("[1, 2, 4, 6, 8]", f"[{senders}]"),
    ):
        assert old in text
        text = text.replace(old, new)
    head, *rest = text.split("[[series]]\n")
    (chosen,) = (each for each in rest if each.startswith(f'name = "{series}"'))
    (folder / "incast.toml").write_text(f"{head}[[series]]\n{chosen}")
    return measured(exact, folder / "incast.toml")


def test_card_sends_again_what_the_queue_of_the_switch_drops(exact: ExactSite, tmp_path: Path) -> None:
    first, second = (incast_of(exact, tmp_path / name, "quick", SENDERS) for name in ("first", "second"))
    assert (first.facts.measured, first.samples) == (second.facts.measured, second.samples)
    counted = first.facts.measured.counters_after
    assert_frames_are_conserved(counted)
    assert counted["link1.dropped"] > 0 and counted["link1.bytes"] > 5 * SENDERS * BLOCK
    assert SHALLOW_BYTES - 8192 < counted["queue.most_bytes"] <= SHALLOW_BYTES
    (sample,) = first.samples
    assert sample.time_ns > SENDERS * BLOCK * 0.8  # ns of a byte at 10 Gbit/s


def test_link_without_congestion_has_the_same_times_and_counters_with_ecn(exact: ExactSite, tmp_path: Path) -> None:
    without, with_ecn = (incast_of(exact, tmp_path / series, series, 1) for series in ("quick", "ecn"))
    more = {"queue.marks": 0, "card.notified": 0, "card.lowest_bit_s": 10_000_000_000}
    of_both = {f"{rank}{name}": value for rank in ("", "rank1.") for name, value in more.items()}
    assert with_ecn.samples == without.samples
    assert with_ecn.facts.measured.counters_after == without.facts.measured.counters_after | of_both


def test_no_packet_is_lost_with_flow_control_and_its_depth_is_recorded(exact: ExactSite, tmp_path: Path) -> None:
    counted = rdma_incast(exact, tmp_path, "pfc = true")
    assert [counted[f"{prefix}link1.dropped"] for prefix in ("", "rank1.", "rank2.", "rank3.")] == [0] * 4
    assert all(counted[f"rank{rank}.queue.pauses"] > 1 for rank in (1, 2, 3)) and counted["queue.pauses"] == 0
    depths = {
        int(name.rpartition("_")[2]): count for name, count in counted.items() if name.startswith("queue.bytes_at")
    }
    assert max(depths.values()) == counted["queue.most_bytes"] <= INCAST_QUEUE // 2
    assert len(depths) > 20 and {at % 1024 for at in depths} == {0}


def test_cards_slow_down_before_a_queue_that_marks_is_full(exact: ExactSite, tmp_path: Path) -> None:
    counted = rdma_incast(exact, tmp_path, "ecn = true\npfc = true")
    assert counted["link1.dropped"] == 0 < counted["queue.marks"] and counted["card.notified"] == 0
    senders = [(counted[f"rank{rank}.card.notified"], counted[f"rank{rank}.card.lowest_bit_s"]) for rank in (1, 2, 3)]
    assert all(notified > 1 and lowest <= 16_000_000_000 for notified, lowest in senders), senders  # half of the link's
    assert sum(counted[f"rank{rank}.queue.pauses"] for rank in (1, 2, 3)) < 100  # 382 without ecn


def test_computer_that_powers_off_ends_all_and_is_named(exact: ExactSite) -> None:
    with pytest.raises(MachineError, match="went off without results") as caught:
        together(exact, LINK, "sleep 15", "sleep 15", "poweroff -f")
    assert caught.value.where == "the computer of rank 2"


def test_computer_whose_program_waits_forever_ends_at_the_deadline(exact: ExactSite) -> None:
    (step,) = together(exact, LINK, "true", "true", "nc -l -p 7000").steps
    assert (step.client_status, step.server_status) == (0, 124)


@contextmanager
def shared_files() -> Iterator[tuple[int, int]]:
    with link.shared_file() as one, link.shared_file() as other:
        yield one, other


def test_log_has_the_frames_of_rank_0_and_is_bounded(
    exact: ExactSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [("sh", "-c", "nc 10.0.0.1 7000 </dev/null || ping -c 4 10.0.0.1")] * 3
    job = Job((Step((), commands[0], 0, ranks=tuple(commands)),), LINK, Perturbation(), deadline_s=20)
    outcome = exact.run_watched(job, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["client.pcapng"]
    outgoing = sum(frame.goes_out for frame in results.read(tmp_path / "client.pcapng"))
    assert 8 <= outgoing == outcome.counters_after["link0.frames"]
    monkeypatch.setattr(fork_server, "LOG_MOST_BYTES", 1 << 10)
    with pytest.raises(MachineError, match="more frames crossed the link than its log holds"):
        exact.run_watched(job, tmp_path)


def test_switch_that_cannot_fork_ends_all_machines(exact: ExactSite) -> None:
    program = build.built_switch(exact.machine, exact.cache, silent)
    with tempfile.TemporaryDirectory() as name, shared_files() as files:
        library, source = Path(name) / "nofork.so", "#include <errno.h>\nint fork(void) { errno = EAGAIN; return -1; }"
        command = ("gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-")
        subprocess.run(command, input=source, text=True, check=True)
        done = subprocess.run(
            ["/lib64/ld-linux-x86-64.so.2", program, "latency=1000", *map(path_of, files)],
            pass_fds=files,
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        reasons = [os.pread(shared, link.END_BYTES, link.END_BYTES)[8:] for shared in files]
    assert (done.returncode, done.stderr) == (1, "switch: fork: Resource temporarily unavailable\n")
    assert all(reason.startswith(b"the switch ended by itself") for reason in reasons)
