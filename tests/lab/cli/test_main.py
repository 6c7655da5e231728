"""Whole commands in separate processes, on the fake site."""

import errno
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import PEERS, Lab
from tests.pace import slowness
from tests.toml import series_of

from lab.places import ROOT

PATIENCE_S = 300
ENDLESS_S = 600.0  # of a trial that only a signal ends
FAKE = Path(__file__).parents[1] / "fake_site.py"
Write = Callable[..., Path]


def start(*arguments: str | Path, seconds: float = 0.0) -> subprocess.Popen[str]:
    """`lab` in a process, on the fake site, where every trial but the first takes this many seconds."""
    command = [sys.executable, str(FAKE), str(seconds), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


PROGRESS = re.compile(r"\d+ of \d+ trials[,;] ")  # after two seconds


def in_a_process(*arguments: str | Path) -> tuple[int, str, str]:
    process = start(*arguments)
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def records(results: Path) -> list[Path]:
    return sorted(results.glob("records/??/[!.]*"))


def test_from_toml_to_table(lab: Lab, experiment_file: Write, results: Path) -> None:
    file, place = experiment_file(), ("--results", results)
    assert lab("plan", file, *place).out.splitlines()[-1].startswith("4 trials, 0 done, 4 to run")
    assert lab("run", file, *place)[:2] == (0, "4 trials measured, 0 done before, 0 failed\n")
    assert len((results / "small.csv").read_text().splitlines()) == 1 + 4 * 6
    assert lab("run", file, *place).out == "0 trials measured, 4 done before, 0 failed\n"
    assert "client: " in lab("show", records(results)[0].name[:10], *place).out


def test_reader_that_closes_its_pipe_early_is_no_error(experiment_file: Write, tmp_path: Path) -> None:
    with start("plan", experiment_file(), "--site", "exact", "--results", tmp_path) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 141)


def test_wrong_experiment_is_one_sentence_and_nothing_runs(lab: Lab, experiment_file: Write, results: Path) -> None:
    file = experiment_file('title = "t"\nquestoin = "q"\n')
    status, out, err = lab("run", file, "--site", "exact", "--results", results)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1 and not results.exists()


