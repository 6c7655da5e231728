"""Jobs on the exact machine: when a client starts, where each job begins, and how what goes wrong ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.jobs import PATIENCE_S, await_true

from lab.errors import SiteError, SiteStopped
from lab.machine.link import BASE_NS
from lab.machine.qemu import MachineError
from lab.machine.results import NAMES
from lab.machine.runner import LOADER
from lab.model.trial import Job, Link, Outcome, Perturbation, Ready, Step, StepOutcome
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

LATE_S = 0.3  # no server is ready at once
Shell = Callable[..., Job]
Measured = Callable[[Outcome], Outcome]
LATENCY_ROW = re.compile(r"^ *8 +50 +([\d.]+) +([\d.]+) +([\d.]+) ", re.MULTILINE)
# The port that tells init that the server is there is TCP's; what these listen on is rdma_cm's own.
BESIDE = "nc -l -p 5201 & {}"
SPIN = "while :; do :; done"
ALONE = """
import sys
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite
from lab.model.trial import Job, Link, Perturbation, Step
step = Step(("sh", "-c", "while :; do :; done"), ("true",), 1)
ExactSite(MACHINE, CACHE).run(Job((step,), Link(), Perturbation(), 600))
"""


def run_ready(exact: ExactSite, server: str, client: str, sign: Ready) -> StepOutcome:
    step = Step(("sh", "-c", f"sleep {LATE_S}; {server}"), ("sh", "-c", client), port=0, ready=sign)
    (outcome,) = exact.run(Job((step,), Link(), Perturbation(), deadline_s=30)).steps
    return outcome


@pytest.mark.parametrize(
    ("server", "sign"),
    [
        ("exec rdma_server -p 7471", Ready(cm=7471)),
        ("exec rdma_server -p 7471", Ready(tcp=7471, cm=7471)),
        ("exec stdbuf -oL rdma_server -p 7471", Ready(line="server: start")),
        ("exec rdma_server -p 7471", Ready(after_s=2 * LATE_S)),
    ],
)
def test_a_client_of_rdma_cm_is_started_once_the_server_on_the_other_computer_is_ready(
    exact: ExactSite, server: str, sign: Ready
) -> None:
    outcome = run_ready(exact, server, "exec rdma_client -s 10.0.0.2 -p 7471", sign)
    assert (outcome.client_status, outcome.server_status) == (0, 0), outcome
    assert outcome.client_out.endswith("end 0\n") and outcome.server_out.endswith("end 0\n")


def test_a_server_that_ends_without_a_sign_ends_the_step(exact: ExactSite) -> None:
    outcome = run_ready(exact, "exit 3", "exec sleep 20", Ready(cm=7471))
    assert outcome.server_status == 3 and outcome.client_status != 0
    assert outcome.clock_end_ns - outcome.clock_start_ns < 3e9


def test_the_gid_that_programs_are_told_is_that_of_the_links_address(exact: ExactSite) -> None:
    ends = exact.ends
    show = "exec cat /sys/class/infiniband/{0.device}/ports/1/gids/{0.gid}"
    outcome = run_ready(exact, show.format(ends.server), show.format(ends.client), Ready(after_s=2 * LATE_S))
    gids = [said.replace(":", "").strip() for said in (outcome.client_out, outcome.server_out)]
    assert gids == [f"{'0' * 20}ffff0a00000{number}" for number in (1, 2)]


def output_of(site: ExactSite, job: Job) -> str:
    (step,) = site.run(job).steps
    return step.client_out


def test_each_job_starts_where_the_pair_waits(exact: ExactSite, shell: Shell) -> None:
    job = shell("cat /tmp/left 2>/dev/null; echo here >/tmp/left; cut -d ' ' -f 1 /proc/uptime")
    assert output_of(exact, job) == output_of(exact, job)


def test_a_pair_that_was_killed_is_started_anew(exact: ExactSite, shell: Shell) -> None:
    job = shell("cut -d ' ' -f 1 /proc/uptime")
    before = output_of(exact, job)
    assert exact.server
    killed = exact.server
    killed.processes[1].kill()
    killed.processes[1].popen.wait()
    assert output_of(exact, job) == before and exact.server is not killed


def test_a_stopped_site_leaves_no_pair(exact: ExactSite) -> None:
    site = ExactSite(MACHINE, CACHE)
    origin = site.fork_server(exact.verified_snapshot())
    assert origin.lives
    site.stop()
    assert not origin.lives


def test_the_processor_has_no_instruction_whose_flags_are_wrong(exact: ExactSite, shell: Shell) -> None:
    """cmpxchg16b in QEMU 7.2: an interrupt just after it saved a trap flag that nobody had set, once in some trials."""
    flags = output_of(exact, shell("grep -m 1 ^flags /proc/cpuinfo")).split()
    assert "cx8" in flags and "cx16" not in flags


def both(outcome: Outcome) -> str:
    """The client's output of a step that ended well."""
    (step,) = outcome.steps
    assert (step.client_status, step.server_status) == (0, 0), step
    return step.client_out


def typical_us(exact: ExactSite, shell: Shell, program: str, *, link: Link | None = None) -> float:
    words = f"exec {program} -s 8 -n 50 -p 5201 -d"
    ends = exact.ends
    job = shell(f"{words} rxe0 {ends.side_channel}", server=f"{words} rxe1", link=link or Link())
    (row,) = LATENCY_ROW.findall(both(exact.run(job)))
    return float(row[2])


@pytest.mark.parametrize("program", ["ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_send_lat -e"])
def test_no_end_waits_for_the_others_processor(exact: ExactSite, shell: Shell, program: str) -> None:
    """On one CPU two ends that poll took 4,000 us, a tick of the scheduler."""
    assert BASE_NS / 1000 < typical_us(exact, shell, program) < 60


