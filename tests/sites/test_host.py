"""The host site with a cable between namespaces: lab.sites.{host,wall,cable}."""

import itertools
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.jobs import (
    LISTENING,
    LONG,
    LONG_S,
    PATIENCE_S,
    PORT,
    SENT,
    Jobs,
    await_none_running,
    await_true,
    everyone,
    harness_of,
    namespaces,
    running,
)
from tests.sites.test_conformance import MPI

from lab.errors import SiteError
from lab.experiment.reader import load
from lab.model.trial import DAEMON, Link, Step
from lab.plan.plan import SiteFacts, make_plan
from lab.programs import mpi
from lab.run.estimate import preflight
from lab.sites import host
from lab.sites.agent import computer
from lab.sites.site import silent
from lab.sites.wall import WallSite

pytestmark = pytest.mark.usefixtures("own_namespaces")

PAYLOAD_SHARE = 1448 / 1538  # of a 1500-byte frame on the wire, TCP's payload


@pytest.fixture(scope="module")
def cable() -> Iterator[WallSite]:
    site = host.open("cable")
    yield site
    site.stop()


@pytest.fixture
def jobs(cable: WallSite, programs: dict[Path, str]) -> Jobs:
    return Jobs(cable.ends, programs)


def family(process: int) -> list[int]:
    children = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [process, *itertools.chain.from_iterable(family(int(child)) for child in children.split())]


def received(cable: WallSite, jobs: Jobs, link: Link) -> float:
    """The bit/s that iperf3's server counts."""
    server = f"exec iperf3 -s -1 -p {PORT}"
    client = f"exec iperf3 -c {cable.ends.server.host} -p {PORT} --json -n 8M"
    (step,) = cable.run(jobs.shell(server, client, link=link)).steps
    assert step.client_status == 0, step
    return float(json.loads(step.client_out)["end"]["sum_received"]["bits_per_second"])


def test_a_modelled_rate_is_kept_and_never_passed(cable: WallSite, jobs: Jobs) -> None:
    rate = received(cable, jobs, Link(mtu=1500, rate_bit_s=10**8))
    assert 0.5 < rate / (PAYLOAD_SHARE * 10**8) <= 1.01
    assert received(cable, jobs, Link()) > 2 * 10**8


def test_offloads_of_one_job_do_not_change_the_next(cable: WallSite, jobs: Jobs) -> None:
    states = []
    for offload in (True, False, True):
        show = jobs.shell(LISTENING, "ethtool -k v0 | grep tcp-segmentation-offload", link=Link(offload=offload))
        states.append(cable.run(show).steps[0].client_out.split()[-1])
    assert states == ["on", "off", "on"]


def test_a_model_that_the_kernel_lacks_is_one_sentence(cable: WallSite, jobs: Jobs) -> None:
    if subprocess.run(["modprobe", "-n", "sch_netem"], capture_output=True, check=False).returncode == 0:
        pytest.skip("this kernel has netem, so that nothing is refused")
    with pytest.raises(SiteError, match="modprobe sch_netem"):
        cable.run(jobs.shell(LISTENING, "true", link=Link(delay_ns=1_000_000)))


def test_a_launcher_that_fails_before_its_daemon_starts_reports_its_message(cable: WallSite, jobs: Jobs) -> None:
    step = Step(DAEMON, ("sh", "-c", "echo broken >&2; exit 3", ":"), 0)
    (left,) = cable.run(jobs.pair((), (), steps=(step,))).steps
    assert (left.client_err, left.client_status, left.server_status) == ("broken\n", 3, 0)


@pytest.mark.parametrize("measure", ["latency", "one-way"])
def test_a_preflight_tries_mpi_too(cable: WallSite, programs: dict[Path, str], tmp_path: Path, measure: str) -> None:
    (tmp_path / "mpi.toml").write_text(MPI.replace("latency", measure))
    facts = SiteFacts.of(cable)
    (line,) = preflight(cable, facts, make_plan(load(tmp_path / "mpi.toml"), facts, programs).planned)
    assert line.startswith(f"preflight: mpi-tcp send {measure}: 1 MiB verified")


def test_a_killed_daemon_of_the_other_end_ends_the_launcher(cable: WallSite, jobs: Jobs) -> None:
    step = mpi.launch("tcp", cable.ends, ("sh", "-c", f"{LONG}.13; true"))
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(cable.run, jobs.pair((), (), steps=(step,)))
        await_true(lambda: sum(line.endswith(f" {LONG}.13") for line in running(f"{LONG}.13")) == 2)
        there = family(cable.connected().agents.far[1].popen.pid)
        (daemon,) = (each for each in there if computer.text(Path(f"/proc/{each}/comm")) == "orted")
        os.kill(daemon, signal.SIGKILL)
        (left,) = future.result(PATIENCE_S).steps
    assert left.client_status and left.server_status == 137, left
    await_none_running(f"{LONG}.13")


def test_a_link_that_goes_down_ends_the_trial_and_the_next_one_has_a_new_link(cable: WallSite, jobs: Jobs) -> None:
    server, client = jobs.tcp("1M@2000000/1", deadline_s=4)
    cut = jobs.beside_flow(SENT, "v0", "ip link set v0 down", client)
    (step,) = cable.run(jobs.pair(server, cut)).steps
    assert step.client_status and "no progress for 4 s" in step.client_err + step.server_err, step
    assert cable.run(jobs.pair(*jobs.tcp("64@100/10"))).steps[0].client_status == 0


