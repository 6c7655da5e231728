"""The page of feedback on each lab.grade.finding, with the real LaTeX."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lab.grade.finding import CheckResult, Finding, Flaw, Grade, Status
from lab.grade.outputs import FEEDBACK, TROUBLE, feedback_pdf, write_feedback
from lab.places import TEMPLATES
from lab.submission.assignment import CHECKS

HOSTILE = (
    r"\input{/etc/passwd} \write18{id} $\csname x\endcsname ^^5c % # & _ ~ {{{" + "\x00\n\u202e\U0001f600" + "x" * 900
)


def text_of(pdf: bytes, folder: Path) -> str:
    (folder / "page.pdf").write_bytes(pdf)
    about = subprocess.run(["pdfinfo", "page.pdf"], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert "Pages:           1\n" in about
    command = ["pdftotext", "-raw", "page.pdf", "-"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_worst_hand_in_of_a_hostile_name_fits_on_one_page(tmp_path: Path) -> None:
    found = tuple(Finding(Flaw.NOT_REPRODUCED, HOSTILE) for _ in range(20))
    results = tuple(CheckResult(name, 10, Status.FAILED, found) for name in CHECKS)
    text = text_of(feedback_pdf(Grade(HOSTILE, "", (HOSTILE,), HOSTILE, "", results), TEMPLATES), tmp_path)
    assert r"\input{/etc/passwd} \write18{id} $\csname x\endcsname ^^5c % # & _ ~ {{{" in text.replace("\n", " ")
    assert "root:" not in text and "(and 18 more)" in text


def test_a_student_reads_points_and_evidence_but_nothing_of_hidden_checks(tmp_path: Path) -> None:
    secret, public = (Finding(Flaw.SAMPLE, what) for what in ("a secret", "3 samples differ"))
    results = (
        CheckResult("rerun", 25, Status.FAILED, (secret,), hidden=True),
        CheckResult("claims", 20, Status.FAILED, (public,)),
    )
    broken = CheckResult("pages", 15, Status.ERROR, hidden=True)
    grade = Grade(
        "ada.pdf", "", ("ada", "bob"), "small", "", (*results, broken, CheckResult("package", 10, Status.PASSED))
    )
    text = text_of(feedback_pdf(grade, TEMPLATES), tmp_path)
    assert "ada, bob" in text and "10 of 70 points" in text and "not final" in text and "3 samples differ" in text
    assert "rerun: failed, 0 of 25" in text and "pages: could not be made" in text and "secret" not in text


def test_a_page_that_does_not_build_takes_nothing_away(tmp_path: Path) -> None:
    write_feedback(Grade("ada.pdf", "", ("ada",), "small", "", ()), tmp_path, tmp_path / "out")
    assert "feedback.tex" in (tmp_path / "out" / TROUBLE).read_text() and not (tmp_path / "out" / FEEDBACK).exists()
