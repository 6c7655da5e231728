"""A forger's tools: an honest submission, and functions that change a part of it and redo the dependent parts."""

import gzip
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from tests.lab.fake_site import planned
from tests.lab.hand_ins import Course, measure, plan_on, with_report

from lab.files.storage import write_bytes
from lab.files.store import SUMS, sums_of
from lab.grade.case import GradingSetup
from lab.places import exact_version
from lab.records.record import RECORD, SAMPLES, record_folder
from lab.report import build as report_build
from lab.report.build import prepare
from lab.report.evidence.evidence import gather
from lab.report.pdf import attach
from lab.report.sources import Sources
from lab.report.tex.latex import compile_pdf
from lab.submission.archive import PAGE, PROGRAMS, RECORDS, make_page, open_submission, pack, unpack
from lab.submission.hand_in import Work, make_hand_in, pack_records

Files = dict[str, bytes]
ADDED = (PAGE, RECORDS, PROGRAMS)  # by make submit, to the attachments of make report


def digests_of(records: Files) -> Files:
    """The digests that fit the files of each record."""
    made: dict[str, dict[str, str]] = {}
    for path, content in records.items():
        folder, _, name = path.rpartition("/")
        if f"{folder}/{SUMS}" in records and name != SUMS:
            made.setdefault(folder, {})[name] = hashlib.sha256(content).hexdigest()
    return {f"{folder}/{SUMS}": sums_of(digests) for folder, digests in made.items()}


@dataclass(frozen=True)
class Forger:
    """An honest student's work, the bare pages of the report, and the files inside the submission."""

    course: Course
    work: Work
    pages: bytes
    files: Files
    folder: Path

    @property
    def name(self) -> str:
        return self.work.plan.experiment.file.parent.name

    @property
    def keys(self) -> list[str]:  # of its records
        return sorted({path.partition("/")[0] for path in unpack(self.files[RECORDS], "")})

    def pdf(self, files: Files | None = None, pages: bytes | None = None, **page: Any) -> bytes:
        """A submission of these files with digests and chain redone; `page` replaces values of its page."""
        inside = {name: data for name, data in (files or self.files).items() if name != PAGE}
        about = {"assignment": "assignment", "ids": (self.name,), "draft": (), "lab": exact_version()} | page
        made = make_page(about["assignment"], about["ids"], about["draft"], about["lab"], inside)
        return self.attached(inside | {PAGE: made.text().encode()}, pages)

    def attached(self, files: Files, pages: bytes | None = None) -> bytes:
        """The pages with these files inside, attached in the order of make report and make submit."""
        report = attach(pages or self.pages, {name: data for name, data in files.items() if name not in ADDED})
        return attach(report, {name: data for name, data in files.items() if name in ADDED})

    def changed(self, name: str, change: Callable[[str], str]) -> Files:
        """All files, one of them changed."""
        text = self.files[name].decode()
        assert change(text) != text
        return self.files | {name: change(text).encode()}

    def records(self, change: Callable[[Files], None]) -> Files:
        """All files, with other records in the zip."""
        records = unpack(self.files[RECORDS], "")
        change(records)
        return self.files | {RECORDS: pack(records | digests_of(records))}

    def measured(self, site: Any, digest: str = "d") -> Files:
        """All files, with records of another site or of other programs, and its identity."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            plan = plan_on(self.work.plan.experiment.file, site, digest)
            measure(plan, Path(name), site)
            identity = json.dumps({"site": site.name, **site.identity()}, indent=1, sort_keys=True) + "\n"
            return self.files | {RECORDS: pack_records(plan, Path(name)), "identity.json": identity.encode()}

    def facts(self, key: str, change: Callable[[dict[str, Any]], Any]) -> Files:
        """All files, with one record.json changed."""

        def changed(records: Files) -> None:
            facts = json.loads(records[f"{key}/{RECORD}"])
            change(facts)
            records[f"{key}/{RECORD}"] = json.dumps(facts, indent=1, sort_keys=True).encode() + b"\n"

        return self.records(changed)

    def samples(self, keys: list[str], change: Callable[[str], str]) -> Files:
        """All files, with the samples of these records changed."""

        def changed(records: Files) -> None:
            for key in keys:
                text = gzip.decompress(records[f"{key}/{SAMPLES}"]).decode()
                assert change(text) != text
                records[f"{key}/{SAMPLES}"] = gzip.compress(change(text).encode(), mtime=0)

        return self.records(changed)

    def remade(self, files: Files) -> bytes:
        """The submission made again from changed records: table, claims, figures and pages agree with them."""
        folder = self.folder / "forged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.work.plan.experiment.file.parent, folder)
        shutil.rmtree(folder / "results")
        for path, data in unpack(files[RECORDS], "").items():
            key, name = path.split("/")
            write_bytes(record_folder(folder / "results", key) / name, data)
        plan = planned(folder / "small.toml", self.work.plan.site)
        forged = Work(self.work.assignment, plan, folder / "results", folder / "small.pdf", ())
        return make_hand_in(with_report(self.course, forged), (self.name,), ())

    def typeset(self, change: Callable[[Files], None]) -> bytes:
        """The bare pages, with LaTeX's input changed."""
        return bare_pages(self.course, self.work, change)

    def typeset_with(self, name: str, pattern: str, by: str) -> bytes:
        """The submission with the first match in a LaTeX file replaced."""

        def substitute(files: Files) -> None:
            text = files[name].decode()
            changed = re.sub(pattern, by, text, count=1, flags=re.DOTALL)
            assert changed != text, (name, pattern)
            files[name] = changed.encode()

        return self.pdf(pages=self.typeset(substitute))


def make_forger(course: Course, work: Work, folder: Path) -> Forger:
    forger = Forger(course, work, bare_pages(course, work, lambda _: None), {}, folder)
    file = folder / "honest.pdf"
    file.write_bytes(make_hand_in(work, (forger.name,), ()))
    return replace(forger, files=open_submission(file).files)


def bare_pages(course: Course, work: Work, change: Callable[[Files], None]) -> bytes:
    """The report's pages without attachments."""

    def compiled(files: Files, main: str) -> bytes:
        files = dict(files)
        change(files)
        return compile_pdf(files, main)

    with mock.patch.object(report_build, "compile_pdf", compiled), mock.patch.object(report_build, "attach", _bare):
        evidence = gather(work.plan, work.results)
        return prepare(Sources(work.plan.experiment.file, course.templates), evidence, course.cache).typeset()


def _bare(pdf: bytes, _: Files) -> bytes:
    return pdf


def accepting(setup: GradingSetup, *identities: str) -> GradingSetup:
    """The grader of a course that lists these identities besides the grader's own."""
    return replace(setup, assignment=replace(setup.assignment, identities=("exact", *identities)))
