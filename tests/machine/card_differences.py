"""The differences between the modelled card and Soft-RoCE, by a program that runs over both: card/differences.c.

.venv/bin/python -m tests.machine.card_differences writes code/card/differences.csv, a source of docs/cards.md.
"""

import subprocess
import tempfile
from pathlib import Path

from lab.experiment.reader import read_card
from lab.files.storage import csv_text
from lab.model.trial import DIRECTORY, OVER_CARD, Job, Link, Outcome, Perturbation, Step
from lab.places import CACHE, CARD, MACHINE
from lab.plan.plan import parts
from lab.sites.exact import ExactSite

PROGRAM = "differences"
FILE = CARD / "differences.csv"
HEAD = ("asked", "soft_roce", "card")
CARD_OF_IT = read_card("qdr").card


def compiled(source: str, folder: Path) -> Path:
    """Compile a program of the folder card for the VM."""
    program = folder / source
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")
    file = Path(__file__).with_name("card") / f"{source}.c"
    subprocess.run(["gcc", *flags, "-o", program, file, "-libverbs"], check=True)
    return program


def run(exact: ExactSite, folder: Path) -> Outcome:
    """Run the program over Soft-RoCE, then over the card."""
    for file, content in parts(MACHINE, CACHE, print).items():
        (folder / file.name).write_bytes(content)
    compiled(PROGRAM, folder)
    command = f"{DIRECTORY}/{PROGRAM}"
    steps = (Step.launched((command,)), Step.launched((OVER_CARD, command)))
    link = Link(rate_bit_s=CARD_OF_IT.rate_bit_s, card=CARD_OF_IT)
    return exact.run(Job(steps, link, Perturbation(), 60, (), tuple(folder.iterdir())))


def differences(outcome: Outcome) -> str:
    soft_roce, card = (dict(map(named, step.client_out.splitlines())) for step in outcome.steps)
    assert soft_roce.keys() == card.keys(), outcome.steps
    return csv_text(HEAD, ((name, soft_roce[name], card[name]) for name in card))


def named(line: str) -> tuple[str, str]:
    name, _, answer = line.partition(": ")
    return name, answer.rstrip("; ")


def main() -> None:
    site = ExactSite(MACHINE, CACHE)
    site.prepare(print)
    with tempfile.TemporaryDirectory() as folder:
        FILE.write_text(differences(run(site, Path(folder))))
    site.stop()


if __name__ == "__main__":
    main()
