"""Trials are run once and kept, whoever else runs: lab.run.run."""

import errno
import gzip
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module
from tests.lab.conftest import PEERS
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory

from lab.errors import RecordError, SiteError, StorageError
from lab.files.store import SUMS
from lab.model.trial import Outcome
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.records.facts import VOLATILE
from lab.records.record import find_key, has_record, read_facts, read_samples_of, record_folder, write_record
from lab.report.evidence.evidence import gather
from lab.run.measure import judge, record_facts
from lab.run.run import RunSetup, RunSummary, damaged, missing, run_trials, trial_lock
from lab.sites.site import Shared

Make = Callable[..., Plan]
TWICE_AS_MANY = PEERS.replace("iterations = 40", "iterations = 80")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def run(plan: Plan, site: Any, results: Path, *, jobs: int = 2, fresh: bool = False) -> RunSummary:
    todo, _ = missing([plan], results, fresh=fresh)
    return run_trials(RunSetup(site, plan.site, results, fresh), todo, jobs, lambda *_: None)


def test_all_trials_leave_records_and_a_second_run_has_nothing_to_do(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    plan = make_small_plan()
    assert run(plan, fake_site, results).measured == 10
    assert missing([plan], results) == ([], 10)
    assert run(plan, fake_site, results).measured == 0 and fake_site.jobs == 10


def test_experiments_come_one_after_the_other_and_their_first_repetitions_first(
    make_small_plan: Make, results: Path
) -> None:
    first, second = make_small_plan(), make_small_plan(TWICE_AS_MANY)
    todo, _ = missing([first, second], results)
    keys = [each.trial.key for each in todo]
    assert set(keys[:10]) == {each.trial.key for each in first.planned}
    assert [each.repetition for each in todo] == [1] * 5 + [2] * 5 + [1] * 2 + [2] * 2
    assert len(set(keys)) == len(keys)


def test_a_trial_of_two_experiments_is_measured_with_the_first(make_small_plan: Make, results: Path) -> None:
    small, whole = make_small_plan(PEERS), make_small_plan()
    assert missing([whole, small], results) == missing([whole], results)
    todo, _ = missing([small, whole], results)
    assert [each.trial.key for each in todo[:4]] == [each.trial.key for each in missing([small], results)[0]]
    assert len(todo) == 10


def test_fresh_measures_again(make_small_plan: Make, fake_site: FakeSite, results: Path) -> None:
    plan = make_small_plan()
    run(plan, fake_site, results)
    assert run(plan, fake_site, results, fresh=True).measured == 10


def test_a_record_holds_what_was_asked_and_what_was_found(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    plan = make_small_plan()
    run(plan, fake_site, results)
    key = plan.planned[4].trial.key
    facts = read_facts(results, find_key(results, key[:12]))
    assert facts.moment.published["tx_depth"] == 128 and facts.asked.options["tx_depth"] == 64
    assert facts.asked.programs == {"verbs-server": "d", "verbs-client": "d"}
    assert facts.measured.counters_after["v0.tx_bytes"] > 0 and facts.measured.steps[0].client_status == 0
    assert {"size_bytes", "sample"} & set(vars(read_samples_of(results, key)[0]))


def test_two_experiments_that_come_to_one_trial_make_the_same_record_of_it() -> None:
    plans = [laboratory.plan_of(name) for name in ("verbs_throughput", "write_parameters")]
    first, second = ({each.trial.key: each for each in plan.planned} for plan in plans)
    site, outcome = plans[0].site, Outcome((), {}, {}, 0, 0, "", 0.0)
    shared = first.keys() & second.keys()
    assert len(shared) > 20
    for key in shared:
        one, other = (record_facts(each[key], site, outcome) for each in (first, second))
        assert one.lasting() == other.lasting()
        assert one.table().keys() - one.lasting().keys() <= set(VOLATILE)


def test_samples_of_two_runs_are_the_same_bytes(make_small_plan: Make, tmp_path: Path) -> None:
    plan = make_small_plan()
    texts = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        run(plan, fake_module.FakeSite(), folder)
        texts.append((record_folder(folder, plan.planned[0].trial.key) / "samples.csv.gz").read_bytes())
    assert texts[0] == texts[1] and gzip.decompress(texts[0]).startswith(b"# lab-bench 1\n")


def broken(name: str) -> Callable[[Outcome], Outcome]:
    def first(outcome: Outcome, **values: Any) -> Outcome:
        return replace(outcome, steps=(replace(outcome.steps[0], **values), *outcome.steps[1:]))

    changes: dict[str, Callable[[Outcome], Outcome]] = {
        "status": lambda o: first(o, client_status=1, client_err="verbs-client: no route"),
        "deadline": lambda o: first(o, server_status=124),
        "signal": lambda o: first(o, server_status=137),
        "csv": lambda o: first(o, client_out=o.steps[0].client_out[:-120]),
        "bytes": lambda o: replace(o, counters_after={"v0.tx_bytes": 100}),
        "time": lambda o: replace(o, steps=tuple(replace(s, clock_end_ns=s.clock_start_ns + 1) for s in o.steps)),
        "steps": lambda o: replace(o, steps=o.steps[:-1]),
    }
    return changes[name]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("status", "the client ended with status 1: verbs-client: no route"),
        ("deadline", "did not end before the deadline"),
        ("signal", "was ended by signal 9"),
        ("csv", "no whole table of one row"),
        ("bytes", "but v0.tx_bytes counted 100"),
        ("time", "the site's clock advanced by"),
        ("steps", "steps ran"),
    ],
)
def test_a_trial_that_cannot_be_believed_is_kept_apart_with_its_evidence(
    make_small_plan: Make, fake_site: FakeSite, results: Path, fault: str, sentence: str
) -> None:
    plan = make_small_plan()
    fake_site.change = broken(fault)
    summary = run(plan, fake_site, results)
    assert len(summary.failed) == 10 and summary.measured == 0 and not list(results.glob("records/*/*"))
    assert any(sentence in each for _, each in summary.failed)
    (folder, *_) = (results / "failed").iterdir()
    assert {"failure.txt", "record.json", "client.log", "server.log", "client.out"} <= {
        each.name for each in folder.iterdir()
    }


