"""The providers that the settings, the environment and apt name, and what each returns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Locking, Serve, fetched, lacking, mirror, refusal, store, whole

from lab.errors import SpecError
from lab.places import ROOT
from lab.supply import providers
from lab.supply.packages import Provider
from lab.supply.providers import LocalFolder, Mirror, Settings
from lab.supply.web import Web

# A host that has packages of Debian, of Ubuntu or of Python.
MIRROR = re.compile(
    rb"\b(?:(?:deb|ftp|mirror|archive|snapshot|security)[\w.-]*[.](?:debian|ubuntu)|pypi)[.](?:org|com|net)\b"
)
NO_LISTS = "$(ORIGIN) http://mirror.example/debian/\n"
TWO_SUITES = "Debian http://a.example/debian/\nDebian http://a.example/debian/\nOther http://b.example/\n"


def one(typed: str) -> Provider:
    (found,) = providers.provider(typed, Web(1))
    return found


def test_without_settings_this_computer_s_apt_is_asked(tmp_path: Path) -> None:
    assert providers.load(tmp_path / "lab.toml", {}) == Settings(("apt",), 30)


def test_the_environment_comes_before_lab_toml(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text('[supply]\nproviders = ["/srv/course"]\npatience_s = 5\n')
    assert providers.load(file, {}) == Settings(("/srv/course",), 5)
    assert providers.load(file, {"LAB_SUPPLY": "apt /media/stick"}) == Settings(("apt", "/media/stick"), 5)


@pytest.mark.parametrize("wrong", ['provider = ["apt"]', "providers = [1]", 'providers = [""]', "patience_s = 0"])
def test_a_wrong_setting_is_refused_with_its_line(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(f"[supply]\n{wrong}\n")
    with pytest.raises(SpecError, match=r"lab.toml:2: "):
        providers.load(file, {})


@pytest.mark.parametrize(
    ("typed", "kind", "name"),
    [
        ("http://m.example/debian/", Mirror, "http://m.example/debian/{path}"),
        ("https://a.example/{date}/{path}", Mirror, "https://a.example/{date}/{path}"),
        ("/srv/course", LocalFolder, "/srv/course"),
        ("file:///srv/debian", LocalFolder, "/srv/debian"),
        ("packages", LocalFolder, str(ROOT / "packages")),
    ],
)
def test_a_word_stands_for_a_kind_of_provider(typed: str, kind: type, name: str) -> None:
    assert isinstance(one(typed), kind)
    assert one(typed).name == name


@pytest.mark.parametrize(
    "typed", ["ftp://m.example/debian", "oci://r.example/debs", "http://a.example/{version}", "course.tar"]
)
def test_a_word_that_stands_for_nothing_is_refused_with_its_line(tmp_path: Path, typed: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(f'[supply]\nproviders = [\n  "apt",\n  "{typed}",\n]\n')
    with pytest.raises(SpecError, match=r"lab.toml:[24]: .*(ftp|oci|version|tar)"):
        providers.load(file, {})
    with pytest.raises(SpecError, match=r"LAB_SUPPLY: .*(ftp|oci|version|tar)"):
        providers.load(tmp_path / "none.toml", {"LAB_SUPPLY": f"apt {typed}"})


@pytest.mark.parametrize(
    ("said", "found"),
    [("", []), (TWO_SUITES, ["http://a.example/debian/"]), (NO_LISTS, ["http://mirror.example/debian/"])],
)
def test_the_mirrors_are_those_of_debian_among_apt_s_sources(said: str, found: list[str]) -> None:
    assert providers.apt_mirrors(said) == found


def test_apt_s_proxies_are_known_by_scheme() -> None:
    said = "Acquire::http::Proxy http://cache.example:3142\nAcquire::https::Proxy DIRECT\n"
    assert providers.apt_proxies(said) == {"http": "http://cache.example:3142"}
    assert providers.apt_proxies("Acquire::http::Proxy \n") == {}


def test_a_computer_without_apt_has_a_provider_that_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert one("apt") == providers.Nothing("this computer has no apt with a mirror of Debian")


def test_no_mirror_is_named_in_the_repository_but_the_archive_of_old_versions_in_the_docs() -> None:
    """Who fetches is told where by their own apt or settings."""
    files = [
        each for name in ("code", "docs", "tests", "experiments", "templates") for each in (ROOT / name).rglob("*")
    ]
    texts = [each for each in (*files, *ROOT.glob("[A-Z]*")) if each.is_file() and "__pycache__" not in each.parts]
    named = {(each.relative_to(ROOT).parts[0], host) for each in texts for host in MIRROR.findall(each.read_bytes())}
    assert {(place, host.partition(b".")[0]) for place, host in named} == {("docs", b"snapshot")}


@pytest.mark.parametrize("name", ["sha256", "file", "path"])
def test_a_folder_gives_packages_under_any_of_their_names(locked: Locking, tmp_path: Path, name: str) -> None:
    wanted = locked(CONTENT)
    names = {"sha256": f"{wanted.sha256}.deb", "file": wanted.file, "path": wanted.path}
    file = tmp_path / "course" / names[name]
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert fetched(store(tmp_path, LocalFolder(tmp_path / "course")), wanted) == CONTENT


def test_a_package_comes_by_its_path_below_a_mirror(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server, wanted = serve(whole), locked(CONTENT)
    assert fetched(store(tmp_path, mirror(f"{server.url}/debian/")), wanted) == CONTENT
    assert server.paths == [f"/debian/{wanted.path}"]


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("/archive/{date}/{path}", f"/archive/{DATE}/pool/main/i/iperf3/iperf3_3.12-1+deb12u2_amd64.deb"),
        ("/by-hash/{sha256}", "/by-hash/{sha256}"),
        ("/course/{file}", "/course/iperf3_3.12-1+deb12u2_amd64.deb"),
    ],
)
def test_an_archive_is_asked_by_date_or_digest(
    serve: Serve, locked: Locking, tmp_path: Path, template: str, path: str
) -> None:
    server, wanted = serve(whole), locked(CONTENT)
    assert fetched(store(tmp_path, mirror(server.url + template)), wanted) == CONTENT
    assert server.paths == [path.replace("{sha256}", wanted.sha256)]


def test_a_password_is_sent_and_never_shown(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lacking)
    url = server.url.replace("http://", "http://ada:secret@")
    assert "secret" not in refusal(store(tmp_path, mirror(url)), locked(CONTENT))
    assert server.requests[0][1]["authorization"] == "Basic YWRhOnNlY3JldA=="
