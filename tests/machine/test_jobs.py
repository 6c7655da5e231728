"""Jobs on the exact site: when a client starts, where each job begins, and how failures end."""

import os
import re
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.jobs import PATIENCE_S, await_true, harness_of

from lab.errors import SiteError, SiteStopped
from lab.machine import link
from lab.machine.link import BASE_NS
from lab.machine.qemu import MachineError
from lab.machine.results import NAMES
from lab.machine.runner import LOADER
from lab.model.trial import Job, Link, Perturbation, Ready, Step, StepOutcome
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
MADE_AT = 208  # layout.h
LATE_S = 0.3  # before any server is ready
RDMA = "exec rdma_server -p {0}", "exec rdma_client -s 10.0.0.2 -p {0}"
GID = "exec cat /sys/class/infiniband/{0.device}/ports/1/gids/{0.gid}"
PINGS = ("ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_send_lat -e")
LATENCY_ROW = re.compile(r"^ *8 +50 +([\d.]+) +([\d.]+) +([\d.]+) ", re.MULTILINE)
SPIN = "while :; do :; done"


@pytest.fixture(scope="module")
def started(exact: ExactSite) -> dict[str, StepOutcome]:
    """Servers that are ready late, each with a client that waits for its sign; one job for all."""
    ends = exact.ends
    cases: dict[str, tuple[str, str, Callable[[int], Ready]]] = {
        "cm": (*RDMA, lambda port: Ready(cm=port)),
        "tcp or cm": (*RDMA, lambda port: Ready(tcp=port, cm=port)),
        "line": ("exec stdbuf -oL rdma_server -p {0}", RDMA[1], lambda _: Ready(line="server: start")),
        "time": (*RDMA, lambda _: Ready(after_s=2 * LATE_S)),
        "perftest": (
            "exec ib_send_lat -R -n 50 -s 8 -p {0}",
            "exec ib_send_lat -R -n 50 -s 8 -p {0} 10.0.0.2",
            lambda port: Ready(cm=port),
        ),
        "rping": (
            "exec rping -s -C 20 -v -a 10.0.0.2 -p {0}",
            "exec rping -c -C 20 -v -a 10.0.0.2 -p {0}",
            lambda port: Ready(cm=port),
        ),
        "gid": (GID.format(ends.server), GID.format(ends.client), lambda _: Ready(after_s=2 * LATE_S)),
        "no sign": ("exit 3", "exec sleep 20", lambda port: Ready(cm=port)),
    }
    steps = tuple(
        Step(("sh", "-c", f"sleep {LATE_S}; {server.format(port)}"), ("sh", "-c", client.format(port)), 0, sign(port))
        for port, (server, client, sign) in enumerate(cases.values(), 7471)
    )
    outcomes = exact.run(Job(steps, Link(), Perturbation(), deadline_s=60)).steps
    return dict(zip(cases, outcomes, strict=True))


@pytest.mark.parametrize("name", ["cm", "tcp or cm", "line", "time", "perftest", "rping"])
def test_client_of_rdma_cm_starts_once_its_server_is_ready(started: dict[str, StepOutcome], name: str) -> None:
    outcome = started[name]
    assert (outcome.client_status, outcome.server_status) == (0, 0), outcome
    if name not in ("perftest", "rping"):
        assert outcome.client_out.endswith("end 0\n") and outcome.server_out.endswith("end 0\n")


def test_server_that_ends_without_a_sign_ends_the_step(started: dict[str, StepOutcome]) -> None:
    outcome = started["no sign"]
    assert outcome.server_status == 3 and outcome.client_status != 0
    assert outcome.clock_end_ns - outcome.clock_start_ns < 3e9


def test_gid_of_each_end_is_that_of_the_links_address(started: dict[str, StepOutcome]) -> None:
    outcome = started["gid"]
    gids = [text.replace(":", "").strip() for text in (outcome.client_out, outcome.server_out)]
    assert gids == [f"{'0' * 20}ffff0a00000{number}" for number in (1, 2)]


def output_of(site: ExactSite, job: Job) -> str:
    (step,) = site.run(job).steps
    return step.client_out


def test_each_job_starts_from_the_same_snapshot_even_after_a_crash(exact: ExactSite, shell: Shell) -> None:
    job = shell("cat /tmp/left 2>/dev/null; echo here >/tmp/left; cut -d ' ' -f 1 /proc/uptime")
    first = output_of(exact, job)
    assert output_of(exact, job) == first
    killed = exact.server
    assert killed
    killed.processes[1].kill()
    killed.processes[1].popen.wait()
    assert output_of(exact, job) == first and exact.server is not killed


def test_clocks_start_equal_seeds_differ_and_the_cpu_lacks_a_broken_instruction(exact: ExactSite, shell: Shell) -> None:
    """cmpxchg16b in QEMU 7.2: an interrupt after it saves a trap flag that was not set, in rare trials."""
    look = "awk '$1 == \"now\" { print $3 }' /proc/timer_list; head -c 8 /dev/urandom | hexdump -e '8/1 \"%02x\"'"
    client = f"{look}; echo; grep -m 1 ^flags /proc/cpuinfo"
    (step,) = exact.run(shell(client, server=f"{look}; exec iperf3 -s -1")).steps
    (here, mine, *flags), (there, theirs) = step.client_out.split(), step.server_out.split()[:2]
    assert 0 < int(here) - int(there) < 1e9 and mine != theirs
    assert "cx8" in flags and "cx16" not in flags