def test_a_failing_trial_does_not_stop_the_others(make_small_plan: Make, fake_site: FakeSite, results: Path) -> None:
    plan = make_small_plan()
    bad = plan.planned[0].trial.job.steps

    class Panicking(type(fake_site)):  # type: ignore[misc]
        def run(self, job: Any) -> Outcome:
            if job.steps == bad:
                raise SiteError("the guest panicked")
            return super().run(job)  # type: ignore[no-any-return]

    summary = run(plan, Panicking(), results)
    assert summary.measured == 9 and [str(each) for _, each in summary.failed] == ["the guest panicked"]


def test_two_runs_at_once_share_the_work(make_small_plan: Make, results: Path) -> None:
    plan = make_small_plan()
    sites = [fake_module.FakeSite(0.05), fake_module.FakeSite(0.05)]
    summaries: list[RunSummary] = []
    threads = [threading.Thread(target=lambda site=site: summaries.append(run(plan, site, results))) for site in sites]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(site.jobs for site in sites) == 10 and sum(each.measured for each in summaries) == 10
    assert missing([plan], results) == ([], 10)


def test_a_key_is_not_locked_twice(results: Path) -> None:
    with trial_lock(results, "k") as first, trial_lock(results, "k") as second:
        assert (first, second) == (True, False)
    with trial_lock(results, "k") as again:
        assert again


