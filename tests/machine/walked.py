"""A checkout with small experiments of the true names, in which a reader's commands take seconds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.machine.checkout import SOURCES, checkout, done, ended
from tests.shown import example

from lab.places import CACHE, EXAMPLES, ROOT

NAME = "verbs_throughput"
KEPT = ("runner", "image", "machine", "plugin", "compiler", "card", "built", "exact-here", "packages")
# In place of the experiment of that name: the series that its kit speaks of, the messages of a first figure.
SERIES = {"card": "card", "tcp": "tcp.card", "soft": "soft.card"}
SIZES = "1..64K*16"
CAUSES = '[causes]\nseries = ["card"]\nsizes = "1"\n\n[profile.exact]'
DISCUSSION = r"""The card is faster than TCP at every size, as no kernel takes part.\shows{card > tcp.card everywhere}
At 64 KiB it moves \claim{card at 64K}, and TCP moves \claim{tcp.card at 64K} over the same wire in the same run.
The ratio is \claim{card / tcp.card at 64K} there, and \claim{card / tcp.card at 1} for a single byte.
Soft-RoCE does in the kernel what a card does in hardware, and is slower than TCP.\shows{soft.card < tcp.card at 64K}
What a real card would do cannot be seen here, because a time on this site is a count of instructions, and because the
card is a model whose parameters come from data sheets and from published curves of other machines.
"""
PEOPLE = 'authors = ["Ada"]\nids = ["815001"]\ncourse = "Networks"\n'
# These end so where there is something that a person should look at, or where a draft lacks points.
SAY_BY_STATUS, SAID = ("book", "preview-grade"), {"lab": 1, "make": 2}
ASK_OF_ANOTHER = re.compile(r'\[\[asks\]\]\nabout = \["verbs\.single".*?\n\n', re.DOTALL)  # series that are not there
CURVE = "size_bytes,bytes_per_s\n1,1000000\n64,60000000\n4096,2000000000\n65536,3800000000\n"
ROSTER = "id,name,email\n815001,Ada,ada@example.org\n"
BY_HAND = "who,criterion,points,comment\n815001,more,1,well said\n"


@dataclass(frozen=True)
class Walk:
    """The checkout, and what stands in a document for a name of the reader's own."""

    place: Path
    own: dict[str, str]
    ran: set[tuple[str, ...]] = field(default_factory=set)

    @classmethod
    def begun(cls, place: Path) -> Walk:
        """With what a course has by then: records, a reference, a solution of the kit, a report to hand in, a class."""
        checkout(place, [each for each in KEPT if (CACHE / each).exists()])
        for name in ("docs", "tests"):
            shutil.copytree(ROOT / name, place / name, ignore=SOURCES)
        for name in ("README.md", "pyproject.toml", "LICENSE"):
            shutil.copy(ROOT / name, place)
        (place / "experiments" / f"{NAME}.toml").write_text(small())
        (place / "templates" / f"{NAME}.tex").unlink()  # the default one serves any experiment
        lab = place / ".venv" / "bin" / "lab"
        done(place, lab, "run", NAME)
        done(place, lab, "table", NAME, "--site", "exact", "--reference")
        done(place, lab, "causes", NAME, "--reference")
        solution = place / "experiments" / "assignments" / NAME / "solution" / NAME
        (place / "experiments" / NAME / "discussion.tex").write_text(DISCUSSION)
        (solution / "discussion.tex").write_text(re.sub("^", "We see this: ", DISCUSSION, flags=re.MULTILINE).rstrip())
        assignment = place / "experiments" / "assignments" / f"{NAME}.toml"
        assignment.write_text(ASK_OF_ANOTHER.sub("", assignment.read_text()))
        (place / "experiments" / NAME / "report.toml").write_text(PEOPLE)
        done(place, lab, "report", NAME)
        done(place, lab, "submit", NAME)
        (handed_in,) = (place / "submission").glob("*.pdf")
        (place / "hand-ins").mkdir()
        for copy in ("ada.pdf", "a.pdf", "b.pdf", "B", "hand-ins/ada.pdf"):
            shutil.copy(handed_in, place / copy)
        shutil.copytree(place / "results", place / "A")
        (place / "CURVE.csv").write_text(CURVE)
        (place / "roster.csv").write_text(ROSTER)
        (place / "by_hand.csv").write_text(BY_HAND)
        done(place, lab, "image", "export", "course.lab")
        (place / "experiments" / "depth.toml").write_text(example())
        for file in (place / "experiments" / "assignments").glob("*.toml"):
            if file.stem != NAME:  # as `lab kit make` gives them out
                file.unlink()
        record = min((place / "results" / "records").glob("*/*"))
        names = dict.fromkeys(("NAME", "NAMES"), NAME)
        return cls(place, names | {"KEY": record.name, "30": "3", "DIR": "others", "FILE": "course.lab"})

    def run(self, words: Sequence[str]) -> None:
        """Once, to its end, but a report on each page; one that watches is stopped as its reader stops it."""
        meant = tuple(
            re.sub(r"\b[A-Z]+\b|^30$", lambda found: self.own.get(found[0], found[0]), word) for word in words
        )
        if meant in self.ran and "report" not in meant:
            return
        self.ran.add(meant)
        path = f"{self.place / '.venv/bin'}:{self.place / '.cache/bench'}:{os.environ['PATH']}"
        variables = {"PATH": path, "MAKEFLAGS": f"experiments=experiments/{NAME}.toml"}
        if "--watch" in words:
            watched(self.place, meant, variables)
            return
        found = ended(self.place, *meant, **variables)
        may_say = len(words) > 1 and words[1] in SAY_BY_STATUS
        assert found.returncode == 0 or (may_say and found.returncode == SAID[words[0]]), found.stdout + found.stderr


def small() -> str:
    text = (EXAMPLES / "first_figure.toml").read_text()
    text = re.sub(r'\nsizes = "[^"]+"', f'\nsizes = "{SIZES}"', text).replace("[profile.exact]", CAUSES, 1)
    return re.sub(r'name = "(\w+)"', lambda found: f'name = "{SERIES[found[1]]}"', text)


def watched(place: Path, words: Sequence[str], variables: dict[str, str]) -> None:
    """Its first line, then Ctrl-C."""
    with subprocess.Popen(
        words, cwd=place, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode in (0, 130), first + rest
