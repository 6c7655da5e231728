"""The page of a class, opened in a browser as a grader opens it: from disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.grade.browser import addresses, found_in

from lab.grade.class_outputs import ClassPage, class_page
from lab.grade.course import Graded
from lab.grade.finding import SavedCheck, SavedFinding, SavedGrade, Status
from lab.submission.assignment import CHECKS

NAMES = ("eve.pdf", "Zoe & <b>co</b>.pdf", "100%41.zip", 'a "b"#c', "</script><script>document.title='x'</script>.pdf")
COLUMN = "return Array.from(table.tBodies[0].rows, function (row) { return row.cells[place].textContent; });"
READ = f"function column(table, place) {{ {COLUMN} }}\nvar table = document.querySelector('table');\n"
HEADS = "var heads = table.querySelectorAll('th');\n"
TARGETS = """return Array.from(table.querySelectorAll('td a'), function (link) {
  location.hash = ''; link.click();
  var target = document.querySelector(':target');
  return [link.closest('tr').cells[0].textContent, link.textContent, target.textContent,
          target.nextElementSibling.textContent];
});"""


def graded(name: str, points: int) -> Graded:
    found = (SavedFinding("sample", f"<i>{name}</i>"),) if points < 9 else ()
    status = Status.FAILED if found else Status.PASSED
    checks = tuple(SavedCheck(each, 9, points, status, found, command=f"do {each}") for each in CHECKS)
    grade = SavedGrade(points=points * len(CHECKS), ids=("ada",) if points else ("eve\u202e\n",), checks=checks)
    return Graded(name, grade, Path("/grades") / "1")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    rows = [graded(name, points) for name, points in zip(NAMES, (9, 1, 0, 3, 2), strict=True)]
    (tmp_path / "class.html").write_text(
        class_page(ClassPage("A class", CHECKS, rows, {"sample": ["eve.pdf"]}, {"ada": ["x", "y"]}, []))
    )
    return tmp_path / "class.html"


def test_a_click_on_a_head_sorts_and_a_second_turns_the_order_round(page: Path) -> None:
    clicks = "heads[3].click(); var up = column(table, 3); heads[3].click(); var down = column(table, 3);\n"
    names = "heads[0].click(); return [up, down, column(table, 0)];"
    up, down, named = found_in(page, READ + HEADS + clicks + names)
    assert up == [str(each * len(CHECKS)) for each in (0, 1, 2, 3, 9)] and down == up[::-1]
    assert sorted(named) == sorted(NAMES) and named.index("eve.pdf") < named.index(NAMES[1])


def test_every_cell_leads_to_its_own_evidence_whatever_the_hand_in_is_called(page: Path) -> None:
    seen = found_in(page, READ + TARGETS)
    assert len(seen) == len(NAMES) * (1 + len(CHECKS))
    for place, (name, shown, head, below) in enumerate(seen):
        check = (None, *CHECKS)[place % (1 + len(CHECKS))]
        assert head.startswith(f"{check}: " if check else f"{name}, kept in")
        assert check is None or (f"do {check}" in below and (shown == "9" or f"<i>{name}</i>" in below))
    assert found_in(page, "return document.title") == "A class"


def test_the_page_asks_for_nothing_from_anywhere(page: Path) -> None:
    assert found_in(page, "return document.scripts.length") == 2
    assert addresses(page) == set()
    page.write_text(page.read_text() + "<img src='http://example.org/x.png'>")
    assert found_in(page, "return 1") == 1 and addresses(page) == {"http://example.org/x.png"}


def test_text_that_turns_or_ends_a_line_is_shown_as_what_it_is(page: Path) -> None:
    assert "eve\\u202e\\n" in page.read_text() and "\u202e" not in page.read_text()


def test_the_whole_table_can_be_reached_and_what_is_to_know_first_is_flagged(page: Path) -> None:
    wide = "return getComputedStyle(document.querySelector('table').parentElement).overflowX"
    assert found_in(page, wide) == "auto"
    assert found_in(page, "return document.querySelectorAll('td.flag').length") == len(NAMES) - 1