def test_a_full_disk_is_one_sentence_and_no_half_record(
    make_small_plan: Make, fake_site: FakeSite, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_small_plan()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lab.records.record.os.fsync", full)
    with pytest.raises(StorageError, match="the disk is full"):
        run(plan, fake_site, results)
    assert not list(results.glob("records/*/*"))


def test_a_record_left_half_by_a_killed_run_is_not_one(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    plan = make_small_plan()
    folder = record_folder(results, plan.planned[0].trial.key)
    half = folder.with_name(f".{folder.name}.tmp")
    half.mkdir(parents=True)
    (half / "record.json").write_text("{")
    assert not has_record(results, plan.planned[0].trial.key)
    assert run(plan, fake_site, results).measured == 10 and not half.exists()


def test_both_ends_spinning_on_one_core_is_said(make_small_plan: Make, fake_site: FakeSite, facts: SiteFacts) -> None:
    text = """title = "t"
question = "q"
parameters = { sizes = 64, iterations = 100 }
[[series]]
name = "spin"
program = "ib_send_bw"
operation = "send"
measure = "throughput"
"""
    one_core = replace(facts, traits=replace(facts.traits, shared=Shared.CORE))
    planned: Planned = make_small_plan(text).planned[0]
    record = judge(planned, one_core, fake_site.run(planned.trial.job), {})
    assert "both ends spun" in record.facts.judged.notes[0]


def test_a_record_survives_its_own_json(
    make_small_plan: Make, fake_site: FakeSite, facts: SiteFacts, results: Path
) -> None:
    planned = make_small_plan().planned[0]
    record = judge(planned, facts, fake_site.run(planned.trial.job), {})
    write_record(results, record)
    assert read_facts(results, record.key) == record.facts
    assert read_samples_of(results, record.key) == record.samples


@pytest.mark.parametrize("name", ["record.json", "samples.csv.gz", "server.log", "client.log", "digests"])
@pytest.mark.parametrize("harm", ["flip", "empty", "gone"])
def test_a_damaged_record_counts_for_nothing_and_is_measured_again(
    make_small_plan: Make, fake_site: FakeSite, results: Path, name: str, harm: str
) -> None:
    plan = make_small_plan()
    run(plan, fake_site, results)
    key = plan.planned[0].trial.key
    file = record_folder(results, key) / name
    content = file.read_bytes()
    if harm == "gone":
        file.unlink()
    elif harm == "empty" and content:
        file.write_bytes(b"")
    else:
        file.write_bytes(bytes([content[0] ^ 1]) + content[1:] if content else b"x")
    assert not has_record(results, key)
    (said,) = damaged(plan.planned, results)
    assert said.startswith(str(file.parent)) and (name in said or name == SUMS) and "counts for nothing" in said
    assert run(plan, fake_site, results).measured == 1
    assert has_record(results, key) and damaged(plan.planned, results) == []


def test_rewritten_samples_are_refused_by_whoever_reads_them(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    plan = make_small_plan()
    run(plan, fake_site, results)
    key = plan.planned[0].trial.key
    file = record_folder(results, key) / "samples.csv.gz"
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()).replace(b"0", b"1")))
    with pytest.raises(RecordError, match=r"samples.csv.gz: is not what was written"):
        read_samples_of(results, key)
    with pytest.raises(RecordError, match=r"1 of 10 trials have no record that is whole.*samples.csv.gz is not what"):
        gather(plan, results)


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENOENT, errno.EACCES, errno.EFBIG])
def test_what_this_computer_refuses_a_site_fails_the_trial_in_words(
    make_small_plan: Make, fake_site: FakeSite, results: Path, error: int
) -> None:
    plan = make_small_plan()

    def refuse(_: Outcome) -> Outcome:
        raise OSError(error, os.strerror(error), "/the/memory")

    fake_site.change = refuse
    summary = run(plan, fake_site, results)
    assert len(summary.failed) == 10 and all(said.startswith("/the/memory: ") for _, said in summary.failed)


def test_what_the_site_could_not_run_leaves_its_evidence(
    make_small_plan: Make, fake_site: FakeSite, results: Path
) -> None:
    plan = make_small_plan()

    def panic(_: Outcome) -> Outcome:
        raise SiteError("the guest's kernel panicked", hint="less of it", evidence={"console.log": "Oops"})

    fake_site.change = panic
    summary = run(plan, fake_site, results)
    assert len(summary.failed) == 10 and not any(results.glob("records/??/[!.]*"))
    for planned, sentence in summary.failed:
        folder = results / "failed" / planned.trial.key
        assert str(folder) in sentence and "less of it" in sentence
        assert (folder / "console.log").read_text() == "Oops" and "panicked" in (folder / "failure.txt").read_text()
        assert json.loads((folder / "record.json").read_text())["key"] == planned.trial.key
