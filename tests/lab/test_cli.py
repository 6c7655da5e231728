import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.cli import main
from lab.command_table import COMMANDS, Command

PATIENCE_S = 120
ENDLESS_S = 600.0  # of a trial that only a signal ends
FAKE = Path(__file__).parent / "fake_site.py"
Write = Callable[..., Path]


def start(*arguments: str | Path, seconds: float = 0.0) -> subprocess.Popen[str]:
    """`lab` in a process of its own, on the fake site, where every trial but the first takes so many seconds."""
    command = [sys.executable, str(FAKE), str(seconds), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


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


@pytest.mark.parametrize("command", COMMANDS, ids=[each.name for each in COMMANDS])
def test_each_command_has_help_with_an_example(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command.name, "--help"])
    assert ended.value.code == 0 and command.example in capsys.readouterr().out


def test_from_toml_to_table(experiment_file: Write, tmp_path: Path) -> None:
    file, results = experiment_file(), tmp_path / "results"
    assert lab("plan", file, "--results", results)[1].splitlines()[-1].startswith("4 trials, 0 done, 4 to run")
    code, out, _ = lab("run", file, "--results", results)
    assert (code, out) == (0, "4 trials measured, 0 done before, 0 failed\n")
    assert len((results / "small.csv").read_text().splitlines()) == 1 + 4 * 6
    assert lab("run", file, "--results", results)[1] == "0 trials measured, 4 done before, 0 failed\n"
    code, out, _ = lab("show", records(results)[0].name[:10], "--results", results)
    assert code == 0 and "client: " in out


def test_a_reader_that_goes_early_is_no_error(experiment_file: Write, tmp_path: Path) -> None:
    with start("plan", experiment_file(), "--site", "exact", "--results", tmp_path) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 141)


def test_a_wrong_experiment_is_one_sentence_and_nothing_runs(experiment_file: Write, tmp_path: Path) -> None:
    file = experiment_file('title = "t"\nquestoin = "q"\n')
    code, out, err = lab("run", file, "--site", "exact", "--results", tmp_path / "results")
    assert (code, out) == (2, "") and len(err.splitlines()) == 1 and "Traceback" not in err
    assert not (tmp_path / "results").exists()


def test_an_unknown_experiment_names_those_there_are(tmp_path: Path) -> None:
    code, _, err = lab("run", "nothing", "--results", tmp_path)
    assert code == 2 and "verbs_throughput" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_is_done_and_says_how_to_go_on(
    experiment_file: Write, tmp_path: Path, number: int
) -> None:
    file, results = experiment_file(), tmp_path / "results"
    process = start("run", file, "--results", results, "--jobs", "1", seconds=ENDLESS_S)
    wait_for_records(results, 1)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (
        process.returncode == 130 and "interrupted; every finished record is kept" in err and f"lab run {file}" in err
    )
    kept = len(records(results))
    assert kept == 1
    assert lab("run", file, "--results", results)[1] == "3 trials measured, 1 done before, 0 failed\n"


def test_a_killed_run_leaves_no_half_record(experiment_file: Write, tmp_path: Path) -> None:
    file, results = experiment_file(), tmp_path / "results"
    process = start("run", file, "--results", results, "--jobs", "2", seconds=ENDLESS_S)
    wait_for_records(results, 1)
    process.kill()
    process.communicate()
    assert all(
        (folder / "samples.csv.gz").exists() and (folder / "record.json").exists() for folder in records(results)
    )
    assert lab("run", file, "--results", results)[0] == 0 and len(records(results)) == 4


def test_two_runs_at_once_measure_everything_once(experiment_file: Write, tmp_path: Path) -> None:
    file, results = experiment_file(), tmp_path / "results"
    runs = [start("run", file, "--results", results, "--jobs", "2", seconds=0.3) for _ in range(2)]
    outs = [process.communicate(timeout=PATIENCE_S)[0] for process in runs]
    assert [process.returncode for process in runs] == [0, 0]
    assert sum(int(out.split()[0]) for out in outs) == 4


@pytest.fixture
def full_disk(tmp_path: Path) -> Path:
    """A file system with room for nothing; without the right to mount one, /dev/full's kind of refusal."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        folder.chmod(0o500)
        return folder
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", str(folder)], check=False)
    if mounted.returncode:
        folder.chmod(0o500)
        return folder
    return folder


def test_a_full_disk_is_one_sentence(experiment_file: Write, full_disk: Path) -> None:
    code, _, err = lab("run", experiment_file(), "--site", "exact", "--results", full_disk)
    subprocess.run(["umount", str(full_disk)], check=False, capture_output=True)
    assert code == 2 and len(err.splitlines()) == 1 and "Traceback" not in err
    assert "the disk is full" in err or "cannot be written" in err


def test_verify_without_a_reference_says_how_to_make_one(experiment_file: Write) -> None:
    code, _, err = lab("verify", experiment_file())
    assert code == 2 and "there is no reference" in err and "--reference" in err


def test_a_run_without_a_site_says_which_it_takes_and_why(experiment_file: Write, tmp_path: Path) -> None:
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
[[series]]
name = "ours"
program = "verbs"
operation = "write"
measure = "throughput"
vary.tx_depth = [64, 65, 66, 67, 68, 69, 70, 71, 72, 73]
"""
MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def test_ten_thousand_trials_are_planned_in_two_seconds_and_half_a_gigabyte(
    experiment_file: Write, tmp_path: Path
) -> None:
    """Seconds of the processor: other work on this computer makes no difference."""
    planned = [str(FAKE), "0", "plan", str(experiment_file(TEN_THOUSAND)), "--results", str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", MEASURE, *planned], capture_output=True, text=True, check=True)
    seconds, kilobytes = map(float, done.stdout.splitlines()[-1].split())
    assert "10000 trials" in done.stdout and seconds < 2 and kilobytes < 500_000, done.stdout
