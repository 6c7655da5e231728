"""A new lock: the requests to the mirrors, and the locked packages: lab.machine.renewal."""

import hashlib
from pathlib import Path

import pytest
from tests.lab.supply.debs import member, package, tar

from lab.errors import SiteError
from lab.machine import renewal
from lab.machine.contents import Wanted
from lab.machine.renewal import Indices, dependencies, run, sources
from lab.supply.lock import Locked
from lab.supply.packages import Packages, SupplyError


class Mirror:
    """Packages that a mirror offers: name, version, suite and what each depends on; apt's commands about them."""

    def __init__(self, *offers: tuple[str, str, str, str]) -> None:
        self.offers = offers
        self.asked: list[str] = []
        self.contents: dict[str, bytes] = {}

    def __call__(self, *arguments: str, folder: Path | None = None) -> str:
        self.asked += arguments
        if arguments[1] == "madison":
            return "".join(
                f" {name} | {version} | mirror {suite}/main amd64 Packages\n"
                for name, version, suite, _ in self.offers
                if name in arguments[2:]
            )
        if arguments[1] == "show":
            return "\n".join(self.stanza(*offer) for offer in self.offers if "=".join(offer[:2]) in arguments)
        assert folder is not None
        for item in arguments[3:]:
            (folder / f"{item}.deb").write_bytes(self.contents.get(item, item.encode()))
        return ""

    def stanza(self, name: str, version: str, _: str, depends: str) -> str:
        digest = hashlib.sha256(f"{name}={version}".encode()).hexdigest()
        return (
            f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nDepends: {depends}\n"
            f"Filename: pool/{name}.deb\nSize: {len(name) + len(version) + 1}\nSHA256: {digest}\n"
            f"Description: words\n of Version: 9\n"
        )


OFFERS = (
    ("iperf3", "3.12-1+deb12u3", "bookworm-security", "libc6"),
    ("iperf3", "3.12-1+deb12u2", "bookworm", "libc6 (>= 2.34), libiperf0 (= 3.12) | other, debconf-2.0"),
    ("libiperf0", "3.12", "bookworm", "libc6:any (>= 2)"),
    ("libc6", "2.36", "bookworm", "libgcc-s1"),
    ("libgcc-s1", "12", "bookworm", "libc6"),
    ("linux-image-amd64", "6.1.180-1", "bookworm", "linux-image-6.1.0-51-amd64 (= 6.1.180-1)"),
    ("linux-image-6.1.0-51-amd64", "6.1.180-1", "bookworm", "kmod"),
)


def test_a_metapackage_is_replaced_by_the_kernel_that_it_depends_on() -> None:
    assert renewal.concrete(Indices(Mirror(*OFFERS)), ["iperf3", "linux-image-amd64"]) == {
        "iperf3": "3.12-1+deb12u2",
        "linux-image-6.1.0-51-amd64": "6.1.180-1",
    }


def test_a_closure_has_all_dependencies_with_path_digest_and_size() -> None:
    found = renewal.closure(Indices(Mirror(*OFFERS)), ["iperf3"])
    assert [each.package for each in found] == ["iperf3", "libc6", "libgcc-s1", "libiperf0"]
    digest = hashlib.sha256(b"libc6=2.36").hexdigest()
    assert found[1] == Locked("libc6", "2.36", "amd64", "pool/libc6.deb", digest, len("libc6=2.36"))


def test_of_alternatives_the_first_is_taken() -> None:
    assert dependencies({"Pre-Depends": "a (>= 1)", "Depends": "b:any | c, d [amd64]"}) == {"a", "b", "d"}
    assert dependencies({}) == set()


def test_apt_downloads_only_missing_packages(tmp_path: Path) -> None:
    mirror, store = Mirror(*OFFERS), Packages(tmp_path, list)
    packages = renewal.closure(Indices(mirror), ["libiperf0"])
    renewal.download(packages, store, Indices(mirror))
    assert all(store.has(each) for each in packages)
    mirror.asked.clear()
    renewal.download(packages, store, Indices(mirror))
    assert mirror.asked == []


def test_bytes_that_differ_from_the_index_are_not_locked(tmp_path: Path) -> None:
    mirror = Mirror(*OFFERS)
    mirror.contents["libc6=2.36"] = b"other"
    packages = renewal.closure(Indices(mirror), ["libc6"])
    with pytest.raises(SupplyError, match=r"other bytes of libc6 2\.36"):
        renewal.download(packages, Packages(tmp_path, list), Indices(mirror))


def test_only_packages_with_a_wanted_file_are_locked(tmp_path: Path) -> None:
    store = Packages(tmp_path / "store", list)
    store.folder.mkdir()
    packages = [built(tmp_path, name, store) for name in ("needed", "other")]
    wanted = Wanted((), (), (), ("usr/share/needed/*",), (), ())
    assert renewal.used(packages, wanted, store, Indices(Mirror())) == (packages[0],)


def built(folder: Path, name: str, store: Packages) -> Locked:
    """A package with one file, in the store."""
    content = package(folder / "a.deb", tar(member(f"./usr/share/{name}/file", b"content"))).read_bytes()
    locked = Locked(name, "1", "all", f"pool/{name}.deb", hashlib.sha256(content).hexdigest(), len(content))
    store.file(locked).write_bytes(content)
    return locked


def test_only_sources_of_debian_are_used() -> None:
    printed = (
        "Debian /etc/apt/sources.list.d/a b.sources:1\nOther /etc/apt/x.list:3\n$(ORIGIN) /etc/apt/sources.list:12\n"
    )
    assert sources(printed) == [Path("/etc/apt/sources.list.d/a b.sources"), Path("/etc/apt/sources.list")]


def test_a_host_without_apt_cannot_renew_a_lock() -> None:
    with pytest.raises(SiteError, match=r"no-such-apt is not on this computer.*on Debian"):
        run("no-such-apt")
