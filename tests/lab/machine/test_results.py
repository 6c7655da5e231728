"""What comes back from the guest."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.machine import results

STEP = {
    "0.client.out": "data\n",
    "0.client.err": "",
    "0.server.out": "",
    "0.server.err": "talk\n",
    "0.client.status": "0\n",
    "0.server.status": "143\n",
    "0.start": "1000\n",
    "0.end": "3000\n",
}
JOB = STEP | {"start": "500\n", "end": "4000\n", "before": "", "after": ""}
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


def archive(files: dict[str, str]) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content.encode()))
    buffer.seek(0)
    return buffer


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


def test_what_the_deadline_killed_says_so_and_later_steps_never_ran() -> None:
    files = JOB | {"expired": "", "0.client.status": "137\n", "0.server.status": "1\n"}
    killed, never = results.outcome(files, 2, "", 0.5).steps
    assert (killed.client_status, killed.server_status) == (124, 1)
    assert (never.client_status, never.server_status, never.client_out) == (124, 124, "")
    assert never.clock_start_ns == never.clock_end_ns == 4000


@pytest.mark.parametrize("missing", ["0.client.status", "0.end", "end"])
def test_results_without_a_number_are_refused(missing: str) -> None:
    with pytest.raises(results.ResultError, match=missing):
        results.outcome({name: text for name, text in JOB.items() if name != missing}, 1, "", 0.5)


def test_a_link_that_could_not_be_made_is_an_error() -> None:
    with pytest.raises(results.ResultError, match="Illegal rate"):
        results.outcome(JOB | {"link.err": "Illegal rate\n"}, 1, "", 0.5)


def test_links_and_devices_in_the_archive_are_not_followed() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        info = tarfile.TarInfo("0.client.out")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    buffer.seek(0)
    assert results.unpack(buffer) == {}


@given(st.binary(max_size=2000))
def test_any_bytes_in_the_mailbox_are_results_or_an_error(content: bytes) -> None:
    try:
        assert isinstance(results.unpack(io.BytesIO(content)), dict)
    except results.ResultError as error:
        assert "cannot be read" in str(error)


@given(st.text())
def test_any_text_in_place_of_counters_is_read(text: str) -> None:
    assert all(value >= 0 for value in results.counters(text).values())


def test_two_machines_leave_one_outcome() -> None:
    client = JOB | {"0.server.err": "not the server's machine", "before": DEVICES, "after": DEVICES}
    server = JOB | {"0.client.out": "not the client's machine", "0.server.status": "3\n", "start": "7\n"}
    whole = results.joined_outcome(client, server | {"after": DEVICES}, 1, "", 1.0)
    (step,) = whole.steps
    assert (step.client_out, step.server_err, step.server_status) == ("data\n", "talk\n", 3)
    assert (whole.clock_start_ns, whole.counters_before["v0.tx_bytes"], whole.counters_after["v0.tx_bytes"]) == (
        500,
        1176,
        2352,
    )


@pytest.mark.parametrize("end", [0, 1])
def test_a_deadline_of_either_machine_is_that_of_the_job(end: int) -> None:
    killed = JOB | {"0.server.status": "137\n"}
    client, server = (killed | ({"expired": ""} if each == end else {}) for each in (0, 1))
    assert results.joined_outcome(client, server, 1, "", 1.0).steps[0].server_status == 124


@pytest.mark.parametrize("end", [0, 1])
def test_a_link_that_either_machine_could_not_make_is_an_error(end: int) -> None:
    client, server = (JOB | ({"link.err": "no such device\n"} if each == end else {}) for each in (0, 1))
    with pytest.raises(results.ResultError, match="could not make the link: no such device"):
        results.joined_outcome(client, server, 1, "", 1.0)
