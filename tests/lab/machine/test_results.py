"""The results of a job at both ends."""

import io
import struct
import tarfile
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import SiteError
from lab.machine import results, switched
from lab.machine.qemu import MachineError
from lab.machine.results import CLIENT, DAEMON_PORT, SERVER, SIDE, EndResult, Frame, Watch, run_all
from lab.model.trial import DAEMON, ECHO, Job, Link, Perturbation, Step

JOB = {
    "0.client.out": "data\n",
    "0.client.err": "",
    "0.server.out": "",
    "0.server.err": "talk\n",
    "0.client.status": "0\n",
    "0.server.status": "143\n",
    "0.start": "1000\n",
    "0.end": "3000\n",
    "start": "500\n",
    "end": "4000\n",
    "before": "",
    "after": "",
}
DEVICES = """\
Inter-|   Receive                                            |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
    v0: 1086      11    0    2    0     0          0         0  1176      12    0    3    0     0       0          0
rxe0: rcvd_pkts sent_pkts
200
201
rxe1: rcvd_pkts
7
"""


def archive(files: dict[str, str], kind: bytes = tarfile.REGTYPE) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size, info.type, info.linkname = len(content), kind, "/etc/passwd"
            tar.addfile(info, io.BytesIO(content.encode()))
    buffer.seek(0)
    return buffer


def test_line_of_a_rank_has_its_rank_once() -> None:
    printed = "rank 1: wrong sum\nRank 1: retries\n[rank 1] late\nrank 10: lost\nno rank\n"
    ends = [(JOB, ""), (JOB | {"0.client.out": printed}, ""), (JOB | {"0.client.out": "rank 1: late"}, "")]
    (step,) = switched.joined_outcome(ends, [{}, {}, {}], 1, 0.5).steps
    named = ("wrong sum", "retries", "late", "rank 10: lost", "no rank")
    assert step.server_out == "".join(f"rank 1: {line}\n" for line in named) + "rank 2: rank 1: late\n"


def test_a_job_is_read_back() -> None:
    outcome = results.outcome(results.unpack(archive(JOB)), 1, "said", 0.5)
    (step,) = outcome.steps
    assert (step.client_out, step.server_err, step.client_status, step.server_status) == ("data\n", "talk\n", 0, 143)
    assert (step.clock_start_ns, step.clock_end_ns) == (1000, 3000)
    assert (outcome.clock_start_ns, outcome.clock_end_ns, outcome.console) == (500, 4000, "said")


def test_counters_are_named_by_device() -> None:
    counters = results.counters(DEVICES)
    assert (counters["v0.rx_bytes"], counters["v0.rx_dropped"], counters["v0.tx_bytes"]) == (1086, 2, 1176)
    assert (counters["v0.tx_dropped"], counters["rxe0.sent_pkts"], counters["rxe1.rcvd_pkts"]) == (3, 201, 7)


@pytest.mark.parametrize(
    ("client", "server", "statuses"),
    [(137, 137, (124, 124)), (137, 1, (124, 124)), (1, 137, (124, 124)), (0, 137, (0, 124))],
)
def test_ends_of_a_step_that_the_deadline_ended_have_its_status_and_later_steps_never_ran(
    client: int, server: int, statuses: tuple[int, int]
) -> None:
    files = JOB | {"expired": "", "0.client.status": f"{client}\n", "0.server.status": f"{server}\n"}
    killed, never = results.outcome(files, 2, "", 0.5).steps
    assert (killed.client_status, killed.server_status) == statuses
    assert (never.client_status, never.server_status, never.client_out) == (124, 124, "")
    assert never.clock_start_ns == never.clock_end_ns == 4000


@pytest.mark.parametrize("missing", ["0.client.status", "0.end", "end"])
def test_results_without_a_number_are_refused(missing: str) -> None:
    with pytest.raises(SiteError, match=missing):
        results.outcome({name: text for name, text in JOB.items() if name != missing}, 1, "", 0.5)


@given(st.binary(max_size=2000))
def test_any_bytes_in_the_mailbox_are_results_or_an_error(content: bytes) -> None:
    try:
        assert isinstance(results.unpack(io.BytesIO(content)), dict)
    except SiteError as error:
        assert "cannot be read" in str(error)


@given(st.text())
def test_any_text_in_place_of_counters_is_read(text: str) -> None:
    assert all(value >= 0 for value in results.counters(text).values())


def test_two_vms_have_one_outcome() -> None:
    client = JOB | {"0.server.err": "not the server's machine", "before": DEVICES, "after": DEVICES}
    server = JOB | {"0.client.out": "not the client's machine", "0.server.status": "3\n", "start": "7\n"}
    joined = results.joined_outcome((client, "1"), (server | {"after": DEVICES}, "2"), 1, 1.0)
    (step,) = joined.steps
    assert (step.client_out, step.server_err, step.server_status) == ("data\n", "talk\n", 3)
    assert (joined.clock_start_ns, joined.console) == (500, "12")
    assert (joined.counters_before["v0.tx_bytes"], joined.counters_after["v0.tx_bytes"]) == (1176, 2352)


