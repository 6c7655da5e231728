"""The output of `lab --help` and `lab --version`: lab.cli.commands, lab.places."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from lab.cli import commands
from lab.cli.commands import COMMANDS, SECTIONS
from lab.cli.main import main
from lab.places import MACHINE, ROOT


def printed(option: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_each_reader_has_one_heading(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("--help", capsys).splitlines()
    assert [lines.count(f"{reader}:") for reader in SECTIONS] == [1] * 6


def test_help_says_each_summary_whole(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed("--help", capsys).split())
    assert [each.name for each in COMMANDS.values() if f"{each.name} {each.summary}" not in text] == []


def test_no_line_of_help_is_wider_than_a_terminal_of_a_hundred(capsys: pytest.CaptureFixture[str]) -> None:
    assert max(map(len, printed("--help", capsys).splitlines())) <= commands.WIDTH


def test_version_names_code_commit_and_machine(capsys: pytest.CaptureFixture[str]) -> None:
    code, *commit, machine = printed("--version", capsys).splitlines()
    assert re.fullmatch(r"lab \d+\.\d+\.\d+\+[0-9a-f]{12}", code)
    memory = json.loads((MACHINE / "frozen.json").read_text())["frozen"]["memory"]
    assert machine == f"exact machine {memory[:12]}"
    ask = 'git -C "$0" rev-parse HEAD 2>/dev/null'  # a container has no git, and a copy no commit
    head = subprocess.run(["sh", "-c", ask, str(ROOT)], capture_output=True, text=True, check=False).stdout
    assert [line.removesuffix("-dirty") for line in commit] == ([f"commit {head[:12]}"] if head else [])


def test_a_lab_without_git_has_no_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    assert not [line for line in commands.version_lines() if line.startswith("commit")]
