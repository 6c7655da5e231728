"""The site ssh on two real ssh servers: lab.sites.{ssh,agent}."""

import hashlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests import namespaces
from tests.sites.jobs import (
    LISTENING,
    LONG,
    LONG_S,
    PATIENCE_S,
    PORT,
    Jobs,
    await_none_running,
    await_true,
    harness_of,
    running,
)
from tests.sites.ssh_hosts import SshHosts
from tests.sites.test_conformance import IMPATIENT

from lab.errors import SiteError, SpecError
from lab.experiment.reader import load
from lab.model.trial import Job, Link
from lab.places import BENCH
from lab.plan.builds import kept_binary
from lab.plan.plan import Plan, SiteFacts, make_plan
from lab.programs import mpi
from lab.records.record import has_record
from lab.run.run import RunSetup, run_trials
from lab.sites import ssh
from lab.sites.wall import WallSite

# Nobody listens there: a refusal is an answer.
KNOCK = """
import errno, socket, sys
socket.setdefaulttimeout(1)
sys.exit(socket.socket().connect_ex((sys.argv[1], 9)) != errno.ECONNREFUSED)
"""
CUT_BYTES = 10**6  # more than the trial before sends


@pytest.fixture(scope="module")
def site(open_ssh: Callable[[], WallSite]) -> Iterator[WallSite]:
    opened = open_ssh()
    yield opened
    opened.stop()


@pytest.fixture
def other_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshHosts]:
    """Two hosts that a test may destroy, and little patience with them."""
    namespaces.need_root()
    monkeypatch.setattr(ssh, "ALIVE_S", 1)
    hosts = SshHosts(tmp_path)
    yield hosts
    hosts.stop()


def refused(hosts: Path, wanted: str = "") -> str:
    """The one sentence with which the site can't be opened, within the deadline."""
    started = time.monotonic()
    site = ssh.open(wanted, hosts)
    with pytest.raises(SiteError) as error:
        site.prepare(print)
    site.stop()
    assert "\n" not in str(error.value) and time.monotonic() - started < PATIENCE_S
    return str(error.value)


def test_data_use_the_data_link_and_not_the_login_network(site: WallSite) -> None:
    assert (site.ends.client.host, site.ends.client.interface) == ("10.77.0.1", "data0")
    assert (site.ends.server.host, site.ends.side_channel) == ("10.77.0.2", "10.77.0.2")
    assert site.identity()["hosts"] == "alice to bob"


def test_without_settings_the_link_is_the_login_network(ssh_hosts: SshHosts) -> None:
    hosts = ssh_hosts.toml()
    hosts.write_text(hosts.read_text().replace('interface = "data0", ', ""))
    site = ssh.open("", hosts)
    assert (site.ends.client.interface, site.ends.client.host) == ("login0", "10.78.1.1")
    site.stop()


def test_the_clocks_of_both_hosts_may_differ_by_days(site: WallSite, jobs: Jobs) -> None:
    clock = "cat /proc/uptime"
    (step,) = site.run(
        jobs.shell(f"{clock}; python3 -c 'import time; print(time.monotonic())'; {LISTENING}", clock)
    ).steps
    assert float(step.server_out.split()[2]) - step.clock_start_ns / 1e9 > 900_000
    assert 0 < step.clock_end_ns - step.clock_start_ns < 10 * 10**9


def test_a_full_disk_over_there_is_one_sentence(ssh_hosts: SshHosts, jobs: Jobs) -> None:
    ssh_hosts.inside("bob", "mkdir", "-p", "/run/small")
    ssh_hosts.inside("bob", "mount", "-t", "tmpfs", "-o", "size=16k", "small", "/run/small")
    hosts = ssh_hosts.toml()
    alice, bob = hosts.read_text().split("server =")
    hosts.write_text(alice + "server =" + bob.replace(f"{ssh_hosts.folder}/programs", "/run/small"))
    site = ssh.open("", hosts)
    with pytest.raises(SiteError, match=r"^bob: no room for the programs in /run/small: \d+ bytes needed, \d+ free"):
        site.run(jobs.pair(*jobs.tcp("64@20/1")))
    site.stop()


