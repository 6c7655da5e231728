"""The matrix of hosts: its counts, its page, and the one row that every host can measure."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.release.hosts import table
from tests.release.hosts.elsewhere import empty
from tests.release.hosts.entry import needed, of_requirements
from tests.release.hosts.matrix import HOSTS
from tests.release.hosts.measuring import Count, Left, compared
from tests.release.hosts.outcomes import FAILED, compile_naps, few, of_trials, recorded_trials, said_of

from lab.sites.exact import ExactSite

SAME = {"identity": "i"}
OURS = Left(SAME, [("tcp", "1"), ("verbs", "2")])


@pytest.mark.parametrize(
    ("theirs", "ours", "count"),
    [
        (OURS, OURS, Count(2, 2)),
        (Left(SAME, [("tcp", "1")] * 3), Left(SAME, [("tcp", "1")]), Count(3, 3)),
        (Left(SAME, [("tcp", "1"), ("verbs", "3")]), OURS, Count(1, 2, "verbs: 3")),
        (Left(SAME, [("tcp", "1")]), OURS, Count(1, 2, "verbs: not run")),
        (Left(SAME, [*OURS.runs, ("mpi", "4")]), OURS, Count(2, 3, "mpi: 4")),
        (Left({"identity": "j"}, OURS.runs), OURS, Count(2, 2, "another identity")),
    ],
)
def test_equal_runs_are_counted_and_the_first_difference_is_named(theirs: Left, ours: Left, count: Count) -> None:
    assert compared(theirs, ours) == count


def test_the_page_in_docs_has_every_host_and_how_it_is_made() -> None:
    page = table.PAGE.read_text()
    assert list(table.lines(page)) == [host.name for host in HOSTS]
    assert all(f"| {host.name} | {host.words} |" in page for host in HOSTS)
    assert all(f"| {host.name} | `{host.made}` |" in page for host in HOSTS)


def test_a_trial_is_identified_by_all_its_rows() -> None:
    rows = "size_bytes,record\n1,a\n2,a\n1,b\n"
    digests, others = dict(of_trials("x", rows)), dict(of_trials("x", rows.replace("2,a", "3,a")))
    assert list(digests) == ["x/a", "x/b"]
    assert (digests["x/a"] == others["x/a"], digests["x/b"] == others["x/b"]) == (False, True)
    assert len(list(recorded_trials())) == len({name for name, _ in recorded_trials()}) > 300


def test_the_python_of_a_host_gets_all_packages_that_jobs_load_with_digests() -> None:
    assert {"urllib3", "zstandard"} <= needed()
    (lines,) = of_requirements({"urllib3"})
    assert lines.startswith("urllib3==") and "--hash=sha256:" in lines


@pytest.mark.release
@pytest.mark.usefixtures("users_namespaces")
def test_jobs_in_an_empty_root_leave_the_same_bytes(exact: ExactSite) -> None:
    compile_naps()
    jobs = list(few(exact).values())
    with ThreadPoolExecutor(2) as pool:
        ours = list(pool.map(lambda job: said_of(exact, job), jobs))
        shut_in = empty()
        theirs = list(pool.map(lambda job: said_of(shut_in, job), jobs))
    assert len(set(ours)) == 3 and not [digest for digest in ours if digest.startswith(FAILED)]
    assert theirs == ours
