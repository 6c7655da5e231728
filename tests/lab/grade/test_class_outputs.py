"""The files of a class: the table, the page in a browser, and similar submissions."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.browser import addresses, found_in

from lab.grade.class_outputs import (
    ALIKE,
    FINGERPRINT,
    GRADES,
    NEAREST,
    PAGE,
    ClassOutputs,
    Fingerprint,
    alike,
    read_fingerprint,
    write_fingerprint,
)
from lab.grade.course import Graded
from lab.grade.finding import CheckResult, Finding, Flaw, Grade, Status
from lab.submission.assignment import CHECKS, Assignment

POINTS = dict.fromkeys(CHECKS, 9) | {"speed": 0}
MADE = tuple(name for name in CHECKS if POINTS[name])
ASSIGNMENT = Assignment("A class <1>", "e", POINTS, file=Path("a.toml"))
EVIL = (
    *('=HYPERLINK("http://example.org")', "+1", "@SUM(A1)", "-2+3", "\t=1"),  # formulas
    *("\x1b[2J\x1b[Hfinal: 100 of 100", "a\nb.pdf,final", "\u202eadp.fdp", "\udcff.pdf", "\u2028"),
    "</td></table><script>alert(1)</script>",
)
NAMES = ("eve.pdf", "Zoe & <b>co</b>.pdf", "100%41.zip", 'a "b"#c', "</script><script>document.title='x'</script>.pdf")
READ = """function column(table, place) {
  return Array.from(table.tBodies[0].rows, function (row) { return row.cells[place].textContent; }); }
