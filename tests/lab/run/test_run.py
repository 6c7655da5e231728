"""Trials are run once and recorded, whoever else runs."""

import errno
import fcntl
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab import fake_site as fake
from tests.lab.conftest import PEERS
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory
from tests.toml import series_of

from lab.errors import RecordError, SiteError, TrialFailed
from lab.files.store import SUMS
from lab.model.trial import Job, Outcome, StepOutcome
from lab.places import ROOT
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.programs.program import Build
from lab.records.facts import VOLATILE
from lab.records.record import find_key, has_record, open_record, record_folder
from lab.report.evidence.evidence import gather
from lab.run.measure import judge, measure, record_facts
from lab.run.run import RunSetup, RunSummary, damaged, missing, run_trials, slow_notices, trial_lock
from lab.sites.site import Clock, Shared

Make = Callable[..., Plan]
# A disk in a mount namespace, which any user may make; it ends with the shell.
TINY_DISK = """
mount -t tmpfs -o size=48k none "$0"
"$@"; echo $?
mount -o remount,size=4m "$0"
"$@"
"""


def run(plan: Plan, site: Any, results: Path, *, fresh: bool = False) -> RunSummary:
    todo, _ = missing([plan], results, fresh=fresh)
    return run_trials(RunSetup(site, plan.site, results, fresh), todo, 2, lambda *_: None)


MINE = """
title = "t"
question = "q"
[parameters]
sizes = "64"
iterations = 40
repetitions = 1
[programs.mine]
folder = "mine"
build = "make"
binaries = ["mine"]
server = "mine {port}"
client = "mine {host} {port}"
output = "pattern"
pattern = '(?P<size>\\d+): (?P<value>\\S+)'
unit = "UNIT"
""" + series_of("mine mine send throughput")


