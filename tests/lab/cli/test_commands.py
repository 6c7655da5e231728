"""The commands of `lab`: help, version, those that documents show, and the words that a shell completes."""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.lab.conftest import Lab
from tests.shown import PAGES, commands, parses

from lab.cli import commands as table
from lab.cli.commands import COMMANDS, SECTIONS
from lab.cli.main import main
from lab.places import MACHINE, ROOT
from lab.submission.hand_in import Work

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_has_every_summary_under_the_heading_of_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--help").splitlines()
    assert [lines.count(section) for section in SECTIONS] == [1] * len(SECTIONS)
    text = " ".join(" ".join(lines).split())
    assert [name for name, command in COMMANDS.items() if f"{name} {command.summary}" not in text] == []
    assert max(map(len, lines)) <= table.WIDTH


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_function_and_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(COMMANDS[name].function)
    assert COMMANDS[name].example in printed(capsys, name, "--help")


def test_version_names_code_commit_and_machine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, *commit, machine = printed(capsys, "--version").splitlines()
    assert re.fullmatch(r"lab \d+\.\d+\.\d+\+[0-9a-f]{12}", code)
    memory = json.loads((MACHINE / "frozen.json").read_text())["frozen"]["memory"]
    assert machine == f"exact machine {memory[:12]}"
    ask = 'git -C "$0" rev-parse HEAD 2>/dev/null'  # a container has no git, and a copy no commit
    head = subprocess.run(["sh", "-c", ask, str(ROOT)], capture_output=True, text=True, check=False).stdout
    assert [line.removesuffix("-dirty") for line in commit] == ([f"commit {head[:12]}"] if head else [])
    monkeypatch.setattr(table, "ROOT", tmp_path)
    assert not [line for line in table.version_lines() if line.startswith("commit")]


def is_a_target(words: Sequence[str]) -> bool:
    targets = {word for word in words if "=" not in word and not word.startswith("-")}
    values = {word.partition("=")[0] for word in words if "=" in word}
    return targets <= TARGETS and all(f"$({name})" in MAKEFILE for name in values)


def is_a_command(words: Sequence[str]) -> bool:
    """Whether lab accepts the words; a sentence may leave out the files of a command."""
    if not words or words[0].startswith("-") or "--help" in words:
        return True
    return any(parses([*words, *further]) for further in ((), ("x",), ("x", "y"), ("export", "x")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists(page: Path) -> None:
    """tests/machine/test_shown.py runs them."""
    known = {"make": is_a_target, "lab": is_a_command}
    shown = [command.words for command in commands(page) if command.is_of_verbyte]
    assert [words for words in shown if not known[words[0]](words[1:])] == []


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
def test_words_are_commands_options_and_values(lab: Lab, typed: list[str], listed: set[str]) -> None:
    status, out, _ = lab("completion", "words", *typed)
    assert (status, set(out.splitlines())) == (0, listed)


def test_a_query_is_completed_by_the_names_of_its_records(lab: Lab, ada: Work) -> None:
    typed = ("query", ada.plan.experiment.file, "--results", ada.results, "tc")
    listed = lab("completion", "words", *typed).out.splitlines()
    assert "tcp" in listed and all(name.startswith("tc") for name in listed)


@pytest.mark.parametrize("shell", COMPLETE)
def test_script_of_a_shell_passes_the_words_so_far(lab: Lab, shell: str, tmp_path: Path) -> None:
    (tmp_path / "lab").write_text('#!/bin/sh\n[ "$*" = "completion words run it" ] && echo item\n')
    (tmp_path / "lab").chmod(0o755)
    script = lab("completion", shell).out + COMPLETE[shell]
    command = [shell, "-c", script, *(["-"] if shell == "bash" else []), "it"]
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == "item\n"
