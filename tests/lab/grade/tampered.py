"""Kinds of tampering with the file, and with the claims of its report."""

from __future__ import annotations

import gzip
import re
import stat
from pathlib import Path

from tests.lab.grade.forger import Forger, substitute
from tests.lab.grade.tampering import any_key, archive, found_by, old_page, page_with, zipped

from lab.grade.finding import Flaw
from lab.records.record import SAMPLES
from lab.submission.archive import PAGE, RECORDS, pack

PRINTED_RATE = r"(\\labclaim\{\w+\})\{\\labqty\{[\d.]+\}\{[kMG]B/s\}\}"


# What is in the file


@found_by("package", Flaw.UNREADABLE)
def truncated(forger: Forger, variant: int) -> bytes:
    pdf = forger.pdf()
    return pdf[: len(pdf) * (1 + variant % 8) // 10]


@found_by("package", Flaw.NO_DATA)
def without_attachments(forger: Forger, _: int) -> bytes:
    return forger.pages


@found_by("package", Flaw.NO_DATA)
def a_report_that_was_not_submitted(forger: Forger, _: int) -> bytes:
    return forger.work.report.read_bytes()


@found_by("package", Flaw.SEVERAL_REPORTS)
def two_reports(forger: Forger, _: int) -> Path:
    return archive(forger, pack({"a.pdf": forger.pdf(), "b.pdf": forger.pdf()}))


@found_by("package", Flaw.NAME)
def path_above_the_folder(forger: Forger, variant: int) -> Path:
    return archive(forger, zipped("../" * (1 + variant % 3) + "report.pdf", forger.pdf()))


@found_by("package", Flaw.LINK)
def link_in_a_zip(forger: Forger, variant: int) -> Path:
    target = ("/etc/passwd", "../../key", "report.pdf")[variant % 3]
    return archive(forger, zipped("report.pdf", target.encode(), stat.S_IFLNK | 0o777))


@found_by("package", Flaw.TOO_LARGE)
def bomb(forger: Forger, _: int) -> Path:
    return archive(forger, zipped("report.pdf", b"\0" * (51 * 2**20)))


@found_by("records", Flaw.TOO_LARGE)
def bomb_among_the_records(forger: Forger, variant: int) -> bytes:
    content = gzip.compress(b"\0" * (51 * 2**20), 1)
    return forger.pdf(forger.records(lambda files: files.update({f"{any_key(forger, variant)}/{SAMPLES}": content})))


@found_by("package", Flaw.MISSING_FILE)
def a_file_is_missing(forger: Forger, variant: int) -> bytes:
    names = ("claims.csv", "manifest.json", "small.csv", RECORDS, "discussion.tex")
    return forger.pdf({name: data for name, data in forger.files.items() if name != names[variant % len(names)]})


@found_by("package", Flaw.STRANGE_FILE)
def a_file_too_many(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.files | {"answers.csv": b"x"})


@found_by("package", Flaw.CHAIN)
def page_changed(forger: Forger, _: int) -> bytes:
    return page_with(forger, ids=["eve"])


@found_by("package", Flaw.DIGEST)
def digest_with_its_chain_kept(forger: Forger, variant: int) -> bytes:
    name = sorted(forger.files)[variant % 3]
    changed = forger.files | {name: forger.files[name] + b"\n"}
    return forger.pdf(changed) if name == PAGE else old_page(forger, changed)


@found_by("package", Flaw.DRAFT)
def draft(forger: Forger, _: int) -> bytes:
    return forger.pdf(draft=("the report is stale",))


@found_by("package", Flaw.ASSIGNMENT)
def for_another_assignment(forger: Forger, _: int) -> bytes:
    return forger.pdf(assignment="last_year")


@found_by("package", Flaw.PERSON)
def somebody_elses_report(forger: Forger, _: int) -> bytes:
    return forger.pdf(ids=("eve",))


@found_by("package", Flaw.EXPERIMENT)
def easier_experiment(forger: Forger, variant: int) -> bytes:
    changes = (("repetitions = 6", "repetitions = 1"), ('"64,4K,64K"', '"64K"'), ("mtu = 4200", "mtu = 9000"))
    return forger.pdf(forger.changed("experiment.toml", lambda text: text.replace(*changes[variant % 3])))


# What the report says


@found_by("claims", Flaw.CLAIM)
def claim_rounded(forger: Forger, variant: int) -> bytes:
    numbers = re.findall(r",(\d{4,}\.\d+),", forger.files["claims.csv"].decode())
    number = numbers[variant % len(numbers)]
    return forger.pdf(forger.changed("claims.csv", lambda text: text.replace(number, f"{float(number):.3g}", 1)))


@found_by("claims", Flaw.TEXT)
def number_in_the_text(forger: Forger, variant: int) -> bytes:
    by = rf"\g<1>{{\\SI{{{700 + variant}}}{{\\mega\\byte\\per\\second}}}}"
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "discussion.tex", PRINTED_RATE, by)))


