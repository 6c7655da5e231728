"""The grader's log of a link: lab.grade.witness, lab.machine.fork_server."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.experiment.reader import read_card
from lab.grade.witness.claims import Seen
from lab.grade.witness.packets import ACKNOWLEDGE, Packet, decoded
from lab.machine import fork_server, results
from lab.machine.qemu import MachineError
from lab.model.trial import Card, Job, Link
from lab.places import CACHE, MACHINE
from lab.plan.plan import over_card, parts
from lab.sites.exact import ExactSite

PORT, SIZE, MESSAGES, QUEUES = 5201, 512, 50, 3
WRITES = f"ib_write_bw -F -p {PORT} -s {SIZE} -n {MESSAGES} -q {QUEUES} -d"
Shell = Callable[..., Job]


def logged(exact: ExactSite, job: Job, logs: Path) -> Path:
    """The client's log of a job that ends well."""
    (step,) = exact.run_watched(job, logs).steps
    assert (step.client_status, step.server_status) == (0, 0), step
    return logs / "client.pcapng"


def over(card: Card, job: Job, folder: Path) -> Job:
    """The same job over a modelled card."""
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
    seen = Seen.of(log, (PORT,), by_card=bool(card))
    messages = [message for message in seen.rdma.messages if message.size_bytes == SIZE]
    assert len(messages) == QUEUES * MESSAGES and len(acknowledged) == QUEUES
    assert {*acknowledged.values()} <= {message.end_ns for message in messages}
    assert not [message for message in seen.around.messages if message.size_bytes == SIZE]


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
