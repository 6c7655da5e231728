from lab.analysis.estimate import Estimate
from lab.report.claim import Claim, ClaimKind
from lab.report.prose.uses import cite, claims_used, digits_of, length_of


def test_a_text_uses_each_claim_once_and_none_in_a_comment() -> None:
    text = r"It is \claim{a.rate}, \claim[2]{a.rate}, \claim{a.rate}. % not \claim{b}" + "\n" + r"100 \% of \claim{c}"
    assert claims_used(text) == [("a.rate", None), ("a.rate", 2), ("c", None)]


def test_what_is_cited_is_found_again() -> None:
    claim = Claim("a.rate", Estimate(1.0, None, 1), "B/s", ClaimKind.RATE, "a rate")
    assert claims_used(cite(claim)) == [("a.rate", None)]


def test_digits_that_no_number_has_count_as_none() -> None:
    assert [digits_of(text) for text in ("3", "0", "99", "-1", "two", None)] == [3, None, None, None, None, None]


def test_names_that_commands_take_are_no_words_of_a_text() -> None:
    text = r"""Others \cite{frey, recio2007 , kashyap} say \emph{the same}; see \url{https://example.org/page} and
    \figureof{throughput}. \begin{itemize}\item \claim{tcp.peak}\end{itemize}"""
    assert length_of(text) == (6, 1)
