"""Kinds of tampering with the discussion: LaTeX that does more than print, and sentences that the data refute."""

from __future__ import annotations

from functools import partial

from tests.lab.grade.forger import Forger
from tests.lab.grade.tampering import KINDS, Tampering, found_by

from lab.grade.finding import Flaw
from lab.report.check.safety import LONGEST

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
SENTENCES = {
    "sentence_that_the_data_refute": (
        "It is 33 times better than TCP.",
        r"RDMA is faster than TCP on this link: \claim{verbs_over_tcp.64K}.",
        r"It reaches \claim[9]{verbs.64K}.",
        r"It reaches \claim{verbs.8G}.",
    ),
    "numbers_without_a_claim": (
        "It reaches 257 MB/s.",
        "It takes 12 us.",
        "It is $33\\times$ as fast.",
        "It has 9 Gbit/s.",
    ),
    "numbers_in_words": (
        "RDMA is thirty-three times as fast as TCP.",
        "RDMA is a dozen times quicker than TCP.",
        "RDMA is twice as fast as TCP.",
    ),
    "claims_of_another_program": (
        r"TCP reaches \claim{verbs.64K}.",
        r"RDMA reaches \claim{tcp.64K}.",
        r"Sockets carry \claim{verbs.4K}.",
    ),
    "claims_of_another_size": (
        r"With messages of 64 bytes RDMA reaches \claim{verbs.64K}.",
        r"At 64 KiB TCP reaches \claim{tcp.4K}.",
    ),
    "comparisons_turned_round": (
        "RDMA outperforms TCP at every size.",
        "TCP is never faster than RDMA.",
        "At 64 KiB RDMA beats TCP.",
    ),
    "hardware_that_nobody_had": (
        "We measured over InfiniBand FDR on two servers.",
        "Two servers were connected by a switch.",
    ),
    "table_of_typed_numbers": tuple(
        f"\\begin{{tabular}}{{lr}}{each}\\\\\\end{{tabular}}"
        for each in ("RDMA & 900 MB/s", "RDMA & 900", "RDMA & $9\\times$")
    ),
    "half_of_a_sentence_in_a_comment": (
        r"RDMA reaches \claim{verbs.64K} 5%of what TCP reaches",
        r"It is \claim{tcp.64K} 9% slower",
    ),
    "source_that_nobody_listed": (r"Others found the same \cite{nobody}.", r"So \cite{frey, nobody} say."),
}


def saying(said: tuple[str, ...], forger: Forger, variant: int) -> bytes:
    """The hand-in with one of these behind its discussion."""
    return forger.pdf(forger.changed("discussion.tex", lambda text: f"{text}{said[variant % len(said)]}\n"))


for flaw, kinds in ((Flaw.LATEX, LATEX), (Flaw.SENTENCE, SENTENCES)):
    KINDS += [Tampering(name, "discussion", flaw, partial(saying, said)) for name, said in kinds.items()]


@found_by("discussion", Flaw.NO_DISCUSSION)
def nothing_said(forger: Forger, variant: int) -> bytes:
    text = ("\\draft\n", "All is well.\n", "% nothing\n")[variant % 3]
    return forger.pdf(forger.changed("discussion.tex", lambda _: text))


@found_by("discussion", Flaw.LATEX)
def bytes_that_are_no_text(forger: Forger, variant: int) -> bytes:
    more = (b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xed\xa0\x80", b"\xc0\xaf")[variant % 5]
    return forger.pdf(forger.files | {"discussion.tex": forger.files["discussion.tex"] + more})


@found_by("discussion", Flaw.SENTENCE)
def claims_among_the_sources(forger: Forger, variant: int) -> bytes:
    return _citing(forger, ("RDMA reaches 4 GB/s", r"RDMA is {thirty} times as fast as TCP")[variant % 2])


@found_by("discussion", Flaw.LATEX)
def commands_among_the_sources(forger: Forger, variant: int) -> bytes:
    return _citing(forger, (r"\input{/etc/passwd}", "a % b", r"\write18{id}")[variant % 3])


@found_by("discussion", Flaw.SENTENCE)
def own_figure_without_its_file(forger: Forger, variant: int) -> bytes:
    file = ("speed.csv", "../speed.csv", "claims.csv")[variant % 3]
    figure = f"\n\\ownfigure{{{file}}}{{x}}{{y}}{{Our own.}}\n"
    return forger.pdf(forger.changed("discussion.tex", lambda text: f"{text}{figure}"))


@found_by("discussion", Flaw.SENTENCE)
def results_among_the_names(forger: Forger, variant: int) -> bytes:
    """Where the first page shows them above all that the data give."""
    names = ("RDMA is 5 times as fast as TCP", "9 GB/s by RDMA", "RDMA beats TCP", "3 us of latency", "40 % faster")
    people = f'authors = ["{forger.name}"]\nids = ["{forger.name}"]\ncourse = "Networks: {names[variant % 5]}"\n'
    return forger.pdf(forger.files | {"report.toml": people.encode()})


def _citing(forger: Forger, note: str) -> bytes:
    listed = f"@misc{{frey, title = {{A title}}, note = {{{note}}}}}\n"
    cited = forger.changed("discussion.tex", lambda text: f"{text}Others found the same \\cite{{frey}}.\n")
    return forger.pdf(cited | {"references.bib": listed.encode()})
