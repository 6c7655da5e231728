"""Every command that README and docs/ show is run as it stands, in a checkout whose experiments are small.

Those that take hours, another computer or the network are left to the test that runs their small part; where there is
none, it is said why.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.machine.walked import Walk
from tests.shown import PAGES, Shown, commands

from lab.places import BENCH, ROOT
from lab.sites.exact import ExactSite

SLURM = "tests/sites/test_slurm.py"
CONTAINER = "tests/machine/test_container.py"
FEW = "--sizes 1..64*8 --iterations 50 --rounds-cap 10"  # until it is stable, or not: all sizes take minutes
HERE = "tests/machine/test_shown.py"
ELSEWHERE = {
    r"make try": "tests/machine/test_first_figure.py",
    r"make test": "Makefile",  # it is what runs this, and begins with the next one
    r"make lint": "Makefile",
    r"make verify|lab verify": "tests/machine/test_equality.py",
    r"make grade-corpus": "tests/lab/grade/test_corpus.py",
    r"make fuzz-grade": "tests/release/fuzz/test_damaged_hand_ins.py",
    r"make fuzz-card.*": "code/card/device/Makefile",
    r"make hosts .*": "tests/release/hosts/test_table.py",
    r"make container": CONTAINER,
    r"docker .*|apptainer .*": CONTAINER,
    r".* SITE=slurm": SLURM,
    r"lab script .*|srun .*": SLURM,
    r"lab lock --machine": "code/lab/cli/tools.py",  # it replaces what the whole repository was measured with
    r"LAB_TOKEN=secret verbs-.*": "tests/machine/test_programs.py",
    r"tcp-server .*|tcp-client .*|mpirun .*": HERE,
    r"wsl .*|sudo .*|git clone \.\.\.|cd \.\.\.": "docs/your-computer.md",  # before there is a checkout
}


def is_elsewhere(shown: Shown) -> bool:
    return any(re.fullmatch(pattern, str(shown)) for pattern in ELSEWHERE)


def to_run(page: Path) -> list[Shown]:
    return [each for each in dict.fromkeys(commands(page)) if each.is_to_type and not is_elsewhere(each)]


WALKED = [page for page in PAGES if to_run(page)]


@pytest.fixture(scope="module")
def walk(exact: ExactSite, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    exact.verified_snapshot()
    return Walk.begun(tmp_path_factory.mktemp("walk"))


@pytest.mark.parametrize("page", WALKED, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_they_stand(walk: Walk, page: Path) -> None:
    for shown in to_run(page):
        walk.run(shown.words)


def test_what_is_left_to_other_tests_is_shown_and_they_exist() -> None:
    every = [str(each) for page in PAGES for each in commands(page)]
    assert [each for each in ELSEWHERE if not any(re.fullmatch(each, line) for line in every)] == []
    assert [file for file in ELSEWHERE.values() if not (ROOT / file).is_file()] == []


@pytest.mark.usefixtures("users_namespaces")
def test_programs_that_a_page_starts_by_hand_measure_on_loopback() -> None:
    """On a network of their own, which has nothing else."""
    shown = {each.words[0]: each for each in commands(ROOT / "docs" / "programs.md") if each.in_block}
    server, client, ranks = (shown[name] for name in ("tcp-server", "tcp-client", "mpirun"))
    listens = "until ss -ltnH | grep -q :7000; do :; done"
    lines = f"ip link set lo up; {server} {FEW} & {listens}; {client} {FEW}; wait; {ranks}"
    variables = {
        "PATH": f"{BENCH}:{os.environ['PATH']}", "LAB_TOKEN": "secret",
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }  # fmt: skip
    command = ["unshare", "--map-root-user", "--net", "sh", "-euc", lines]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^64 +[\d.]+ +Mbps$", done.stdout, re.MULTILINE), done.stdout
    assert "one-way" in done.stdout
