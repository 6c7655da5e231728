"""Packages that are unpacked without dpkg, and those that must not be."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
import zstandard
from tests.lab.supply.debs import member, package, tar

from lab.supply import deb
from lab.supply.deb import PackageDamaged, unpack

FILES = tar(
    member("./usr/", kind=tarfile.DIRTYPE, mode=0o755),
    member("./usr/bin/run", b"program", mode=0o4755),
    member("./usr/bin/again", kind=tarfile.LNKTYPE, link="./usr/bin/run"),
    member("./usr/lib/x.so", b"library"),
    member("./usr/lib/y.so", kind=tarfile.SYMTYPE, link="/usr/lib/x.so"),
)


@pytest.mark.parametrize("name", ["data.tar", "data.tar.gz", "data.tar.xz", "data.tar.zst"])
def test_files_and_links_lie_under_the_folder(tmp_path: Path, name: str) -> None:
    command = {"gz": ["gzip"], "xz": ["xz"]}.get(name.rpartition(".")[2])
    data = subprocess.run(command, input=FILES, capture_output=True, check=True).stdout if command else FILES
    data = zstandard.compress(data) if name.endswith("zst") else data
    unpack(package(tmp_path / "x.deb", data, name), tmp_path / "root")
    usr = tmp_path / "root/usr"
    assert (usr / "bin/run").read_bytes() == (usr / "bin/again").read_bytes() == b"program"
    assert (usr / "lib/x.so").read_bytes() == b"library"
    assert (usr / "lib/y.so").readlink() == Path("/usr/lib/x.so")


def test_files_belong_to_who_unpacks_and_give_nobody_rights(tmp_path: Path) -> None:
    unpack(package(tmp_path / "x.deb", FILES), tmp_path / "root")
    found = (tmp_path / "root/usr/bin/run").stat()
    assert (found.st_uid, found.st_mode & 0o7777) == (os.geteuid(), 0o755)
    assert (tmp_path / "root/usr/lib/x.so").stat().st_mode & 0o7777 == 0o644


def test_a_second_package_replaces_a_file_and_not_what_a_link_names(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"mine")
    link = member("./x", kind=tarfile.SYMTYPE, link=str(tmp_path / "outside"))
    unpack(package(tmp_path / "1.deb", tar(link)), tmp_path / "root")
    unpack(package(tmp_path / "2.deb", tar(member("./x", b"theirs"))), tmp_path / "root")
    assert (tmp_path / "outside").read_bytes() == b"mine"
    assert (tmp_path / "root/x").read_bytes() == b"theirs"


def test_compressed_ones_may_not_ask_for_any_memory(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28)
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    data = io.BytesIO()
    with compressor.stream_writer(data, closefd=False) as writer:
        writer.write(tar(member("./x", bytes(1 << 20))))
    with pytest.raises(PackageDamaged, match="is no package"):
        unpack(package(tmp_path / "x.deb", data.getvalue(), "data.tar.zst"), tmp_path / "root")


@pytest.mark.parametrize(
    "data",
    [
        tar(member("/etc/x", b"x")),
        tar(member("../x", b"x")),
        tar(member("./a/../../x", b"x")),
        tar(member("./a", kind=tarfile.SYMTYPE, link="/tmp"), member("./a/x", b"x")),
        tar(member("./a", kind=tarfile.SYMTYPE, link=".."), member("./a/b/x", b"x")),
        tar(member("./a", kind=tarfile.LNKTYPE, link="../outside")),
        tar(member("./a", kind=tarfile.LNKTYPE, link="/etc/passwd")),
        tar(member("./b", kind=tarfile.SYMTYPE, link="/etc/passwd"), member("./a", kind=tarfile.LNKTYPE, link="b")),
        tar(member("./a", kind=tarfile.CHRTYPE)),
        tar(member("./a", kind=tarfile.FIFOTYPE)),
    ],
)
def test_what_would_leave_the_folder_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "outside").write_bytes(b"mine")
    with pytest.raises(PackageDamaged, match=r"x.deb: "):
        unpack(package(tmp_path / "x.deb", data), tmp_path / "root")
    assert not (tmp_path / "x").exists()


def test_a_package_larger_than_any_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deb, "MOST_BYTES", 10)
    with pytest.raises(PackageDamaged, match="more than"):
        unpack(package(tmp_path / "x.deb", tar(member("./x", b"x" * 11))), tmp_path / "root")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("data.tar", b"no tar" * 200),
        ("data.tar.xz", b"no xz"),
        ("data.tar.zst", b"no zstd" * 20),
        ("data.tar.gz", b"\x1f\x8b\x08" + bytes(40)),
        ("data.tar.lz", b"what"),
    ],
)
def test_what_is_no_package_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(PackageDamaged, match=r"x.deb: (is no package|has none of)"):
        unpack(package(tmp_path / "x.deb", data, name), tmp_path / "root")


@pytest.mark.parametrize("content", [b"", b"!<arch>\n", b"PK\3\4" * 100])
def test_what_is_no_ar_archive_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.deb").write_bytes(content)
    with pytest.raises(PackageDamaged, match=r"x.deb: (is no .deb|has none of)"):
        unpack(tmp_path / "x.deb", tmp_path / "root")
