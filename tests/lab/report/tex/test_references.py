"""BibTeX's list of sources: lab.report.text.references."""

import pytest

from lab.report.errors import ReportError
from lab.report.text.macros import keys_cited
from lab.report.text.references import list_of

ADDRESS = "https://example.org/" + "a" * 120 + "/it"
BIB = f"""@misc{{b, author = {{Größe, Ada and B{{\\'e}}a, C.}}, title = {{A title}},
  year = 2020, note = {{\\url{{{ADDRESS}}}}}}}
@book{{a, author = "Zoë", title = "B", publisher = "P", year = 1999}}
@misc{{c, title = {{Not cited}}}}
"""


def test_the_list_holds_what_is_cited_and_no_broken_word() -> None:
    listed = list_of(["b", "a"], BIB)
    assert "Größe" in listed and ADDRESS in listed and "Not cited" not in listed
    assert listed.index(r"\bibitem{b}") < listed.index(r"\bibitem{a}") and "%" not in listed
    assert list_of(["b", "a"], BIB) == listed


def test_keys_come_in_the_order_of_the_text() -> None:
    assert keys_cited("So \\cite{b, a}. % \\cite{c}\nAnd \\cite{a}.") == ["b", "a"]


def test_a_key_without_an_entry_is_named() -> None:
    with pytest.raises(ReportError, match=r"references\.bib: there is no entry 'd'"):
        list_of(["b", "d"], BIB)


def test_an_error_has_its_line() -> None:
    with pytest.raises(ReportError) as caught:
        list_of(["a"], "@misc{a,\n title = {B}\n year 2000}\n")
    assert (caught.value.file, caught.value.line) == ("references.bib", 3)