var table = document.querySelector('table'), heads = table.querySelectorAll('th');
"""
TARGETS = """return Array.from(table.querySelectorAll('td a'), function (link) {
  location.hash = ''; link.click();
  var target = document.querySelector(':target');
  return [link.closest('tr').cells[0].textContent, link.textContent, target.textContent,
          target.nextElementSibling.textContent];
});"""


def graded(name: str, passed: int, folder: Path, *ids: str, **about: Any) -> Graded:
    """A file of the class with so many checks passed."""
    checks = tuple(
        CheckResult(check, 9, Status.PASSED, command=f"do {check}")
        if number < passed
        else CheckResult(check, 9, Status.FAILED, (Finding(Flaw.SAMPLE, f"<i>{name}</i>"),), command=f"do {check}")
        for number, check in enumerate(MADE)
    )
    return Graded(name, Grade(submission=name, ids=ids, checks=checks, whole=True, **about), folder)


def write_class(folder: Path, *rows: Graded) -> list[str]:
    outputs = ClassOutputs(folder)
    outputs.begin(ASSIGNMENT)
    for row in rows:
        outputs.add(row)
    return outputs.finish()


def table_of(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / GRADES).read_text())))


def test_table_has_a_row_for_each_file(tmp_path: Path) -> None:
    broken, skipped = (
        Graded("c.pdf", Grade(), None, "killed"), Graded("notes.txt", Grade(), None, "skipped", skipped=True)
    )  # fmt: skip
    lines = write_class(tmp_path, graded("a.pdf", 10, tmp_path, "ada"), graded("b.pdf", 0, tmp_path), broken, skipped)
    assert lines == [
        "   1 with the fault: sample", "   1 with the fault: skipped", "   1 with the fault: the grading itself"
    ]  # fmt: skip
    rows = table_of(tmp_path)
    assert [(row["submission"], row["points"], row["rerun"], row["faults"], row["trouble"]) for row in rows] == [
        ("a.pdf", "90", "9", "", ""),
        ("b.pdf", "0", "0", "sample", ""),
        ("c.pdf", "", "", "", "killed"),
        ("notes.txt", "", "", "", "skipped"),
    ]
    assert "speed" not in rows[0]


def test_unlisted_identities_come_first(tmp_path: Path) -> None:
    flagged = graded("zoe.pdf", 10, tmp_path, flags=("ANOTHER IDENTITY",), identity="exact 0f")
    write_class(tmp_path, graded("ada.pdf", 10, tmp_path), flagged)
    first, second = table_of(tmp_path)
    assert [first[name] for name in ("submission", "flags", "identity")] == ["zoe.pdf", "ANOTHER IDENTITY", "exact 0f"]
    assert second["submission"] == "ada.pdf" and not second["flags"]
    text = (tmp_path / PAGE).read_text()
    assert text.index('<td class="flag">ANOTHER IDENTITY</td>') < text.index("ada.pdf")


def test_person_in_several_submissions_is_named_in_every_spelling(tmp_path: Path) -> None:
    spellings = ("ada 1", "ADA 1", "ada  1", " ada 1 ", "ada\u00a01", "Ada 1")
    rows = [graded(f"{number}.pdf", 10, tmp_path, name) for number, name in enumerate(spellings)]
    more = "0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf and 1 more"
    assert write_class(tmp_path, *rows) == [f"     the id ada 1 is in 6 submissions: {more}"]
    assert [row["submissions of an id"] for row in table_of(tmp_path)] == ["6"] * 6


@pytest.mark.parametrize("evil", EVIL)
def test_untrusted_text_moves_no_cursor_and_is_not_run(tmp_path: Path, evil: str) -> None:
    checks = (CheckResult("rerun", 9, Status.FAILED, (Finding(Flaw.SAMPLE, evil),), command=evil),)
    grade = Grade((evil,), evil, ids=(evil, "ada"), assignment=evil, identity=evil, note=evil, checks=checks)
    lines = write_class(tmp_path, *(Graded(name, grade, tmp_path, trouble=evil) for name in (evil, "ada.pdf")))
    page, table = (tmp_path / PAGE).read_text(), (tmp_path / GRADES).read_text()
    assert all(letter.isprintable() for line in lines for letter in line)
    assert not {"\x1b", "\u202e", "\u2028", "\t"} & set(page + table) and page.count("<script>") == 1
    rows = list(csv.reader(io.StringIO(table)))
    assert len(rows) == 3 and {len(row) for row in rows} == {len(rows[0])}
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    rows = [graded(name, passed, tmp_path) for name, passed in zip(NAMES, (10, 1, 0, 3, 2), strict=True)]
    write_class(tmp_path, *rows)
    return tmp_path / PAGE


def test_page_sorts_and_links_each_cell_to_its_evidence(page: Path) -> None:
    clicks = "heads[3].click(); var up = column(table, 3); heads[3].click(); var down = column(table, 3);\n"
    up, down, names = found_in(page, READ + clicks + "heads[0].click(); return [up, down, column(table, 0)];")
    assert up == [str(9 * passed) for passed in (0, 1, 2, 3, 10)] and down == up[::-1]
    assert sorted(names) == sorted(NAMES) and names.index("eve.pdf") < names.index(NAMES[1])

    links = found_in(page, READ + TARGETS)
    assert len(links) == len(NAMES) * (1 + len(MADE))
    for place, (name, shown, head, below) in enumerate(links):
        check = (None, *MADE)[place % (1 + len(MADE))]
        assert head.startswith(f"{check}: " if check else f"{name}, kept in")
        assert check is None or (f"do {check}" in below and (shown == "9" or f"<i>{name}</i>" in below))


def test_page_loads_nothing_and_scrolls(page: Path) -> None:
    style = "getComputedStyle(document.querySelector('table').parentElement).overflowX"
    result = found_in(page, f"return [document.title, document.scripts.length, {style}]")
    assert result == ["A class <1>", 2, "auto"] and addresses(page) == set()
    page.write_text(page.read_text() + "<img src='http://example.org/x.png'>")
    assert found_in(page, "return 1") == 1 and addresses(page) == {"http://example.org/x.png"}


def test_files_of_a_class_of_copies_grow_linearly(tmp_path: Path) -> None:
    count, prints = 150, Fingerprint(*(frozenset(f"{number:016x}" for number in range(many)) for many in (600, 40)))
    rows = [graded(f"{number:04}.pdf", 10, tmp_path / f"{number:04}" / "1") for number in range(count)]
    for row in rows:
        assert row.folder
        write_fingerprint(prints, row.folder)
    write_class(tmp_path, *rows)
    pairs = (tmp_path / ALIKE).read_text().splitlines()[1:]
    assert count - 1 <= len(pairs) <= NEAREST * count and (tmp_path / PAGE).stat().st_size < 6000 * count


def test_submissions_are_alike_by_words_or_records(tmp_path: Path) -> None:
    prints = {
        "a": Fingerprint(frozenset("wxyz"), frozenset("1")),
        "b": Fingerprint(frozenset("wxyv"), frozenset("2")),
        "c": Fingerprint(frozenset("q"), frozenset("1")),
    }
    for name, content in prints.items():
        write_fingerprint(content, tmp_path / name)
    lines = write_class(tmp_path, *(graded(name, 10, tmp_path / name) for name in prints))
    assert lines == [f"   2 in the list of similar pairs: {ALIKE}"]
    assert {row["points"] for row in table_of(tmp_path)} == {"90"}
    assert (tmp_path / ALIKE).read_text().splitlines()[1:] == ["a,c,0.000,1", "a,b,0.600,0"]


def test_copy_among_many_with_common_phrases_is_found() -> None:
    phrases = {f"phrase {number}" for number in range(100)}
    prints = {
        f"{number:03}": Fingerprint(frozenset(phrases | {f"{number} {word}" for word in range(200)}))
        for number in range(300)
    }
    words = sorted(prints["003"].words)
    prints["290"] = Fingerprint(frozenset(words[: len(words) * 9 // 10]) | phrases)
    assert [(pair.first, pair.second) for pair in alike(prints, 0.5)] == [("003", "290")]


@pytest.mark.parametrize("damage", [b"\xff", b"[]", b'{"words": 1}', b"{"])
def test_damaged_fingerprint_is_empty(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FINGERPRINT).write_bytes(damage)
    assert read_fingerprint(tmp_path) == Fingerprint()
