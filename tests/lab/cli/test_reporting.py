"""`lab run --report` on the fake site: reports are written while other experiments are measured."""

import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.conftest import PEERS, Lab
from tests.lab.fake_site import FakeSite

from lab.cli import INTERRUPTED, reporting
from lab.cli.reporting import Reporting
from lab.model.trial import Outcome
from lab.plan.plan import Plan, SiteFacts
from lab.plan.planning import Campaign
from lab.sites.site import Clock

PATIENCE_S = 300
TRIALS = 4  # of each experiment
Make = Callable[..., Plan]


@pytest.fixture
def experiments(tmp_path: Path) -> dict[str, Path]:
    """Two experiments without a common trial."""
    files = {name: tmp_path / f"{name}.toml" for name in ("one", "two")}
    files["one"].write_text(PEERS)
    files["two"].write_text(PEERS.replace("iterations = 40", "iterations = 80"))
    return files


@pytest.fixture
def lab_run(lab: Lab, experiments: dict[str, Path], tmp_path: Path) -> Lab:
    places = ("--results", tmp_path / "results", "--out", tmp_path / "report")
    return lambda *words: lab("run", *experiments.values(), "--site", "exact", "--jobs", 1, *places, *words)


def test_first_report_is_written_before_the_last_trial_is_over(
    lab_run: Lab, fake_site: FakeSite, tmp_path: Path
) -> None:
    """The last trial does not end before it sees the PDF."""

    def last_waits(outcome: Outcome) -> Outcome:
        until = time.monotonic() + PATIENCE_S
        while fake_site.jobs == 2 * TRIALS and not (tmp_path / "report" / "one.pdf").exists():
            assert time.monotonic() < until, "it never came"
            time.sleep(0.02)
        return outcome

    fake_site.change = last_waits
    status, out, _ = lab_run("--report")
    assert status == 0 and (tmp_path / "report" / "two.pdf").exists()
    assert {Path(line).name for line in out.splitlines() if line.endswith(".pdf")} == {"one.pdf", "two.pdf"}
    assert lab_run().status == 0
    assert lab_run("--report").out.count("up to date") == 2


def test_refused_report_keeps_neither_trials_nor_other_reports_back_and_each_is_named(
    lab_run: Lab, experiments: dict[str, Path]
) -> None:
    def type_a_number(name: str) -> None:
        experiments[name].with_suffix("").mkdir()
        (experiments[name].with_suffix("") / "discussion.tex").write_text("It reaches 5 GB/s.\n")

    type_a_number("one")
    status, out, err = lab_run("--report")
    assert status == 2 and "8 trials measured" in out and "two.pdf" in out and "one.pdf" not in out
    assert "one/discussion.tex:1:" in err and err.splitlines()[-1] == "no report: one: see above"
    type_a_number("two")
    status, _, err = lab_run("--report")
    assert status == 2 and all(
        f"no report: {name}: " in err and f"{name}/discussion.tex:1:" in err for name in experiments
    )


def test_experiment_with_a_failed_trial_has_no_report_and_the_other_has_one(lab_run: Lab, fake_site: FakeSite) -> None:
    fake_site.change = lambda outcome: replace(outcome, steps=()) if fake_site.jobs == 2 else outcome
    status, out, err = lab_run("--report")
    assert status == 1 and "7 trials measured" in out and "two.pdf" in out and "one.pdf" not in out
    assert "no report: one: 1 of its trials failed" in err and "failed: " in err


class Started:
    """Stand-ins for the processes that write reports, with their experiments; they sleep until they are ended."""

    def __init__(self) -> None:
        self.names: list[list[str]] = []
        self.processes: list[subprocess.Popen[str]] = []
        self.seconds = 600

    def __call__(self, files: list[Path], _: Namespace) -> subprocess.Popen[str]:
        self.names.append([each.stem for each in files])
        pipe, command = subprocess.PIPE, [sys.executable, "-c", f"import time; time.sleep({self.seconds})"]
        self.processes.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True))
        return self.processes[-1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    found = Started()
    monkeypatch.setattr(reporting, "start_report", found)
    yield found
    for each in found.processes:
        each.kill()
        each.communicate()


@pytest.fixture
def campaign(make_small_plan: Make, fake_site: FakeSite, facts: SiteFacts) -> Campaign:
    """Three experiments of four trials."""
    texts = (PEERS.replace("iterations = 40", f"iterations = {count}") for count in (40, 80, 160))
    plans = (make_small_plan(text) for text in texts)
    return Campaign(fake_site, facts, tuple(map(named, plans, ("one", "two", "three"))))


def named(plan: Plan, name: str) -> Plan:
    return replace(plan, experiment=replace(plan.experiment, name=name, file=Path(f"{name}.toml")))


def options(results: Path, **given: object) -> Namespace:
    return Namespace(report=True, fresh=False, results=results, out=results / "report", jobs=1, **given)


def measure(plan: Plan, reports: Reporting) -> None:
    for each in plan.planned:
        reports.watch("measured", each)


def test_no_more_reports_than_trials_run_at_once_and_waiting_ones_share_a_process(
    campaign: Campaign, started: Started, tmp_path: Path
) -> None:
    with Reporting(campaign, options(tmp_path)) as reports:
        for plan in campaign.plans:
            measure(plan, reports)
        assert started.names == [["one"]]
        started.processes[0].kill()
        started.processes[0].wait()
        measure(campaign.plans[0], reports)
        assert started.names == [["one"], ["two", "three"]]
        reports.stop()


def test_on_a_wall_clock_reports_start_after_all_trials(campaign: Campaign, started: Started, tmp_path: Path) -> None:
    started.seconds = 0
    wall = replace(campaign.facts, traits=replace(campaign.facts.traits, clock=Clock.WALL))
    with Reporting(replace(campaign, facts=wall), options(tmp_path)) as reports:
        for plan in campaign.plans:
            measure(plan, reports)
        assert not started.names
        assert reports.finish() == 0
    assert started.names == [["one", "two", "three"]]


def test_interrupted_run_waits_for_no_report(lab_run: Lab, started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt("1 trial left")

    assert lab_run().status == 0
    monkeypatch.setattr("lab.cli.measure.run_remaining", interrupt)
    status, _, err = lab_run("--report")
    assert status == INTERRUPTED and "1 trial left" in err
    assert started.names == [["one", "two"]] and started.processes[0].returncode is not None
