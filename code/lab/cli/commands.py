"""All commands of `lab`, with their arguments."""

from __future__ import annotations

import argparse
import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from keyword import iskeyword
from pathlib import Path

from lab.places import GRADING, HOSTS, LETTERS, MACHINE, REPORTS, RESULTS, ROOT, SUBMISSIONS, exact_version
from lab.sites.hosts import ANY
from lab.sites.site import MODULES
from lab.submission.assignment import CHECKS

AUTO = "auto"

Add = Callable[[argparse.ArgumentParser], object]


def argument(*names: str, **settings: object) -> Add:
    """An argument with argparse's own settings."""

    def add(command: argparse.ArgumentParser) -> object:
        call: Callable[..., object] = command.add_argument
        return call(*names, **settings)

    return add


def flag(name: str, words: str) -> Add:
    """An option without a value."""
    return argument(name, action="store_true", help=words)


def file(name: str, words: str | None = None, **settings: object) -> Add:
    """A file or a folder."""
    return argument(name, type=place, help=words, **settings)


def site(default: str) -> Add:
    """Where trials run."""
    names = ", ".join((AUTO, *MODULES))
    return argument("--site", default=default, help=f"where trials run: one of {names} (default: {default})")


def hosts(words: str = "the file that names the hosts of ssh and slurm") -> Add:
    """The table of other computers."""
    return file("--hosts", words, default=HOSTS, metavar="FILE")


def place(text: str) -> Path:
    """A path. An empty one is refused: Path would take it for the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def count(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no whole number from 1 up")
    return number


EXPERIMENT = "a file, or a name in experiments/ or in its examples/"
EXPERIMENTS = file("experiment", EXPERIMENT, nargs="+")
JOBS = argument(
    "--jobs", type=count, default=os.cpu_count() or 1, help="how many trials run at once (default: one a core)"
)
RECORDS = file("--results", "the folder of records and tables", default=RESULTS, metavar="DIR")
REPORTED = file("--out", "the folder of reports", default=REPORTS, metavar="DIR")
TABLED = file("--out", "where the table is written (default: with the results)", metavar="DIR")
HANDED_IN = file("--out", "where the hand-in is written", default=SUBMISSIONS, metavar="DIR")
GRADES = file("--out", "the folder of grades", default=RESULTS / "grades", metavar="DIR")
ASSIGNED = "a file, or a name in experiments/assignments/; default: the"
ASSIGNMENT = argument("--assignment", help=f"{ASSIGNED} only one there")
YES = flag("--yes", "plan more than a million trials")
READ = (
    argument("--site", default=ANY, help="read the records of this site (default: the site with most records)"),
    hosts(),
    JOBS,
    RECORDS,
    YES,
)
WHERE = (site(AUTO), hosts(), JOBS, RECORDS, YES)
ON_EXACT = (site("exact"), hosts(), JOBS)


FURTHER = "\nlab COMMAND --help shows its options and an example"
WIDTH, INDENT = 100, 16
# The readers of a command: `lab --help` lists the commands of each under a heading.
MEASURE = "to measure"
REPORT = "to write a report"
HAND_IN = "to hand in"
TEACH = "to teach"
GRADE = "to grade"
LOOK_AFTER = "to trust and to look after the lab"


@dataclass(frozen=True)
class Command:
    """One command: who needs it, where its function is, and what its help prints."""

    reader: str
    name: str
    module: str
    summary: str
    example: str
    arguments: tuple[Add, ...]

    @property
    def function(self) -> Callable[[argparse.Namespace], int]:
        """The function of the command's name; its module is imported here, since no other command needs it."""
        name = self.name.replace("-", "_")
        function: Callable[[argparse.Namespace], int] = getattr(
            import_module(self.module), f"{name}_" if iskeyword(name) else name
        )
        return function


