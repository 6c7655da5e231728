"""A finished report is handed in, whole, current, and from an accepted machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.fake_site import FakeSite
from tests.lab.grade.own_program import experiment
from tests.lab.hand_ins import Course

from lab.errors import RecordError, SpecError
from lab.plan.plan import Plan
from lab.sites.cable import Cable
from lab.submission.archive import SubmissionRefused, about, chain, digests, open_submission, read_page
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.hand_in import Work, build_obstacles, hand_in, identity_of, obstacles, other_identity


@pytest.fixture
def work(course: Course, ada: Work, fake_site: FakeSite, request: pytest.FixtureRequest) -> Work:
    """A student of the test's own, with somebody's report."""
    name = f"of-{len(request.node.name)}"
    own = hand_ins.make_work(course, name, fake_site)
    return hand_ins.with_report(course, own, ada.report.read_bytes())


def test_a_finished_report_is_handed_in_with_its_records(ada: Work, tmp_path: Path) -> None:
    assert list(obstacles(ada)) == []
    file = hand_in(ada, tmp_path / "submission", ())
    submission = open_submission(file)
    page = read_page(submission.files, "x")
    assert page.files == digests(submission.files) and "records.zip" in page.files
    assert page.chain == chain(page.files, about(page.assignment, page.ids, page.draft)) and not page.draft
    assert file.name == "ada.assignment.pdf" and hand_in(ada, tmp_path / "again", ()).read_bytes() == file.read_bytes()


def test_what_is_in_the_way_is_said_and_marks_a_draft(work: Work, tmp_path: Path) -> None:
    (work.folder / "discussion.tex").write_text("% nothing\n")
    (work.folder / "report.toml").write_text("authors = []\n")
    reasons = tuple(obstacles(work))
    assert ["names no ids" in reasons[0], "is not written" in reasons[1], "is stale" in reasons[2]] == [True] * 3
    file = hand_in(work, tmp_path, reasons)
    assert file.name == "nobody.assignment.draft.pdf" and read_page(open_submission(file).files, "x").draft == reasons


def test_counts_that_no_grader_has_are_in_the_way(ada: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.submission.hand_in.are_counted_here", lambda *_: True)
    (reason,) = obstacles(ada)
    assert "small.csv, which no grader has: remove that file" in reason


def test_without_a_report_or_a_record_there_is_no_draft(work: Work, tmp_path: Path) -> None:
    report = work.report.read_bytes()
    work.report.unlink()
    with pytest.raises(SubmissionRefused, match="is missing: make report"):
        hand_in(work, tmp_path, ("a draft",))
    work.report.write_bytes(report)
    next(work.results.glob("records/*/*")).rename(work.results / "elsewhere")
    with pytest.raises(RecordError, match="1 of 12 trials have no record"):
        hand_in(work, tmp_path, ("a draft",))


def test_programs_that_are_not_of_their_sources_are_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all: program\nprogram: program.c\n\tcp $< $@\n")
    (tmp_path / "program.c").write_text("")
    assert list(build_obstacles(tmp_path)) != []
    (tmp_path / "program").write_text("")
    assert list(build_obstacles(tmp_path)) == []


def test_placeholders_and_a_text_that_is_too_short_are_in_the_way(work: Work) -> None:
    (work.folder / "report.toml").write_text('authors = ["First Author"]\nids = ["000001"] # "000002"\n')
    (work.folder / "discussion.tex").write_text("It is so. % and not these words\n")
    asked = replace(work.assignment, words_at_least=80, evidence_at_least=5)
    reasons = [each for each in obstacles(replace(work, assignment=asked)) if "is stale" not in each]
    assert [each.partition("/")[2] for each in reasons] == [
        'report.toml still says "First Author": replace it by your own',
        'report.toml still says "000001": replace it by your own',
        "discussion.tex: the assignment asks for 80 words; the text has 3",
        "discussion.tex: the assignment asks for 5 different claims and true statements; the text has 0",
        "discussion.tex: the assignment asks for 1 statement about verbs and tcp; the text has 0",
    ]


IDENTITY_TEXT = 'title = "t"\nexperiment = "e.toml"\n[points]\nrerun = 3\n'


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(tmp_path, hand_ins.Site())


def plan_of(folder: Path, site: Any, digest: str = "d", text: str = hand_ins.EXPERIMENT) -> Plan:
    (folder / "small.toml").write_text(text)
    (folder / "mine").mkdir(exist_ok=True)
    return hand_ins.plan_on(folder / "small.toml", site, digest)


def assignment(folder: Path, more: str = "") -> Assignment:
    (folder / "a.toml").write_text(more + IDENTITY_TEXT)
    return load_assignment(folder / "a.toml")


def test_the_digest_changes_with_each_part_and_with_nothing_else(plan: Plan, tmp_path: Path) -> None:
    here = identity_of(plan)
    assert identity_of(plan_of(tmp_path, hand_ins.Site(slowness=1.2))) == here
    site = here.site
    others = [
        replace(here, programs=here.programs | {"tcp-client": "e"}),
        replace(here, site=replace(site, name="vm")),
        replace(here, site=replace(site, identity={"image": "another"})),
        replace(here, site=replace(site, ends=replace(site.ends, side_channel="another"))),
        replace(here, site=replace(site, traits=Cable.traits)),
    ]
    assert len({each.digest for each in (here, *others)}) == 1 + len(others)
    parts = [each.differing(here) for each in others]
    assert parts == ["tcp-client", "site", "image", "ends", "traits"] and here.differing(here) == ""
    assert here.words == f"exact {here.digest[:16]}"


def test_a_students_own_programs_are_no_part_of_it(tmp_path: Path) -> None:
    one, other = (plan_of(tmp_path, hand_ins.Site(), digest, experiment(build="true")) for digest in "de")
    assert one.trials().keys() != other.trials().keys() and identity_of(one) == identity_of(other)


def test_by_default_the_machine_that_everybody_has_is_accepted_and_no_other_hardware(tmp_path: Path) -> None:
    exact, host = assignment(tmp_path), assignment(tmp_path, 'site = "host:rxe"\n')
    assert exact.listed == ("exact",) and exact.accepts("f" * 64, own=True) and not exact.accepts("f" * 64, own=False)
    assert host.listed == () and host.recorded_as == "host" and not host.accepts("f" * 64, own=True)


def test_an_assignment_names_its_own_site_and_digests(tmp_path: Path) -> None:
    host = assignment(tmp_path, 'site = "host:rxe"\nidentities = ["host", "0123456789abcdef"]\n')
    assert host.accepts("f" * 64, own=True) and host.accepts("0123456789abcdef" + "0" * 48, own=False)
    assert not host.accepts("0123456789abcdee" + "0" * 48, own=False)
    other = assignment(tmp_path, 'site = "slurm:exact"\nidentities = ["0123456789abcdef"]\n')
    assert other.recorded_as == "exact" and not other.accepts("f" * 64, own=True)


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ('["exakt"]', 'identities is "exakt", expected the name of the assignment'),
        ('["0123456789abcde"]', "or 16 digits or more"),
        ('["0123456789ABCDEF"]', "or 16 digits or more"),
        ("[3]", "or 16 digits or more"),
        ('["host"]', "identities names 'host', and the site is 'exact', expected 'exact', or the digest"),
        ("[]", "at least 1 item"),
        ('["exact", "exact"]', "every value once"),
        ('"exact"', "expected a list"),
    ],
)
def test_what_names_no_identity_is_refused_with_its_line(tmp_path: Path, typed: str, what: str) -> None:
    with pytest.raises(SpecError) as caught:
        assignment(tmp_path, f'hidden = ["rerun"]\nidentities = {typed}\n')
    assert caught.value.line == 2 and what in str(caught.value)


def test_a_student_whose_machine_is_another_is_told_before_handing_in(plan: Plan, tmp_path: Path) -> None:
    here = identity_of(plan)
    known = here.site.identity | here.programs | {"mpi-pingpong": "of another experiment"}
    asked = assignment(tmp_path)
    assert list(other_identity(asked, plan, known)) == list(other_identity(asked, plan, {})) == []
    (said,) = other_identity(asked, plan, known | {"tcp-client": "e"})
    assert here.words in said and "does not accept" in said
    accepting = assignment(tmp_path, f'identities = ["exact", "{here.digest[:16]}"]\n')
    assert list(other_identity(accepting, plan, known | {"tcp-client": "e"})) == []
