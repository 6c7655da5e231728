"""Every grade of a damaged submission is final: each check ends with points or findings.

`make test` tries some hundred submissions, `make fuzz-grade` 20,000, each time others.
"""

import gzip
import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter
from tests.lab import hand_ins
from tests.lab.grade.forger import Files, Forger, accepting, digests_of, make_forger
from tests.release.fuzz.damage import Damage, damaged_tree
from tests.release.fuzz.test_damaged_files import refused_or_read, share

from lab.errors import one_line
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.class_outputs import fingerprint
from lab.grade.finding import Grade, Status, grade_json
from lab.grade.grading import grade
from lab.grade.outputs import gradescope, junit, lines
from lab.report.evidence.evidence import Evidence, gather
from lab.submission.archive import PAGE, RECORDS, Submission, SubmissionError, open_submission, pack, unpack
from lab.submission.assignment import CHECKS
from lab.submission.hand_in import identity_of
from lab.typed_json import parse_as

PAPERLESS = tuple(name for name in CHECKS if name != "pages")  # what can be judged without drawing a page
LISTED = hand_ins.Site("listed", 1.02)  # a machine that the course accepts besides the grader's
JSONS = ("identity.json", PAGE, "manifest.json")
TEXTS = (*JSONS, "report.toml", "discussion.tex", "claims.csv", "small.csv", "experiment.toml")


@dataclass(frozen=True)
class Desk:
    """A grader with its evidence, and two honest submissions: from the grader's VM and from a listed one."""

    setup: GradingSetup
    own: Evidence
    forgers: tuple[Forger, Forger]

    def _repr_pretty_(self, printer: RepresentationPrinter, *_: object) -> None:
        """Hypothesis prints it with a failed case; 3 MB would replace the case by a warning."""
        printer.text("the desk")

    def grade(self, files: Files, pdf: bytes = b"") -> Grade:
        """The grade of these attachments; without a PDF, the pages count as rebuilt."""
        forger = self.forgers[0]
        with TemporaryDirectory(dir=forger.folder) as name:
            case = Case(self.setup, SubmissionFile(forger.folder / "ada.pdf"), Path(name))
            vars(case.hand_in)["submission"] = Submission("ada", pdf, files)
            vars(case)["grader_evidence"] = self.own
            if not pdf:
                vars(case)["is_as_rebuilt"] = True
            done = grade(case, "", CHECKS if pdf else PAPERLESS, lambda _: None)
            fingerprint(case)
        return done


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    course = hand_ins.make_course(tmp_path_factory.mktemp("course"))
    ada = hand_ins.with_report(course, hand_ins.make_work(course, "ada", hand_ins.Site()))
    forger = make_forger(course, ada, tmp_path_factory.mktemp("forger"))
    plan, other = (hand_ins.plan_on(ada.plan.experiment.file, site, "d") for site in (hand_ins.Site(), LISTED))
    folders = (course.folder / "grader", course.templates, course.cache)
    setup = GradingSetup(course.assignment, hand_ins.Site(), plan, *folders, 1, lambda *_: None)
    hand_ins.measure(plan, setup.results, setup.site)
    listed = replace(forger, files=forger.measured(LISTED))
    return Desk(accepting(setup, identity_of(other).digest), gather(plan, setup.results), (forger, listed))


@pytest.fixture(autouse=True)
def without_latex(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Building a report takes a second: here it is always the honest one."""
    made = desk.forgers[0].work.report.read_bytes()
    monkeypatch.setattr("lab.grade.rebuild.rebuild", lambda *_: made)


def ends_well(done: Grade) -> None:
    """Require points or findings, and that every output prints the grade."""
    broken = [each for each in done.checks if each.status not in (Status.PASSED, Status.FAILED)]
    assert not broken, [each.evidence() for each in broken]
    assert all(each.findings for each in done.checks if each.status is Status.FAILED)
    text = json.dumps([grade_json(done), gradescope(done)])
    assert parse_as(Grade, json.loads(text)[0]) == done
    assert Xml.fromstring(junit(done)).tag == "testsuite"
    printed = [*lines(done), *map(one_line, done.flags)]
    assert all(line.isprintable() for line in printed) and max(map(len, printed)) < 3000


def spoiled(damage: Damage, content: bytes, *, is_json: bool = False) -> bytes:
    """Damage by a person, a program or a disk."""
    ways = [damage.text, damage.any, partial(damaged_tree, damage) if is_json else damage.text]
    return damage.one(ways)(content)


def with_spoiled_record(damage: Damage, forger: Forger) -> Files:
    """One file of a record is damaged, renamed or gone; half of the time the digests fit."""
    records = unpack(forger.files[RECORDS], "")
    path = damage.one(sorted(records))
    content = records.pop(path)
    way = damage.upto(9)
    if way == 0:
        records[spoiled(damage, path.encode()).decode(errors="replace")] = content
    elif way < 9:
        records[path] = spoiled_file(damage, path, content)
    return forger.files | {RECORDS: pack(records | (digests_of(records) if damage.upto(1) else {}))}


def spoiled_file(damage: Damage, path: str, content: bytes) -> bytes:
    if path.endswith(".gz") and damage.upto(4):
        return gzip.compress(spoiled(damage, gzip.decompress(content)))
    return spoiled(damage, content, is_json=path.endswith(".json"))


def test_undamaged_submissions_get_all_points(desk: Desk) -> None:
    own, listed = (desk.grade(forger.files) for forger in desk.forgers)
    assert (own.kinds, own.points) == ((), own.most)
    assert next(each for each in listed.checks if each.name == "rerun").status is Status.PASSED


@share(0.4)
@given(data=st.data())
def test_damaged_records(data: st.DataObject, desk: Desk) -> None:
    damage = Damage(data.draw)
    ends_well(desk.grade(with_spoiled_record(damage, damage.one(desk.forgers))))


@share(0.25)
@given(data=st.data())
def test_damaged_attachments(data: st.DataObject, desk: Desk) -> None:
    damage = Damage(data.draw)
    forger, name = damage.one(desk.forgers), damage.one(TEXTS)
    changed = spoiled(damage, forger.files[name], is_json=name in JSONS)
    files = forger.files | {name: changed}
    if not damage.upto(9):
        del files[name]
    ends_well(desk.grade(files))


@share(0.01, least=4)
@given(data=st.data())
def test_damaged_pdfs(data: st.DataObject, desk: Desk, tmp_path: Path) -> None:
    """The bytes of a whole submission."""
    damage = Damage(data.draw)
    file, forger = tmp_path / "ada.pdf", desk.forgers[0]
    file.write_bytes(damage.any(forger.pdf()))
    try:
        opened = open_submission(file)
    except SubmissionError as error:
        assert str(error)
        return
    ends_well(desk.grade(opened.files, opened.pdf))


@share(0.12)
@given(data=st.data())
def test_damaged_zips(data: st.DataObject, desk: Desk, tmp_path: Path) -> None:
    damage = Damage(data.draw)
    content = damage.one([pack({"a/report.pdf": b"%PDF"}), desk.forgers[0].files[RECORDS]])
    (tmp_path / "ada.zip").write_bytes(damage.any(content))
    refused_or_read(lambda: unpack((tmp_path / "ada.zip").read_bytes(), "ada.zip"))
    refused_or_read(lambda: open_submission(tmp_path / "ada.zip"))
