"""The report built again from trusted data and the student's texts; the result is kept by its inputs."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.causes.table import files_of
from lab.files.included import read_whole
from lab.files.stamp import digest_files, is_current, keep_stamp
from lab.files.storage import write_bytes
from lab.places import PUBLISHED
from lab.plan.plan import canonical
from lab.records.record import SAMPLES, record_folder
from lab.report.build import build
from lab.report.evidence.evidence import Evidence
from lab.report.pdf.attach import attach, run_qpdf
from lab.report.sources import Sources
from lab.report.stamp import digest_code


@dataclass(frozen=True)
class Texts:
    """The student's texts."""

    people: bytes
    discussion: bytes
    references: bytes | None = None  # where there is such a file
    own: Mapping[str, bytes] = field(default_factory=dict)  # the data of figures of their own


def rebuild(evidence: Evidence, texts: Texts, templates: Path, cache: Path, scratch: Path) -> bytes:
    """The PDF as `lab report` makes it, with its checks of texts and its sandbox of LaTeX."""
    made_of = _digest(evidence, texts, templates)
    kept = cache / "rebuilt" / f"{made_of}.pdf"
    if not is_current(kept, made_of):
        write_bytes(kept, build(_sources(evidence, texts, templates, scratch), evidence, cache))
        keep_stamp(kept, made_of)
    return kept.read_bytes()


def with_files(pdf: bytes, made: Mapping[str, bytes], given: Mapping[str, bytes], more: Iterable[str]) -> bytes:
    """The PDF with the given files in place of the made ones, then with more of them, as `make submit` adds these."""
    with tempfile.TemporaryDirectory(prefix="lab-pages-") as name:
        Path(name, "report.pdf").write_bytes(pdf)
        removed = [f"--remove-attachment={file}" for file in made]
        run_qpdf(["qpdf", "--deterministic-id", "report.pdf", *removed, "pages.pdf"], Path(name))
        pages = Path(name, "pages.pdf").read_bytes()
    report = attach(pages, {file: given.get(file, content) for file, content in made.items()})
    return attach(report, {file: given[file] for file in more if file in given})


def _sources(evidence: Evidence, texts: Texts, templates: Path, scratch: Path) -> Sources:
    """A scratch copy: the grader's experiment beside the student's texts."""
    file = evidence.plan.experiment.file
    copy = scratch / "texts" / file.name
    sources = Sources(copy, templates)
    sources.folder.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(read_whole(file).text.encode())
    sources.people.write_bytes(texts.people)
    sources.discussion.write_bytes(texts.discussion)
    if texts.references is not None:
        sources.references.write_bytes(texts.references)
    for name, content in texts.own.items():
        (sources.folder / name).write_bytes(content)
    return sources


def _digest(evidence: Evidence, texts: Texts, templates: Path) -> str:
    typeset = [*sorted(templates.rglob("*.*")), *sorted(PUBLISHED.glob("*.*"))]
    counted = files_of(evidence.plan.experiment.name, evidence.results)
    digest = hashlib.sha256(f"{digest_code()} {digest_files(typeset)} {digest_files(counted)}".encode())
    for key, facts in evidence.facts.items():
        digest.update(canonical(facts.lasting()).encode())
        digest.update((record_folder(evidence.results, key) / SAMPLES).read_bytes())
    digest.update(f"{evidence.bytes_on_disk} ".encode())
    for name in sorted(texts.own):
        digest.update(f"{name} ".encode())
    for text in (texts.people, texts.discussion, texts.references, *(texts.own[name] for name in sorted(texts.own))):
        digest.update(b"none" if text is None else f"{len(text)} ".encode() + text)
    return digest.hexdigest()
