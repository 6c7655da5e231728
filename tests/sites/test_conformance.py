"""The common behaviour of all sites: the same job has the same kind of outcome, and ends in time."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import pytest
from tests.sites.jobs import (
    ENDLESS,
    LATE_S,
    LISTENING,
    LONG,
    PATIENCE_S,
    PORT,
    RECEIVED,
    SENT,
    SITES,
    Jobs,
    await_none_running,
    await_true,
    running,
)
from tests.toml import series_of

from lab.errors import SiteStopped
from lab.experiment.reader import load
from lab.model.trial import Perturbation, Step, StepOutcome
from lab.places import EXAMPLES, EXPERIMENTS
from lab.plan.plan import SiteFacts, make_plan
from lab.plan.planning import under_test
from lab.programs.samples_csv import OF_PROCESSORS
from lab.records.facts import read_site
from lab.records.record import Record
from lab.run.measure import measure
from lab.sites import slurm, ssh
from lab.sites.site import Site

NS = 1_000_000_000
KILL = "kill -9 $program"
SEVERAL_S = 200  # the deadline of many steps in one job
# A server and a client, as lines for a shell.
SPEAK = "echo $LAB_TOKEN ${#LAB_PADDING}"
TELLS = f"echo no host; echo the host: fd00::2; echo the port is {PORT + 111}.; {LISTENING}"
STEPS = {
    "talk": (f"echo server >&2; {LISTENING}", "echo out; echo err >&2; exit 3"),
    "environment": (f"{SPEAK}; {LISTENING}", SPEAK),
    "failed server": ("echo broken >&2; exit 3", f"{LONG}.04"),
    "no program": ("exec no-such-server", "true"),
}
EXPERIMENT = """
title = "A small one"
question = "Does the way from TOML to record hold?"
[parameters]
sizes = "64,4K"
iterations = 100
warmup = 10
wait = "event"
wait_deadline_s = 50
deadline_s = 200
""" + series_of("tcp tcp send throughput")
# For a link that goes down; in a VM both ends take longer to connect.
IMPATIENT = EXPERIMENT.replace("wait_deadline_s = 50", "wait_deadline_s = 5")
MPI = """
title = "Two ranks"
question = "Do both ranks find each other over the link?"
[parameters]
sizes = "4095"
iterations = 20
warmup = 2
verify = true
wait_deadline_s = 50
deadline_s = 200
""" + series_of("mpi mpi-tcp send latency")

# A VM of the site `vm` boots for each job and runs it as the exact site's does: most tests repeat there for a release.
on_vm_too = pytest.mark.parametrize("open_again", SITES, indirect=True)


def record_of(experiment: str, site: Site, programs: dict[Path, str], folder: Path) -> Record:
    (folder / "small.toml").write_text(experiment)
    facts = SiteFacts.of(site)
    (planned,) = make_plan(load(folder / "small.toml"), facts, programs).planned
    return measure(planned, site, facts)


@on_vm_too
def test_a_trial_has_a_whole_record_that_its_counters_and_its_clock_confirm(
    site: Site, programs: dict[Path, str], tmp_path: Path
) -> None:
    record = record_of(EXPERIMENT, site, programs, tmp_path)
    assert {(each.size_bytes, each.sample) for each in record.samples} == {
        (size, sample) for size in (64, 4096) for sample in ("window", "completed", "confirmed", *OF_PROCESSORS)
    }
    assert read_site(json.loads(json.dumps(record.facts.table()))) == SiteFacts.of(site)
    assert record.facts.measured.grown[f"{site.ends.client.interface}.tx_bytes"] >= 110 * (64 + 4096)
    assert 0 < record.facts.clock_ns < 200 * NS


def test_both_ranks_of_an_mpi_program_start_at_their_ends_and_the_record_names_their_path(
    site: Site, programs: dict[Path, str], tmp_path: Path
) -> None:
    record = record_of(MPI, site, programs, tmp_path)
    found = [(each.size_bytes, each.sample, each.messages) for each in record.samples]
    assert found == [(4095, "round_trip", 1)] * 20 + [(4095, sample, 20) for sample in OF_PROCESSORS]
    assert record.facts.assessment.path == f"the kernel's network from {site.ends.client.interface}"
    await_none_running("4095@20/2")


@pytest.fixture(params=["host", "ssh", "slurm"])
def several_computers(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A site with three computers. On exact: tests/machine/test_switch.py."""
    if request.param == "ssh":
        site: Site = ssh.open("", request.getfixturevalue("ssh_hosts").three())
    elif request.param == "slurm":
        site = slurm.open("", request.getfixturevalue("cluster").toml(partition="three"))
    else:
        site = request.getfixturevalue("open_host")()
    yield site
    site.stop()


