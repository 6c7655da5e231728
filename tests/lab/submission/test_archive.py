"""Submissions are opened within bounds."""

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.grade.tampering import zipped

from lab.errors import OpeningFault
from lab.files.storage import write_bytes
from lab.report.pdf import attach
from lab.submission import archive
from lab.submission.archive import SubmissionError, open_submission, pack, require_kind, unpack

FILES = {"claims.csv": b"name,value\nx,1\n"}
PACKED, METHODS = pack({"x.pdf": b"a" * 40}), (b"\x0c\0", b"\x0e\0", b"\xff\0")


@pytest.fixture
def pdf(blank_pdf: bytes) -> bytes:
    return attach(blank_pdf, FILES)


def fault_of(place: Path) -> OpeningFault:
    with pytest.raises(SubmissionError) as caught:
        open_submission(place)
    return caught.value.fault


def test_pdf_zip_and_folder_open_alike(pdf: bytes, tmp_path: Path) -> None:
    zip_ = pack({"a/x.pdf": pdf, "program.c": b"int x;"})
    for name, content in {"x.pdf": pdf, "x.zip": zip_, "Y.ZIP": zip_, "folder/a/x.pdf": pdf}.items():
        write_bytes(tmp_path / name, content)
    opened = [open_submission(tmp_path / name) for name in ("x.pdf", "x.zip", "Y.ZIP", "folder")]
    assert all(submission.files == FILES and submission.pdf == pdf for submission in opened)


def test_usual_names_are_accepted_and_litter_is_ignored(pdf: bytes, tmp_path: Path) -> None:
    names = ("my report (final), Ünal.pdf", "__MACOSX/._my report.pdf", ".DS_Store", "a b/.DS_Store", ".git/x.pdf")
    (tmp_path / "x.zip").write_bytes(pack(dict.fromkeys(names, pdf)))
    for name in names:
        write_bytes(tmp_path / "folder" / name, pdf)
    assert open_submission(tmp_path / "x.zip").pdf == open_submission(tmp_path / "folder").pdf == pdf


@pytest.mark.parametrize("system", [0, 10])
def test_backslashes_of_windows_separate_folders(pdf: bytes, tmp_path: Path, system: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        for name, content in {"hand in\\": b"", "hand in\\report.pdf": pdf}.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = system
            file.writestr(entry, content)
    assert open_submission(tmp_path / "x.zip").pdf == pdf


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        *((zipped(name, b"x"), OpeningFault.NAME) for name in ("../x.pdf", "/x.pdf", "a/../../x.pdf", "./x.pdf")),
        *((zipped(name, b"x"), OpeningFault.NAME) for name in ("-x.pdf", "a\\..\\x.pdf")),
        # Python's zipfile ends a name at the first zero.
        (pack({"yx.pdf": b"a"}).replace(b"yx.pdf", b"\0x.pdf"), OpeningFault.NAME),
        (zipped("x.pdf", b"/etc/passwd", stat.S_IFLNK | 0o777), OpeningFault.LINK),
        (zipped("x.pdf", b"\0" * 1001), OpeningFault.TOO_LARGE),
        (b"", OpeningFault.UNREADABLE),
        (b"not a zip", OpeningFault.UNREADABLE),
        (b"PK\x05\x06", OpeningFault.UNREADABLE),
        # Other methods of compression than the one of the bytes: bz2, lzma, and an unknown one.
        *((PACKED.replace(b"\0\0\x08\0", b"\0\0" + method), OpeningFault.UNREADABLE) for method in METHODS),
        (zipped("a/" * 9 + "report.pdf", b"x"), OpeningFault.NAME),
        (pack({"x.c": b""}), OpeningFault.NO_REPORT),
        (pack({"inner.zip": pack({"report.pdf": b"%PDF"})}), OpeningFault.NO_REPORT),
        (pack({"x.pdf": b"%PDF", "y.pdf": b"%PDF"}), OpeningFault.SEVERAL_REPORTS),
    ],
)
def test_bad_zip_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, fault: OpeningFault
) -> None:
    monkeypatch.setattr(archive, "LARGEST_FILE", 1000)
    (tmp_path / "x.zip").write_bytes(content)
    assert fault_of(tmp_path / "x.zip") is fault


