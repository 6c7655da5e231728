"""The hand-out of a kit as a page, its numbers being queries about the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.errors import LabError, SpecError
from lab.experiment.experiment import Experiment
from lab.files.bounded import read_typed
from lab.kit.kit import Kit
from lab.places import ASSIGNMENTS, REFERENCE, TEMPLATES, exact_version
from lab.report.evidence.environment import reference_evidence
from lab.report.query.numbers import Numbers
from lab.report.tex.numbers import show, show_exactly, significant
from lab.report.text.check import measured_numbers_typed
from lab.report.text.latex import blank
from lab.report.text.macros import uses
from lab.report.text.typed import typed_numbers
from lab.web import body_of

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


TEMPLATE = "handout.html"
RULES = ASSIGNMENTS / "honest_work.txt"  # of a course: the same for all kits
CHECKS = {
    "package": "the file is whole, and for this assignment",
    "records": "the records follow from the plan, and the tables from the records",
    "rerun": "the grader measures the same",
    "program": "your programs sent what they claim, in the time that they print",
    "sources": "your programs come from your sources",
    "correct": "your programs are right at other sizes, and end with an error after a fault",
    "steps": "your programs, step by step: see below",
    "speed": "your programs are as fast as the experiment asks",
    "claims": "every claim and every statement follows from the data",
    "pages": "the PDF is the one that the data give",
    "discussion": "your own words: long enough, without errors, with the statements that are asked for",
}


def handout(kit: Kit, rules: Path = RULES, reference: Path = REFERENCE) -> str:
    """The whole page; the same kit and the same reference give the same bytes."""
    typed = read_typed(kit.handout)
    numbered = with_numbers(typed, kit.experiment, kit.handout, reference)
    parts = [numbered, *_parts(kit), "## Honest work", read_typed(rules)]
    found = body_of("\n\n".join(parts), kit.handout, {})
    loader = FileSystemLoader(TEMPLATES)
    page = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True)
    context = {
        "title": found.title,
        "body": Markup(found.html),
        "version": exact_version(),
        "has_numbers": numbered != typed,
    }
    return page.get_template(TEMPLATE).render(context) + "\n"


def _parts(kit: Kit) -> Iterator[str]:
    """What is handed in, the points, the terms: in the words of the assignment's file."""
    yield "## What to hand in\n"
    yield from _asked(kit)
    yield "## Points\n"
    yield "\n".join(_points(kit))
    if kit.assignment.steps:
        yield "### Step by step\n"
        yield "\n".join(_steps(kit))
    yield from _deadline(kit)


def _asked(kit: Kit) -> Iterator[str]:
    assignment, texts = kit.assignment, kit.experiment.file.with_suffix("").name
    words, evidence = assignment.words_at_least, assignment.evidence_at_least
    yield f"One PDF, made by `make submit ASSIGNMENT={kit.name}`. It holds your report, your records and your texts."
    yield (
        f"Your names and ids stand in `{texts}/report.toml`, your discussion in `{texts}/discussion.tex`: at least "
        f"{words} words and {evidence} different claims and true statements."
    )
    if assignment.asks:
        yield "The discussion compares what you measured. It needs:\n"
        yield "\n".join(f"- {_cell(ask.words)}{f': {_cell(ask.text)}' if ask.text else ''}" for ask in assignment.asks)
    if assignment.terms.people_at_most:
        yield f"At most {assignment.terms.people_at_most} people hand in together; each of them is in `report.toml`."


def _points(kit: Kit) -> Iterator[str]:
    assignment = kit.assignment
    yield "| what | points | |"
    yield "|---|---|---|"
    for name in assignment.checks:
        shown = " (only the grader makes it)" if name in assignment.hidden else ""
        yield f"| `{name}` | {assignment.points[name]} | {CHECKS[name]}{shown} |"
    for each in assignment.terms.rubric:
        yield f"| {each.name} | {each.points} | {_cell(each.asks)} (a person judges it) |"
    yield f"| all | {assignment.most} | |"


def _steps(kit: Kit) -> Iterator[str]:
    """A line for each step, with what more speed is worth."""
    yield "| step | points | | more points for its rate over another series' |"
    yield "|---|---|---|---|"
    for step in kit.assignment.steps:
        tiers = ", ".join(f"{each.points} from {each.at_least:g} of `{step.against}`" for each in step.tiers)
        yield f"| `{step.series}` | {step.points} | {_cell(step.asks)} | {tiers} |"
    yield "\nThe grader tries several sizes, which share a step's points. Means of rates are geometric."


def _deadline(kit: Kit) -> Iterator[str]:
    found = kit.assignment.terms.deadline
    if found is None:
        return
    yield "## Deadline\n"
    yield f"{found.moment:%d %B %Y, %H:%M} ({found.at[-6:]} from UTC)."
    if found.late_days:
        yield (
            f"It may come up to {found.late_days} days late; each of them that is not one of your free days costs "
            f"{found.percent_a_day} percent of its points. Later, it has none."
        )


def _cell(text: str) -> str:
    return escape(text, quote=False).replace("|", "\\|")
