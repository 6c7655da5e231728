"""A class graded, and what is alike in it: lab.grade.{class_outputs,course,fingerprint,found,likeness,saved,setup}."""

import csv
import re
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins as students
from tests.lab.grade.growth import copies

from lab.grade import likeness
from lab.grade.class_outputs import ALIKE, GRADES, PAGE, ClassOutputs
from lab.grade.course import ClassError, Graded, attempts_of, by_assignment, find_submissions, grade_class
from lab.grade.finding import SavedCheck, SavedGrade, Status
from lab.grade.likeness import FILE, Fingerprint, Likeness, alike, compare, read_fingerprint, write_fingerprint
from lab.submission.assignment import CHECKS, Assignment

# Stands for `lab grade`: it writes a grade, or breaks down where the hand-in says so.
GRADER = """
import hashlib, json, pathlib, sys
place, grades = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if place.read_text() == "crash":
    sys.exit("killed by a bomb")
folder = grades / place.stem
attempt = folder / str(len(list(folder.glob("*"))) + 1)
attempt.mkdir(parents=True)
findings = [{"kind": "sample", "what": "<b>&"}] if place.read_text() == "forged" else []
check = {"name": "rerun", "most": 9, "points": 9 - 9 * len(findings), "status": "failed" if findings else "passed"}
digest = hashlib.sha256(f" {hashlib.sha256(place.read_bytes()).hexdigest()}\\n".encode()).hexdigest()
grade = {"points": check["points"], "most": 9, "final": True, "sha256": digest, "grader": "me", "ids": ["=1+1"]}
grade |= {"kinds": ["sample"] if findings else [], "checks": [check | {"findings": findings, "command": "lab grade"}]}
(attempt / "grade.json").write_text(json.dumps(grade))
(attempt / "fingerprint.json").write_text(json.dumps({"words": ["a", "b", place.stem], "records": []}))
"""
POINTS = dict.fromkeys(CHECKS, 1) | {"speed": 0}
ASSIGNMENT = Assignment(Path("a.toml"), "A class <1>", Path("e.toml"), "exact", POINTS)


@pytest.fixture
def hand_ins(tmp_path: Path) -> Path:
    folder = tmp_path / "hand-ins"
    folder.mkdir()
    for name, content in {"ada": "honest", "bob": "forged", "eve": "crash", "notes.txt": ""}.items():
        (folder / (name if "." in name else f"{name}.pdf")).write_text(content)
    return folder


def graded(hand_ins: Path, grades: Path, grader: str = "me") -> list[Graded]:
    def command(place: Path) -> list[str]:
        return [sys.executable, "-c", GRADER, str(place), str(grades)]

    return list(grade_class(find_submissions(hand_ins)[0], grades, grader, command, 2))


def attempts(grades: Path) -> list[str]:
    return sorted(str(each.relative_to(grades)) for each in grades.glob("*/*"))


def test_one_that_breaks_the_grader_harms_no_other(hand_ins: Path, tmp_path: Path) -> None:
    done = {each.submission: each for each in graded(hand_ins, tmp_path / "grades")}
    assert {name: each.points for name, each in done.items()} == {"ada.pdf": 9, "bob.pdf": 0, "eve.pdf": 0}
    assert done["eve.pdf"].trouble == "killed by a bomb"
    assert not done["bob.pdf"].trouble and not done["ada.pdf"].trouble


def test_what_is_graded_is_not_graded_again_unless_it_or_the_grader_changed(hand_ins: Path, tmp_path: Path) -> None:
    grades = tmp_path / "grades"
    graded(hand_ins, grades)
    assert len(graded(hand_ins, grades)) == 3 and attempts(grades) == ["ada/1", "bob/1"]
    (hand_ins / "bob.pdf").write_text("honest")
    graded(hand_ins, grades)
    assert attempts(grades) == ["ada/1", "bob/1", "bob/2"]
    graded(hand_ins, grades, grader="another")
    assert attempts(grades) == ["ada/1", "ada/2", "bob/1", "bob/2", "bob/3"]


def test_no_two_names_share_a_folder_of_grades(hand_ins: Path, tmp_path: Path) -> None:
    names = (
        "ada.pdf",
        "ada.zip",
        "ada",
        "a b.pdf",
        "a_b.pdf",
        "王伟.pdf",
        "李娜.pdf",
        "class.html.pdf",
        "ada.PDF",
        "~.pdf",
    )
    for name in names:
        (hand_ins / name).touch() if "." in name else (hand_ins / name).mkdir()
    folders = [attempts_of(tmp_path, each) for each in find_submissions(hand_ins)[0]]
    assert len(folders) == len(set(folders)) == len({*names, "bob.pdf", "eve.pdf"})
    assert all(each.parent == tmp_path and each.name.isascii() for each in folders)
    assert tmp_path / "ada" in folders and not {tmp_path / GRADES, tmp_path / PAGE} & set(folders)
    with pytest.raises(ClassError, match="no folder"):
        find_submissions(tmp_path / "nothing")