def test_programs_of_three_computers_reduce_and_each_has_its_counters(several_computers: Site, tmp_path: Path) -> None:
    site = several_computers
    for folder in (EXAMPLES, EXPERIMENTS / "all_reduce"):
        copytree(folder, tmp_path / folder.name)
    text = (EXAMPLES / "ring.toml").read_text()
    for key in ("rate_bit_s", "queue_bytes", "repetitions"):  # a real link takes no model
        text = re.sub(f"^{key} = .*", "", text, flags=re.MULTILINE)
    (tmp_path / "examples" / "ring.toml").write_text(text.replace("computers = 4", "computers = 3"))
    experiment = load(tmp_path / "examples" / "ring.toml")
    facts = SiteFacts.of(site)
    for planned in make_plan(experiment, facts, under_test([experiment], site, print)).planned:
        record = measure(planned, site, facts)
        assert sorted({each.size_bytes for each in record.samples}) == [1 << 10, 1 << 14, 1 << 18]
        assert read_site(json.loads(json.dumps(record.facts.table()))) == facts
        grown = record.facts.measured.grown.items()
        sent = [max(count for name, count in grown if re.match(rf"rank{rank}\..*tx_bytes", name)) for rank in (1, 2)]
        assert min(sent) > 8 * (1 << 18) and record.facts.moment.state is not None
        assert {"client", "server", "rank2"} <= record.facts.moment.state.keys()


def test_receiver_of_three_computers_gets_the_block_of_each_sender(several_computers: Site, tmp_path: Path) -> None:
    """Its program compares every byte."""
    site = several_computers
    copytree(EXPERIMENTS / "incast", tmp_path / "incast")
    head, _, deep, *_ = (EXPERIMENTS / "incast.toml").read_text().split("[[series]]\n")
    text = re.sub("^(card|queue_bytes) = .*", "", f"{head}[[series]]\n{deep}", flags=re.MULTILINE)
    (tmp_path / "incast.toml").write_text(
        text.replace("computers = 9", "computers = 3").replace("1, 2, 4, 6, 8", "1, 2")
    )
    experiment = load(tmp_path / "incast.toml")
    facts = SiteFacts.of(site)
    one, both = (
        measure(planned, site, facts)
        for planned in make_plan(experiment, facts, under_test([experiment], site, print)).planned
    )
    for record, senders in ((one, 1), (both, 2)):
        grown = record.facts.measured.grown.items()
        received = max(count for name, count in grown if re.fullmatch(r"\w+\.rx_bytes", name))
        assert received > 17 * senders * 65536 and len(record.samples) == 1


@on_vm_too
def test_the_identity_is_the_same_when_it_is_opened_again(site: Site, open_again: Callable[[], Site]) -> None:
    again = open_again()
    assert again.identity() == site.identity() and again.ends == site.ends
    again.stop()


@pytest.fixture(scope="module")
def several(site: Site, programs: dict[Path, str]) -> dict[str, StepOutcome]:
    """Steps of one job, since a VM boots for each job."""
    jobs, perturbation = Jobs(site.ends, programs), Perturbation(environment_bytes=9)
    server, client = jobs.tcp(ENDLESS)
    steps = {name: jobs.shell(*lines).steps[0] for name, lines in STEPS.items()} | {
        "killed server": Step(jobs.beside_flow(RECEIVED, site.ends.server.interface, KILL, server), client, PORT),
        "printed": Step(
            ("sh", "-c", TELLS), ("echo", "at @printed0@:@printed1@, it's"), PORT, None, ("host", "port is")
        ),
        "killed client": Step(server, jobs.beside_flow(SENT, site.ends.client.interface, KILL, client), PORT),
    }
    job = jobs.pair((), (), steps=tuple(steps.values()), perturbation=perturbation, deadline_s=SEVERAL_S)
    return dict(zip(steps, site.run(job).steps, strict=True))


