"""Kinds of tampering with the package, the report's claims and pages, and the discussion."""

import gzip
import re
import stat
from collections.abc import Callable
from typing import Any

from tests.lab.grade.forger import Files, Forger
from tests.lab.grade.tampering import (
    Forge,
    any_key,
    any_of,
    by_qpdf,
    changed,
    cited,
    file_of,
    found_by,
    kinds,
    page_with,
    updated,
    with_changes,
    without_line,
    zipped,
)

from lab.grade.finding import Flaw
from lab.records.record import SAMPLES
from lab.report.text.latex import LONGEST
from lab.submission.archive import PAGE, RECORDS, pack

PRINTED_RATE = r"(\\labclaim\{\w+\})\{\\labqty\{[\d.]+\}\{[kMG]B/s\}\}"
TARGETS = (b"/etc/passwd", b"../../key", b"report.pdf")  # of links
TABLE_ROW = r"\n[^\n&]*(?:KiB|kibi)[^\n&]*&[^\n]*\\\\(?=\n)"


# The package

EASIER = (("repetitions = 6", "repetitions = 1"), ('"64,4K,64K"', '"64K"'), ("mtu = 4200", "mtu = 9000"))
NO_PEOPLE = (b'ids = ["a\\u001b[2J"]', b"\xff", b"ids = [[[", b"ids = 1", b"ids = [" + b'"a",' * 10_000)
OTHER_IDS = ('ids = ["{0}", "eve"]', 'ids = ["eve"]', 'ids = ["{0} "]', "ids = []", 'ids = ["{0}\\u00a0"]')
MISSING = ("claims.csv", "manifest.json", "small.csv", RECORDS, "discussion.tex")

kinds(
    ("without_attachments", "package", Flaw.NO_DATA, lambda forger, _: forger.pages),
    ("a_report_that_was_not_submitted", "package", Flaw.NO_DATA, lambda forger, _: forger.work.report.read_bytes()),
    ("two_reports", "package", Flaw.SEVERAL_REPORTS,
     lambda forger, _: pack({"a.pdf": forger.pdf(), "b.pdf": forger.pdf()})),
    ("path_above_the_folder", "package", Flaw.NAME,
     lambda forger, variant: zipped("../" * (1 + variant % 3) + "report.pdf", forger.pdf())),
    ("link_in_a_zip", "package", Flaw.LINK,
     lambda _, variant: zipped("report.pdf", any_of(TARGETS, variant), stat.S_IFLNK | 0o777)),
    ("bomb", "package", Flaw.TOO_LARGE, lambda *_: zipped("report.pdf", b"\0" * (51 * 2**20))),
    ("page_changed", "package", Flaw.CHAIN, lambda forger, _: page_with(forger, ids=["eve"])),
    ("draft", "package", Flaw.DRAFT, lambda forger, _: forger.pdf(draft=("the report is stale",))),
    ("for_another_assignment", "package", Flaw.ASSIGNMENT, lambda forger, _: forger.pdf(assignment="last_year")),
    ("a_page_of_another_format", "package", Flaw.ASSIGNMENT,
     lambda forger, variant: page_with(forger, format=2 + variant)),
    ("somebody_elses_report", "package", Flaw.PERSON, lambda forger, _: forger.pdf(ids=("eve",))),
    ("people_that_nobody_can_read", "package", Flaw.PERSON, file_of("report.toml", *NO_PEOPLE)),
    ("a_file_too_many", "package", Flaw.STRANGE_FILE, file_of("answers.csv", b"x")),
    ("easier_experiment", "package", Flaw.EXPERIMENT,
     changed("experiment.toml", lambda text, variant: text.replace(*any_of(EASIER, variant)))),
)  # fmt: skip


