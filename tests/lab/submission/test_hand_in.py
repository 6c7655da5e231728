"""A finished report is handed in, whole and current: lab.submission.archive, lab.report.stamp."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab import hand_ins
from tests.lab.fake_site import FakeSite
from tests.lab.hand_ins import Course

from lab.errors import RecordError
from lab.submission.archive import SubmissionRefused, about, chain, digests, open_submission, read_page
from lab.submission.hand_in import Work, build_obstacles, hand_in, obstacles


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
