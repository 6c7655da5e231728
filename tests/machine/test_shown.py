"""Run every command of README and docs/ unchanged, in a checkout with small experiments.

Commands that need hours, another host or the network are tested in parts elsewhere; the table ELSEWHERE names the file.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.machine.checkout import SOURCES, checkout, done, ended
from tests.shown import PAGES, Shown, commands, example

from lab.places import BENCH, CACHE, EXAMPLES, ROOT
from lab.sites.exact import ExactSite

NAME = "verbs_throughput"
KEPT = ("runner", "image", "machine", "plugin", "compiler", "card", "built", "exact-here", "packages")
ONLY = f"ASSIGNMENT={NAME}"  # which `make` takes without its name; a class is graded anew, once samples are there
# In place of the experiment of that name: a first figure at few sizes, under the names that the kit speaks of.
SIZES = "64,4K,64K"
SERIES = {"card": "card", "tcp": "tcp.card", "soft": "soft.card"}
ROW = re.compile(r"(?P<series>card|tcp|soft) .* (?P<rate>[0-9.]+) (?P<unit>[kMG]?B/s)$")
UNITS = {"GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3}
DISCUSSION = r"""The card is faster than TCP at every size, as no kernel takes part.\shows{card > tcp.card everywhere}
At 64 KiB it moves \claim{card at 64K}, and TCP moves \claim{tcp.card at 64K} over the same wire in the same run.
The ratio is \claim{card / tcp.card at 64K} there, and \claim{card / tcp.card at 64} at 64 bytes.
Soft-RoCE does in the kernel what a card does in hardware, and is slower than TCP.\shows{soft.card < tcp.card at 64K}
What a real card would do cannot be seen here, because a time on this site is a count of instructions, and because the
card is a model whose parameters come from data sheets and from published curves of other machines.
"""
MEASURED_AGAIN = 3  # trials of 18
PEOPLE = 'authors = ["Ada"]\nids = ["815001"]\ncourse = "Networks"\n'
# These end so where there is something that a person should look at, or where a draft lacks points.
SAY_BY_STATUS, SAID = ("gradebook", "preview-grade"), {"lab": 1, "make": 2}
ASK_OF_ANOTHER = re.compile(r'\[\[asks\]\]\nabout = \["verbs\.single".*?\n\n', re.DOTALL)  # series that are not there
CURVE = "size_bytes,bytes_per_s\n1,1000000\n64,60000000\n4096,2000000000\n65536,3800000000\n"
ROSTER = "id,name,email\n815001,Ada,ada@example.org\n"
BY_HAND = "who,criterion,points,comment\n815001,more,1,well said\n"
SLURM = "tests/sites/test_slurm.py"
CONTAINER = "tests/release/test_container.py"
FEW = "--sizes 1..64*8 --iterations 50 --rounds-cap 10"  # until it is stable, or not: all sizes take minutes
HERE, PROFILE = "tests/machine/test_shown.py", "tests/machine/test_profile.py"
ELSEWHERE = {
    r"make try": HERE,
    r"make test(-quick)?": "Makefile",  # it is what runs this, and begins with the next one
    r"make lint": "Makefile",
    r"make verify|lab verify": "tests/machine/test_equality.py",
    r"make grade-corpus": "tests/lab/grade/test_corpus.py",
    r"make cheats.*": "tests/release/cheats.py",
    r"lab (run|report) (all_reduce|incast)": "tests/machine/test_switch.py",  # minutes
    r"lab (run|report) cm_tutorial": "tests/machine/test_as_they_are.py",  # over a card
    r"lab run scaling.*|make all EXPERIMENTS=scaling": "tests/bench/test_pairs.py",  # 64 trials
    r"make fuzz-grade": "tests/release/fuzz/test_damaged_hand_ins.py",
    r"make fuzz-card.*": "code/card/device/Makefile",
    r"make hosts .*": "tests/release/hosts/test_hosts.py",
    r"make same-bytes.*": "tests/release/same_bytes.py",
    r"make container": CONTAINER,
    r"docker .*|apptainer .*": CONTAINER,
    r".* SITE=slurm": SLURM,
    r"srun .*": SLURM,
    r"make bench|lab bench .*": "tests/lab/cli/test_bench.py",  # all comparisons take many minutes
    r"lab (explore|replay) .*": "tests/machine/test_explore.py",  # both end with status 1
    r"lab history .*": PROFILE,  # in a clone, with a commit to compare with
    r"lab profile \w+( --sizes .*| --reference)?": PROFILE,
    r"lab fit-card experiments/.*": "tests/lab/cli/test_tools.py",  # and its numbers
    r"lab clean .*": "tests/lab/cli/test_clean.py",  # other pages need what it removes
    r"lab kit make .* --template": "tests/lab/kit/test_kit.py",
    r"lab lock --machine": "code/lab/cli/tools.py",  # it replaces what the whole repository was measured with
    r"LAB_TOKEN=secret verbs-.*": "tests/machine/test_programs.py",
    r"tcp-server .*|tcp-client .*|mpirun .*": HERE,
    r"lab (run|report) verbs_throughput --site ssh": "tests/sites/test_ssh.py",
    r"wsl .*|sudo .*|git clone .*|cd .*": "docs/your-computer.md",  # before there is a checkout
}


@dataclass(frozen=True)
class Walk:
    """The checkout, and the values of placeholders in documents."""

    place: Path
    own: dict[str, str]
    ran: set[tuple[str, ...]]
    tried: str  # what `make try` printed

    @classmethod
    def begun(cls, place: Path) -> Walk:
        """Start with a course's records, reference, solution, report and submissions."""
        checkout(place, [each for each in KEPT if (CACHE / each).exists()])
        for name in ("docs", "tests"):
            shutil.copytree(ROOT / name, place / name, ignore=SOURCES)
        for name in ("README.md", "pyproject.toml", "LICENSE"):
            shutil.copy(ROOT / name, place)
        first = place / "experiments" / "examples" / "first_figure.toml"
        first.write_text(re.sub(r'\nsizes = "[^"]+"', f'\nsizes = "{SIZES}"', first.read_text()))
        (place / "experiments" / f"{NAME}.toml").write_text(renamed(first.read_text()))
        (place / "templates" / f"{NAME}.tex").unlink()  # the default one serves any experiment
        lab = place / ".venv" / "bin" / "lab"
        tried = done(place, "make", "-s", "try")
        assert done(place, lab, "run", NAME) == "0 trials measured, 18 done before, 0 failed\n"
        done(place, lab, "table", NAME, "--site", "exact", "--reference")
        export = ("lab", "image", "export", "course.lab")
        done(place, lab, *export[1:])
        solution = place / "experiments" / "assignments" / NAME / "solution" / NAME
        (place / "experiments" / NAME / "discussion.tex").write_text(DISCUSSION)
        (solution / "discussion.tex").write_text(re.sub("^", "We see this: ", DISCUSSION, flags=re.MULTILINE).rstrip())
        assignment = place / "experiments" / "assignments" / f"{NAME}.toml"
        assignment.write_text(ASK_OF_ANOTHER.sub("", assignment.read_text()))
        (place / "experiments" / NAME / "report.toml").write_text(PEOPLE)
        done(place, lab, "report", NAME)
        done(place, lab, "submit", NAME)
        (handed_in,) = (place / "submission").glob("*.pdf")
        (place / "submissions").mkdir()
        for copy in ("ada.pdf", "a.pdf", "b.pdf", "B", "submissions/ada.pdf"):
            shutil.copy(handed_in, place / copy)
        shutil.copytree(place / "results", place / "A")
        graders = place / ".cache" / "grade" / "results"  # which `make grade` has to complete
        shutil.copytree(place / "results" / "records", graders / "records")
        for record in sorted(graders.glob("records/*/*"))[:MEASURED_AGAIN]:
            shutil.rmtree(record)
        shutil.copytree(EXAMPLES / "tcp_select" / "program", place / "my_programs")
        (place / "CURVE.csv").write_text(CURVE)
        (place / "roster.csv").write_text(ROSTER)
        (place / "by_hand.csv").write_text(BY_HAND)
        (place / "experiments" / "depth.toml").write_text(
            example().replace("iterations = 400", "iterations = 40\nwarmup = 10")
        )
        for file in (place / "experiments" / "assignments").glob("*.toml"):
            if file.stem != NAME:  # as `lab kit make` gives them out
                file.unlink()
        record = min((place / "results" / "records").glob("*/*"))
        names = dict.fromkeys(("NAME", "NAMES"), NAME)
        return cls(
            place,
            names | {"KEY": record.name, "30": "3", "DIR": "A", "FILE": "course.lab", "FOLDER": "my_programs"},
            {export},
            tried,
        )

    def run(self, words: Sequence[str]) -> None:
        """Run a command once, but a report on each page; stop one that watches by Ctrl-C."""
        meant = tuple(
            re.sub(r"\b[A-Z]+\b|^30$", lambda found: self.own.get(found[0], found[0]), word) for word in words
        )
        done_once = tuple(word for word in meant if "grade-class" in meant or word != ONLY)
        if done_once in self.ran and "report" not in meant:
            return
        self.ran.add(done_once)
        path = f"{self.place / '.venv/bin'}:{self.place / '.cache/bench'}:{os.environ['PATH']}"
        variables = {"PATH": path, "MAKEFLAGS": f"EXPERIMENTS=experiments/{NAME}.toml"}
        if "--watch" in words:
            watched(self.place, meant, variables)
            return
        found = ended(self.place, *meant, **variables)
        may_say = len(words) > 1 and words[1] in SAY_BY_STATUS
        assert found.returncode == 0 or (may_say and found.returncode == SAID[words[0]]), found.stdout + found.stderr


