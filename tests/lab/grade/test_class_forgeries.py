"""Folders of a class as a dishonest student would have them: lab.grade.{attempts,class_outputs,found}."""

from __future__ import annotations

import csv
import io
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.grade.tampering import zipped

from lab.errors import OpeningFault
from lab.grade.class_outputs import GRADES, PAGE, ClassOutputs
from lab.grade.course import Graded, attempts_of, find_submissions
from lab.grade.finding import SavedCheck, SavedFinding, SavedGrade, Status
from lab.grade.grading import digest_of
from lab.submission.archive import SubmissionError, open_submission, pack

PDF = b"%PDF-1.5 of somebody else"
EVIL = (
    '=HYPERLINK("http://example.org")',
    "+1",
    "@SUM(A1)",
    "-2+3",
    "\t=1",
    "\x1b[2J\x1b[Hfinal: 100 of 100",
    "a\nb.pdf,final",
    "\u202eadp.fdp",
    "</td></table><script>alert(1)</script>",
    "\udcff.pdf",
    "\u2028",
)


def linked(folder: Path) -> None:
    (folder.parent / "bob.pdf").write_bytes(PDF)
    (folder / "eve.pdf").symlink_to("../bob.pdf")


def hard_linked(folder: Path) -> None:
    (folder.parent / "bob.pdf").write_bytes(PDF)
    (folder / "eve").mkdir()
    os.link(folder.parent / "bob.pdf", folder / "eve" / "report.pdf")


def linked_folder(folder: Path) -> None:
    (folder.parent / "bob").mkdir()
    (folder.parent / "bob" / "report.pdf").write_bytes(PDF)
    (folder / "eve").symlink_to("../bob")


def link_in_a_folder(folder: Path) -> None:
    (folder / "eve").mkdir()
    (folder / "eve" / "report.pdf").symlink_to("/etc/passwd")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "eve.pdf")


def pipe_in_a_folder(folder: Path) -> None:
    (folder / "eve").mkdir()
    os.mkfifo(folder / "eve" / "report.pdf")


def empty_folder(folder: Path) -> None:
    (folder / "eve.pdf").mkdir()


def two_reports(folder: Path) -> None:
    (folder / "eve").mkdir()
    for name in ("a.pdf", "B.PDF"):
        (folder / "eve" / name).write_bytes(PDF)


def zip_in_a_zip(folder: Path) -> None:
    (folder / "eve.zip").write_bytes(pack({"inner.zip": pack({"report.pdf": PDF})}))


def zip_that_leaves(folder: Path) -> None:
    (folder / "eve.zip").write_bytes(zipped("../../bob.pdf", PDF))


def zip_of_folders(folder: Path) -> None:
    (folder / "eve.zip").write_bytes(zipped("a/" * 9 + "report.pdf", PDF))


def nothing(folder: Path) -> None:
    (folder / "eve.pdf").write_bytes(b"")


@pytest.mark.parametrize(
    ("forge", "fault"),
    [
        (linked, OpeningFault.LINK),
        (hard_linked, OpeningFault.LINK),
        (linked_folder, OpeningFault.LINK),
        (link_in_a_folder, OpeningFault.LINK),
        (pipe, OpeningFault.UNREADABLE),
        (pipe_in_a_folder, OpeningFault.LINK),
        (empty_folder, OpeningFault.NO_REPORT),
        (two_reports, OpeningFault.SEVERAL_REPORTS),
        (zip_in_a_zip, OpeningFault.NO_REPORT),
        (zip_that_leaves, OpeningFault.NAME),
        (zip_of_folders, OpeningFault.NAME),
        (nothing, OpeningFault.UNREADABLE),
    ],
    ids=lambda each: each.__name__ if callable(each) else each.name,
)
def test_what_is_no_hand_in_of_ones_own_is_refused_at_once(
    tmp_path: Path, forge: Callable[[Path], None], fault: OpeningFault
) -> None:
    """It is in the class all the same, with its reason."""
    folder = tmp_path / "hand-ins"
    folder.mkdir()
    forge(folder)
    (found,), skipped = find_submissions(folder)
    assert not skipped and digest_of(found)
    with pytest.raises(SubmissionError) as caught:
        open_submission(found)
    assert caught.value.fault is fault


def test_no_name_takes_the_folder_of_another(tmp_path: Path) -> None:
    """Not by letters that look the same, by a digest that one types oneself, or by a name of the outputs."""
    named = ["ada.pdf", "Ada.pdf", "ada .pdf", "ada.PDF", "ada..pdf", "ad\u0430.pdf", "..pdf", "grades.csv.pdf"]
    names = [*named, *(unicodedata.normalize(form, "andr\u00e9.pdf") for form in ("NFC", "NFD"))]
    names += [f"{attempts_of(tmp_path, Path('ada .pdf')).name}.pdf", "-rf.pdf", "--out=x.pdf", "a\nb.pdf", "\udcff.pdf"]
    folders = [attempts_of(tmp_path, Path(each)) for each in names]
    assert len(set(folders)) == len(names) and {each.parent for each in folders} == {tmp_path}
    assert not {GRADES, PAGE, "alike.csv"} & {each.name for each in folders}


def graded(name: str, ids: tuple[str, ...], folder: Path) -> Graded:
    found = (SavedFinding(name, name),)
    checks = (SavedCheck("rerun", 9, 0, Status.FAILED, found, command=name),)
    grade = SavedGrade((name,), name, ids=ids, assignment=name, identity=name, note=name, checks=checks, kinds=(name,))
    return Graded(name, grade, folder, trouble=name)


@pytest.mark.parametrize("evil", EVIL)
def test_no_word_of_a_hand_in_moves_a_cursor_computes_or_runs(tmp_path: Path, evil: str) -> None:
    outputs = ClassOutputs(tmp_path)
    for name in (evil, "ada.pdf"):
        outputs.add(graded(name, (evil, "ada"), tmp_path))
    said = outputs.finish()
    page, table = (tmp_path / PAGE).read_text(), (tmp_path / GRADES).read_text()
    assert all(each.isprintable() for line in said for each in line)
    assert not {"\x1b", "\u202e", "\u2028", "\t"} & set(page + table) and page.count("<script>") == 1
    rows = list(csv.reader(io.StringIO(table)))
    assert len(rows) == 3 and {len(row) for row in rows} == {len(rows[0])}
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row)


def test_one_person_twice_is_said_however_the_id_is_typed(tmp_path: Path) -> None:
    outputs = ClassOutputs(tmp_path)
    for number, name in enumerate(("ada 1", "ADA 1", "ada  1", " ada 1 ", "ada\u00a01")):
        outputs.add(graded(f"{number}.pdf", (name,), tmp_path))
    assert "     the id ada 1 stands in 5 hand-ins: 0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf" in outputs.finish()
