"""The student's text: what it may say, and which LaTeX it may use: lab.report.check.{text,typed_texts,safety}."""

from dataclasses import replace

import pytest
from tests.lab.report.check import test_corpus as corpus

from lab.analysis.estimate import Estimate, Interval
from lab.places import TEMPLATES
from lab.report.check.rules import claim_is_known
from lab.report.check.safety import swallowed
from lab.report.check.text import all_refused, refused, rule_name
from lab.report.check.typed_texts import Typed, check_both
from lab.report.claim import Claim, ClaimKind, Ledger
from lab.report.errors import ClaimsRefused, ReportError
from lab.report.own_words import prose_of

TARGETS = ("figureof throughput", "tableof results")


@pytest.fixture
def ledger() -> Ledger:
    ledger = Ledger()
    rate = Estimate(2.631e8, Interval(2.62e8, 2.64e8), 10)
    ledger.add([Claim("verbs.1M", rate, "B/s", ClaimKind.RATE, "throughput", ("k",), 10, link="cable")])
    return ledger


def test_a_text_of_claims_passes(ledger: Ledger) -> None:
    text = "It reaches \\claim{verbs.1M}; see \\figureof{throughput}.\n"
    assert all_refused(text, "discussion.tex", ledger, TARGETS) == []


def test_a_comment_claims_nothing(ledger: Ledger) -> None:
    text = "% 4 GB/s and \\claim{nothing} \\input{x}\nText.\n"
    assert all_refused(text, "discussion.tex", ledger, TARGETS) == []


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("Fine.\n\nIt is \\claim{verbs.2M}.", 3, "there is no claim"),
        ("Fine.\nIt reaches 4 GB/s.", 2, "typed by hand"),
        ("See \\figureof{nothing}.", 1, "there is no"),
        ("It is \\claim[7]{verbs.1M}.", 1, "more digits"),
    ],
)
def test_a_refusal_names_file_and_line(ledger: Ledger, text: str, line: int, what: str) -> None:
    with pytest.raises(ClaimsRefused) as caught:
        check_both(Typed("discussion.tex", text), Typed("references.bib", ""), ledger, TARGETS)
    assert f"discussion.tex:{line}:" in str(caught.value) and what in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "\\input{/etc/passwd}",
        "\\write18{id}",
        "\\csname input\\endcsname",
        "^^5cinput x",
        "\\catcode`\\%=12",
        "\\begin{verbatim}",
        "\\begin {filecontents}",
        "\\openout3=x",
        "\\def\\claim{}",
        "\\loop\\iftrue\\repeat",
        "\u05d0",
        "\u202e",
        "a" * 100_001,
    ],
)
def test_what_could_do_more_than_print_is_refused(ledger: Ledger, text: str) -> None:
    with pytest.raises((ClaimsRefused, ReportError)) as caught:
        check_both(Typed("discussion.tex", f"Fine.\n{text}\n"), Typed("references.bib", ""), ledger, TARGETS)
    assert "discussion.tex:" in str(caught.value)


def test_all_refusals_come_at_once_with_line_column_sentence_and_way(ledger: Ledger) -> None:
    text = "See \\ref{x}.\nIt wastes 80 % of the link.\nIt is \\claim{verbs.1m}.\nIt reaches 4 GB/s.\n"
    found = [str(each) for each in all_refused(text, "d.tex", ledger, TARGETS)]
    assert [each.split(": ")[0] for each in found] == [f"d.tex:{at}" for at in ("1:5", "2:11", "2:14", "3:7", "4:12")]
    assert "\\figureof{NAME}" in found[0] and "\\claim{verbs.1M}" in found[-2]
    assert "'of the link.' is not printed" in "".join(found)


@pytest.mark.parametrize("text", ["Done. % a note", "% 4 GB/s", "It is \\claim{verbs.1M}.%", "80 \\% of it"])
def test_a_comment_after_a_sentence_swallows_nothing(text: str) -> None:
    assert list(swallowed(text, "d.tex")) == []


@pytest.mark.parametrize("experiment", sorted(file.stem for file in corpus.CORPUS.glob("*.json")))
def test_the_labs_own_prose_says_nothing_that_other_data_refute(experiment: str) -> None:
    """A report is built whatever comes out, of two repetitions as of ten."""
    undecided = Ledger(corpus.ledger(experiment))
    undecided.setting = corpus.ledger(experiment).setting
    for name, claim in undecided.items():
        if claim.kind is ClaimKind.RATIO:
            undecided[name] = replace(claim, estimate=replace(claim.estimate, interval=Interval(0.5, 2, 0.95)))
    own = [TEMPLATES / "base.tex", TEMPLATES / "default.tex", *sorted((TEMPLATES / "parts").glob("*.tex"))]
    found = [each for file in own for each in refused(prose_of(file.read_text()), file.name, undecided)]
    assert [str(each) for each in found if each.rule != rule_name(claim_is_known)] == []


def test_each_curve_of_a_program_has_steps_of_its_own() -> None:
    """Blocking and non-blocking sends and receives: four times at each size."""
    ledger = corpus.ledger("mpi_blocking_nonblocking")
    (refusal,) = refused("The time of RDMA falls once.", "discussion.tex", ledger)
    assert "no step down is in the data there" in str(refusal)
    assert list(refused("The time of RDMA always rises with the size.", "discussion.tex", ledger)) == []
