"""Files about one submission: the grade in four formats, feedback for the student, the page of sentences."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from lab.errors import LabError, all_lines, one_line
from lab.files.storage import write_bytes, write_text
from lab.grade.case import Case
from lab.grade.finding import GRADE, SENTENCES, CheckResult, Grade, PartPoints, Status, grade_json
from lab.places import TEMPLATES
from lab.report.errors import ReportError
from lab.report.html.page import filled
from lab.report.query.judge import words
from lab.report.tex.latex import compile_pdf
from lab.report.tex.render import PRINTED, Markup, escape, render
from lab.report.text.backing import Backing
from lab.report.text.latex import without_comments
from lab.report.text.macros import Sentence
from lab.typed_json import JsonTable, JsonValue

TEXT, GRADESCOPE, JUNIT = "grade.txt", "results.json", "junit.xml"
FEEDBACK, TROUBLE = "feedback.pdf", "feedback.trouble.txt"
TEMPLATE, STYLE = "feedback.tex", "lab.sty"
INDENT = " " * 9
FINDINGS = textwrap.TextWrapper(
    120, initial_indent=INDENT, subsequent_indent=f"{INDENT}  ", break_long_words=False, break_on_hyphens=False
)
LONGEST_PIECE = 12  # letters between two places where a line may break
NO_EVIDENCE = "compares, with no evidence attached"
COPIED = "handed out by the course: it does not count"


def write_grade(grade: Grade, folder: Path) -> None:
    """Write all formats, each replaced whole; grade.json last, since it marks the end of the grading."""
    write_text(folder / TEXT, "\n".join([*lines(grade), ""]))
    write_text(folder / GRADESCOPE, json.dumps(gradescope(grade), indent=1) + "\n")
    write_text(folder / JUNIT, junit(grade))
    write_text(folder / GRADE, json.dumps(grade_json(grade), indent=1) + "\n")


def lines(grade: Grade) -> list[str]:
    """The remarks, a line for each check with its evidence indented below, and the score. No untrusted text can break a
    line; a long finding is wrapped, and a command is not."""
    text = [f"{grade.submission}: {grade.assignment}, handed in by {', '.join(grade.ids) or 'nobody'}"]
    text += _remarks(grade)
    for check in grade.checks:
        points = f"{check.points:>3} of {check.most:<3}" if check.most else "no points"
        text.append(f"{check.status.value:<8} {points:<10} {check.name}")
        for line in map(one_line, check.evidence()):
            text += FINDINGS.wrap(line)
        text += [] if check.status is Status.PASSED else [f"{INDENT}to repeat: {check.command}"]
    text.append(f"{'final' if grade.is_final else 'not final'}: {grade.points} of {grade.most} points")
    return [one_line(line) for line in text]


def _remarks(grade: Grade) -> list[str]:
    return [*grade.flags, *([grade.note] if grade.note else [])]


def gradescope(grade: Grade) -> JsonTable:
    """As Gradescope's autograder reads it: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""
    tests = [test for check in grade.checks for test in _tests(check)]
    remarks = "\n".join(map(one_line, _remarks(grade)))
    output = {"output": remarks} if remarks else {}
    return {"score": grade.points, "tests": tests, "stdout_visibility": "hidden", **output, **leaderboard_json(grade)}


def leaderboard_json(grade: Grade) -> JsonTable:
    """The column of Gradescope's leaderboard, which has the names that students choose there; empty without a score."""
    score = grade.score
    if not score:
        return {}
    name, order = one_line(f"{score.name} [{score.unit}]"), "asc" if score.least_is_best else "desc"
    return {"leaderboard": [{"name": name, "value": score.value, "order": order}]}


def _tests(check: CheckResult) -> Iterator[JsonTable]:
    """One test for the check, or one for each of its parts; the evidence is in the first."""
    evidence = "\n".join(map(one_line, [*check.evidence(), f"to repeat: {check.command}"]))
    for number, part in enumerate(check.parts or (PartPoints("", check.most, check.points),)):
        passed = part.points == part.most if check.parts else check.status is Status.PASSED
        name, points = f"{check.name}: {one_line(part.name)}" if check.parts else check.name, part.points
        more = {"status": "passed" if passed else "failed", "output": "" if number else evidence}
        yield gradescope_test(name, points if check.points else 0, part.most, hidden=check.hidden) | more


def gradescope_test(name: str, points: int, most: int, *, hidden: bool) -> dict[str, JsonValue]:
    return {"name": name, "score": points, "max_score": most, "visibility": "hidden" if hidden else "visible"}


