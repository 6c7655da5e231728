"""The commands about reports: write them, and take the data out of one."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError, StorageError
from lab.files.storage import write_bytes
from lab.files.toml import files_of
from lab.places import CACHE, REPORTS, TEMPLATES, from_here
from lab.plan.plan import Plan
from lab.records.recorded import plans_of
from lab.report.errors import ReportError, ReportsRefused

if TYPE_CHECKING:
    from lab.report.build import Prepared
    from lab.report.html.page import Material


def report(options: Namespace) -> int:
    """A PDF for each experiment, several at once; nothing is done for one that is up to date. One that is refused does
    not keep the others from being written."""
    from lab.report.stamp import report_stamp

    plans = [
        (plan, options.results, options.out, report_stamp(plan, options.results, report_texts(plan)))
        for plan in plans_of(options)
    ]
    stale = [each for each in plans if not _is_of(report_file(each[0], options.out), each[-1])]
    for plan, *_ in (each for each in plans if each not in stale):
        print(f"{from_here(report_file(plan, options.out))}: up to date")
    if len(stale) == 1:
        print(from_here(_report(*stale[0])))
    elif stale:
        _report_all(stale, min(options.jobs, len(stale)))
    return 0


def _report_all(stale: list[tuple[Plan, Path, Path, str]], jobs: int) -> None:
    """In processes that start afresh: figures are drawn with settings that threads would share."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    refused: dict[str, LabError] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for (plan, *_), made in zip(stale, pool.map(_report_or_error, *zip(*stale, strict=True)), strict=True):
            if isinstance(made, LabError):
                refused[plan.experiment.name] = made
            else:
                print(from_here(made))
    if refused:
        raise ReportsRefused("some reports were not written", errors=refused)


def extract(options: Namespace) -> int:
    """The attachments of a report."""
    from lab.report.pdf import extract as take_out

    for file in take_out(options.pdf, options.folder):
        print(file)
    return 0


def report_file(plan: Plan, folder: Path = REPORTS) -> Path:
    """The place of an experiment's report, whether it exists or not."""
    return folder / f"{plan.experiment.name}.pdf"


def report_texts(plan: Plan) -> list[Path]:
    """All typed texts of a report, from any author."""
    from lab.report.stamp import machine_files, published_files

    file = plan.experiment.file
    beside = file.with_suffix("")
    typed = [*files_of(file), beside / "report.toml", beside / "discussion.tex", beside / "references.bib"]
    typed += sorted(beside.glob("*.csv"))  # of figures of one's own
    return [*typed, *sorted(TEMPLATES.rglob("*.*")), *published_files(), *machine_files()]


def is_current(plan: Plan, results: Path, folder: Path) -> bool:
    """Whether the report is there and of these records, texts and code."""
    from lab.report.stamp import report_stamp

    return _is_of(report_file(plan, folder), report_stamp(plan, results, report_texts(plan)))


def _is_of(file: Path, stamp: str) -> bool:
    from lab.files.store import is_current

    return file.with_suffix(".html").is_file() and is_current(file, stamp)


def _report_or_error(plan: Plan, results: Path, folder: Path, before: str) -> Path | LabError:
    """The PDF, or what is wrong with this experiment; a full disk is wrong for all."""
    try:
        return _report(plan, results, folder, before)
    except StorageError:
        raise
    except LabError as error:
        return error


def _report(plan: Plan, results: Path, folder: Path, before: str) -> Path:
    """Make the PDF in its place. The heavy modules are loaded here, since a current report needs none of them."""
    from lab.files.store import keep_stamp
    from lab.report.build import prepare
    from lab.report.sources import DEFAULT, Sources

    pdf = report_file(plan, folder)
    sources = Sources(plan.experiment.file, TEMPLATES)
    if sources.template == DEFAULT:
        print(f"{pdf.stem}: by templates/{DEFAULT}, since there is no templates/{pdf.stem}.tex", file=sys.stderr)
    from lab.report.checking import numbers_of, remember

    numbers = numbers_of(plan, results)
    prepared = prepare(sources, numbers.evidence, CACHE / "report", numbers)
    remember(plan, results, numbers)
    _write(pdf, prepared)
    keep_stamp(pdf, before)
    return pdf


def _write(pdf: Path, prepared: Prepared) -> None:
    """LaTeX is another process: the page is made meanwhile."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as beside:
        typeset = beside.submit(prepared.typeset)
        for name, png in prepared.pngs.items():
            write_bytes(pdf.with_suffix("") / f"{name}.png", png)
        _page(pdf.with_suffix(".html"), prepared.material)
        write_bytes(pdf, typeset.result())


def _page(file: Path, material: Material) -> None:
    """The page beside the PDF; where a template's command is none that it can show, one that says so."""
    from lab.report.html.page import page, page_without

    try:
        text = page(material, TEMPLATES)
    except ReportError as error:
        print(f"{from_here(file)} leads to the PDF and holds nothing else: {error}", file=sys.stderr)
        text = page_without(material.name, str(error.what), TEMPLATES)
    write_bytes(file, text.encode())
