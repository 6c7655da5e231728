"""Hand-ins that are opened within bounds."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import OpeningFault
from lab.report.pdf import attach
from lab.report.tex.latex import compile_pdf
from lab.submission import archive
from lab.submission.archive import SubmissionError, open_submission, pack, require_kind, unpack

FILES = {"claims.csv": b"name,value\nx,1\n"}


@pytest.fixture(scope="module")
def pdf() -> bytes:
    page = compile_pdf({"x.tex": b"\\documentclass{article}\\begin{document}x\\end{document}"}, "x.tex")
    return attach(page, FILES)


def zipped(name: str, content: bytes = b"x", mode: int = 0) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        file.writestr(entry, content)
    return stream.getvalue()


def fault_of(place: Path) -> OpeningFault:
    with pytest.raises(SubmissionError) as caught:
        open_submission(place)
    return caught.value.fault


def test_a_pdf_a_zip_and_a_folder_open_alike(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(pdf)
    (tmp_path / "x.zip").write_bytes(pack({"a/x.pdf": pdf, "program.c": b"int x;"}))
    (tmp_path / "folder" / "a").mkdir(parents=True)
    (tmp_path / "folder" / "a" / "x.pdf").write_bytes(pdf)
    (tmp_path / "Y.ZIP").write_bytes((tmp_path / "x.zip").read_bytes())
    opened = [open_submission(tmp_path / name) for name in ("x.pdf", "x.zip", "Y.ZIP", "folder")]
    assert all(each.files == FILES and each.pdf == pdf for each in opened)


def test_names_that_people_give_and_what_their_computers_add_are_taken(pdf: bytes, tmp_path: Path) -> None:
    names = ("my report (final), Ünal.pdf", "__MACOSX/._my report.pdf", ".DS_Store", "a b/.DS_Store", ".git/x.pdf")
    (tmp_path / "x.zip").write_bytes(pack(dict.fromkeys(names, pdf)))
    for name in names:
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_bytes(pdf)
    assert open_submission(tmp_path / "x.zip").pdf == open_submission(tmp_path / "folder").pdf == pdf


@pytest.mark.parametrize("name", ["../x.pdf", "/x.pdf", "a/../../x.pdf", "./x.pdf", "-x.pdf", "a\\..\\x.pdf"])
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.zip").write_bytes(zipped(name))
    assert fault_of(tmp_path / "x.zip") is OpeningFault.NAME


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped("x.pdf", b"/etc/passwd", stat.S_IFLNK | 0o777))
    assert fault_of(tmp_path / "x.zip") is OpeningFault.LINK


def test_a_link_in_a_folder_is_refused(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(pdf)
    for make in (Path.symlink_to, Path.hardlink_to):
        folder = tmp_path / make.__name__
        folder.mkdir()
        make(folder / "x.pdf", tmp_path / "secret.pdf")
        assert fault_of(folder) is OpeningFault.LINK


def test_a_bomb_is_refused_by_what_it_unpacks_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_FILE", 1000)
    (tmp_path / "x.zip").write_bytes(zipped("x.pdf", b"\0" * 1001))
    assert fault_of(tmp_path / "x.zip") is OpeningFault.TOO_LARGE


def test_many_files_and_much_in_all_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_lies_beside_the_files_of_a_zip_is_refused(place: Callable[[bytes, bytes], bytes]) -> None:
    content = pack({"a": b"1", "b": b"2"})
    assert unpack(place(content, b"  "), "x").keys() == {"a", "b"}
    with pytest.raises(SubmissionError, match="bytes beside its files") as caught:
        unpack(place(content, b"hidden " * 40), "x")
    assert caught.value.fault is OpeningFault.BESIDE


def test_a_name_that_ends_before_it_begins_is_refused() -> None:
    """Python's zipfile ends it at the first zero, and asks for the last letter of what is left."""
    with pytest.raises(SubmissionError) as caught:
        unpack(pack({"yx.pdf": b"a"}).replace(b"yx.pdf", b"\0x.pdf"), "x.zip")
    assert caught.value.fault is OpeningFault.NAME


@pytest.mark.parametrize("method", [b"\x0c\0", b"\x0e\0", b"\xff\0"], ids=["bz2", "lzma", "unknown"])
def test_what_is_not_packed_as_its_zip_says_is_one_sentence(method: bytes) -> None:
    content = pack({"x.pdf": b"a" * 40})
    changed = content.replace(b"\0\0\x08\0", b"\0\0" + method)
    assert changed != content
    with pytest.raises(SubmissionError, match="not a zip file that can be read"):
        unpack(changed, "x.zip")


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"not a zip"])
def test_a_damaged_zip_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    assert fault_of(tmp_path / "x.zip") in (OpeningFault.UNREADABLE, OpeningFault.NO_REPORT)


def test_no_pdf_or_two_are_refused(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "none.zip").write_bytes(pack({"x.c": b""}))
    (tmp_path / "two.zip").write_bytes(pack({"x.pdf": pdf, "y.pdf": pdf}))
    assert fault_of(tmp_path / "none.zip") is OpeningFault.NO_REPORT
    assert fault_of(tmp_path / "two.zip") is OpeningFault.SEVERAL_REPORTS


def test_a_truncated_pdf_and_one_without_data_are_refused(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "half.pdf").write_bytes(pdf[: len(pdf) // 2])
    page = compile_pdf({"x.tex": b"\\documentclass{article}\\begin{document}x\\end{document}"}, "x.tex")
    (tmp_path / "bare.pdf").write_bytes(page)
    assert fault_of(tmp_path / "half.pdf") is OpeningFault.UNREADABLE
    assert fault_of(tmp_path / "bare.pdf") is OpeningFault.NO_DATA


def test_the_same_files_pack_to_the_same_bytes() -> None:
    assert pack({"a": b"1", "b": b"2"}) == pack({"b": b"2", "a": b"1"})


def test_what_nobody_hands_in_is_refused_before_it_is_opened(pdf: bytes, tmp_path: Path) -> None:
    """A file that is named as a hand-in, or begins as one, gets a grade, however broken it is."""
    (tmp_path / "Makefile").write_text("all:\n")
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("Makefile", "is not a PDF, zip or folder"), ("pipe", "is a pipe"), ("none", "no such file")):
        with pytest.raises(SubmissionError, match=what):
            require_kind(tmp_path / name)
    (tmp_path / "broken.pdf").write_text("no PDF")
    (tmp_path / "without_suffix").write_bytes(pdf)
    for name in ("broken.pdf", "without_suffix", "."):
        require_kind(tmp_path / name)


def test_a_pipe_that_is_named_as_a_hand_in_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.pdf")
    with pytest.raises(SubmissionError, match="is a pipe, not a file"):
        open_submission(tmp_path / "x.pdf")
