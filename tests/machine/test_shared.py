"""A course's checkout: made by one user, read-only for all others, who keep their results elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import namespaces
from tests.machine.checkout import SMALL

from lab.places import BENCH, ROOT
from lab.plan.builds import keep_binaries
from lab.sites.exact import ExactSite

# Bound at a place that everybody can reach: this checkout may be in a folder that only its owner can read.
SCRIPT = 'mount --bind -o ro "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
Done = subprocess.CompletedProcess[str]
Shared = Callable[..., Done]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """The folder with the bound checkout and the results of the other user."""
    path = Path(tempfile.mkdtemp(prefix="lab-shared-"))
    path.chmod(0o755)
    (path / "checkout").mkdir()
    (path / "own").mkdir()
    (path / "own").chmod(0o777)
    (path / "own" / "small.toml").write_text(SMALL)
    yield path
    for each in path.rglob("*/"):
        each.chmod(0o755)
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def shared(folder: Path, exact: ExactSite) -> Shared:
    """Run a command in this checkout, read-only; as another user where this one can become another."""
    namespaces.need_own()
    exact.verified_snapshot()
    subprocess.run(["make", "-s", "-C", "code/bench"], cwd=ROOT, check=True)
    keep_binaries([BENCH / "tcp-server", BENCH / "tcp-client"])
    become = namespaces.NOBODY if namespaces.is_root() else ()
    apart = ("unshare", "--mount", *(() if become else ("--map-root-user",)))

    def run(*command: str) -> Done:
        words = [*apart, "sh", "-c", SCRIPT, "sh", str(ROOT), str(folder / "checkout"), *become, *command]
        return subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | {"HOME": "/"})

    assert run("sh", "-c", "! touch touched 2>/dev/null").returncode == 0
    return run


def lab(*words: str) -> tuple[str, ...]:
    return (".venv/bin/python", "-m", "lab", *words)


def test_another_user_runs_a_trial_of_a_read_only_checkout(shared: Shared, folder: Path) -> None:
    own = folder / "own"
    run = lab("run", str(own / "small.toml"), "--site", "exact", "--results", str(own / "results"))
    first, second = shared(*run), shared(*run)
    assert (first.returncode, first.stdout) == (0, "1 trials measured, 0 done before, 0 failed\n"), first.stderr
    assert (second.returncode, second.stdout) == (0, "0 trials measured, 1 done before, 0 failed\n"), second.stderr


@pytest.fixture(scope="module")
def theirs(shared: Shared, folder: Path) -> Path:
    """Records that this user may read and nobody but their owner change."""
    place = folder / "theirs"
    small = str(folder / "own" / "small.toml")
    done = shared(*lab("run", small, "--site", "exact", "--results", str(folder / "own" / "first")))
    assert done.returncode == 0, done.stderr
    shutil.copytree(folder / "own" / "first", place, ignore=shutil.ignore_patterns(".*"))
    for each in (place, *place.rglob("*/")):
        each.chmod(0o555)
    return place


@pytest.mark.parametrize("command", ["table", "report"])
def test_another_user_writes_tables_and_reports_elsewhere(
    shared: Shared, folder: Path, theirs: Path, command: str
) -> None:
    words = lab(command, str(folder / "own" / "small.toml"), "--results", str(theirs))
    refused = shared(*words)
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    last = refused.stderr.splitlines()[-1]
    assert "cannot be written: " in last and last.endswith("(try: --out DIR, a folder that you can write to)")
    out = folder / "own" / command
    made, again = shared(*words, "--out", str(out)), shared(*words, "--out", str(out))
    assert (made.returncode, again.returncode) == (0, 0), made.stderr
    file = {"table": "small.csv", "report": "small.pdf"}[command]
    assert (out / file).stat().st_size > 100 and str(out / file) in made.stdout
    assert command == "table" or "up to date" in again.stdout


def test_another_user_reads_records_that_he_may_not_change(shared: Shared, folder: Path, theirs: Path) -> None:
    key = next(theirs.glob("records/*/*")).name
    for words, said in (
        (("query", str(folder / "own" / "small.toml"), "--results", str(theirs)), "tcp"),
        (("show", key[:12], "--results", str(theirs)), key),
        (("compare", str(theirs), str(theirs)), "identity: the same"),
        (("plan", str(folder / "own" / "small.toml"), "--site", "exact", "--results", str(theirs)), "1 done"),
    ):
        done = shared(*lab(*words))
        assert done.returncode == 0 and said in done.stdout and "Traceback" not in done.stderr, done.stderr


def test_what_cannot_be_written_is_one_sentence_that_says_where_else(shared: Shared, folder: Path) -> None:
    done = shared(*lab("run", str(folder / "own" / "small.toml"), "--site", "exact", "--fresh"))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr.splitlines()[-1] and "--results DIR" in done.stderr.splitlines()[-1]


def test_a_build_with_nothing_to_do_writes_nothing(shared: Shared) -> None:
    done = shared("make", "-s", "-C", "code/bench")
    assert (done.returncode, done.stderr) == (0, "")