def test_every_file_of_a_class_is_graded_or_skipped_with_a_reason(hand_ins: Path, tmp_path: Path) -> None:
    for name in ("PLAIN.PDF", "WHOLE.ZIP", "work.tar.gz", "report.docx", ".DS_Store"):
        (hand_ins / name).write_text("honest")
    (hand_ins / "named_otherwise").write_text("%PDF-1.5")
    found, skipped = find_submissions(hand_ins)
    assert [each.name for each in found] == [
        "PLAIN.PDF",
        "WHOLE.ZIP",
        "ada.pdf",
        "bob.pdf",
        "eve.pdf",
        "named_otherwise",
    ]
    assert {each.submission: each.trouble for each in skipped} == {
        ".DS_Store": "skipped: it is hidden, or a computer put it there",
        "notes.txt": "skipped: it is no PDF, zip or folder but .txt",
        "report.docx": "skipped: it is no PDF, zip or folder but .docx",
        "work.tar.gz": "skipped: it is no PDF, zip or folder but .gz",
    }
    write_class(ASSIGNMENT, [*graded(hand_ins, tmp_path / "grades"), *skipped], tmp_path)
    rows = {row["submission"]: row for row in csv.DictReader((tmp_path / GRADES).read_text().splitlines())}
    assert rows.keys() == {each.name for each in hand_ins.iterdir()}
    assert rows["notes.txt"]["points"] == "" and rows["notes.txt"]["trouble"] in (tmp_path / PAGE).read_text()


def test_a_class_of_two_assignments_is_graded_by_what_each_names(ada: Any, tmp_path: Path) -> None:
    for name in ("assignment", "other"):
        (tmp_path / f"{name}.toml").write_text(students.ASSIGNMENT)
    (tmp_path / "hand-ins").mkdir()
    students.handed_in(ada, tmp_path / "hand-ins" / "ada.pdf")
    (tmp_path / "hand-ins" / "bob.pdf").write_text("no PDF")
    found, _ = find_submissions(tmp_path / "hand-ins")
    assigned, without = by_assignment(found, None, tmp_path)
    assert {file.stem: [each.name for each in which] for file, which in assigned.items()} == {"assignment": ["ada.pdf"]}
    assert [(each.submission, each.trouble.split(" (")[0]) for each in without] == [
        ("bob.pdf", "it names no assignment of this course")
    ]
    assert by_assignment(found, str(tmp_path / "other.toml"), tmp_path) == ({tmp_path / "other.toml": found}, [])


