"""Students without hardware: each has a folder with an experiment, records of the fake site, a report, a submission."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.fake_site import planned
from tests.lab.report.laboratory import UnsteadySite
from tests.toml import series_of

from lab.files.store import keep_stamp
from lab.places import TEMPLATES
from lab.plan.plan import Plan, SiteFacts
from lab.report.build import prepare
from lab.report.evidence.evidence import gather
from lab.report.sources import Sources
from lab.report.stamp import report_stamp
from lab.run.run import RunSetup, missing, run_trials
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.hand_in import Work, make_hand_in

EXPERIMENT = """title = "A small experiment"
question = "Does grading work?"
[parameters]
sizes = "64,4K,64K"
iterations = 40
repetitions = 6
wait = "event"
[link]
mtu = 4200
""" + series_of("verbs verbs write throughput", "tcp tcp send throughput")
ASSIGNMENT = """title = "A small assignment"
experiment = "small.toml"
[discussion]
words_at_least = 10
evidence_at_least = 2
[[asks]]
about = ["verbs", "tcp"]
[points]
package = 10
records = 15
rerun = 25
claims = 20
pages = 15
discussion = 15
"""
DISCUSSION = r"""RDMA reaches \claim{verbs at 64K} with messages of \claim{plan.largest}.
Both programs were measured on one link.
TCP is ahead at every size,\shows{tcp > verbs everywhere} as \figureof{throughput} shows.
"""
PEOPLE = 'authors = ["{0}"]\nids = ["{0}"]\ncourse = "Networks"\n'


class Site(UnsteadySite):
    """The fake site as another machine: another image, and a little slower or faster."""

    def __init__(self, image: str = "fake", slowness: float = 1.0) -> None:
        super().__init__()
        self.image, self.slowness = image, slowness

    def identity(self) -> dict[str, str]:
        return {"image": self.image}


@dataclass(frozen=True)
class Course:
    """A course's experiment, its template, the assignment, and a cache for figures."""

    folder: Path

    @property
    def templates(self) -> Path:
        return self.folder / "templates"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def assignment(self) -> Assignment:
        return load_assignment(self.folder / "course" / "assignment.toml")


def make_course(folder: Path) -> Course:
    course = Course(folder)
    shutil.copytree(TEMPLATES, course.templates)
    (course.templates / "small.tex").write_text('\\BLOCK{extends "short.tex"}\n')
    (folder / "course").mkdir()
    (folder / "course" / "small.toml").write_text(EXPERIMENT)
    (folder / "course" / "assignment.toml").write_text(ASSIGNMENT)
    return course


def make_work(course: Course, name: str, site: Any, discussion: str = DISCUSSION, digest: str = "d") -> Work:
    """The work of a student who has measured and written the texts."""
    folder = course.folder / name
    (folder / "small").mkdir(parents=True)
    (folder / "small.toml").write_text(EXPERIMENT)
    (folder / "small" / "discussion.tex").write_text(discussion)
    (folder / "small" / "report.toml").write_text(PEOPLE.format(name))
    plan = plan_on(folder / "small.toml", site, digest)
    measure(plan, folder / "results", site)
    beside = folder / "small"
    texts = (folder / "small.toml", beside / "report.toml", beside / "discussion.tex")
    return Work(course.assignment, plan, folder / "results", folder / "small.pdf", texts)


def measure(plan: Plan, results: Path, site: Any) -> None:
    """Measure the trials that have no record yet."""
    run_trials(RunSetup(site, plan.site, results), missing([plan], results)[0], 1, lambda *_: None)


def plan_on(file: Path, site: Any, digest: str) -> Plan:
    return planned(file, SiteFacts.of(site), digest)


def with_report(course: Course, work: Work, pdf: bytes | None = None) -> Work:
    """The work with its report built, or with this report instead."""
    if pdf is None:
        evidence = gather(work.plan, work.results)
        pdf = prepare(Sources(work.plan.experiment.file, course.templates), evidence, course.cache).typeset()
    work.report.write_bytes(pdf)
    keep_stamp(work.report, report_stamp(work.plan, work.results, work.texts))
    return work


def handed_in(work: Work, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(make_hand_in(work, (work.plan.experiment.file.parent.name,), ()))
    return file
