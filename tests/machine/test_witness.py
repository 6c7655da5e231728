"""What the real link's log tells a grader: lab.grade.witness, lab.machine.pair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.grade.witness.decoding import decoded
from lab.grade.witness.link import Seen
from lab.grade.witness.packets import Packet, Role
from lab.machine import frames, pair
from lab.machine.qemu import MachineError
from lab.model.trial import Job
from lab.sites.exact import ExactSite

PORT, SIZE, MESSAGES, QUEUES = 5201, 512, 50, 3
WRITES = f"ib_write_bw -F -p {PORT} -s {SIZE} -n {MESSAGES} -q {QUEUES} -d"
Shell = Callable[..., Job]


@pytest.fixture
def log(exact: ExactSite, shell: Shell, tmp_path: Path) -> Path:
    """Of a program that writes by several queue pairs in turn."""
    (step,) = exact.run_watched(shell(f"exec {WRITES} rxe0 10.0.0.2", f"exec {WRITES} rxe1"), tmp_path).steps
    assert (step.client_status, step.server_status) == (0, 0), step
    return tmp_path / "client.pcapng"


def test_the_last_message_of_each_queue_pair_lasts_until_its_own_acknowledgement(log: Path) -> None:
    packets = [each for frame in frames.read(log) if isinstance(each := decoded(frame), Packet)]
    words = {each.queue: each.time_ns for each in packets if each.role is Role.ACKNOWLEDGE and not each.goes_out}
    messages = [each for each in Seen.of(log, (PORT,)).rdma.messages if each.size_bytes == SIZE]
    assert len(messages) == QUEUES * MESSAGES and len(words) == QUEUES
    assert {*words.values()} <= {each.end_ns for each in messages}


def test_a_log_has_a_bound_and_the_machine_runs_on(
    exact: ExactSite, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shell("exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 8M")
    with monkeypatch.context() as small, pytest.raises(MachineError, match="more frames crossed the link than its log"):
        small.setattr(pair, "LOG_MOST_BYTES", 1 << 16)
        exact.run_watched(job, tmp_path)
    assert (tmp_path / "client.pcapng").stat().st_size == 1 << 16
    (step,) = exact.run_watched(job, tmp_path).steps
    assert (step.client_status, step.server_status) == (0, 0), step
