"""The student's references.bib, and the list of sources that BibTeX makes of it."""

import pytest

from lab.report.errors import ReportError
from lab.report.text.references import list_of, require_plain_list


def test_command_put_together_by_bibtex_is_refused() -> None:
    require_plain_list("\\begin{thebibliography}{1}\n\\bibitem{a} {\\em T}.\n\\end{thebibliography}", "references.bib")
    with pytest.raises(ReportError, match="usepackage"):
        require_plain_list("\\begin{thebibliography}{1}\n\\usepackage{x}\n\\end{thebibliography}", "references.bib")
    with pytest.raises(ReportError, match="bare %"):
        require_plain_list("\\newblock a %b", "references.bib")
    for text in ("{" * 3000 + "}" * 3000, "\\newblock $x", "\\newblock x\\}}"):
        with pytest.raises(ReportError, match=r"levels deep|not closed|closes nothing"):
            require_plain_list(text, "references.bib")


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
