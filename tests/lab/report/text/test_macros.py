"""Evidence macros, sentences and the length of a text."""

import pytest

from lab.report.text.macros import keys_cited, length_of, macros_of, sentences


def test_macroshave_kind_body_digits_and_offsets() -> None:
    text = "It has \\claim[2]{ib\\_write at 4K / 2}. % \\claim{no}\n\\shows{a = b within\n  1 \\%} \\given {117~B/us}"
    macros = macros_of(text)
    assert [(use.kind, use.body, use.digits) for use in macros] == [
        ("claim", "ib_write at 4K / 2", 2),
        ("shows", "a = b within 1 %", None),
        ("given", "117~B/us", None),
    ]
    assert [text[use.start : use.start + 3] for use in macros] == ["\\cl", "\\sh", "\\gi"]
    assert [text[use.end - 1] for use in macros] == ["}"] * 3
    assert text[macros[1].body_start :].startswith("a = b")
    assert macros_of("\\claim{card\n% not this\n at 4K}")[0].body.split() == ["card", "at", "4K"]
    assert [len(sentence.evidence) for sentence in sentences("One.\n\n\\shows{a > b}\n\nTwo.")] == [0, 1, 0]
    assert keys_cited("So \\cite{b, a}. % \\cite{c}\nAnd \\cite{a}.") == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See Fig. 3, e.g. at 4.5 kB, cf. ours vs. theirs, i.e. all. Next.", None),
        ("The interval. The total. Next.", ["The interval.", "The total.", "Next."]),
        ("So 1, 2, 4 ... 64 it is. Next.", ["So 1, 2, 4 ... 64 it is.", "Next."]),
        ("First\nline. Second\n\nThird", ["First line.", "Second", "Third"]),
        ("First\n% comment. With stop\nline.", ["First line."]),
        ("\\section{A. Title}Text. \\item One \\item Two", ["Text.", "One", "Two"]),
        ("\\begin{tabular}{lr}Head & B\\\\ Row & C\\end{tabular}", ["Head & B", "Row & C"]),
        ("\\claim{a at 1.5K. b}. \\emph{Next it is.} End", ["\\claim{a at 1.5K. b}.", "\\emph{Next it is.}", "End"]),
        ("Is it (really?) \\url{http://a.b. c} so?", ["Is it (really?)", "\\url{http://a.b. c} so?"]),
        (" \n. \\par", []),
    ],
)  # fmt: skip
def test_text_is_split_into_sentences(text: str, whole: list[str] | None) -> None:
    expected = whole if whole is not None else [text[: text.index(" Next")], "Next."]
    assert [sentence.text for sentence in sentences(text)] == expected


@pytest.mark.parametrize("between", ["", " ", "\n", "\\cite{frey}"])
def test_statement_behind_the_full_stop_belongs_to_the_sentence_before(between: str) -> None:
    text = f"Plain one.\nTCP is slower.{between}\\shows{{tcp < card}} \\shows{{a > b}} It has \\claim{{tcp}}. Last."
    plain, first, second, last = sentences(text)
    bodies = [[use.body for use in sentence.evidence] for sentence in (plain, first, second, last)]
    assert bodies == [[], ["tcp < card", "a > b"], ["tcp"], []]
    assert (plain.line, first.line) == (1, 2) and text[first.start : first.end].startswith("TCP is")
    assert text[last.start : last.end] == last.text


def test_length_counts_printed_words_and_distinct_evidence() -> None:
    text = r"""Others \cite{frey, recio2007} find \emph{the same}; see \url{https://example.org/page} and
    \figureof{throughput}. \begin{itemize}\item \claim[2]{tcp at  4K}, \claim{tcp at 4K}\end{itemize} % comment
    \shows{tcp > card}\given{117 bytes/us}"""
    assert length_of(text) == (6, 2)
