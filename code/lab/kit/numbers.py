"""Numbers of a hand-out: queries about the experiment's table in results/reference, as a discussion writes them."""

from __future__ import annotations

import re
from pathlib import Path

from lab.errors import LabError, SpecError
from lab.places import REFERENCE
from lab.report.evidence.reference import reference_evidence
from lab.report.query.numbers import Numbers
from lab.report.tex.units import show, show_exactly, significant
from lab.report.text.check import measured_numbers_typed
from lab.report.text.latex import blank
from lab.report.text.macros import uses
from lab.report.text.typed import typed_numbers
from lab.spec.experiment import Experiment

DIGITS = 3  # of a hand-out's number: it says what to expect, a report says how sure
_CODE = re.compile(r"`[^`]*`")
_PERCENT = re.compile(r"(?<!\\)%")


def with_numbers(text: str, experiment: Experiment, file: Path, folder: Path = REFERENCE) -> str:
    r"""The text with the answer in place of each \claim; an error for one without, and for a typed measured number."""
    text = _PERCENT.sub(r"\\%", text)  # which begins a comment in a discussion, and none here
    read = blank(text, _CODE)
    claims = [use for use in uses(read) if use.kind == "claim"]
    has_table = (folder / f"{experiment.name}.csv").exists()
    numbers = Numbers(reference_evidence(experiment, folder)) if claims or has_table else None
    name = str(file)
    typed = measured_numbers_typed(read, name, numbers) if numbers else typed_numbers(read, name, (), lambda *_: "")
    for fault in typed:
        raise SpecError(fault.what, file=file, line=fault.line, hint=fault.hint)
    for use in reversed(claims):
        try:
            answer = _shown(numbers, use.body) if numbers else ""
        except LabError as error:
            line = text.count("\n", 0, use.start) + 1
            raise SpecError(f"{use.body!r}: {error.what}", file=file, line=line, hint=error.hint) from error
        text = text[: use.start] + answer + text[use.end :]
    return text.replace(r"\%", "%")


def _shown(numbers: Numbers, query: str) -> str:
    value = numbers.ask(query)
    number, unit = value.shown.value, value.shown_unit
    shown = show_exactly(number, unit) if value.is_exact else show(number, unit, significant(number, DIGITS))
    return shown.plain
