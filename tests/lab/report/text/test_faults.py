"""What a text may not say, by the check of a whole text: its LaTeX, evidence, sources, and figures of its own."""

import pytest
from tests.lab.report.laboratory import numbers_of

from lab.report.errors import FaultKind, TextFault, TextRefused
from lab.report.text.check import Writing, check
from lab.report.text.latex import LONGEST, LONGEST_LINE, line_and_column, without_comments
from lab.report.text.references import MOST_ENTRIES

COMMANDS = r"""
\input{/etc/passwd} \write18{id} \csname{x} \catcode`\@=11 \openout3=x \def\claim{} \draft \nocite{frey} \phantom{x}
\claim{card\input{x}} \shows{card>`id`;\write18{id}} \renewcommand{\claim}[1]{9} \footnote{x} \let\x=\y
"""
LETTERS = ("\u05d0", "\u202e", "\x0c", "a\rb", "\ud800", "\u0663", "3\u200b3")
INCOMPLETE = (
    r"\claim \claim{} \shows{~{}} \claim{a \claim{a{b}c} \claim{a\} \given{\SI{4}{\byte}} \claim*{a} \shows[2]{a} "
    r"\claim[0]{a} \claim[18]{a} \claim[x]{a} \claim[]{a} \claim[2]"
)
ENTRY = """@inproceedings{frey,
  author = {Frey, Philipp W. and Alonso, G{\\"u}nther},
  title = {{RDMA} is 3 times as fast as {TCP}, or 40\\% slower},
  year = 2009, pages = {553--560},
  note = {NOTE}
}
"""
LATEX, FIGURE = FaultKind.LATEX, FaultKind.FIGURE


def faults(text: str, references: str = ENTRY) -> list[TextFault]:
    writing = Writing("d.tex", text, references=references)
    return list(check(writing, numbers_of("verbs_throughput"), ["figureof a", "tableof results"]).faults)


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        *((command, LATEX, "is not a command that a text may use") for command in COMMANDS.split()),
        *((letter, LATEX, "the report's font has no character") for letter in LETTERS),
        *((text, LATEX, "the environment '") for text in (r"\begin{verbatim}", r"\end {figure}", "\\begin{it%\nem}")),
        (r"\begin", LATEX, "the environment '"),
        *(
            (f"\\cite{key}", LATEX, "\\cite takes keys")
            for key in ("[RDMA is fast]{frey}", " frey", "{}", "{#}", "{a b}")
        ),
        ("^^5cinput x", LATEX, "^^ is not allowed"),
        (r"\size{64X}", LATEX, "'64X' is not a size"),
        # LaTeX reads % in an address as a letter, and runs what follows on that line.
        (r"\url{http://a.%b}\input{/etc/passwd}", LATEX, "address"),
        (r"\url% \input{/etc/passwd}", LATEX, "address"),
        ("\\url{http://a\n%b}\\input{/etc/passwd}", LATEX, "address"),
        (r"\\\url{a%b}\input{x}", LATEX, "address"),
        # A bare percent within a sentence.
        *(
            (text, LATEX, "is not printed")
            for text in ("It wastes 80 % of the link.", "It is 5%of it", r"\claim{a} % b")
        ),
        *((text, LATEX, "is not printed") for text in (r"- \item x 5 % of it", r"\emph{It} % is")),
        *((f"It is {macro}", None, "") for macro in (*INCOMPLETE.split(), r"\shows{ }", "\\claim{a\n\nb}")),
        (r"\tableof{a}", FIGURE, r"there is no \tableof{a}"),
        (r"\cite{frey} and \cite{frye}", FaultKind.SOURCE, "no entry 'frye'"),
    ],
)
def test_fault_of_a_text_is_named_at_its_line(text: str, kind: FaultKind | None, what: str) -> None:
    found = [fault for fault in faults(f"Fine.\n{text}\n") if kind in (fault.kind, None)]
    assert [fault for fault in found if what in fault.what and fault.file == "d.tex" and fault.line == 2], found