def renamed(text: str) -> str:
    return re.sub(r'name = "(\w+)"', lambda found: f'name = "{SERIES[found[1]]}"', text)


def watched(place: Path, words: Sequence[str], variables: dict[str, str]) -> None:
    """Wait for the first line, then send Ctrl-C."""
    with subprocess.Popen(
        words, cwd=place, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode in (0, 130), first + rest


def is_elsewhere(shown: Shown) -> bool:
    return any(re.fullmatch(pattern, str(shown)) for pattern in ELSEWHERE)


def to_run(page: Path) -> list[Shown]:
    return [each for each in dict.fromkeys(commands(page)) if each.is_to_type and not is_elsewhere(each)]


WALKED = [page for page in PAGES if to_run(page)]


@pytest.fixture(scope="module")
def walk(exact: ExactSite, reachable: Path) -> Walk:
    exact.verified_snapshot()
    return Walk.begun(reachable)


@pytest.mark.parametrize("page", WALKED, ids=lambda page: page.name)
def test_commands_of_a_page_run_unchanged(walk: Walk, page: Path) -> None:
    for shown in to_run(page):
        walk.run(shown.words)


def test_first_figure_shows_three_transports_at_each_size(walk: Walk) -> None:
    table = walk.tried.partition("Throughput against")[0].splitlines()
    rows = [row for line in table if (row := ROW.search(line))]
    rates = [float(row["rate"]) * UNITS[row["unit"]] for row in rows]
    assert [row["series"] for row in rows] == ["card", "tcp", "soft"] * 3
    card, tcp, soft = (rates[place::3] for place in range(3))
    assert all(fast > between > slow > 1e6 for fast, between, slow in zip(card, tcp, soft, strict=True))
    assert all(len(line.rstrip()) <= 80 for line in walk.tried.splitlines()) and "\x1b" not in walk.tried
    assert (walk.place / "report" / "first_figure" / "throughput.png").read_bytes().startswith(b"\x89PNG")
    shown = ("card: RDMA WRITE (modelled card qdr)", "exact cable", "make all")
    assert [words for words in shown if words not in walk.tried] == []


def test_commands_tested_elsewhere_are_shown_and_their_tests_exist() -> None:
    every = [str(each) for page in PAGES for each in commands(page)]
    assert [each for each in ELSEWHERE if not any(re.fullmatch(each, line) for line in every)] == []
    assert [file for file in ELSEWHERE.values() if not (ROOT / file).is_file()] == []


@pytest.mark.usefixtures("users_namespaces")
def test_programs_started_by_hand_measure_on_loopback() -> None:
    """In an empty network namespace."""
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
