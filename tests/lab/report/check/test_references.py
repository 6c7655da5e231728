"""The student's references.bib: lab.report.check.references."""

import pytest

from lab.report.check.references import LONGEST, free_text, lost_sources, references_refused, require_plain_list
from lab.report.check.safety import unsafe
from lab.report.check.typed_texts import Typed, both_refused
from lab.report.claim import Ledger
from lab.report.errors import ReportError

ENTRY = """@inproceedings{frey,
  author = {Frey, Philipp W. and Alonso, G{\\"u}nther},
  title = {{RDMA} is 3 times as fast as {TCP}, or 40\\% slower},
  year = 2009, pages = {553--560},
  note = {NOTE}
}
"""


def entry(note: str) -> str:
    return ENTRY.replace("NOTE", note)


@pytest.mark.parametrize("note", ["Read on the web.", r"\url{https://example.org/a_b}", ""])
def test_a_title_is_a_quotation_and_may_say_anything(note: str) -> None:
    assert references_refused(entry(note), "references.bib", Ledger()) == []


def test_a_claim_in_a_note_is_refused_at_its_line() -> None:
    (found,) = references_refused(entry("RDMA reaches 4 GB/s"), "references.bib", Ledger())
    assert (found.file, found.line) == ("references.bib", 5) and "4 GB/s" in found.sentence


def test_the_free_fields_keep_their_places() -> None:
    text = entry("Mine {as} it is") + '@misc{x, organization = "The club"}'
    free = free_text(text)
    assert len(free) == len(text) and " ".join(free.split()) == "Mine {as} it is. The club."
    assert free.index("Mine") == text.index("Mine") and free.count("\n") == text.count("\n")
    assert len(free_text("@misc{x, note = {never closed")) == len("@misc{x, note = {never closed")


@pytest.mark.parametrize(
    "field", [r"\input{/etc/passwd}", r"\write18{id}", r"\claim{verbs.peak}", r"^^5cinput", "a % b", r"\begin{itemize}"]
)
def test_no_command_but_letters_is_taken(field: str) -> None:
    assert references_refused(entry(field), "references.bib", Ledger())


def test_a_command_put_together_by_bibtex_is_refused() -> None:
    with pytest.raises(ReportError, match="usepackage"):
        require_plain_list(
            "\\begin{thebibliography}{1}\n\\bibitem{a} \\usepackage{x}\n\\end{thebibliography}", "references.bib"
        )
    with pytest.raises(ReportError, match="bare %"):
        require_plain_list("\\newblock a %b", "references.bib")


@pytest.mark.parametrize("text", ["@misc{a}" * 201, " " * (LONGEST + 1)])
def test_its_length_is_bounded(text: str) -> None:
    with pytest.raises(ReportError, match="more than"):
        references_refused(text, "references.bib", Ledger())


@pytest.mark.parametrize("text", [r"as \cite{frey} says", r"\cite{frey, dunning:2003}"])
def test_a_citation_is_a_command_of_a_discussion(text: str) -> None:
    assert not list(unsafe(text, "discussion.tex"))


@pytest.mark.parametrize("text", [r"\cite[RDMA is faster]{frey}", r"\cite frey", r"\cite{}", r"\cite{a}{b}\cite{#}"])
def test_words_beside_the_keys_are_refused(text: str) -> None:
    (found,) = unsafe(text, "discussion.tex")
    assert found.way == r"\cite{KEY}"


def test_a_key_that_no_entry_has_is_refused_at_its_place_with_the_nearest() -> None:
    text = "As others say % \\cite{nobody}\nof it \\cite{frey, dunnnig:2003}. Once more \\cite{x}.\n"
    listed = entry("") + "@Book( dunning:2003, title = {V})\n@string{x = {y}}\n@comment{x, z}"
    first, second = lost_sources(text, "discussion.tex", listed)
    assert (first.line, first.column, first.way) == (2, 19, r"did you mean \cite{dunning:2003}?")
    assert second.sentence == r"\cite{x}" and second.way.startswith("an entry with this key in references.bib")


def test_what_is_refused_in_both_files_comes_at_once() -> None:
    typed = Typed("discussion.tex", "It reaches 4 GB/s. So \\cite{fray}.\n"), Typed("references.bib", entry("a % b"))
    found = both_refused(*typed, Ledger(), None)
    assert [(each.file, each.line) for each in found] == [*[("discussion.tex", 1)] * 2, ("references.bib", 5)]
    assert both_refused(typed[0], Typed("references.bib", ""), Ledger(), None)[-1].what.endswith("no entry to cite")
