"""Points for the evidence in a discussion, its comparison with the grader's records, and the page of sentences."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.conftest import GradeFile
from tests.lab.grade.forger import Forger, accepting
from tests.lab.hand_ins import Course

from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.class_outputs import PAGE, ClassOutputs
from lab.grade.course import Graded
from lab.grade.finding import SENTENCES, Flaw, Grade, PartPoints
from lab.grade.outputs import COPIED, NO_EVIDENCE, write_sentences
from lab.submission.assignment import Ask, Criterion
from lab.submission.discussion import fingerprint
from lab.submission.hand_in import identity_of

ASKS = (Ask(("verbs", "tcp")), Ask(("tcp",), statements=2, text="Is it flat?"))
AHEAD = r"TCP is ahead at every size,\shows{tcp > verbs everywhere} as \figureof{throughput} shows."
FALSE = r"It is the slower one of the two.\shows{tcp < verbs at 64}"
MORE = r"It moves \claim{tcp at 4K} & <b>more</b>, \claim{verbs / tcp at 64K in \%} here."
LESS = "the assignment asks for 2 statements about tcp; the text has 1 (Is it flat?)"


@pytest.fixture
def asking(setup: GradingSetup) -> GradingSetup:
    rubric = (Criterion("reasoning", 20, "why & <how>"),)
    return replace(setup, assignment=replace(setup.assignment, asks=ASKS, words_at_least=5, rubric=rubric))


def saying(text: str, forger: Forger) -> bytes:
    """The submission with another discussion."""
    return forger.pdf(forger.files | {"discussion.tex": text.encode()})


@pytest.mark.parametrize(
    ("text", "points", "findings"),
    [
        (rf"{AHEAD} It moves \claim{{tcp at 4K}}.", (7, 8), []),
        (rf"{AHEAD} Both had messages of \claim{{plan.largest}} at most.", (7, 0), [LESS]),
        (rf"{AHEAD} {FALSE}", (0, 0), ["is false", "2 different claims and true statements", LESS]),
        (AHEAD, (0, 0), ["2 different claims and true statements; the text has 1", LESS]),
    ],
)
def test_asks_share_the_points_of_a_text_without_errors(
    grade_file: GradeFile, asking: GradingSetup, forger: Forger, text: str, points: tuple[int, ...], findings: list[str]
) -> None:
    (result,) = grade_file(saying(text, forger), ["discussion"], at=asking).checks
    names = ("1 statement about verbs and tcp", "2 statements about tcp")
    assert result.parts == tuple(PartPoints(*part) for part in zip(names, (7, 8), points, strict=True))
    for part, finding in zip(findings, result.findings, strict=True):
        assert part in finding.what


def test_sentences_handed_out_by_the_course_earn_nothing(grade_file: GradeFile, setup: GradingSetup, ada: Any) -> None:
    known = frozenset(fingerprint(line) for line in hand_ins.DISCUSSION.splitlines())
    assert grade_file(ada, ["discussion"]).points == 15
    done = grade_file(ada, ["discussion"], at=replace(setup, handed_out=known))
    assert done.points == 0 and set(done.kinds) == {Flaw.NO_DISCUSSION.value, Flaw.ASK.value}


@pytest.mark.parametrize(
    ("slowness", "text", "findings"),
    [
        (0.97, r"It passes \claim{tcp at 64K}.\shows{tcp > 1.1 GB/s at 64K}\shows{tcp > 1.21 GB/s at 64K}",
         ["tcp > 1.21 GB/s at 64K is true: "]),
        # The size of a peak is read off a curve, whose values are compared.
        (0.80, r"It passes \claim{tcp at 64K} at \claim{tcp.peak.size}.", ["tcp at 64K is 1.49"]),
    ],
)  # fmt: skip
def test_evidence_of_another_machine_must_hold_for_the_graders_records(
    grade_file: GradeFile, setup: GradingSetup, course: Course, tmp_path: Path,
    slowness: float, text: str, findings: list[str],
) -> None:  # fmt: skip
    name, site = f"on-{fingerprint(tmp_path.name)}", hand_ins.Site("another", slowness)
    work = hand_ins.make_work(course, name, site, f"{AHEAD} {text}\n")
    (result,) = grade_file(work, ["claims"], at=accepting(setup, identity_of(work.plan).digest)).checks
    assert [finding.kind for finding in result.findings] == [Flaw.NOT_REPRODUCED] * len(findings)
    for part, finding in zip(findings, result.findings, strict=True):
        assert finding.what.startswith(part)


def test_page_shows_each_sentence_with_its_evidence(asking: GradingSetup, forger: Forger, tmp_path: Path) -> None:
    text = f"{AHEAD} {MORE}\n{FALSE}\nRDMA is slower here. We ran it. % <i>\n"
    known = frozenset({fingerprint("We ran it.")})
    (tmp_path / "in.pdf").write_bytes(saying(text, forger))
    case = Case(replace(asking, handed_out=known), SubmissionFile(tmp_path / "in.pdf"), tmp_path)
    write_sentences(case, tmp_path)
    assert not (tmp_path / SENTENCES).exists()  # no check has read the discussion
    assert case.counted
    write_sentences(case, tmp_path)
    page = (tmp_path / SENTENCES).read_text()
    for part in (
        "TCP is ahead at every size, [S1] as",
        "S1: <code>tcp &gt; verbs everywhere</code>",
        "true: 4.91 [4.88, 4.93] at 64K",
        "(n = 6)",
        "It moves 772 MB/s &amp; &lt;b&gt;more&lt;/b&gt;, 20.4 % here.",
        "claim: <code>tcp at 4K</code>",
        "S2: <code>tcp &lt; verbs at 64</code><br>false: ",
        "why &amp; &lt;how&gt;",
    ):
        assert part in page
    assert not any(part in page for part in ("<b>more", "<i>", "ada"))
    assert page.count(NO_EVIDENCE) == page.count(COPIED) == 1
    assert page.index("RDMA is slower here.") < page.index(NO_EVIDENCE) < page.index("We ran it.") < page.index(COPIED)
    outputs = ClassOutputs(tmp_path / "class")
    outputs.add(Graded("ada.pdf", Grade(), tmp_path))
    outputs.finish()
    link = f'<a href="{tmp_path.parent.name}/{tmp_path.name}/{SENTENCES}">'
    assert link in (tmp_path / "class" / PAGE).read_text()
