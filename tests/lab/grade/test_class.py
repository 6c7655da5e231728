"""A class graded, and what is alike in it: lab.grade.{class_outputs,course,fingerprint,setup}."""

import csv
import re
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.growth import all_pairs, copies

from lab.grade.class_outputs import ALIKE, GRADES, PAGE, ClassOutputs, alike_csv
from lab.grade.course import ClassError, Graded, find_submissions, grade_class, require_one
from lab.grade.fingerprint import (
    FILE,
    Fingerprint,
    Likeness,
    Likenesses,
    compare,
    read_fingerprint,
    write_fingerprint,
)
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
ASSIGNMENT = Assignment(Path("a.toml"), "A class <1>", Path("e.toml"), "exact", dict.fromkeys(CHECKS, 1))


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

    return list(grade_class(find_submissions(hand_ins), grades, grader, command, 2))


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


def test_names_that_would_share_a_folder_are_refused(hand_ins: Path, tmp_path: Path) -> None:
    (hand_ins / "ada.zip").write_text("")
    with pytest.raises(ClassError, match="two hand-ins would be graded as ada"):
        find_submissions(hand_ins)
    with pytest.raises(ClassError, match="no folder"):
        find_submissions(tmp_path / "nothing")


def test_the_csv_has_a_row_for_each_and_no_formula(hand_ins: Path, tmp_path: Path) -> None:
    causes = write_class(ASSIGNMENT, graded(hand_ins, tmp_path / "grades"), tmp_path / "grades")
    assert causes == {"sample": ["bob.pdf"], "the grading itself": ["eve.pdf"]}
    rows = list(csv.DictReader((tmp_path / "grades" / GRADES).read_text().splitlines()))
    assert [(row["submission"], row["points"], row["faults"]) for row in rows] == [
        ("ada.pdf", "9", ""),
        ("bob.pdf", "0", "sample"),
        ("eve.pdf", "0", ""),
    ]
    assert rows[0]["ids"] == "'=1+1" and rows[2]["trouble"]


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


def write_class(assignment: Assignment, grades: Iterable[Graded], folder: Path) -> dict[str, list[str]]:
    outputs = ClassOutputs(assignment, folder)
    for each in grades:
        outputs.add(each)
    return outputs.write()


@pytest.mark.parametrize("count", [50, 100, 200])
def test_a_class_compares_each_pair_once_and_is_written_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    compared, rows = 0, 0

    def counted(*pair: Any) -> Likeness:
        nonlocal compared
        compared += 1
        return compare(*pair)

    def written(alike: Iterable[Likeness]) -> str:
        nonlocal rows
        found = list(alike)
        rows += len(found)
        return alike_csv(found)

    monkeypatch.setattr("lab.grade.fingerprint.compare", counted)
    monkeypatch.setattr("lab.grade.class_outputs.alike_csv", written)
    write_class(ASSIGNMENT, copies(count, tmp_path), tmp_path)
    assert compared == all_pairs(count)
    assert rows <= 5 * all_pairs(count)  # a geometric series of writings, and the last one
    assert len((tmp_path / ALIKE).read_text().splitlines()) == 1 + all_pairs(count)


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
    alike = Likenesses(0.3)
    for name in ("b", "c", "a"):
        alike.add(name, made[name])
    found = [(each.first, each.second, each.words, each.records) for each in alike.most_alike_first()]
    assert found == [("a", "c", 0.0, 1), ("a", "b", 0.6, 0)]
    grades = []
    for name, each in made.items():
        (tmp_path / name).mkdir()
        write_fingerprint(each, tmp_path / name)
        grades.append(Graded(name, {"points": 9}, tmp_path / name))
    write_class(ASSIGNMENT, grades, tmp_path)
    assert (tmp_path / ALIKE).read_text().splitlines()[1:] == ["a,c,0.000,1", "a,b,0.600,0"]


def test_a_folder_of_which_nothing_can_be_opened_is_refused(hand_ins: Path) -> None:
    """Before anything is measured; one that can be opened is enough to begin."""
    with pytest.raises(ClassError, match=r"none of its hand-ins can be opened, first .*ada.pdf") as caught:
        require_one(find_submissions(hand_ins))
    assert caught.value.where == str(hand_ins)