def typical_us(exact: ExactSite, *programs: str, link: Link | None = None) -> list[float]:
    side = exact.ends.side_channel
    words = [(f"{program} -s 8 -n 50 -p {port} -d".split(), port) for port, program in enumerate(programs, 5201)]
    steps = tuple(Step((*argv, "rxe1"), (*argv, "rxe0", side), port) for argv, port in words)
    outcomes = exact.run(Job(steps, link or Link(), Perturbation(), deadline_s=30)).steps
    assert not any(step.client_status or step.server_status for step in outcomes), outcomes
    return [float(row[2]) for step in outcomes for row in LATENCY_ROW.findall(step.client_out)]


def test_no_end_waits_for_the_others_cpu_and_a_longer_link_takes_longer(exact: ExactSite) -> None:
    """On a shared CPU two ends that poll took 4,000 us, a tick of the scheduler."""
    near = typical_us(exact, *PINGS)
    (far,) = typical_us(exact, PINGS[0], link=Link(delay_ns=50_000))
    assert len(near) == len(PINGS) and all(BASE_NS / 1000 < latency < 60 for latency in near)
    assert 49.9 < far - near[0] < 50.1


def test_harness_sends_nothing_over_the_link_and_brings_no_program(exact: ExactSite, shell: Shell) -> None:
    outcome = exact.run(shell("ls /lab/bin"))
    assert outcome.steps[0].client_out == ""
    assert outcome.grown["side.tx_packets"] > 0
    assert [outcome.grown[f"{end}.{way}_packets"] for end in ("v0", "v1") for way in ("rx", "tx")] == [0, 0, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_killed_vm_ends_the_other_at_once(exact: ExactSite, shell: Shell, name: str) -> None:
    exact.verified_snapshot()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(exact.run, shell("sleep 600", deadline_s=600))
        await_true(lambda: len(exact.running.processes) == 2)
        machines = list(exact.running.processes)
        (killed,) = (machine for machine in machines if machine.name == name)
        os.kill(killed.pid, signal.SIGKILL)
        with pytest.raises(SiteError, match=f"^the {name}'s machine: .*killed by SIGKILL"):
            run.result(PATIENCE_S)
    assert not any(Path(f"/proc/{machine.pid}").exists() for machine in machines)


def impatient(host_seconds: float) -> ExactSite:
    site = ExactSite(MACHINE, CACHE)
    site.host_seconds = (0, host_seconds)
    return site


def children(of: int) -> list[int]:
    """The QEMUs of a process that run and have a VM."""
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,stat,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()[1:]]
    ours = [(int(pid), words) for pid, parent, state, words in rows if int(parent) == of and state[0] != "Z"]
    return [pid for pid, words in ours if words.split()[0].endswith(f"/{LOADER}") and " -accel " in words]


def origins() -> list[int]:
    """The QEMUs of this process that wait for jobs."""
    return children(os.getpid())


def copies(of: int | None = None) -> list[int]:
    """The QEMUs that run a job of a process, or of this one."""
    return [copy for origin in children(of or os.getpid()) for copy in children(origin)]


def runs(machine: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{machine}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_vm_that_never_ends_is_ended_by_the_host(exact: ExactSite, shell: Shell) -> None:
    assert exact.identity()
    with pytest.raises(MachineError, match="ran longer than 3 s"):
        impatient(3).run(shell(SPIN, deadline_s=600))
    assert copies() == []


def test_later_copy_finds_what_an_earlier_one_translated(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    made, counts = list[int](), link.counts

    def counted(shared: int) -> dict[str, int]:
        made.append(int.from_bytes(os.pread(shared, 8, MADE_AT), "little"))
        return counts(shared)

    monkeypatch.setattr(link, "counts", counted)
    site = impatient(600)
    outcomes = [site.run(shell("ip addr; ls -R /sys/class")) for _ in range(2)]
    site.stop()
    assert made[0] > 1000 and made[1] < made[0] / 2
    assert outcomes[0].steps == outcomes[1].steps


def test_kernel_panic_is_reported(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(MachineError, match=r"kernel panicked: .*sysrq triggered crash"):
        exact.run(shell("echo c >/proc/sysrq-trigger"))


def test_stopped_site_ends_all_runs_and_starts_no_more(exact: ExactSite, shell: Shell) -> None:
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


def test_killed_harness_leaves_no_qemu(exact: ExactSite) -> None:
    assert exact.identity()
    with harness_of("exact", SPIN) as harness:
        try:
            await_true(lambda: len(copies(harness.pid)) == 2)
            machines = children(harness.pid) + copies(harness.pid)
        finally:
            harness.kill()
    await_true(lambda: not any(map(runs, machines)))


def test_output_larger_than_the_mailbox_is_an_error(exact: ExactSite, shell: Shell) -> None:
    with pytest.raises(SiteError, match="without results"):
        exact.run(shell("for part in 1 2; do truncate -s 40000000 /lab/out/large.$part; done"))


@pytest.mark.release
def test_endless_output_is_cut_and_ends_the_program(exact: ExactSite, shell: Shell) -> None:
    """The output has the length of its limit, and the rest of the trial's evidence exists."""
    (step,) = exact.run(shell("exec yes >&2", deadline_s=500)).steps
    assert step.client_status == 128 + 25 and len(step.client_err) == 48 << 20
    assert step.clock_end_ns - step.clock_start_ns < 20 * 10**9
