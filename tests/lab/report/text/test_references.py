"""The student's references.bib, and the list of sources that BibTeX makes of it."""

import pytest

from lab.report.errors import FaultKind, ReportError
from lab.report.text.latex import LONGEST
from lab.report.text.references import MOST_ENTRIES, list_of, lost_sources, references_refused, require_plain_list

ENTRY = """@inproceedings{frey,
  author = {Frey, Philipp W. and Alonso, G{\\"u}nther},
  title = {{RDMA} is 3 times as fast as {TCP}, or 40\\% slower},
  year = 2009, pages = {553--560},
  note = {NOTE}
}
"""


@pytest.mark.parametrize("note", ["Read on the web.", r"\url{https://example.org/a_b}", "It reaches 4 GB/s.", ""])
def test_text_of_an_entry_is_free(note: str) -> None:
    assert references_refused(ENTRY.replace("NOTE", note), "references.bib") == []


@pytest.mark.parametrize(
    "note", [r"\input{/etc/passwd}", r"\write18{id}", r"\claim{card.peak}", r"^^5cinput", "a % b", r"\begin{itemize}"]
)
def test_command_in_an_entry_is_refused(note: str) -> None:
    fault, *_ = references_refused(ENTRY.replace("NOTE", note), "references.bib")
    assert (fault.file, fault.line, fault.kind) == ("references.bib", 5, FaultKind.LATEX)


@pytest.mark.parametrize("text", ["@misc{a}" * (MOST_ENTRIES + 1), " " * (LONGEST + 1)])
def test_file_that_is_too_long_is_refused(text: str) -> None:
    (fault,) = references_refused(text, "references.bib")
    assert "more than" in fault.what or "at most" in fault.what


def test_command_put_together_by_bibtex_is_refused() -> None:
    require_plain_list("\\begin{thebibliography}{1}\n\\bibitem{a} {\\em T}.\n\\end{thebibliography}", "references.bib")
    with pytest.raises(ReportError, match="usepackage"):
        require_plain_list("\\begin{thebibliography}{1}\n\\usepackage{x}\n\\end{thebibliography}", "references.bib")
    with pytest.raises(ReportError, match="bare %"):
        require_plain_list("\\newblock a %b", "references.bib")
    for text in ("{" * 3000 + "}" * 3000, "\\newblock $x", "\\newblock x\\}}"):
        with pytest.raises(ReportError, match=r"levels deep|not closed|closes nothing"):
            require_plain_list(text, "references.bib")


def test_key_without_an_entry_is_refused_with_the_nearest_key() -> None:
    text = "As others found % \\cite{nobody}\nof it \\cite{frey, dunnnig:2003}. Once more \\cite{x}.\n"
    listed = ENTRY + "@Book( dunning:2003, title = {V})\n@string{x = {y}}\n@comment{x, z}"
    first, second = lost_sources(text, "discussion.tex", listed)
    assert (first.line, first.column, first.hint, first.kind) == (2, 19, r"\cite{dunning:2003}", FaultKind.SOURCE)
    assert "no entry 'x'" in second.what and second.hint.startswith("add @misc{x,")


ADDRESS = "https://example.org/" + "a" * 120 + "/it"
BIB = f"""@misc{{b, author = {{Größe, Ada and B{{\\'e}}a, C.}}, title = {{A title}},
  year = 2020, note = {{\\url{{{ADDRESS}}}}}}}
@book{{a, author = "Zoë", title = "B", publisher = "P", year = 1999}}
@misc{{c, title = {{Not cited}}}}
"""


def test_list_has_the_cited_sources_without_broken_words() -> None:
    listed = list_of(["b", "a"], BIB)
    assert "Größe" in listed and ADDRESS in listed and "Not cited" not in listed
    assert listed.index(r"\bibitem{b}") < listed.index(r"\bibitem{a}") and "%" not in listed
    assert list_of(["b", "a"], BIB) == listed


def test_bibtex_error_names_the_missing_key_or_the_line() -> None:
    with pytest.raises(ReportError) as caught:
        list_of(["a"], "@misc{a,\n title = {B}\n year 2000}\n")
    assert (caught.value.file, caught.value.line) == ("references.bib", 3)
    with pytest.raises(ReportError, match=r"references\.bib: the entry 'd', which the text cites, is missing"):
        list_of(["b", "d"], BIB)
