"""Rows and the page that they make: tests.hosts.{measuring,row,table}."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.hosts import matrix, table, tables
from tests.hosts.earlier import with_earlier
from tests.hosts.entry import Enter
from tests.hosts.measuring import Count, HostFailed, Left, compared, left
from tests.hosts.row import UNTRIED, Row, Wanted, measured

HOST = matrix.HOSTS[0]
DAY = date(2026, 11, 22)
SAME = {"identity": "i"}
THEIRS = Left(SAME, [("tcp", "1"), ("verbs", "2")])
UNMEASURED = Row(HOST, why=UNTRIED)
NOTHING = Wanted(1, [], [])


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

    with pytest.raises(HostFailed, match="no facts: laying out the carried QEMU"):
        left([sys.executable, "-c", "print('laying out the carried QEMU')"])

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


def test_a_row_that_was_measured_in_parts_says_what_is_of_which_day() -> None:
    kinds, early, late = Count(9, 9, "", "2026-11-25"), Count(5, 5, "", "2026-11-24"), Count(5, 5, "", "2026-11-25")
    row = Row(HOST, DAY, {}, {"kinds": kinds}, {0: early, 2: early, 6: late})
    assert row.line().split(" | ")[-2] == "2026-11-25: kinds, race 6; 2026-11-24: race 0, race 2"
    assert replace(row, race={6: late}).line().split(" | ")[-2] == "2026-11-25"


def test_the_page_keeps_lines_of_hosts_that_were_not_measured_now() -> None:
    first, other = matrix.HOSTS[:2]
    old = table.lines(table.text([Row(other, DAY, {"python": "3.11.2"})], {}))
    assert (old[first.name], old[other.name]) == (UNMEASURED.line(), Row(other, DAY, {"python": "3.11.2"}).line())
    untried = replace(UNMEASURED, host=other)
    again = table.lines(table.text([Row(first, DAY), untried], old))
    assert again == old | {first.name: Row(first, DAY).line()}


def test_the_page_in_docs_has_a_line_for_every_host() -> None:
    assert list(table.lines(table.PAGE.read_text())) == [host.name for host in matrix.HOSTS]


def test_a_row_is_measured_in_parts_as_long_as_the_machine_is_the_same(tmp_path: Path) -> None:
    row = Row(HOST, DAY, SAME, {"kinds": Count(9, 10, "tcp: 5")}, {6: Count(5, 5)})
    with_earlier(row, tmp_path)
    later = with_earlier(Row(HOST, DAY, SAME, {"every": Count(3, 3)}, {0: Count(4, 4)}), tmp_path)
    assert later == replace(
        row, counts=dict(row.counts) | {"every": Count(3, 3)}, race={0: Count(4, 4), 6: Count(5, 5)}
    )
    again = with_earlier(Row(HOST, DAY, SAME, {"kinds": Count(10, 10)}), tmp_path)
    assert (again.counts, again.equal) == ({"kinds": Count(10, 10), "every": Count(3, 3)}, True)
    other = Row(HOST, DAY, {"identity": "j"})
    assert with_earlier(other, tmp_path) == other


def test_counts_that_were_kept_without_a_day_are_of_earlier(tmp_path: Path) -> None:
    kept = tmp_path / "i" / f"{HOST.name}.json"
    kept.parent.mkdir()
    kept.write_text('{"counts": {"kinds": {"equal": 9, "runs": 9, "other": ""}}, "race": {}}')
    row = with_earlier(Row(HOST, DAY, SAME, {}, {0: Count(5, 5, "", "2026-11-25")}), tmp_path)
    assert row.line().split(" | ")[-2] == "earlier: kinds; 2026-11-25: race 0"


def test_a_trial_is_told_by_all_its_lines() -> None:
    table = "size_bytes,record\n1,a\n2,a\n1,b\n"
    told = dict(tables.of_trials("x", table))
    assert list(told) == ["x/a", "x/b"]
    other = dict(tables.of_trials("x", table.replace("2,a", "3,a")))
    assert (told["x/a"] == other["x/a"], told["x/b"] == other["x/b"]) == (False, True)
    assert len(list(tables.recorded())) == len({name for name, _ in tables.recorded()}) > 300