def test_output_is_read_again_if_only_its_reading_was_wrong(
    make_small_plan: Make, fake_site: FakeSite, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    step = StepOutcome("64: 8\n", "", "", "", 0, 0, 0, 10**9)
    outcome = Outcome((step,), {"v0.tx_bytes": 0}, {"v0.tx_bytes": 2560}, 0, 10**9, "", 0.0)
    ran: list[Job] = []

    def run_mine(job: Job) -> Outcome:
        ran.append(job)
        return outcome

    monkeypatch.setattr(fake_site, "run", run_mine)
    wrong, right = (make_small_plan(MINE.replace("UNIT", unit)) for unit in ("us", "Mbit/s"))
    assert "not a unit of throughput" in run(wrong, fake_site, results).failed[0][1]
    assert run(right, fake_site, results).measured == 1 and len(ran) == 1
    assert run(right, fake_site, results, fresh=True).measured == 1 and len(ran) == 2


def test_experiments_come_one_after_the_other_and_their_first_repetitions_first(
    make_small_plan: Make, results: Path
) -> None:
    first, second = make_small_plan(), make_small_plan(PEERS.replace("iterations = 40", "iterations = 80"))
    todo, _ = missing([first, second], results)
    keys = [planned.trial.key for planned in todo]
    assert set(keys[:10]) == {planned.trial.key for planned in first.planned} and len(set(keys)) == len(keys)
    assert [planned.repetition for planned in todo] == [1] * 5 + [2] * 5 + [1] * 2 + [2] * 2


def test_shared_trial_is_measured_with_the_first_experiment(make_small_plan: Make, results: Path) -> None:
    small, whole = make_small_plan(PEERS), make_small_plan()
    assert missing([whole, small], results) == missing([whole], results)
    todo, _ = missing([small, whole], results)
    assert [each.trial.key for each in todo[:4]] == [each.trial.key for each in missing([small], results)[0]]
    assert len(todo) == 10


def test_record_has_the_request_and_the_results(make_small_plan: Make, fake_site: FakeSite, results: Path) -> None:
    plan = make_small_plan()
    run(plan, fake_site, results)
    planned = plan.planned[4]
    facts = open_record(results, find_key(results, planned.trial.key[:12])).facts()
    assert facts.moment.published["tx_depth"] == 128 and facts.asked.options["tx_depth"] == 64
    assert facts.asked.programs == {"verbs-server": "d", "verbs-client": "d"}
    assert facts.measured.counters_after["v0.tx_bytes"] > 0 and facts.measured.steps[0].client_status == 0
    record = judge(planned, plan.site, FakeSite().run(planned.trial.job), {})
    assert open_record(results, record.key).samples() == record.samples and facts.lasting() == record.facts.lasting()


def test_trial_of_two_experiments_has_the_same_record_in_both() -> None:
    plans = [laboratory.plan_of(name) for name in ("verbs_throughput", "write_parameters")]
    first, second = ({planned.trial.key: planned for planned in plan.planned} for plan in plans)
    outcome = Outcome((), {}, {}, 0, 0, "", 0.0)
    shared = first.keys() & second.keys()
    assert len(shared) > 20
    for key in shared:
        one, other = (record_facts(trials[key], plans[0].site, outcome) for trials in (first, second))
        assert one.lasting() == other.lasting()
        assert one.table().keys() - one.lasting().keys() <= set(VOLATILE)


def test_samples_of_two_runs_are_the_same_bytes(make_small_plan: Make, tmp_path: Path) -> None:
    plan = make_small_plan()
    for name in ("one", "two"):
        run(plan, FakeSite(), tmp_path / name)
    files = (record_folder(tmp_path / name, plan.planned[0].trial.key) / "samples.csv.gz" for name in ("one", "two"))
    first, second = (file.read_bytes() for file in files)
    assert first == second and gzip.decompress(first).startswith(b"# lab-bench 1\n")


def first_step(**values: Any) -> Callable[[Outcome], Outcome]:
    return lambda outcome: replace(outcome, steps=(replace(outcome.steps[0], **values), *outcome.steps[1:]))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (first_step(client_status=1, client_err="verbs-client: no route"), "ended with status 1: verbs-client: no rou"),
        (first_step(server_status=124), "did not end before the deadline"),
        (first_step(server_status=137), "was ended by signal 9"),
        (first_step(client_out="cut"), "no whole table of one row"),
        (lambda outcome: replace(outcome, counters_after={"v0.tx_bytes": 100}), "but v0.tx_bytes counted 100"),
        (
            lambda outcome: replace(
                outcome, steps=tuple(replace(step, clock_end_ns=step.clock_start_ns + 1) for step in outcome.steps)
            ),
            "the site's clock advanced by",
        ),
        (lambda outcome: replace(outcome, steps=outcome.steps[:-1]), "steps ran"),
    ],
)
def test_failed_trial_leaves_its_evidence_and_no_record(
    make_small_plan: Make, fake_site: FakeSite, results: Path, change: Callable[[Outcome], Outcome], sentence: str
) -> None:
    fake_site.change = change
    summary = run(make_small_plan(), fake_site, results)
    assert len(summary.failed) == 10 and summary.measured == 0 and not list(results.glob("records/*/*"))
    assert any(sentence in what for _, what in summary.failed)
    (folder, *_) = (results / "failed").iterdir()
    names = {file.name for file in folder.iterdir()}
    assert {"failure.txt", "record.json", "client.log", "server.log", "client.out"} <= names


def test_two_runs_at_once_share_the_work(make_small_plan: Make, results: Path) -> None:
    plan, sites, summaries = make_small_plan(), [FakeSite(0.05), FakeSite(0.05)], list[RunSummary]()
    threads = [threading.Thread(target=lambda site=site: summaries.append(run(plan, site, results))) for site in sites]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(site.jobs for site in sites) == 10 and sum(summary.measured for summary in summaries) == 10
    assert missing([plan], results) == ([], 10)


