"""The grader's log of a link: lab.grade.witness, lab.machine.fork_server."""

import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.toml import series_of

from lab.cli.main import main
from lab.experiment.reader import read_card
from lab.grade.witness.capture import invariant_crc
from lab.grade.witness.claims import Seen
from lab.grade.witness.packets import ACKNOWLEDGE, Packet, decoded
from lab.machine import fork_server, results
from lab.machine.qemu import MachineError
from lab.model.trial import Card, Job, Link
from lab.places import CACHE, MACHINE
from lab.plan.plan import over_card, parts
from lab.records.table import parse_table
from lab.sites.exact import ExactSite

PORT, SIZE, MESSAGES, QUEUES = 5201, 512, 50, 3
WRITES = f"ib_write_bw -F -p {PORT} -s {SIZE} -n {MESSAGES} -q {QUEUES} -d"
Shell = Callable[..., Job]


WATCHED = """
title = "Watched"
question = "What crosses the link?"
parameters = { sizes = "64,5000", iterations = 100, warmup = 10 }
[profile.exact]
why = "The VM has one CPU."
wait = "event"
""" + series_of("soft verbs read throughput", 'card verbs write throughput\nlink = { card = "qdr" }')
FIELDS = ("infiniband.bth.opcode", "frame.time_epoch", "infiniband.invariant.crc")


def logged(exact: ExactSite, job: Job, logs: Path) -> Path:
    """The client's log of a job that ends well."""
    (step,) = exact.run_watched(job, logs).steps
    assert (step.client_status, step.server_status) == (0, 0), step
    return logs / "client.pcapng"


def over(card: Card, job: Job, folder: Path) -> Job:
    for file, content in parts(MACHINE, CACHE, print).items():
        (folder / file.name).write_bytes(content)
    steps, link = tuple(map(over_card, job.steps)), Link(rate_bit_s=card.rate_bit_s, card=card)
    return replace(job, steps=steps, link=link, overlay=tuple(folder.iterdir()))


@pytest.mark.parametrize("card", ["", "qdr"], ids=["Soft-RoCE", "card"])
def test_last_message_of_each_queue_pair_ends_with_its_acknowledgement(
    exact: ExactSite, shell: Shell, tmp_path: Path, card: str
) -> None:
    job = shell(f"exec {WRITES} rxe0 10.0.0.2", f"exec {WRITES} rxe1")
    (tmp_path / "bin").mkdir()
    job = over(read_card(card).card, job, tmp_path / "bin") if card else job
    log = logged(exact, job, tmp_path)
    packets = [packet for frame in results.read(log) if isinstance(packet := decoded(frame), Packet)]
    acknowledged = {
        packet.queue: packet.time_ns for packet in packets if packet.role == ACKNOWLEDGE and not packet.goes_out
    }
    seen = Seen(log, (PORT,), by_card=bool(card))
    messages = [message for message in seen.rdma.messages if message.size_bytes == SIZE]
    assert len(messages) == QUEUES * MESSAGES and len(acknowledged) == QUEUES
    assert {*acknowledged.values()} <= {message.end_ns for message in messages}
    assert not [message for message in seen.around.messages if message.size_bytes == SIZE]


@pytest.mark.usefixtures("exact")
def test_wireshark_reads_the_frames_of_a_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment, where = tmp_path / "watched.toml", ("--results", str(tmp_path))
    experiment.write_text(WATCHED)
    assert main(["run", str(experiment), "--site", "exact", *where]) == 0
    rows = {row.series: row for row in parse_table((tmp_path / "watched.csv").read_text())}
    opcodes = {"soft": (12, 13, 15, 16), "card": (10, 6, 8, 17)}
    for series, wanted in opcodes.items():
        file = tmp_path / f"{series}.pcapng"
        words = ("--pcap", str(file), "--experiment", str(experiment))
        assert main(["show", rows[series].record, *where, *words]) == 0
        frames = list(results.read(file))
        assert f"{series}.pcapng: {len(frames)} frames" in capsys.readouterr().out
        lines = [line.split("\t") for line in dissected(file)]
        assert [int(float(time) * 1e9 + 0.5) for _, time, _ in lines] == pytest.approx(
            [f.time_ns for f in frames], abs=300
        )
        counts = Counter(int(opcode) for opcode, *_ in lines if opcode)
        only, first, last, answer = (counts[opcode] for opcode in wanted)
        assert only >= 110 and first == last >= 110 and answer > 0, counts
        acknowledgements = [(frame, crc) for frame, (code, _, crc) in zip(frames, lines, strict=True) if code == "17"]
        assert all(invariant_crc(f.head[14:-4]) == bytes.fromhex(c[2:]) for f, c in acknowledgements)


def dissected(file: Path) -> list[str]:
    fields = [word for field in FIELDS for word in ("-e", field)]
    words = ["tshark", "-r", str(file), "-T", "fields", *fields]
    return subprocess.check_output(words, text=True, stderr=subprocess.DEVNULL).splitlines()


def test_log_is_bounded_and_the_next_job_runs(
    exact: ExactSite, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shell("exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 8M")
    with monkeypatch.context() as small, pytest.raises(MachineError, match="more frames crossed the link than its log"):
        small.setattr(fork_server, "LOG_MOST_BYTES", 1 << 16)
        exact.run_watched(job, tmp_path)
    assert (tmp_path / "client.pcapng").stat().st_size == 1 << 16
    (step,) = exact.run_watched(job, tmp_path).steps
    assert (step.client_status, step.server_status) == (0, 0), step
