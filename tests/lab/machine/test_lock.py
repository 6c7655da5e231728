"""The package lock, and Debian's mirrors of any day: lab.machine.debian."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lab.machine import debian, lock
from lab.machine.lock import Locked

IPERF = Locked("iperf3", "3.12-1+deb12u2", "ab" * 32)
BUSYBOX = Locked("busybox-static", "1:1.35.0-4+deb12u1+b1", "01" * 32)


class Mirror:
    """Packages that a mirror offers: name, version and suite of each."""

    def __init__(self, *offers: tuple[str, str, str]) -> None:
        self.offers = offers
        self.asked: list[str] = []

    def __call__(self, *arguments: str, folder: Path | None = None) -> str:
        self.asked += arguments
        if arguments[:2] == ("apt-cache", "madison"):
            return "".join(
                f" {name} | {version} | mirror {suite}/main amd64 Packages\n"
                for name, version, suite in self.offers
                if name in arguments[2:]
            )
        if arguments[:2] == ("apt-cache", "show"):
            return "Package: linux-image-amd64\nDepends: linux-image-6.1.0-51-amd64 (= 6.1.180-1)\n"
        if arguments[0] == "dpkg-deb":
            return Path(arguments[-1]).read_text(encoding="utf-8")
        assert folder is not None
        for number, item in enumerate(arguments[2:]):
            (folder / f"{number}.deb").write_text(item.replace("=", " "), encoding="utf-8")
        return ""


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Mirror:
    offers = Mirror(
        ("iperf3", "3.12-1+deb12u3", "bookworm-security"),
        ("iperf3", "3.12-1+deb12u2", "bookworm"),
        ("linux-image-amd64", "6.1.180-1", "bookworm"),
        ("linux-image-6.1.0-51-amd64", "6.1.180-1", "bookworm"),
    )
    monkeypatch.setattr(debian, "apt", offers)
    return offers


def test_a_written_lock_is_read_back_sorted(tmp_path: Path) -> None:
    lock.write(tmp_path / "packages.lock", [IPERF, BUSYBOX])
    assert lock.read(tmp_path / "packages.lock") == (BUSYBOX, IPERF)


@pytest.mark.parametrize(
    "line", ["iperf3 3.12", f"iperf3 3.12 {'AB' * 32}", f"../x 1 {'ab' * 32}", f"a=b 1 {'ab' * 32}"]
)
def test_a_line_that_is_no_package_is_rejected_with_its_number(line: str) -> None:
    with pytest.raises(lock.LockError, match=r"packages.lock:3: .*make lock"):
        lock.parse(f"# a comment\n{IPERF}\n{line}\n", "packages.lock")


def test_a_point_release_is_preferred_to_a_newer_security_update(mirror: Mirror) -> None:
    assert debian.preferred(["iperf3"]) == {"iperf3": "3.12-1+deb12u2"}
    assert mirror.asked == ["apt-cache", "madison", "iperf3"]


def test_the_kernel_metapackage_stands_for_the_kernel_that_it_depends_on(mirror: Mirror) -> None:
    assert lock.concrete(["iperf3", "linux-image-amd64"]) == {
        "iperf3": "3.12-1+deb12u2",
        "linux-image-6.1.0-51-amd64": "6.1.180-1",
    }
    assert mirror.offers


def test_what_is_in_the_store_is_not_asked_for(mirror: Mirror, tmp_path: Path) -> None:
    there = Locked("iperf3", "3.12-1+deb12u2", hashlib.sha256(b"package").hexdigest())
    lock.archive_of(there, tmp_path).write_bytes(b"package")
    assert lock.obtain([there], tmp_path) == [there]
    assert mirror.asked == []


def test_what_is_damaged_in_the_store_is_fetched_again(mirror: Mirror, tmp_path: Path) -> None:
    (fetched,) = lock.obtain([IPERF], tmp_path)
    archive = lock.archive_of(fetched, tmp_path)
    content = archive.read_bytes()
    archive.write_bytes(content[:-1])
    assert lock.obtain([fetched], tmp_path) == [fetched] and archive.read_bytes() == content
    assert mirror.offers


def test_another_digest_under_the_locked_version_is_taken_and_named(mirror: Mirror, tmp_path: Path) -> None:
    (got,) = lock.obtain([IPERF], tmp_path)
    assert (got.package, got.version) == ("iperf3", "3.12-1+deb12u2")
    assert got.sha256 != IPERF.sha256
    assert lock.archive_of(got, tmp_path).exists()
    assert lock.difference([IPERF], [got]) == "iperf3 3.12-1+deb12u2 in place of iperf3 3.12-1+deb12u2"
    assert mirror.asked


def test_a_kernel_that_is_gone_is_replaced_by_the_one_of_today(mirror: Mirror, tmp_path: Path) -> None:
    gone = Locked("linux-image-6.1.0-50-amd64", "6.1.176-1", "ab" * 32)
    got = lock.obtain([gone], tmp_path)
    named = "linux-image-6.1.0-51-amd64 6.1.180-1 in place of linux-image-6.1.0-50-amd64 6.1.176-1"
    assert lock.difference([gone], got) == named
    assert mirror.asked


def test_equal_locks_do_not_differ() -> None:
    assert lock.difference([IPERF, BUSYBOX], [BUSYBOX, IPERF]) == ""


def test_a_package_that_no_mirror_has_is_an_error_that_says_what_to_try(mirror: Mirror, tmp_path: Path) -> None:
    with pytest.raises(debian.PackageError, match=r"qperf.*apt-get update"):
        lock.obtain([Locked("qperf", "0.4", "ab" * 32)], tmp_path)
    assert mirror.asked
