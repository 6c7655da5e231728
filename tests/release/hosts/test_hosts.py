"""The matrix of hosts: its counts, its page, and the one row that every host can measure."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.release.hosts import matrix, table
from tests.release.hosts.elsewhere import QEMU_10, QEMU_11, Newer, Poured, WithRunner, empty
from tests.release.hosts.entry import Enter, needed, of_requirements
from tests.release.hosts.measuring import Count, HostFailed, Left, compared, left
from tests.release.hosts.outcomes import FAILED, compile_naps, few, of_trials, recorded_trials, said_of
from tests.release.hosts.table import UNTRIED, Row, Wanted, measured, with_earlier

from lab.machine.runner import Runner
from lab.sites.exact import ExactSite

HOST = matrix.HOSTS[0]
DAY = date(2026, 11, 22)
SAME = {"identity": "i"}
THEIRS = Left(SAME, [("tcp", "1"), ("verbs", "2")])
NAPS = Left(SAME, [("tcp", "1")] * 3)


@pytest.mark.parametrize(
    ("mine", "theirs", "count"),
    [
        (THEIRS, THEIRS, Count(2, 2)),
        (NAPS, Left(SAME, [("tcp", "1")]), Count(3, 3)),
        (Left(SAME, [("tcp", "1"), ("verbs", "3")]), THEIRS, Count(1, 2, "verbs: 3")),
        (Left(SAME, [("tcp", "1")]), THEIRS, Count(1, 2, "verbs: not run")),
        (Left(SAME, [*THEIRS.runs, ("mpi", "4")]), THEIRS, Count(2, 3, "mpi: 4")),
        (Left({"identity": "j"}, THEIRS.runs), THEIRS, Count(2, 2, "another identity")),
    ],
)
def test_equal_runs_are_counted_and_the_first_other_one_is_named(mine: Left, theirs: Left, count: Count) -> None:
    assert compared(mine, theirs) == count


def test_a_hosts_output_is_facts_and_runs() -> None:
    printed = "print('{\"identity\": \"i\"}'); print('tcp 1'); print('verbs failed: it broke')"
    assert left([sys.executable, "-c", printed]) == Left(SAME, [("tcp", "1"), ("verbs", "failed: it broke")])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('at first\\nno such loader')", "no such loader"),
        ("print('unpacking QEMU')", "no facts: unpacking QEMU"),
    ],
)
def test_a_host_that_fails_reports_its_last_line(code: str, reason: str) -> None:
    with pytest.raises(HostFailed, match=reason):
        left([sys.executable, "-c", code])


def test_a_row_says_why_a_host_was_not_measured() -> None:
    def broken(_: str) -> Enter:
        raise HostFailed("no such loader")

    nothing = Wanted(1, [], [])
    row = measured(replace(HOST, opened=broken, needs=()), nothing, print)
    assert (row.why, row.ran, row.equal) == ("failed: no such loader", True, False)
    row = measured(replace(HOST, needs=("no-such-command",)), nothing, print)
    assert (row.why, row.ran) == ("not measured: it takes no-such-command", False)


def test_a_row_prints_its_counts_and_what_differs() -> None:
    kinds, race = {"kinds": Count(9, 10, "tcp: | 5")}, {0: Count(5, 5), 2: Count(5, 5)}
    row = Row(HOST, DAY, {"python": "3.13.5", "qemu": ""}, kinds, race)
    assert not row.equal
    assert row.line().endswith("| 3.13.5 | - | 9/10 | - | 0: 5/5, 2: 5/5 | 2026-11-22 | differs: tcp: / 5 |")


def test_a_row_measured_in_parts_prints_the_date_of_each() -> None:
    kinds, early, late = Count(9, 9, "", "2026-11-25"), Count(5, 5, "", "2026-11-24"), Count(5, 5, "", "2026-11-25")
    row = Row(HOST, DAY, {}, {"kinds": kinds}, {0: early, 2: early, 6: late})
    assert row.line().split(" | ")[-2] == "2026-11-25: kinds, race 6; 2026-11-24: race 0, race 2"
    assert replace(row, race={6: late}).line().split(" | ")[-2] == "2026-11-25"


def test_counts_are_kept_while_the_machine_is_the_same(tmp_path: Path) -> None:
    row = Row(HOST, DAY, SAME, {"kinds": Count(9, 10, "tcp: 5")}, {6: Count(5, 5)})
    with_earlier(row, tmp_path)
    later = with_earlier(Row(HOST, DAY, SAME, {"every": Count(3, 3)}, {0: Count(4, 4)}), tmp_path)
    both = dict(row.counts) | {"every": Count(3, 3)}
    assert later == replace(row, counts=both, race={0: Count(4, 4), 6: Count(5, 5)})
    again = with_earlier(Row(HOST, DAY, SAME, {"kinds": Count(10, 10)}), tmp_path)
    assert (again.counts, again.equal) == ({"kinds": Count(10, 10), "every": Count(3, 3)}, True)
    other = Row(HOST, DAY, {"identity": "j"})
    assert with_earlier(other, tmp_path) == other


def test_the_page_keeps_rows_of_hosts_that_were_not_measured() -> None:
    first, other = matrix.HOSTS[:2]
    kept, untried = Row(other, DAY, {"python": "3.11.2"}), Row(first, why=UNTRIED)
    old = table.lines(table.text([kept], {}))
    assert (old[first.name], old[other.name]) == (untried.line(), kept.line())
    again = table.lines(table.text([Row(first, DAY), replace(untried, host=other)], old))
    assert again == old | {first.name: Row(first, DAY).line()}


def test_the_page_in_docs_has_every_host_and_how_it_is_made() -> None:
    page = table.PAGE.read_text()
    assert list(table.lines(page)) == [host.name for host in matrix.HOSTS]
    assert all(f"| {host.name} | {host.words} |" in page for host in matrix.HOSTS)
    assert all(f"| {host.name} | `{host.made}` |" in page for host in matrix.HOSTS)


def test_a_trial_is_identified_by_all_its_rows() -> None:
    rows = "size_bytes,record\n1,a\n2,a\n1,b\n"
    told, other = dict(of_trials("x", rows)), dict(of_trials("x", rows.replace("2,a", "3,a")))
    assert list(told) == ["x/a", "x/b"]
    assert (told["x/a"] == other["x/a"], told["x/b"] == other["x/b"]) == (False, True)
    assert len(list(recorded_trials())) == len({name for name, _ in recorded_trials()}) > 300


def test_a_hosts_python_gets_all_packages_that_jobs_load_with_digests() -> None:
    assert {"urllib3", "zstandard"} <= needed()
    (lines,) = of_requirements({"urllib3"})
    assert lines.startswith("urllib3==") and "--hash=sha256:" in lines


@pytest.mark.parametrize("newer", [QEMU_10, QEMU_11], ids=["10", "11"])
def test_the_plugin_compiles_for_newer_interfaces(newer: Newer, tmp_path: Path) -> None:
    newer.compile(tmp_path / "plugin.so")
    symbols = subprocess.run(["nm", "-D", tmp_path / "plugin.so"], capture_output=True, text=True, check=True).stdout
    assert " D qemu_plugin_version" in symbols and " T qemu_plugin_install" in symbols


def test_a_state_comes_whole_through_a_pipe_each_time(tmp_path: Path) -> None:
    written = bytes(range(256)) * 1200
    (tmp_path / "state").write_bytes(written)
    machine = Poured(tmp_path, Runner(tmp_path), tmp_path)
    for _ in range(2):
        assert machine.state.is_fifo()
        assert machine.state.read_bytes() == written


@pytest.mark.usefixtures("users_namespaces")
def test_jobs_in_an_empty_root_leave_the_same_bytes(exact: ExactSite) -> None:
    compile_naps()
    jobs = list(few(exact).values())
    shut_in = WithRunner(empty())
    with ThreadPoolExecutor(2) as pool:
        here = list(pool.map(lambda job: said_of(exact, job), jobs))
        there = list(pool.map(lambda job: said_of(shut_in, job), jobs))
    assert len(set(here)) == 3 and not [digest for digest in here if digest.startswith(FAILED)]
    assert there == here
