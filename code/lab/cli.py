"""The command line: arguments in, a sentence out. The only place that catches a LabError."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from lab import __version__
from lab.errors import LabError
from lab.places import HOSTS, RESULTS
from lab.submission.assignment import CHECKS

AUTO = "auto"
INTERRUPTED = 130  # as a shell reports Ctrl-C
EXAMPLES = {
    "plan": "lab plan verbs_throughput",
    "run": "lab run verbs_throughput write_parameters --jobs 2",
    "table": "lab table verbs_throughput",
    "report": "lab report verbs_throughput write_parameters",
    "claims": "lab claims verbs_throughput",
    "extract": "lab extract report/verbs_throughput.pdf data",
    "verify": "lab verify verbs_throughput",
    "bench": "lab bench --jobs 2",
    "show": "lab show 3f9a",
    "compare": "lab compare results report/verbs_throughput.pdf",
    "submit": "lab submit verbs_throughput --draft",
    "grade": "lab grade submission/ada.pdf",
    "preview-grade": "lab preview-grade",
    "grade-class": "lab grade-class hand-ins --jobs 2",
    "grade-prepare": "lab grade-prepare",
    "autograder": "lab autograder --image course.lab",
    "doctor": "lab doctor",
    "lock": "lab lock",
    "script": "lab script mpi_bandwidth_latency > job.sh",
    "image": "lab image export course.lab",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a finding, 2 an error, 130 an interruption."""
    options = make_parser().parse_args(arguments)
    from lab import commands, upkeep  # only now: `lab --help` needs none of it
    from lab.grade import commands as grades
    from lab.report import commands as reports
    from lab.submission import commands as hand_ins

    module = next((each for each in (upkeep, reports, hand_ins, grades) if options.command in each.COMMANDS), commands)
    try:
        if getattr(options, "site", "") == AUTO:
            _choose_site(options)
        return int(getattr(module, options.command.replace("-", "_"))(options))
    except LabError as error:
        print(f"lab {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"lab {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _choose_site(options: argparse.Namespace) -> None:
    """Nobody named one; a run says which it takes and why."""
    from lab.sites.auto import choose

    options.site, why = choose(options.hosts)
    if options.command in ("plan", "run", "bench"):
        print(f"site {options.site}: {why}", file=sys.stderr)


def make_parser() -> argparse.ArgumentParser:
    """All commands, each with an example."""
    everything = "examples:\n" + "\n".join(f"  {example}" for example in EXAMPLES.values())
    parser = argparse.ArgumentParser(
        prog="lab",
        description="Measures a network link with RDMA verbs and TCP, and their peers, reproducibly to the last byte.",
        epilog=everything,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        *(_plan, _run, _table, _report, _claims, _extract, _verify, _bench, _show),
        *(_compare, _submit, _grade, _preview_grade, _grade_class, _grade_prepare, _autograder),
        *(_doctor, _lock, _script, _image),
    ):
        add(commands)
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _command(commands: Commands, name: str, summary: str) -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    epilog = f"example:\n  {EXAMPLES[name]}"
    return commands.add_parser(name, help=summary, description=summary, epilog=epilog, formatter_class=formatter)


def _plan(commands: Commands) -> None:
    command = _command(commands, "plan", "show the trials, what is done, and about how long the rest takes")
    _experiments(command, "+")
    _where(command)


def _run(commands: Commands) -> None:
    command = _command(commands, "run", "run the trials that have no record yet, then write the tables")
    _experiments(command, "+")
    _where(command)
    command.add_argument("--fresh", action="store_true", help="measure again what has a record")


def _table(commands: Commands) -> None:
    command = _command(commands, "table", "write an experiment's records as one CSV")
    _experiments(command, "+")
    _where(command)
    command.add_argument("--reference", action="store_true", help="write results/reference, which verify compares with")


def _report(commands: Commands) -> None:
    command = _command(commands, "report", "write a PDF from the records, or say which claim they don't support")
    _experiments(command, "+")
    _where(command)


def _claims(commands: Commands) -> None:
    command = _command(commands, "claims", "list every number that a report may claim, with its interval")
    _experiments(command, "+")
    _where(command)
    command.add_argument("--draft", action="store_true", help="print a discussion to start from instead")


def _extract(commands: Commands) -> None:
    command = _command(commands, "extract", "take the data out of a report's PDF")
    command.add_argument("pdf", type=Path)
    command.add_argument("folder", type=Path)


def _verify(commands: Commands) -> None:
    command = _command(commands, "verify", "measure again from nothing and compare with results/reference")
    _experiments(command, "*")
    _where(command, site="exact", results=False)


def _bench(commands: Commands) -> None:
    command = _command(commands, "bench", "compare our programs with the peers, as ratios")
    _where(command)


def _show(commands: Commands) -> None:
    command = _command(commands, "show", "show one record")
    command.add_argument("record", help="the beginning of its key, as the tables show it")
    _results(command)


def _compare(commands: Commands) -> None:
    command = _command(commands, "compare", "lay two runs side by side: ratios with intervals, and a verdict each")
    command.add_argument("first", type=Path, help="a results folder, or a report's PDF")
    command.add_argument("second", type=Path, help="what it is compared with")


def _submit(commands: Commands) -> None:
    command = _command(commands, "submit", "make the file to hand in, or say why it can't be handed in yet")
    command.add_argument(
        "assignment", nargs="?", help="a file, or a name in experiments/assignments/; default: the one"
    )
    command.add_argument("--draft", action="store_true", help="make it all the same, marked as a draft")
    _results(command)


def _grade(commands: Commands) -> None:
    command = _command(commands, "grade", "hold a hand-in against what this computer measures: points and evidence")
    command.add_argument("submission", type=Path, help="a PDF, or a zip or a folder with one in it")
    command.add_argument("--only", action="append", choices=CHECKS, help="make this check alone; may be repeated")
    _grading(command)


def _preview_grade(commands: Commands) -> None:
    command = _command(commands, "preview-grade", "grade a draft made now, by the checks that are public")
    _results(command)
    _grading(command)


def _grade_class(commands: Commands) -> None:
    command = _command(commands, "grade-class", "grade every hand-in of a folder, each in a process of its own")
    command.add_argument("submissions", type=Path, help="a folder of PDFs, zips and folders")
    command.add_argument("--site", choices=("slurm",), default="", help="grade on the nodes of a cluster")
    command.add_argument("--hosts", type=Path, default=HOSTS, metavar="FILE", help="the cluster's table [slurm]")
    _grading(command)


def _grade_prepare(commands: Commands) -> None:
    command = _command(commands, "grade-prepare", "measure what grading needs, before the first hand-in comes")
    _judging(command)


def _autograder(commands: Commands) -> None:
    command = _command(commands, "autograder", "make the zip with which Gradescope grades an assignment")
    _assignment(command)
    command.add_argument("--image", type=Path, metavar="FILE", help="the course's image, from lab image export")
    command.add_argument("file", type=Path, nargs="?", help="default: submission/NAME.autograder.zip")


def _grading(command: argparse.ArgumentParser) -> None:
    _judging(command)
    command.add_argument("--out", type=Path, default=RESULTS / "grades", metavar="DIR", help="where the grades lie")


def _judging(command: argparse.ArgumentParser) -> None:
    _assignment(command)
    command.add_argument("--jobs", type=_jobs, default=os.cpu_count() or 1, help="trials at once (default: one a core)")


def _assignment(command: argparse.ArgumentParser) -> None:
    command.add_argument("--assignment", help="a file, or a name in experiments/assignments/; default: the only one")


def _doctor(commands: Commands) -> None:
    command = _command(commands, "doctor", "say what each site would need here, what is there, and how to get the rest")
    command.add_argument("--json", action="store_true", help="for programs to read")
    command.add_argument("--hosts", type=Path, default=HOSTS, metavar="FILE", help="the computers of ssh and slurm")


def _lock(commands: Commands) -> None:
    command = _command(commands, "lock", "renew the machine's package lock together with results/reference")
    _where(command, site="exact", results=False)


def _script(commands: Commands) -> None:
    command = _command(commands, "script", "print a Slurm job script of an experiment's MPI trials, to submit by hand")
    command.add_argument("experiment", type=Path, help="a file, or a name in experiments/")
    command.add_argument("--hosts", type=Path, default=HOSTS, metavar="FILE", help="the computers of ssh and slurm")


def _image(commands: Commands) -> None:
    command = _command(commands, "image", "the machine's image as one file: export it, or import one")
    command.add_argument("action", choices=("export", "import"))
    command.add_argument("file", type=Path)


def _experiments(command: argparse.ArgumentParser, count: str) -> None:
    command.add_argument("experiment", nargs=count, type=Path, help="a file, or a name in experiments/")


def _where(command: argparse.ArgumentParser, *, site: str = AUTO, results: bool = True) -> None:
    names = "auto, exact, vm, host, ssh or slurm"
    command.add_argument("--site", default=site, help=f"where trials run: {names} (default: {site})")
    command.add_argument("--hosts", type=Path, default=HOSTS, metavar="FILE", help="the computers of ssh and slurm")
    command.add_argument("--jobs", type=_jobs, default=os.cpu_count() or 1, help="trials at once (default: one a core)")
    if results:
        _results(command)


def _results(command: argparse.ArgumentParser) -> None:
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="where records and tables lie")


def _jobs(text: str) -> int:
    jobs = int(text) if text.isdigit() else 0
    if jobs < 1:
        raise argparse.ArgumentTypeError("a whole number from 1 up")
    return jobs