def test_a_killed_grading_leaves_nothing_in_the_temporary_directory(
    hand_ins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    left = "import os, signal, tempfile; tempfile.mkdtemp(); os.kill(os.getpid(), signal.SIGKILL)"
    command = [sys.executable, "-c", left]
    (hand_ins / "bob.pdf").unlink()
    done = list(grade_class([hand_ins / "ada.pdf"], tmp_path / "grades", "me", lambda _: command, 1))
    assert [each.trouble for each in done] == ["no grade was written"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_csv_has_a_row_for_each_and_no_formula(hand_ins: Path, tmp_path: Path) -> None:
    said = write_class(ASSIGNMENT, graded(hand_ins, tmp_path / "grades"), tmp_path / "grades")
    assert said[:2] == ["   1 with the fault: sample", "   1 with the fault: the grading itself"]
    assert said[2] == "     the id =1+1 stands in 2 hand-ins: ada.pdf, bob.pdf"
    rows = list(csv.DictReader((tmp_path / "grades" / GRADES).read_text().splitlines()))
    assert [(row["submission"], row["points"], row["faults"]) for row in rows] == [
        ("ada.pdf", "9", ""),
        ("bob.pdf", "0", "sample"),
        ("eve.pdf", "", ""),
    ]
    assert [row["hand-ins of an id"] for row in rows] == ["2", "2", ""]
    assert (rows[0]["rerun"], rows[0]["pages"]) == ("9", "") and "speed" not in rows[0]
    assert rows[0]["ids"] == "'=1+1" and rows[2]["trouble"]


def test_another_identity_stands_above_all_others(tmp_path: Path) -> None:
    check = SavedCheck("rerun", 9, 9, Status.PASSED)
    named = SavedGrade(flags=("ANOTHER IDENTITY",), identity="exact 0f", points=9, checks=(check,))
    rows = [Graded("ada.pdf", SavedGrade(points=9, checks=(check,)), tmp_path), Graded("zoe.pdf", named, tmp_path)]
    write_class(ASSIGNMENT, rows, tmp_path)
    first, second = csv.DictReader((tmp_path / GRADES).read_text().splitlines())
    assert [first[name] for name in ("submission", "flags", "identity")] == ["zoe.pdf", "ANOTHER IDENTITY", "exact 0f"]
    assert second["submission"] == "ada.pdf" and not second["flags"]
    text = (tmp_path / PAGE).read_text()
    assert text.index('<td class="flag">ANOTHER IDENTITY</td>') < text.index("ada.pdf")


class Page(HTMLParser):
    """Ids, links and open tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {values["id"] or ""} if "id" in values else set()
        self.links += [values["href"] or ""] if "href" in values else []
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_cell_of_the_page_leads_to_its_evidence_and_nothing_leads_out(hand_ins: Path, tmp_path: Path) -> None:
    write_class(ASSIGNMENT, graded(hand_ins, tmp_path / "grades"), tmp_path / "grades")
    text = (tmp_path / "grades" / PAGE).read_text()
    page = Page(text)
    assert page.open == [] and {"ada.pdf", "bob.pdf:rerun"} <= page.ids
    assert {"#bob.pdf", "#bob.pdf:rerun"} <= set(page.links) and all(link.startswith("#") for link in page.links)
    assert "&lt;b&gt;&amp;" in text and "A class &lt;1&gt;" in text and not re.search(r"https?:|src=|url\(", text)


def write_class(assignment: Assignment, grades: Iterable[Graded], folder: Path) -> list[str]:
    outputs = ClassOutputs(folder)
    outputs.begin(assignment)
    for each in grades:
        outputs.add(each)
    return outputs.finish()


def test_outputs_and_likeness_of_a_class_of_copies_grow_as_the_class_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 copies of one: the most that can be alike."""
    compared, rows = 0, 0

    def counted(*pair: Any) -> Likeness:
        nonlocal compared
        compared += 1
        return compare(*pair)

    monkeypatch.setattr(likeness, "compare", counted)
    sizes: list[int] = []
    whole = ClassOutputs._write

    def write(outputs: ClassOutputs, pairs: list[Likeness]) -> Any:
        nonlocal rows
        rows += len(outputs._graded)
        sizes.append(len(pairs))
        return whole(outputs, pairs)

    monkeypatch.setattr(ClassOutputs, "_write", write)
    count = 1000
    write_class(ASSIGNMENT, copies(count, tmp_path), tmp_path)
    assert compared <= likeness.NEAREST * count and rows <= 7 * count
    assert set(sizes[:-1]) == {0} and sizes[-1] == compared  # likeness once, at the end
    assert len((tmp_path / ALIKE).read_text().splitlines()) == 1 + compared >= count
    assert (tmp_path / PAGE).stat().st_size < 5000 * count


def test_a_damaged_fingerprint_is_like_no_other(tmp_path: Path) -> None:
    for damage in (b"\xff", b"[]", b'{"words": 1}', b"{"):
        (tmp_path / FILE).write_bytes(damage)
        assert read_fingerprint(tmp_path) == Fingerprint(frozenset(), frozenset())


def test_likeness_is_of_words_or_of_records_and_is_only_told(tmp_path: Path) -> None:
    made = {
        "a": Fingerprint(frozenset("wxyz"), frozenset("1")),
        "b": Fingerprint(frozenset("wxyv"), frozenset("2")),
        "c": Fingerprint(frozenset("q"), frozenset("1")),
    }
    found = [(each.first, each.second, each.words, each.records) for each in alike(made, 0.3)]
    assert found == [("a", "c", 0.0, 1), ("a", "b", 0.6, 0)]
    grades = []
    for name, each in made.items():
        (tmp_path / name).mkdir()
        write_fingerprint(each, tmp_path / name)
        grades.append(Graded(name, SavedGrade(points=9), tmp_path / name))
    write_class(ASSIGNMENT, grades, tmp_path)
    assert (tmp_path / ALIKE).read_text().splitlines()[1:] == ["a,c,0.000,1", "a,b,0.600,0"]


def test_a_folder_of_which_nothing_can_be_opened_is_refused(hand_ins: Path) -> None:
    """Before anything is measured; one that can be opened is enough to begin."""
    with pytest.raises(ClassError, match=r"none of its hand-ins can be opened, first .*ada.pdf") as caught:
        by_assignment(find_submissions(hand_ins)[0], "a.toml")
    assert caught.value.where == str(hand_ins)


def test_a_copy_among_a_thousand_is_found_whatever_phrases_all_share() -> None:
    phrases = {f"phrase {each}" for each in range(200)}
    made = {
        f"{number:04}": Fingerprint(frozenset(phrases | {f"{number} {each}" for each in range(400)}), frozenset())
        for number in range(1000)
    }
    own = sorted(made["0003"].words)
    made["0990"] = Fingerprint(frozenset(own[: len(own) * 9 // 10]) | phrases, frozenset())
    assert [(each.first, each.second) for each in alike(made, 0.5)] == [("0003", "0990")]
