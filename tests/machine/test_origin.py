"""A pair that waits, and its copies: lab.machine.fork_server."""

from __future__ import annotations

from collections.abc import Callable

from lab.model.trial import Job
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]


def said(site: ExactSite, job: Job) -> str:
    (step,) = site.run(job).steps
    return step.client_out


def test_each_job_starts_where_the_pair_waits(exact: ExactSite, shell: Shell) -> None:
    job = shell("cat /tmp/left 2>/dev/null; echo here >/tmp/left; cut -d ' ' -f 1 /proc/uptime")
    assert said(exact, job) == said(exact, job)


def test_a_pair_that_was_killed_is_started_anew(exact: ExactSite, shell: Shell) -> None:
    job = shell("cut -d ' ' -f 1 /proc/uptime")
    before = said(exact, job)
    assert exact.server
    killed = exact.server
    killed.processes[1].kill()
    killed.processes[1].popen.wait()
    assert said(exact, job) == before and exact.server is not killed


def test_a_stopped_site_leaves_no_pair(exact: ExactSite) -> None:
    site = ExactSite(MACHINE, CACHE)
    origin = site.fork_server(exact.verified_snapshot())
    assert origin.lives
    site.stop()
    assert not origin.lives


def test_the_processor_has_no_instruction_whose_flags_are_wrong(exact: ExactSite, shell: Shell) -> None:
    """cmpxchg16b in QEMU 7.2: an interrupt just after it saved a trap flag that nobody had set, once in some trials."""
    flags = said(exact, shell("grep -m 1 ^flags /proc/cpuinfo")).split()
    assert "cx8" in flags and "cx16" not in flags
