"""Two machines of which neither goes on without the other."""

from __future__ import annotations

import threading
from contextlib import nullcontext

import pytest

from lab.machine import results
from lab.machine.qemu import MachineError
from lab.machine.results import CLIENT, DAEMON_PORT, SERVER, SIDE, Both, Left
from lab.model.trial import DAEMON, ECHO, Job, Link, Perturbation, Step

Errors = dict[int, MachineError]


def failed(errors: Errors, first: int) -> MachineError:
    """The error of two machines, where the other one fails after the first was ended."""
    both, ended = Both("exact", lambda _: nullcontext()), threading.Event()

    def machine(end: int) -> Left:
        if end != first:
            assert ended.wait(10)
        raise errors[end]

    both.running.stop = ended.set  # type: ignore[method-assign]
    with pytest.raises(MachineError) as raised:
        both.run(machine)
    return raised.value


@pytest.mark.parametrize(("end", "name"), [(CLIENT, "client"), (SERVER, "server")])
def test_the_machine_that_failed_first_is_named_and_keeps_its_evidence(end: int, name: str) -> None:
    panic = MachineError("its kernel panicked", evidence={"console.log": "panic"})
    error = failed({end: panic, 1 - end: MachineError("QEMU was killed by SIGKILL")}, end)
    assert (error.where, error.what) == (f"the {name}'s machine", "its kernel panicked")
    assert error.evidence == {"console.log": "panic"}


def test_a_machine_that_ended_because_the_other_had_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "WAY_OUT_S", 0)
    told = MachineError("QEMU ended with status 1: pair: the client's machine was killed")
    error = failed({SERVER: told, CLIENT: MachineError("QEMU was killed by SIGSEGV")}, SERVER)
    assert str(error) == "the client's machine: QEMU was killed by SIGSEGV"


def test_a_machine_on_its_way_out_is_not_killed_for_what_the_other_says_of_it() -> None:
    both, killed = Both("exact", lambda _: nullcontext()), threading.Event()

    def machine(end: int) -> Left:
        if end == SERVER:
            raise MachineError("QEMU ended with status 1: pair: the client's machine ended with status 0")
        raise MachineError("QEMU was killed by SIGKILL" if killed.wait(0.2) else "the guest went off without results")

    both.running.stop = killed.set  # type: ignore[method-assign]
    with pytest.raises(MachineError) as raised:
        both.run(machine)
    assert str(raised.value) == "the client's machine: the guest went off without results"


def test_a_launcher_asks_the_other_machine_for_its_daemon_over_the_side() -> None:
    launched = Step(DAEMON, ("orterun", "--mca", "plm_rsh_agent", ECHO, "--host", "10.0.0.2", "ping"), 0)
    plain = Step(("a",), ("b",), 1)
    (step, other) = results.apart(Job((launched, plain), Link(), Perturbation(), 5)).steps
    assert other == plain and step.port == DAEMON_PORT and step.server[:2] == ("nc", "-l")
    assert SIDE[SERVER] in step.client and ECHO not in step.client
    assert " ".join(step.client).endswith(
        "orterun --mca oob_tcp_if_include 192.168.7.0/24 --mca plm_rsh_agent /lab/ask --host 10.0.0.2 ping"
    )
