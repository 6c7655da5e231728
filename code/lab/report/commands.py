"""The commands about reports: write them, list their claims, take the data out of one."""

from __future__ import annotations

import sys
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from lab.files.included import files_of
from lab.files.storage import write_bytes
from lab.places import CACHE, PUBLISHED, REPORTS, TEMPLATES, from_here
from lab.plan.plan import Plan
from lab.records.recorded import plans_of

COMMANDS = ("report", "claims", "extract")


def report(options: Namespace) -> int:
    """A PDF for each experiment, several at once; nothing is done for one that is up to date."""
    plans = [(plan, options.results, options.out) for plan in plans_of(options)]
    stale = [each for each in plans if not _is_current(*each)]
    for plan, _, folder in (each for each in plans if each not in stale):
        print(f"{from_here(report_file(plan, folder))}: up to date")
    if len(stale) == 1:
        print(from_here(_report(*stale[0])))
    elif stale:
        # Processes that start afresh: figures are drawn with settings that threads would share.
        with ProcessPoolExecutor(min(options.jobs, len(stale)), mp_context=get_context("spawn")) as pool:
            for pdf in pool.map(_report, *zip(*stale, strict=True)):
                print(from_here(pdf))
    return 0


def claims(options: Namespace) -> int:
    """All that a text may claim, or the draft of a discussion made of it."""
    from lab.report.claims.ledger import make_claims
    from lab.report.draft.draft import draft
    from lab.report.evidence.evidence import gather
    from lab.report.pdf.attachments import claim_lines

    for plan in plans_of(options):
        found = make_claims(gather(plan, options.results))
        print(draft(found) if options.draft else "\n".join(claim_lines(found.ledger)))
    return 0


def extract(options: Namespace) -> int:
    """The attachments of a report."""
    from lab.report.pdf.extract import extract as take_out

    for file in take_out(options.pdf, options.folder):
        print(file)
    return 0


def report_file(plan: Plan, folder: Path = REPORTS) -> Path:
    """The place of an experiment's report, whether it exists or not."""
    return folder / f"{plan.experiment.name}.pdf"


def report_texts(plan: Plan) -> list[Path]:
    """All typed texts of a report, from any author."""
    file = plan.experiment.file
    beside = file.with_suffix("")
    typed = [*files_of(file), beside / "report.toml", beside / "discussion.tex"]
    return [*typed, *sorted(TEMPLATES.rglob("*.*")), *sorted(PUBLISHED.glob("*.*"))]


def _stamp(plan: Plan, results: Path) -> str:
    from lab.report.stamp import report_stamp

    return report_stamp(plan, results, report_texts(plan))


def _is_current(plan: Plan, results: Path, folder: Path) -> bool:
    from lab.files.stamp import is_current

    return is_current(report_file(plan, folder), _stamp(plan, results))


def _report(plan: Plan, results: Path, folder: Path) -> Path:
    """Make the PDF in its place. The heavy modules are loaded here, since a current report needs none of them."""
    from lab.files.stamp import keep_stamp
    from lab.report.build import DEFAULT, Sources, make_report
    from lab.report.evidence.evidence import gather

    pdf, stamp = (
        report_file(plan, folder),
        _stamp(plan, results),
    )  # the stamp comes first, so that a change during the build makes the PDF stale
    sources = Sources(plan.experiment.file, TEMPLATES)
    if sources.template == DEFAULT:
        print(f"{pdf.stem}: by templates/{DEFAULT}, since there is no templates/{pdf.stem}.tex", file=sys.stderr)
    made = make_report(sources, gather(plan, results), CACHE / "report")
    for name, png in made.pngs.items():
        write_bytes(pdf.with_suffix("") / f"{name}.png", png)
    write_bytes(pdf, made.pdf)
    keep_stamp(pdf, stamp)
    return pdf
