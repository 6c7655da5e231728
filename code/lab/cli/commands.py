"""All commands of `lab`. A new command is one entry of SECTIONS and a function in the module that the entry names."""

import argparse
import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from operator import methodcaller
from pathlib import Path

from lab import __version__
from lab.places import GRADING, HOSTS, LETTERS, MACHINE, REPORTS, RESULTS, ROOT, SUBMISSIONS, exact_version, is_checkout

AUTO = "auto"
WIDTH, INDENT = 100, 16  # of the list of commands in `lab --help`

Argument = Callable[[argparse.ArgumentParser], object]


def argument(*names: str, **settings: object) -> Argument:
    return methodcaller("add_argument", *names, **settings)


def flag(name: str, text: str) -> Argument:
    return argument(name, action="store_true", help=text)


def file(name: str, text: str, **settings: object) -> Argument:
    return argument(name, type=path, help=text, **settings)


def folder(name: str, text: str, default: Path | None = None) -> Argument:
    return file(name, text, default=default, metavar="DIR")


def hosts(text: str = "the file that names the hosts of ssh and slurm") -> Argument:
    return file("--hosts", text, default=HOSTS, metavar="FILE")


def site(default: str) -> Argument:

    def add(parser: argparse.ArgumentParser) -> object:
        from lab.sites.site import MODULES

        text = f"where trials run: one of {', '.join((AUTO, *MODULES))} (default: {default})"
        return parser.add_argument("--site", default=default, help=text)

    return add


def site_of_records(parser: argparse.ArgumentParser) -> object:
    from lab.sites.hosts import ANY

    text = "read the records of this site (default: the site with most records)"
    return parser.add_argument("--site", default=ANY, help=text)


def single_checks(parser: argparse.ArgumentParser) -> object:
    from lab.submission.assignment import CHECKS

    text = "make this check alone; may be repeated"
    return parser.add_argument("--only", action="append", choices=CHECKS, help=text)


def removable_part(text: str) -> str:
    from lab.cli.clean import PARTS

    if text not in PARTS:
        raise argparse.ArgumentTypeError(f"no part is called {text!r:.40} (one of {', '.join(PARTS)})")
    return text


