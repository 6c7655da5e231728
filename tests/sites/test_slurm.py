"""The site slurm on a real cluster: lab.sites.slurm, lab.sites.queue."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.cluster import Cluster
from tests.sites.jobs import (
    LISTENING,
    LONG,
    PATIENCE_S,
    Jobs,
    await_none_running,
    await_true,
    everyone,
    harness_of,
    namespaces,
    running,
)
from tests.sites.test_conformance import MPI, record_of

from lab import doctor as doctor
from lab.errors import SiteError
from lab.grade.course import find_submissions, grade_class
from lab.model.trial import Outcome
from lab.places import CACHE
from lab.sites import slurm
from lab.sites.hosts import read_slurm
from lab.sites.queue import on_a_node
from lab.sites.slurm import SlurmSite

# In place of `lab grade`: it writes a grade with its job and node.
GRADER = """
import json, os, pathlib, sys
attempt = pathlib.Path(sys.argv[1]) / pathlib.Path(sys.argv[2]).stem / "1"
attempt.mkdir(parents=True)
check = {"name": "rerun", "most": 9, "status": "passed"}
grade = {"final": True, "ids": [os.environ["SLURM_JOB_ID"], os.environ["SLURMD_NODENAME"]], "checks": [check]}
(attempt / "grade.json").write_text(json.dumps(grade))
"""


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the controller answers at once, and files need no time to be seen."""
    monkeypatch.setattr(slurm, "ASK_S", 1.0)
    monkeypatch.setattr(slurm, "GRACE_S", 0.5)


@pytest.fixture
def site(cluster: Cluster) -> Iterator[SlurmSite]:
    opened = slurm.open("", cluster.toml())
    yield opened
    opened.stop()


@pytest.fixture
def jobs(site: SlurmSite, programs: dict[Path, str]) -> Jobs:
    return Jobs(site.ends, programs)


