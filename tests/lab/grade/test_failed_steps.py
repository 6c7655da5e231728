"""A student whose program fails in one of two steps hands in, and is graded on the rest: by commands alone."""

from dataclasses import replace
from functools import partial
from inspect import unwrap
from pathlib import Path

import pytest
from tests.lab.conftest import Lab
from tests.lab.grade.student_program import experiment
from tests.lab.grade.test_program import Silent
from tests.lab.hand_ins import PEOPLE
from tests.toml import series_of

from lab.errors import SiteError
from lab.files.storage import write_text
from lab.model.trial import Job, Outcome
from lab.records import recorded
from lab.report.commands import report_file
from lab.submission.hand_in import submitted

EXPERIMENT, _, _ = experiment("true").partition("[[series]]")
PROGRAM = EXPERIMENT.partition("[programs.mine]")[2]
EXPERIMENT += "[programs.sent]" + PROGRAM.replace("--size", "--fail --size")
EXPERIMENT += "[programs.silent]" + PROGRAM.replace('"columns"', '"none"')
EXPERIMENT += series_of("open silent send throughput", "write sent send throughput", "tcp tcp send throughput")
POINTS = "package = 1\nrecords = 2\nrerun = 4\nsources = 8\nsteps = 48\nclaims = 64\npages = 128\n"
ASSIGNMENT = f"""title = "Two steps"
experiment = "small.toml"
[[asks]]
about = ["write"]
[points]
discussion = 256
{POINTS}
[[step]]
series = "open"
points = 16
asks = "the device is open"
[[step]]
series = "write"
points = 32
asks = "a message arrives"
"""
DISCUSSION = "TCP reaches \\claim{tcp at 4K}, and one step of this program does not work yet.\n"
MOST = 511
FAILED = "these series have no numbers, since their programs failed: write"


class Site(Silent):
    """A site where clients with this word fail."""

    fails, is_broken = "--fail", False

    def identity(self) -> dict[str, str]:
        return {"image": "fake"}

    def run(self, job: Job) -> Outcome:
        status, outcome = int(self.fails in job.steps[0].client), super().run(job)
        if status and self.is_broken:
            raise SiteError("the VM was killed")
        return replace(outcome, steps=tuple(replace(each, client_status=status) for each in outcome.steps))


@pytest.fixture
def fake_site() -> Site:
    return Site()


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder, and a grader whose compiler makes the student's binary."""
    for name, text in {
        "small.toml": EXPERIMENT,
        "week.toml": ASSIGNMENT,
        "mine/mine": "\x7fELF",
        "mine/mine.c": "int main(void) {}\n",
        "small/report.toml": PEOPLE.format("ada"),
        "small/discussion.tex": DISCUSSION,
    }.items():
        write_text(tmp_path / name, text)
    monkeypatch.setattr("lab.grade.rebuild.build_untrusted", lambda *_: {"mine": b"\x7fELF"})
    monkeypatch.setattr("lab.grade.grading.GRADING", tmp_path / "grading")
    monkeypatch.setattr("lab.submission.hand_in.report_file", partial(report_file, folder=tmp_path / "report"))
    monkeypatch.setattr("lab.submission.hand_in.build_obstacles", lambda: ())
    monkeypatch.setattr("lab.records.recorded._build_digest", unwrap(recorded._build_digest))
    monkeypatch.setattr(submitted, "__defaults__", (tmp_path / "in",))
    return tmp_path


def test_failed_step_costs_its_own_points_alone(lab: Lab, student: Path, fake_site: Site) -> None:
    own, grades = ("--results", student / "results"), ("--out", student / "grades")
    run = ("run", student / "small.toml", *own)
    report = ("report", student / "small.toml", *own, "--out", student / "report")
    submit = ("submit", student / "week.toml", *own, "--out", student / "in")
    assigned = ("--assignment", student / "week.toml")

    def rerun(name: str) -> str:
        return lab("grade", student / "in" / name, *assigned, *grades, "--only", "rerun").out

    assert "no record of 3 of 3 trials" in lab(*submit).err  # what never ran has not failed
    fake_site.is_broken = True
    assert lab(*run).out.startswith("2 trials measured, 0 done before, 1 failed")
    assert "no record of 1 of 3 trials" in lab(*submit).err  # nor has what broke with its site
    fake_site.is_broken = False
    assert lab(*run).out.startswith("0 trials measured, 2 done before, 1 failed")
    assert FAILED in lab(*report).err
    queried = lab("query", *run[1:], "write at 4K").err
    assert "hint: leave write out, or correct the program, then lab run small" in queried
    page = (student / "report" / "small.html").read_text()
    assert "These series have no numbers, since their programs failed: <code>write</code>." in page
    assert points(lab("preview-grade", *own, *assigned, *grades).out) == MOST - 32 - 256
    assert "hand in this file" in lab(*submit).out
    graded = lab("grade", student / "in" / "ada.week.pdf", *assigned, *grades).out
    assert points(graded) == MOST - 32 - 256 and "0 of 32: write" in graded and "0 of 256: 1 statement" in graded
    assert "[program fails] write: at the grader's sizes: step 1: the client ended with status 1" in graded

    fake_site.fails = "nothing"  # so that a record is missing without a reason
    lab(*run), lab(*submit, "--draft")
    (student / "grading" / "results").rename(student / "before")
    assert "measured here, but not handed in" in rerun("ada.week.pdf")
    (student / "grading" / "results").rename(student / "repaired")
    fake_site.fails = "--fail"
    assert "handed in, but its program fails here" in rerun("ada.week.draft.pdf")

    (student / "mine" / "mine").write_text("\x7fELF of a build that fails everywhere")
    fake_site.fails = "/lab/bin/mine"
    lab(*run)
    assert FAILED.replace("write", "open, write") in lab(*report).err  # although the build before has more records


def points(graded: str) -> int:
    return int(graded.partition("final: ")[2].split()[0])