COMMANDS = (
    Command(
        MEASURE,
        "try",
        "lab.cli.first",
        "measure a small experiment and show its figure: RDMA WRITE against TCP",
        "lab try",
        (*WHERE, REPORTED),
    ),
    Command(
        MEASURE,
        "plan",
        "lab.cli.measure",
        "show the trials, what is done, and about how long the rest takes",
        "lab plan verbs_throughput",
        (EXPERIMENTS, *WHERE),
    ),
    Command(
        MEASURE,
        "run",
        "lab.cli.measure",
        "run the trials that have no record yet, then write the tables",
        "lab run verbs_throughput write_parameters --report",
        (
            EXPERIMENTS,
            *WHERE,
            flag("--fresh", "measure all trials again, also those that have a record"),
            flag("--report", "write each experiment's report as soon as its trials are over"),
            REPORTED,
        ),
    ),
    Command(
        MEASURE,
        "table",
        "lab.cli.measure",
        "write an experiment's records as one CSV",
        "lab table verbs_throughput",
        (EXPERIMENTS, *READ, TABLED, flag("--reference", "write results/reference, which verify compares with")),
    ),
    Command(
        MEASURE,
        "show",
        "lab.cli.measure",
        "show one record",
        "lab show 3f9a",
        (argument("record", help="the first digits of its key, from a table's column record"), RECORDS),
    ),
    Command(
        MEASURE,
        "compare",
        "lab.submission.hand_in",
        "compare two runs: ratios with intervals, each with a verdict",
        "lab compare results report/verbs_throughput.pdf",
        (file("first", "a results folder, or a report's PDF"), file("second", "another one, to compare with")),
    ),
    Command(
        MEASURE,
        "doctor",
        "lab.doctor",
        "say what each site needs, what this computer has, and how to get the rest",
        "lab doctor",
        (flag("--json", "print JSON, for programs"), hosts()),
    ),
    Command(
        REPORT,
        "report",
        "lab.report.commands",
        "write a PDF from the records, or print what is wrong with the discussion",
        "lab report verbs_throughput write_parameters",
        (EXPERIMENTS, *READ, REPORTED),
    ),
    Command(
        REPORT,
        "query",
        "lab.report.asking",
        "print a number of an experiment, judge a statement, or list what can be asked",
        "lab query verbs_throughput 'card / tcp.card at 64K' 'card > tcp.card everywhere'",
        (
            file("experiment", EXPERIMENT),
            argument("query", nargs="*", help="a query or a statement (default: list series and measures)"),
            flag("--names", "print what a query can begin with, for completion: code/setup/completion.bash"),
            flag("--json", "print JSON, for programs"),
            *READ,
        ),
    ),
    Command(
        REPORT,
        "check",
        "lab.report.checking",
        "check a discussion against the records: errors, then sentences that compare without evidence",
        "lab check verbs_throughput --watch",
        (
            EXPERIMENTS,
            *READ,
            flag("--watch", "check again at each change of the text, until Ctrl-C"),
            flag("--json", "print JSON, for editors"),
        ),
    ),
    Command(
        REPORT,
        "causes",
        "lab.cli.tools",
        "count on exact, by function, the instructions that a message takes at each end",
        "lab causes verbs_throughput --series verbs --sizes 1,4K",
        (
            EXPERIMENTS,
            argument(
                "--series", action="append", help="count this series; may be repeated (default: those of [causes])"
            ),
            argument("--sizes", help="count these sizes, such as 1,4K,1M (default: those of [causes])"),
            argument("--top", type=count, default=20, help="print so many functions of each end (default: 20)"),
            flag("--reference", "write results/reference too, from which reports take it where nothing was counted"),
            RECORDS,
            TABLED,
        ),
    ),
    Command(
        REPORT,
        "extract",
        "lab.report.commands",
        "take the data out of a report's PDF",
        "lab extract report/verbs_throughput.pdf data",
        (file("pdf", "a report"), file("folder", "a new folder for its data")),
    ),
    Command(
        REPORT,
        "web",
        "lab.web",
        "write the front page, the documents and all reports as a static site",
        "lab web",
        (
            file("folder", "where it is written (default: report/site)", nargs="?", default=REPORTS / "site"),
            *(REPORTED, RECORDS),
        ),
    ),
    Command(
        HAND_IN,
        "submit",
        "lab.submission.hand_in",
        "make the file to hand in, or say why it can't be handed in yet",
        "lab submit verbs_throughput --draft",
        (
            argument("assignment", nargs="?", help=f"{ASSIGNED} only one there"),
            flag("--draft", "make it in any case, marked as a draft"),
            RECORDS,
            HANDED_IN,
        ),
    ),
    Command(
        HAND_IN,
        "preview-grade",
        "lab.grade.commands",
        "make a draft and grade it by the public checks",
        "lab preview-grade",
        (RECORDS, ASSIGNMENT, JOBS, GRADES),
    ),
    Command(
        TEACH,
        "kit",
        "lab.kit.commands",
        "begin a kit (new), make what students get of it (make), grade its solution (try), make a class (sample)",
        "lab kit make verbs_throughput",
        (
            argument("action", choices=("new", "make", "try", "sample")),
            argument("kit", help="a name in experiments/assignments/; of try also `all`"),
            argument(
                "--experiment", default="verbs_throughput", help=f"of a new kit: {EXPERIMENT} (default: %(default)s)"
            ),
            argument("--count", type=count, default=30, help="hand-ins of a sample (default: 30)"),
            file("--out", "the folder that is written to (default of make: submission)", metavar="DIR"),
            file("--grades", "the folder of grades", default=RESULTS / "grades", metavar="DIR"),
            file(
                "--results",
                "the records of solutions (default: the grader's own, so that grading measures nothing again)",
                default=GRADING / "results",
                metavar="DIR",
            ),
            JOBS,
        ),
    ),
    Command(
        GRADE,
        "grade",
        "lab.grade.commands",
        "grade a hand-in against measurements of this computer: points and evidence",
        "lab grade submission/ada.pdf",
        (
            file("submission", "a PDF, or a zip or a folder with one in it"),
            argument("--only", action="append", choices=CHECKS, help="make this check alone; may be repeated"),
            *(ASSIGNMENT, JOBS, GRADES),
        ),
    ),
    Command(
        GRADE,
        "grade-class",
        "lab.grade.commands",
        "grade every hand-in of a folder, each in a process of its own",
        "lab grade-class hand-ins --jobs 2",
        (
            file("submissions", "a folder of PDFs, zips and folders"),
            argument("--site", choices=("slurm",), default="", help="grade on the nodes of a cluster"),
            hosts("the cluster's table [slurm]"),
            *(ASSIGNMENT, JOBS, GRADES),
        ),
    ),
    Command(
        GRADE,
        "grade-prepare",
        "lab.grade.commands",
        "measure the grader's own records, before the first hand-in comes",
        "lab grade-prepare",
        (ASSIGNMENT, JOBS),
    ),
    Command(
        GRADE,
        "book",
        "lab.grade.book",
        "write what everybody of a course has in the end, also as Moodle, Canvas and Gradescope import it",
        "lab book verbs_throughput --roster roster.csv --submissions hand-ins --by-hand by_hand.csv",
        (
            argument("assignment", nargs="?", help=f"{ASSIGNED} only one there"),
            file("--roster", "a CSV with the column id, and more: docs/instructor.md", required=True),
            file("--submissions", "the folder of hand-ins, whose dates say when each came", metavar="DIR"),
            file("--times", "a CSV with the columns submission,handed_in", metavar="FILE"),
            file("--by-hand", "a CSV with the columns who,criterion,points,comment", metavar="FILE"),
            file("--nameless", "write reports without names here, and a sheet for their points", metavar="DIR"),
            file("--grades", "the folder of grades", default=RESULTS / "grades", metavar="DIR"),
            file("--out", "where the tables are written (default: with the grades)", metavar="DIR"),
        ),
    ),
    Command(
        GRADE,
        "autograder",
        "lab.grade.commands",
        "make the zip with which Gradescope grades an assignment",
        "lab autograder --image course.lab",
        (
            ASSIGNMENT,
            file("--image", "the course's image, from lab image export", metavar="FILE"),
            file("file", "default: submission/NAME.autograder.zip", nargs="?"),
        ),
    ),
    Command(
        LOOK_AFTER,
        "verify",
        "lab.cli.tools",
        "measure again from nothing and compare with results/reference",
        "lab verify verbs_throughput",
        (file("experiment", EXPERIMENT, nargs="*"), *ON_EXACT),
    ),
    Command(
        LOOK_AFTER,
        "bench",
        "lab.cli.tools",
        "compare the lab's programs with their peers, as ratios",
        "lab bench --jobs 2",
        WHERE,
    ),
    Command(
        LOOK_AFTER,
        "fit-card",
        "lab.cli.tools",
        "fit a modelled card to a measured curve of throughput, and print its error at each size",
        "lab fit-card experiments/published/verbs_a.csv --rate-bit-s 32000000000 --inline 1K",
        (
            file("curve", "a CSV with the columns size_bytes and bytes_per_s, or one of experiments/published"),
            argument("--rate-bit-s", type=count, required=True, metavar="N", help="what its wire carries"),
            argument("--mtu", type=count, default=4096, help="bytes in each packet (default: 4096)"),
            argument(
                "--inline", default="0", metavar="SIZE", help="the largest message that was sent inline (default: 0)"
            ),
        ),
    ),
    Command(
        LOOK_AFTER,
        "image",
        "lab.cli.tools",
        "export the machine as one file that needs no network, or import one",
        "lab image export course.lab",
        (argument("action", choices=("export", "import")), file("file", "the exported machine")),
    ),
    Command(
        LOOK_AFTER,
        "script",
        "lab.cli.tools",
        "print a Slurm job script of an experiment's MPI trials, to submit by hand",
        "lab script mpi_bandwidth_latency > job.sh",
        (file("experiment", EXPERIMENT), hosts()),
    ),
    Command(
        LOOK_AFTER,
        "lock",
        "lab.cli.tools",
        "renew the machine's package lock together with results/reference",
        "lab lock",
        (
            flag("--machine", "keep packages and reference; say what every computer must find of today's machine"),
            *ON_EXACT,
        ),
    ),
)


