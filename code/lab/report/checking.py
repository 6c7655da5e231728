"""The command `lab check`: a text against the records, in half a second; and the answers that it remembers."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lab.errors import LabError, StorageError
from lab.files.storage import write_text
from lab.files.store import is_current, keep_stamp
from lab.places import CACHE, TEMPLATES, from_here
from lab.plan.plan import Plan
from lab.records.recorded import plans_of
from lab.report.query.numbers import Numbers
from lab.report.query.value import Memory, Truth
from lab.report.sources import Sources
from lab.report.stamp import claims_stamp
from lab.report.text.check import Checked, read_writing
from lab.report.text.check import check as check_text
from lab.typed_json import as_json, parse_as

REMEMBERED = CACHE / "report" / "answers"
LOOK_S = 0.1


def check(options: Namespace) -> int:
    """Print the errors and then the notes of every discussion; 1 where there is an error."""
    found = [(Sources(plan.experiment.file, TEMPLATES), plan) for plan in plans_of(options)]
    asked = [(sources, numbers_of(plan, options.results)) for sources, plan in found]
    seen = _times(sources for sources, _ in asked)  # before they are read: what changes meanwhile is read again
    status = max(_check(*each, as_lines=not options.json) for each in asked)
    for (_, plan), (_, numbers) in zip(found, asked, strict=True):
        remember(plan, options.results, numbers)
    while options.watch:
        while (now := _times(sources for sources, _ in asked)) == seen:
            time.sleep(LOOK_S)
        seen = now
        status = max(_check(*each, as_lines=not options.json) for each in asked)
    return status


def numbers_of(plan: Plan, results: Path, folder: Path = REMEMBERED) -> Numbers:
    """The numbers of these records, with the answers that were computed from the same records by the same code."""
    from lab.report.evidence.evidence import gather

    file = folder / f"{plan.experiment.name}.json"
    known = is_current(file, claims_stamp(plan, results))
    memory = parse_as(Memory, json.loads(file.read_text())) if known else Memory()
    numbers = Numbers(lambda: gather(plan, results), memory)
    numbers.known = numbers.count
    return numbers


def remember(plan: Plan, results: Path, numbers: Numbers, folder: Path = REMEMBERED) -> None:
    """Keep the answers for the next command; in another user's checkout each command computes."""
    file = folder / f"{plan.experiment.name}.json"
    if numbers.count == numbers.known:
        return
    with suppress(StorageError):
        write_text(file, json.dumps(as_json(numbers.memory)))
        keep_stamp(file, claims_stamp(plan, results))


def _check(sources: Sources, numbers: Numbers, *, as_lines: bool) -> int:
    try:
        checked = check_text(read_writing(sources.folder), numbers)
    except LabError as error:
        print(error, flush=True)
        return 1
    lines = _lines(checked, from_here(sources.discussion)) if as_lines else [json.dumps(_document(checked), indent=1)]
    print("\n".join(lines), flush=True)
    return int(bool(checked.faults))


def _lines(checked: Checked, file: object) -> Iterator[str]:
    yield from map(str, checked.faults)
    for sentence in checked.notes:
        yield f"{checked.writing.file}:{sentence.line}:1: note: compares, no evidence attached\n    {sentence.text}"
    truths = [backing.judged.truth for backing in checked.backings if backing.judged]
    held = f"{truths.count(Truth.TRUE)} of {len(truths)} statements hold"
    yield f"{file}: errors: {len(checked.faults)}, notes: {len(checked.notes)}, {held}"


def _document(checked: Checked) -> dict[str, object]:
    faults = [{**vars(fault), "kind": fault.kind.value} for fault in checked.faults]
    notes = [{"line": sentence.line, "sentence": sentence.text} for sentence in checked.notes]
    return {"file": checked.writing.file, "errors": faults, "notes": notes}


def _times(sources: Iterator[Sources]) -> list[int]:
    folders = [each.folder for each in sources]
    files = [
        file for folder in folders for file in sorted(folder.glob("*.*")) if file.suffix in (".tex", ".bib", ".csv")
    ]
    return [file.stat().st_mtime_ns for file in files]
