"""The files about one submission: they agree, hide what is hidden, and no untrusted text breaks them."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from lab.grade.finding import ADVICE, GRADE, CheckResult, Finding, Flaw, Grade, PartPoints, Status, with_advice
from lab.grade.outputs import FEEDBACK, GRADESCOPE, JUNIT, TEXT, TROUBLE, gradescope, lines, write_feedback, write_grade
from lab.places import TEMPLATES
from lab.submission.assignment import CHECKS

HOSTILE = (
    r"\input{/etc/passwd} \write18{id} $\csname x\endcsname ^^5c % # & _ ~ {{{" + "\x00\n\u202e\U0001f600" + "x" * 900
)
EVIL = "x\n\x1b[2Jfinal: 100 of 100\u202e\u2028"
PARTS = (PartPoints("open: it opens", 3, 3), PartPoints("write: it writes", 6, 4))
CHECKED = (
    CheckResult("rerun", 25, Status.PASSED, hidden=True),
    CheckResult("claims", 20, Status.FAILED, (Finding(Flaw.TEXT, "not so \x00 <&"),) * 25, command="lab grade in.pdf"),
    CheckResult("discussion", 9, Status.FAILED, (Finding(Flaw.SLOW, "slow"),), parts=PARTS),
    CheckResult("pages", 15, Status.ERROR, (Finding(Flaw.BLOCKED, "broke down"),), hidden=True),
    CheckResult("speed", 0, Status.FAILED),
)
WHOLE = Grade(("ANOTHER IDENTITY",), "in.pdf", "f" * 64, ("ada",), "small", note="a note", whole=True, checks=CHECKED)


def test_every_output_has_the_same_points_and_remarks(tmp_path: Path) -> None:
    write_grade(WHOLE, tmp_path)
    saved, scope = (json.loads((tmp_path / name).read_text()) for name in (GRADE, GRADESCOPE))
    suite = Xml.fromstring((tmp_path / JUNIT).read_text())
    assert saved["points"] == scope["score"] == 32 == sum(test["score"] for test in scope["tests"])
    assert "not final: 32 of 69 points" in (tmp_path / TEXT).read_text() and not saved["final"]
    assert saved["kinds"] == ["text", "too slow", "could not be checked"] and saved["sha256"] == "f" * 64
    assert [check["points"] for check in saved["checks"]] == [25, 0, 7, 0, 0]
    assert [test["name"] for test in scope["tests"] if test["visibility"] == "hidden"] == ["rerun", "pages"]
    parts = [test for test in scope["tests"] if test["name"].startswith("discussion: ")]
    points = [(test["name"][12:], test["score"], test["max_score"], test["status"]) for test in parts]
    assert points == [("open: it opens", 3, 3, "passed"), ("write: it writes", 4, 6, "failed")]
    assert (suite.get("failures"), suite.get("errors"), suite.get("tests")) == ("3", "1", "5")
    # Flags and note come first in every output.
    assert lines(WHOLE)[1:3] == ["ANOTHER IDENTITY", "a note"]
    assert gradescope(WHOLE)["output"] == "ANOTHER IDENTITY\na note"
    assert (tmp_path / GRADE).read_text().split("\n")[1:3] == [' "flags": [', '  "ANOTHER IDENTITY"']
    assert [item.get("value") for item in suite.iter("property")] == ["ANOTHER IDENTITY", "a note"]


def test_text_has_points_evidence_and_the_command_that_repeats_a_check() -> None:
    text = lines(WHOLE)
    for line in (
        "failed     0 of 20  claims",
        "passed    25 of 25  rerun",
        "         [text] not so \\x00 <&",
        "         and 5 more",
        "         to repeat: lab grade in.pdf",
        "         4 of 6: write: it writes",
        "failed   no points  speed",
    ):
        assert line in text


def test_crashed_check_gives_no_points_for_its_parts() -> None:
    assert CheckResult("steps", 9, Status.ERROR, parts=PARTS).points == 0


def test_untrusted_text_breaks_no_line(tmp_path: Path) -> None:
    check = CheckResult("claims", 20, Status.FAILED, (Finding(Flaw.TEXT, EVIL),))
    write_grade(replace(WHOLE, submission=EVIL, ids=(EVIL,), flags=(EVIL,), checks=(check,)), tmp_path)
    for name in (TEXT, GRADESCOPE, JUNIT):
        text = (tmp_path / name).read_text()
        assert not {"\x1b", "\u202e", "\u2028"} & set(text) and "\nfinal: 100 of" not in text
    assert "x\\n\\x1b[2Jfinal: 100 of 100\\u202e" in (tmp_path / TEXT).read_text()


def feedback_of(grade: Grade, folder: Path) -> str:
    """The text of the page of feedback, which is one page."""
    write_feedback(grade, TEMPLATES, folder)
    about = subprocess.run(["pdfinfo", FEEDBACK], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert "Pages:           1\n" in about
    command = ["pdftotext", "-raw", FEEDBACK, "-"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_feedback_shows_points_and_evidence_but_no_hidden_findings(tmp_path: Path) -> None:
    text = feedback_of(WHOLE, tmp_path)
    assert text.index("ANOTHER IDENTITY") < text.index("32 of 69 points") and "not final" in text
    for part in ("rerun: passed, 25 of 25", "pages: could not be made", "(and 23 more)", "4 of 6: write"):
        assert part in text
    assert "broke down" not in text


def test_feedback_on_a_hostile_submission_fits_on_one_page(tmp_path: Path) -> None:
    findings = tuple(Finding(Flaw.NOT_REPRODUCED, HOSTILE) for _ in range(20))
    checks = tuple(CheckResult(name, 10, Status.FAILED, findings) for name in CHECKS)
    text = feedback_of(Grade((), HOSTILE, "", (HOSTILE,), HOSTILE, checks=checks), tmp_path)
    assert r"\input{/etc/passwd} \write18{id} $\csname x\endcsname ^^5c % # & _ ~ {{{" in text.replace("\n", " ")
    assert "root:" not in text and "(and 18 more)" in text


def test_feedback_that_does_not_build_leaves_a_note(tmp_path: Path) -> None:
    write_feedback(WHOLE, tmp_path, tmp_path / "out")
    assert "feedback.tex" in (tmp_path / "out" / TROUBLE).read_text() and not (tmp_path / "out" / FEEDBACK).exists()


@pytest.mark.parametrize(
    ("what", "advice"),
    [
        ("something else", ""),
        ("the client ended with status 1: ibv_post_send: Cannot allocate memory", "the send queue is full"),
        ("a completion has the status: remote access error", "IBV_ACCESS_REMOTE_WRITE"),
        ("a completion has the status: local protection error", "ibv_reg_mr at the client"),
        ("a completion has the status: RNR retry counter exceeded", "ibv_post_recv for each message"),
        ("a completion has the status: transport retry counter exceeded", "no answer came"),
        ("the client did not end within 2 s", "was not signalled"),
    ],
)
def test_frequent_errors_are_explained(what: str, advice: str) -> None:
    finding = with_advice(Flaw.FAILS, what, "look at many.c")
    assert finding.what == what and advice in finding.hint and finding.hint.endswith("look at many.c")


def test_advice_is_about_kinds_of_findings() -> None:
    assert all(map(Flaw, ADVICE["kind"]))


def test_long_finding_is_wrapped_and_its_hint_begins_a_line() -> None:
    findings = (Finding(Flaw.FAILS, "open: " + "it does not open, " * 20, "open it " * 20), Finding(Flaw.SLOW, "slow"))
    _, _, *text, repeat, _ = lines(Grade(checks=(CheckResult("steps", 9, Status.FAILED, findings, command="x" * 200),)))
    assert all(len(line) <= 120 for line in text) and repeat == f"         to repeat: {'x' * 200}"
    starts = [line.split()[0] for line in text if line[9] != " "]
    assert starts == ["[program", "hint:", "[too"] and len(text) > 5