@pytest.mark.parametrize(
    "text",
    [
        r"\claim{card at 4K}, \shows{card > tcp.card everywhere} and \given{4 GB/s} \cite{frey}.",
        r"See \url{https://example.org/a\%20b_c} or \url{https://example.org}. % \input{x} \url{%}",
        '\\begin{itemize}\\item $4\\times\\frac{1}{2}$\\end{itemize}\r\nNext: M\\"uller \\& S\u00f8n \\\\% \\def',
        "\\paragraph{P.} \\textbf{Q?} \\begin{tabular}{lr}\\toprule a & \\emph{b} \\\\\\bottomrule\\end{tabular}",
        *(before + text
          for before in ("", "\\begin{itemize} % list\n\\end{itemize}", "\\subsection{A} % b\n", "a & b \\\\ % c\n")
          for text in ("Done. % a note", "% 4 GB/s", "It is so.%", "Some \\% of it", "\\emph{Done.} % note")),
        r"\claim[1]{card at 4K} \claim[17]{card at 4K}. % \claim",
    ],
)  # fmt: skip
def test_permitted_text_has_no_fault(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("note", "line"),
    [
        *((note, 0) for note in ("Read on the web.", r"\url{https://example.org/a_b}", "It reaches 4 GB/s.", "")),
        *((note, 5) for note in (r"\input{/etc/passwd}", r"\write18{id}", r"\claim{card.peak}", r"^^5cinput", "a % b")),
        (r"\begin{itemize}", 5),
    ],
)
def test_entry_has_free_text_but_no_command(note: str, line: int) -> None:
    found = faults("Words.", ENTRY.replace("NOTE", note))
    assert {(fault.file, fault.kind) for fault in found} <= {("references.bib", LATEX)}
    assert (found[0].line if found else 0) == line


@pytest.mark.parametrize("references", ["@misc{a}" * (MOST_ENTRIES + 1), " " * (LONGEST + 1)])
def test_references_that_are_too_long_are_refused(references: str) -> None:
    (fault,) = faults("Words.", references)
    assert "more than" in fault.what or "at most" in fault.what


def test_faults_have_the_order_of_the_text_and_hints() -> None:
    found = faults
    ref, begin, _, footnote, *_ = found("See \\ref{x}.\n\\begin{figure} \\footnote{x}")
    assert [(fault.line, fault.column) for fault in (ref, begin, footnote)] == [(1, 5), (2, 1), (2, 16)]
    assert "\\figureof{NAME}" in ref.hint and "\\given" in begin.hint and footnote.hint.startswith("move")
    fault, *_ = found("a" * 5000 + "\\input" + "b" * 5000 + "\nc")
    assert len(fault.source) <= LONGEST_LINE and fault.column == 5001
    assert any(f"at most {LONGEST}" in fault.what for fault in found("a" * (LONGEST + 1)))
    fault, *_ = found("It is 5%of it")
    assert fault.hint == r"\%"
    table, figure, *_ = found("\\figureof{a} \\tableof{a}. % \\figureof{c}\n\\figureof{b}")
    assert (table.hint, figure.line, figure.hint) == ("one of results", 2, "one of a")
    listed = ENTRY + "@Book( dunning:2003, title = {V})\n@string{x = {y}}\n@comment{x, z}"
    first, second, *_ = found("% \\cite{nobody}\nSo \\cite{frey, dunnnig:2003}. Once more \\cite{x}.\n", listed)
    assert (first.line, first.column, first.hint) == (2, 16, r"\cite{dunning:2003}")
    assert "no entry 'x'" in second.what and second.hint.startswith("add @misc{x,")


def test_character_that_latex_has_as_a_command_gets_it_as_hint() -> None:
    hints = [fault.hint for fault in faults("a ≈ b ≥ 5 →") if fault.kind is LATEX]
    assert hints == [r"$\approx$", r"$\geq$", "replace the character"]


def test_comments_become_blanks_and_offsets_stay() -> None:
    text = "a % b\n % c \\\n\nd \\% e \\\\% f"
    bare = without_comments(text)
    assert len(bare) == len(text) and bare.split() == ["a", "d", "\\%", "e", "\\\\"]
    assert [line_and_column(text, text.index(letter)) for letter in "abd"] == [(1, 1), (1, 5), (4, 1)]


def test_refusal_prints_twenty_faults() -> None:
    fault = TextFault("d.tex", 3, 5, LATEX, "what", "way", "line")
    assert str(fault) == "d.tex:3:5: what [LaTeX]\n    line\n    hint: way"
    lines = str(TextRefused("refused:", faults=(fault,) * 23)).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("refused:", "and 3 more", 62)
