"""The commands about reports: write them, list their claims, take the data out of one."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from lab.places import CACHE, PUBLISHED, REPORTS, TEMPLATES
from lab.plan import Plan
from lab.sites import open_site
from lab.storage import storage
from lab.workshop import open_workshop

COMMANDS = ("report", "claims", "extract")


def report(options: Namespace) -> int:
    """A PDF for each experiment; nothing is done for one that is up to date."""
    for plan in _plans(options):
        _report(plan, options.results)
    return 0


def claims(options: Namespace) -> int:
    """All that a text may claim, or the draft of a discussion made of it."""
    from lab.report.attachments import claim_lines
    from lab.report.draft import draft
    from lab.report.evidence import gather
    from lab.report.ledger import make_ledger

    for plan in _plans(options):
        evidence = gather(plan, options.results)
        ledger = make_ledger(evidence)
        print(draft(evidence, ledger) if options.draft else "\n".join(claim_lines(ledger)))
    return 0


def extract(options: Namespace) -> int:
    """The attachments of a report."""
    from lab.report.extract import extract as take_out

    for file in take_out(options.pdf, options.folder):
        print(file)
    return 0


def report_file(plan: Plan) -> Path:
    """Where the report of an experiment lies, or would lie."""
    return REPORTS / f"{plan.experiment.name}.pdf"


def report_texts(plan: Plan) -> list[Path]:
    """All that was typed for a report, by whomever."""
    file = plan.experiment.file
    beside = file.with_suffix("")
    typed = [file, beside / "report.toml", beside / "discussion.tex"]
    return [*typed, *sorted(TEMPLATES.rglob("*.*")), *sorted(PUBLISHED.glob("*.*"))]


def _plans(options: Namespace) -> Iterator[Plan]:
    shop = open_workshop(
        options.experiment, open_site(options.site, options.hosts), lambda line: print(line, file=sys.stderr)
    )
    yield from shop.plans


def _report(plan: Plan, results: Path) -> None:
    from lab.report.stamp import is_current, keep_stamp, report_stamp

    pdf = report_file(plan)
    stamp = report_stamp(plan, results, report_texts(plan))
    if is_current(pdf, stamp):
        print(f"{pdf}: up to date")
        return
    _write(pdf, _build(plan, results))
    keep_stamp(pdf, stamp)
    print(pdf)


def _build(plan: Plan, results: Path) -> bytes:
    """The heavy modules are loaded here: a report that is up to date needs none of them."""
    from lab.report.build import Sources, build
    from lab.report.evidence import gather

    return build(Sources(plan.experiment.file, TEMPLATES), gather(plan, results), CACHE / "report")


def _write(pdf: Path, content: bytes) -> None:
    beside = pdf.with_name(f".{pdf.name}.tmp")
    with storage(pdf):
        pdf.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(pdf)
