"""The LaTeX that a text may use, and the figures and tables that it names."""

import pytest

from lab.report.errors import FaultKind, TextFault, TextRefused
from lab.report.text import latex
from lab.report.text.latex import line_and_column, lost_targets, swallowed, unsafe, without_comments

COMMANDS = r"""
\input{/etc/passwd} \write18{id} \csname{x} \catcode`\@=11 \openout3=x \def\claim{} \draft \nocite{frey} \phantom{x}
\claim{card\input{x}} \shows{card>`id`;\write18{id}} \renewcommand{\claim}[1]{9} \footnote{x} \let\x=\y
"""
LETTERS = ("\u05d0", "\u202e", "\x0c", "a\rb", "\ud800", "\u0663", "3\u200b3")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        *((command, "is not a command that a text may use") for command in COMMANDS.split()),
        *((letter, "the report's font has no character") for letter in LETTERS),
        *(
            (text, "the environment '")
            for text in ("\\begin{verbatim}", "\\end {figure}", "\\begin{it%\nem}", "\\begin")
        ),
        *((f"\\cite{key}", "\\cite takes keys") for key in ("[RDMA is faster]{frey}", " frey", "{}", "{#}", "{a b}")),
        ("^^5cinput x", "^^ is not allowed"),
        ("\\size{64X}", "'64X' is not a size"),
    ],
)
def test_unsafe_latex_is_refused_at_its_line(text: str, what: str) -> None:
    first, *_ = unsafe(f"Fine.\n{text}\n", "d.tex")
    assert (first.file, first.line, first.kind) == ("d.tex", 2, FaultKind.LATEX) and what in first.what


@pytest.mark.parametrize(
    "text",
    [
        "Fine.\\url{http://a.%b}\\input{/etc/passwd}",
        "Fine.\\url% \\input{/etc/passwd}",
        "Fine.\n\\url{http://a\n%b}\\input{/etc/passwd}",
        "\\\\\\url{a%b}\\input{x}",
    ],
)
def test_percent_in_an_address_hides_no_command(text: str) -> None:
    """LaTeX reads % in an address as a letter, and runs what follows on that line."""
    assert "address" in next(unsafe(text, "d.tex")).what


@pytest.mark.parametrize(
    "text",
    [
        r"\claim{card at 4K}, \shows{card > tcp} and \given{4 GB/s} \cite{frey, dunning:2003}.",
        r"See \url{https://example.org/a\%20b_c} or \url{https://example.org}. % \input{x} \url{%}",
        '\\begin{itemize}\\item $4\\times\\frac{1}{2}$\\end{itemize}\r\nNext: M\\"uller \\& S\u00f8n \\\\% \\def',
        "\\begin{tabular}{lr}\\toprule a & \\emph{b} \\\\\\bottomrule\\end{tabular}",
    ],
)
def test_permitted_latex_passes(text: str) -> None:
    assert list(unsafe(text, "d.tex")) == []


def test_character_that_latex_has_as_a_command_gets_it_as_hint() -> None:
    hints = [fault.hint for fault in unsafe("a ≈ b ≥ 5 →", "d.tex")]
    assert hints == [
        r"$\approx$",
        r"$\geq$",
        "replace the character",
    ]


def test_faults_have_the_order_of_the_text_and_hints() -> None:
    found = list(unsafe("See \\ref{x}.\n\\begin{figure} \\footnote{x}", "d.tex"))
    assert [(fault.line, fault.column) for fault in found] == [(1, 5), (2, 1), (2, 16)]
    (fault,) = unsafe("a" * 5000 + "\\input" + "b" * 5000 + "\nc", "d.tex")
    assert len(fault.source) <= latex.LONGEST_LINE and fault.column == 5001
    (fault,) = unsafe("a" * (latex.LONGEST + 1), "d.tex")
    assert f"at most {latex.LONGEST}" in fault.what
    assert "\\figureof{NAME}" in found[0].hint and "\\given" in found[1].hint and found[2].hint.startswith("move")


@pytest.mark.parametrize(
    "text",
    ["It wastes 80 % of the link.", "It is 5%of it", "- \\item x 5 % of it", "\\emph{It} % is", "\\claim{a} % \\b"],
)
def test_bare_percent_within_a_sentence_is_refused(text: str) -> None:
    (fault,) = swallowed(text, "d.tex")
    assert "is not printed" in fault.what and "\\\\" not in fault.what and fault.hint == r"\%"


@pytest.mark.parametrize("text", ["Done. % a note", "% 4 GB/s", "It is so.%", "80 \\% of it", "\\emph{Done.} % note"])
@pytest.mark.parametrize("before", ["", "\\begin{itemize} % list\n", "\\subsection{A} % b\n", "a & b \\\\ % row\n"])
def test_comment_outside_a_sentence_is_a_comment(before: str, text: str) -> None:
    assert list(swallowed(before + text, "d.tex")) == []


def test_hint_for_an_unknown_figure_or_table_lists_the_existing_ones() -> None:
    text = "\\figureof{a} \\tableof{a} % \\figureof{c}\n\\figureof{b}"
    first, second = lost_targets(text, "d.tex", ["figureof a", "tableof results"])
    assert (first.what, first.hint, first.kind) == (r"there is no \tableof{a}", "one of results", FaultKind.FIGURE)
    assert (second.line, second.hint) == (2, "one of a")


def test_comments_become_blanks_and_offsets_stay() -> None:
    text = "a % b\n % c \\\n\nd \\% e \\\\% f"
    bare = without_comments(text)
    assert len(bare) == len(text) and bare.split() == ["a", "d", "\\%", "e", "\\\\"]
    assert [line_and_column(text, text.index(letter)) for letter in "abd"] == [(1, 1), (1, 5), (4, 1)]


def test_refusal_prints_twenty_faults() -> None:
    fault = TextFault("d.tex", 3, 5, FaultKind.LATEX, "what", "way", "line")
    assert str(fault) == "d.tex:3:5: what [LaTeX]\n    line\n    hint: way"
    lines = str(TextRefused("refused:", faults=(fault,) * 23)).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("refused:", "and 3 more", 62)
