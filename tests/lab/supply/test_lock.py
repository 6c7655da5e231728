"""The lock's text."""

from dataclasses import replace

import pytest

from lab.errors import SiteError
from lab.supply import lock
from lab.supply.lock import Lock, Locked

PATH = "pool/updates/main/i/iperf3/iperf3_3.12-1+deb12u2_amd64.deb"
IPERF = Locked("iperf3", "3.12-1+deb12u2", "amd64", PATH, "ab" * 32, 27_000)
BUSYBOX = replace(IPERF, package="busybox-static", version="1:1.35.0-4+deb12u1+b1")
BOTH = Lock("20261121T000000Z", {"guest": (BUSYBOX, IPERF), "runner arm64": (replace(IPERF, architecture="arm64"),)})


def test_a_written_lock_is_read_back() -> None:
    assert lock.parse(lock.text_of(BOTH), "packages.lock") == BOTH


@pytest.mark.parametrize(
    "line",
    [
        "iperf3 3.12",
        str(replace(IPERF, sha256="AB" * 32)),
        str(replace(IPERF, package="../x")),
        str(replace(IPERF, path="/etc/x.deb")),
        str(replace(IPERF, path="pool/../../x.deb")),
        str(replace(IPERF, path="pool/a/x.deb?y")),
        str(replace(IPERF, size_bytes=-1)),
        f"{IPERF} more",
        "date yesterday",
        "[Guest]",
    ],
)
def test_an_invalid_line_is_named(line: str) -> None:
    with pytest.raises(SiteError, match=r"packages.lock:4: .*make lock"):
        lock.parse(f"# a comment\ndate {BOTH.date}\n[guest]\n{line}\n", "packages.lock")


@pytest.mark.parametrize("text", [f"[guest]\n{IPERF}\n", f"date {BOTH.date}\n{IPERF}\n"])
def test_a_lock_needs_a_date_and_sections(text: str) -> None:
    with pytest.raises(SiteError):
        lock.parse(text, "packages.lock")


def test_a_missing_section_is_named_with_the_existing_ones() -> None:
    with pytest.raises(SiteError, match="no packages for runner riscv64, only for guest, runner arm64"):
        BOTH.of(lock.section(lock.RUNNER, "riscv64"))