def junit(grade: Grade) -> str:
    tags = {Status.FAILED: "failure", Status.ERROR: "error", Status.WAITING: "skipped"}
    cases = (
        JunitCase(check.name, tags.get(check.status, ""), check.evidence() or (check.status.value,), check.seconds)
        for check in grade.checks
    )
    return junit_suite(grade.submission, cases, _remarks(grade))


class JunitCase(NamedTuple):
    name: str
    tag: str  # empty: passed
    evidence: Sequence[str]
    seconds: float = 0.0


def junit_suite(name: str, cases: Iterable[JunitCase], notes: Iterable[str] = ()) -> str:
    """The XML that CI systems read as test results."""
    cases, notes = tuple(cases), tuple(notes)
    counts = Counter(case.tag for case in cases)
    numbers = {"failures": counts["failure"], "errors": counts["error"], "skipped": counts["skipped"]}
    attributes = {key: str(number) for key, number in {"tests": len(cases), **numbers}.items()}
    suite = Xml.Element("testsuite", {"name": one_line(name), **attributes})
    if notes:
        properties = Xml.SubElement(suite, "properties")
        for note in notes:
            Xml.SubElement(properties, "property", name="note", value=one_line(note))
    for case in cases:
        element = Xml.SubElement(suite, "testcase", name=case.name, time=f"{case.seconds:.1f}")
        if case.tag:
            evidence = [one_line(line) for line in case.evidence]
            Xml.SubElement(element, case.tag, message=evidence[0]).text = "\n".join(evidence)
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def write_feedback(grade: Grade, templates: Path, folder: Path) -> None:
    """Write the page beside the finished grade; a page that does not build leaves the grade as it is."""
    try:
        write_bytes(folder / FEEDBACK, feedback_pdf(grade, templates))
    except ReportError as error:
        write_text(folder / TROUBLE, f"{all_lines(str(error))}\n")


def feedback_pdf(grade: Grade, templates: Path) -> bytes:
    """The page for the student; the same grade gives the same bytes."""
    text = render(templates, TEMPLATE, {"grade": grade, "printed": printed}).text.encode()
    return compile_pdf({TEMPLATE: text, STYLE: (templates / STYLE).read_bytes()}, TEMPLATE)


def printed(text: str, longest: int) -> Markup:
    """Any text as LaTeX on few lines: cut, breakable, with a question mark for letters that the font lacks."""
    plain = "".join(letter if PRINTED.fullmatch(letter) else "?" for letter in " ".join(text.split()))
    cut = plain if len(plain) <= longest else f"{plain[: longest - 3]}..."
    pieces = ((piece for piece in re.findall(f".{{1,{LONGEST_PIECE}}}", word)) for word in cut.split(" "))
    return Markup(" ".join(r"\hspace{0pt}".join(map(escape, of_word)) for of_word in pieces))


def write_sentences(case: Case, folder: Path) -> None:
    """Write the page of sentences beside the grade, if a check has read the discussion. The page names nobody."""
    if "counted" not in vars(case):
        return
    with suppress(LabError, RecursionError):
        backings = {backing.use.start: backing for backing in case.checked.backings}
        rows = [_shown_sentence(sentence, case, backings) for sentence in case.checked.sentences]
        values = {"assignment": case.setup.assignment, "rows": rows, "words": words}
        write_text(folder / SENTENCES, filled(TEMPLATES, SENTENCES, values, finalize=harmless) + "\n")


def harmless(value: object) -> object:
    """A value of a page, without characters that end a line or move a cursor."""
    return value if hasattr(value, "__html__") else one_line(str(value))  # a macro returns markup


def _shown_sentence(sentence: Sentence, case: Case, backings: dict[int, Backing]) -> dict[str, object]:
    """A sentence with the texts that its macros print, and a remark for the person who judges it."""
    backed = [backings[use.start] for use in sentence.evidence if use.start in backings]
    remark = COPIED if sentence in case.counted.copied else NO_EVIDENCE if sentence in case.checked.notes else ""
    text = without_comments(case.text)[: sentence.end]
    for backing in reversed(backed):
        text = text[: backing.use.start] + _printed_use(backing) + text[backing.use.end :]
    text = " ".join(text[sentence.start :].split())
    return {"line": sentence.line, "text": text, "backed": backed, "remark": remark}


def _printed_use(backing: Backing) -> str:
    if backing.use.kind == "shows":
        return f" [{backing.number}]" if backing.judged else " [?]"
    return words(backing.value, with_interval=False) if backing.value else "?"
