"""Kinds of tampering with the discussion: LaTeX that does more than print, and evidence that the data refute."""

from __future__ import annotations

from functools import partial

from tests.lab.grade.forger import Forger
from tests.lab.grade.tampering import KINDS, Tampering, found_by

from lab.grade.finding import Flaw
from lab.report.text.latex import LONGEST

LATEX = {
    "latex_that_reaches_out": (
        r"\input{/etc/passwd}",
        r"\newwrite\x\immediate\openout\x=small.csv",
        r"\immediate\write18{id}",
        r"\catcode`\@=11",
        r"\csname input\endcsname{small.csv}",
        r"^^5cinput{/etc/passwd}",
    ),
    "commands_of_ones_own": (
        r"\renewcommand{\claim}[1]{9}",
        r"\def\claim#1{9}",
        r"\let\claim=\text",
        r"\gdef\x{}",
        r"\expandafter\x",
    ),
    "words_that_nobody_sees": (
        r"\phantom{many words}",
        r"\textcolor{white}{x}",
        r"\fontsize{1}{1}",
        r"\hspace{-9cm}",
        r"\rlap{x}",
    ),
    # Digits of other scripts, letters without width, and a turned line.
    "letters_that_look_like_others": tuple(
        f"RDMA is {each} times as fast." for each in ("\u0663\u0663", "3\u200b3", "\u202e33", "\uff13\uff13", "\u0430")
    ),
    "text_without_end": tuple(each * LONGEST for each in ("word ", "{", "$", r"\emph{", "% ")),
    "environments_of_all_kinds": tuple(
        f"\\begin{{{each}}}33 GB/s\\end{{{each}}}"
        for each in ("verbatim", "lstlisting", "figure", "tikzpicture", "filecontents")
    ),
    "words_beside_a_source": (r"\cite[RDMA is faster]{frey}", r"\cite frey", r"\nocite{frey}"),
}
TYPED = {
    "numbers_without_a_claim": (
        "It reaches 257 MB/s.",
        "It takes 12 us.",
        "It is $33\\times$ as fast.",
        "It has 9 Gbit/s.",
        "It is 40\\% faster.",
    ),
    "table_of_typed_numbers": tuple(
        f"\\begin{{tabular}}{{lr}}RDMA & {each}\\\\\\end{{tabular}}" for each in ("900 MB/s", "33 ms", "$9\\times$")
    ),
}
STATEMENTS = {
    "statement_that_the_data_refute": (
        r"RDMA is faster.\shows{verbs > tcp everywhere}",
        r"They are alike.\shows{verbs = tcp at 64K}",
        r"It is far ahead.\shows{tcp / verbs > 50 at 64}",
        r"It is flat.\shows{tcp saturated from 64}",
    ),
    "statement_that_is_none": (
        r"RDMA is faster.\shows{RDMA is faster}",
        r"RDMA is faster.\shows{verbs > tcp}",
        r"RDMA is faster.\shows{verbs > udp everywhere}",
        r"RDMA is faster.\shows{verbs > tcp at 3K}",
    ),
}
QUERIES = {
    "claim_that_nothing_answers": (
        r"It reaches \claim{verbs at 8G}.",
        r"It reaches \claim{verbs}.",
        r"It reaches \claim{udp at 4K}.",
        r"It reaches \claim{verbs at 4K; rm -rf /}.",
        r"It reaches \claim{((((((((((((((((((((((verbs at 4K))))))))))))))))))))))}.",
    ),
}
SOURCES = {
    "source_that_nobody_listed": (r"Others found the same \cite{nobody}.", r"So \cite{frey, nobody} say."),
}
COMMENTS = {
    "half_of_a_sentence_in_a_comment": (
        r"RDMA reaches \claim{verbs at 64K} 5%of what TCP reaches",
        r"It is \claim{tcp at 64K} 9% slower",
    ),
}


def saying(said: tuple[str, ...], forger: Forger, variant: int) -> bytes:
    """The hand-in with one of these behind its discussion."""
    return forger.pdf(forger.changed("discussion.tex", lambda text: f"{text}{said[variant % len(said)]}\n"))


for flaw, kinds in (
    (Flaw.LATEX, LATEX | COMMENTS),
    (Flaw.TYPED, TYPED),
    (Flaw.STATEMENT, STATEMENTS),
    (Flaw.CLAIM, QUERIES),
    (Flaw.SOURCE, SOURCES),
):
    KINDS += [Tampering(name, "discussion", flaw, partial(saying, said)) for name, said in kinds.items()]


@found_by("discussion", Flaw.NO_DISCUSSION)
def nothing_said(forger: Forger, variant: int) -> bytes:
    text = ("\n", "All is well.\n", "% nothing\n")[variant % 3]
    return forger.pdf(forger.changed("discussion.tex", lambda _: text))


@found_by("discussion", Flaw.LATEX)
def bytes_that_are_no_text(forger: Forger, variant: int) -> bytes:
    more = (b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xed\xa0\x80", b"\xc0\xaf")[variant % 5]
    return forger.pdf(forger.files | {"discussion.tex": forger.files["discussion.tex"] + more})


@found_by("discussion", Flaw.ASK)
def nothing_of_what_is_asked(forger: Forger, variant: int) -> bytes:
    """Words enough, and evidence of something else."""
    shows = (r"\claim{tcp at 64}", r"\claim{plan.sizes}", r"\shows{tcp.peak > tcp at 64}")[variant % 3]
    text = rf"We measured TCP, which has \claim{{tcp at 64K}} with large messages and {shows} with others."
    return forger.pdf(forger.changed("discussion.tex", lambda _: f"{text}\n"))


@found_by("discussion", Flaw.LATEX)
def commands_among_the_sources(forger: Forger, variant: int) -> bytes:
    return _citing(forger, (r"\input{/etc/passwd}", "a % b", r"\write18{id}")[variant % 3])


@found_by("discussion", Flaw.FIGURE)
def own_figure_without_its_file(forger: Forger, variant: int) -> bytes:
    file = ("speed.csv", "../speed.csv", "claims.csv")[variant % 3]
    figure = f"\n\\ownfigure{{{file}}}{{x}}{{y}}{{Our own.}}\n"
    return forger.pdf(forger.changed("discussion.tex", lambda text: f"{text}{figure}"))


def _citing(forger: Forger, note: str) -> bytes:
    listed = f"@misc{{frey, title = {{A title}}, note = {{{note}}}}}\n"
    cited = forger.changed("discussion.tex", lambda text: f"{text}Others found the same \\cite{{frey}}.\n")
    return forger.pdf(cited | {"references.bib": listed.encode()})
