"""Rows and the page that they make: tests.hosts.{measuring,row,table}."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date

import pytest
from tests.hosts import matrix, table
from tests.hosts.entry import Enter
from tests.hosts.measuring import Count, HostFailed, Left, compared, left
from tests.hosts.row import UNTRIED, Row, Wanted, measured

HOST = matrix.HOSTS[0]
DAY = date(2026, 11, 22)
SAME = {"identity": "i"}
THEIRS = Left(SAME, [("tcp", "1"), ("verbs", "2")])
UNMEASURED = Row(HOST, why=UNTRIED)
NOTHING = Wanted(1, [], every=False)


def test_runs_that_left_the_same_are_counted() -> None:
    assert compared(THEIRS, THEIRS) == Count(2, 2)
    naps = Left(SAME, [("tcp", "1")] * 3)
    assert compared(naps, Left(SAME, [("tcp", "1")])) == Count(3, 3)


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (Left(SAME, [("tcp", "1"), ("verbs", "3")]), Count(1, 2, "verbs: 3")),
        (Left(SAME, [("tcp", "1")]), Count(1, 2, "verbs: not run")),
        (Left(SAME, [*THEIRS.runs, ("mpi", "4")]), Count(2, 3, "mpi: 4")),
        (Left({"identity": "j"}, THEIRS.runs), Count(2, 2, "another identity")),
    ],
)
def test_what_is_not_the_same_is_counted_and_named(mine: Left, said: Count) -> None:
    assert compared(mine, THEIRS) == said


def test_what_a_host_printed_is_read() -> None:
    printed = "print('{\"identity\": \"i\"}'); print('tcp 1'); print('verbs failed: it broke')"
    assert left([sys.executable, "-c", printed]) == Left(
        {"identity": "i"}, [("tcp", "1"), ("verbs", "failed: it broke")]
    )


def test_a_host_that_fails_is_a_row_with_its_last_words() -> None:
    with pytest.raises(HostFailed, match="no such loader"):
        left([sys.executable, "-c", "import sys; sys.exit('at first\\nno such loader')"])

    def broken(_: str) -> Enter:
        raise HostFailed("no such loader")

    row = measured(replace(HOST, opened=broken, needs=()), NOTHING, print)
    assert (row.why, row.ran, row.equal) == ("failed: no such loader", True, False)


def test_a_host_for_which_something_lacks_is_not_tried() -> None:
    row = measured(replace(HOST, needs=("no-such-command",)), NOTHING, print)
    assert (row.why, row.ran) == ("not measured: it takes no-such-command", False)


def test_a_line_says_what_was_counted_and_what_differs() -> None:
    row = Row(
        HOST,
        DAY,
        {"python": "3.13.5", "qemu": ""},
        {"kinds": Count(9, 10, "tcp: | 5")},
        {0: Count(5, 5), 2: Count(5, 5)},
    )
    assert not row.equal
    assert row.line().endswith("| 3.13.5 | - | 9/10 | - | 0: 5/5, 2: 5/5 | 2026-11-22 | differs: tcp: / 5 |")


def test_the_page_keeps_lines_of_hosts_that_were_not_measured_now() -> None:
    first, other = matrix.HOSTS[:2]
    old = table.lines(table.text([Row(other, DAY, {"python": "3.11.2"})], {}))
    assert (old[first.name], old[other.name]) == (UNMEASURED.line(), Row(other, DAY, {"python": "3.11.2"}).line())
    untried = replace(UNMEASURED, host=other)
    again = table.lines(table.text([Row(first, DAY), untried], old))
    assert again == old | {first.name: Row(first, DAY).line()}


def test_the_page_in_docs_has_a_line_for_every_host() -> None:
    assert list(table.lines(table.PAGE.read_text())) == [host.name for host in matrix.HOSTS]
