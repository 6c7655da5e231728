"""The hand-out of a kit as a page, its numbers being queries about the reference."""

import re
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

DIGITS = 3  # of a number in a hand-out, which states what to expect
_CODE = re.compile(r"`[^`]*`")
_PERCENT = re.compile(r"(?<!\\)%")
PAGE, TERMS = "handout.html", "handout.md"
RULES = ASSIGNMENTS / "honest_work.txt"  # of a course, for all its kits
CHECKS = {
    "package": "the file is complete, unchanged, and for this assignment",
    "records": "the records fit the plan, and the tables follow from the records",
    "rerun": "the course accepts your VM or host, and the grader measures the same",
    "program": "your programs sent what they claim, in the time that they print",
    "sources": "programs built again from your sources are as fast and send as much, within 10 percent",
    "correct": "your programs work at other sizes, and end with an error after a fault",
    "steps": "your programs work, step by step: see below",
    "speed": "your programs are as fast as the experiment asks",
    "claims": "every claim and every statement follows from your records, and from the grader's",
    "pages": "the PDF has the bytes that the grader builds from your files: use the same version of TeX Live",
    "discussion": "the text is long enough, without errors, and has the evidence that is asked for",
}


def handout(kit: Kit, rules: Path = RULES, reference: Path = REFERENCE) -> str:
    """The whole page; the same kit and the same reference give the same bytes."""
    typed = read_typed(kit.handout)
    numbered = with_numbers(typed, kit.experiment, kit.handout, reference)
    terms = _environment(autoescape=False).get_template(TERMS)
    asked = terms.render(
        kit=kit,
        assignment=kit.assignment,
        deadline=kit.assignment.deadline,
        texts=kit.experiment.file.with_suffix("").name,
        checks=CHECKS,
    )
    page = body_of("\n\n".join((numbered, asked, "## Honest work", read_typed(rules))), kit.handout, {})
    values = {"title": page.title, "body": Markup(page.html), "version": exact_version()}
    return _environment(autoescape=True).get_template(PAGE).render(values, has_numbers=numbered != typed) + "\n"


def _environment(*, autoescape: bool) -> Environment:
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        autoescape=autoescape, undefined=StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["cell"] = lambda text: escape(text, quote=False).replace("|", "\\|")
    return environment


def with_numbers(text: str, experiment: Experiment, file: Path, folder: Path = REFERENCE) -> str:
    r"""Answer each \claim of the text; raise for one without an answer, and for a typed measured number."""
    text = _PERCENT.sub(r"\\%", text)  # in a discussion it begins a comment, here it does not
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