@found_by("claims", Flaw.TEXT)
def swapped_units(forger: Forger, _: int) -> bytes:
    return forger.pdf(
        pages=forger.typeset(lambda files: substitute(files, "discussion.tex", r"\{[kMG]B/s\}", "{TB/s}"))
    )


@found_by("claims", Flaw.TEXT)
def sentence_added(forger: Forger, variant: int) -> bytes:
    words = f"RDMA was {2 + variant} times as fast.\n"
    return forger.pdf(pages=forger.typeset(lambda files: files.update({"discussion.tex": words.encode()})))


@found_by("claims", Flaw.CLAIM)
def statement_turned(forger: Forger, variant: int) -> bytes:
    change = ((",true,", ",false,"), (" > ", " < "), ("statement,S1", "statement,S2"))[variant % 3]
    return forger.pdf(forger.changed("claims.csv", lambda text: text.replace(*change, 1)))


@found_by("claims", Flaw.CLAIM)
def claim_added(forger: Forger, variant: int) -> bytes:
    def add(text: str) -> str:
        last = text.splitlines()[-1]
        return f"{text}invented.{variant},{last.partition(',')[2]}\n"

    return forger.pdf(forger.changed("claims.csv", add))


@found_by("claims", Flaw.CLAIM)
def claim_left_out(forger: Forger, variant: int) -> bytes:
    def leave(text: str) -> str:
        lines = text.splitlines(keepends=True)
        del lines[1 + variant % (len(lines) - 1)]
        return "".join(lines)

    return forger.pdf(forger.changed("claims.csv", leave))


@found_by("claims", Flaw.CLAIM)
def endless_list_of_claims(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.changed("claims.csv", lambda text: text + "x,1\n" * (100_000 + variant)))


@found_by("package", Flaw.PERSON)
def an_author_without_a_page(forger: Forger, variant: int) -> bytes:
    typed = ('ids = ["{0}", "eve"]', 'ids = ["eve"]', 'ids = ["{0} "]', "ids = []", 'ids = ["{0}\\u00a0"]')[variant % 5]
    people = f'authors = ["{forger.name}"]\n{typed.format(forger.name)}\ncourse = "Networks"\n'
    return forger.pdf(forger.files | {"report.toml": people.encode()})


@found_by("package", Flaw.PERSON)
def people_that_nobody_can_read(forger: Forger, variant: int) -> bytes:
    typed = (b'ids = ["a\\u001b[2J"]', b"\xff", b"ids = [[[", b"ids = 1", b"ids = [" + b'"a",' * 10_000)[variant % 5]
    return forger.pdf(forger.files | {"report.toml": typed})


@found_by("package", Flaw.UNREADABLE)
def a_page_that_no_lab_wrote(forger: Forger, variant: int) -> bytes:
    text = (b"[]", b'{"ids": 1}', b"[" * 100_000, b"\xff", forger.files[PAGE].replace(b'"format": 1', b'"format": 1.0'))
    return old_page(forger, forger.files | {PAGE: text[variant % 5]})


@found_by("package", Flaw.ASSIGNMENT)
def a_page_of_another_format(forger: Forger, variant: int) -> bytes:
    text = forger.files[PAGE].replace(b'"format": 1', f'"format": {2 + variant}'.encode())
    return old_page(forger, forger.files | {PAGE: text})
