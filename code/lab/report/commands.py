"""The commands `lab report` and `lab extract`; modules of a new report are loaded only to write a report."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError, StorageError
from lab.files import store
from lab.files.storage import write_bytes
from lab.files.toml import files_of
from lab.places import CACHE, CARDS, MACHINE, PUBLISHED, REFERENCE, REPORTS, TEMPLATES, from_here
from lab.plan.plan import Plan
from lab.records.recorded import plans_of
from lab.report.errors import ReportError, ReportsRefused
from lab.report.stamp import report_stamp

if TYPE_CHECKING:
    from lab.report.build import Prepared

Writer = Callable[[Plan, Path, Path], Path]


def report(options: Namespace) -> int:
    """Write each report that is not current as PDF and page, or the page alone; a refused report stops no other."""
    stale, write = [], write_page if options.html else write_report
    for plan in plans_of(options, REFERENCE):
        if is_current(plan, options.results, options.out):
            print(f"{from_here(report_file(plan, options.out))}: up to date")
        else:
            stale.append(plan)
    if len(stale) == 1:
        print(from_here(write(stale[0], options.results, options.out)))
    elif stale:
        _write_reports(write, stale, options.results, options.out, min(options.jobs, len(stale)))
    if stale and options.html:
        from lab.report.tex.latex import require_tex

        try:
            require_tex()
        except ReportError as error:
            print(f"no PDF, which needs TeX Live: {error.what}\nhint: {error.hint}", file=sys.stderr)
    return 0


def extract(options: Namespace) -> int:
    from lab.report.pdf import extract as extract_attachments

    for file in extract_attachments(options.pdf, options.folder):
        print(file)
    return 0


def report_file(plan: Plan, folder: Path = REPORTS) -> Path:
    return folder / f"{plan.experiment.name}.pdf"


def report_texts(plan: Plan) -> list[Path]:
    """The files behind a report except records and code: texts, templates, published values, cards, reference, lock."""
    file = plan.experiment.file
    folder = file.with_suffix("")
    typed = [*files_of(file), folder / "report.toml", folder / "discussion.tex", folder / "references.bib"]
    published = [*sorted(PUBLISHED.glob("*.*")), *sorted(CARDS.glob("*.*"))]
    tables = [REFERENCE / f"{plan.experiment.name}.csv", MACHINE / "packages.lock", MACHINE / "frozen.json"]
    return [*typed, *sorted(TEMPLATES.rglob("*.*")), *published, *tables]


def is_current(plan: Plan, results: Path, folder: Path) -> bool:
    """Whether the report exists and comes from these records, texts and code."""
    file = report_file(plan, folder)
    stamp = report_stamp(plan, results, report_texts(plan))
    return file.with_suffix(".html").is_file() and store.is_current(file, stamp)


def write_report(plan: Plan, results: Path, folder: Path) -> Path:
    """Write the PDF and the page; without the page if a template has LaTeX that no page can show."""
    from lab.report.html.page import page

    pdf = report_file(plan, folder)
    stamp = report_stamp(plan, results, report_texts(plan))  # before the texts are read: they may change meanwhile
    prepared, file = _prepare(plan, results, pdf), pdf.with_suffix(".html")
    try:
        write_bytes(file, page(prepared, TEMPLATES).encode())
    except ReportError as error:
        file.unlink(missing_ok=True)
        print(f"{from_here(file)} is not written: {error}", file=sys.stderr)
    write_bytes(pdf, prepared.typeset())
    store.keep_stamp(pdf, stamp)
    return pdf


def write_page(plan: Plan, results: Path, folder: Path) -> Path:
    """Write the page and its figures, without a link to a PDF; TeX Live is not needed."""
    from lab.report.html.page import page

    file = report_file(plan, folder)
    prepared = _prepare(plan, results, file)
    write_bytes(file.with_suffix(".html"), page(prepared, TEMPLATES, has_pdf=False).encode())
    return file.with_suffix(".html")


def _prepare(plan: Plan, results: Path, pdf: Path) -> Prepared:
    """Prepare the report, and write its figures into the folder of its name."""
    from lab.report.build import prepare
    from lab.report.evidence.evidence import gather
    from lab.report.sources import DEFAULT, Sources

    sources = Sources(plan.experiment.file, TEMPLATES)
    if sources.template == DEFAULT:
        print(f"{pdf.stem}: by templates/{DEFAULT}, since templates/{pdf.stem}.tex does not exist", file=sys.stderr)
    prepared = prepare(sources, gather(plan, results, REFERENCE), CACHE / "report")
    for name, figure in prepared.figures.items():
        write_bytes(pdf.with_suffix("") / f"{name}.png", figure.png)
    return prepared


def _write_reports(write: Writer, plans: list[Plan], results: Path, folder: Path, jobs: int) -> None:
    """Write reports in separate processes, since threads would share the settings of figures; a full disk stops all."""
    refused: dict[str, LabError] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool, ExitStack() as waiting:
        waiting.callback(pool.shutdown, cancel_futures=True)
        written = {plan.experiment.name: pool.submit(write, plan, results, folder) for plan in plans}
        for name, future in written.items():
            try:
                print(from_here(future.result()))
            except StorageError:
                raise
            except LabError as error:
                refused[name] = error
    if refused:
        raise ReportsRefused("some reports were not written", errors=refused)