def test_a_harness_that_is_killed_leaves_no_process_no_namespace_and_no_interface() -> None:
    with harness_of("host:cable", f"{LONG_S}.11") as harness:
        await_true(lambda: running(f"{LONG}.11"))
        made = namespaces(family(harness.pid)) - namespaces([os.getpid()])
        harness.send_signal(signal.SIGKILL)
    assert len(made) == 2
    await_true(lambda: not running(f"{LONG}.11") and not made & namespaces(everyone()))


@pytest.mark.parametrize("link", [Link(), Link(mtu=9000)], ids=["the same link", "another link"])
def test_an_agent_that_is_killed_is_one_sentence_and_the_next_trial_has_a_new_one(
    cable: WallSite, jobs: Jobs, link: Link
) -> None:
    assert cable.run(jobs.pair(*jobs.tcp("64@20/1"))).steps[0].client_status == 0
    end = cable.connected().agents.far[1]
    os.kill(end.popen.pid, signal.SIGKILL)
    end.popen.wait()
    with pytest.raises(SiteError, match="the server's namespace: the agent ended"):
        cable.run(jobs.shell(LISTENING, "true", link=link))
    assert cable.run(jobs.shell(LISTENING, "true")).steps[0].client_status == 0


def test_computer_whose_agent_is_killed_ends_all_and_is_named(cable: WallSite, jobs: Jobs) -> None:
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(cable.run, jobs.together(*[f"{LONG}.15; true"] * 4))
        await_true(lambda: sum(line.endswith(f" {LONG}.15") for line in running(f"{LONG}.15")) == 4)
        os.kill(cable.connected(4).agents.far[2].popen.pid, signal.SIGKILL)
        with pytest.raises(SiteError, match=r"^the computer of rank 2's namespace: the agent ended"):
            future.result(PATIENCE_S)
    await_none_running(f"{LONG}.15")
    assert not cable.run(jobs.together("true", "true")).failed


def test_program_that_fails_on_one_computer_ends_all(cable: WallSite, jobs: Jobs) -> None:
    lines = [f"{LONG}.16", f"echo waits; {LONG}.16", "echo broken >&2; exit 3"]
    (step,) = cable.run(jobs.together(*lines)).steps
    assert (step.client_status, step.server_status) == (137, 3)
    assert (step.server_out, step.server_err) == ("rank 1: waits\n", "rank 2: broken\n")


def test_no_line_is_lost_of_processes_that_print_at_once(cable: WallSite, jobs: Jobs) -> None:
    """As the launcher of MPI does, which starts a process for each computer to print its command."""
    count = "i=0; while [ $i -lt 5000 ]; do echo $i; i=$((i+1)); done"
    (step,) = cable.run(jobs.shell(LISTENING, f"for process in 1 2 3 4; do ({count}) & done; wait")).steps
    assert step.client_out.count("\n") == 4 * 5000


def test_temporary_files_of_two_computers_are_apart(cable: WallSite, jobs: Jobs) -> None:
    """Both may have processes of one number, and MPI names its files by it."""
    (step,) = cable.run(jobs.together(*["mkdir ${TMPDIR:-/tmp}/86317"] * 3)).steps
    assert (step.client_status, step.server_status, step.server_err) == (0, 0, "")


@pytest.mark.release
def test_switch_keeps_the_rate_and_drops_what_exceeds_its_queue(cable: WallSite, jobs: Jobs) -> None:
    send = "file=$(mktemp); until iperf3 -c 10.0.0.2 -p 1860{} -n 4M --json >$file; do :; done; cat $file"
    receive = "for port in 18600 18602; do iperf3 -s -1 -p $port >/dev/null & done; wait"
    model = {"rate_bit_s": 10**8, "queue_bytes": 20_000}
    outcome = cable.run(jobs.together(send.format(0), receive, send.format(2), **model))
    (step,) = outcome.steps
    assert not outcome.failed and json.loads(step.client_out)["end"]["sum_sent"]["retransmits"] > 0, step
    assert (
        4 << 20
        < outcome.grown["rank1.v1.rx_bytes"]
        < 1.01 * 10**8 / 8 * (outcome.clock_end_ns - outcome.clock_start_ns) / 1e9
    )


def test_two_runs_on_one_computer_take_turns(cable: WallSite, jobs: Jobs) -> None:
    assert cable.at_once == 1
    brief_s = f"1.{os.getpid()}"
    with harness_of("host:cable", brief_s) as other:
        await_true(lambda: running(f"sleep {brief_s}"))
        outcome = cable.run(jobs.shell(LISTENING, "true"))
        assert other.wait(PATIENCE_S) == 0 and outcome.steps[0].client_status == 0


def test_a_run_that_waits_for_another_one_prints_a_message(cable: WallSite, jobs: Jobs) -> None:
    lines: list[str] = []
    cable.prepare(lines.append)
    with ThreadPoolExecutor(1) as pool:
        with host.alone(silent):
            run = pool.submit(cable.run, jobs.shell(LISTENING, "true"))
            await_true(lambda: lines)
        assert run.result(PATIENCE_S).steps[0].client_status == 0
    assert lines == ["host: waiting for another run that measures on this computer"]