def test_a_program_that_does_not_run_there_is_built_there_and_listed_in_the_state(
    site: WallSite, jobs: Jobs, programs: dict[Path, str], tmp_path: Path
) -> None:
    foreign = b"\x7fELF of another processor"
    digest = hashlib.sha256(foreign).hexdigest()
    (tmp_path / digest).mkdir()
    (tmp_path / digest / "tcp-server").write_bytes(foreign)
    client = kept_binary("tcp-client", programs[BENCH / "tcp-client"])
    job = jobs.pair(*jobs.tcp("64@20/1"), overlay=(client, tmp_path / digest / "tcp-server"), deadline_s=100)
    outcome = site.run(job)
    assert outcome.steps[0].client_status == 0, outcome.steps
    server = outcome.state["server"]
    assert isinstance(server, dict) and server["built_there"] == [f"{digest}/tcp-server"]


def test_another_users_server_on_the_port_is_one_sentence(ssh_hosts: SshHosts, site: WallSite, jobs: Jobs) -> None:
    busy = [*ssh_hosts.place("bob"), "iperf3", "-s", "-p", str(PORT)]
    with subprocess.Popen(busy, stdout=subprocess.DEVNULL) as other:
        await_true(lambda: f":{PORT:04X} " in ssh_hosts.inside("bob", "cat", "/proc/net/tcp6").stdout)
        (step,) = site.run(jobs.pair(*jobs.tcp("64@20/1"))).steps
        subprocess.run([*ssh_hosts.place("bob"), "pkill", "-x", "iperf3"], check=True)
        other.wait()
    assert step.server_status == 1 and "is another server running" in step.server_err and step.client_status


def test_a_real_link_takes_no_model(site: WallSite, jobs: Jobs) -> None:
    with pytest.raises(SiteError, match="a real link takes no model"):
        site.run(jobs.shell(LISTENING, "true", link=Link(rate_bit_s=10**9)))


def plan_of(site: WallSite, programs: dict[Path, str], folder: Path, iterations: int) -> Plan:
    file = folder / f"{iterations}.toml"
    file.write_text(IMPATIENT.replace("iterations = 100\n", f"iterations = {iterations}\nleast_time_s = 0\n"))
    return make_plan(load(file), SiteFacts.of(site), programs)


def test_a_link_that_goes_down_costs_its_trial_a_sentence_and_no_other(
    ssh_hosts: SshHosts, site: WallSite, programs: dict[Path, str], tmp_path: Path
) -> None:
    def sent() -> int:
        listed = ssh_hosts.inside("alice", "awk", '$1 == "data0:" { print $10 }', "/proc/net/dev")
        return int(listed.stdout)

    def turn(state: str) -> None:
        ssh_hosts.inside("alice", "ip", "link", "set", "data0", state)

    def answers() -> bool:
        with suppress(subprocess.CalledProcessError):
            return bool(ssh_hosts.inside("alice", sys.executable, "-c", KNOCK, site.ends.server.host))
        return False

    done, lost, later = (plan_of(site, programs, tmp_path, count) for count in (100, 5_000_000, 101))
    work, before = RunSetup(site, done.site, tmp_path / "results"), sent()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(run_trials, work, [*done.planned, *lost.planned], 1, lambda *_: None)
        await_true(lambda: sent() > before + CUT_BYTES)
        try:
            turn("down")
            summary = run.result(PATIENCE_S)
        finally:
            turn("up")
            await_true(answers)
    ((_, sentence),) = summary.failed
    assert sentence.startswith("alice's data0 is down; ") and "no progress for 5 s" in sentence, sentence
    assert "\n" not in sentence
    await_none_running("5000000")
    after = run_trials(work, [*later.planned], 1, lambda *_: None)
    assert (after.measured, after.failed) == (1, [])
    kept = [has_record(work.results, plan.planned[0].trial.key) for plan in (done, lost, later)]
    assert kept == [True, False, True]


