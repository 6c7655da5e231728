"""`lab report` from records, from the reference, and from both."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import Lab, Ran
from tests.lab.report import laboratory

from lab.experiment.reader import load
from lab.machine.results import ENDS
from lab.model.trial import Ends
from lab.places import REFERENCE
from lab.plan.plan import Plan, SiteFacts
from lab.plan.planning import all_experiments
from lab.records.record import record_folder
from lab.records.reference import reference_plan, write_reference
from lab.report import asking, checking, commands

TRIALS = 20
EXPERIMENT = laboratory.experiment(
    'sizes = "1..16K*4"\niterations = 400\nrepetitions = 4',
    "a verbs write throughput\nvary.tx_depth = [32, 64]",
    "b tcp send latency",
    "c mpi-tcp send one-way",
    "d tcp send throughput\nparameters = { until_stable = 1, wait = 'event' }",
)


class ExactSite(laboratory.UnsteadySite):
    """A site that has the ends of the reference's."""

    @property
    def ends(self) -> Ends:
        return ENDS


def plan_in(folder: Path) -> Plan:
    return laboratory.plan_of("mine", folder, SiteFacts.of(ExactSite()))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the experiment, all its records, and the reference that they are."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "mine.toml").write_text(EXPERIMENT)
    plan = plan_in(folder)
    laboratory.record(plan, folder / "all", ExactSite())
    write_reference([plan], folder / "all", folder / "reference")
    return folder


@pytest.fixture
def plan(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    for module in (commands, asking, checking):
        monkeypatch.setattr(module, "REFERENCE", tmp_path / "reference")
    monkeypatch.setattr(commands, "CACHE", tmp_path / "cache")
    return plan_in(tmp_path)


@pytest.fixture
def report(lab: Lab, tmp_path: Path) -> Callable[[], Ran]:
    places = ("--results", tmp_path / "results", "--out", tmp_path / "report")
    return lambda: lab("report", tmp_path / "mine.toml", "--html", *places)


def copy_records(plan: Plan, tmp_path: Path, count: int) -> None:
    for key in list(plan.trials())[:count]:
        shutil.copytree(record_folder(tmp_path / "all", key), record_folder(tmp_path / "results", key))


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (0, f"Reference results: 0 of {TRIALS} trials measured on this computer."),
        (6, f"Reference results: 6 of {TRIALS} trials measured on this computer, all identical to the reference."),
        (TRIALS, f"Measured on this computer: {TRIALS} of {TRIALS} trials."),
    ],
)
def test_missing_trials_are_read_from_the_reference_and_counted_by_page_query_and_check(
    lab: Lab, plan: Plan, report: Callable[[], Ran], tmp_path: Path, count: int, line: str
) -> None:
    copy_records(plan, tmp_path, count)
    assert report().status == 0
    page = (tmp_path / "report" / "mine.html").read_text()
    assert f"{line} Site exact" in page
    is_complete = count == TRIALS
    assert ("The reference has tables without single messages" in page) is not is_complete
    assert ("of the site\u2019s clock" in page) is is_complete and "rounds of <code>d</code> agree" in page
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "discussion.tex").write_text(r"It has \claim{d at 16K}.")
    file, places = tmp_path / "mine.toml", ("--results", tmp_path / "results")
    counts = f"{TRIALS - count} of {TRIALS} trials"
    note = f"mine: not measured here, so from {tmp_path / 'reference'}: {counts}\n"
    for command, answer in ((["query", file, "d at 16K"], "records"), (["check", file], "errors: 0")):
        status, out, err = lab(*command, *places)
        assert status == 0 and answer in out and err.count(note) == (count < TRIALS)


def test_record_that_differs_from_the_reference_is_not_completed_by_it(
    plan: Plan, report: Callable[[], Ran], tmp_path: Path
) -> None:
    copy_records(plan, tmp_path, 6)
    table = tmp_path / "reference" / "mine.csv"
    head, first, *rest = table.read_text().splitlines()
    cells = dict(zip(head.split(","), first.split(","), strict=True)) | {"completed_ns": "1"}
    table.write_text("\n".join([head, ",".join(cells.values()), *rest, ""]))
    status, _, err = report()
    assert status == 2 and f"no record of {TRIALS - 6} of {TRIALS} trials" in err


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize("change", ["no table", "no trial of the plan"])
def test_report_without_records_and_reference_is_refused(
    report: Callable[[], Ran], tmp_path: Path, change: str
) -> None:
    if change == "no table":
        (tmp_path / "reference" / "mine.csv").unlink()
    else:
        (tmp_path / "mine.toml").write_text(EXPERIMENT.replace("iterations = 400", "iterations = 500"))
    status, _, err = report()
    assert status == 2 and not (tmp_path / "report").exists() and "there is no record" in err


@pytest.mark.parametrize("file", all_experiments(), ids=lambda file: file.stem)
def test_reference_has_every_trial_of_an_experiment(file: Path) -> None:
    assert reference_plan(load(file), REFERENCE)
