"""Files are attached to a PDF and extracted again, also from an untrusted PDF."""

from pathlib import Path

import pytest

from lab.report import pdf as module
from lab.report.errors import AttachmentError
from lab.report.pdf import attach, extract

FILES = {"claims.csv": b"name,value\nx,1\n", "identity.json": b"{}\n"}


@pytest.fixture
def report(blank_pdf: bytes, tmp_path: Path) -> Path:
    file = tmp_path / "report.pdf"
    file.write_bytes(attach(blank_pdf, FILES))
    return file


def test_attached_files_are_extracted(report: Path, tmp_path: Path) -> None:
    written = extract(report, tmp_path / "out")
    assert {file.name: file.read_bytes() for file in written} == FILES


def test_order_of_files_changes_no_byte(blank_pdf: bytes) -> None:
    assert attach(blank_pdf, FILES) == attach(blank_pdf, dict(reversed(FILES.items())))


@pytest.mark.parametrize("name", ["../x.csv", "/tmp/x.csv", "a/b.csv", ".hidden.csv", "x y.csv"])
def test_attachment_name_that_leaves_the_folder_is_refused(blank_pdf: bytes, tmp_path: Path, name: str) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(attach(blank_pdf, {name: b"x"}))
    with pytest.raises(AttachmentError, match="not a file of a report"):
        extract(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_existing_file_is_never_replaced(report: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "claims.csv").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AttachmentError, match="there already"):
        extract(report, tmp_path / "out")
    assert not (tmp_path / "elsewhere").exists()


def test_attachment_over_the_limit_is_refused(report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 4)
    with pytest.raises(AttachmentError, match="unpacks to more"):
        extract(report, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"not a pdf", b"%PDF-1.5\n%%EOF"])
def test_file_that_is_no_pdf_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(content)
    with pytest.raises(AttachmentError, match="try: a PDF that lab report wrote"):
        extract(file, tmp_path / "out")