def test_both_ends_talk_and_statuses_are_kept(several: dict[str, StepOutcome]) -> None:
    step = several["talk"]
    assert (step.client_out, step.client_err, step.client_status) == ("out\n", "err\n", 3)
    assert step.server_err.startswith("server\n")


def test_what_the_server_printed_is_in_the_command_of_its_client(several: dict[str, StepOutcome]) -> None:
    assert several["printed"].client_out == f"at fd00::2:{PORT + 111}, it's\n"


def test_the_environment_of_a_repetition_reaches_both_programs(several: dict[str, StepOutcome]) -> None:
    step = several["environment"]
    assert step.client_out == "t 9\n" and step.server_out.startswith("t 9\n")


def test_a_client_is_not_left_waiting_for_a_server_that_failed(several: dict[str, StepOutcome]) -> None:
    step = several["failed server"]
    assert (step.client_status, step.server_status, step.server_err) == (137, 3, "broken\n")
    assert step.clock_end_ns - step.clock_start_ns < SEVERAL_S * NS


def test_a_server_that_stays_is_ended_after_its_client(several: dict[str, StepOutcome]) -> None:
    step = several["environment"]
    assert step.client_status == 0 and step.server_status != 124


def test_a_missing_program_is_named(several: dict[str, StepOutcome]) -> None:
    step = several["no program"]
    assert step.server_status == 127 and "no-such-server" in step.server_err


def test_a_job_past_its_deadline_is_ended_at_both_ends_and_later_steps_never_run(site: Site, jobs: Jobs) -> None:
    slow, never = jobs.shell(f"{LISTENING} -J", f"echo begun; {LONG}.01; true"), jobs.shell(LISTENING, "echo begun")
    outcome = site.run(jobs.pair((), (), steps=(*slow.steps, *never.steps), deadline_s=8))
    step, later = outcome.steps
    assert (step.client_status, step.server_status, step.client_out) == (124, 124, "begun\n")
    assert (later.client_status, later.client_out) == (124, "")
    assert 7.5 * NS < outcome.clock_end_ns - outcome.clock_start_ns < LATE_S * NS
    await_none_running(f"{LONG}.01")


@pytest.mark.parametrize("open_again", ["exact", "host"], indirect=True)
def test_a_server_that_never_listens_ends_in_the_deadline(site: Site, jobs: Jobs) -> None:
    """In a VM, and by agents, which all other sites have."""
    (step,) = site.run(jobs.shell(f"{LONG}.02; true", "echo begun", deadline_s=2)).steps
    assert step.server_status == 124 and step.client_out == ""
    await_none_running(f"{LONG}.02")


@pytest.mark.parametrize("end", ["server", "client"])
def test_a_killed_peer_ends_the_other_end_with_a_sentence(several: dict[str, StepOutcome], end: str) -> None:
    step = several[f"killed {end}"]
    talk = step.client_err if end == "server" else step.server_err
    assert "the other end is gone" in talk or "reset by peer" in talk, step
    assert step.client_status and step.server_status, step
    await_none_running(ENDLESS)


@pytest.mark.parametrize("open_again", [name for name in SITES if name != "exact"], indirect=True)
def test_stop_ends_what_runs_and_what_waits(open_again: Callable[[], Site], jobs: Jobs) -> None:
    """On exact: tests/machine/test_jobs.py."""
    site = open_again()
    site.prepare(print)
    job = jobs.shell(LISTENING, f"{LONG}.05", deadline_s=600)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(site.run, job) for _ in range(2)]
        try:
            await_true(lambda: running(f"{LONG}.05") or (site.name == "vm" and running("qemu-system")))
        finally:
            site.stop()
        for run in runs:
            with pytest.raises(SiteStopped):
                run.result(PATIENCE_S)
    await_none_running(f"{LONG}.05")