@pytest.mark.parametrize("end", [CLIENT, SERVER])
def test_a_deadline_or_a_failed_link_in_either_vm_is_the_jobs(end: int) -> None:
    def ends(files: dict[str, str]) -> tuple[EndResult, EndResult]:
        client, server = (JOB | {"0.server.status": "137\n"} | (files if number == end else {}) for number in (0, 1))
        return (client, ""), (server, "")

    assert results.joined_outcome(*ends({"expired": ""}), 1, 1.0).steps[0].server_status == 124
    with pytest.raises(SiteError, match="could not make the link: no such device"):
        results.joined_outcome(*ends({"link.err": "no such device\n"}), 1, 1.0)


class Vm(threading.Event):
    """In place of a VM: it is set when it is killed."""

    kill = threading.Event.set


def failure_of(run_one: Callable[[int, Vm], EndResult]) -> MachineError:
    """The error of two machines, each of which may wait until it is killed."""

    def machine(end: int, watch: Watch) -> EndResult:
        with watch(cast("Any", vm := Vm())):
            return run_one(end, vm)

    with pytest.raises(MachineError) as raised:
        run_all("exact", lambda _: nullcontext(), machine)
    return raised.value


def failed(errors: dict[int, MachineError], first: int) -> MachineError:
    """The error of two machines, where the second one fails after it was ended."""

    def machine(end: int, vm: Vm) -> EndResult:
        assert end == first or vm.wait(10)
        raise errors[end]

    return failure_of(machine)


@pytest.mark.parametrize(("end", "name"), [(CLIENT, "client"), (SERVER, "server")])
def test_the_vm_that_failed_first_is_named_and_its_evidence_kept(end: int, name: str) -> None:
    panic = MachineError("its kernel panicked", evidence={"console.log": "panic"})
    error = failed({end: panic, 1 - end: MachineError("QEMU was killed by SIGKILL")}, end)
    assert (error.where, error.what) == (f"the {name}'s machine", "its kernel panicked")
    assert error.evidence == {"console.log": "panic"}


def test_a_vm_that_ended_because_of_the_other_one_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "EXIT_S", 0)
    blames = MachineError("QEMU ended with status 1: pair: the client's machine was killed")
    error = failed({SERVER: blames, CLIENT: MachineError("QEMU was killed by SIGSEGV")}, SERVER)
    assert str(error) == "the client's machine: QEMU was killed by SIGSEGV"


def test_a_vm_that_is_about_to_end_is_not_killed_because_the_other_one_blames_it() -> None:
    def machine(end: int, vm: Vm) -> EndResult:
        if end == SERVER:
            raise MachineError("QEMU ended with status 1: pair: the client's machine ended with status 0")
        raise MachineError("QEMU was killed by SIGKILL" if vm.wait(0.2) else "the guest went off without results")

    assert str(failure_of(machine)) == "the client's machine: the guest went off without results"


def test_a_launcher_starts_its_daemon_in_the_other_vm_over_the_side_network() -> None:
    launched = Step(DAEMON, ("orterun", "--mca", "plm_rsh_agent", ECHO, "--host", "10.0.0.2", "ping"), 0)
    plain = Step(("a",), ("b",), 1)
    (step, other) = results.apart(Job((launched, plain), Link(), Perturbation(), 5)).steps
    assert other == plain and step.port == DAEMON_PORT and step.server[:2] == ("nc", "-l")
    assert SIDE[SERVER] in step.client and ECHO not in step.client
    assert " ".join(step.client).endswith(
        "orterun --mca oob_tcp_if_include 192.168.7.0/24 --mca plm_rsh_agent /lab/ask --host 10.0.0.2 ping"
    )


def block(kind: int, body: bytes) -> bytes:
    return struct.pack("<II", kind, 8 + len(body)) + body


OUTGOING = block(6, struct.pack("<5I", 0, 0, 99, 4, 1500) + b"head" + struct.pack("<HHI", 2, 4, 2))


def test_a_log_is_read_frame_by_frame(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(block(1, b"another kind of block") + OUTGOING)
    (frame,) = results.read(tmp_path / "log")
    assert frame == Frame(99, goes_out=True, size_bytes=1500, head=b"head")


@pytest.mark.parametrize(
    "end", [b"\6\0\0", struct.pack("<II", 6, 0), struct.pack("<II", 1, 7) + OUTGOING, OUTGOING[:-9]]
)
def test_a_log_that_is_cut_off_is_refused(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "log").write_bytes(OUTGOING + end)
    with pytest.raises(SiteError, match="the log of the link is cut off"):
        list(results.read(tmp_path / "log"))