def path(text: str) -> Path:
    """A path that is not empty: Path("") is the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def count(text: str, least: int = 1) -> int:
    from lab.model.sizes import LARGEST
    from lab.typed_json import whole

    try:
        if least <= (number := whole(text)) <= LARGEST:
            return number
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be a whole number of {least} or more, not {text!r:.40}")


def rate(text: str) -> int:
    """Bits a second: 100_000_000_000, or 100G."""
    return count(text.rstrip("GM")) * {"M": 10**6, "G": 10**9}.get(text[-1:], 1)


def seed(text: str) -> int:
    return count(text, least=0)


def seeds(text: str) -> range:
    """The seeds 1 to N, or those of a range."""
    first, dots, last = text.partition("..")
    return range(count(first), count(last) + 1) if dots else range(1, count(text) + 1)


def run_key(text: str) -> tuple[Path, str, int]:
    """The experiment, the series and the seed of a run of `lab explore`."""
    words = text.rsplit(":", 2)
    if len(words) < 3:
        raise argparse.ArgumentTypeError(f"is not EXPERIMENT:SERIES:SEED: {text!r:.80}")
    return path(words[0]), words[1], count(words[2])


EXPERIMENT = "a file, or a name in experiments/ or in its examples/"
EXPERIMENTS = file("experiment", EXPERIMENT, nargs="+")
ALL = f"{EXPERIMENT} (default: all of experiments/, those with the key `order` first)"
EXPERIMENTS_OR_ALL = file("experiment", ALL, nargs="*")
JOBS = argument(
    "--jobs", type=count, default=os.cpu_count() or 1, help="how many trials run at once (default: one a core)"
)
RECORDS = folder("--results", "the folder of records and tables", RESULTS)
REPORTED = folder("--out", "the folder of reports", REPORTS)
TABLED = folder("--out", "where the table is written (default: with the results)")
HANDED_IN = folder("--out", "where the PDF is written", SUBMISSIONS)
GRADES = folder("--out", "the folder of grades", RESULTS / "grades")
KIT_GRADES = folder("--grades", "the folder of grades", RESULTS / "grades")
ASSIGNED = "a file, or a name in experiments/assignments/; default: the only one there"
ASSIGNMENT = argument("--assignment", help=ASSIGNED)
ASSIGNMENT_NAME = argument("assignment", nargs="?", help=ASSIGNED)
YES = flag("--yes", "allow more than a million trials")
TABLE_REFERENCE = flag("--reference", "write results/reference, which verify compares with")
TABLE_JSON = flag("--json", "write a JSON object for each row, one a line, beside the CSV")
CAUSES_REFERENCE = flag(
    "--reference", "write results/reference too, from which reports take it where nothing was counted"
)
COUNTED = (
    argument("--series", action="append", help="count this series; may be repeated (default: those of [causes])"),
    argument("--sizes", help="count these sizes, such as 1,4K,1M (default: those of [causes])"),
    argument("--top", type=count, default=20, help="functions to print for each end (default: 20)"),
)
READ = (site_of_records, hosts(), JOBS, RECORDS, YES)
WHERE = (site(AUTO), hosts(), JOBS, RECORDS, YES)
ON_EXACT = (site("exact"), hosts(), JOBS)


@dataclass(frozen=True)
class Command:
    """One command: its function in lab, its help, the arguments of its example, and those of its parser."""

    path: str
    summary: str
    example_arguments: str = ""
    arguments: tuple[Argument, ...] = ()

    def takes(self, *arguments: Argument) -> "Command":
        return replace(self, arguments=arguments)

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2].strip("_").replace("_", "-")

    @property
    def example(self) -> str:
        return f"lab {self.name} {self.example_arguments}".rstrip()

    @property
    def function(self) -> Callable[[argparse.Namespace], int]:
        """The function of the command, whose module no other command needs."""
        module, _, name = self.path.rpartition(".")
        function: Callable[[argparse.Namespace], int] = getattr(import_module(f"lab.{module}"), name)
        return function


SECTIONS = {
    "Measure": (
        Command("cli.first.try_", "run a small experiment and show a chart").takes(*WHERE, REPORTED),
        Command("cli.measure.plan", "list the trials and estimate the time", "verbs_throughput").takes(
            EXPERIMENTS_OR_ALL, *WHERE
        ),
        Command(
            "cli.measure.run", "run the trials that have no record", "verbs_throughput write_parameters --report"
        ).takes(
            EXPERIMENTS_OR_ALL,
            *WHERE,
            REPORTED,
            flag("--fresh", "measure all trials again, also those that have a record"),
            flag("--report", "write each experiment's report as soon as its trials are over"),
        ),
        Command("cli.adopt.command.adopt", "guess the experiment of a folder, try it", "my_programs").takes(
            file("folder", "the folder of the programs; the experiment's file is written beside it"), *WHERE
        ),
        Command("cli.measure.table", "write the records as a CSV table", "verbs_throughput").takes(
            EXPERIMENTS_OR_ALL, *READ, TABLED, TABLE_REFERENCE, TABLE_JSON
        ),
        Command("cli.measure.show", "print one record, or write its frames", "3f9a --pcap frames.pcapng").takes(
            argument("record", help="the first digits of its key, from a table's column record"),
            RECORDS,
            file("--pcap", "run the trial again and write the link's frames, for Wireshark", metavar="FILE"),
            file("--experiment", f"{EXPERIMENT} that has the trial (default: search all)", metavar="FILE"),
        ),
        Command(
            "submission.compare.compare",
            "compare two runs by ratios with intervals",
            "results report/verbs_throughput.pdf",
        ).takes(file("first", "a results folder, or a report's PDF"), file("second", "another one, to compare with")),
        Command(
            "cli.explore.explore", "look for a race: lose and delay packets by seeds", "stale_completion --seeds 100"
        ).takes(
            file("experiment", EXPERIMENT),
            argument("--seeds", type=seeds, default=range(1, 201), help="how many, or A..B (default: 200)"),
            argument("--series", action="append", help="may be repeated (default: those of programs of your own)"),
            JOBS,
        ),
        Command("cli.explore.replay", "repeat a run of explore, print its packets", "stale_completion:stale:7").takes(
            argument("key", type=run_key, help="EXPERIMENT:SERIES:SEED, as explore prints it"),
            file("--pcap", "write the link's frames, for Wireshark", metavar="FILE"),
        ),
        Command("doctor.doctor", "check what each site needs on this host").takes(hosts()),
    ),
    "Write a report": (
        Command(
            "report.commands.report",
            "write reports from the records or the reference",
            "verbs_throughput write_parameters",
        ).takes(
            EXPERIMENTS_OR_ALL, *READ, REPORTED, flag("--html", "write the web pages alone, which needs no TeX Live")
        ),
        Command(
            "report.asking.query",
            "print a number, or judge a statement",
            "verbs_throughput 'card / tcp.card at 64K' 'card > tcp.card everywhere'",
        ).takes(
            file("experiment", EXPERIMENT, nargs=1),
            argument("query", nargs="*", help="a query or a statement (default: list series and measures)"),
            flag("--names", "print what a query can begin with, for lab completion"),
            flag("--json", "print JSON, for programs"),
            *READ,
        ),
        Command("report.checking.check", "check a discussion against the records", "verbs_throughput --watch").takes(
            EXPERIMENTS,
            *READ,
            flag("--watch", "check again at each change of the text, until Ctrl-C"),
            flag("--json", "print JSON, for editors"),
        ),
        Command(
            "cli.tools.profile",
            "count a message's instructions by function",
            "verbs_throughput --series verbs --sizes 1,4K",
        ).takes(EXPERIMENTS, *COUNTED, CAUSES_REFERENCE, RECORDS, TABLED),
        Command(
            "cli.history.history",
            "compare instructions by function between two commits",
            "verbs_throughput HEAD~20 --series verbs --sizes 64",
        ).takes(
            file("experiment", EXPERIMENT),
            argument("since", metavar="COMMIT", help="the programs to compare with: a commit, a tag or a branch"),
            argument("until", metavar="COMMIT", nargs="?", help="the programs to judge (default: the files now)"),
            *COUNTED,
        ),
        Command(
            "report.commands.extract", "extract the data from a report's PDF", "report/verbs_throughput.pdf data"
        ).takes(file("pdf", "a report"), file("folder", "a new folder for its data")),
        Command("web.site", "write the docs and reports as a website").takes(
            file("folder", "where it is written (default: report/site)", nargs="?", default=REPORTS / "site"),
            REPORTED,
            RECORDS,
        ),
    ),
    "Hand in": (
        Command("submission.hand_in.submit", "make the PDF to hand in", "verbs_throughput --draft").takes(
            ASSIGNMENT_NAME, flag("--draft", "make it in any case, marked as a draft"), RECORDS, HANDED_IN
        ),
        Command("grade.commands.preview_grade", "grade a draft by the public checks").takes(
            RECORDS, ASSIGNMENT, JOBS, GRADES
        ),
    ),
    "Teach": (
        Command("kit.commands.kit", "make, try or sample a kit of a course", "make verbs_throughput").takes(
            argument(
                "action",
                choices=("new", "make", "try", "sample"),
                help="create a kit, package it for students, grade its solution, or generate submissions",
            ),
            argument("kit", help="a name in experiments/assignments/; `try all` tries every kit"),
            argument(
                "--experiment", default="verbs_throughput", help=f"of a new kit: {EXPERIMENT} (default: %(default)s)"
            ),
            argument("--count", type=count, default=30, help="submissions of a sample (default: 30)"),
            flag("--template", "make a git repository with a dev container and a workflow instead of a zip"),
            folder("--out", "the folder that is written to (default of make: submission)"),
            folder(
                "--results",
                "the records of solutions (default: the grader's, so that grading measures nothing again)",
                GRADING / "results",
            ),
            KIT_GRADES,
            JOBS,
        ),
    ),
    "Grade": (
        Command("grade.commands.grade", "grade one submission", "submission/ada.pdf").takes(
            file("submission", "a PDF, or a zip or a folder with one in it"), single_checks, ASSIGNMENT, JOBS, GRADES
        ),
        Command("grade.commands.grade_class", "grade every submission of a folder", "submissions --jobs 2").takes(
            file("submissions", "a folder of PDFs, zips and folders"),
            argument("--site", choices=("slurm",), default="", help="grade on the nodes of a cluster"),
            hosts("the cluster's table [slurm]"),
            ASSIGNMENT,
            JOBS,
            GRADES,
        ),
        Command("grade.commands.grade_prepare", "measure the grader's records in advance").takes(ASSIGNMENT, JOBS),
        Command(
            "grade.book.gradebook",
            "combine grades, roster, deadlines and points by hand",
            "verbs_throughput --roster roster.csv --submissions submissions --by-hand by_hand.csv",
        ).takes(
            ASSIGNMENT_NAME,
            file("--roster", "a CSV with the column id, and more: docs/instructor.md", required=True),
            folder("--submissions", "the folder of submissions, whose dates show when each came"),
            file("--times", "a CSV with the columns submission,handed_in", metavar="FILE"),
            file("--by-hand", "a CSV with the columns who,criterion,points,comment", metavar="FILE"),
            argument(
                "--leaderboard", choices=("names", "codes"), help="rank by score, with names or codes: leaderboard.csv"
            ),
            folder("--nameless", "write reports without names here, and a sheet for their points"),
            folder("--out", "where the tables are written (default: with the grades)"),
            KIT_GRADES,
        ),
        Command("grade.commands.autograder", "make the zip for Gradescope", "--image course.lab").takes(
            ASSIGNMENT,
            file("--image", "the course's image, from lab image export", metavar="FILE"),
            file("file", "default: submission/NAME.autograder.zip", nargs="?"),
        ),
    ),
    "Check and maintain": (
        Command("cli.tools.verify", "measure again and compare with the reference", "verbs_throughput").takes(
            EXPERIMENTS_OR_ALL, *ON_EXACT
        ),
        Command("cli.tools.spot", "measure a random tenth and compare with the reference", "--seed 7").takes(
            EXPERIMENTS_OR_ALL,
            *ON_EXACT,
            RECORDS,
            argument("--seed", type=seed, help="choose the trials by this number (default: a random one)"),
        ),
        Command(
            "cli.bench.bench", "compare Verbyte's programs with reference tools", "--seed 7 --junit bench.xml"
        ).takes(
            *WHERE,
            argument("--seed", type=seed, help="draw further sizes by this number (default: a random one)"),
            file("--json", "write the results as JSON too", metavar="FILE"),
            file("--junit", "write a test for each comparison as JUnit's XML", metavar="FILE"),
        ),
        Command(
            "cli.tools.fit_card",
            "fit a modelled card to a measured curve",
            "experiments/published/verbs_a.csv --rate-bit-s 32G --inline 1K",
        ).takes(
            file("curve", "what ib_write_bw -a printed, or a CSV; and the same of a latency", nargs="+"),
            argument("--rate-bit-s", type=rate, required=True, metavar="N", help="the bits a second of its link: 100G"),
            argument("--mtu", type=count, default=4096, help="bytes in each packet, unless printed (default: 4096)"),
            argument("--inline", metavar="SIZE", help="the largest message sent inline (default: perftest's)"),
            file("--predict", "a curve to compare with, and not to fit", nargs="+", default=(), metavar="FILE"),
        ),
        Command("cli.tools.image", "export or import the VM as one file", "export course.lab").takes(
            argument("action", choices=("export", "import")), file("file", "the exported VM")
        ),
        Command("cli.clean.clean", "list what can be removed and its size, or remove it", "packages compiler").takes(
            argument("part", nargs="*", type=removable_part, help="remove this part alone (default: list all parts)"),
            flag("--yes", "remove all that can be made again"),
        ),
        Command("cli.completion.completion", "print a script that completes lab's commands in a shell", "bash").takes(
            argument("shell", choices=("bash", "zsh", "fish", "words"), help="the shell; `words` is for its script"),
            argument("typed", nargs=argparse.REMAINDER, help=argparse.SUPPRESS),
        ),
        Command("cli.tools.lock", "renew the package lock and the reference").takes(
            flag("--machine", "keep packages and reference; write only the digests of today's VM"), *ON_EXACT
        ),
    ),
}
COMMANDS = {command.name: command for commands in SECTIONS.values() for command in commands}


class CommandParser(argparse.ArgumentParser):
    """The parser of one command. It adds its arguments when it parses: no other command pays for their modules."""

    waiting: tuple[Argument, ...] = ()

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        waiting, self.waiting = self.waiting, ()
        for add in waiting:
            add(self)
        return super().parse_known_args(args, namespace)


def make_parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="lab",
        usage="lab COMMAND [options]          Start here: lab try",
        description="Verbyte: measure RDMA, TCP and MPI, write the report, hand it in, grade it.\n\n"
        + "\n".join(_sections()),
        epilog="lab COMMAND --help shows its options and an example.",
        formatter_class=formatter,
    )
    parser.add_argument(
        "--version", action=ShowVersion, nargs=0, help="print the version, the commit and the VM, and exit"
    )
    parsers = parser.add_subparsers(
        prog="lab", dest="command", metavar="COMMAND", help=argparse.SUPPRESS, parser_class=CommandParser
    )
    for command in COMMANDS.values():
        epilog = f"example:\n  {command.example}"
        added = parsers.add_parser(command.name, description=command.summary, epilog=epilog, formatter_class=formatter)
        added.waiting = command.arguments
    return parser


def _sections() -> Iterator[str]:
    for section, commands in SECTIONS.items():
        yield section
        for command in commands:
            start = f"  {command.name}".ljust(INDENT)
            yield textwrap.fill(command.summary, WIDTH, initial_indent=start, subsequent_indent=" " * INDENT)
        yield ""


class ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print("\n".join(version_lines()))
        parser.exit()


def version_lines() -> Iterator[str]:
    from lab.machine import snapshot

    if not is_checkout(ROOT):
        yield f"lab {__version__}, outside of any checkout"
        return
    yield f"lab {exact_version()}"
    command = ("git", f"--git-dir={ROOT / '.git'}", f"--work-tree={ROOT}", "describe", "--always", "--exclude=*")
    try:
        git = subprocess.run((*command, "--dirty", "--abbrev=12"), capture_output=True, text=True, check=False)
    except OSError:
        pass  # a container without git
    else:
        if git.returncode == 0:
            yield f"commit {git.stdout.strip()}"
    expected = snapshot.read(MACHINE)
    yield f"exact machine {expected.frozen['memory'][:LETTERS] if expected else 'of this host alone'}"
