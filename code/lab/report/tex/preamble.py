"""The lines that all reports begin with: LaTeX as it is behind them, kept, so that it need not read 60 files again.

TeX calls it a format. It holds the class and the lab's style, and nothing of a text; a PDF has the same bytes with and
without one.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.errors import StorageError
from lab.files.stamp import is_current, keep_stamp
from lab.files.storage import storage, write_bytes, write_text
from lab.report.errors import ReportError
from lab.report.tex import shelter

STYLE = "lab.sty"
GZIP = b"\x1f\x8b"
FORMAT, INPUTS = "preamble.fmt", "preamble.inputs"
_BEGINNING = re.compile(rb"\\documentclass(?:\[[^\[\]{}\\]*\])?\{\w+\}\n\\usepackage\{lab\}\n")
# The text still begins with the same lines: they load no class again; a style that is there LaTeX itself loads no more.
_BEHIND = rb"""\makeatletter\renewcommand\documentclass[2][]{\let\documentclass\@twoclasseserror}\makeatother
\dump
"""
_READ = re.compile(r"INPUT (/.*)")


@dataclass(frozen=True)
class Preamble:
    """The lines and the style that they take in."""

    lines: bytes
    style: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(b"\0".join((self.lines, _BEHIND, self.style))).hexdigest()


def preamble_of(files: Mapping[str, bytes], main: str) -> Preamble | None:
    """The beginning of a main file, if it is as the lab's templates have it."""
    found = _BEGINNING.match(files[main])
    return Preamble(found[0], files[STYLE]) if found and STYLE in files else None


def format_of(preamble: Preamble, folder: Path) -> Path | None:
    """The format of before, while nothing that it was made of has changed, or else a new one; none where LaTeX makes
    none or nothing may be kept."""
    kept = folder / FORMAT
    if is_current(kept, _stamp(preamble, _inputs(folder))):
        return kept
    with suppress(ReportError, StorageError):
        _make(preamble, folder)
        return kept
    return None


def forget_format(folder: Path) -> None:
    """One with which a good text gave an error."""
    with suppress(StorageError), storage(folder):
        (folder / FORMAT).unlink(missing_ok=True)


def _make(preamble: Preamble, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lab-preamble-") as name:
        scratch = Path(name)
        (scratch / STYLE).write_bytes(preamble.style)
        (scratch / "preamble.tex").write_bytes(preamble.lines + _BEHIND)
        command = ["pdflatex", "-ini", "-recorder", *shelter.LATEX, "&pdflatex", "preamble.tex"]
        if shelter.run("LaTeX", command, scratch, STYLE).returncode:
            raise ReportError("LaTeX makes no format", file=STYLE)
        read = {found[1] for found in _READ.finditer((scratch / "preamble.fls").read_text())}
        inputs = sorted(read) + _lists_of_files(scratch)
        write_text(folder / INPUTS, "\n".join(inputs))
        write_bytes(folder / FORMAT, _unpacked((scratch / FORMAT).read_bytes()))
    keep_stamp(folder / FORMAT, _stamp(preamble, inputs))


def _unpacked(made: bytes) -> bytes:
    """TeX reads it packed or not; to unpack it takes TeX a sixth of the time of a report."""
    return gzip.decompress(made) if made.startswith(GZIP) else made


def _lists_of_files(scratch: Path) -> list[str]:
    """Those of TeX's trees, there or not: a package that comes into one of them may be read in place of another."""
    said = shelter.run("kpsewhich", ["kpsewhich", "-expand-braces", "$TEXMFDBS"], scratch, STYLE)
    trees = said.stdout.decode(errors="replace").strip().split(":")
    return [f"{tree.removeprefix('!!')}/ls-R" for tree in trees if tree]


def _inputs(folder: Path) -> list[str]:
    file = folder / INPUTS
    return file.read_text(errors="replace").splitlines() if file.is_file() else []


def _stamp(preamble: Preamble, inputs: Iterable[str]) -> str:
    states = "".join(f"{file} {_state(file)}\n" for file in inputs)
    return hashlib.sha256(f"{preamble.digest}\n{states}".encode()).hexdigest()


def _state(file: str) -> str:
    """Packages replace files: a new one has a time or a size of its own, and reading them all would take longer."""
    try:
        status = Path(file).stat()
    except OSError:
        return "none"
    return f"{status.st_mtime_ns} {status.st_size}"
