"""A finished report is submitted: whole, current, and from an accepted machine."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.fake_site import FakeSite
from tests.lab.grade.student_program import experiment
from tests.lab.hand_ins import Course

from lab.errors import LabError, RecordError
from lab.plan.plan import Plan
from lab.sites.cable import Cable
from lab.submission.archive import digests, open_submission, read_page
from lab.submission.hand_in import Work, build_obstacles, hand_in, identity_of, obstacles, other_identity


@pytest.fixture
def work(course: Course, ada: Work, fake_site: FakeSite) -> Work:
    """A student for this test alone, with ada's report."""
    work = hand_ins.make_work(course, f"of-{len(list(course.folder.iterdir()))}", fake_site)
    return hand_ins.with_report(course, work, ada.report.read_bytes())


def test_finished_report_is_submitted_with_its_records(ada: Work, tmp_path: Path) -> None:
    assert list(obstacles(ada)) == []
    file = hand_in(ada, tmp_path / "submission", ())
    submission = open_submission(file)
    page = read_page(submission.files, "x")
    assert page.files == digests(submission.files) and "records.zip" in page.files
    assert page.chain == page.last_link() and not page.draft
    assert file.name == "ada.assignment.pdf" and hand_in(ada, tmp_path / "again", ()).read_bytes() == file.read_bytes()


def test_obstacles_are_named_and_mark_a_draft(work: Work, tmp_path: Path) -> None:
    (work.folder / "discussion.tex").write_text("% nothing\n")
    (work.folder / "report.toml").write_text("authors = []\n")
    reasons = tuple(obstacles(work))
    assert ["names no ids" in reasons[0], "is not written" in reasons[1], "is stale" in reasons[2]] == [True] * 3
    file = hand_in(work, tmp_path, reasons)
    assert file.name == "nobody.assignment.draft.pdf" and read_page(open_submission(file).files, "x").draft == reasons


def test_local_counts_are_an_obstacle(ada: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.submission.hand_in.are_counted_here", lambda *_: True)
    (reason,) = obstacles(ada)
    assert "small.csv, which no grader has: remove that file" in reason


def test_draft_needs_a_report_and_all_records(work: Work, tmp_path: Path) -> None:
    report = work.report.read_bytes()
    work.report.unlink()
    with pytest.raises(LabError, match="is missing: make report"):
        hand_in(work, tmp_path, ("a draft",))
    work.report.write_bytes(report)
    next(work.results.glob("records/*/*")).rename(work.results / "elsewhere")
    with pytest.raises(RecordError, match="a submission needs records, not the reference: no record of 1 of 12 trials"):
        hand_in(work, tmp_path, ("a draft",))


def test_outdated_programs_are_an_obstacle(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all: program\nprogram: program.c\n\tcp $< $@\n")
    (tmp_path / "program.c").write_text("")
    assert list(build_obstacles(tmp_path)) != []
    (tmp_path / "program").write_text("")
    assert list(build_obstacles(tmp_path)) == []


def test_placeholders_and_a_short_text_are_obstacles(work: Work) -> None:
    (work.folder / "report.toml").write_text('authors = ["First Author"]\nids = ["000001"] # "000002"\n')
    (work.folder / "discussion.tex").write_text("It is so. % and not these words\n")
    demanding = replace(work.assignment, words_at_least=80, evidence_at_least=5)
    reasons = [reason for reason in obstacles(replace(work, assignment=demanding)) if "is stale" not in reason]
    assert [reason.partition("/")[2] for reason in reasons] == [
        'report.toml still has the placeholder "First Author": replace it',
        'report.toml still has the placeholder "000001": replace it',
        "discussion.tex: the assignment asks for 80 words; the text has 3",
        "discussion.tex: the assignment asks for 5 different claims and true statements; the text has 0",
        "discussion.tex: the assignment asks for 1 statement about verbs and tcp; the text has 0",
    ]


def plan_of(folder: Path, site: Any, digest: str = "d", text: str = hand_ins.EXPERIMENT) -> Plan:
    (folder / "small.toml").write_text(text)
    (folder / "mine").mkdir(exist_ok=True)
    return hand_ins.plan_on(folder / "small.toml", site, digest)


def test_digest_of_an_identity_changes_with_each_part_alone(tmp_path: Path) -> None:
    here = identity_of(plan_of(tmp_path, hand_ins.Site()))
    assert identity_of(plan_of(tmp_path, hand_ins.Site(slowness=1.2))) == here
    site = here.site
    others = {
        "tcp-client": replace(here, programs=here.programs | {"tcp-client": "e"}),
        "site": replace(here, site=replace(site, name="vm")),
        "image": replace(here, site=replace(site, identity={"image": "another"})),
        "ends": replace(here, site=replace(site, ends=replace(site.ends, side_channel="another"))),
        "traits": replace(here, site=replace(site, traits=Cable.traits)),
    }
    assert len({identity.digest for identity in (here, *others.values())}) == 1 + len(others)
    assert [identity.differing(here) for identity in others.values()] == list(others)
    assert here.differing(here) == "" and here.words == f"exact {here.digest[:16]}"


def test_student_programs_are_not_part_of_the_identity(tmp_path: Path) -> None:
    first, second = (plan_of(tmp_path, hand_ins.Site(), digest, experiment(build="true")) for digest in "de")
    assert first.trials().keys() != second.trials().keys() and identity_of(first) == identity_of(second)


def test_student_with_another_machine_is_warned(course: Course, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, hand_ins.Site())
    here = identity_of(plan)
    reference = here.site.identity | here.programs | {"mpi-pingpong": "of another experiment"}
    other, exact = reference | {"tcp-client": "e"}, course.assignment
    assert list(other_identity(exact, plan, reference)) == list(other_identity(exact, plan, {})) == []
    assert list(other_identity(exact, plan, here.site.identity)) == []  # the reference measures none of its programs
    (line,) = other_identity(exact, plan, other)
    assert here.words in line and "does not accept" in line
    accepting = replace(exact, identities=("exact", here.digest[:16]))
    assert list(other_identity(accepting, plan, other)) == []
