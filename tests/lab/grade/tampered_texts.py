"""Kinds of tampering with the discussion: LaTeX that does more than print, and sentences that the data refute."""

from __future__ import annotations

from tests.lab.grade.forger import Forger
from tests.lab.grade.tampering import found_by

from lab.grade.finding import Flaw
from lab.report.check.safety import LONGEST


def saying(forger: Forger, *said: str, variant: int = 0) -> bytes:
    """The hand-in with one of these behind its discussion."""
    return forger.pdf(forger.changed("discussion.tex", lambda text: f"{text}{said[variant % len(said)]}\n"))


@found_by("discussion", Flaw.LATEX)
def latex_that_reaches_out(forger: Forger, variant: int) -> bytes:
    evil = (
        r"\input{/etc/passwd}",
        r"\newwrite\x\immediate\openout\x=small.csv",
        r"\immediate\write18{id}",
        r"\catcode`\@=11",
        r"\csname input\endcsname{small.csv}",
        r"^^5cinput{/etc/passwd}",
    )[variant % 6]
    return forger.pdf(forger.changed("discussion.tex", lambda text: text + evil + "\n"))


@found_by("discussion", Flaw.SENTENCE)
def sentence_that_the_data_refute(forger: Forger, variant: int) -> bytes:
    said = (
        "It is 33 times better than TCP.",
        r"RDMA is faster than TCP on this link: \claim{verbs_over_tcp.64K}.",
        r"It reaches \claim[9]{verbs.64K}.",
        r"It reaches \claim{verbs.8G}.",
    )[variant % 4]
    return forger.pdf(forger.changed("discussion.tex", lambda text: text + said + "\n"))


@found_by("discussion", Flaw.NO_DISCUSSION)
def nothing_said(forger: Forger, variant: int) -> bytes:
    text = ("\\draft\n", "All is well.\n", "% nothing\n")[variant % 3]
    return forger.pdf(forger.changed("discussion.tex", lambda _: text))


@found_by("discussion", Flaw.LATEX)
def commands_of_ones_own(forger: Forger, variant: int) -> bytes:
    own = (r"\renewcommand{\claim}[1]{9}", r"\def\claim#1{9}", r"\let\claim=\text", r"\gdef\x{}", r"\expandafter\x")
    return saying(forger, *own, variant=variant)


@found_by("discussion", Flaw.LATEX)
def words_that_nobody_sees(forger: Forger, variant: int) -> bytes:
    hidden = (r"\phantom{many words}", r"\textcolor{white}{x}", r"\fontsize{1}{1}", r"\hspace{-9cm}", r"\rlap{x}")
    return saying(forger, *hidden, variant=variant)


@found_by("discussion", Flaw.LATEX)
def letters_that_look_like_others(forger: Forger, variant: int) -> bytes:
    """Digits of other scripts, letters without width, and a turned line."""
    letters = ("\u0663\u0663", "3\u200b3", "\u202e33", "\uff13\uff13", "\u0430")
    return saying(forger, *(f"RDMA is {each} times as fast." for each in letters), variant=variant)


@found_by("discussion", Flaw.LATEX)
def bytes_that_are_no_text(forger: Forger, variant: int) -> bytes:
    more = (b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xed\xa0\x80", b"\xc0\xaf")[variant % 5]
    return forger.pdf(forger.files | {"discussion.tex": forger.files["discussion.tex"] + more})


@found_by("discussion", Flaw.LATEX)
def text_without_end(forger: Forger, variant: int) -> bytes:
    return saying(forger, ("word ", "{", "$", r"\emph{", "% ")[variant % 5] * LONGEST)


@found_by("discussion", Flaw.LATEX)
def environments_of_all_kinds(forger: Forger, variant: int) -> bytes:
    names = ("verbatim", "lstlisting", "figure", "tikzpicture", "filecontents")
    return saying(forger, *(f"\\begin{{{each}}}33 GB/s\\end{{{each}}}" for each in names), variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def numbers_without_a_claim(forger: Forger, variant: int) -> bytes:
    said = ("It reaches 257 MB/s.", "It takes 12 us.", "It is $33\\times$ as fast.", "It has 9 Gbit/s.")
    return saying(forger, *said, variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def numbers_in_words(forger: Forger, variant: int) -> bytes:
    said = ("thirty-three times as fast as TCP", "a dozen times quicker than TCP", "twice as fast as TCP")
    return saying(forger, *(f"RDMA is {each}." for each in said), variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def claims_of_another_program(forger: Forger, variant: int) -> bytes:
    said = (r"TCP reaches \claim{verbs.64K}.", r"RDMA reaches \claim{tcp.64K}.", r"Sockets carry \claim{verbs.4K}.")
    return saying(forger, *said, variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def claims_of_another_size(forger: Forger, variant: int) -> bytes:
    said = (r"With messages of 64 bytes RDMA reaches \claim{verbs.64K}.", r"At 64 KiB TCP reaches \claim{tcp.4K}.")
    return saying(forger, *said, variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def comparisons_turned_round(forger: Forger, variant: int) -> bytes:
    said = ("RDMA outperforms TCP at every size.", "TCP is never faster than RDMA.", "At 64 KiB RDMA beats TCP.")
    return saying(forger, *said, variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def hardware_that_nobody_had(forger: Forger, variant: int) -> bytes:
    said = ("We measured over InfiniBand FDR on two servers.", "Two servers were connected by a switch.")
    return saying(forger, *said, variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def table_of_typed_numbers(forger: Forger, variant: int) -> bytes:
    rows = ("RDMA & 900 MB/s", "RDMA & 900", "RDMA & $9\\times$")
    return saying(forger, *(f"\\begin{{tabular}}{{lr}}{each}\\\\\\end{{tabular}}" for each in rows), variant=variant)


@found_by("discussion", Flaw.SENTENCE)
def half_of_a_sentence_in_a_comment(forger: Forger, variant: int) -> bytes:
    said = (r"RDMA reaches \claim{verbs.64K} 5%of what TCP reaches", r"It is \claim{tcp.64K} 9% slower")
    return saying(forger, *said, variant=variant)
