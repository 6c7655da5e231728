"""The command `lab check`: check discussions against the records or the reference."""

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from shutil import which
from time import sleep

from lab.errors import LabError, all_lines
from lab.places import REFERENCE, TEMPLATES, from_here
from lab.records.recorded import plans_of
from lab.report.build import targets_of, typeset_alone
from lab.report.errors import FaultKind, ReportError, TextFault
from lab.report.evidence.evidence import gather
from lab.report.query.numbers import Numbers
from lab.report.query.value import Truth
from lab.report.sources import Sources, read_people
from lab.report.tex.latex import PROGRAMS
from lab.report.text.check import Checked, read_writing
from lab.report.text.check import check as check_text
from lab.report.text.latex import LONGEST_LINE, TARGET
from lab.report.text.references import list_of_sources

LOOK_S = 0.1


def check(options: Namespace) -> int:
    """Print the errors and notes of every discussion, with --watch after each change; return 1 if there is an error."""
    gathered = [gather(plan, options.results, REFERENCE) for plan in plans_of(options, REFERENCE)]
    texts = [(Sources(each.plan.experiment.file, TEMPLATES), Numbers(each)) for each in gathered]
    while True:
        seen = _times(texts)  # before reading, so that a change meanwhile is noticed
        status = max(_check(*text, as_lines=not options.json) for text in texts)
        if not options.watch:
            return status
        while _times(texts) == seen:
            sleep(LOOK_S)


def _check(sources: Sources, numbers: Numbers, *, as_lines: bool) -> int:
    try:
        read_people(sources.people)
        writing = read_writing(sources.folder)
        refers = TARGET.search(writing.text)
        checked = check_text(writing, numbers, targets_of(sources, numbers) if refers else None)
        if not checked.faults:
            list_of_sources(writing.text, writing.references)
            checked = replace(checked, faults=tuple(_typesetting_faults(sources, checked)))
    except LabError as error:
        print(all_lines(str(error)), flush=True)
        return 1
    lines = _lines(checked, from_here(sources.discussion)) if as_lines else [json.dumps(_document(checked), indent=1)]
    print(all_lines("\n".join(lines)), flush=True)
    return int(bool(checked.faults))


def _typesetting_faults(sources: Sources, checked: Checked) -> Iterator[TextFault]:
    """The first fault that LaTeX finds, as `lab report` would, where LaTeX is installed."""
    if not all(map(which, PROGRAMS)):
        return
    try:
        typeset_alone(sources, checked)
    except ReportError as error:
        lines = checked.writing.text.splitlines()
        line = error.line if error.line and error.file == sources.discussion.name else len(lines)
        source = lines[line - 1].strip()[:LONGEST_LINE] if line <= len(lines) else ""
        yield TextFault(checked.writing.file, line, 1, FaultKind.LATEX, error.what, error.hint, source)


def _lines(checked: Checked, file: object) -> Iterator[str]:
    yield from map(str, checked.faults)
    for sentence in checked.notes:
        yield f"{checked.writing.file}:{sentence.line}:1: note: compares, no evidence attached\n    {sentence.text}"
    truths = [backing.judged.truth for backing in checked.backings if backing.judged]
    held = f"true statements: {truths.count(Truth.TRUE)} of {len(truths)}" if checked.sentences else "no text yet"
    yield f"{file}: errors: {len(checked.faults)}, notes: {len(checked.notes)}, {held}"


def _document(checked: Checked) -> dict[str, object]:
    faults = [{**vars(fault), "kind": fault.kind.value} for fault in checked.faults]
    notes = [{"line": sentence.line, "sentence": sentence.text} for sentence in checked.notes]
    return {"file": checked.writing.file, "errors": faults, "notes": notes}


def _times(texts: list[tuple[Sources, Numbers]]) -> list[int]:
    files = [file for sources, _ in texts for file in sorted(sources.folder.glob("*.*"))]
    return [file.stat().st_mtime_ns for file in files if file.suffix in (".tex", ".bib", ".toml")]