@found_by("package", Flaw.UNREADABLE)
def truncated(forger: Forger, variant: int) -> bytes:
    pdf = forger.pdf()
    return pdf[: len(pdf) * (1 + variant % 8) // 10]


@found_by("records", Flaw.TOO_LARGE)
def bomb_among_the_records(forger: Forger, variant: int) -> bytes:
    content = gzip.compress(b"\0" * (51 * 2**20), 1)
    return forger.pdf(forger.records(lambda files: files.update({f"{any_key(forger, variant)}/{SAMPLES}": content})))


@found_by("package", Flaw.MISSING_FILE)
def a_file_is_missing(forger: Forger, variant: int) -> bytes:
    return forger.pdf({name: data for name, data in forger.files.items() if name != any_of(MISSING, variant)})


@found_by("package", Flaw.DIGEST)
def digest_with_its_chain_kept(forger: Forger, variant: int) -> bytes:
    name = sorted(forger.files)[variant % 3]
    files = forger.files | {name: forger.files[name] + b"\n"}
    return forger.pdf(files) if name == PAGE else forger.attached(files)


@found_by("package", Flaw.UNREADABLE)
def a_page_that_no_lab_wrote(forger: Forger, variant: int) -> bytes:
    text = (b"[]", b'{"ids": 1}', b"[" * 100_000, b"\xff", forger.files[PAGE].replace(b'"format": 1', b'"format": 1.0'))
    return forger.attached(forger.files | {PAGE: any_of(text, variant)})


@found_by("package", Flaw.PERSON)
def an_author_without_a_page(forger: Forger, variant: int) -> bytes:
    ids = any_of(OTHER_IDS, variant).format(forger.name)
    return forger.pdf(
        forger.files | {"report.toml": f'authors = ["{forger.name}"]\n{ids}\ncourse = "Networks"\n'.encode()}
    )


# The claims


def rounded(text: str, variant: int) -> str:
    numbers = re.findall(r",(\d{4,}\.\d+),", text)
    number = numbers[variant % len(numbers)]
    return text.replace(number, f"{float(number):.3g}", 1)


def turned(text: str, variant: int) -> str:
    change = ((",true,", ",false,"), (" > ", " < "), ("statement,S1", "statement,S2"))[variant % 3]
    return text.replace(*change, 1)


def with_claim(text: str, variant: int) -> str:
    return f"{text}invented.{variant},{text.splitlines()[-1].partition(',')[2]}\n"


def latex(file: str, pattern: str, by: Callable[[int], str]) -> Forge:
    """Replaces the first match in what LaTeX reads."""
    return lambda forger, variant: forger.typeset_with(file, pattern, by(variant))


kinds(
    ("claim_rounded", "claims", Flaw.CLAIM, changed("claims.csv", rounded)),
    ("statement_turned", "claims", Flaw.CLAIM, changed("claims.csv", turned)),
    ("claim_added", "claims", Flaw.CLAIM, changed("claims.csv", with_claim)),
    ("claim_left_out", "claims", Flaw.CLAIM, changed("claims.csv", without_line)),
    ("endless_list_of_claims", "claims", Flaw.CLAIM,
     changed("claims.csv", lambda text, variant: text + "x,1\n" * (100_000 + variant))),
    ("number_in_the_text", "claims", Flaw.TEXT,
     latex("discussion.tex", PRINTED_RATE,
           lambda variant: rf"\g<1>{{\\SI{{{700 + variant}}}{{\\mega\\byte\\per\\second}}}}")),
    ("swapped_units", "claims", Flaw.TEXT, latex("discussion.tex", r"\{[kMG]B/s\}", lambda _: "{TB/s}")),
    ("sentence_added", "claims", Flaw.TEXT,
     latex("discussion.tex", r"\A.*\Z", lambda variant: f"RDMA was {2 + variant} times as fast.\n")),
    ("words_too_small_to_see", "claims", Flaw.TEXT,
     latex("report.tex", r"\\end\{document\}",
           lambda n: rf"{{\\fontsize{{1}}{{1}}\\selectfont RDMA is {2 + n} times as fast.}}\\end{{document}}")),
    ("row_of_a_table_dropped", "pages", Flaw.OTHER_BYTES, latex("report.tex", TABLE_ROW, lambda _: "")),
)  # fmt: skip

# The pages


def with_object(chosen: Callable[[dict[str, Any]], bool], changes: Callable[[int], dict[str, Any]]) -> Forge:
    """Changes an object of the PDF."""
    return lambda forger, variant: with_changes(forger.pdf(), chosen, changes(variant))


def is_a(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda value: value.get("/Type") == name


SCRIPT = {"/OpenAction": {"/S": "/JavaScript", "/JS": "u:app.alert(1)"}}
STAMP = {"/Type": "/Annot", "/Subtype": "/Square", "/IC": [1, 1, 1], "/C": [1, 1, 1]}
ELSEWHERE = {"/A": {"/S": "/URI", "/URI": "u:http://example.org/", "/Type": "/Action"}}
ABOUT = ("/Author", "/Title", "/Subject", "/Keywords", "/CreationDate")

PAGES: dict[str, Forge] = {
    "bytes_behind_the_end": lambda forger, variant: forger.pdf() + b"more" * (1 + variant),
    "page_left_out": lambda forger, _: by_qpdf(forger.pdf(), "--pages", ".", "1-r2", "--"),
    "added_to_after_it_was_made": lambda forger, _: (pdf := forger.pdf()) + pdf[pdf.rfind(b"startxref") :],
    "object_that_nothing_refers_to": lambda forger, variant: updated(
        forger.pdf(), {f"obj:{9000 + variant} 0 R": {"value": {"/Hidden": "u:answers"}}}
    ),
    "script_on_opening": with_object(is_a("/Catalog"), lambda _: SCRIPT),
    "white_stamp": with_object(
        is_a("/Page"), lambda variant: {"/Annots": [STAMP | {"/Rect": [100, 100, 300 + variant, 300]}]}
    ),
    "another_author": with_object(lambda value: "/Producer" in value, lambda n: {any_of(ABOUT, n): "u:eve"}),
    "link_that_leads_elsewhere": with_object(
        lambda value: is_a("/Annot")(value) and "/A" in value, lambda _: ELSEWHERE
    ),
    "attachment_too_many": file_of("answers.csv", b"x"),
}
kinds(*((name, "pages", Flaw.OTHER_BYTES, forge) for name, forge in PAGES.items()))


@found_by("pages", Flaw.OTHER_BYTES)
def figure_replaced(forger: Forger, _: int) -> bytes:
    def swap(files: Files) -> None:
        names = sorted(name for name in files if name.startswith("figures/"))
        files[names[0]] = files[names[-1]]

    return forger.pdf(pages=forger.typeset(swap))


@found_by("pages", Flaw.OTHER_BYTES)
def bytes_between_the_objects(forger: Forger, variant: int) -> bytes:
    """Before the table of places, which moves."""
    pdf = forger.pdf()
    place = int(pdf.split()[-2])
    hidden = b"%" + b"MZ hidden " * (200 * (1 + variant)) + b"\n"
    return pdf[:place] + hidden + pdf[place:].replace(f"{place}\n".encode(), f"{place + len(hidden)}\n".encode())


# The discussion

LATEX = {
    "latex_that_reaches_out": (
        *(r"\input{/etc/passwd}", r"\newwrite\x\immediate\openout\x=small.csv", r"\immediate\write18{id}"),
        *(r"\catcode`\@=11", r"\csname input\endcsname{small.csv}", r"^^5cinput{/etc/passwd}"),
    ),
    "commands_of_ones_own": (
        *(r"\renewcommand{\claim}[1]{9}", r"\def\claim#1{9}", r"\let\claim=\text", r"\gdef\x{}", r"\expandafter\x"),
    ),
    "words_that_nobody_sees": (
        *(r"\phantom{many words}", r"\textcolor{white}{x}", r"\fontsize{1}{1}", r"\hspace{-9cm}", r"\rlap{x}"),
    ),
    # Digits of other scripts, letters without width, and a turned line.
    "letters_that_look_like_others": tuple(
        f"RDMA is {text} times as fast." for text in ("\u0663\u0663", "3\u200b3", "\u202e33", "\uff13\uff13", "\u0430")
    ),
    "text_without_end": tuple(text * LONGEST for text in ("word ", "{", "$", r"\emph{", "% ")),
    "environments_of_all_kinds": tuple(
        f"\\begin{{{name}}}33 GB/s\\end{{{name}}}"
        for name in ("verbatim", "lstlisting", "figure", "tikzpicture", "filecontents")
    ),
    "words_beside_a_source": (r"\cite[RDMA is faster]{frey}", r"\cite frey", r"\nocite{frey}"),
    "half_of_a_sentence_in_a_comment": (
        r"RDMA reaches \claim{verbs at 64K} 5%of what TCP reaches",
        r"It is \claim{tcp at 64K} 9% slower",
    ),
}
TYPED = {
    "numbers_without_a_claim": (
        *("It reaches 257 MB/s.", "It takes 12 us.", "It is $33\\times$ as fast."),
        *("It has 9 Gbit/s.", "It is 40\\% faster."),
    ),
    "table_of_typed_numbers": tuple(
        f"\\begin{{tabular}}{{lr}}RDMA & {value}\\\\\\end{{tabular}}" for value in ("900 MB/s", "33 ms", "$9\\times$")
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
    )
}
SOURCES = {"source_that_nobody_listed": (r"Others found the same \cite{nobody}.", r"So \cite{frey, nobody} say.")}


def with_text(texts: tuple[str, ...]) -> Forge:
    """Adds one of these texts to the discussion."""
    return changed("discussion.tex", lambda text, variant: f"{text}{any_of(texts, variant)}\n")


for flaw, texts_by_name in (
    (Flaw.LATEX, LATEX),
    (Flaw.TYPED, TYPED),
    (Flaw.STATEMENT, STATEMENTS),
    (Flaw.CLAIM, QUERIES),
    (Flaw.SOURCE, SOURCES),
):
    kinds(*((name, "discussion", flaw, with_text(texts)) for name, texts in texts_by_name.items()))

NOTHING = (b"\n", b"All is well.\n", b"% nothing\n")
kinds(("nothing_said", "discussion", Flaw.NO_DISCUSSION, file_of("discussion.tex", *NOTHING)))


@found_by("discussion", Flaw.LATEX)
def bytes_that_are_no_text(forger: Forger, variant: int) -> bytes:
    more = any_of((b"\xff\xfe", b"\x00", b"\x1b[2J", b"\xed\xa0\x80", b"\xc0\xaf"), variant)
    return forger.pdf(forger.files | {"discussion.tex": forger.files["discussion.tex"] + more})


@found_by("discussion", Flaw.ASK)
def nothing_of_what_is_asked(forger: Forger, variant: int) -> bytes:
    """Words enough, and evidence of something else."""
    shows = (r"\claim{tcp at 64}", r"\claim{plan.sizes}", r"\shows{tcp.peak > tcp at 64}")[variant % 3]
    text = rf"We measured TCP, which has \claim{{tcp at 64K}} with large messages and {shows} with others."
    return forger.pdf(forger.files | {"discussion.tex": f"{text}\n".encode()})


@found_by("discussion", Flaw.LATEX)
def commands_among_the_sources(forger: Forger, variant: int) -> bytes:
    return forger.pdf(cited(forger, (r"\input{/etc/passwd}", "a % b", r"\write18{id}")[variant % 3]))