def test_a_longer_link_is_longer_for_those_who_poll_too(exact: ExactSite, shell: Shell) -> None:
    near, far = (typical_us(exact, shell, "ib_write_lat", link=Link(delay_ns=ns)) for ns in (0, 50_000))
    assert 49.9 < far - near < 50.1


@pytest.mark.parametrize(
    ("server", "client"),
    [
        ("ib_send_lat -R -n 50 -s 8 -p 7000", "ib_send_lat -R -n 50 -s 8 -p 7000 10.0.0.2"),
        ("rping -s -C 20 -v -a 10.0.0.2", "rping -c -C 20 -v -a 10.0.0.2"),
        ("rdma_server", "rdma_client -s 10.0.0.2"),
    ],
    ids=["ib_send_lat -R", "rping", "rdma_client"],
)
def test_rdma_cm_connects(exact: ExactSite, shell: Shell, server: str, client: str) -> None:
    both(exact.run(shell(f"sleep 0.1; exec {client}", server=BESIDE.format(f"exec {server}"))))


def test_clocks_start_equal_and_seeds_differ(exact: ExactSite, shell: Shell) -> None:
    look = "awk '$1 == \"now\" { print $3 }' /proc/timer_list; head -c 8 /dev/urandom | hexdump -e '8/1 \"%02x\"'"
    (step,) = exact.run(shell(look, server=f"{look}; exec iperf3 -s -1")).steps
    (here, mine), (there, theirs) = step.client_out.split(), step.server_out.split()[:2]
    assert 0 < int(here) - int(there) < 1e9 and mine != theirs


def test_nothing_of_the_harness_is_on_the_link(exact: ExactSite, shell: Shell) -> None:
    outcome = exact.run(shell("true"))
    grown = {name: count - outcome.counters_before[name] for name, count in outcome.counters_after.items()}
    assert grown["side.tx_packets"] > 0
    assert [grown[f"{end}.{way}_packets"] for end in ("v0", "v1") for way in ("rx", "tx")] == [0, 0, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_that_is_killed_ends_the_other_at_once(exact: ExactSite, shell: Shell, name: str) -> None:
    exact.verified_snapshot()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(exact.run, shell("sleep 600", deadline_s=600))
        await_true(lambda: len(exact.running.processes) == 2)
        machines = list(exact.running.processes)
        (one,) = (each for each in machines if each.name == name)
        os.kill(one.pid, signal.SIGKILL)
        with pytest.raises(SiteError, match=f"^the {name}'s machine: .*killed by SIGKILL"):
            run.result(PATIENCE_S)
    assert not any(Path(f"/proc/{each.pid}").exists() for each in machines)


def impatient(host_seconds: float) -> ExactSite:
    """The site of the other tests, with a shorter patience of the host."""
    return ExactSite(MACHINE, CACHE, host_seconds=(0, host_seconds))


def children(of: int) -> list[int]:
    """The VMs of a process, without QEMUs that print their version and without ended ones."""
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,stat,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()[1:]]
    ours = [(int(pid), words) for pid, parent, state, words in rows if int(parent) == of and state[0] != "Z"]
    return [pid for pid, words in ours if words.split()[0].endswith(f"/{LOADER}") and " -accel " in words]


def origins() -> list[int]:
    """The machines of this process that wait for jobs."""
    return children(os.getpid())


def copies(of: int | None = None) -> list[int]:
    """The machines that do a job of a process, or this one."""
    return [copy for origin in children(of or os.getpid()) for copy in children(origin)]


def runs(machine: int) -> bool:
    """Whether it is there, and more than an entry that nobody has asked for."""
    try:
        return Path(f"/proc/{machine}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_guest_that_never_ends_is_ended_by_the_host(exact: ExactSite, shell: Shell) -> None:
    assert exact.identity()
    with pytest.raises(MachineError, match="ran longer than 3 s"):
        impatient(3).run(shell(SPIN, deadline_s=600))
    assert copies() == []


def test_a_panic_of_the_guest_is_named(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(MachineError, match=r"kernel panicked: .*sysrq triggered crash"):
        exact.run(shell("echo c >/proc/sysrq-trigger"))


def test_stop_ends_every_run_and_later_ones_too(exact: ExactSite, shell: Shell) -> None:
    site, others = impatient(600), origins()
    assert site.identity() == exact.identity()
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(site.run, shell(SPIN, deadline_s=600)) for _ in range(2)]
        await_true(lambda: len(copies()) == 4)
        site.stop()
        for run in running:
            with pytest.raises(SiteStopped):
                run.result()
    with pytest.raises(SiteStopped):
        site.run(shell("true"))
    assert copies() == [] and origins() == others


def test_a_killed_harness_leaves_no_qemu(exact: ExactSite) -> None:
    assert exact.identity()
    with subprocess.Popen([sys.executable, "-c", ALONE]) as harness:
        try:
            await_true(lambda: len(copies(harness.pid)) == 2)
            machines = children(harness.pid) + copies(harness.pid)
        finally:
            harness.kill()
    await_true(lambda: not any(map(runs, machines)))


def test_more_output_than_the_mailbox_holds_is_an_error(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(SiteError, match="without results"):
        exact.run(shell("for part in 1 2; do truncate -s 40000000 /lab/out/large.$part; done"))


def test_a_program_that_talks_without_end_ends_at_once(exact: ExactSite, shell: Shell) -> None:
    """Of its words there is what the bound let through, and the rest of the trial's evidence is there."""
    (step,) = exact.run(shell("exec yes >&2", deadline_s=500)).steps
    assert step.client_status == 128 + 25 and len(step.client_err) == 48 << 20
    assert step.clock_end_ns - step.clock_start_ns < 20 * 10**9
