"""A table of cheats by student programs with the points that each gets, and of honest programs of five kinds.

`python -m tests.release.cheats --honest 20` grades all cheats, and so many honest submissions of each kind, each with
other sizes and counts. `--only NAME` grades the rows whose names contain it. The check `program` has 10 points here, as
have `sources` and `correct`; a step of a kit has its points without tiers.
"""

import re
import shutil
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from random import Random

from tests.machine import tampered_programs, wrong_programs
from tests.machine.own_hand_in import CHECKS, KIT, RING, case_of, graded_steps, tampered_case
from tests.machine.tampered_programs import Tampering
from tests.machine.wrong_programs import Wrong

from lab.errors import LabError
from lab.kit.kit import Kit
from lab.places import CACHE, EXAMPLES, MACHINE
from lab.sites.exact import ExactSite
from lab.submission.assignment import Demands

POINTS = 10
KINDS = {  # of honest programs, by their example; the sizes of a round trip are smaller, since both ends poll
    "plain_verbs": 1 << 16, "read_rate": 1 << 16, "send_pingpong": 1 << 12, "tcp_select": 1 << 16, "mpi_cpp": 1 << 14,
}  # fmt: skip
LEAST_SIZE, ITERATIONS = 64, (40, 160)
Points = tuple[int, int, str]  # those given, all, and the first finding
Row = tuple[str, str, Callable[[ExactSite, Path], Points]]


def of_step(wrong: Wrong, kit: Kit) -> Callable[[ExactSite, Path], Points]:
    def grade(exact: ExactSite, folder: Path) -> Points:
        findings, parts = graded_steps(exact, folder, {wrong.step: wrong}, kit)[wrong.step]
        most = sum(each.most for each in parts)
        return sum(each.points for each in parts), most, findings[0].what if findings else ""

    return grade


def of_program(tampering: Tampering) -> Callable[[ExactSite, Path], Points]:
    def grade(exact: ExactSite, folder: Path) -> Points:
        findings = list(CHECKS[tampering.check](tampered_case(exact, folder, tampering)))
        return (0 if findings else POINTS), POINTS, str(findings[0]) if findings else ""

    return grade


def written_otherwise(folder: Path, random: Random) -> None:
    """Change what no check may mind: comments, ends of lines, the optimisation."""
    comment, end = random.choice(("", "/* Grüße von Ada */\n", "// mine\n\n")), random.choice(("\n", "\r\n"))
    for source in folder.glob("*.[ch]*"):
        source.write_text(comment + source.read_text(), newline=end)
    optimised = random.choice(("-O1", "-O2", "-O3", "-O2 -g"))
    for file in (folder.parents[1] / "own.toml", folder / "Makefile"):
        if file.exists():
            file.write_text(file.read_text().replace("-O2", optimised))


def honest(name: str, number: int) -> Callable[[ExactSite, Path], Points]:
    """A submission of one of an example's series, at a random size with a random count, written otherwise."""

    def grade(exact: ExactSite, folder: Path) -> Points:
        random = Random(f"{name} {number}")
        size, iterations = random.randint(LEAST_SIZE, KINDS[name]), random.randint(*ITERATIONS)
        shutil.copytree(EXAMPLES / name, folder / name)
        head, *series = EXAMPLES.joinpath(f"{name}.toml").read_text().split("\n[[series]]\n")
        chosen = random.choice([each for each in series if not re.search(r'program = "(verbs|tcp|mpi)"', each)])
        head = re.sub(r"sizes = .*", f'sizes = "{size}"', head.partition("\n[[comparison]]")[0])
        head = re.sub(r"(?m)^iterations = .*", f"iterations = {iterations}", head)
        head = re.sub(r"repetitions = \d+", "repetitions = 1", head)
        (folder / "own.toml").write_text(f"{head}\n[[series]]\n{chosen.partition('[[comparison]]')[0]}")
        written_otherwise(folder / name / "program", random)
        case = case_of(exact, folder, Demands(sizes=(random.randint(LEAST_SIZE, KINDS[name]),)))
        results = {check: list(CHECKS[check](case)) for check in ("program", "sources")}
        found = [each for findings in results.values() for each in findings]
        points = sum(POINTS for findings in results.values() if not findings)
        return points, POINTS * len(results), str(found[0]) if found else ""

    return grade


def rows(honest_of_each: int) -> Iterator[Row]:
    wrong = wrong_programs
    for kit, steps in (
        (KIT, (*wrong.USUAL_STEPS, *wrong.OTHER_STEPS)),
        (RING, (*wrong.USUAL_RINGS, *wrong.OTHER_RINGS)),
    ):
        for step in steps:
            yield f"{step.step}: {step.name}", kit.name, of_step(step, kit)
    for tampering in (*tampered_programs.USUAL, *tampered_programs.OTHERS):
        yield tampering.name, tampering.check, of_program(tampering)
    for number in range(honest_of_each):
        for kind in KINDS:
            yield f"honest {number + 1}", kind, honest(kind, number)


def main(arguments: list[str]) -> int:
    parser = ArgumentParser(prog="python -m tests.release.cheats", description=__doc__)
    parser.add_argument("--honest", type=int, default=20, help="honest submissions of each kind")
    parser.add_argument("--only", default="", help="a part of the names of the rows to grade")
    options = parser.parse_args(arguments)
    exact, wrong = ExactSite(MACHINE, CACHE), 0
    exact.prepare(lambda line: print(line, file=sys.stderr))
    print("| submission | where | points | seconds | first finding |\n|---|---|---|---|---|", flush=True)
    for name, where, grade in rows(options.honest):
        if options.only not in f"{name} {where}":
            continue
        started, folder = time.monotonic(), Path(tempfile.mkdtemp(prefix="lab-cheats-"))
        try:
            with redirect_stdout(sys.stderr):
                points, most, finding = grade(exact, folder)
        except LabError as error:
            points, most, finding = -1, 0, f"could not be graded: {error}"
        shutil.rmtree(folder)
        wrong += points != most if name.startswith("honest ") else points == most
        shown = f"{points} of {most} | {time.monotonic() - started:.0f} | {finding.splitlines()[0] if finding else ''}"
        print(f"| {name} | {where} | {shown[:200].replace('`', '')} |", flush=True)
    exact.stop()
    print(f"{wrong} rows are not as they should be")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