def test_orphaned_ranks_are_ended_on_both_hosts(site: WallSite, jobs: Jobs) -> None:
    """Open MPI puts each rank into another process group."""
    step = mpi.launch("tcp", site.ends, ("sh", "-c", f"exec {LONG}.23"))
    (left,) = site.run(jobs.pair((), (), steps=(step,), deadline_s=3)).steps
    assert left.client_status == 124, left
    await_none_running(f"{LONG}.23")


def test_a_harness_that_is_killed_leaves_nothing_running_on_either_host(ssh_hosts: SshHosts) -> None:
    with harness_of("ssh", f"{LONG_S}.21", ssh_hosts.toml()) as harness:
        await_true(lambda: running(f"{LONG}.21"))
        harness.send_signal(signal.SIGKILL)
    await_none_running(f"{LONG}.21")
    await_none_running("iperf3 -s -p 18600")


def _run_and(site: WallSite, job: Job, how: Callable[[], object]) -> None:
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(site.run, job)
        await_true(lambda: running(f"{LONG}.22"))
        how()
        run.result()


def test_a_host_that_is_cut_off_in_a_trial_is_one_sentence_and_ends_what_it_runs(
    other_hosts: SshHosts, jobs: Jobs
) -> None:
    site = ssh.open("", other_hosts.toml())
    site.prepare(print)
    with pytest.raises(SiteError, match="alice: it does not answer any more"):
        _run_and(
            site,
            jobs.shell(LISTENING, f"{LONG}.22", deadline_s=15),
            lambda: other_hosts.inside("alice", "ip", "link", "set", "login0", "down"),
        )
    site.stop()
    await_none_running(f"{LONG}.22")


def test_third_host_that_is_lost_ends_all_and_is_named(other_hosts: SshHosts, jobs: Jobs) -> None:
    site = ssh.open("", other_hosts.three())
    with pytest.raises(SiteError, match=r"^carol: "):
        _run_and(site, jobs.together(*[f"{LONG}.22; true"] * 3), other_hosts.holders["carol"].kill)
    site.stop()
    await_none_running(f"{LONG}.22")


def test_missing_hosts_are_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"hosts\.toml: is not there .*docs/real-links\.md"):
        ssh.open("", tmp_path / "hosts.toml")
    with pytest.raises(SiteError, match="'alice' does not name two hosts"):
        ssh.open("alice")


@pytest.mark.parametrize(
    ("bob", "reason"),
    [
        ("nowhere", "nowhere: it cannot be reached: no ssh server there (try: ssh nowhere)"),
        ("no.such.host.invalid", "no.such.host.invalid: its name cannot be resolved"),
    ],
)
def test_a_host_without_a_server_is_one_sentence(ssh_hosts: SshHosts, bob: str, reason: str) -> None:
    assert reason in refused(ssh_hosts.toml(bob=bob))


@pytest.mark.parametrize(
    ("file", "change", "reason"),
    [
        ("known_hosts", lambda text: text.replace(text.split()[6], text.split()[2]), "bob: its host key has changed"),
        ("known_hosts", lambda text: text.splitlines(keepends=True)[0], "bob: its host key is not in known_hosts"),
        ("authorized_keys", lambda _: "",
         "alice: it refuses to log you in without a password (try: ssh-copy-id alice)"),
    ],
)  # fmt: skip
def test_a_key_that_does_not_fit_is_one_sentence(
    ssh_hosts: SshHosts, file: str, change: Callable[[str], str], reason: str
) -> None:
    path = ssh_hosts.folder / file
    before = path.read_text()
    path.write_text(change(before))
    try:
        assert reason in refused(ssh_hosts.toml())
    finally:
        path.write_text(before)