@pytest.fixture
def one_running(site: SlurmSite, jobs: Jobs) -> Iterator[Future[Outcome]]:
    """A trial that sleeps on both nodes."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(site.run, jobs.shell(LISTENING, f"{LONG}.31; true", deadline_s=600))
        await_true(lambda: running(f"{LONG}.31"))
        yield future
        site.stop()


def lost(future: Future[Outcome]) -> str:
    """The one sentence of a trial that was lost, and nothing of it left on the nodes."""
    error = future.exception(timeout=PATIENCE_S)
    assert isinstance(error, SiteError) and "\n" not in str(error), error
    await_none_running(f"{LONG}.31")
    return str(error)


def running_task(cluster: Cluster) -> str:
    (line,) = [line for line in cluster.jobs() if line.endswith("RUNNING")]
    return line.split()[0]


def test_both_nodes_are_named_in_the_state_and_the_link_by_the_plan(site: SlurmSite, jobs: Jobs) -> None:
    outcome = site.run(jobs.pair(*jobs.tcp("64@100/10")))
    assert outcome.state["nodes"] == ["n1", "n2"] and outcome.steps[0].client_status == 0
    assert outcome.counters_after["@client.interface.tx_bytes"] == outcome.counters_after["data0.tx_bytes"]
    sent, came = (outcome.grown[name] for name in ("data0.tx_bytes", "server.data0.rx_bytes"))
    assert 110 * 64 < sent < 110 * 64 + 20_000 and came >= sent  # nothing of Slurm's own


def test_a_submitted_job_survives_and_the_next_run_takes_its_outcome(
    cluster: Cluster, site: SlurmSite, jobs: Jobs, tmp_path: Path
) -> None:
    line = f"echo once >>{tmp_path}/ran; sleep 2"
    with harness_of("slurm", line, cluster.toml()) as harness:
        await_true((tmp_path / "ran").exists)
        harness.send_signal(signal.SIGKILL)
    job = jobs.shell(LISTENING, line, deadline_s=600, environment=(), overlay=())
    assert site.run(job).steps[0].client_status == 0
    assert (tmp_path / "ran").read_text() == "once\n"


def test_orterun_starts_ranks_if_srun_has_no_pmi(cluster: Cluster, programs: dict[Path, str], tmp_path: Path) -> None:
    site = slurm.open("", cluster.toml(mpi="orterun"))
    record = record_of(MPI, site, programs, tmp_path)
    assert record.facts.assessment.path == "the kernel's network from @client.interface"
    assert record.facts.asked.ends.launcher == "orterun on nodes"
    assert sum(each.sample == "round_trip" for each in record.samples) == 20
    assert record.facts.measured.grown["data0.tx_bytes"] > 20 * 4095
    site.stop()


def test_jobs_for_two_and_three_nodes_are_submitted_at_once(cluster: Cluster, jobs: Jobs) -> None:
    site = slurm.open("", cluster.toml(partition="three"))
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(site.run, jobs.together(*["true"] * count)) for count in (2, 3)]
        assert [str(future.result(PATIENCE_S).state["nodes"]).count("n") for future in futures] == [2, 3]
    site.stop()


@pytest.mark.usefixtures("one_running")
def test_nothing_of_the_cluster_can_be_reached_from_outside_of_its_networks(cluster: Cluster) -> None:
    listen = ("ss", "-Hlntup")
    assert {"slurmctld", "slurmd", "srun"} <= set(re.findall(r"[a-z]+", cluster.inside("n1", *listen)))
    outside = subprocess.run(listen, capture_output=True, text=True, check=True).stdout
    ours = {int(line.split()[0]) for line in running(str(CACHE / "daemons"))}
    assert not ours & {int(pid) for pid in re.findall(r"pid=(\d+)", outside)}


@pytest.fixture
def sleeping_job(cluster: Cluster) -> Iterator[list[str]]:
    """Processes of a job on both nodes."""
    cluster.ask("sbatch", "-N2", "-o", "/dev/null", "--wrap", f"srun -n2 sh -c '{LONG}.32; true'")
    await_true(lambda: len(sleepers()) == 2)
    yield sleepers()
    cluster.ask("scancel", "--user=root")
    await_true(lambda: cluster.states() == ["idle", "idle"])


def sleepers() -> list[str]:
    return [line for line in running(f"{LONG}.32") if line.endswith(f" {LONG}.32")]


def test_a_running_cluster_stays_and_one_without_daemons_is_taken_down(
    cluster: Cluster, sleeping_job: list[str]
) -> None:
    daemons = cluster.daemons()
    cluster.control("up")
    assert (cluster.daemons(), sleepers()) == (daemons, sleeping_job)
    networks = namespaces(daemons)
    for each in daemons:
        os.kill(each, signal.SIGKILL)
    cluster.control("down")
    assert len(networks) == 3
    await_true(lambda: not networks & namespaces(everyone()))
    await_none_running(f"{LONG}.32")
    cluster.control("up")


def test_stop_cancels_what_was_submitted(cluster: Cluster, site: SlurmSite, one_running: Future[Outcome]) -> None:
    site.stop()
    assert "was stopped" in lost(one_running)
    await_true(lambda: not cluster.jobs())


def test_a_drained_node_is_one_sentence(cluster: Cluster, site: SlurmSite, jobs: Jobs) -> None:
    cluster.ask("scontrol", "update", "nodename=n2", "state=drain", "reason=test")
    with pytest.raises(SiteError, match=r"no node for it within 2 s: .*try: sinfo -R"):
        site.run(jobs.shell(LISTENING, "true"))
    cluster.ask("scontrol", "update", "nodename=n2", "state=resume")
    await_true(lambda: not cluster.jobs() and cluster.states() == ["idle", "idle"])


def test_a_node_that_is_lost_in_a_trial_is_one_sentence(cluster: Cluster, one_running: Future[Outcome]) -> None:
    cluster.lose("n2")
    sentence = lost(one_running)
    assert "node n2: the agent ended" in sentence or "one of its nodes was lost" in sentence, sentence
    cluster.control("node", "n2")
    await_true(lambda: cluster.states() == ["idle", "idle"])


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"partition": "nosuch"}, r"sbatch: .*Invalid partition"),
        ({"modules": ["nosuch/1.0"]}, r"^Slurm job \d+_0: failed: the module nosuch/1.0 cannot be loaded"),
    ],
)
def test_a_setting_that_the_cluster_refuses_is_one_sentence(
    cluster: Cluster, jobs: Jobs, settings: dict[str, str | list[str]], error: str
) -> None:
    site = slurm.open("", cluster.toml(**settings))
    with pytest.raises(SiteError, match=error):
        site.run(jobs.shell(LISTENING, "echo never"))
    site.stop()


def unmounted(folder: Path) -> bool:
    """Whether nothing used it any more."""
    return subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode == 0


def test_a_full_disk_of_the_cluster_is_one_sentence(cluster: Cluster, jobs: Jobs, tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "small", str(tmp_path)], check=True)
    site = slurm.open("", cluster.toml(spool=str(tmp_path)))
    try:
        with pytest.raises(SiteError, match=r"outcome\.json: cannot be written: the disk is full \(try: free"):
            site.run(jobs.shell(LISTENING, "head -c 100000 /dev/zero | tr '\\0' x"))
    finally:
        site.stop()
        await_true(lambda: unmounted(tmp_path))  # the job's log is still open there for a moment


def test_the_doctor_finds_the_nodes_and_a_way_to_start_ranks(cluster: Cluster) -> None:
    found = {each.what: each for each in doctor.examine("slurm", cluster.toml())}
    assert found["cluster"].found == "lab: 3 nodes up" and found["MPI"].found == "srun --mpi=pmix"
    assert not any(each.remedy for each in found.values())


@pytest.mark.parametrize(
    ("installed", "error"),
    [
        (True, r"^scontrol: the cluster's controller cannot be reached \(try: scontrol ping\)"),
        (False, r"is not on this computer .*make slurm-up"),
    ],
)
def test_without_a_controller_or_slurm_an_error_has_a_hint(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, installed: bool, error: str
) -> None:
    hosts = cluster.toml()
    path = f"{cluster.unreachable(tmp_path)}:{os.environ['PATH']}" if installed else str(tmp_path)
    monkeypatch.setenv("PATH", path)
    with pytest.raises(SiteError, match=error):
        slurm.open("", hosts).prepare(print)


def test_each_submission_of_a_class_is_graded_in_another_job(cluster: Cluster, tmp_path: Path) -> None:
    hand_ins, grades = tmp_path / "submissions", tmp_path / "grades"
    hand_ins.mkdir()
    for name in ("ada.pdf", "bob.pdf", "eve.pdf", "broken.zip"):
        (hand_ins / name).write_text(name)
    (grades / "broken").mkdir(parents=True)
    (grades / "broken" / "1").write_text("in the way")
    on = on_a_node(read_slurm(cluster.toml()))

    command = [sys.executable, "-c", GRADER, str(grades)]

    done = {each.submission: each for each in grade_class(find_submissions(hand_ins)[0], grades, "", command, 8, on)}
    jobs = {each.grade.ids for name, each in done.items() if name != "broken.zip"}
    assert len(jobs) == 3 and {node for _, node in jobs} <= {"n1", "n2"}
    assert done["ada.pdf"].grade.points == 9 and "File exists" in done["broken.zip"].trouble


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("sbatch -p urgent -N2 -o /dev/null --wrap true", "it was preempted"),
        ("scancel {job}", "it was cancelled"),
        ("scontrol update jobid={job} EndTime=now", "its time was over (try: minutes = ... in hosts.toml)"),
    ],
)
def test_a_job_that_the_cluster_ends_is_one_sentence(
    cluster: Cluster, one_running: Future[Outcome], command: str, reason: str
) -> None:
    cluster.ask(*command.format(job=running_task(cluster)).split())
    assert reason in lost(one_running)
