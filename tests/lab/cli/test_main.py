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
from tests.lab.conftest import PEERS
from tests.pace import slowness
from tests.toml import series_of

from lab.cli.main import main
from lab.places import ROOT
from lab.sites.site import MODULES

PATIENCE_S = 300
ENDLESS_S = 600.0  # of a trial that only a signal ends
FAKE = Path(__file__).parents[1] / "fake_site.py"
Write = Callable[..., Path]


def start(*arguments: str | Path, seconds: float = 0.0) -> subprocess.Popen[str]:
    """`lab` in a process, on the fake site, where every trial but the first takes this many seconds."""
    command = [sys.executable, str(FAKE), str(seconds), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


PROGRESS = re.compile(r"\d+ of \d+ trials[,;] ")  # after two seconds


def lab(*arguments: str | Path, seconds: float = 0.0) -> tuple[int, str, str]:
    process = start(*arguments, seconds=seconds)
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def records(results: Path) -> list[Path]:
    return sorted(results.glob("records/??/[!.]*"))


def wait_for_records(results: Path, count: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while len(records(results)) < count:
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


def test_from_toml_to_table(experiment_file: Write, tmp_path: Path) -> None:
    file, results = experiment_file(), tmp_path / "results"
    assert lab("plan", file, "--results", results)[1].splitlines()[-1].startswith("4 trials, 0 done, 4 to run")
    code, out, _ = lab("run", file, "--results", results)
    assert (code, out) == (0, "4 trials measured, 0 done before, 0 failed\n")
    assert len((results / "small.csv").read_text().splitlines()) == 1 + 4 * 6
    assert lab("run", file, "--results", results)[1] == "0 trials measured, 4 done before, 0 failed\n"
    code, out, _ = lab("show", records(results)[0].name[:10], "--results", results)
    assert code == 0 and "client: " in out


def test_reader_that_closes_its_pipe_early_is_no_error(experiment_file: Write, tmp_path: Path) -> None:
    with start("plan", experiment_file(), "--site", "exact", "--results", tmp_path) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 141)


def test_wrong_experiment_is_one_sentence_and_nothing_runs(experiment_file: Write, tmp_path: Path) -> None:
    file = experiment_file('title = "t"\nquestoin = "q"\n')
    code, out, err = lab("run", file, "--site", "exact", "--results", tmp_path / "results")
    assert (code, out) == (2, "") and len(err.splitlines()) == 1 and "Traceback" not in err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        *((["show", start], "begins no key") for start in ("**", "", "../", "3f9A", "x" * 10_000)),
        (["grade", " "], "the name of the file is empty"),
        *((["plan", "bench", "--jobs", jobs], "must be a whole number of 1") for jobs in ("9" * 5000, "1" * 400, "²")),
        (["spot", "bench", "--seed", "9" * 5000], "must be a whole number of 0 or more"),
        (["profile", "bench", "--sizes", "9" * 5000], "does not fit in 63 bits"),
        (["fit-card", "verbs_a.csv", "--rate-bit-s", "1" * 400], "must be a whole number of 1 or more"),
        (["fit-card", "verbs_a.csv", "--rate-bit-s", "9", "--inline", "9" * 5000], "does not fit in 63 bits"),
        (["run", "nothing"], "unknown experiment nothing"),
        (["plna"], "unknown command 'plna'. Did you mean 'plan'?"),
        (["plan", "a\x1b[2J\x07.toml", "--site", "exact"], "a\\x1b[2J\\x07.toml"),
        (["verify", "bench", "--site", "exact"], "there is no reference"),
    ],
)
def test_mistake_in_an_argument_is_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")
    monkeypatch.setattr("lab.plan.planning.under_test", lambda *_: defaultdict(str))
    try:
        code = main(words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and sentence in err and len(err.splitlines()[-1]) < 500
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
    code, out, err = lab("run", file, "--site", "exact", "--results", folder)
    warned = [line for line in err.splitlines() if not PROGRESS.match(line)]
    assert (code, warned) == (0, []) and "4 trials measured" in out and (folder / f"{name}.csv").exists()
    code, out, err = lab("plan", folder / f"{name}x.toml", "--site", "exact")
    assert code == 2 and "is not there" in err and "Traceback" not in err


def test_plan_beyond_a_million_trials_is_refused_with_their_number(experiment_file: Write, tmp_path: Path) -> None:
    text = TEN_THOUSAND + "vary.rx_depth = [" + ", ".join(map(str, range(1, 102))) + "]\n"
    code, out, err = lab("plan", experiment_file(text), "--site", "exact", "--results", tmp_path)
    assert (code, out) == (2, "") and "1,010,000 trials on exact" in err and "--yes" in err


def test_large_plan_is_made_with_yes(experiment_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is lowered, so that the plan is small."""
    monkeypatch.setattr("lab.plan.planning.MOST_TRIALS", 3)
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")
    planned = ["plan", str(experiment_file()), "--site", "exact", "--results", str(tmp_path)]
    assert (main(planned), main([*planned, "--yes"])) == (2, 0)


def test_command_without_a_name_takes_all_experiments_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, order in (("a", ""), ("b", "order = 1\n")):
        (tmp_path / f"{name}.toml").write_text(order + PEERS)
    monkeypatch.setattr("lab.plan.planning.EXPERIMENTS", tmp_path)
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")
    assert main(["plan", "--site", "exact", "--results", str(tmp_path)]) == 0
    assert [line[:2] for line in capsys.readouterr().out.splitlines() if line[1] == ":"] == ["b:", "a:"]


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


@pytest.mark.parametrize("module", ["lab.cli.commands", "lab.errors", "lab.cli.measure", "lab.files.toml"])
def test_interrupt_during_an_import_is_one_sentence(module: str) -> None:
    command = [sys.executable, "-c", IMPORTING, module, "plan", "verbs_throughput"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert len(done.stderr.splitlines()) == 1 and "interrupted" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_keeps_its_records_and_names_the_command_that_continues(
    experiment_file: Write, tmp_path: Path, number: int
) -> None:
    file, results = experiment_file(), tmp_path / "results"
    process = start("run", file, "--results", results, "--jobs", "1", seconds=ENDLESS_S)
    wait_for_records(results, 1)
    while process.poll() is None:  # as often as fingers can, until it has ended
        process.send_signal(number)
        time.sleep(0.001)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and "Traceback" not in err
    assert "interrupted; every finished record is kept" in err and f"lab run {file}" in err
    assert len(records(results)) == 1
    assert lab("run", file, "--results", results)[1] == "3 trials measured, 1 done before, 0 failed\n"


def test_killed_run_leaves_no_half_record(experiment_file: Write, tmp_path: Path) -> None:
    file, results = experiment_file(), tmp_path / "results"
    process = start("run", file, "--results", results, "--jobs", "2", seconds=ENDLESS_S)
    wait_for_records(results, 1)
    process.kill()
    process.communicate()
    names = {"record.json", "samples.csv.gz"}
    assert all(names <= {file.name for file in folder.iterdir()} for folder in records(results))
    assert lab("run", file, "--results", results)[0] == 0 and len(records(results)) == 4


def test_full_disk_is_one_sentence(experiment_file: Write, tmp_path: Path) -> None:
    """Without the right to mount a file system without room, the folder is read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "none", str(disk)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(mount, check=False).returncode:
        disk.chmod(0o500)
    code, _, err = lab("run", experiment_file(), "--site", "exact", "--results", disk)
    subprocess.run(["umount", str(disk)], check=False, capture_output=True)
    assert code == 2 and len(err.splitlines()) == 1 and "Traceback" not in err
    assert "the disk is full" in err or "cannot be written" in err


def test_run_without_a_site_prints_its_choice_and_the_reason(experiment_file: Write, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.toml"
    code, _, err = lab("plan", experiment_file(), "--hosts", hosts, "--results", tmp_path)
    assert (code, err) == (0, "site exact: no RDMA device on this computer or in hosts.toml\n")
    assert lab("plan", experiment_file(), "--site", "exact", "--results", tmp_path)[2] == ""


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


def test_unexpected_refusal_of_the_system_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", "/some/file")

    monkeypatch.setattr("lab.cli.measure.plan", refuse)
    assert main(["plan", "bench", "--site", "exact"]) == 2
    assert capsys.readouterr().err.startswith("lab plan: /some/file: permission denied (try: ")


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
