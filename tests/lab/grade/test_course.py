"""A class graded: which files are submissions, and where their grades go."""

import os
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins

from lab.errors import LabError
from lab.files.storage import write_text
from lab.grade.class_outputs import ALIKE, GRADES, PAGE
from lab.grade.course import Graded, attempts_of, by_assignment, find_submissions, grade_class
from lab.grade.grading import digest_of

# A fake `lab grade`: it writes a grade, or breaks down for a submission with the text "crash".
GRADER = """
import hashlib, json, pathlib, sys
place, grades = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[1])
if place.read_text() == "crash":
    sys.exit("killed by a bomb")
folder = grades / place.stem
attempt = folder / str(len(list(folder.glob("*"))) + 1)
attempt.mkdir(parents=True)
findings = [{"kind": "sample", "what": "<b>&"}] if place.read_text() == "forged" else []
check = {"name": "rerun", "most": 9, "status": "failed" if findings else "passed", "findings": findings}
digest = hashlib.sha256(f" {hashlib.sha256(place.read_bytes()).hexdigest()}\\n".encode()).hexdigest()
grade = {"final": True, "sha256": digest, "grader": "me", "checks": [check]}
(attempt / "grade.json").write_text(json.dumps(grade))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Submissions of three students, and another file."""
    for name, content in {"ada.pdf": "honest", "bob.pdf": "forged", "eve.pdf": "crash", "notes.txt": ""}.items():
        write_text(tmp_path / "submissions" / name, content)
    return tmp_path / "submissions"


def graded(folder: Path, grades: Path, grader: str = "me") -> dict[str, Graded]:
    command = [sys.executable, "-c", GRADER, str(grades)]

    rows = grade_class(find_submissions(folder)[0], grades, grader, command, 2)
    return {row.submission: row for row in rows}


def test_submission_that_breaks_the_grader_harms_no_other(folder: Path, tmp_path: Path) -> None:
    rows = graded(folder, tmp_path / "grades")
    assert {name: (row.grade.points, row.trouble) for name, row in rows.items()} == {
        "ada.pdf": (9, ""), "bob.pdf": (0, ""), "eve.pdf": (0, "killed by a bomb")
    }  # fmt: skip


def test_submissions_are_graded_again_only_if_they_or_the_grader_changed(folder: Path, tmp_path: Path) -> None:
    grades = tmp_path / "grades"

    def attempts(grader: str = "me") -> list[str]:
        assert len(graded(folder, grades, grader)) == 3
        return sorted(str(attempt.relative_to(grades)) for attempt in grades.glob("*/*"))

    assert attempts() == attempts() == ["ada/1", "bob/1"]
    (folder / "bob.pdf").write_text("honest")
    assert attempts() == ["ada/1", "bob/1", "bob/2"]
    assert attempts(grader="another") == ["ada/1", "ada/2", "bob/1", "bob/2", "bob/3"]


def test_killed_grading_leaves_nothing_in_the_temporary_directory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    killed = "import os, signal, tempfile; tempfile.mkdtemp(); os.kill(os.getpid(), signal.SIGKILL)"
    command = [sys.executable, "-c", killed]
    rows = list(grade_class([folder / "ada.pdf"], tmp_path / "grades", "me", command, 1))
    assert [row.trouble for row in rows] == ["no grade was written"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_every_file_is_a_submission_or_skipped_with_a_reason(folder: Path, tmp_path: Path) -> None:
    for name in ("PLAIN.PDF", "WHOLE.ZIP", "work.tar.gz", "report.docx", ".DS_Store"):
        (folder / name).write_text("honest")
    (folder / "named_otherwise").write_text("%PDF-1.5")
    (folder / "folder").mkdir()
    (folder / "link.pdf").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.pdf")
    submissions, skipped = find_submissions(folder)
    names = ["PLAIN.PDF", "WHOLE.ZIP", "ada.pdf", "bob.pdf", "eve.pdf", "folder", "link.pdf", "named_otherwise"]
    assert [place.name for place in submissions] == [*names, "pipe.pdf"] and all(map(digest_of, submissions))
    assert {row.submission: row.trouble for row in skipped} == {
        ".DS_Store": "skipped: it is hidden, or a computer put it there",
        "notes.txt": "skipped: it is not a PDF, zip or folder but .txt",
        "report.docx": "skipped: it is not a PDF, zip or folder but .docx",
        "work.tar.gz": "skipped: it is not a PDF, zip or folder but .gz",
    }
    with pytest.raises(LabError, match="not a folder"):
        find_submissions(tmp_path / "nothing")


def test_each_submission_names_its_assignment(ada: Any, tmp_path: Path) -> None:
    for name in ("assignment", "other"):
        (tmp_path / f"{name}.toml").write_text(hand_ins.ASSIGNMENT)
    hand_ins.handed_in(ada, tmp_path / "submissions" / "ada.pdf")
    (tmp_path / "submissions" / "bob.pdf").write_text("no PDF")
    submissions, _ = find_submissions(tmp_path / "submissions")
    assigned, unassigned = by_assignment(submissions, None, tmp_path)
    assert assigned == {tmp_path / "assignment.toml": [tmp_path / "submissions" / "ada.pdf"]}
    (row,) = unassigned
    assert row.submission == "bob.pdf" and row.trouble.startswith("it names no assignment of this course")
    other = str(tmp_path / "other.toml")
    assert by_assignment(submissions, other, tmp_path) == ({tmp_path / "other.toml": submissions}, [])


def test_class_needs_one_readable_submission(folder: Path, ada: Any) -> None:
    with pytest.raises(LabError, match=r"none of its submissions can be opened, first .*ada.pdf") as caught:
        by_assignment(find_submissions(folder)[0], "a.toml")
    assert caught.value.where == str(folder)
    (folder / "zoe.pdf").write_bytes(ada.report.read_bytes())
    submissions, _ = find_submissions(folder)
    assert by_assignment(submissions, "a.toml") == ({Path("a.toml"): submissions}, [])


def test_no_two_names_share_a_folder_of_grades(tmp_path: Path) -> None:
    """Neither by similar letters, nor by a typed digest or the name of an output."""
    names = ["ada.pdf", "ada.zip", "ada", "Ada.pdf", "ada .pdf", "ada.PDF", "ada..pdf", "ad\u0430.pdf", "..pdf"]
    names += ["a b.pdf", "a_b.pdf", "王伟.pdf", "李娜.pdf", "class.html.pdf", "grades.csv.pdf", "~.pdf"]
    names += [unicodedata.normalize(form, "andr\u00e9.pdf") for form in ("NFC", "NFD")]
    names += [f"{attempts_of(tmp_path, Path('ada .pdf')).name}.pdf", "-rf.pdf", "--out=x.pdf", "a\nb.pdf", "\udcff.pdf"]
    folders = [attempts_of(tmp_path, Path(name)) for name in names]
    assert folders[0] == tmp_path / "ada" and len(set(folders)) == len(names)
    assert all(folder.parent == tmp_path and folder.name.isascii() for folder in folders)
    assert not {GRADES, PAGE, ALIKE} & {folder.name for folder in folders}
