"""The words that `lab completion` lists, and the scripts of the shells."""

import os
import subprocess
from pathlib import Path

import pytest

from lab.cli.commands import COMMANDS
from lab.cli.main import main
from lab.submission.hand_in import Work

# How a shell without a terminal completes a line whose last word is $1.
COMPLETE = {
    "bash": 'COMP_WORDS=(lab run "$1") COMP_CWORD=2; _lab; echo "${COMPREPLY[@]}"',
    "fish": 'complete -C "lab run $argv[1]"',
}


@pytest.mark.parametrize(
    ("typed", "listed"),
    [
        ([], {*COMMANDS, "--help", "--version"}),
        (["ru"], {"run"}),
        (["run", "mpi_ban"], {"mpi_bandwidth_latency"}),
        (["run", "mpi_bandwidth_latency", "verbs_t"], {"verbs_throughput"}),
        (["run", "--fr"], {"--fresh"}),
        (["run", "--site", "e"], {"exact"}),
        (["run", "--results", ""], set()),
        (["run", "--fresh", "mpi_ban"], {"mpi_bandwidth_latency"}),
        (["kit", "t"], {"try"}),
        (["kit", "try", "mpi_ban"], {"mpi_bandwidth_latency"}),
        (["clean", "comp"], {"compiler"}),
        (["no-command", ""], set()),
    ],
)
def test_words_are_commands_options_and_values(
    typed: list[str], listed: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "words", *typed]) == 0
    assert set(capsys.readouterr().out.splitlines()) == listed


def test_a_query_is_completed_by_the_names_of_its_records(ada: Work, capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "words", "query", str(ada.plan.experiment.file), "--results", str(ada.results), "tc"])
    listed = capsys.readouterr().out.splitlines()
    assert "tcp" in listed and all(name.startswith("tc") for name in listed)


@pytest.mark.parametrize("shell", COMPLETE)
def test_script_of_a_shell_passes_the_words_so_far(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lab").write_text('#!/bin/sh\n[ "$*" = "completion words run it" ] && echo item\n')
    (tmp_path / "lab").chmod(0o755)
    main(["completion", shell])
    command = [shell, "-c", capsys.readouterr().out + COMPLETE[shell], *(["-"] if shell == "bash" else []), "it"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == "item\n"
