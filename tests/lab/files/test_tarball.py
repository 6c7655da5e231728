"""Archives that a stranger wrote."""

from __future__ import annotations

import io
import tarfile

import pytest
from tests.lab.strange_archives import archive

from lab.files.bounded import pack, unpack

HUGE = str(10**12)


def test_what_was_packed_comes_out() -> None:
    files = {"a": b"1", "b/c": b""}
    assert unpack(io.BytesIO(pack(files)), 1) == files
    assert unpack(archive({}), 3) == {"name": b"abc"}


@pytest.mark.parametrize(
    "strange",
    [
        archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": HUGE}),
        archive({}, kind=tarfile.SYMTYPE),
        archive({}, kind=tarfile.LNKTYPE),
        archive({}, kind=tarfile.FIFOTYPE),
    ],
    ids=["holes", "symbolic-link", "link", "fifo"],
)
def test_what_is_no_plain_file_is_not_there(strange: io.BytesIO) -> None:
    assert unpack(strange, 10**13) == {}


def test_a_file_that_is_too_large_is_not_there() -> None:
    assert unpack(archive({}), 2) == {}


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": "a,b"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": HUGE},
        {"GNU.sparse.realsize": HUGE},
    ],
    ids=["no-number", "no-map", "longer-than-the-archive"],
)
def test_headers_that_cannot_be_are_an_error(headers: dict[str, str]) -> None:
    with pytest.raises(tarfile.TarError):
        unpack(archive(headers), 10**13)


def test_names_of_names_are_an_error() -> None:
    one = archive({}, kind=tarfile.GNUTYPE_LONGNAME).getvalue()[: 2 * tarfile.BLOCKSIZE]
    with pytest.raises(tarfile.TarError):
        unpack(io.BytesIO(one * 5000), 10**13)