@pytest.mark.usefixtures("users_namespaces")
def test_full_disk_loses_no_record_and_the_same_command_continues(
    experiment_file: Callable[[str], Path], results: Path
) -> None:
    results.mkdir()
    file = experiment_file(PEERS.replace("repetitions = 2", "repetitions = 20"))
    command = (sys.executable, fake.__file__, "0", "run", file, "--site", "exact", "--results", results)
    script = ("unshare", "-rm", "sh", "-c", TINY_DISK, results, *command)
    done = subprocess.run(script, check=True, capture_output=True, text=True, cwd=ROOT)
    assert "the disk is full (try: free some space and run the same command again" in done.stderr
    refused, finished = done.stdout.splitlines()
    measured, _, _, kept, *_ = finished.split()
    assert (refused, int(measured) + int(kept)) == ("2", 40) and int(kept) > 0


def test_lock_is_released_where_its_file_cannot_be_removed(results: Path, tmp_path: Path) -> None:
    file, moved = results / "locks" / "key", tmp_path / "moved"
    with pytest.raises(OSError, match="key"), trial_lock(results, "key") as is_locked:
        assert is_locked
        file.rename(moved)
        file.mkdir()
    with moved.open() as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_half_record_of_a_killed_run_does_not_count(make_small_plan: Make, fake_site: FakeSite, results: Path) -> None:
    plan = make_small_plan()
    folder = record_folder(results, plan.planned[0].trial.key)
    half = folder.with_name(f".{folder.name}.tmp")
    half.mkdir(parents=True)
    (half / "record.json").write_text("{")
    assert not has_record(results, plan.planned[0].trial.key)
    assert run(plan, fake_site, results).measured == 10 and not half.exists()


@pytest.mark.parametrize("name", ["record.json", "samples.csv.gz", "server.log", "client.log", "digests"])
@pytest.mark.parametrize("harm", ["flip", "empty", "gone"])
def test_damaged_record_does_not_count_and_is_measured_again(
    measured_plan: Plan, results: Path, name: str, harm: str
) -> None:
    key = measured_plan.planned[0].trial.key
    file = record_folder(results, key) / name
    content = file.read_bytes()
    file.unlink()
    if harm != "gone":
        file.write_bytes((bytes([content[0] ^ 1]) + content[1:] if harm == "flip" else b"") if content else b"x")
    assert not has_record(results, key)
    (sentence,) = damaged(measured_plan.planned, results)
    assert sentence.startswith(str(file.parent)) and "counts for nothing" in sentence
    assert name in sentence or name == SUMS
    assert run(measured_plan, FakeSite(), results).measured == 1
    assert has_record(results, key) and damaged(measured_plan.planned, results) == []


def test_rewritten_samples_are_refused_by_every_reader(measured_plan: Plan, results: Path) -> None:
    key = measured_plan.planned[0].trial.key
    file = record_folder(results, key) / "samples.csv.gz"
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()).replace(b"0", b"1")))
    with pytest.raises(RecordError, match=r"samples.csv.gz: is not what was written"):
        open_record(results, key).samples()
    with pytest.raises(RecordError, match=r"no whole record of 1 of 10 trials.*samples.csv.gz is not what"):
        gather(measured_plan, results)


PANIC = SiteError("the guest's kernel panicked", hint="less of it", evidence={"console.log": "Oops"})


@pytest.mark.parametrize(
    "error", [PANIC, *(OSError(n, os.strerror(n), "/m") for n in (errno.EMFILE, errno.ENOENT, errno.EFBIG))], ids=repr
)
def test_trial_that_the_site_could_not_run_leaves_its_evidence_and_stops_no_other(
    make_small_plan: Make, fake_site: FakeSite, results: Path, error: Exception
) -> None:
    def fail(_: Outcome) -> Outcome:
        raise error

    fake_site.change = fail
    summary = run(make_small_plan(), fake_site, results)
    assert len(summary.failed) == 10 and not any(results.glob("records/??/[!.]*"))
    for planned, sentence in summary.failed:
        folder = results / "failed" / planned.trial.key
        assert sentence.startswith("/m: " if error is not PANIC else "the guest's kernel panicked")
        assert json.loads((folder / "record.json").read_text())["key"] == planned.trial.key
        if error is PANIC:
            assert str(folder) in sentence and "less of it" in sentence
            assert (folder / "console.log").read_text() == "Oops" and "panicked" in (folder / "failure.txt").read_text()