def test_large_plan_is_refused_with_the_number_of_its_trials_but_made_with_yes(
    lab: Lab, experiment_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound of a million is lowered, so that the plan is small."""
    monkeypatch.setattr("lab.plan.planning.MOST_TRIALS", 3)
    planned = ("plan", experiment_file(), "--site", "exact", "--results", tmp_path)
    status, out, err = lab(*planned)
    assert (status, out) == (2, "") and "4 trials on exact" in err and "--yes" in err
    assert lab(*planned, "--yes").status == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        *((["show", start], "begins no key") for start in ("**", "", "../", "3f9A", "x" * 10_000)),
        (["grade", " "], "the name of the file is empty"),
        *((["plan", "bench", "--jobs", jobs], "must be a whole number of 1") for jobs in ("9" * 5000, "1" * 400, "²")),
        (["spot", "bench", "--seed", "9" * 5000], "must be a whole number of 0 or more"),
        (["profile", "bench", "--sizes", "9" * 5000], "does not fit in 63 bits"),
        (["fit-card", "verbs_a.csv", "--rate-bit-s", "32T"], "must be a whole number of 1 or more"),
        (["fit-card", "verbs_a.csv", "--rate-bit-s", "1" * 400], "must be a whole number of 1 or more"),
        (["fit-card", "verbs_a.csv", "--rate-bit-s", "9", "--inline", "9" * 5000], "does not fit in 63 bits"),
        (["run", "nothing"], "unknown experiment nothing"),
        (["run", "bench", "--reps", "3"], "unknown arguments: --reps 3 (lab run --help lists all)"),
        (["plna"], "unknown command 'plna'. Did you mean 'plan'?"),
        (["plan", "a\x1b[2J\x07.toml", "--site", "exact"], "a\\x1b[2J\\x07.toml"),
        (["verify", "bench", "--site", "exact"], "there is no reference"),
    ],
)
def test_mistake_in_an_argument_is_one_sentence(
    lab: Lab, words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.plan.planning.under_test", lambda *_: defaultdict(str))
    status, out, err = lab(*words)
    assert (status, out) == (2, "") and sentence in err and len(err.splitlines()[-1]) < 500
    assert err.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("locale", "letters"),
    [("C", "größe".encode()), ("C.UTF-8", "größe".encode("latin-1")), ("C", "\u05d0 'x'".encode())],
    ids=repr,
)
def test_names_of_any_letters_work_in_any_locale(
    experiment_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str, letters: bytes
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    name = os.fsdecode(letters)
    folder = tmp_path / f"Übung 1 {name}"
    folder.mkdir()
    file = experiment_file().rename(folder / f"{name}.toml")
    file.write_text(file.read_text().replace("Peers", "Größe \u2013"))
    code, out, err = in_a_process("run", file, "--site", "exact", "--results", folder)
    warned = [line for line in err.splitlines() if not PROGRESS.match(line)]
    assert (code, warned) == (0, []) and "4 trials measured" in out and (folder / f"{name}.csv").exists()
    code, out, err = in_a_process("plan", folder / f"{name}x.toml", "--site", "exact")
    assert code == 2 and "is not there" in err and "Traceback" not in err


def test_command_without_a_name_takes_all_experiments_in_their_order(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, order in (("a", ""), ("b", "order = 1\n")):
        (tmp_path / f"{name}.toml").write_text(order + PEERS)
    monkeypatch.setattr("lab.plan.planning.EXPERIMENTS", tmp_path)
    out = lab("plan", "--site", "exact", "--results", tmp_path).out
    assert [line[:2] for line in out.splitlines() if line[1] == ":"] == ["b:", "a:"]


IMPORTING = """
import os, signal, sys
from lab.cli.main import main
class Finder:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("module", ["lab.cli.commands", "lab.files.toml"])
def test_interrupt_during_an_import_is_one_sentence(module: str) -> None:
    command = [sys.executable, "-c", IMPORTING, module, "plan", "verbs_throughput"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert len(done.stderr.splitlines()) == 1 and "interrupted" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_keeps_its_records_and_names_the_command_that_continues(
    lab: Lab, experiment_file: Write, results: Path, number: int
) -> None:
    file, until = experiment_file(), time.monotonic() + PATIENCE_S
    process = start("run", file, "--results", results, "--jobs", "1", seconds=ENDLESS_S)
    while len(records(results)) < 1:
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)
    while process.poll() is None:  # as often as fingers can, until it has ended
        process.send_signal(number)
        time.sleep(0.001)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and "Traceback" not in err
    assert f"interrupted; every finished record is kept; 3 trials left; to continue: lab run {file}" in err
    assert len(records(results)) == 1
    assert lab("run", file, "--results", results).out == "3 trials measured, 1 done before, 0 failed\n"


def test_run_without_a_site_prints_its_choice_and_the_reason(lab: Lab, experiment_file: Write, tmp_path: Path) -> None:
    planned = ("plan", experiment_file(), "--results", tmp_path)
    chosen = lab(*planned, "--hosts", tmp_path / "hosts.toml")
    assert (chosen.status, chosen.err) == (0, "site exact: no RDMA device on this computer or in hosts.toml\n")
    assert lab(*planned, "--site", "exact").err == ""


TEN_THOUSAND = """
title = "Many"
question = "How long does a plan take?"
[parameters]
sizes = "1..1M*2"
repetitions = 1000
""" + series_of("ours verbs write throughput\nvary.tx_depth = [64, 65, 66, 67, 68, 69, 70, 71, 72, 73]")
MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def test_ten_thousand_trials_are_planned_in_two_seconds_and_half_a_gigabyte(
    experiment_file: Write, tmp_path: Path
) -> None:
    """CPU seconds, the least of some runs: other work on this host empties its caches."""
    planned = [str(FAKE), "0", "plan", str(experiment_file(TEN_THOUSAND)), "--results", str(tmp_path)]
    used = list[tuple[float, float]]()
    while len(used) < 10 and min(used, default=(math.inf, 0.0))[0] >= 2:
        slow = slowness()
        done = subprocess.run([sys.executable, "-c", MEASURE, *planned], capture_output=True, text=True, check=True)
        seconds, kilobytes = map(float, done.stdout.splitlines()[-1].split())
        used.append((seconds / slow, kilobytes))
        assert "10000 trials" in done.stdout
    assert min(used)[0] < 2 and max(kilobytes for _, kilobytes in used) < 500_000, used


def test_unexpected_refusal_of_the_system_is_one_sentence(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", "/some/file")

    monkeypatch.setattr("lab.cli.measure.plan", refuse)
    status, _, err = lab("plan", "bench", "--site", "exact")
    assert status == 2 and err.startswith("lab plan: /some/file: permission denied (try: ")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that contains the package alone, as `pip install .` makes it."""
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.copytree(ROOT / "code" / "lab", folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def other_checkout(tmp_path: Path) -> Path:
    """A checkout of which `lab` prints its folder."""
    code = tmp_path / "other" / "code" / "lab"
    code.mkdir(parents=True)
    (tmp_path / "other" / "experiments").mkdir()
    for name in ("__init__", "places", "__main__"):
        (code / f"{name}.py").write_text("print(__file__)" if name == "__main__" else "")
    return tmp_path / "other"


def lab_of(packages: Path, where: Path, *arguments: str, root: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(packages), "LAB_ROOT": str(root or "")}
    command = [sys.executable, "-P", "-m", "lab", *arguments]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_installed_lab_runs_the_code_of_the_checkout_around_it_or_of_lab_root(
    installed: Path, other_checkout: Path, tmp_path: Path
) -> None:
    inside, code = other_checkout / "deep" / "folder", f"{other_checkout / 'code' / 'lab' / '__main__.py'}\n"
    inside.mkdir(parents=True)
    assert lab_of(installed, inside, "plan").stdout == code
    assert lab_of(installed, tmp_path, "plan", root=other_checkout).stdout == code


def test_lab_of_a_checkout_leaves_it_for_lab_root_alone(other_checkout: Path) -> None:
    """Else a grader in a folder of a submission would run the submission's code."""
    assert lab_of(ROOT / "code", other_checkout, "--version").stdout.startswith("lab 1.0.0+")
    assert lab_of(ROOT / "code", ROOT, "--version", root=other_checkout).stdout.startswith(str(other_checkout))


def test_outside_of_checkouts_lab_prints_its_help_and_names_lab_root(installed: Path, tmp_path: Path) -> None:
    assert lab_of(installed, tmp_path, "--help").returncode == 0
    assert lab_of(installed, tmp_path, "--version").stdout == "lab 1.0.0, outside of any checkout\n"
    hint = "(try: cd CHECKOUT, or LAB_ROOT=CHECKOUT lab COMMAND)\n"
    for root in (None, tmp_path / "nothing"):
        ended = lab_of(installed, tmp_path, "plan", root=root)
        assert ended.returncode == 2
        assert ended.stderr == f"lab plan: {root or tmp_path}: not in a checkout of Verbyte {hint}"


def test_missing_python_package_is_named_with_the_command_that_installs_it() -> None:
    script = "import sys; sys.modules['jinja2'] = None; from lab.cli.main import main; sys.exit(main(['try']))"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "lab try: jinja2: this Python package is not installed (try: " in ended.stderr
