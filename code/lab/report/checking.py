"""`lab check`: a discussion held against the records in a second, once or at each change of its file."""

from __future__ import annotations

import time
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from lab.errors import LabError, StorageError
from lab.files.stamp import is_current, keep_stamp
from lab.files.storage import write_text
from lab.files.typed_text import read_typed
from lab.places import CACHE, from_here
from lab.plan.plan import Plan
from lab.records.recorded import plans_of
from lab.report.check.ledger_file import format_ledger, parse_ledger
from lab.report.check.typed_texts import OwnData, Typed, both_refused
from lab.report.claim import Ledger
from lab.report.errors import RefusedSentence
from lab.report.pdf.made_files import names_made
from lab.report.stamp import claims_stamp
from lab.report.tex.references import FILE as REFERENCES

LOOK_S = 0.3  # between two looks at the file's time
CHECKED = CACHE / "check"


def check(options: Namespace) -> int:
    """The refusals of every discussion, as `file:line:column: message`; 1 where there are any."""
    found = [(discussion_of(plan), ledger_of(plan, options.results)) for plan in plans_of(options)]
    files = [each for file, _ in found for each in (file, references_of(file), *sorted(file.parent.glob("*.csv")))]
    seen = _times(files)  # before they are read: what changes while they are is read once more
    status = max(_check(file, ledger) for file, ledger in found)
    while options.watch:
        seen = _changed(files, seen)
        status = max(_check(file, ledger) for file, ledger in found)
    return status


def discussion_of(plan: Plan) -> Path:
    """The student's text beside the experiment."""
    return plan.experiment.file.with_suffix("") / "discussion.tex"


def references_of(discussion: Path) -> Path:
    """What the text cites."""
    return discussion.with_name(REFERENCES)


def ledger_of(plan: Plan, results: Path, cache: Path = CHECKED) -> Ledger:
    """The claims of these records: computed once, then read again until records or code change."""
    file, stamp = _file(plan, cache), claims_stamp(plan, results)
    if not is_current(file, stamp):
        from lab.report.claims.ledger import make_ledger
        from lab.report.evidence.evidence import gather

        ledger = make_ledger(gather(plan, results))
        keep_ledger(plan, ledger, stamp, cache)
        return parse_ledger(format_ledger(ledger))  # as the next check will see it
    return parse_ledger(file.read_text())


def keep_ledger(plan: Plan, ledger: Ledger, stamp: str, cache: Path = CHECKED) -> None:
    """For the next check, so that it reads and does not compute; unless that is done."""
    if is_current(_file(plan, cache), stamp):
        return
    with suppress(StorageError):  # in another user's checkout each check computes
        write_text(_file(plan, cache), format_ledger(ledger))
        keep_stamp(_file(plan, cache), stamp)


def _file(plan: Plan, cache: Path) -> Path:
    return cache / f"{plan.experiment.name}.json"


def refusals_of(file: Path, ledger: Ledger) -> list[RefusedSentence]:
    """All refusals of a text and its sources; figures and tables are looked up when the report is built."""
    own = OwnData(file.parent, names_made(file.parent.name))
    return both_refused(_typed(file), _typed(references_of(file)), ledger, None, own)


def _typed(file: Path) -> Typed:
    return Typed(str(from_here(file)), read_typed(file) if file.exists() else "")


def _check(file: Path, ledger: Ledger) -> int:
    try:
        found = refusals_of(file, ledger)
    except LabError as error:
        print(error, flush=True)
        return 1
    print("\n".join(map(str, found)) or f"{from_here(file)}: nothing to refuse", flush=True)
    return int(bool(found))


def _changed(files: list[Path], seen: list[int]) -> list[int]:
    """The times of the files, as soon as one of them is another than was seen."""
    while (now := _times(files)) == seen:
        time.sleep(LOOK_S)
    return now


def _times(files: list[Path]) -> list[int]:
    return [each.stat().st_mtime_ns if each.exists() else 0 for each in files]
