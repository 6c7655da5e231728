"""LaTeX into PDF: pdflatex as often as it takes, in a scratch folder, shut off from the rest; same input same bytes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from lab.errors import StorageError
from lab.files.storage import storage
from lab.report.errors import ReportError
from lab.report.tex import shelter
from lab.report.tex.log import first_error, unpleasant_boxes
from lab.report.tex.passes import PassFiles, put_left, read_left, reads_pages
from lab.report.tex.preamble import forget_format, format_of, preamble_of

MOST_PASSES = 5  # as latexmk has it


def compile_pdf(files: dict[str, bytes], main: str, before: Path | None = None) -> bytes:
    """The PDF of the main file; an error or an ugly box is one sentence with file and line.

    `before` is a folder for what the last build of this text left: if it still holds, one pass is enough, and that one
    reads no preamble.
    """
    with tempfile.TemporaryDirectory(prefix="lab-report-") as name:
        scratch, stem = Path(name), Path(main).stem
        for path, content in files.items():
            (scratch / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / path).write_bytes(content)
            os.utime(scratch / path, (shelter.EPOCH, shelter.EPOCH))
        start = read_left(before, stem) if before else PassFiles()
        quick = _format(files, main, before)
        left = _run(scratch, main, start, quick, with_pages=reads_pages(_sources(files)))
        _keep(left, before, stem)
        return (scratch / main).with_suffix(".pdf").read_bytes()


def _format(files: dict[str, bytes], main: str, before: Path | None) -> Path | None:
    preamble = preamble_of(files, main)
    return format_of(preamble, before) if preamble and before else None


def _sources(files: dict[str, bytes]) -> list[bytes]:
    return [content for name, content in files.items() if name.endswith((".tex", ".sty"))]


def _keep(left: PassFiles, before: Path | None, stem: str) -> None:
    """For the next build, where one may write."""
    if before:
        with suppress(StorageError), storage(before):
            before.mkdir(parents=True, exist_ok=True)
            put_left(left, before, stem)


def _run(scratch: Path, main: str, start: PassFiles, quick: Path | None, *, with_pages: bool) -> PassFiles:
    """Passes until one leaves what it read. Where the start is of another text, or damaged, it begins with none; a
    format that makes an error of a good text is no longer kept."""
    try:
        return _passes(scratch, main, start, quick, with_pages=with_pages)
    except ReportError:
        if not start.files and not quick:
            raise
        left = _passes(scratch, main, PassFiles(), None, with_pages=with_pages)
    if quick:
        forget_format(quick.parent)
    return left


def _passes(scratch: Path, main: str, left: PassFiles, quick: Path | None, *, with_pages: bool) -> PassFiles:
    put_left(left, scratch, Path(main).stem)
    for _ in range(MOST_PASSES):
        log, read = one_pass(scratch, main, quick), left
        left = read_left(scratch, Path(main).stem)
        if left.agrees(read, with_pages=with_pages):
            break
    if ugly := unpleasant_boxes(log):
        raise ReportError(ugly[0].what, file=ugly[0].file, line=ugly[0].line, hint="shorter words or another break")
    return left


def one_pass(scratch: Path, main: str, quick: Path | None = None) -> str:
    """The log of a run of pdflatex; with a format it looks for files as without one."""
    start = ("-progname=pdflatex", f"-fmt={quick.absolute()}") if quick else ()
    done = shelter.run("LaTeX", ["pdflatex", *start, *shelter.LATEX, main], scratch, main)
    file = (scratch / main).with_suffix(".log")
    log = file.read_text(errors="replace") if file.exists() else done.stdout.decode(errors="replace")
    if done.returncode:
        raise first_error(log)
    return log
