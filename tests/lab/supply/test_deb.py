"""Packages that are unpacked without dpkg, and those that must not be."""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest
import zstandard
from tests.lab.supply.debs import member, package, tar

from lab.supply.deb import PackageDamaged, unpack, unpacked

FILES = tar(
    member("./usr/", kind=tarfile.DIRTYPE, mode=0o755),
    member("./usr/bin/run", b"program", mode=0o4755),
    member("./usr/bin/again", kind=tarfile.LNKTYPE, link="./usr/bin/run"),
    member("./usr/lib/x.so", b"library"),
    member("./usr/lib/y.so", kind=tarfile.SYMTYPE, link="/usr/lib/x.so"),
)


@pytest.mark.parametrize("name", ["data.tar", "data.tar.gz", "data.tar.xz", "data.tar.zst"])
def test_files_and_links_are_written_under_the_folder_without_owner_or_rights(tmp_path: Path, name: str) -> None:
    command = {"gz": ["gzip"], "xz": ["xz"]}.get(name.rpartition(".")[2])
    data = subprocess.run(command, input=FILES, capture_output=True, check=True).stdout if command else FILES
    data = zstandard.compress(data) if name.endswith("zst") else data
    paths = unpack(package(tmp_path / "x.deb", data, name), tmp_path / "root")
    assert paths == ["usr", "usr/bin/run", "usr/bin/again", "usr/lib/x.so", "usr/lib/y.so"]
    usr = tmp_path / "root/usr"
    assert (usr / "bin/run").read_bytes() == (usr / "bin/again").read_bytes() == b"program"
    assert (usr / "lib/y.so").readlink() == Path("/usr/lib/x.so")
    run, library = (usr / "bin/run").stat(), (usr / "lib/x.so").stat()
    assert (run.st_uid, run.st_mode & 0o7777, library.st_mode & 0o7777) == (os.geteuid(), 0o755, 0o644)


def test_files_that_an_interrupted_command_left_are_removed(tmp_path: Path) -> None:
    deb = package(tmp_path / "x.deb", FILES)
    (tmp_path / "kept").mkdir()
    with unpacked([deb], tmp_path) as root:
        left = root.rename(tmp_path / f"{root.name}-left")
        root.mkdir()
    with unpacked([deb], tmp_path) as root:
        assert (root / "usr/bin/run").exists() and not left.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept", "x.deb"]


def test_a_second_package_replaces_a_link_and_not_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"mine")
    link = member("./x", kind=tarfile.SYMTYPE, link=str(tmp_path / "outside"))
    unpack(package(tmp_path / "1.deb", tar(link)), tmp_path / "root")
    unpack(package(tmp_path / "2.deb", tar(member("./x", b"theirs"))), tmp_path / "root")
    assert (tmp_path / "outside").read_bytes() == b"mine"
    assert (tmp_path / "root/x").read_bytes() == b"theirs"


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
        tar(member("./a", kind=tarfile.CHRTYPE)),
        tar(member("./a", kind=tarfile.FIFOTYPE)),
    ],
)
def test_paths_out_of_the_folder_and_devices_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "outside").write_bytes(b"mine")
    with pytest.raises(PackageDamaged, match=r"x.deb: contains a"):
        unpack(package(tmp_path / "x.deb", data), tmp_path / "root")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("data.tar", b"no tar" * 200),
        ("data.tar.xz", b"no xz"),
        ("data.tar.zst", b"no zstd" * 20),
        ("data.tar.gz", b"\x1f\x8b\x08" + bytes(40)),
        ("data.tar.lz", b"unknown"),
    ],
)
def test_damaged_or_unknown_data_is_an_error_with_the_packages_name(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(PackageDamaged, match=r"x.deb: (cannot be unpacked|has none of)"):
        unpack(package(tmp_path / "x.deb", data, name), tmp_path / "root")


@pytest.mark.parametrize("content", [b"", b"!<arch>\n", b"PK\3\4" * 100])
def test_a_file_that_is_not_an_ar_archive_is_an_error_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.deb").write_bytes(content)
    with pytest.raises(PackageDamaged, match=r"x.deb: (is not a .deb|has none of)"):
        unpack(tmp_path / "x.deb", tmp_path / "root")
