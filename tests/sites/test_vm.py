"""The vm site: two VMs that end together."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.jobs import ENDLESS, LISTENING, PATIENCE_S, SENT, Jobs, await_true

from lab.errors import SiteError
from lab.machine.qemu import Process
from lab.machine.results import NAMES
from lab.sites import vm
from lab.sites.vm import VmSite


@pytest.mark.parametrize("name", [NAMES[0], pytest.param(NAMES[1], marks=pytest.mark.release)])
def test_a_vm_that_is_killed_ends_the_other_one_at_once(programs: dict[Path, str], name: str) -> None:
    site = vm.open()
    site.prepare(print)
    job = Jobs(site.ends, programs).shell(LISTENING, "sleep 600", deadline_s=600)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(site.run, job)
        await_true(lambda: len(site.running.processes) == 2)
        machines = [each.popen for each in site.running.processes if isinstance(each, Process)]
        (one,) = (each for each in machines if f"'-name', '{name}'" in str(each.args))
        os.kill(one.pid, signal.SIGKILL)
        with pytest.raises(SiteError, match=f"^the {name}'s machine: the guest did not finish .*killed by SIGKILL"):
            run.result(PATIENCE_S)
    assert all(each.poll() is not None for each in machines)


@pytest.mark.release
def test_a_link_that_goes_down_ends_in_the_deadline_even_when_the_time_of_day_jumps(
    open_vm: Callable[[], VmSite], programs: dict[Path, str]
) -> None:
    site = open_vm()
    jobs = Jobs(site.ends, programs)
    server, client = jobs.tcp(ENDLESS, deadline_s=15)
    cut = jobs.beside_flow(SENT, "v0", "date -s @86400 >&2; ip link set v0 down", client)
    (step,) = site.run(jobs.pair(server, cut)).steps
    assert step.client_status and "no progress for 15 s" in step.client_err + step.server_err, step
    assert "1970" in step.client_err and step.clock_end_ns - step.clock_start_ns < jobs.pair((), ()).deadline_s * 10**9
    assert step.server_status
