"""An untrusted program on the exact site: its attempts and their results (code/machine/stranger)."""

from pathlib import Path

import pytest

from lab.model.trial import Job, Link, Outcome, Perturbation, Step, StepOutcome
from lab.run.checks import failed_steps
from lab.sites.exact import ExactSite

OUTLAW = Path(__file__).with_name("outlaw")
SEEN = {"/etc", "/etc/libibverbs.d", "/lab/bin", "/usr/libexec/coreutils"}  # folders of readable files
HARMLESS = ("writes_results", "ends_the_machine", "reads_scripts", "takes_rights", "sees_others", "fills")
ENDED = ("eats", "talks")
DEADLINE_S = 20
HARDSHIP = '"$@"; status=$?; : hardship; exit $status'


def job(*clients: str, server: str = "serves", deadline_s: int = DEADLINE_S) -> Job:
    """One step for each client, inside a shell with a known comment."""
    program, around = f"/lab/bin/{OUTLAW.name}", ("sh", "-c", HARDSHIP, "sh")
    ports = range(5201, 5201 + len(clients))
    pairs = zip(ports, clients, strict=True)
    steps = (Step((program, server, str(port)), (*around, program, each), port) for port, each in pairs)
    return Job(tuple(steps), Link(), Perturbation(), deadline_s, overlay=(OUTLAW,), untrusted=True)


@pytest.fixture(scope="module")
def outcome(exact: ExactSite) -> Outcome:
    """All programs that end soon, one after the other in one job."""
    return exact.run(job(*HARMLESS, *ENDED))


@pytest.fixture(scope="module")
def left(outcome: Outcome) -> dict[str, StepOutcome]:
    return dict(zip((*HARMLESS, *ENDED), outcome.steps, strict=True))


def refusals(step: StepOutcome) -> int:
    words = ("Permission denied", "not permitted", "nonexistent directory")
    return sum(step.client_out.count(each) for each in words)


def test_only_init_writes_results(left: dict[str, StepOutcome]) -> None:
    assert refusals(left["writes_results"]) == 4, left["writes_results"]
    assert left["writes_results"].clock_end_ns > 1


def test_program_cannot_end_the_vm(left: dict[str, StepOutcome]) -> None:
    assert refusals(left["ends_the_machine"]) == 5, left["ends_the_machine"]


def test_program_cannot_read_the_harness(left: dict[str, StepOutcome]) -> None:
    lines = left["reads_scripts"].client_out.splitlines()
    assert lines[0] == "begun reads_scripts"
    files = [line for line in lines[1:] if line.startswith("/")]
    assert {Path(file).parent.as_posix() for file in files} == SEEN, lines
    assert "/lab/bin/outlaw" in files and not any("hardship" in line for line in lines), lines
    assert sum("No such file" in line for line in lines) == 3 and refusals(left["reads_scripts"]) == 2, lines


def test_program_has_no_capabilities_and_two_kinds_of_devices(left: dict[str, StepOutcome]) -> None:
    text = left["takes_rights"].client_out
    assert "CapEff:\t0000000000000000" in text and "NoNewPrivs:\t1" in text
    assert text.split("/dev:\n")[1].split() == ["infiniband", "null", "shm", "/dev/infiniband:", "rdma_cm", "uverbs0"]


def test_program_sees_only_its_processes(left: dict[str, StepOutcome]) -> None:
    rows = [line.split() for line in left["sees_others"].client_out.splitlines()[2:]]
    assert [row[1] for row in rows] == ["0", "client", "client"], rows


def test_output_of_a_program_is_bounded(left: dict[str, StepOutcome]) -> None:
    assert "No space left" in left["fills"].client_out
    assert len(left["talks"].client_out) == 2 << 20


def test_program_that_exceeds_a_limit_is_ended_and_named(outcome: Outcome) -> None:
    named = list(failed_steps(outcome))
    eats, talks = (f"step {len(HARMLESS) + number}: the client" for number in (1, 2))
    assert any(each.startswith(f"{eats} was ended because it took more memory") for each in named), named
    assert any(each.startswith(f"{talks} was ended because it wrote without end") for each in named), named


def test_fork_bomb_ends_at_the_deadline(exact: ExactSite) -> None:
    outcome = exact.run(job("breeds", "sees_others", deadline_s=1))
    assert "step 1: the client did not end before the deadline (deadline_s)" in " ".join(failed_steps(outcome))
    assert outcome.clock_end_ns - outcome.clock_start_ns < 3 * 10**9
    assert "can't fork" in outcome.steps[0].client_out


def test_server_that_ignores_signals_is_ended_with_its_children(exact: ExactSite) -> None:
    outcome = exact.run(job("sees_others", "sees_others", server="stays"))
    assert [each.server_status for each in outcome.steps] == [137, 137]
    assert outcome.clock_end_ns - outcome.clock_start_ns < 5 * 10**9
