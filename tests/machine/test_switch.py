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
from lab.machine import link, results
from lab.machine.qemu import MachineError, path_of
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.places import EXAMPLES, EXPERIMENTS
from lab.sites.exact import ExactSite
from lab.sites.site import silent

# Far apart, so that the machines seldom wait for each other: each cable takes 10 us.
LINK = Link(mtu=1500, rate_bit_s=10**9, delay_ns=8000, computers=3)
ETHERNET = "mtu = 1500\nrate_bit_s = 1_000_000_000 # of each computer's cable"  # in ring.toml
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


def test_all_data_arrives_although_the_receivers_queue_drops_frames(exact: ExactSite) -> None:
    outcome = incast(exact, SHALLOW)
    (step,) = outcome.steps
    sent_again = int(step.client_out) + int(re.findall(r"^rank 2: (\d+)$", step.server_out, re.MULTILINE)[0])
    one, receiver, three = dropped(outcome)
    assert one == three == 0 < receiver <= sent_again


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


@pytest.mark.release
def test_ring_of_four_computers_reduces_over_tcp(exact: ExactSite) -> None:
    ns = {each.size_bytes: each.time_ns for each in measured(exact, "ring", "ring").samples}
    assert sorted(ns) == [1 << 10, 1 << 14, 1 << 18]
    least_ns = 2 * 3 / 4 * (1 << 18) * 8  # all but a fourth of the vector leaves each computer twice, at 1 bit/ns
    assert least_ns < ns[1 << 18] < 3 * least_ns


def changed(file: Path, *changes: tuple[str, str]) -> str:
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("series", "computers", "most"),  # of the ratio to the least time of the largest vector
    [
        pytest.param("rendezvous.two", 3, 10, marks=pytest.mark.release),
        pytest.param("eager.two", 2, 10, marks=pytest.mark.release),
        ("pipelined.two", 3, 10),
        ("tcp.two", 3, 100),
    ],
)
def test_programs_of_several_computers_add_up_vectors_of_any_length(
    exact: ExactSite, tmp_path: Path, series: str, computers: int, most: int
) -> None:
    """Each computer checks each number of sums of 1, 251 and 50,003, which neither two nor three divides."""
    shutil.copytree(EXPERIMENTS / "all_reduce" / "program", tmp_path / "all_reduce" / "program")
    other = (("computers = 2", f"computers = {computers}"), ("256..1M*4", "4,1004,200012"))
    (tmp_path / "some.toml").write_text(changed(EXPERIMENTS / "all_reduce.toml", *other))
    ns = {each.size_bytes: each.time_ns for each in measured(exact, tmp_path / "some.toml", series).samples}
    assert sorted(ns) == [4, 1004, 200_012]
    least_ns = 2 * (computers - 1) / computers * 200_012 / 4  # 32 bit/ns
    assert least_ns < ns[200_012] < most * least_ns


# Ranks 2 and 1 are server and client of a program for two, once for each size, and rank 0 prints what it must.
PAIR = """plain=${0%/*}/plain
words="--port $4 --size $5 --iterations 20 --warmup 1"
case $1 in 2) exec $plain --server 1 --device $2 $words $3 ;;
1) until $plain --device $2 $words $3; do :; done ;; 0) echo $5 1 ms ;; esac
"""


@pytest.mark.parametrize("wire", [pytest.param("mtu = 4200", marks=pytest.mark.release), CARD])
def test_every_two_of_three_computers_connect_over_rdma(exact: ExactSite, tmp_path: Path, wire: str) -> None:
    shutil.copytree(EXAMPLES / "plain_verbs" / "program", tmp_path / "program")
    (tmp_path / "program" / "each.sh").write_text(PAIR)
    (tmp_path / "program" / "each.sh").chmod(0o755)
    text = changed(
        EXAMPLES / "ring.toml",
        ("ring/program", "program"),
        ('build = "gcc -O2 -o ring ring.c"', 'build = "make -s"\nrdma = true'),
        ('["ring"]', '["plain", "each.sh"]'),
        ('"ring -myindex {rank} -list {addresses}"', '"each.sh {rank} {device} {address:2} {port} {size}"'),
        ("1K,16K,256K", "4K,8K"),
        ("computers = 4", "computers = 3"),
        (ETHERNET, wire),
    )
    text = re.sub(r'\n\[programs\.mpi\].*?\n\n|\n\[\[series\]\]\nname = "mpi".*', "\n", text, flags=re.DOTALL)
    (tmp_path / "plain.toml").write_text(text)
    record = measured(exact, tmp_path / "plain.toml")
    sizes = re.findall(r"^rank 1: (\d+) [\d.]+ \S+$", record.server_log, re.MULTILINE)
    assert sorted(sizes) == ["4096", "8192"] and len(record.samples) == 2
    counted, by_kernel = record.facts.measured.counters_after, record.facts.measured.grown["rank2.rxe0.rcvd_pkts"]
    assert by_kernel == 0 if wire == CARD else by_kernel >= 20 * 3
    assert counted["rank2.link1.bytes"] > 20 * 4096 > counted["rank1.link1.bytes"]


