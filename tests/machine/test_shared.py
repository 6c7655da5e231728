"""A course's checkout: writable by one user, read-only for all others, who store results elsewhere."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import namespaces
from tests.machine.checkout import SMALL

from lab.places import ROOT
from lab.plan.builds import lab_programs
from lab.sites.exact import ExactSite

# Bound at a path that everybody can read: this checkout may be in a private folder.
SCRIPT = 'mount --bind -o ro "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
Done = subprocess.CompletedProcess[str]
Shared = Callable[..., Done]


@pytest.fixture(scope="module")
def folder(reachable: Path) -> Iterator[Path]:
    """The folder of the bound checkout and of the other user's results."""
    (reachable / "checkout").mkdir()
    (reachable / "own").mkdir()
    (reachable / "own").chmod(0o777)
    (reachable / "own" / "small.toml").write_text(SMALL)
    yield reachable
    for each in reachable.rglob("*/"):
        each.chmod(0o755)


@pytest.fixture(scope="module")
def shared(folder: Path, exact: ExactSite) -> Shared:
    """Run a command in this checkout, read-only; as root as another user."""
    namespaces.need_own()
    exact.verified_snapshot()
    subprocess.run(["make", "-s", "-C", "code/bench"], cwd=ROOT, check=True)
    lab_programs(print)
    become = namespaces.NOBODY if namespaces.is_root() else ()
    apart = ("unshare", "--mount", *(() if become else ("--map-root-user",)))
    variables = {"HOME": "/", "PYTHONPYCACHEPREFIX": str(folder / "own" / "bytecode")}

    def run(*command: str) -> Done:
        words = [*apart, "sh", "-c", SCRIPT, "sh", str(ROOT), str(folder / "checkout"), *become, *command]
        return subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | variables)

    assert run("sh", "-c", "! touch touched 2>/dev/null").returncode == 0
    return run


def lab(*words: str) -> tuple[str, ...]:
    return (".venv/bin/python", "-m", "lab", *words)


def run_of(folder: Path) -> tuple[str, ...]:
    own = folder / "own"
    return lab("run", str(own / "small.toml"), "--site", "exact", "--results", str(own / "results"))


@pytest.fixture(scope="module")
def theirs(shared: Shared, folder: Path) -> Path:
    """Records of a first run that only their owner may change."""
    place, done = folder / "theirs", shared(*run_of(folder))
    assert (done.returncode, done.stdout) == (0, "1 trial measured, 0 done before, 0 failed\n"), done.stderr
    shutil.copytree(folder / "own" / "results", place, ignore=shutil.ignore_patterns(".*"))
    for each in (place, *place.rglob("*/")):
        each.chmod(0o555)
    return place


@pytest.mark.usefixtures("theirs")
def test_other_user_runs_a_trial_of_a_read_only_checkout_once(shared: Shared, folder: Path) -> None:
    done = shared(*run_of(folder))
    assert (done.returncode, done.stdout) == (0, "0 trials measured, 1 done before, 0 failed\n"), done.stderr


def test_other_user_writes_reports_elsewhere(shared: Shared, folder: Path, theirs: Path) -> None:
    words = lab("report", str(folder / "own" / "small.toml"), "--results", str(theirs))
    refused = shared(*words)
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    last = refused.stderr.splitlines()[-1]
    assert "cannot be written: " in last and last.endswith("(try: --out DIR, a folder that you can write to)")
    out = folder / "own" / "report"
    made, again = shared(*words, "--out", str(out)), shared(*words, "--out", str(out))
    assert (made.returncode, again.returncode) == (0, 0), made.stderr
    assert (out / "small.pdf").stat().st_size > 100 and str(out / "small.pdf") in made.stdout
    assert "up to date" in again.stdout


def test_other_user_reads_read_only_records(shared: Shared, folder: Path, theirs: Path) -> None:
    key = next(theirs.glob("records/*/*")).name
    for words, text in (
        (("query", str(folder / "own" / "small.toml"), "--results", str(theirs)), "tcp"),
        (("show", key[:12], "--results", str(theirs)), key),
        (("compare", str(theirs), str(theirs)), "identity: the same"),
        (("plan", str(folder / "own" / "small.toml"), "--site", "exact", "--results", str(theirs)), "1 done"),
    ):
        done = shared(*lab(*words))
        assert done.returncode == 0 and text in done.stdout and "Traceback" not in done.stderr, done.stderr


def test_read_only_results_are_refused_with_a_hint_at_another_folder(shared: Shared, folder: Path) -> None:
    done = shared(*lab("run", str(folder / "own" / "small.toml"), "--site", "exact", "--fresh"))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr.splitlines()[-1] and "--results DIR" in done.stderr.splitlines()[-1]


def test_build_without_changes_writes_nothing(shared: Shared) -> None:
    done = shared("make", "-s", "-C", "code/bench")
    assert (done.returncode, done.stderr) == (0, "")