def test_interrupt_ends_what_the_site_runs_and_counts_what_is_left(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    """A stopped site ends its VMs: tests/machine/test_jobs.py."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    plan, fake_site.later_seconds = make_small_plan(), 30.0
    with pytest.raises(KeyboardInterrupt, match=f"{len(plan.planned) - 1} trials left"):
        run_trials(RunSetup(fake_site, plan.site, results), [*plan.planned], 1, interrupt)
    assert fake_site.stopped.is_set()


@pytest.mark.usefixtures("handlers")
def test_signal_before_all_trials_are_submitted_ends_the_run_and_counts_what_is_left(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    class Signalling(list[Planned]):
        def __iter__(self) -> Iterator[Planned]:
            for planned in super().__iter__():
                if not fake_site.stopped.is_set():
                    os.kill(os.getpid(), signal.SIGINT)
                yield planned

    plan, fake_site.later_seconds = make_small_plan(), 30.0
    with pytest.raises(KeyboardInterrupt, match=r"kept; \d+ trials left"):
        run_trials(RunSetup(fake_site, plan.site, results), Signalling(plan.planned), 1, lambda *_: None)
    assert fake_site.stopped.is_set()


@pytest.mark.parametrize("end", ["client", "server"])
def test_rdma_program_does_not_start_where_an_end_has_no_device(
    make_small_plan: Make, fake_site: FakeSite, facts: SiteFacts, end: str
) -> None:
    bare = replace(facts, ends=replace(facts.ends, **{end: replace(getattr(facts.ends, end), device="")}))
    trials = {planned.series.name: planned for planned in make_small_plan().planned}
    with pytest.raises(TrialFailed, match="verbs needs an RDMA device at both ends, and this link has none"):
        measure(trials["ours"], fake_site, bare)
    assert fake_site.jobs == 0 and measure(trials["trips"], fake_site, bare).samples


def test_both_ends_spinning_on_one_core_are_noted(make_small_plan: Make, fake_site: FakeSite, facts: SiteFacts) -> None:
    text = PEERS.partition('[[series]]\nname = "iperf"')[0].replace("ib_write_bw", "ib_send_bw")
    one_core = replace(facts, traits=replace(facts.traits, shared=Shared.CORE))
    planned = make_small_plan(text.replace('operation = "write"', 'operation = "send"')).planned[0]
    record = judge(planned, one_core, fake_site.run(planned.trial.job), {})
    assert "both ends spun" in record.facts.assessment.notes[0]


def notices(site: SiteFacts, count: int, build: Build | None) -> list[str]:
    """The first notices about a program that does not end."""
    heard, enough = list[str](), threading.Event()

    def tell(line: str) -> None:
        heard.append(line)
        if len(heard) == count:
            enough.set()

    series = SimpleNamespace(name="mine", tool=SimpleNamespace(build=build))
    planned: Any = SimpleNamespace(
        series=series, repetition=3, trial=SimpleNamespace(job=SimpleNamespace(deadline_s=120))
    )
    with slow_notices(planned, site, tell, first_s=0.001):
        assert enough.wait(60 if build else 0.05) == bool(build)
    return heard[:count]


def test_long_trial_of_a_student_program_has_notices(facts: SiteFacts) -> None:
    build = Build(("make",), Path())
    first, second = notices(facts, 2, build)
    assert first.startswith("mine repetition 3 has run for 0 s;") and second.startswith("mine repetition 3")
    assert "ends it after 120 s of the guest's clock (slower" in first
    wall = replace(facts, traits=replace(facts.traits, clock=Clock.WALL))
    assert "ends it after 120 s (try: deadline_s" in notices(wall, 1, build)[0]
    assert notices(facts, 1, None) == []