def put(place: Path, content: bytes | str) -> None:
    """Make a file with this content, or a link, hard link, pipe or folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    kind, _, target = content.partition(" ") if isinstance(content, str) else ("", "", "")
    if isinstance(content, bytes):
        place.write_bytes(content)
    elif kind == "->":
        place.symlink_to(target)
    elif kind == "=":
        place.hardlink_to(place.parent / target)
    else:
        {"pipe": os.mkfifo, "folder": os.mkdir}[kind](place)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"../bob.pdf": b"%PDF", "eve": "-> bob.pdf"}, OpeningFault.LINK),
        ({"../bob.pdf": b"%PDF", "eve/report.pdf": "-> ../../bob.pdf"}, OpeningFault.LINK),
        ({"../bob.pdf": b"%PDF", "eve/report.pdf": "= ../../bob.pdf"}, OpeningFault.LINK),
        ({"../bob/report.pdf": b"%PDF", "eve": "-> ../bob"}, OpeningFault.LINK),
        ({"eve/report.pdf": "pipe"}, OpeningFault.LINK),
        ({"eve": "pipe"}, OpeningFault.UNREADABLE),
        ({"eve": "folder"}, OpeningFault.NO_REPORT),
        ({"eve/a.pdf": b"%PDF", "eve/B.PDF": b"%PDF"}, OpeningFault.SEVERAL_REPORTS),
    ],
)
def test_bad_file_or_folder_is_refused(tmp_path: Path, files: dict[str, bytes | str], fault: OpeningFault) -> None:
    for name, content in files.items():
        put(tmp_path / "submissions" / name, content)
    assert fault_of(tmp_path / "submissions" / "eve") is fault


def test_number_and_size_of_all_files_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    with pytest.raises(SubmissionError, match="holds 3 files"):
        unpack(pack(dict.fromkeys(("a", "b", "c"), b"")), "x")
    monkeypatch.setattr(archive, "LARGEST_TOTAL", 10)
    with pytest.raises(SubmissionError, match="unpacks to more than 4 bytes"):
        unpack(pack({"a": b"123456", "b": b"12345"}), "x")


def commented(content: bytes, comment: bytes) -> bytes:
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as made:
        made.comment = comment
    return stream.getvalue()


@pytest.mark.parametrize("place", [lambda zip_, more: more + zip_, lambda zip_, more: zip_ + more, commented])
def test_bytes_beside_the_files_of_a_zip_are_refused(place: Callable[[bytes, bytes], bytes]) -> None:
    content = pack({"b": b"2", "a": b"1"})
    assert content == pack({"a": b"1", "b": b"2"}) and unpack(place(content, b"  "), "x").keys() == {"a", "b"}
    with pytest.raises(SubmissionError, match="bytes beside its files") as caught:
        unpack(place(content, b"hidden " * 40), "x")
    assert caught.value.fault is OpeningFault.BESIDE


def test_truncated_pdf_and_pdf_without_data_are_refused(pdf: bytes, blank_pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "half.pdf").write_bytes(pdf[: len(pdf) // 2])
    (tmp_path / "bare.pdf").write_bytes(blank_pdf)
    assert fault_of(tmp_path / "half.pdf") is OpeningFault.UNREADABLE
    assert fault_of(tmp_path / "bare.pdf") is OpeningFault.NO_DATA


def test_other_kinds_of_files_are_refused_and_broken_pdfs_are_graded(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n")
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("Makefile", "is not a PDF, zip or folder"), ("pipe", "is a pipe"), ("none", "does not exist")):
        with pytest.raises(SubmissionError, match=what):
            require_kind(tmp_path / name)
    (tmp_path / "broken.pdf").write_text("no PDF")
    (tmp_path / "without_suffix").write_bytes(pdf)
    for name in ("broken.pdf", "without_suffix", "."):
        require_kind(tmp_path / name)