BLOCK, SHARE = 65536, 32768  # bytes: that a sender writes, and of a queue for each computer


def incast_of(exact: ExactSite, folder: Path, series: str, senders: int) -> dict[str, int]:
    """The counters of a series of incast.toml with one number of senders, in four rounds and one before them."""
    shutil.copytree(EXPERIMENTS / "incast", folder / "incast")
    text = changed(
        EXPERIMENTS / "incast.toml",
        ("computers = 9", f"computers = {senders + 1}"),
        ("300_000", str(SHARE * (senders + 1))),
        ("iterations = 16", "iterations = 4"),
        ("[1, 2, 4, 6, 8]", f"[{senders}]"),
    )
    (folder / "incast.toml").write_text(text)
    record = measured(exact, folder / "incast.toml", series)
    counted = record.facts.measured.counters_after
    ranks = ["", *(f"rank{rank}." for rank in range(1, senders + 1))]
    sent, carried, dropped = (
        sum(counted[f"{rank}{name}"] for rank in ranks) for name in ("link0.frames", "link1.frames", "link1.dropped")
    )
    assert carried + dropped >= sent  # a frame to all computers is sent to each
    assert counted["queue.most_bytes"] <= SHARE * (senders + 1)
    (sample,) = record.samples
    assert sample.time_ns > senders * BLOCK * 0.8  # ns of a byte at 10 Gbit/s
    return {"time_ns": sample.time_ns, **counted}


def by_sender(counted: dict[str, int], name: str) -> list[int]:
    return [counted[f"rank{rank}.{name}"] for rank in (1, 2)]


def test_card_sends_again_what_the_queue_of_the_switch_drops(exact: ExactSite, tmp_path: Path) -> None:
    first, second = (incast_of(exact, tmp_path / name, "quick", 3) for name in ("first", "second"))
    assert first == second
    assert first["link1.dropped"] > 0 and first["link1.bytes"] > 5 * 3 * BLOCK
    assert first["queue.most_bytes"] > 4 * SHARE - 8192


def test_link_without_congestion_has_the_same_times_and_counters_with_ecn(exact: ExactSite, tmp_path: Path) -> None:
    without, with_ecn = (incast_of(exact, tmp_path / series, series, 1) for series in ("quick", "ecn"))
    more = {"queue.marks": 0, "card.notified": 0, "card.lowest_bit_s": 10_000_000_000}
    assert with_ecn == without | {f"{rank}{name}": value for rank in ("", "rank1.") for name, value in more.items()}


def test_no_packet_is_lost_with_flow_control_and_cards_that_slow_down_pause_less(
    exact: ExactSite, tmp_path: Path
) -> None:
    pfc, both = (incast_of(exact, tmp_path / series, series, 2) for series in ("pfc", "both"))
    for counted in (pfc, both):
        assert counted["link1.dropped"] == counted["queue.pauses"] == 0 == sum(by_sender(counted, "link1.dropped"))
    assert min(by_sender(pfc, "queue.pauses")) > 1
    assert sum(by_sender(both, "queue.pauses")) < sum(by_sender(pfc, "queue.pauses"))
    assert both["queue.marks"] > 0 == both["card.notified"] and min(by_sender(both, "card.notified")) > 1
    assert max(by_sender(both, "card.lowest_bit_s")) <= 5_000_000_000  # half of the link's
    depths = {int(name.rpartition("_")[2]): count for name, count in pfc.items() if name.startswith("queue.bytes_at")}
    assert max(depths.values()) == pfc["queue.most_bytes"] <= 3 * SHARE // 2
    assert len(depths) > 20 and {at % 1024 for at in depths} == {0}


def test_computer_that_powers_off_ends_all_and_is_named(exact: ExactSite, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MachineError, match="went off without results") as caught:
        together(exact, LINK, "sleep 15", "sleep 15", "poweroff -f")
    assert caught.value.where == "the computer of rank 2"
    assert "was killed" not in capfd.readouterr().err


def test_computer_whose_program_waits_forever_ends_at_the_deadline(exact: ExactSite) -> None:
    (step,) = together(exact, LINK, "true", "true", "nc -l -p 7000").steps
    assert (step.client_status, step.server_status) == (0, 124)


@contextmanager
def shared_files() -> Iterator[tuple[int, int]]:
    with link.shared_file() as one, link.shared_file() as other:
        yield one, other


def test_log_has_the_frames_of_rank_0(exact: ExactSite, tmp_path: Path) -> None:
    """It has the bound of test_witness.py."""
    commands = [("sh", "-c", "nc 10.0.0.1 7000 </dev/null || ping -c 4 10.0.0.1")] * 3
    job = Job((Step((), commands[0], 0, ranks=tuple(commands)),), LINK, Perturbation(), deadline_s=20)
    outcome = exact.run_watched(job, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["client.pcapng"]
    outgoing = sum(frame.goes_out for frame in results.read(tmp_path / "client.pcapng"))
    assert 8 <= outgoing == outcome.counters_after["link0.frames"]


def test_switch_that_cannot_fork_ends_all_machines(exact: ExactSite) -> None:
    program = build.card_file(build.SWITCH, exact.machine, exact.cache, silent)
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