def make_parser() -> argparse.ArgumentParser:
    """All commands, each with its example."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="lab",
        description="Measures a network link with RDMA verbs and TCP, and their peers, reproducibly to the last byte.",
        epilog="\n".join(_by_reader()) + FURTHER,
        formatter_class=formatter,
    )
    parser.add_argument(
        "--version", action=ShowVersion, nargs=0, help="print number, commit and exact machine, and exit"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", help="one of those below")
    for each in COMMANDS:
        words, epilog = each.summary, f"example:\n  {each.example}"
        command = commands.add_parser(each.name, description=words, epilog=epilog, formatter_class=formatter)
        for add in each.arguments:
            add(command)
    return parser


def _by_reader() -> Iterator[str]:
    """All commands, each with its summary, under the reader who needs them."""
    for reader, commands in groupby(COMMANDS, key=lambda each: each.reader):
        yield f"{reader}:"
        for each in commands:
            start = f"  {each.name}".ljust(INDENT)
            yield textwrap.fill(each.summary, WIDTH, initial_indent=start, subsequent_indent=" " * INDENT)
        yield ""


class ShowVersion(argparse.Action):
    """Prints which lab this is, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print("\n".join(version_lines()))
        parser.exit()


def version_lines() -> Iterator[str]:
    """The number with a digest of the code, the commit where git knows one, and the machine that every computer has."""
    from lab.machine import snapshot

    yield f"lab {exact_version()}"
    if commit := _git("describe", "--always", "--exclude=*", "--dirty", "--abbrev=12"):
        yield f"commit {commit}"
    known = snapshot.read(MACHINE)
    yield f"exact machine {known.frozen['memory'][:LETTERS] if known else 'of this computer alone'}"


def _git(*words: str) -> str:
    """What git says of this checkout; nothing where there is no git, or where it is not the checkout's own."""
    command = ("git", f"--git-dir={ROOT / '.git'}", f"--work-tree={ROOT}", *words)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
