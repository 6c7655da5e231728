"""What goes wrong ends in time, in one sentence, and leaves no process: lab.machine.{qemu,running}."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lab.errors import SiteError, SiteStopped
from lab.machine.qemu import MachineError
from lab.machine.runner import LOADER
from lab.model.trial import Job
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
SPIN = "while :; do :; done"
ALONE = """
import sys
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite
from lab.model.trial import Job, Link, Perturbation, Step
step = Step(("sh", "-c", "while :; do :; done"), ("true",), 1)
ExactSite(MACHINE, CACHE).run(Job((step,), Link(), Perturbation(), 600))
"""


def impatient(host_seconds: float) -> ExactSite:
    """The site of the other tests, with a shorter patience of the host."""
    return ExactSite(MACHINE, CACHE, host_seconds=(0, host_seconds))


def children(of: int) -> list[int]:
    """The machines that a process runs; to ask QEMU for its version is no machine, and what has ended is none."""
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


def await_true(condition: Callable[[], object]) -> None:
    """Poll with patience: this computer may be busy."""
    limit = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_a_guest_that_never_ends_is_ended_by_the_host(exact: ExactSite, shell: Shell) -> None:
    assert exact.identity()
    with pytest.raises(MachineError, match="ran longer than 3 s"):
        impatient(3).run(shell(SPIN, deadline_s=600))
    assert copies() == []


def test_a_panic_of_the_guest_is_named(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(MachineError, match=r"kernel panicked: .*sysrq triggered crash"):
        exact.run(shell("echo c >/proc/sysrq-trigger"))


def test_a_killed_qemu_is_named(exact: ExactSite, shell: Shell) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(exact.run, shell(SPIN, deadline_s=600))
        await_true(copies)
        os.kill(copies()[0], signal.SIGKILL)
        with pytest.raises(MachineError, match="QEMU was killed by SIGKILL"):
            running.result()


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


def test_a_job_past_its_deadline_is_ended_in_the_guest(exact: ExactSite, shell: Shell) -> None:
    (step,) = exact.run(shell("echo begun; sleep 1000", server="exec iperf3 -s", deadline_s=5)).steps
    assert (step.client_status, step.server_status, step.client_out) == (124, 124, "begun\n")
    assert 4.5e9 < step.clock_end_ns - step.clock_start_ns < 6e9


def test_a_server_that_never_listens_ends_in_the_deadline(exact: ExactSite, shell: Shell) -> None:
    (step,) = exact.run(shell("echo begun", server="sleep 1000", deadline_s=2)).steps
    assert (step.client_status, step.server_status, step.client_out) == (124, 124, "")


def test_a_client_is_not_left_waiting_for_a_server_that_failed(exact: ExactSite, shell: Shell) -> None:
    (step,) = exact.run(shell("sleep 1000", server="echo broken >&2; exit 3", deadline_s=500)).steps
    assert (step.client_status, step.server_status, step.server_err) == (137, 3, "broken\n")
    assert step.clock_end_ns - step.clock_start_ns < 2 * 10**9


def test_a_server_that_stays_is_ended_after_its_client(exact: ExactSite, shell: Shell) -> None:
    (step,) = exact.run(shell("echo done", server="exec iperf3 -s", deadline_s=500)).steps
    assert (step.client_status, step.client_out) == (0, "done\n")
    assert step.server_status != 124


def test_more_output_than_the_mailbox_holds_is_an_error(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(SiteError, match="without results"):
        exact.run(shell("for part in 1 2; do truncate -s 40000000 /lab/out/large.$part; done"))


def test_a_program_that_talks_without_end_ends_at_once(exact: ExactSite, shell: Shell) -> None:
    """Of its words there is what the bound let through, and the rest of the trial's evidence is there."""
    (step,) = exact.run(shell("exec yes >&2", deadline_s=500)).steps
    assert step.client_status == 128 + 25 and len(step.client_err) == 48 << 20
    assert step.clock_end_ns - step.clock_start_ns < 20 * 10**9


def test_runs_in_threads_do_not_disturb_each_other(exact: ExactSite, shell: Shell) -> None:
    outcomes: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda n=n: outcomes.update({n: exact.run(shell(f"echo {n}")).steps[0].client_out}))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: f"{n}\n" for n in range(4)}
