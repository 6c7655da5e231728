"""Kinds of tampering: each makes a file from an honest hand-in, and says which check must name which fault.

A variant chooses the place: another record, another cell, another claim.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import stat
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.grade.forger import Files, Forger, substitute

from lab.grade.finding import Flaw
from lab.grade.pdf_objects import read_objects
from lab.records.record import SAMPLES
from lab.report.pdf.attach import attach
from lab.submission.archive import pack
from lab.submission.package import PAGE, RECORDS

Forge = Callable[[Forger, int], "bytes | Path"]


@dataclass(frozen=True)
class Tampering:
    """One kind: how it is done, and who must find it."""

    name: str
    check: str
    kind: Flaw
    forge: Forge


KINDS: list[Tampering] = []


def found_by(check: str, kind: Flaw) -> Callable[[Forge], Forge]:
    def keep(forge: Forge) -> Forge:
        KINDS.append(Tampering(forge.__name__, check, kind, forge))
        return forge

    return keep


def bump(text: str) -> str:
    """The same number, one higher in its last digit but one."""
    return str(int(text) + 10)


def any_key(forger: Forger, variant: int) -> str:
    return forger.keys[variant % len(forger.keys)]


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


# The data


@found_by("records", Flaw.TABLE)
def cell_of_the_table(forger: Forger, variant: int) -> bytes:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = 1 + variant % (len(lines) - 1)
        lines[place] = re.sub(r",(\d{5,}),", lambda found: f",{bump(found[1])},", lines[place], count=1)
        return "".join(lines)

    return forger.pdf(forger.changed("small.csv", change))


@found_by("records", Flaw.TABLE)
def row_of_the_table(forger: Forger, variant: int) -> bytes:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        del lines[1 + variant % (len(lines) - 1)]
        return "".join(lines)

    return forger.pdf(forger.changed("small.csv", change))


@found_by("records", Flaw.MANIFEST)
def digest_in_the_manifest(forger: Forger, variant: int) -> bytes:
    digest = re.findall(r'"sha256": "([0-9a-f]{64})"', forger.files["manifest.json"].decode())[variant % 12]
    return forger.pdf(forger.changed("manifest.json", lambda text: text.replace(digest, "0" * 64)))


@found_by("records", Flaw.STRANGE_RECORD)
def another_machines_name(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.changed("identity.json", lambda text: text.replace("fake", "real")))


@found_by("records", Flaw.SITE)
def another_site(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.changed("identity.json", lambda text: text.replace('"exact"', '"host"')))


@found_by("records", Flaw.MISSING_RECORD)
def best_run_kept(forger: Forger, variant: int) -> bytes:
    best = any_key(forger, variant)

    def keep(records: Files) -> None:
        for path in [each for each in records if not each.startswith(best)]:
            del records[path]

    return forger.pdf(forger.records(keep))


@found_by("records", Flaw.COUNTER)
def counter_below_the_bytes(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["counters_after"].update(zeroed(facts)))
    )


@found_by("rerun", Flaw.COUNTER)
def counter_polished(forger: Forger, variant: int) -> bytes:
    def raise_all(facts: dict[str, Any]) -> None:
        facts["counters_after"] = {name: value + 1000 for name, value in facts["counters_after"].items()}

    return forger.pdf(forger.facts(any_key(forger, variant), raise_all))


@found_by("records", Flaw.CLOCK)
def clock_stopped(forger: Forger, variant: int) -> bytes:
    def stop(facts: dict[str, Any]) -> None:
        facts["steps"][0]["clock_end_ns"] = facts["steps"][0]["clock_start_ns"] + 1

    return forger.pdf(forger.facts(any_key(forger, variant), stop))


@found_by("records", Flaw.STATUS)
def failed_program_kept(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["steps"][0].update(client_status=1 + variant))
    )


@found_by("records", Flaw.OTHER_LINK)
def tcp_from_another_link(forger: Forger, variant: int) -> bytes:
    tcp = [each.trial.key for each in forger.work.plan.planned if each.series.name == "tcp"]
    return forger.pdf(forger.facts(tcp[variant % len(tcp)], lambda facts: facts["link"].update(rate_bit_s=10**9)))


@found_by("records", Flaw.RECORD)
def other_options(forger: Forger, variant: int) -> bytes:
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts["options"].update(windows=7 + variant))
    )


@found_by("records", Flaw.RECORD)
def no_number(forger: Forger, variant: int) -> bytes:
    values: list[Any] = [None, "1", 1.5, [], True]
    return forger.pdf(
        forger.facts(any_key(forger, variant), lambda facts: facts.update(clock_end_ns=values[variant % len(values)]))
    )


@found_by("records", Flaw.ROWS)
def rows_of_samples_dropped(forger: Forger, variant: int) -> bytes:
    def drop(text: str) -> str:
        rows = text.splitlines()
        del rows[2 + variant % 20]
        return "\n".join([*rows[:-1], f"# end rows={len(rows) - 3}", ""])

    return forger.pdf(forger.samples([any_key(forger, variant)], drop))


@found_by("rerun", Flaw.SAMPLE)
def sample_with_all_else_redone(forger: Forger, variant: int) -> bytes:
    return forger.remade(forger.samples([any_key(forger, variant)], lambda text: faster(text, 0.9)))


@found_by("rerun", Flaw.SAMPLE)
def invented_times(forger: Forger, variant: int) -> bytes:
    mine = [each.trial.key for each in forger.work.plan.planned if each.series.name == "verbs"]
    return forger.pdf(forger.samples(mine, lambda text: faster(text, 0.5 + variant % 4 / 10)))


@found_by("rerun", Flaw.SAMPLE)
def best_run_six_times(forger: Forger, variant: int) -> bytes:
    mine = [each.trial.key for each in forger.work.plan.planned if each.series.name == "verbs"]

    def copy(records: Files) -> None:
        for key in mine:
            records[f"{key}/{SAMPLES}"] = records[f"{mine[variant % len(mine)]}/{SAMPLES}"]

    return forger.pdf(forger.records(copy))


# What the report says


@found_by("claims", Flaw.CLAIM)
def claim_rounded(forger: Forger, variant: int) -> bytes:
    numbers = re.findall(r",(\d+\.\d{3,}),", forger.files["claims.csv"].decode())
    number = numbers[variant % len(numbers)]
    return forger.pdf(forger.changed("claims.csv", lambda text: text.replace(number, f"{float(number):.3g}", 1)))


@found_by("claims", Flaw.TEXT)
def number_in_the_text(forger: Forger, variant: int) -> bytes:
    by = rf"\g<1>{{\\SI{{{700 + variant}}}{{\\mega\\byte\\per\\second}}}}"
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "claims.tex", UNIT_CLAIM, by)))


@found_by("claims", Flaw.TEXT)
def swapped_units(forger: Forger, _: int) -> bytes:
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "report.tex", r"\\mega", r"\\giga")))


@found_by("claims", Flaw.TEXT)
def sentence_added(forger: Forger, variant: int) -> bytes:
    words = f"RDMA was {2 + variant} times as fast.\n"
    return forger.pdf(pages=forger.typeset(lambda files: files.update({"discussion.tex": words.encode()})))


@found_by("pages", Flaw.TABLE_ROW)
def row_of_a_table_dropped(forger: Forger, _: int) -> bytes:
    row = r"\n[^\n&]*(?:KiB|kibi)[^\n&]*&[^\n]*\\\\(?=\n)"
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "report.tex", row, "")))


@found_by("pages", Flaw.FIGURE)
def figure_replaced(forger: Forger, _: int) -> bytes:
    def swap(files: Files) -> None:
        names = sorted(name for name in files if name.startswith("figures/"))
        files[names[0]] = files[names[-1]]

    return forger.pdf(pages=forger.typeset(swap))


@found_by("pages", Flaw.FIGURE)
def axis_cut(forger: Forger, _: int) -> bytes:
    trim = r"\\includegraphics[trim=0 0 0 30mm,clip]"
    return forger.pdf(pages=forger.typeset(lambda files: cut_figure(files, trim)))


@found_by("pages", Flaw.TRAILING)
def bytes_behind_the_end(forger: Forger, variant: int) -> bytes:
    return forger.pdf() + b"more" * (1 + variant)


@found_by("pages", Flaw.SCRIPT)
def script_on_opening(forger: Forger, _: int) -> bytes:
    script = {"/S": "/JavaScript", "/JS": "u:app.alert(1)"}
    return with_object(forger.pdf(), "/Catalog", {"/OpenAction": script})


@found_by("pages", Flaw.ANNOTATION)
def white_stamp(forger: Forger, variant: int) -> bytes:
    box = [100, 100, 300 + variant, 300]
    stamp = {"/Type": "/Annot", "/Subtype": "/Square", "/Rect": box, "/IC": [1, 1, 1], "/C": [1, 1, 1]}
    return with_object(forger.pdf(), "/Page", {"/Annots": [stamp]})


@found_by("pages", Flaw.ATTACHMENT)
def associated_file(forger: Forger, _: int) -> bytes:
    return with_object(forger.pdf(), "/Catalog", {"/AF": [{"/Type": "/Filespec", "/F": "u:x.exe"}]})


@found_by("pages", Flaw.FILE_NAME)
def attachment_with_another_shown_name(forger: Forger, _: int) -> bytes:
    return with_object(forger.pdf(), "/Filespec", {"/UF": "u:answers.exe"})


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


UNIT_CLAIM = r"(\\labclaim\{verbs\.\w+\})\{[^\n]*?\}(?=\n)"


def faster(text: str, factor: float) -> str:
    """Every time is a part of what it was."""

    def shorter(found: re.Match[str]) -> str:
        return f",{round(int(found[1]) * factor)}"

    return re.sub(r",(\d+)$", shorter, text, flags=re.MULTILINE)


def zeroed(facts: dict[str, Any]) -> dict[str, int]:
    return dict.fromkeys(facts["counters_after"], 1)


def cut_figure(files: Files, by: str) -> None:
    """A style that shows less of each picture than was drawn."""
    substitute(files, "lab.sty", r"\\includegraphics(?:\[[^\]]*\])?", by)


def page_with(forger: Forger, **changes: Any) -> bytes:
    """A page whose chain was not redone."""
    page = json.loads(forger.files[PAGE]) | changes
    return old_page(forger, forger.files | {PAGE: json.dumps(page).encode()})


def old_page(forger: Forger, files: Files) -> bytes:
    """Files under a page that is as it was."""
    return attach(forger.pages, files)


def with_object(pdf: bytes, kind: str, changes: dict[str, Any]) -> bytes:
    """The PDF with more in its first object of a kind."""
    values = read_objects(pdf).values.items()
    key, value = next(each for each in values if isinstance(each[1], dict) and each[1].get("/Type") == kind)
    head = {
        "jsonversion": 2,
        "pdfversion": "1.5",
        "pushedinheritedpageresources": False,
        "calledgetallpages": True,
        "maxobjectid": 99_999,
    }
    update = {"qpdf": [head, {f"obj:{key}": {"value": value | changes}}]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.pdf").write_bytes(pdf)
        (folder / "update.json").write_text(json.dumps(update))
        command = ["qpdf", "--deterministic-id", "--update-from-json=update.json", "a.pdf", "b.pdf"]
        subprocess.run(command, cwd=folder, check=True)
        return (folder / "b.pdf").read_bytes()


def archive(forger: Forger, content: bytes) -> Path:
    file = forger.folder / "forged.zip"
    file.write_bytes(content)
    return file


def zipped(name: str, content: bytes, mode: int = 0) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        file.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def forged(count: int) -> Iterator[tuple[Tampering, int]]:
    """So many tamperings: every kind in its first variant, then in the next."""
    yield from ((KINDS[place % len(KINDS)], place // len(KINDS)) for place in range(count))


def file_of(forger: Forger, tampering: Tampering, variant: int) -> Path:
    """The forged file on disk."""
    made = tampering.forge(forger, variant)
    if isinstance(made, Path):
        return made
    file = forger.folder / f"{tampering.name}-{variant}.pdf"
    file.write_bytes(made)
    return file
